use proptest::prelude::*;

use std::collections::HashMap;

use jiff::Timestamp;

use super::*;
use crate::memory::entrypoint::Usage;
use crate::memory::js_text;

#[test]
fn every_form_of_an_entry_is_read() {
    let check = |line: &str, title: &str, path: &str, hook: &str| {
        let expected = IndexEntry { title: title.into(), path: path.into(), hook: hook.into() };
        assert_eq!(parse_line(line), Some(expected), "{line}");
    };
    check("- [T](f.md) — hook", "T", "f.md", "hook");
    check("- [f.md](f.md): hook: more\n", "f.md", "f.md", "hook: more");
    check("  * [T](f.md) - hook\r\n", "T", "f.md", "hook");
    check("+ [T](f.md) – hook", "T", "f.md", "hook");
    check("- [T](f.md)", "T", "f.md", "");
    check("- [T](f.md) plain words", "T", "f.md", "plain words");
    check("- [a [b] \\] c](d/e%20f.md#part) — h", "a [b] \\] c", "d/e f.md", "h");
    check("- [T](<a (b).md>) — h", "T", "a (b).md", "h");
    check("- [T](a(1).md \"title\") — h", "T", "a(1).md", "h");
    check("- [a b](a b.md) — d", "a b", "a b.md", "d");
    check("- [h#x](h#x.md) — d", "h#x", "h#x.md", "d");
    check("- [100%](100%.md) — d", "100%", "100%.md", "d");
}

#[test]
fn other_lines_are_not_entries() {
    for line in [
        "",
        "# H",
        "text",
        "- item",
        "- [x]",
        "- [T](http://x/y.md)",
        "- [T](/abs.md)",
        "- [T](pic.png)",
        "[T](f.md)",
        "- see [T](f.md)",
        "- [T(f.md)",
        "- [T](f.md",
    ] {
        assert_eq!(parse_line(line), None, "{line}");
    }
    let index =
        Index::parse("---\n- [a](a.md)\n---\n```\n- [b](b.md)\n```\n<!--\n- [c](c.md)\n-->\n- [d](d.md)\n");
    assert_eq!(
        index.entries().map(|(number, entry)| (number, entry.path.as_str())).collect::<Vec<_>>(),
        [(10, "d.md")]
    );
}

#[test]
fn a_line_is_written_within_its_limit_and_reads_back() {
    let check = |title: &str, path: &str, hook: &str, expected: &str| {
        let line = format_line(title, path, hook);
        assert_eq!(line, expected);
        assert_eq!(parse_line(&line).unwrap().path, path);
    };
    check("T", "f.md", " a\n b ", "- [T](f.md) — a b");
    check("T", "f.md", "", "- [T](f.md)");
    check("a]b", "a (1)#%.md", "h", "- [a\\]b](<a %281%29%23%25.md>) — h");
    check("a [b] c", "f.md", "h", "- [a [b] c](f.md) — h");
    let long = format_line("T", "f.md", &"😀".repeat(200));
    assert!(js_text::units(&long) <= MAX_LINE_UNITS && long.ends_with("😀…"));
}

#[test]
fn lines_are_added_changed_and_removed_in_place() {
    let text = "# Mine\r\n\r\n- [A](a.md): old\r\n- [b](b.md) — b\r\n\r\n## Notes\r\ntext\r\n";
    assert_eq!(add_line(text, "C", "c.md", "c"), text.replace("— b\r\n", "— b\r\n- [C](c.md) — c\r\n"));
    assert_eq!(add_line(text, "A", "a.md", "new"), text);
    assert_eq!(update_line(text, "x", "a.md", "new"), text.replace("- [A](a.md): old", "- [A](a.md) — new"));
    assert_eq!(update_line(text, "C", "c.md", "c"), add_line(text, "C", "c.md", "c"));
    assert_eq!(remove_lines(text, "b.md"), text.replace("- [b](b.md) — b\r\n", ""));
    assert_eq!(rename_lines(text, "b.md", "d/n.md"), text.replace("- [b](b.md)", "- [n](d/n.md)"));
    assert_eq!(rename_lines(text, "a.md", "n.md"), text.replace("- [A](a.md): old", "- [A](n.md) — old"));
    assert_eq!(add_line("", "A", "a.md", ""), "- [A](a.md)\n");
    assert_eq!(add_line("# H", "A", "a.md", ""), "# H\n- [A](a.md)\n");
    assert_eq!(add_line("- [B](b.md)", "A", "a.md", ""), "- [B](b.md)\n- [A](a.md)\n");
}

#[test]
fn what_is_wrong_is_named() {
    let text = format!(
        "# H\n- [A](a.md)\n- [A2](a.md)\n- [G](gone.md)\n- [L](l.md) — {}\nsee [[w]]\n",
        "x".repeat(200)
    );
    let report = examine(&text, &["MEMORY.md", "a.md", "l.md", "w.md", "sub/m.md"]);
    let lines = |notes: &[LineNote]| notes.iter().map(|note| note.line).collect::<Vec<_>>();
    assert_eq!(lines(&report.over_long), [5]);
    assert_eq!(report.over_long[0].units, 214);
    assert_eq!(lines(&report.dangling), [4]);
    assert_eq!(lines(&report.duplicate), [3]);
    assert_eq!(report.missing, ["sub/m.md"]);
    assert!(report.cut.is_empty());
}

#[test]
fn the_lines_behind_the_cut_are_named() {
    let body = "- [a](a.md)\n".repeat(203);
    let report = examine(&format!("---\nx: y\n---\n\n<!-- c -->\n{body}"), &["a.md"]);
    assert_eq!(report.cut.iter().map(|note| note.line).collect::<Vec<_>>(), [206, 207, 208]);
    let report = examine(&format!("{}\nsecond\n", "x".repeat(26_000)), &[]);
    assert_eq!(report.cut.iter().map(|note| note.line).collect::<Vec<_>>(), [2]);
}

#[test]
fn two_lines_that_two_writers_left_become_one_when_they_say_the_same() {
    let text = "- [a](a.md) — old\n- [b](b.md)\n- [a](a.md) — older\n- [mine](a.md) — x\n";
    assert_eq!(
        update_line(text, "a", "a.md", "new"),
        "- [a](a.md) — new\n- [b](b.md)\n- [mine](a.md) — new\n"
    );
}

fn unknown() -> HashMap<String, Timestamp> {
    HashMap::new()
}

#[test]
fn the_oldest_memories_leave_a_full_index_and_the_newest_stay() {
    let second = |at: i64| Timestamp::from_second(at).unwrap();
    let text: String = (0..201).map(|at| format!("- [f{at}](f{at}.md)\n")).collect();
    // The line of the file that this change adds has no time yet.
    let mut modified: HashMap<String, Timestamp> =
        (0..200).map(|at| (format!("f{at}.md"), second(1_000 + i64::from(at)))).collect();
    modified.insert("f7.md".to_owned(), second(1));
    let balanced = balance(&text, None, &modified);
    assert_eq!(balanced.moved_out, ["- [f0](f0.md)", "- [f7](f7.md)"]);
    assert!(balanced.index.starts_with("- [More memories](MEMORY-overflow.md)"));
    assert!(balanced.index.ends_with("- [f200](f200.md)\n"));
}

#[test]
fn what_does_not_fit_moves_to_a_linked_file_and_back() {
    let line = |at: usize| format!("- [f{at}](f{at}.md) — hook\n");
    let text: String = "# H\n\n".to_owned() + &(0..250).map(line).collect::<String>() + "\n## End\n";
    let balanced = balance(&text, None, &unknown());
    assert!(Usage::of(&balanced.index).fits());
    assert_eq!(Usage::of(&balanced.index).lines, 200);
    assert!(balanced.index.contains("- [f193](f193.md) — hook\n- [f194](f194.md) — hook\n- [More memories](MEMORY-overflow.md) — 55 entries that did not fit here\n\n## End\n"));
    assert_eq!(balanced.moved_out.len(), 55);
    let overflow = balanced.overflow.unwrap();
    assert!(overflow.starts_with("# Memories that do not fit into MEMORY.md\n\n- [f195](f195.md) — hook\n"));

    let more = add_line(&balanced.index, "n", "n.md", "new");
    let again = balance(&more, Some(&overflow), &unknown());
    assert!(Usage::of(&again.index).fits() && !again.moved_out.is_empty());
    let all = |index: &str, overflow: &str| {
        Index::parse(&format!("{index}\n{overflow}"))
            .entries()
            .map(|(_, entry)| entry.path.clone())
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(all(&again.index, again.overflow.as_deref().unwrap()).len(), 252);

    let few: String = (0..100).map(line).collect::<String>()
        + "- [More memories](MEMORY-overflow.md) — 1 entries that did not fit here\n";
    let back =
        balance(&few, Some("# Memories that do not fit into MEMORY.md\n\n- [z](z.md) — z\n"), &unknown());
    assert_eq!(back.overflow, None);
    assert_eq!(back.index, (0..100).map(line).collect::<String>() + "- [z](z.md) — z\n");

    let prose = "text\n".repeat(300);
    assert_eq!(balance(&prose, None, &unknown()).index, prose);
}

#[test]
fn both_sides_of_a_merge_are_kept() {
    let check = |base: &str, mine: &str, theirs: &str, expected: &str, conflicts: &[&str]| {
        let merged = merge(base, mine, theirs);
        assert_eq!(merged.text, expected);
        assert_eq!(
            merged.conflicts.iter().map(|conflict| conflict.path.as_str()).collect::<Vec<_>>(),
            conflicts
        );
        assert_eq!(merge(base, theirs, mine), merged);
    };
    check(
        "- [a](a.md)\n",
        "- [a](a.md)\n- [b](b.md)\n",
        "- [a](a.md)\n- [c](c.md)\n",
        "- [a](a.md)\n- [c](c.md)\n- [b](b.md)\n",
        &[],
    );
    check(
        "- [a](a.md)\n- [b](b.md)\n",
        "- [b](b.md)\n",
        "- [a](a.md)\n- [b](b.md) — new\n",
        "- [b](b.md) — new\n",
        &[],
    );
    check(
        "- [a](a.md)\n",
        "- [a](a.md) — x\n",
        "- [a](a.md) — y\n",
        "- [a](a.md) — x\n- [a](a.md) — y\n",
        &["a.md"],
    );
    check("- [a](a.md)\n", "", "- [a](a.md) — y\n", "- [a](a.md) — y\n", &["a.md"]);
    check(
        "# H\n\n- [a](a.md)\n",
        "# H\n\n- [a](a.md)\n\n## New\n- [n](n.md)\n",
        "# H2\n\n- [a](a.md)\n- [z](z.md)\n",
        "# H2\n\n- [a](a.md)\n- [z](z.md)\n\n## New\n- [n](n.md)\n",
        &[],
    );
    check("", "- [a](a.md)\r\n", "- [b](b.md)\r\n", "- [b](b.md)\r\n- [a](a.md)\r\n", &[]);
    check("x", "x\n- [a](a.md)", "x\n- [b](b.md)", "x\n- [b](b.md)\n- [a](a.md)", &[]);
}

fn any_index() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "- \\[[ab]\\]\\([a-f]\\.md\\)( — [xy])?",
        Just("# H".to_owned()),
        Just(String::new()),
        "[uvw]",
    ];
    proptest::collection::vec(line, 0..12)
        .prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
}

proptest! {
    #[test]
    fn a_merge_does_not_depend_on_who_is_called_mine(base in any_index(), mine in any_index(), theirs in any_index()) {
        prop_assert_eq!(merge(&base, &mine, &theirs), merge(&base, &theirs, &mine));
    }

    #[test]
    fn a_merge_with_oneself_or_with_the_base_is_oneself(base in any_index(), mine in any_index()) {
        for (left, right) in [(&mine, &mine), (&mine, &base), (&base, &mine)] {
            prop_assert_eq!(&merge(&base, left, right).text, &mine);
        }
    }

    #[test]
    fn no_line_that_a_side_wrote_is_lost(base in any_index(), mine in any_index(), theirs in any_index()) {
        let merged = merge(&base, &mine, &theirs).text;
        for line in mine.lines().chain(theirs.lines()).filter(|line| !base.lines().any(|old| old == *line)) {
            prop_assert!(merged.lines().any(|kept| kept == line), "{:?} in {:?}", line, merged);
        }
    }

    #[test]
    fn merging_the_merged_again_adds_no_line(base in any_index(), mine in any_index(), theirs in any_index()) {
        let merged = merge(&base, &mine, &theirs).text;
        let again = merge(&mine, &merged, &mine).text;
        prop_assert_eq!(again, merged);
    }

    #[test]
    fn lines_added_at_once_are_those_added_one_by_one(text in any_index(), names in proptest::collection::btree_set("[a-k]", 0..6), end in "(\\n|- x|```\\n)?") {
        let text = format!("{text}{end}");
        let entries = names.iter().map(|name| IndexEntry { title: name.clone(), path: format!("{name}.md"), hook: "h".into() });
        let one_by_one = entries.clone().fold(text.clone(), |text, entry| add_line(&text, &entry.title, &entry.path, &entry.hook));
        prop_assert_eq!(add_lines(&text, entries), one_by_one);
    }

    #[test]
    fn an_index_is_read_without_losing_a_byte(text in "(?s).{0,200}") {
        let index = Index::parse(&text);
        prop_assert_eq!(index.lines.iter().map(|line| line.raw).collect::<String>(), text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn balancing_loses_no_entry(count in 190usize..230, hook in "[a-z]{0,160}") {
        let text: String = (0..count).map(|at| format!("{}\n", format_line("t", &format!("f{at}.md"), &hook))).collect();
        let balanced = balance(&text, None, &unknown());
        prop_assert!(Usage::of(&balanced.index).fits());
        let whole = format!("{}{}", balanced.index, balanced.overflow.unwrap_or_default());
        for at in 0..count {
            let line = format_line("t", &format!("f{at}.md"), &hook);
            prop_assert!(whole.lines().any(|kept| kept == line));
        }
    }
}
