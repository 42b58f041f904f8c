//! Whether a compaction happened: known from the client where it says so, else from the breadcrumb.

use serde::Serialize;
use serde_json::Value;

use super::breadcrumb::Breadcrumb;

/// What each of the three detectors says; `None` where there is nothing to ask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The client's own words at the start of a session.
    pub payload: Option<bool>,
    /// Whether the transcript has a boundary after the last answer.
    pub transcript: Option<bool>,
    /// The breadcrumb in the answers that are visible; `None` before the first answer.
    pub breadcrumb: Option<Breadcrumb>,
}

/// The answer, and who gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Whether the context was compacted since the agent last spoke; `None`: unknown.
    pub compacted: Option<bool>,
    /// The detector that decided.
    pub by: Option<Detector>,
}

/// The detectors, the most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Detector {
    /// `source` in the payload of SessionStart.
    SessionStart,
    /// The boundary in the transcript.
    Transcript,
    /// The comment at the end of the last answer.
    Breadcrumb,
}

impl Evidence {
    /// Decides. The breadcrumb depends on a model's discipline, so it counts only where neither of the others is there.
    #[must_use]
    pub fn judge(&self) -> Verdict {
        let answers = [
            (self.payload, Detector::SessionStart),
            (self.transcript, Detector::Transcript),
            (self.breadcrumb.as_ref().map(|seen| !seen.is_found()), Detector::Breadcrumb),
        ];
        let decided = answers.into_iter().find_map(|(answer, by)| Some((answer?, by)));
        Verdict { compacted: decided.map(|(answer, _)| answer), by: decided.map(|(_, by)| by) }
    }
}

/// What the payload of a hook says: whether a session started because of a compaction. `None` for other events.
#[must_use]
pub fn from_payload(payload: &Value) -> Option<bool> {
    let text = |name: &str| payload.get(name).and_then(Value::as_str);
    match text("hook_event_name") {
        Some("SessionStart") => Some(text("source")? == "compact"),
        Some("PostCompact") => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_of_every_start_is_understood() {
        let check = |text: &str, expected: Option<bool>| {
            assert_eq!(from_payload(&serde_json::from_str(text).unwrap()), expected, "{text}");
        };
        for (source, expected) in
            [("startup", false), ("resume", false), ("clear", false), ("fork", false), ("compact", true)]
        {
            check(&format!(r#"{{"hook_event_name": "SessionStart", "source": "{source}"}}"#), Some(expected));
        }
        check(r#"{"hook_event_name": "PostCompact", "trigger": "manual"}"#, Some(true));
        check(r#"{"hook_event_name": "PreCompact"}"#, None);
        check(r#"{"hook_event_name": "SessionStart"}"#, None);
        check("[]", None);
    }

    #[test]
    fn nothing_depends_on_the_breadcrumb_where_others_know() {
        let breadcrumb = Some(Breadcrumb::Missing);
        let judged =
            |payload, transcript| Evidence { payload, transcript, breadcrumb: breadcrumb.clone() }.judge();
        assert_eq!(judged(Some(false), Some(true)).compacted, Some(false));
        assert_eq!(
            judged(None, Some(false)),
            Verdict { compacted: Some(false), by: Some(Detector::Transcript) }
        );
        assert_eq!(judged(None, None), Verdict { compacted: Some(true), by: Some(Detector::Breadcrumb) });
        assert_eq!(Evidence::default().judge(), Verdict { compacted: None, by: None });
    }
}
