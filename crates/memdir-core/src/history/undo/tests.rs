use super::*;
use crate::history::tests::operation;
use crate::memory::index;
use crate::memory::text_merge::merge_text;

fn merge(path: &RelPath, base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let text = |bytes| std::str::from_utf8(bytes).unwrap();
    let base = base.map(text).unwrap_or_default();
    if path.as_str() == ENTRYPOINT {
        return Some(index::merge(base, text(ours), text(theirs)).text.into_bytes());
    }
    merge_text(base, text(ours), text(theirs)).ok().map(String::into_bytes)
}

/// Undoes `changes` where the files are `now`, and says what would be done.
fn check(changes: &[&str], now: &[(&str, &str)], expected: &str) {
    check_under(&[operation(9, &["a.md: x -> y"])], changes, now, expected);
}

fn check_under(newer: &[Operation], changes: &[&str], now: &[(&str, &str)], expected: &str) {
    let current =
        now.iter().map(|(path, text)| (RelPath::parse(path).unwrap(), text.as_bytes().to_vec())).collect();
    let versions: Vec<String> = changes
        .iter()
        .flat_map(|change| change.split_once(": ").unwrap().1.split(" -> "))
        .map(str::to_owned)
        .collect();
    let recorded = |hash: ContentHash| {
        let found = versions.iter().find(|text| ContentHash::of(text.as_bytes()) == hash)?;
        (found != "lost").then(|| found.clone().into_bytes())
    };
    let sources = Sources { current: &current, recorded: &recorded, merge: &merge };
    let plan = plan_undo(&operation(1, changes), newer, "undo".into(), &sources);
    let text = |content: &Content| String::from_utf8(content.0.clone()).unwrap();
    let shown = match plan {
        Err(refused) => refused.to_string(),
        Ok(plan) => {
            let lines: Vec<String> = plan
                .changes
                .iter()
                .map(|change| match change {
                    Change::Write { path, content, .. } => format!("{path} = {:?}", text(content)),
                    Change::Delete { path, .. } => format!("delete {path}"),
                    Change::Rename { from, to, .. } => format!("{from} to {to}"),
                })
                .collect();
            lines.join(", ")
        }
    };
    assert_eq!(shown, expected, "{changes:?} {now:?}");
}

#[test]
fn untouched_files_go_back() {
    check(&["a.md: 1 -> 2"], &[("a.md", "2")], "a.md = \"1\"");
    check(&["a.md: - -> 2"], &[("a.md", "2")], "delete a.md");
    check(&["a.md: 1 -> -"], &[], "a.md = \"1\"");
    check(&["a.md=b.md: 1 -> 1"], &[("b.md", "1")], "b.md to a.md");
    check(&["a.md=b.md: 1 -> 2"], &[("b.md", "2")], "b.md to a.md, a.md = \"1\"");
    check(&["a.md: 1 -> 2"], &[("a.md", "1")], "");
    check(&["a.md: - -> 2"], &[], "");
    check(&["a.md: 1 -> 1"], &[("a.md", "7")], "");
}

#[test]
fn newer_changes_stay_where_both_can_stand() {
    let (one, two) = ("- [A](a.md) — a\n", "- [A](a.md) — a\n- [B](b.md) — b\n");
    let three = "- [A](a.md) — a\n- [B](b.md) — b\n- [C](c.md) — c\n";
    let change = format!("MEMORY.md: {one} -> {two}");
    check(&[&change], &[("MEMORY.md", three)], "MEMORY.md = \"- [A](a.md) — a\\n- [C](c.md) — c\\n\"");
    let first = format!("MEMORY.md: - -> {one}");
    check(&[&first], &[("MEMORY.md", two)], "MEMORY.md = \"- [B](b.md) — b\\n\"");
    check(
        &["a.md: one\n\ntwo\n\nthree\n -> one\n\n2\n\nthree\n"],
        &[("a.md", "one\n\n2\n\nthree\n\nfour\n")],
        "a.md = \"one\\n\\ntwo\\n\\nthree\\n\\nfour\\n\"",
    );
}

#[test]
fn what_cannot_stand_beside_it_is_named() {
    let newer = "operation 01hf7yb2s800000009: operation 9";
    let changed = format!("`a.md` was changed since then in the same place ({newer})");
    check(&["a.md: 1\n -> 2\n"], &[("a.md", "3\n")], &changed);
    check(&["a.md: - -> 2\n"], &[("a.md", "3\n")], &changed);
    check(&["a.md: 1 -> 2"], &[], &format!("`a.md` is gone since then ({newer})"));
    check(&["b.md=c.md: 1 -> 1"], &[], "`c.md` is gone since then");
    check(
        &["a.md=c.md: 1 -> 1"],
        &[("c.md", "1"), ("a.md", "x")],
        &format!("another file is called `a.md` since then ({newer})"),
    );
    check(
        &["a.md: lost -> 2"],
        &[("a.md", "2")],
        "history does not hold the earlier version of `a.md` any more",
    );
}

#[test]
fn a_file_is_followed_to_the_name_that_it_has_now() {
    let newer = [operation(9, &["b.md=c.md: 2 -> 2"]), operation(8, &["a.md=b.md: 2 -> 2"])];
    check_under(&newer, &["a.md: 1 -> 2"], &[("c.md", "2")], "c.md = \"1\"");
    // Another file has the old name by now.
    check_under(&newer, &["a.md: 1 -> 2"], &[("c.md", "2"), ("a.md", "new")], "c.md = \"1\"");
    let by = |number: u64| format!("operation {}: operation {number}", operation(number, &[]).id);
    let called = format!("`a.md` is called `c.md` since then ({})", by(8));
    check_under(&newer, &["a.md: - -> 2"], &[("c.md", "2")], &called);
    let called = format!("`b.md` is called `c.md` since then ({})", by(9));
    check_under(&newer[..1], &["a.md=b.md: 2 -> 2"], &[("c.md", "2")], &called);
    // A rename that was undone leads to the old name again.
    let back = [operation(9, &["b.md=a.md: 2 -> 2"]), operation(8, &["a.md=b.md: 2 -> 2"])];
    check_under(&back, &["a.md: 1 -> 2"], &[("a.md", "2")], "a.md = \"1\"");
    check_under(&newer, &["a.md: 1 -> -"], &[("c.md", "2")], "a.md = \"1\"");
}
