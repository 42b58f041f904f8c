use serde_json::{Value, json};

/// The longest context that is handed over; the client shows no more.
pub const MAX_CONTEXT: usize = 10_000;

/// What a hook says. The client reads context only in `hookSpecificOutput.additionalContext`, and only there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookAnswer {
    /// Go on.
    Nothing,
    /// Go on, and the model should know this.
    Context(String),
    /// The tool may do that, and the user is not asked.
    Allow(String),
    /// The tool may not do that; the model is told why.
    Deny(String),
    /// The user decides, having read why.
    Ask(String),
    /// The agent goes on for a moment, and is told what with.
    GoOn(String),
}

impl HookAnswer {
    /// Facts for the model, one paragraph each; nothing if there are none.
    #[must_use]
    pub fn facts(facts: &[String]) -> Self {
        if facts.is_empty() { Self::Nothing } else { Self::Context(facts.join("\n\n")) }
    }

    /// The JSON object for an event; `None` where the best answer is silence.
    #[must_use]
    pub fn render(&self, event: &str) -> Option<Value> {
        let output = match self {
            Self::Nothing => return None,
            Self::Context(text) => json!({ "hookEventName": event, "additionalContext": bounded(text) }),
            Self::Allow(_) if event == "PermissionRequest" => {
                json!({ "hookEventName": event, "decision": { "behavior": "allow" } })
            }
            Self::Allow(why) => decision(event, "allow", why),
            Self::Deny(why) => decision(event, "deny", why),
            Self::Ask(why) => decision(event, "ask", why),
            Self::GoOn(why) => return Some(json!({ "decision": "block", "reason": bounded(why) })),
        };
        Some(json!({ "hookSpecificOutput": output }))
    }
}

fn decision(event: &str, decision: &str, why: &str) -> Value {
    json!({
        "hookEventName": event,
        "permissionDecision": decision,
        "permissionDecisionReason": bounded(why),
    })
}

/// The text, or as many of its whole lines as fit, with a word about the rest.
fn bounded(text: &str) -> String {
    const REST: &str = "\n(memdir left out the rest: it is too long for one hook.)";
    if js_units(text) <= MAX_CONTEXT {
        return text.to_owned();
    }
    let room = MAX_CONTEXT - js_units(REST);
    let mut end = 0;
    let mut units = 0;
    for line in text.split_inclusive('\n') {
        units += js_units(line);
        if units > room {
            break;
        }
        end += line.len();
    }
    if end == 0 {
        // One line alone is too long: it is cut between two characters.
        let mut units = 0;
        let fits = |character: &char| {
            units += character.len_utf16();
            units <= room
        };
        end = text.chars().take_while(fits).map(char::len_utf8).sum();
    }
    format!("{}{REST}", text.get(..end).unwrap_or_default().trim_end_matches('\n'))
}

fn js_units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_goes_where_the_client_reads_it() {
        let answer = HookAnswer::Context("fact".to_owned()).render("SessionStart").unwrap();
        assert_eq!(
            answer.to_string(),
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"fact"}}"#
        );
        assert_eq!(HookAnswer::Nothing.render("SessionStart"), None);
        let more = HookAnswer::GoOn("save it".to_owned()).render("Stop").unwrap();
        assert_eq!(more.to_string(), r#"{"decision":"block","reason":"save it"}"#);
    }

    #[test]
    fn a_question_is_answered_in_the_form_of_its_event() {
        let allow = HookAnswer::Allow("inside the journal".to_owned());
        assert_eq!(
            allow.render("PermissionRequest").unwrap().to_string(),
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#
        );
        assert_eq!(allow.render("PreToolUse").unwrap()["hookSpecificOutput"]["permissionDecision"], "allow");
    }

    #[test]
    fn context_is_bounded_at_a_line() {
        for text in ["line\n".repeat(5_000), "😀".repeat(9_000), "a".repeat(10_001)] {
            let cut = bounded(&text);
            assert!(js_units(&cut) <= MAX_CONTEXT && cut.ends_with("for one hook.)"));
        }
        assert_eq!(bounded(&"a".repeat(10_000)).len(), 10_000);
    }
}
