//! Three detectors of a compaction, on lines as the client writes them.

use std::fs;

use camino::Utf8PathBuf;
use memdir_core::journal::breadcrumb::{Breadcrumb, breadcrumb};
use memdir_core::journal::compaction::{Detector, Evidence, from_payload};
use memdir_lib::journal::{Watched, watch_transcript};
use serde_json::Value;

fn shapes() -> Value {
    serde_json::from_str(include_str!("../data/transcript_lines.json")).unwrap()
}

/// Writes a transcript from real lines: `a:text` an answer, `u:text` a prompt, `t` a tool's result, `s:text` a summary,
/// `side:text` a sub-agent's answer, `|` a boundary, everything else a line of that type.
fn transcript(steps: &[&str]) -> Watched {
    let shapes = shapes();
    let line = |name: &str| shapes["lines"][name].clone();
    let said = |text: &str| serde_json::json!([{"type": "text", "text": text}]);
    let lines = steps.iter().map(|step| {
        let (kind, text) = step.split_once(':').unwrap_or((step, ""));
        match kind {
            "a" => {
                let mut answer = line("assistant");
                answer["message"]["content"] = said(text);
                answer
            }
            "side" => {
                let mut answer = line("assistant");
                answer["message"]["content"] = said(text);
                answer["isSidechain"] = true.into();
                answer
            }
            "u" => {
                let mut prompt = line("user");
                prompt["message"]["content"] = text.into();
                prompt
            }
            "s" => {
                let mut summary = line("user");
                summary["message"]["content"] = text.into();
                summary["isCompactSummary"] = true.into();
                summary
            }
            "t" => line("user:tool_result"),
            "|" => line("system:compact_boundary"),
            other => line(other),
        }
    });
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let directory = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(directory.path().join("session.jsonl")).unwrap();
    fs::write(&path, text).unwrap();
    watch_transcript(&path, "app").unwrap()
}

#[test]
fn the_detectors_agree_on_real_shapes() {
    let mark = format!("a:Done.\n\n{}", breadcrumb("app", "2026-01-19T22:30:00Z".parse().unwrap()));
    let mark = mark.as_str();
    let check = |steps: &[&str], source: &str, expected: bool| {
        let watched = transcript(steps);
        let payload = from_payload(&shapes()["payloads"][format!("SessionStart:{source}")]);
        let said = (
            payload,
            watched.evidence.transcript,
            watched.evidence.breadcrumb.as_ref().map(|seen| !seen.is_found()),
        );
        assert_eq!(said, (Some(expected), Some(expected), Some(expected)), "{steps:?}");
    };
    let start = ["queue-operation", "attachment:hook_success", "u:GOMAIN", "last-prompt"];
    let with = |more: &[&'static str]| start.iter().chain(more).copied().collect::<Vec<&str>>();
    let mark: &'static str = Box::leak(mark.to_owned().into_boxed_str());
    check(&with(&[mark, "cost-state"]), "resume", false);
    check(&with(&[mark, "t", mark]), "resume", false);
    check(
        &with(&[mark, "queue-operation", "|", "s:Summary.", "attachment:hook_success", "cost-state"]),
        "compact",
        true,
    );
    check(&with(&[mark, "|", "s:Summary.", "u:go on", mark]), "resume", false);
    check(&with(&[mark, "|", "s:Summary.", mark, "|", "s:Summary."]), "compact", true);
}

#[test]
fn another_comment_is_not_a_breadcrumb() {
    let comment = breadcrumb("app", "2026-01-19T22:30:00Z".parse().unwrap());
    let other = breadcrumb("other", "2026-01-19T22:30:00Z".parse().unwrap());
    let check = |steps: &[&str], expected: Option<Breadcrumb>| {
        assert_eq!(transcript(steps).evidence.breadcrumb, expected, "{steps:?}");
    };
    check(&["u:hello"], None);
    check(&["a:no comment"], Some(Breadcrumb::Missing));
    check(&["a:no comment", &format!("u:{comment}")], Some(Breadcrumb::Missing));
    check(&["a:no comment", &format!("s:{comment}")], Some(Breadcrumb::Missing));
    check(&["a:no comment", &format!("side:{comment}")], Some(Breadcrumb::Missing));
    check(&[&format!("a:{other}")], Some(Breadcrumb::OtherProject { key: "other".into() }));
    check(&["a:<!-- MEMORY_BREADCRUMB: app soon -->"], Some(Breadcrumb::Malformed));
    check(&[&format!("a:{comment}"), "|", "s:Summary."], Some(Breadcrumb::Missing));
}

#[test]
fn nothing_depends_on_the_comment_where_the_others_exist() {
    // An agent that never leaves one is not told that it was compacted.
    let watched = transcript(&["u:hello", "a:hi", "u:more", "a:yes"]);
    let verdict = watched.evidence.judge();
    assert_eq!((verdict.compacted, verdict.by), (Some(false), Some(Detector::Transcript)));
    let alone = Evidence { transcript: None, ..watched.evidence };
    assert_eq!(alone.judge().compacted, Some(true));
    let boundary = transcript(&["u:hello", "a:hi", "|"]);
    assert_eq!(
        (boundary.trigger.as_str(), boundary.boundaries, boundary.last_prompt.as_str()),
        ("manual", 1, "hello")
    );
    assert!(boundary.boundary.is_some());
}
