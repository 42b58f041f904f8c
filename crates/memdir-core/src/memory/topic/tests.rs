use proptest::prelude::*;
use serde::Deserialize;

use self::client_rewrite::client_rewrite;
use super::validity::{ALWAYS_VALID, Expiry, Validity};
use super::*;

mod client_rewrite;

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    id: String,
    written: String,
    on_disk: String,
}

#[test]
fn the_oracle_rewrites_as_the_client_was_seen_to() {
    for golden in [include_str!("testdata/frontmatter.json"), include_str!("testdata/rewritten.json")] {
        let golden: Golden = serde_json::from_str(golden).unwrap();
        // The client leaves the memory of custom agents alone, wherever it is.
        let cases = golden.cases.iter().filter(|case| !case.id.contains("/agent-memory/"));
        for case in cases {
            assert_eq!(client_rewrite(&case.written, "$SID", "$NOW"), case.on_disk, "{}", case.written);
        }
    }
}

#[test]
fn every_form_in_the_wild_is_read() {
    let check =
        |text: &str, name: Option<&str>, description: Option<&str>, kind: Option<&str>, body: &str| {
            let (topic, problems) = Topic::parse(text);
            let found = (topic.name.as_deref(), topic.description.as_deref());
            assert_eq!(found, (name, description), "{text:?}");
            assert_eq!(topic.memory_type.as_ref().map(MemoryType::as_str), kind, "{text:?}");
            assert_eq!(&text[topic.body], body, "{text:?}");
            assert_eq!(problems, [], "{text:?}");
        };
    check("just text\n", None, None, None, "just text\n");
    check("", None, None, None, "");
    check("---\nname: x\ndescription: d\ntype: user\n---\n\nb\n", Some("x"), Some("d"), Some("user"), "b\n");
    check("---\nname: x\nmetadata:\n  type: project\n---\nb", Some("x"), None, Some("project"), "b");
    check("---\nmetadata: {type: reference}\n---\nb", None, None, Some("reference"), "b");
    check(
        "---\r\nname: x\r\nmetadata:\r\n  type: user\r\n---\r\n\r\nb\r\n",
        Some("x"),
        None,
        Some("user"),
        "b\r\n",
    );
    check("\u{feff}---\nname: ''\n---\n\n  \n\n  b\n", Some(""), None, None, "  b\n");
}

#[test]
fn the_type_in_metadata_beats_the_one_at_the_top() {
    let (topic, problems) = Topic::parse("---\ntype: feedback\nmetadata:\n  type: user\n---\n");
    assert_eq!((topic.memory_type, problems), (Some(MemoryType::User), vec![]));
}

#[test]
fn problems_are_reported_and_the_rest_is_still_read() {
    let check = |text: &str, expected: &[&str]| {
        let (_, problems) = Topic::parse(text);
        assert_eq!(problems.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
    };
    check(
        "---\nname: 12\ntype: idea\n---\n",
        &["`name` is not text", "`idea` is not one of user, feedback, project, reference"],
    );
    check(
        "---\nname: [unclosed\nmodified: soon\n---\n",
        &["the value of `name` is not valid YAML", "`soon` is not a time"],
    );
    let (topic, _) =
        Topic::parse("---\nname: [unclosed\ndescription: d\nmodified: 2020-01-01T00:00:00.000Z\n---\n");
    assert_eq!((topic.name.as_deref(), topic.description.as_deref()), (Some("[unclosed"), Some("d")));
    assert!(topic.modified.is_some());
    assert_eq!(decode(b"a\xff"), ("a\u{fffd}".into(), Some(Problem::InvalidUtf8)));
}

#[test]
fn huge_and_deep_files_are_read_in_bounded_time() {
    let brackets = "[".repeat(200_000);
    for text in [
        format!("---\nname: x\ndescription: {}\n---\n{}", &brackets[..60_000], brackets.repeat(5)),
        format!("---\n{}", "a:\n ".repeat(20_000)),
        format!("---\nname: x\n---\n{}", "`[[a]] ``[[b]] ".repeat(100_000)),
        "---\n".repeat(200_000),
    ] {
        let _ = Topic::parse(&text);
    }
}

#[test]
fn a_field_is_set_where_the_file_keeps_it() {
    let check = |text: &str, key: &str, value: &str, expected: &str| {
        assert_eq!(set(text, key, value).as_deref(), Ok(expected));
    };
    check("---\ntype: user\n---\n", "type", "project", "---\ntype: project\n---\n");
    check(
        "---\ntype: user\nmetadata:\n  type: a\n---\n",
        "type",
        "project",
        "---\ntype: user\nmetadata:\n  type: project\n---\n",
    );
    check("---\nname: x\n---\n", "type", "user", "---\nname: x\nmetadata:\n  type: user\n---\n");
    check("---\nname: x\n---\n", "name", "New Name", "---\nname: new-name\n---\n");
    check("---\nname: x\n---\nb", "description", "a\n b --- c", "---\nname: x\ndescription: a b — c\n---\nb");
    assert_eq!(
        unset("---\nmetadata:\n  type: a\n  z: 1\n---\n", "type").as_deref(),
        Ok("---\nmetadata:\n  z: 1\n---\n")
    );
}

#[test]
fn names_become_slugs_as_the_client_makes_them() {
    let check = |name, expected| assert_eq!(client_slug(name), expected);
    check("Old Style Name", "old-style-name");
    check("Ünï_Code  Näme!! v2.0 日本", "n-code-n-me-v2-0");
    check("--A--B--", "a-b");
    check("日本", "");
    check("\u{212a}elvin", "kelvin");
}

fn new_topic(name: &str, description: &str, body: &str) -> String {
    let modified = "2026-01-02T03:04:05.678Z".parse().unwrap();
    NewTopic {
        name,
        description,
        memory_type: &MemoryType::Feedback,
        body,
        cues: &[],
        validity: &ALWAYS_VALID,
        modified,
        origin_session: None,
    }
    .render()
}

#[test]
fn a_new_file_has_the_clients_form() {
    insta::assert_snapshot!(new_topic("Use tabs", "tabs: not 'spaces'", "\nUse tabs."), @r#"
    ---
    name: use-tabs
    description: "tabs: not 'spaces'"
    metadata:
      node_type: memory
      type: feedback
      modified: 2026-01-02T03:04:05.678Z
    ---

    Use tabs.
    "#);
}

#[test]
fn cues_are_set_where_the_file_keeps_them() {
    let check = |text: &str, value: &str, expected: &str| {
        let set = set(text, "cues", value).unwrap();
        assert_eq!(set, expected);
        assert_eq!(cues::cues(&set), cues::split(value));
    };
    let head = "---\nname: x\nmetadata:\n  type: user\n";
    check(&format!("{head}---\nb"), "a; b, c", &format!("{head}  cues: [a, \"b, c\"]\n---\nb"));
    let listed = "---\nname: x\nmetadata:\n  cues:\n    - old\n  type: user\n---\nb";
    check(listed, "new", &format!("{head}  cues: [new]\n---\nb"));
    assert_eq!(cues::cues(listed), ["old"]);
    assert_eq!(set(listed, "cues", "").unwrap(), format!("{head}---\nb"));
    assert_eq!(cues::cues("---\ncues: [a, 7]\n---\n"), ["a", "7"]);
    assert_eq!(cues::cues("---\ncues: a, b; c\n---\n"), ["a, b", "c"]);
}

proptest! {
    #[test]
    fn cues_survive_the_clients_rewriting(phrases in proptest::collection::vec("(?s).{0,40}", 0..6)) {
        let modified = "2026-01-02T03:04:05.678Z".parse().unwrap();
        let kind = MemoryType::Feedback;
        let topic = NewTopic {
            name: "x",
            description: "d",
            memory_type: &kind,
            body: "b",
            cues: &phrases,
            validity: &ALWAYS_VALID,
            modified,
            origin_session: None,
        };
        let ours = topic.render();
        let theirs = client_rewrite(&ours, "SESSION", "2026-01-02T03:04:05.678Z");
        prop_assert_eq!(theirs.replacen("  originSessionId: SESSION\n", "", 1), ours.clone());
        prop_assert_eq!(cues::cues(&ours), cues::clean(phrases.clone()));
        // What an agent writes at the top level goes below `metadata`.
        let top = format!("---\nname: x\ncues: [{}]\n---\nb\n", "one, \"two, three\"");
        let moved = client_rewrite(&top, "SESSION", "2026-01-02T03:04:05.678Z");
        prop_assert_eq!(cues::cues(&moved), ["one", "two, three"]);
    }

    #[test]
    fn the_clients_rewriting_adds_a_session_and_changes_the_time_only(
        name in "(?s).{0,30}",
        description in "(?s).{0,60}",
        body in "(?s).{0,100}",
    ) {
        // The client itself keeps only the letters a to z and the digits of a name.
        prop_assume!(header_name(&name) == client_slug(&name));
        let ours = new_topic(&name, &description, &body);
        let theirs = client_rewrite(&ours, "SESSION", "2026-01-02T03:04:05.678Z");
        prop_assert_eq!(theirs.replacen("  originSessionId: SESSION\n", "", 1), ours);
    }

    #[test]
    fn a_new_file_reads_back(name in "[a-zA-Z0-9 ]{0,20}", description in "(?s).{0,60}", body in "[a-z\n]{0,40}") {
        let text = new_topic(&name, &description, &body);
        let (topic, problems) = Topic::parse(&text);
        prop_assert_eq!(problems, vec![]);
        prop_assert_eq!(topic.name.unwrap(), header_name(&name));
        prop_assert_eq!(topic.description.unwrap_or_default(), one_line(&description));
        prop_assert_eq!(topic.memory_type, Some(MemoryType::Feedback));
        let expected = js_text::trim_start(&body);
        prop_assert_eq!(text[topic.body].trim_end(), expected.trim_end());
    }

    #[test]
    fn any_text_is_a_topic(text in "(?s)(---\n)?.{0,200}") {
        let (topic, _) = Topic::parse(&text);
        prop_assert!(text.get(topic.body).is_some());
    }
}

#[test]
fn validity_survives_the_clients_rewriting() {
    let validity = Validity {
        supersedes: vec!["a".into(), "b: c".into()],
        pinned: true,
        expires: Expiry::parse("2026-12-01"),
        when: vec!["Bash(npm install *)".into()],
        block: true,
        branch: Some("feature/x".into()),
        ..Validity::NONE
    };
    let topic = NewTopic {
        name: "x",
        description: "d",
        memory_type: &MemoryType::Feedback,
        body: "b",
        cues: &[],
        validity: &validity,
        modified: "2026-01-02T03:04:05.678Z".parse().unwrap(),
        origin_session: None,
    };
    let ours = topic.render();
    let theirs = client_rewrite(&ours, "SESSION", "2026-01-02T03:04:05.678Z");
    assert_eq!(theirs.replacen("  originSessionId: SESSION\n", "", 1), ours);
    assert_eq!(Validity::of(&theirs), validity);
    let top = "---\nname: x\nsupersedes: a; b\npinned: yes\nexpires: 90d\n---\nb\n";
    let moved = client_rewrite(top, "SESSION", "2026-01-02T03:04:05.678Z");
    assert_eq!(Validity::of(&moved), Validity::of(top));
    assert_eq!(Validity::of(top).supersedes, ["a", "b"]);
}

#[test]
fn every_field_of_validity_is_set_and_removed() {
    let text = "---\nname: x\nmetadata:\n  type: user\n---\nb";
    let marked = set(text, "pinned", "true").unwrap();
    assert_eq!(marked, "---\nname: x\nmetadata:\n  type: user\n  pinned: true\n---\nb");
    assert_eq!(set(&marked, "pinned", "no").unwrap(), text);
    let listed = set(text, "supersedes", "a; b").unwrap();
    assert_eq!(Validity::of(&listed).supersedes, ["a", "b"]);
    assert_eq!(set(&listed, "supersedes", "").unwrap(), text);
    let replaced = validity::set_superseded(text, "new", "2026-11-18".parse().unwrap()).unwrap();
    let now = "2026-11-18T00:00:00Z".parse().unwrap();
    let caution = Validity::of(&replaced).caution(now, now);
    assert_eq!(caution.as_deref(), Some("`new` replaces this memory since 2026-11-18."));
    assert_eq!(validity::clear_superseded(&replaced).unwrap(), text);
}

#[test]
fn an_end_is_a_day_or_a_number_of_days_or_an_event() {
    let written = "2026-01-01T12:00:00Z".parse().unwrap();
    let check = |text: &str, last: Option<&str>| {
        let last = last.map(|day| day.parse().unwrap());
        assert_eq!(Expiry::parse(text).and_then(|end| end.last_day(written)), last, "{text}");
    };
    check("2026-12-01", Some("2026-12-01"));
    check("2026-12-01T10:00:00Z", Some("2026-12-01"));
    check("90d", Some("2026-04-01"));
    check("2 w", Some("2026-01-15"));
    check("until release 2.0", None);
    check("4294967295y", None);
    check("ü", None);
    check("", None);
    let validity = Validity { expires: Expiry::parse("2026-12-01"), ..Validity::NONE };
    let expired = |now: &str| validity.has_expired(written, now.parse().unwrap());
    assert!(!expired("2026-12-01T23:59:00Z") && expired("2026-12-02T00:00:00Z"));
}
