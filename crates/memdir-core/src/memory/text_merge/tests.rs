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

proptest! {
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
