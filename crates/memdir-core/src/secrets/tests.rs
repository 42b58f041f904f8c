use proptest::prelude::*;

use super::*;

/// A case of the tables: made up, like every value in them.
#[derive(serde::Deserialize)]
struct Case {
    id: String,
    label: String,
    text: String,
    secret: Option<String>,
}

fn cases(table: &str) -> Vec<Case> {
    table.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether a finding is inside the secret, or around it.
fn finds(case: &Case) -> bool {
    let secret = case.secret.as_deref().unwrap();
    let start = case.text.find(secret).unwrap();
    scan(&case.text)
        .iter()
        .any(|finding| finding.range.start < start + secret.len() && start < finding.range.end)
}

#[test]
fn every_expression_of_the_table_compiles_and_every_rule_has_a_keyword() {
    for rule in &KEYWORDS.rules {
        assert!(rule.compiles(), "{}", rule.rule.name);
        assert!(rule.rule.keywords.iter().all(|word| word.len() > 1), "{}", rule.rule.name);
    }
}

#[test]
fn a_clean_text_compiles_no_expression() {
    let keywords = Keywords::new();
    let text =
        "The password is stored in the vault; tokens are rotated. See https://acme.test/keys and path/to/x.";
    assert!(find_ranges(&keywords, text).is_empty());
    assert_eq!(keywords.rules.iter().filter(|rule| rule.is_compiled()).count(), 0);
    assert_eq!(find_ranges(&keywords, "AKIAQ7KXW2MD5TLZ3BVN").len(), 1);
    assert_eq!(keywords.rules.iter().filter(|rule| rule.is_compiled()).count(), 1);
}

#[test]
fn precision_and_recall_on_the_corpus() {
    let (mut right, mut wrong, mut missed) = (0.0, 0.0, 0.0);
    let mut report = Vec::new();
    for case in cases(include_str!("testdata/corpus.jsonl")) {
        let (secret, found) = (case.label == "secret", !scan(&case.text).is_empty());
        match (secret, secret && finds(&case)) {
            (true, true) => right += 1.0,
            (true, false) => missed += 1.0,
            (false, _) if found => wrong += 1.0,
            _ => continue,
        }
        if secret != found {
            report.push(case.id);
        }
    }
    let (precision, recall) = (right / (right + wrong), right / (right + missed));
    assert!(precision >= 0.99 && recall >= 0.97, "precision {precision}, recall {recall}: {report:?}");
}

#[test]
fn every_secret_of_our_own_table_is_found_once() {
    let missed: Vec<String> = cases(include_str!("testdata/secrets.jsonl"))
        .into_iter()
        .filter(|case| !finds(case) || scan(&case.text).len() != 1)
        .map(|case| case.id)
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn every_look_alike_of_our_own_table_is_left_alone() {
    let wrong: Vec<String> = cases(include_str!("testdata/look_alikes.jsonl"))
        .into_iter()
        .filter(|case| !scan(&case.text).is_empty())
        .map(|case| format!("{}: {}", case.id, case.text))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn redacting_leaves_nothing_to_find() {
    let tables = [include_str!("testdata/secrets.jsonl"), include_str!("testdata/corpus.jsonl")];
    for case in tables.into_iter().flat_map(cases).filter(|case| case.label == "secret") {
        let (redacted, findings) = redact(&case.text);
        let again: Vec<_> = scan(&redacted);
        assert!(again.is_empty(), "{}: {redacted} {again:?}", case.id);
        for finding in findings {
            assert!(!redacted.contains(&case.text[finding.range]), "{}: {redacted}", case.id);
        }
    }
}

#[test]
fn a_value_found_once_is_taken_out_everywhere() {
    let text = "db_password = \"Vq8!tzLm2#\"\nlater: run it with Vq8!tzLm2# again\n";
    let (redacted, findings) = redact(text);
    assert_eq!(
        redacted,
        "db_password = \"[redacted:password]\"\nlater: run it with [redacted:password] again\n"
    );
    assert_eq!(findings.len(), 1);
}

#[test]
fn a_finding_says_where_and_never_what() {
    let text = "# Notes\n\n密码是「Vq8!tzLm2#」。\n";
    let findings = scan(text);
    assert_eq!(format!("{}", findings[0]), "3:5: password");
    assert_eq!(serde_json::to_string(&findings).unwrap(), r#"[{"rule":"password","line":3,"column":5}]"#);
    assert!(!format!("{findings:?}").contains("Vq8"));
}

#[test]
fn an_allowed_value_is_not_reported() {
    let text = "token: Zk3vQ9xW7bN2mL5pR8tY\npassword: Vq8!tzLm2#\n";
    let key = FingerprintKey::new([3; 32]);
    let allowed = AllowList::new(key.clone(), [Fingerprint::of("Zk3vQ9xW7bN2mL5pR8tY", &key)]);
    let findings = scan_except(text, &allowed);
    assert_eq!(findings.iter().map(ToString::to_string).collect::<Vec<_>>(), ["2:11: password"]);
    assert_eq!(
        redact_findings(text, &findings),
        "token: Zk3vQ9xW7bN2mL5pR8tY\npassword: [redacted:password]\n"
    );
}

/// Texts that would take for ever if a keyword could look as far as it liked.
#[test]
fn hostile_texts_are_read_to_their_end() {
    let units = [
        "\"",
        "'",
        "`",
        "password=",
        "password: \"",
        "eyJ-",
        "sk-",
        "ghp_",
        "://",
        "a:b@",
        "://a:",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "key ",
        "密码是",
        ":AA",
        ".atlasv1.",
        "-us",
        "token is ",
        "machine ",
        "cookie:",
        "(",
        "<password>",
        "\\n",
        "pass",
        "x",
        "M",
        "AAAA",
        "[redacted:",
        "password\n",
        "\u{301}",
        "mysql ",
        "\"kty\"",
    ];
    for unit in units {
        let text = unit.repeat(60_000 / unit.len());
        let (redacted, findings) = redact(&text);
        assert!(redacted.len() <= text.len() + findings.len() * 64, "{unit}");
    }
}

fn fragment() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "password",
        "token",
        "api_key",
        " is ",
        "=",
        ": ",
        "\"",
        "'",
        "`",
        "「",
        "」",
        "：",
        "，",
        "\n",
        "\\n",
        "://",
        "@",
        "user:",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "ghp_",
        "AKIA",
        "sk-ant-",
        "密码",
        "пароль",
        "<",
        ">",
        "(",
        ")",
        "${X}",
        "Bearer ",
        "eyJ",
        ".",
        "=>",
        "|",
        "[redacted:token]",
        "value",
        "é",
        "🔑",
    ]);
    prop_oneof![
        pieces.prop_map(str::to_owned),
        "[A-Za-z0-9]{1,40}",
        "[A-Za-z0-9!#$%&*+/=_.~-]{8,24}",
        "\\PC{0,6}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn findings_are_ordered_and_on_character_boundaries(pieces in prop::collection::vec(fragment(), 0..24)) {
        let text = pieces.concat();
        let mut end = 0;
        for finding in scan(&text) {
            prop_assert!(finding.range.start >= end && finding.range.start < finding.range.end);
            prop_assert!(text.get(finding.range.clone()).is_some());
            let before = &text[..finding.range.start];
            prop_assert_eq!(finding.line, before.matches('\n').count() + 1);
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            prop_assert_eq!(finding.column, before[line_start..].chars().count() + 1);
            end = finding.range.end;
        }
    }

    #[test]
    fn a_redacted_text_holds_no_finding_of_the_same_value(pieces in prop::collection::vec(fragment(), 0..24)) {
        let text = pieces.concat();
        let (redacted, findings) = redact(&text);
        let values: Vec<&str> = findings.iter().map(|finding| &text[finding.range.clone()]).collect();
        for again in scan(&redacted) {
            prop_assert!(!values.contains(&&redacted[again.range.clone()]), "{} -> {}", text, redacted);
        }
    }
}
