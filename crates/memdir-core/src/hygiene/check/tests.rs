use serde::Deserialize;

use super::{Action, MemoryInput, Surface, check_memory};

#[derive(Deserialize)]
struct Case {
    id: String,
    label: String,
    surface: Surface,
    expected: String,
    #[serde(flatten)]
    input: MemoryInput,
}

fn corpus() -> Vec<Case> {
    include_str!("../testdata/hostile_memories.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn action(name: &str) -> Action {
    match name {
        "allow" => Action::Allow,
        "strip" => Action::Strip,
        "escape" => Action::Escape,
        "flag" => Action::Flag,
        "truncate" => Action::Truncate,
        "reject" => Action::Reject,
        other => panic!("unknown action {other}"),
    }
}

#[test]
fn every_case_of_the_corpus_gets_at_least_what_it_names() {
    let mut wrong = Vec::new();
    for case in corpus() {
        let checked = check_memory(&case.input, case.surface);
        let expected = action(&case.expected);
        let is_right =
            if case.label == "benign" { checked.action == expected } else { checked.action >= expected };
        if !is_right {
            wrong.push(format!("{}: expected {expected:?}, got {checked:?}", case.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(text: &str, surface: Surface) -> (Action, String) {
    let checked = check_memory(&MemoryInput { text: Some(text.to_owned()), text_parts: None }, surface);
    (checked.action, checked.rendered)
}

#[test]
fn rendered_has_everything_applied() {
    for (text, surface, expected_action, expected) in [
        ("a\r\nb", Surface::Prompt, Action::Allow, "a\nb"),
        ("50%\rdone", Surface::Prompt, Action::Strip, "50%\ndone"),
        ("\u{1B}[8mhidden\u{1B}[0m", Surface::Terminal, Action::Strip, "hidden"),
        ("a\u{200B} <system>", Surface::Prompt, Action::Escape, "a <\\system>"),
        ("<b>", Surface::Terminal, Action::Allow, "<b>"),
        ("<b>", Surface::Html, Action::Escape, "&lt;b&gt;"),
        (
            "---\nname: x\ntype: user\n---\nbody",
            Surface::Prompt,
            Action::Allow,
            "---\nname: x\ntype: user\n---\nbody",
        ),
        (
            "---\na: &x [*x, *x]\n---\nbody",
            Surface::Prompt,
            Action::Escape,
            "\\---\na: &x [*x, *x]\n---\nbody",
        ),
        ("---\nname: never closed", Surface::Prompt, Action::Escape, "\\---\nname: never closed"),
        ("", Surface::Prompt, Action::Allow, ""),
    ] {
        assert_eq!(check(text, surface), (expected_action, expected.to_owned()), "{text:?} on {surface:?}");
    }
}

#[test]
fn sizes_are_bounded_before_anything_is_put_together() {
    let parts = |parts: &[(&str, u64)]| MemoryInput {
        text: None,
        text_parts: Some(parts.iter().map(|(unit, count)| ((*unit).to_owned(), *count)).collect()),
    };
    let check = |input: &MemoryInput, surface| {
        let checked = check_memory(input, surface);
        (checked.action, checked.rendered.len())
    };
    assert_eq!(check(&parts(&[("a", u64::MAX), ("b", u64::MAX)]), Surface::Prompt), (Action::Reject, 0));
    assert_eq!(check(&parts(&[("", u64::MAX), ("ok", 1)]), Surface::Prompt), (Action::Allow, 2));
    assert_eq!(check(&parts(&[("a", 4 << 20)]), Surface::Prompt), (Action::Truncate, 25_000));
    assert_eq!(check(&parts(&[("a", (4 << 20) + 1)]), Surface::Prompt), (Action::Reject, 0));
    assert_eq!(check(&parts(&[("line\n", 6_000)]), Surface::Prompt), (Action::Truncate, 24_999));
    assert_eq!(check(&parts(&[("line\n", 6_000)]), Surface::Terminal), (Action::Allow, 30_000));
}
