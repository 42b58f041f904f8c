use proptest::prelude::*;

use super::*;

#[test]
fn links_are_found_outside_code() {
    let check = |text: &str, expected: &[&str]| {
        let found = links(text);
        for link in found.iter().filter(|link| link.kind == LinkKind::Wiki) {
            assert_eq!(&text[link.range.clone()], link.target);
        }
        assert_eq!(found.into_iter().map(|link| link.target).collect::<Vec<_>>(), expected, "{text:?}");
    };
    check("see [[a]] and [[ b | label ]], [[c#part]]", &["a", "b", "c"]);
    check("`[[no]]` ``[[no]] ` `` [[yes]] `[[open]]", &["yes", "open"]);
    check("```\nif [[ -f x ]]\n```\n[[yes]]\n~~~~\n[[no]]\n~~~\n[[no]]\n~~~~\n[[z]]", &["yes", "z"]);
    check("[[]] [[ ]] [[a\nb]] [[a[b]] [x]", &[]);
    check(
        "[t](a.md) [t](sub/b%20c.md#part) [t](<d e.md>) [t](f g.md) [t](x(1).md)",
        &["a.md", "sub/b c.md", "d e.md", "f g.md", "x(1).md"],
    );
    check("[t](https://x.y/a.md) [t](/abs.md) [t](pic.png) [t](#here) [t](a.md", &[]);
    check("[[日本|x]] [日](日.md)", &["日本", "日.md"]);
}

#[test]
fn a_link_means_a_name_then_a_stem_then_a_path() {
    let memories = [
        (Some("tabs"), "style.md"),
        (Some("style"), "a/tabs.md"),
        (Some(""), "日本.md"),
        (Some("x"), "b/dup.md"),
        (None, "c/dup.md"),
    ];
    let targets = LinkTargets::new(memories);
    let check = |target: &str, expected: &[usize]| assert_eq!(targets.resolve(target), expected, "{target}");
    check("tabs", &[0]);
    check("style", &[1]);
    check("日本", &[2]);
    check("a/tabs", &[1]);
    check("a/tabs.md", &[1]);
    check("Tabs!", &[0]);
    check("dup", &[3, 4]);
    check("none", &[]);
    check("", &[]);
}

#[test]
fn links_follow_a_rename_and_nothing_else_changes() {
    let renamed = Renamed {
        old_name: Some("old"),
        old_path: "sub/old file.md",
        new_name: "new",
        new_path: "other/new (1).md",
    };
    let check =
        |path: &str, text: &str, expected: &str| assert_eq!(rename_links(text, path, &renamed), expected);
    check(
        "a.md",
        "[[old]] [[old|x]] [[ old#h ]] `[[old]]` [[older]]",
        "[[new]] [[new|x]] [[ new#h ]] `[[old]]` [[older]]",
    );
    check("a.md", "[[old file]] [[sub/old file]]\r\n", "[[new (1)]] [[other/new (1)]]\r\n");
    check(
        "a.md",
        "[t](sub/old%20file.md#h) [t](old%20file.md)",
        "[t](other/new %281%29.md#h) [t](old%20file.md)",
    );
    check(
        "sub/a.md",
        "[t](old file.md) [t](./old%20file.md)",
        "[t](../other/new %281%29.md) [t](../other/new %281%29.md)",
    );
    check("other/x/a.md", "[t](../../sub/old file.md)", "[t](../new %281%29.md)");
    check("a.md", "[t](../../../sub/old file.md)", "[t](../../../sub/old file.md)");
}

proptest! {
    #[test]
    fn a_rename_and_its_reverse_leave_the_text_alone(text in "(\\[\\[old\\]\\]|\\[a\\]\\(old\\.md\\)|[ab`\n\\[\\]()]){0,30}") {
        let there = Renamed { old_name: Some("old"), old_path: "old.md", new_name: "new", new_path: "new.md" };
        let back = Renamed { old_name: Some("new"), old_path: "new.md", new_name: "old", new_path: "old.md" };
        prop_assert_eq!(rename_links(&rename_links(&text, "x.md", &there), "x.md", &back), text);
    }
}
