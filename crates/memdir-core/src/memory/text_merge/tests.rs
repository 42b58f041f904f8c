use proptest::prelude::*;

use super::*;

fn check(base: &str, mine: &str, theirs: &str, expected: &str) {
    assert_eq!(merge_text(base, mine, theirs).as_deref(), Ok(expected));
    assert_eq!(merge_text(base, theirs, mine).as_deref(), Ok(expected));
}

fn check_conflict(base: &str, mine: &str, theirs: &str, expected: &[(&str, Option<&str>, Option<&str>)]) {
    let conflicts = merge_text(base, mine, theirs).unwrap_err();
    let found: Vec<_> = conflicts
        .iter()
        .map(|conflict| (conflict.place.as_str(), conflict.mine.as_deref(), conflict.theirs.as_deref()))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(merge_text(base, theirs, mine).unwrap_err().len(), conflicts.len());
}

#[test]
fn bodies_merge_by_lines() {
    check("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n", "a\nB\nc\nd\n");
    check("a\nb\nc\n", "x\na\nb\nc\n", "a\nb\n", "x\na\nb\n");
    check("a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n");
    check_conflict("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", &[("body", Some("X\n"), Some("Y\n"))]);
    check_conflict("a\nb\nc\n", "a\nc\n", "a\nY\nc\n", &[("body", None, Some("Y\n"))]);
}

#[test]
fn lines_that_only_touch_do_not_conflict() {
    check("1\n2\n3\n", "A\n2\n3\n", "1\nB\n3\n", "A\nB\n3\n");
    check("1\n2\n3\n", "A\nB\n3\n", "1\n2\nC\n", "A\nB\nC\n");
    check("1\n2\n3\n", "2\n3\n", "1\nB\n3\n", "B\n3\n");
    check("1\n2\n3\n", "1\n2\n3\n4\n", "1\n2\nC\n", "1\n2\nC\n4\n");
    check("1\n2\n3\n", "0\n1\n2\n3\n", "A\n2\n3\n", "0\nA\n2\n3\n");
    check("1\n2\n3\n", "1\nnew\n2\n3\n", "1\n3\n", "1\nnew\n3\n");
    check("1\n2\n3\n", "1\n2\nnew\n3\n", "A\nB\nC\n", "A\nB\nnew\nC\n");
    check_conflict("1\n2\n", "A\nB\n", "1\nC\n", &[("body", Some("B\n"), Some("C\n"))]);
    check_conflict("1\n2\n", "2\n", "A\nB\n", &[("body", None, Some("A\n"))]);
}

#[test]
fn a_line_that_became_several_is_not_cut_by_what_the_other_added() {
    check("1\n2\n", "b\nz\n2\n", "1\na\n2\n", "b\nz\na\n2\n");
    check("1\n2\n", "b\na\n2\n", "1\nz\n2\n", "b\na\nz\n2\n");
}

#[test]
fn a_last_line_without_a_newline_is_the_same_line() {
    check("1\n2", "1\n2\n3", "1\nB", "1\nB\n3");
    check("1\n2", "A\n2\n", "1\nB", "A\nB\n");
    check("1\r\n2", "1\r\n2\r\n3", "1\r\nB", "1\r\nB\r\n3");
}

#[test]
fn two_people_at_one_short_memory_get_one_text() {
    let memory = |description: &str, body: &str| {
        format!("---\nname: deploy-rules\ndescription: {description}\ntype: project\n---\n\n{body}")
    };
    let base =
        memory("How we deploy", "Deploy on Tuesdays.\nAsk Eve first.\nTag the build.\nTell the channel.\n");
    let ada = memory(
        "How we deploy",
        "Deploy on Tuesdays.\nAsk Zoe first.\nTag the build.\nTell the channel.\nNever in December.\n",
    );
    let bob = memory(
        "How and when we deploy",
        "Deploy on Mondays.\nAsk Eve first.\nTag the build.\nTell the channel.\nWatch the graphs for an hour.\n",
    );
    let expected = memory(
        "How and when we deploy",
        "Deploy on Mondays.\nAsk Zoe first.\nTag the build.\nTell the channel.\n\
         Watch the graphs for an hour.\nNever in December.\n",
    );
    check(&base, &ada, &bob, &expected);
    check(&base, &expected, &ada, &expected);
    check(&base, &expected, &bob, &expected);
}

#[test]
fn what_both_sides_appended_is_kept() {
    check("log\n", "log\nmine\n", "log\ntheirs\n", "log\nmine\ntheirs\n");
    check("log", "log\nmine", "log\ntheirs", "log\nmine\ntheirs");
    check("", "mine\n", "theirs", "mine\ntheirs");
    check("a\nz\n", "a\n1\nz\n", "a\n2\nz\n", "a\n1\n2\nz\n");
}

#[test]
fn frontmatter_merges_by_fields() {
    check(
        "---\nname: x\ndescription: d\nmetadata:\n  type: user\n---\n\nb\n",
        "---\nname: x\ndescription: new\nmetadata:\n  type: user\n  extra: 1\n---\n\nb\n",
        "---\nname: x\ndescription: d\nmetadata:\n  type: project\ntags: [a]\n---\n\nb\nmore\n",
        "---\nname: x\ndescription: new\nmetadata:\n  type: project\n  extra: 1\ntags: [a]\n---\n\nb\nmore\n",
    );
    check(
        "---\nname: x\nmetadata:\n  modified: 2026-01-01T00:00:00.000Z\n---\n",
        "---\nname: x\nmetadata:\n  modified: 2026-01-03T00:00:00.000Z\n---\n",
        "---\nname: y1\nmetadata:\n  modified: 2026-01-02T00:00:00.000Z\n---\n",
        "---\nname: y1\nmetadata:\n  modified: 2026-01-03T00:00:00.000Z\n---\n",
    );
    check(
        "---\n# c\na: 1\nb: 2\n---\n",
        "---\n# c\na: 1\n---\n",
        "---\n# c2\na: 1\nb: 2\n---\n",
        "---\n# c2\na: 1\n---\n",
    );
    check_conflict(
        "---\na: 1\n---\n",
        "---\na: 2\n---\n",
        "---\na: 3\n---\n",
        &[("a", Some("a: 2\n"), Some("a: 3\n"))],
    );
    check_conflict("---\na: 1\n---\n", "---\n---\n", "---\na: 3\n---\n", &[("a", None, Some("a: 3\n"))]);
}

#[test]
fn a_frontmatter_that_one_side_added_is_kept() {
    check("b\n", "---\na: 1\n---\nb\n", "b\nc\n", "---\na: 1\n---\nb\nc\n");
    check("---\na: 1\n---\nb\n", "b\n", "---\na: 1\n---\nb\nc\n", "b\nc\n");
    check_conflict(
        "---\na: 1\n---\nb\n",
        "b\n",
        "---\na: 2\n---\nb\n",
        &[("frontmatter", None, Some("---\na: 2\n---\n"))],
    );
}

#[test]
fn texts_that_are_too_long_to_compare_are_a_conflict() {
    let base: String = (0..9_000).map(|line| format!("{line}\n")).collect();
    let mine = format!("x{base}");
    let theirs = base.replace("8000\n", "y\n");
    assert_eq!(merge_text(&base, &mine, &theirs).unwrap_err().len(), 1);
}

/// What one side does to one line of the base: keep, remove or change it, and add a line behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Done {
    Kept,
    Removed,
    Changed,
}

fn edits() -> impl Strategy<Value = Vec<(Done, bool)>> {
    let done = prop_oneof![4 => Just(Done::Kept), 1 => Just(Done::Removed), 2 => Just(Done::Changed)];
    prop::collection::vec((done, prop::bool::weighted(0.3)), 6)
}

fn edited(edits: &[(Done, bool)], who: &str) -> String {
    let mut text = String::new();
    for (at, (done, adds)) in edits.iter().enumerate() {
        match done {
            Done::Kept => text.push_str(&format!("line {at}\n")),
            Done::Removed => {}
            Done::Changed => text.push_str(&format!("line {at} of {who}\n")),
        }
        if *adds {
            text.push_str(&format!("more {at} of {who}\n"));
        }
    }
    text
}

proptest! {
    #[test]
    fn a_merge_holds_what_both_did(ours in edits(), others in edits()) {
        let base = edited(&[(Done::Kept, false); 6], "nobody");
        let (mine, theirs) = (edited(&ours, "ada"), edited(&others, "bob"));
        let merged = merge_text(&base, &mine, &theirs);
        prop_assert_eq!(merged.clone().ok(), merge_text(&base, &theirs, &mine).ok());
        let removes = |edits: &[(Done, bool)]| edits.iter().any(|(done, _)| *done == Done::Removed);
        let Ok(merged) = merged else {
            // Each changed line apart, or a removed one: nothing else is a conflict.
            let both = |pair: (&(Done, bool), &(Done, bool))| pair.0.0 != Done::Kept && pair.1.0 != Done::Kept;
            prop_assert!(removes(&ours) || removes(&others) || ours.iter().zip(&others).any(both));
            return Ok(());
        };
        let count = |text: &str, line: &str| text.lines().filter(|other| *other == line).count();
        for line in mine.lines().chain(theirs.lines()) {
            let kept = !base.contains(line) || (count(&mine, line) == 1 && count(&theirs, line) == 1);
            prop_assert_eq!(count(&merged, line), usize::from(kept), "{} in {}", line, merged);
        }
        for side in [&mine, &theirs] {
            let again = merge_text(&base, &merged, side);
            prop_assert_eq!(again.clone().ok(), merge_text(&base, side, &merged).ok());
            // A line in the place of a removed one may be another version of it: only that is checked again.
            if again.is_ok() || !(removes(&ours) || removes(&others)) {
                prop_assert_eq!(again.as_ref(), Ok(&merged));
            }
        }
    }

    #[test]
    fn a_merge_is_symmetric_and_loses_no_line(
        base in "([abc]\n){0,8}",
        mine in "([abcx]\n){0,8}",
        theirs in "([abcy]\n){0,8}",
    ) {
        let merged = merge_text(&base, &mine, &theirs);
        prop_assert_eq!(merged.clone().ok(), merge_text(&base, &theirs, &mine).ok());
        if let Ok(merged) = merged {
            for (side, mark) in [(&mine, "x"), (&theirs, "y")] {
                prop_assert!(merged.matches(mark).count() >= side.matches(mark).count());
            }
        }
    }

    #[test]
    fn fields_merge_symmetrically(
        base in "(([abc]: [12]\n){0,4})",
        mine in "(([abc]: [12]\n|metadata:\n  a: 1\n){0,4})",
        theirs in "(([abc]: [12]\n|metadata:\n  b: 1\n){0,4})",
    ) {
        let text = |inner: &str| format!("---\n{inner}---\nbody\n");
        let (base, mine, theirs) = (text(&base), text(&mine), text(&theirs));
        let merged = merge_text(&base, &mine, &theirs);
        prop_assert_eq!(merged.clone().ok(), merge_text(&base, &theirs, &mine).ok());
        prop_assert_eq!(merge_text(&base, &mine, &base), Ok(mine.clone()));
    }
}
