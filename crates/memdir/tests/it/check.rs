//! `memdir check`.

use insta::assert_snapshot;

use crate::harness::Sandbox;

#[test]
fn a_path_is_allowed_or_denied_with_the_rule() {
    let sandbox = Sandbox::new();
    sandbox.home.dir("memory");
    assert_snapshot!(sandbox.show("check path --root ../../memory --surface local topics/tabs.md"), @r"
    exit 0
    --- stdout
    allow  topics/tabs.md
    ");
    assert_snapshot!(sandbox.show("check path --root ../../memory --surface local ../x.md"), @r"
    exit 1
    --- stdout
    deny   leaves the memory directory
    ");
    assert_snapshot!(sandbox.show("check path --root ../../memory --surface root ~/notes/memory"), @r"
    exit 0
    --- stdout
    allow  [ROOT]/home/notes/memory
    ");
    assert_snapshot!(sandbox.show("check path --root ../../memory --surface project_settings /srv/memory"), @r"
    exit 1
    --- stdout
    deny   a repository's settings file chose it
    ");
}

#[test]
fn lines_are_answered_in_order_whatever_they_are() {
    let mut sandbox = Sandbox::new();
    sandbox.home.dir("memory");
    sandbox.stdin = [
        r#"{"id": 1, "surface": "local", "input": "a.md"}"#,
        "not json",
        "",
        r#"{"id": "two", "surface": "local", "input_b64": "Yf8ubWQ="}"#,
        r#"{"id": 3, "surface": "nowhere", "input": "a.md"}"#,
        r#"{"id": 4, "surface": "root", "input": "/etc"}"#,
    ]
    .join("\n");
    assert_snapshot!(sandbox.show("check path --root ../../memory --jsonl"), @r#"
    exit 0
    --- stdout
    {"v":1,"id":1,"verdict":"allow","why":"a.md"}
    {"v":1,"id":null,"error":"not a JSON object: expected ident at line 1 column 2"}
    {"v":1,"id":"two","verdict":"deny","why":"not UTF-8"}
    {"v":1,"id":3,"error":"there is no surface `nowhere`"}
    {"v":1,"id":4,"verdict":"deny","why":"it belongs to the operating system"}
    "#);
}

/// Every surface of the corpus that needs no file system, through the command line.
#[test]
fn the_corpus_of_hostile_paths_holds_on_the_command_line() {
    let corpus: serde_json::Value =
        serde_json::from_str(include_str!("../../../memdir-core/src/testdata/hostile_paths.json")).unwrap();
    let cases = corpus["cases"].as_array().unwrap().iter().filter(|case| case.get("setup").is_none());
    let (mut questions, mut expected) = (Vec::new(), Vec::new());
    let mut sandbox = Sandbox::new();
    let home = sandbox.home.home();
    let root = sandbox.home.dir("home/.claude/projects/-x/memory");
    for case in cases {
        let mut case = case.clone();
        if let Some(input) = case["input"].as_str() {
            // As many steps up as the home is deep lead to the root, here as in the corpus.
            let up = format!("{home}{}", "/..".repeat(home.components().count() - 1));
            let input = input.replace("/home/u/../..", &up);
            case["input"] = input.replace("/home/u", home.as_str()).into();
        }
        expected
            .push((case["id"].as_str().unwrap().to_owned(), case["expected"].as_str().unwrap().to_owned()));
        questions.push(case.to_string());
    }
    sandbox.stdin = questions.join("\n");
    let block = sandbox.run(["check", "path", "--root", root.as_str(), "--jsonl"]);
    let answered: Vec<(String, String)> = block
        .stdout
        .lines()
        .map(|line| {
            let answer: serde_json::Value = serde_json::from_str(line).unwrap();
            (
                answer["id"].as_str().unwrap().to_owned(),
                answer["verdict"].as_str().unwrap_or("none").to_owned(),
            )
        })
        .collect();
    assert_eq!(answered, expected);
}
