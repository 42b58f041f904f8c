use proptest::prelude::*;

use super::*;

#[test]
fn lines_are_what_they_look_like_only_outside_code_and_comments() {
    let text = "# One #\n```\n# no\n```\n<!-- a\n## no -->\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> b\n=======\n##two\n";
    let kinds: Vec<String> = Outline::of(text)
        .lines
        .iter()
        .map(|line| match line.kind {
            LineKind::Heading { level, title } => format!("{level}{title}"),
            LineKind::Code | LineKind::Comment => "-".into(),
            LineKind::Conflict => "!".into(),
            LineKind::Text => ".".into(),
        })
        .collect();
    assert_eq!(kinds.join(" "), "1One - - - - - ! . ! . ! . .");
}

#[test]
fn a_section_ends_at_the_next_heading_of_its_level() {
    let text = "# A\na\n## B\nb\n### C\nc\n## D\nd\n";
    let found: Vec<_> =
        Outline::of(text).sections().into_iter().map(|section| (section.title, section.body)).collect();
    assert_eq!(found, [("A", 1..8), ("B", 3..6), ("C", 5..6), ("D", 7..8)]);
}

#[test]
fn cells_are_read_with_and_without_outer_bars() {
    let check = |row: &str, expected: &[&str]| {
        let text = format!("| a | b |\n|---|:-:|\n{row}\n");
        let tables = Outline::of(&text).tables(0..3);
        let cells: Vec<&str> = tables[0].rows[0].cells.iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(cells, expected, "{row}");
    };
    check("| x | y |", &["x", "y"]);
    check("x | y", &["x", "y"]);
    check("| x \\| z | y", &["x | z", "y"]);
    check("| | y |", &["", "y"]);
    check("| x", &["x"]);
    check("| x | y | z |", &["x", "y", "z"]);
}

#[test]
fn one_cell_changes_and_the_rest_of_the_row_stays() {
    let check = |row: &str, column: usize, expected: &str| {
        let text = format!("|a|b|c|\n|-|-|-|\n{row}");
        let outline = Outline::of(&text);
        let tables = outline.tables(0..outline.lines.len());
        let changed = outline.set_cell(&tables[0].rows[0], column, "n|w");
        assert_eq!(changed, format!("|a|b|c|\n|-|-|-|\n{expected}"));
    };
    check("|  x  |y|z|\n", 0, "|  n\\|w  |y|z|\n");
    check("|x||z|", 1, "|x| n\\|w |z|");
    check("| x |\r\n", 2, "| x |  | n\\|w |\r\n");
    check("| x", 1, "| x | n\\|w |");
}

#[test]
fn the_marks_around_a_cell_are_not_its_content() {
    for cell in ["shop", "`shop`", "**shop**", "[shop](x)", "**[`shop`](x)**"] {
        assert_eq!(plain(cell), "shop", "{cell}");
    }
}

proptest! {
    #[test]
    fn lines_hold_every_byte(text in "(\\PC|\n|\r|\\||#|`){0,80}") {
        let outline = Outline::of(&text);
        let joined: String = outline.lines.iter().flat_map(|line| [line.text, line.ending]).collect();
        prop_assert_eq!(&joined, &text);
        prop_assert_eq!(outline.without(|_| false), text);
    }

    #[test]
    fn an_inserted_line_leaves_all_others_alone(text in "([a-z#|` ]{0,6}(\n|\r\n)){0,6}[a-z]{0,3}", at in 0usize..8) {
        let outline = Outline::of(&text);
        let at = (!outline.lines.is_empty()).then(|| at % outline.lines.len());
        let changed = outline.insert_after(at, &["NEW".to_owned()]);
        let lines: Vec<&str> = changed.lines().filter(|line| *line != "NEW").collect();
        prop_assert_eq!(lines, text.lines().collect::<Vec<_>>());
        prop_assert_eq!(changed.ends_with('\n') || text.is_empty(), text.ends_with('\n') || text.is_empty());
    }

    #[test]
    fn what_is_put_into_a_cell_reads_back(value in "\\PC{0,12}") {
        let text = format!("|a|\n|-|\n| {} |\n", escape_cell(&value));
        let outline = Outline::of(&text);
        let expected = value.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(&outline.tables(0..3)[0].rows[0].cells[0].text, &expected);
    }
}
