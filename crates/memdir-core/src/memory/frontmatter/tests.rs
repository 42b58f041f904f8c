use proptest::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Deserialize)]
struct Quoting {
    cases: Vec<(String, String)>,
}

#[test]
fn values_are_quoted_as_the_client_quotes_them() {
    let golden: Quoting = serde_json::from_str(include_str!("testdata/quoting.json")).unwrap();
    assert!(golden.cases.len() > 200);
    for (text, written) in golden.cases {
        assert_eq!(quoted(&text), written, "{text:?}");
        let file = format!("---\nk: {written}\n---\n");
        assert_eq!(value(&file, "k"), json!(text), "{text:?}");
    }
}

fn value(text: &str, key: &str) -> Value {
    Frontmatter::parse(text).0.unwrap().value(key).unwrap().0
}

#[test]
fn values_are_read_in_every_form() {
    let check = |written: &str, expected: Value| {
        assert_eq!(value(&format!("---\nk: {written}\nz: 1\n---\n"), "k"), expected, "{written}");
    };
    check("plain text", json!("plain text"));
    check("a # comment", json!("a"));
    check("a#b", json!("a#b"));
    check("# only a comment", json!(null));
    check("'it''s'", json!("it's"));
    check("'a' # c", json!("a"));
    check(r#""a\tb \u00e9 \"q\"""#, json!("a\tb é \"q\""));
    check("yes", json!("yes"));
    check("true", json!(true));
    check("~", json!(null));
    check("12", json!(12));
    check("1.5", json!(1.5));
    check("2020-01-01", json!("2020-01-01"));
    check("[a, 'b'] # c", json!(["a", "b"]));
    check("{a: 1}", json!({"a": 1}));
    check("|\n  one\n  two", json!("one\ntwo\n"));
    check(">-\n  one\n  two", json!("one two"));
    check("one\n  two", json!("one two"));
    check("\n  - a\n  - b", json!(["a", "b"]));
    check("\n- a\n- b", json!(["a", "b"]));
}

#[test]
fn what_is_not_yaml_is_text_and_reported() {
    let check = |written: &str| {
        let text = format!("---\nk: {written}\n---\n");
        let (fields, _) = Frontmatter::parse(&text);
        let (value, problem) = fields.unwrap().value("k").unwrap();
        assert_eq!(value, json!(written), "{written}");
        assert_eq!(problem, Some(Problem::BrokenValue { key: "k".into() }), "{written}");
    };
    check("[unclosed");
    check("{unclosed");
    check("\"unclosed");
    check("'unclosed");
    check("\"bad \\q escape\"");
    check("has: a colon");
    check("*star");
    check("&anchor");
    check("!bang");
    check("@at");
    check(&"[".repeat(5000));
    check(&format!("{}x", "{a: ".repeat(2000)));
}

#[test]
fn problems_name_what_is_wrong() {
    let check = |text: &str, expected: &[&str]| {
        let (_, problems) = Frontmatter::parse(text);
        let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{text:?}");
    };
    check("---\nname: x\n", &["the frontmatter is never closed"]);
    check("---\nname: x\nbad\n---\n", &["line 3 of the frontmatter is not understood"]);
    check("---\na: 1\nmetadata:\n  b: 2\n  bad\n---\n", &["line 5 of the frontmatter is not understood"]);
    check(
        "---\na: 1\na: 2\nmetadata:\n  a: 3\n  b: 1\n  b: 1\n---\n",
        &["`a` appears more than once", "`metadata.b` appears more than once"],
    );
    check("---\na: x --- y\n---\n", &["`---` inside the frontmatter ends it for the client"]);
    check("no frontmatter\n", &[]);
    check(" ---\na: 1\n---\n", &[]);
    check(
        &format!("---\na: {}\n---\n", "x".repeat(MAX_FRONTMATTER_BYTES)),
        &["the frontmatter is never closed"],
    );
}

#[test]
fn one_field_is_set_and_nothing_else_changes() {
    let check = |text: &str, key: &str, new: &str, expected: &str| {
        assert_eq!(set(text, key, new).as_deref(), Ok(expected), "{text:?} {key}");
        assert_eq!(value(expected, key), json!(new), "{expected:?}");
    };
    check(
        "---\nname: x # c\nother: [a,  b]\n---\nb",
        "name",
        "yy",
        "---\nname: yy # c\nother: [a,  b]\n---\nb",
    );
    check("---\r\nname: x\r\n---\r\nb\r\n", "name", "yy", "---\r\nname: yy\r\n---\r\nb\r\n");
    check("---\r\nname: x\r\n---\r\nb", "description", "d", "---\r\nname: x\r\ndescription: d\r\n---\r\nb");
    check("\u{feff}---\nname: x\n---\n", "name", "y: z", "\u{feff}---\nname: \"y: z\"\n---\n");
    check("---\nname:\n---\n", "name", "yy", "---\nname: yy\n---\n");
    check("---\nname:   \n---\n", "name", "yy", "---\nname: yy   \n---\n");
    check("---\nd: |\n  one\n  two\ne: 1\n---\n", "d", "x", "---\nd: x\ne: 1\n---\n");
    check("---\nd:\n  - one\n\n  - two\n# c\ne: 1\n---\n", "d", "x", "---\nd: x\n# c\ne: 1\n---\n");
    check("---\na: 1\na: 2\n---\n", "a", "x", "---\na: 1\na: x\n---\n");
    check(
        "---\nmetadata:\n  # c\n  type: user # t\n  z: 1\n---\n",
        "metadata.type",
        "project",
        "---\nmetadata:\n  # c\n  type: project # t\n  z: 1\n---\n",
    );
    check(
        "---\nmetadata:\n\tz: 1\nend: 2\n---\n",
        "metadata.type",
        "user",
        "---\nmetadata:\n\tz: 1\n\ttype: user\nend: 2\n---\n",
    );
    check(
        "---\nmetadata: {type: user, k: 2}\n---\n",
        "metadata.type",
        "a, b",
        "---\nmetadata: {type: \"a, b\", k: 2}\n---\n",
    );
    check(
        "---\nmetadata: {k: 2}\n---\n",
        "metadata.type",
        "user",
        "---\nmetadata: {type: user, k: 2}\n---\n",
    );
    check("---\nmetadata: {}\n---\n", "metadata.type", "user", "---\nmetadata: {type: user}\n---\n");
    check("---\nmetadata:\n---\n", "metadata.type", "user", "---\nmetadata:\n  type: user\n---\n");
    check("---\nname: x\n---\n", "metadata.type", "user", "---\nname: x\nmetadata:\n  type: user\n---\n");
    check("---\nb: 1\nmetadata:\n  x: 1\n---\n", "a", "v", "---\nb: 1\na: v\nmetadata:\n  x: 1\n---\n");
    check("---\n b: 1\n---\n", "a", "v", "---\n b: 1\n a: v\n---\n");
    check("---\n---\nb", "name", "x", "---\nname: x\n---\nb");
    check("body\r\nmore\r\n", "name", "x", "---\r\nname: x\r\n---\r\n\r\nbody\r\nmore\r\n");
    check("", "metadata.type", "user", "---\nmetadata:\n  type: user\n---\n");
    check("---\nname: x\n---\n", "name", "a --- b", "---\nname: \"a --\\x2d b\"\n---\n");
}

#[test]
fn an_edit_that_would_touch_more_is_refused() {
    let check = |text: &str, key: &str, expected: &str| {
        assert_eq!(set(text, key, "v").unwrap_err().to_string(), expected);
    };
    check("---\nname: x\n", "name", "the frontmatter is never closed");
    check("---\nmetadata:\n  a: 1\n---\n", "metadata", "`metadata` holds other fields");
    check("---\nmetadata: foo\n---\n", "metadata.a", "`metadata` holds no fields");
    check("", "a: b", "`a: b` cannot be a field's name");
    check("", "metadata.", "`metadata.` cannot be a field's name");
}

#[test]
fn a_field_is_removed_with_its_lines() {
    let check =
        |text: &str, key: &str, expected: &str| assert_eq!(remove(text, key).as_deref(), Ok(expected));
    check("---\na: 1\nb: |\n  x\n  y\nc: 3\n---\n", "b", "---\na: 1\nc: 3\n---\n");
    check("---\nmetadata:\n  a: 1\n  b: 2\n---\n", "metadata.b", "---\nmetadata:\n  a: 1\n---\n");
    check("---\nmetadata: {a: 1, b: 2, c: 3}\n---\n", "metadata.b", "---\nmetadata: {a: 1, c: 3}\n---\n");
    check("---\nmetadata: {a: 1, b: 2}\n---\n", "metadata.b", "---\nmetadata: {a: 1}\n---\n");
    check("---\na: 1\n---\n", "b", "---\na: 1\n---\n");
    check("body", "b", "body");
}

#[test]
fn the_head_of_a_longer_file_shows_its_fields() {
    let (fields, _) = Frontmatter::parse_head("---\nname: x\ndescription: cut of");
    assert_eq!(fields.unwrap().value("name").unwrap().0, json!("x"));
}

prop_compose! {
    fn any_frontmatter()(
        lines in proptest::collection::vec("(#? ?[a-c]{1,2}: ?('?[a-z ]{0,6}'?|\\[a\\]|\\|)?( # c)?|  - a|  [a-c]: 1|metadata:|x?)", 0..12),
        line_end in prop_oneof![Just("\n"), Just("\r\n")],
        body in "(?s).{0,40}",
    ) -> String {
        let inner: String = lines.iter().map(|line| format!("{line}{line_end}")).collect();
        format!("---{line_end}{inner}---{line_end}{body}")
    }
}

proptest! {
    #[test]
    fn what_is_set_reads_back_and_setting_it_again_changes_nothing(
        text in any_frontmatter(),
        key in prop_oneof![Just("name"), Just("a"), Just("metadata.type"), Just("metadata.a")],
        new in "(?s).{0,30}",
    ) {
        if let Ok(changed) = set(&text, key, &new) {
            prop_assert_eq!(value(&changed, key), json!(new.clone()));
            prop_assert_eq!(set(&changed, key, &new).unwrap(), changed);
        }
    }

    #[test]
    fn setting_one_field_leaves_the_rest_byte_for_byte(text in any_frontmatter(), new in "[a-z]{0,8}") {
        if let Ok(changed) = set(&text, "a", &new) {
            let (before, after) = (Frontmatter::parse(&text).0.unwrap(), Frontmatter::parse(&changed).0.unwrap());
            let others = |fields: &Frontmatter<'_>| -> String {
                let last = fields.fields.iter().rposition(|field| field.key == "a");
                let lines = last.map_or(0..0, |at| fields.fields[at].lines.clone());
                format!("{}{}", &fields.text[..lines.start], &fields.text[lines.end..])
            };
            if before.value("a").is_some() {
                prop_assert_eq!(others(&before), others(&after));
            } else {
                prop_assert_eq!(&text, &others(&after));
            }
        }
    }

    #[test]
    fn any_text_is_read(text in "(---\n)?(?s).{0,200}") {
        if let (Some(fields), _) = Frontmatter::parse(&text) {
            for key in fields.keys() {
                let _ = fields.value(&key);
            }
        }
    }
}
