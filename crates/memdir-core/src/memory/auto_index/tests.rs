use serde::Deserialize;

use super::*;
use crate::memory::manifest::client_description;

#[derive(Deserialize)]
struct Golden<Case> {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Generated {
    id: String,
    files: Vec<(String, String)>,
    index: String,
}

fn source(position: usize, path: &str, description: Option<String>) -> IndexSource {
    let modified = Timestamp::from_second(1_000_000 - i64::try_from(position).unwrap() * 10).unwrap();
    IndexSource { path: path.to_owned(), description, modified }
}

#[test]
fn the_generated_index_is_the_clients() {
    let golden: Golden<Generated> = serde_json::from_str(include_str!("testdata/generated.json")).unwrap();
    for case in golden.cases {
        let files = case.files.iter().enumerate().map(|(position, (path, text))| {
            let long = format!("---\nname: nm\ndescription: {}\n---\n", "D".repeat(300));
            let text = if text == "LONG" { &long } else { text };
            source(position, path, client_description(text))
        });
        assert_eq!(generate(files.rev().collect()).unwrap(), case.index, "{}", case.id);
    }
}

#[derive(Deserialize)]
struct Observed {
    id: String,
    n_files: usize,
    lines: usize,
    u16: usize,
    first: Vec<String>,
    last: Vec<String>,
}

#[test]
fn the_observed_limits_hold() {
    let golden: Golden<Observed> = serde_json::from_str(include_str!("testdata/auto_index.json")).unwrap();
    for case in golden.cases {
        let file = |position: usize| match case.id.as_str() {
            "longname" => (format!("{}.md", "n".repeat(200)), "D".repeat(300)),
            "exact" => (format!("{}.md", 125 + position), "x".repeat(125 + position)),
            _ => (format!("f{position:03}.md"), "d".to_owned()),
        };
        let files = (0..case.n_files).map(|position| {
            let (path, description) = file(position);
            source(position, &path, Some(description))
        });
        let text = generate(files.collect()).unwrap();
        assert_eq!((text.lines().count(), js_text::units(&text)), (case.lines, case.u16), "{}", case.id);
        assert_eq!(text.lines().next(), case.first.first().map(String::as_str), "{}", case.id);
        assert_eq!(text.lines().last(), case.last.last().map(String::as_str), "{}", case.id);
    }
}

#[test]
fn nothing_to_list_makes_no_index() {
    assert_eq!(generate(vec![source(0, "logs/x.md", None)]), None);
}

#[test]
fn a_rebuilt_index_keeps_headings_order_and_titles() {
    let text = "# Mine\n\n- [Bee](b.md) — old\n- [gone](gone.md)\n  - [A](a.md): same\n- [Bee](b.md) — again\n\nnote\n- [More memories](MEMORY-overflow.md) — 3 entries that did not fit here\n";
    let files = vec![
        source(0, "new.md", Some("n".into())),
        source(1, "a.md", Some("same".into())),
        source(2, "b.md", Some("bees".into())),
        source(3, "newer/x.md", None),
    ];
    insta::assert_snapshot!(reindex(text, files.clone(), &[]), @r"
    # Mine

    - [Bee](b.md) — bees
      - [A](a.md): same

    note
    - [More memories](MEMORY-overflow.md) — 3 entries that did not fit here
    - [new](new.md) — n
    - [x](newer/x.md)
    ");
    let once = reindex(text, files.clone(), &[]);
    assert_eq!(reindex(&once, files, &[]), once);
}

#[test]
fn the_line_of_a_file_that_cannot_be_read_stays() {
    let text = "- [a](a.md) — kept\n- [b](b.md) — gone\n";
    assert_eq!(reindex(text, Vec::new(), &["a.md"]), "- [a](a.md) — kept\n");
}
