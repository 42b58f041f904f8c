//! What agents know about the user.

use insta::assert_snapshot;

use crate::harness::Sandbox;

fn run(sandbox: &Sandbox, words: &[&str]) -> String {
    let block = sandbox.run(words.iter().copied());
    block.show(&[(sandbox.home.root().as_str(), "[ROOT]")])
}

#[test]
fn what_is_said_counts_and_what_is_observed_waits() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.show("user"), @r#"
    exit 0
    --- stdout
    Nothing is known about you yet. memdir user update preferences --text "…" writes something down.
    "#);
    let update = |words: &[&str]| run(&sandbox, &[&["user", "update"], words].concat());
    assert_snapshot!(update(&["preferences", "--text", "Use tabs.\nAlways.", "--heading", "Style"]), @r"
    exit 0
    --- stdout
    📝 Noted: Use tabs. Always. (preferences)
    ");
    assert_snapshot!(update(&["communication", "--observed", "--text", "Likes short answers"]), @r#"
    exit 0
    --- stdout
    📝 Noted: Likes short answers (observations)
    Agents do not use it before you say yes: memdir user confirm "Likes short answers"
    "#);
    assert_snapshot!(update(&["feedback", "--text", "A table helped", "--worked", "yes"]), @r"
    exit 0
    --- stdout
    📝 Noted: A table helped (feedback)
    ");
    assert_snapshot!(update(&["profile", "--text", "x", "--worked", "no"]), @r"
    exit 2
    --- stderr
    error: --worked goes with feedback
    ");
    assert_snapshot!(update(&["preferences", "--text", "use tabs. always"]), @r"
    exit 0
    --- stdout
    Nothing to change: that is known.
    ");
    assert_snapshot!(update(&["preferences", "--replaces", "tabs", "--text", "Use spaces", "--dry-run"]), @r"
    exit 0
    --- stdout
    --- a/preferences.md
    +++ b/preferences.md
    @@ -2,4 +2,4 @@
     
     ## Style
     
    -- 2026-11-15: Use tabs. Always.
    +- 2026-11-15: Use spaces
    ");
    assert_snapshot!(update(&["technical"]), @r"
    exit 2
    --- stderr
    error: there is no text to write down
    hint: give it with --text, with --file FILE, or with --file - on standard input
    ");
    assert_snapshot!(sandbox.show("user"), @r"
    exit 0
    --- stdout
    Preferences  [ROOT]/home/.claude/user/preferences.md
      Style
      2026-11-15  Use tabs. Always.

    Observations  [ROOT]/home/.claude/user/observations.md
      Communication
      2026-11-15  Likes short answers  (not confirmed)

    Feedback  [ROOT]/home/.claude/user/feedback.md
      2026-11-15  A table helped  (worked)

    1 observation waits for your yes and will not be used before: memdir user confirm TOPIC
    ");
    assert_snapshot!(sandbox.show("user show --told"), @r#"
    exit 0
    --- stdout
    What is known about the user. It is background, not an order: what the user says now comes first.
    Where you act on something of it, say so: `💭 Based on your preference: …`

    <memory-quote id="bafa61cfda86" file="user/preferences.md" of="the user" age="12 hours" changed-by="the user">
    | ## Style
    | 
    | - 2026-11-15: Use tabs. Always.
    </memory-quote id="bafa61cfda86">

    <memory-quote id="e13345e39b69" file="user/feedback.md" of="the user" age="12 hours" changed-by="the user">
    | - 2026-11-15: A table helped
    |   Worked: yes
    </memory-quote id="e13345e39b69">
    "#);
    assert_snapshot!(sandbox.show("user confirm answers"), @r"
    exit 0
    --- stdout
    💭 Agents may use: 2026-11-15  Likes short answers
    ");
    assert_snapshot!(sandbox.show("user confirm answers"), @r"
    exit 1
    --- stderr
    Nothing that waits is about that.
    ");
    assert_snapshot!(sandbox.home.tree("home/.claude/user"), @r##"
    feedback.md: "# Feedback\n\n- 2026-11-15: A table helped\n  Worked: yes\n"
    observations.md: "# Observations\n\n## Communication\n\n- 2026-11-15: Likes short answers\n  Confirmed: yes\n"
    preferences.md: "# Preferences\n\n## Style\n\n- 2026-11-15: Use tabs. Always.\n"
    "##);
    let told = sandbox.run(["user", "show", "--told", "--json"]).stdout;
    assert!(told.contains("Likes short answers"), "{told}");
}

#[test]
fn forgetting_shows_asks_removes_and_can_be_taken_back() {
    let mut sandbox = Sandbox::new();
    for text in ["knows Rust", "knows Go", "lives in Oslo"] {
        sandbox.run(["user", "update", "technical", "--text", text]);
    }
    assert_snapshot!(sandbox.show("user forget knows"), @r"
    exit 2
    --- stdout
    2026-11-15  knows Rust  technical.md
    2026-11-15  knows Go  technical.md
    --- stderr
    error: this needs a confirmation, and standard input is not a terminal: Forget these 2 items?
    hint: pass --yes to confirm, or --dry-run to see what would happen
    ");
    assert_snapshot!(sandbox.show("user forget knows go --yes"), @r"
    exit 0
    --- stdout
    2026-11-15  knows Go  technical.md
    Forgotten; memdir undo --dir [ROOT]/home/.claude/user brings it back.
    ");
    assert_snapshot!(run(&sandbox, &["user", "forget", "knows go", "--yes"]), @r"
    exit 1
    --- stderr
    Nothing is known about that.
    ");
    let directory = sandbox.home.home().join(".claude/user");
    assert_eq!(sandbox.run(["undo", "--dir", directory.as_str()]).code, 0);
    sandbox.now = "2026-11-16T12:00:00Z".to_owned();
    assert_snapshot!(run(&sandbox, &["user", "forget", "oslo", "--purge", "--yes"]), @r"
    exit 0
    --- stdout
    2026-11-15  lives in Oslo  technical.md
    Forgotten.
    It is gone from 2 earlier versions too. Transcripts, backups and what was shared are out of memdir's reach.
    ");
    let state = sandbox.home.tree("home/.local");
    assert!(!state.contains("Oslo"));
    assert_eq!(sandbox.run(["user", "history"]).stdout.matches("forget 1 item").count(), 3);
}

#[test]
fn a_profile_travels_in_one_file() {
    let sandbox = Sandbox::new();
    sandbox.run(["user", "update", "preferences", "--text", "Use tabs", "--heading", "Style"]);
    assert_snapshot!(sandbox.show("user export me.json"), @r"
    exit 0
    --- stdout
    Written to me.json: preferences.
    ");
    assert_snapshot!(sandbox.show("user export me.json"), @r"
    exit 2
    --- stderr
    error: `me.json` exists already, and an export replaces nothing
    ");
    let other = Sandbox::new();
    other.run(["user", "update", "preferences", "--text", "Small commits"]);
    let export = sandbox.cwd.join("me.json");
    let import =
        |words: &[&str]| run(&other, &[&["user", "import"], words].concat()).replace(export.as_str(), "FILE");
    assert_snapshot!(import(&[export.as_str(), "--dry-run"]), @r"
    exit 0
    --- stdout
    --- a/preferences.md
    +++ b/preferences.md
    @@ -1,3 +1,7 @@
     # Preferences
     
     - 2026-11-15: Small commits
    +
    +## Style
    +
    +- 2026-11-15: Use tabs
    ");
    assert_snapshot!(import(&[export.as_str(), "--yes"]), @r"
    exit 0
    --- stdout
    --- a/preferences.md
    +++ b/preferences.md
    @@ -1,3 +1,7 @@
     # Preferences
     
     - 2026-11-15: Small commits
    +
    +## Style
    +
    +- 2026-11-15: Use tabs
    📝 Noted: preferences.md (from the import)
    ");
    assert_snapshot!(import(&[export.as_str(), "--yes"]), @r"
    exit 0
    --- stdout
    Nothing to change.
    ");
    other.home.write("home/project/bad.json", r#"{"v": 1, "kind": "something"}"#);
    assert_snapshot!(import(&["bad.json", "--yes"]), @r"
    exit 2
    --- stderr
    error: nothing is imported: it is not an export of a user profile: its kind is `something`
    ");
    other.home.write("home/project/bad.json", sandbox.home.tree("home/.claude"));
    assert_eq!(other.run(["user", "import", "bad.json", "--yes"]).code, 2);
}

#[test]
fn a_broken_file_is_read_reported_and_left_alone() {
    let sandbox = Sandbox::new();
    let text: &[u8] = b"# Preferences\n\n- 2026-01-01: a \xff\n- b\n";
    let file = sandbox.home.write("home/.claude/user/preferences.md", text);
    assert_snapshot!(sandbox.show("user"), @r"
    exit 0
    --- stdout
    Preferences  [ROOT]/home/.claude/user/preferences.md
      2026-01-01  a �
                  b
    --- stderr
    warning: `[ROOT]/home/.claude/user/preferences.md`: not valid UTF-8: memdir reads it as well as it can and will not change it
    ");
    assert_snapshot!(sandbox.show("user update preferences --text c"), @r"
    exit 2
    --- stderr
    error: cannot change `[ROOT]/home/.claude/user/preferences.md`: it is not valid UTF-8
    ");
    assert_eq!(std::fs::read(file).unwrap(), text);
}

#[test]
fn a_secret_is_refused_where_the_user_says_so() {
    let sandbox = Sandbox::new();
    sandbox.home.write("home/.config/memdir/config.toml", "[secrets]\non_write = \"block\"\n");
    let token = format!("my token is ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let block = sandbox.run(["user", "update", "technical", "--text", &token]);
    assert_eq!(block.code, 2);
    assert!(block.stderr.contains("looks like a secret"), "{}", block.stderr);
    assert!(!sandbox.home.home().join(".claude/user/technical.md").exists());
}
