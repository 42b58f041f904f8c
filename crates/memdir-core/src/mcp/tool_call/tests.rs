use serde_json::json;

use super::*;

fn parsed(name: &str, arguments: Value) -> Result<Option<ToolCall>, String> {
    ToolCall::parse(name, arguments.as_object().unwrap().clone())
}

#[test]
fn what_a_tool_is_given_is_understood_or_explained() {
    let check = |name: &str, arguments: Value, expected: ToolCall| {
        assert_eq!(parsed(name, arguments), Ok(Some(expected)));
    };
    let search = |limit, within: Option<&str>| ToolCall::Search {
        query: "retry".to_owned(),
        limit,
        within: within.map(str::to_owned),
    };
    check("search", json!({"query": "retry"}), search(10, None));
    check("search", json!({"query": "retry", "limit": 3.0, "in": "all"}), search(3, Some("all")));
    check("search", json!({"query": "retry", "limit": 9_999, "in": null}), search(50, None));
    check("search", json!({"query": "retry", "limit": "7"}), search(7, None));
    let named = |from| ToolCall::Read { what: Readable::Named("tabs".to_owned()), from };
    check("read", json!({"name": "tabs"}), named(1));
    check("read", json!({"name": "tabs", "from": 1_200}), named(1_200));
    let uri = ToolCall::Read { what: Readable::Uri(MemoryUri::Memory("a b.md".to_owned())), from: 1 };
    check("read", json!({"uri": "memory://memories/a%20b.md"}), uri.clone());
    check("read", json!({"name": "memory://memories/a%20b.md"}), uri);
    let change = EditChange::Text { old: "a".to_owned(), new: String::new() };
    check(
        "edit",
        json!({"name": "t", "old": "a", "new": ""}),
        ToolCall::Edit { name: "t".to_owned(), change },
    );
    let change = EditChange::Field { field: "type".to_owned(), value: None };
    check("edit", json!({"name": "t", "field": "type"}), ToolCall::Edit { name: "t".to_owned(), change });
    let progress = JournalAction::Progress {
        words: Some("60%".to_owned()),
        steps: vec!["a".to_owned()],
        check: vec!["1".to_owned()],
    };
    let arguments = json!({"action": "progress", "title": "60%", "steps": ["a"], "check": [1]});
    check("journal", arguments, ToolCall::Journal(progress));
    check("sessions", json!({}), ToolCall::ListSessions { limit: 20 });
}

#[test]
fn what_is_wrong_is_said_in_the_words_of_the_schema() {
    let check = |name: &str, arguments: Value, expected: &str| {
        assert_eq!(parsed(name, arguments).unwrap_err(), expected);
    };
    check("search", json!({}), "`query` is missing");
    check("search", json!({"query": " "}), "`query` is missing");
    check("search", json!({"query": ["a"]}), "`query` must be a text");
    check("search", json!({"query": "a", "limit": -1}), "`limit` must be a whole number");
    check("search", json!({"query": "a", "limit": 1.5}), "`limit` must be a whole number");
    check("search", json!({"query": "a", "limit": 0}), "`limit` must be 1 or more");
    check("sessions", json!({"limit": "0"}), "`limit` must be 1 or more");
    check("read", json!({"name": "a", "from": 0}), "`from` must be 1 or more");
    let types = "`type` must be user, feedback, project or reference";
    check("save", json!({"name": "a", "description": "d", "type": "odd", "text": "t"}), types);
    check("edit", json!({"name": "a", "field": "type", "value": "odd"}), types);
    let many = vec!["step"; 101];
    check(
        "journal",
        json!({"action": "progress", "steps": many}),
        "`steps` holds 101 texts; 100 are taken at once",
    );
    check("forget", json!({"name": "a", "dry_run": true}), "there is no use for `dry_run` here");
    check("read", json!({}), "give the `name` or the `uri` of a memory");
    check("read", json!({"uri": "file:///etc/passwd"}), "this is not a memory:// address");
    check(
        "edit",
        json!({"name": "a", "old": "", "new": "x"}),
        "give `old` and `new`, or `field` and `value`",
    );
    check("edit", json!({"name": "a", "old": "x"}), "give `old` and `new`, or `field` and `value`");
    check("sessions", json!({"around": "x"}), "`around` needs the `id` of a session");
    check("journal", json!({"action": "progress", "steps": "a"}), "`steps` must be a list of texts");
    assert!(parsed("journal", json!({"action": "explode"})).is_err());
    assert_eq!(parsed("explode", json!({})), Ok(None));
}
