use super::*;
use proptest::prelude::*;
use serde_json::json;

fn set(text: &str, path: &[&str], value: &Value) -> String {
    Jsonc::parse(text).unwrap().set(path, value).unwrap()
}

fn remove(text: &str, path: &[&str]) -> Option<String> {
    Jsonc::parse(text).unwrap().remove(path).unwrap()
}

#[test]
fn a_member_is_added_as_its_neighbours_are_written() {
    let check =
        |text: &str, expected: &str| assert_eq!(set(text, &["b", "c"], &json!([1])), expected, "{text}");
    let member = "{\n  \"b\": {\n    \"c\": [\n      1\n    ]\n  }\n}";
    check("", &format!("{member}\n"));
    check("\n// mine\n", &format!("\n// mine\n{member}\n"));
    check("{}", member);
    check("{ }\n", &format!("{member}\n"));
    check("{\n\t\"a\": 1\n}\n", "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": [\n\t\t\t1\n\t\t]\n\t}\n}\n");
    check(
        "{\r\n    \"a\": 1 // one\r\n}",
        "{\r\n    \"a\": 1, // one\r\n    \"b\": {\r\n        \"c\": [\r\n            1\r\n        ]\r\n    }\r\n}",
    );
    check("{\"a\": 1}", "{\"a\": 1, \"b\": {\"c\":[1]}}");
    check("{\n  \"a\": 1,\n}", "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      1\n    ]\n  },\n}");
    check("{\n  \"b\": {}\n}", member);
    check(
        "{\n  \"b\": {\n    // none yet\n  }\n}",
        "{\n  \"b\": {\n    // none yet\n    \"c\": [\n      1\n    ]\n  }\n}",
    );
    check("{\"b\": {\"c\": 5}}", "{\"b\": {\"c\": [\n  1\n]}}");
    check(
        "{\"b\": 1, \"b\": {\"c\": 5, /* x */ \"c\": 6}}",
        "{\"b\": 1, \"b\": {\"c\": 5, /* x */ \"c\": [\n  1\n]}}",
    );
    check("\u{feff}{}", &format!("\u{feff}{member}"));
}

#[test]
fn a_member_is_removed_with_its_line_and_its_comma() {
    let check =
        |text: &str, expected: &str| assert_eq!(remove(text, &["b"]).as_deref(), Some(expected), "{text}");
    check("{\n  \"a\": 1, // one\n  \"b\": {\n    \"c\": 1\n  }\n}\n", "{\n  \"a\": 1 // one\n}\n");
    check("{\n  \"b\": 2,\n  // about a\n  \"a\": 1\n}\n", "{\n  // about a\n  \"a\": 1\n}\n");
    check("{\"a\":1, \"b\":2}", "{\"a\":1}");
    check("{\"a\":1, \"b\":2, \"c\":3}", "{\"a\":1, \"c\":3}");
    check("{\"b\":2}", "{}");
    check("{\n  \"b\": 2\n}\n", "{}\n");
    check("{\n  // mine\n  \"b\": 2\n}\n", "{\n  // mine\n}\n");
    check("{\n  \"a\": 1,\n  \"b\": 2,\n}\n", "{\n  \"a\": 1,\n}\n");
    check("{\"b\": 1, \"a\": 0, \"b\": 2}", "{\"a\": 0}");
    check("{\"a\": 1 /* x */, /* y */ \"b\": 2}", "{\"a\": 1 /* x */ /* y */ }");
    assert_eq!(remove("{\"a\": {}}", &["a", "b"]), None);
    assert_eq!(remove("{\"a\": 1}", &["a", "b"]), None);
    assert_eq!(remove("", &["a"]), None);
}

#[test]
fn an_item_is_added_to_a_list_and_taken_back() {
    let check = |text: &str, expected: &str| {
        let new = Jsonc::parse(text).unwrap().push(&["a"], &json!({"x": 1})).unwrap();
        assert_eq!(new, expected);
        let again = Jsonc::parse(&new).unwrap();
        let count = again.get(&["a"]).unwrap().as_array().unwrap().len();
        let back = again.remove_item(&["a"], count - 1).unwrap().unwrap();
        let normal = |text: &str| Jsonc::parse(text).unwrap().to_value();
        if count > 1 {
            assert_eq!(back, text);
        }
        assert_eq!(normal(&back)["a"].as_array().map_or(0, Vec::len), count - 1);
        assert_eq!(again.remove_item(&["a"], count).unwrap(), None);
    };
    check("{}", "{\n  \"a\": [\n    {\n      \"x\": 1\n    }\n  ]\n}");
    check("{\"a\": [1]}", "{\"a\": [1, {\"x\":1}]}");
    check("{\"a\": [\n  1, // one\n]}", "{\"a\": [\n  1, // one\n  {\n    \"x\": 1\n  },\n]}");
    check("{\"a\": [ /* none */ ]}", "{\"a\": [ /* none */\n  {\n    \"x\": 1\n  }\n]}");
    let error = Jsonc::parse("{\"a\": {}}").unwrap().push(&["a"], &json!(1)).unwrap_err();
    assert_eq!(error.to_string(), "`a` in it is not a list");
}

#[test]
fn what_is_not_understood_is_refused() {
    let check = |text: &str, message: &str| {
        let error = Jsonc::parse(text).and_then(|read| read.set(&["a", "b"], &json!(1))).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    };
    check("[]", "what it holds is not an object");
    check("{\"a\": null}", "`a` in it is not an object");
    check("{\n\"a\" 1}", "it is not JSON: line 2: expected a colon");
    check("{\"a\": 1 \"b\": 2}", "it is not JSON: line 1: a comma is missing");
    check("{\"a\": 1} x", "it is not JSON: line 1: there is text after the end");
    check("{\"a\": 'x'}", "it is not JSON: line 1: expected a value");
    check("{\"a\": 1, /* ", "it is not JSON: line 1: a comment does not end");
    check("{\"a", "it is not JSON: line 1: a text does not end");
    check("{\"a\": 01}", "it is not JSON: line 1: expected a value");
    check("{,}", "it is not JSON: line 1: expected a key in quotes");
    check(&"[".repeat(1_000_000), "it is not JSON: line 1: it nests too deep");
    check("<<<<<<< HEAD\n{}", "it is not JSON: line 1: expected a value");
}

#[test]
fn strict_readers_are_warned_about() {
    let line = |text: &str| Jsonc::parse(text).unwrap().lenient_line();
    assert_eq!(line("{\"a\": \"// none\"}"), None);
    assert_eq!(line("{\n\"a\": [1,\n]}"), Some(2));
    assert_eq!(line("{\n\"a\": 1\n}\n// end"), Some(4));
}

fn document() -> impl Strategy<Value = String> {
    let trivia =
        prop_oneof![Just(""), Just(" "), Just("\n  "), Just(" // c\n"), Just("/* x */"), Just("\r\n\t")];
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("\"é\\n\"".to_owned()),
        Just("null".to_owned()),
        Just("[1, 2,]".to_owned())
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let member = (
            trivia.clone(),
            prop_oneof![Just("a"), Just("b"), Just("c")],
            trivia.clone(),
            inner,
            trivia.clone(),
        );
        (proptest::collection::vec(member, 0..4), any::<bool>()).prop_map(|(members, trailing)| {
            let mut text = "{".to_owned();
            let count = members.len();
            for (number, (before, key, middle, value, after)) in members.into_iter().enumerate() {
                let comma = if number + 1 < count || trailing { "," } else { "" };
                text.push_str(&format!("{before}\"{key}\":{middle}{value}{after}{comma}"));
            }
            text.push('}');
            text
        })
    })
}

proptest! {
    #[test]
    fn every_edit_says_what_it_should_and_can_be_taken_back(text in document(), path in proptest::sample::subsequence(vec!["a", "b", "new"], 1..3)) {
        let read = Jsonc::parse(&text).unwrap();
        if let Ok(new) = read.set(&path, &json!({"x": [1, {"y": "z"}]})) {
            let again = Jsonc::parse(&new).unwrap();
            prop_assert_eq!(again.get(&path), Some(json!({"x": [1, {"y": "z"}]})));
            if path == ["new"] {
                let back = again.remove(&path).unwrap().unwrap();
                prop_assert_eq!(Jsonc::parse(&back).unwrap().to_value(), read.to_value());
            }
        }
        prop_assert!(read.remove(&path).is_ok());
    }

    #[test]
    fn nothing_makes_it_panic(text in "[\\PC\n\"\\\\{}\\[\\]:,/*]{0,60}") {
        if let Ok(read) = Jsonc::parse(&text) {
            let _ = read.set(&["a", "b"], &json!(1));
            let _ = read.remove(&["a"]);
        }
    }
}
