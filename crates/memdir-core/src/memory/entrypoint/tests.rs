use proptest::prelude::*;
use serde::Deserialize;

use super::*;

type Parts = Vec<(String, usize)>;

fn join(parts: &Parts) -> String {
    parts.iter().map(|(unit, count)| unit.repeat(*count)).collect()
}

#[derive(Deserialize)]
struct Golden<Case> {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Truncation {
    id: String,
    #[serde(default)]
    input: Parts,
    input_base64: Option<String>,
    shown: bool,
    #[serde(default)]
    text: Parts,
    warning: Option<String>,
}

#[test]
fn every_observed_truncation_is_reproduced_byte_for_byte() {
    let golden: Golden<Truncation> = serde_json::from_str(include_str!("testdata/truncation.json")).unwrap();
    assert_eq!(golden.cases.len(), 57);
    for case in golden.cases {
        let input = match &case.input_base64 {
            Some(encoded) => crate::base64::decode(encoded).unwrap(),
            None => join(&case.input).into_bytes(),
        };
        let loaded = load(&input, Profile::Current);
        assert_eq!(loaded.shown, case.shown, "{}", case.id);
        assert!(loaded.text == join(&case.text), "{}: {}", case.id, loaded.text);
        assert_eq!(loaded.warning, case.warning, "{}", case.id);
        assert_eq!(loaded.truncated, case.warning.is_some(), "{}", case.id);
    }
}

#[derive(Deserialize)]
struct Small {
    input: String,
    text: Option<String>,
}

#[test]
fn frontmatter_comments_and_cleaning_are_as_observed() {
    let golden: Golden<Small> = serde_json::from_str(include_str!("testdata/loaded.json")).unwrap();
    assert!(golden.cases.len() > 100);
    for case in golden.cases {
        let loaded = load(case.input.as_bytes(), Profile::Current);
        assert_eq!(loaded.shown.then_some(loaded.text), case.text, "{:?}", case.input);
    }
}

#[test]
fn sizes_are_written_as_the_client_writes_them() {
    let check = |units, expected| assert_eq!(cut::human(units), expected);
    check(25_000, "24.4KB");
    check(30 * 1024, "30KB");
    check(1_048_575, "1024KB");
    check(1_048_576, "1MB");
    check(2_000_000, "1.9MB");
}

#[test]
fn the_seed_profile_counts_bytes_and_changes_nothing_else() {
    let japanese = load("日".repeat(25_000).as_bytes(), Profile::Seed);
    assert!(japanese.truncated);
    assert_eq!((japanese.lines, japanese.units), (1, 75_000));
    let (kept, warning) = japanese.text.split_once("\n\n").unwrap();
    assert_eq!(kept, "日".repeat(8_333));
    insta::assert_snapshot!(warning, @"> WARNING: MEMORY.md is 73.2KB (limit: 24.4KB) — index entries are too long. Only part of it was loaded. Keep index entries to one line under ~200 chars; move detail into topic files.");
    let raw = load(b"---\na: b\n---\n<!-- c -->\r\n\0", Profile::Seed);
    assert_eq!(raw.text, "---\na: b\n---\n<!-- c -->\r\n\0");
}

#[test]
fn an_agents_memory_keeps_frontmatter_and_comments() {
    let loaded = load(b"---\na: b\n---\n<!-- c -->\nx\0\n", Profile::Agent);
    assert_eq!(loaded.text, "---\na: b\n---\n<!-- c -->\nx");
}

#[test]
fn usage_tells_how_close_and_where_the_cut_falls() {
    let check = |text: &str, lines, units, loaded_lines, near| {
        let usage = Usage::of(text);
        assert_eq!(
            (usage.lines, usage.units, usage.loaded_lines, usage.is_near()),
            (lines, units, loaded_lines, near)
        );
    };
    check("", 0, 0, 0, false);
    check("---\nx: y\n---\n<!-- c -->\na\n", 1, 1, 1, false);
    check(&"a\n".repeat(140), 140, 279, 140, true);
    check(&"a\n".repeat(201), 201, 401, 200, true);
    check(&"x".repeat(25_001), 1, 25_001, 0, true);
}

proptest! {
    #[test]
    fn loading_what_was_loaded_changes_nothing(text in "[ab<>!#*\u{200b}\u{1f600}é \t\n-]{0,200}") {
        let once = load(text.as_bytes(), Profile::Agent);
        prop_assert_eq!(&load(once.text.as_bytes(), Profile::Agent).text, &once.text);
    }

    #[test]
    fn any_bytes_are_loaded(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for profile in [Profile::Current, Profile::Agent, Profile::Seed] {
            let loaded = load(&bytes, profile);
            prop_assert_eq!(loaded.shown, !loaded.text.is_empty());
        }
    }

    #[test]
    fn comment_stripping_only_takes_comments(text in "(<!--|-->|[ab`>\n -]|```|\n\n){0,40}") {
        let stripped = without_block_comments(&text);
        let mut rest = text.chars();
        for kept in stripped.chars() {
            prop_assert!(rest.any(|character| character == kept), "{:?}", stripped);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_over_the_limits_is_ever_loaded(text in "(?s).{0,40}", times in 1usize..3000) {
        let loaded = load(text.repeat(times).as_bytes(), Profile::Agent);
        // Where cleaning left nothing else, the last trim also took the blank line before the warning.
        let warning = loaded.warning.as_deref().unwrap_or_default();
        let kept = loaded.text.strip_suffix(warning).or(loaded.text.strip_suffix(warning.trim_start())).unwrap();
        prop_assert!(js_text::units(kept) <= MAX_UNITS);
        // The lines were counted before other line ends became newlines.
        if !text.contains(['\r', '\u{2028}', '\u{2029}']) {
            prop_assert!(kept.split('\n').count() <= MAX_LINES);
        }
    }
}
