use super::*;

fn error(text: &str) -> String {
    Config::parse(text).unwrap_err().to_string()
}

#[test]
fn an_empty_file_is_all_defaults() {
    let read = Config::parse("\u{feff}# nothing\n").unwrap();
    assert_eq!(read, ReadConfig::default());
    assert!(read.config.features.auto_memory && !read.config.features.extract);
    assert_eq!(read.config.secrets.on_write, SecretsOnWrite::Warn);
}

#[test]
fn the_mode_follows_author_project_and_scope() {
    let text = "secrets.on_write = \"block\"\n[writes]\ndefault = \"review\"\nuser = \"off\"\nteam = \"auto\"\n\
                [projects.0000000000000007]\nwrites = \"off\"\n[features]\nextract = true\n";
    let read = Config::parse(text).unwrap();
    assert_eq!(read.warnings, Vec::<String>::new());
    let config = read.config;
    assert_eq!(config.secrets.on_write, SecretsOnWrite::Block);
    assert!(config.features.extract);
    let seven = StoreId("0000000000000007".into());
    let check = |author, store: Option<&StoreId>, scope, mode| {
        assert_eq!(config.mode(author, store, scope), mode, "{author:?} {store:?} {scope:?}");
    };
    check(AuthorKind::Person, Some(&seven), WriteScope::User, WriteMode::Auto);
    check(AuthorKind::Foreign, Some(&seven), WriteScope::Memory, WriteMode::Auto);
    check(AuthorKind::Agent, None, WriteScope::Memory, WriteMode::Review);
    check(AuthorKind::Dream, None, WriteScope::User, WriteMode::Off);
    check(AuthorKind::Team, None, WriteScope::User, WriteMode::Auto);
    check(AuthorKind::Extract, Some(&seven), WriteScope::Memory, WriteMode::Off);
    assert_eq!(
        Config::parse("writes = \"review\"").unwrap().config.writes.default,
        WriteMode::Review,
        "the short form"
    );
}

#[test]
fn how_long_the_past_is_kept_is_the_users_choice() {
    let bounds = |text: &str| Config::parse(text).unwrap().config.history;
    assert_eq!(bounds(""), HistoryBounds { days: 90, megabytes: 500 });
    assert_eq!(bounds("history.days = 7"), HistoryBounds { days: 7, megabytes: 500 });
    assert_eq!(
        bounds("[history]\nmegabytes = 1_000\ndays = 0x10"),
        HistoryBounds { days: 16, megabytes: 1000 }
    );
    for wrong in ["0", "-1", "1.5", "\"7\"", "1_000_001", "true"] {
        let message = error(&format!("[history]\ndays = {wrong}"));
        assert_eq!(message, "line 2: `history.days` is a whole number from 1 to 1000000", "{wrong}");
    }
}

#[test]
fn a_slip_of_the_pen_is_named_with_its_line() {
    insta::assert_snapshot!(error("writes = \"reviw\""), @r#"line 1: `writes` is one of "auto", "review", "off""#);
    insta::assert_snapshot!(error("\n[secrets]\non_write = 3"), @r#"line 3: `secrets.on_write` is one of "warn", "redact", "block""#);
    insta::assert_snapshot!(error("[features]\nteam = \"yes\""), @"line 2: `features.team` is `true` or `false`");
    insta::assert_snapshot!(error("features = 1"), @"line 1: `features` is a table");
    assert!(error("a = 1\nb = = 2\n").starts_with("line 2: "));
    let odd = Config::parse("colour = 1\n[writes]\nhome = \"off\"\n[projects.\"../x\"]\nwrites = \"off\"\n");
    let warnings = odd.unwrap().warnings.join("\n");
    assert!(warnings.contains("line 1: unknown key `colour`"), "{warnings}");
    assert!(warnings.contains("line 3: unknown key `writes.home`"), "{warnings}");
    assert!(warnings.contains("line 4: `projects.../x` names no store, and is ignored"), "{warnings}");
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_hostile(text in "(?s)(writes|\\[|\\]|=|\"|\\.|[a-z]{1,4}|\n|.){0,60}") {
        let _ = Config::parse(&text);
    }
}
