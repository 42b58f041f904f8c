use super::ground::Ground;

/// One way to write, from a known start.
#[derive(Debug, Clone, Copy)]
pub(super) struct WritingCommand {
    pub(super) name: &'static str,
    pub(super) arguments: &'static [&'static str],
    /// What goes to its standard input.
    pub(super) input: &'static str,
    /// What has been there before.
    prepare: fn(&Ground),
    /// What a user does next with the same store, whatever became of the command.
    then: &'static [&'static str],
}

impl WritingCommand {
    /// Makes the files that the command finds.
    pub(super) fn prepare(&self, ground: &Ground) {
        (self.prepare)(ground);
    }

    /// Whether it makes the same system calls every time, so that a call can be named by its number. Those that look
    /// for the edits of others first read a file as often as its age asks.
    pub(super) fn is_steady(&self) -> bool {
        !matches!(self.name, "undo" | "redo" | "doctor --fix" | "review accept")
    }

    /// The command that comes after this one.
    pub(super) fn next(self) -> Self {
        Self { arguments: self.then, input: "", ..self }
    }

    /// Whether the next command, given twice, does no more than once: a second note is one more note.
    pub(super) fn can_be_repeated(&self) -> bool {
        self.then == NEXT
    }

    /// The words of the command that comes after this one.
    pub(super) fn then(&self) -> &'static [&'static str] {
        self.then
    }
}

/// The next change of a memory.
pub(super) const NEXT: &[&str] =
    &["add", "--type", "user", "--name", "afterwards", "--description", "The next change", "--text", "Next."];

/// The next change of a journal.
const NEXT_NOTE: &[&str] = &["journal", "note", "Afterwards", "--text", "Next."];
/// The next change of the profile.
const NEXT_TRAIT: &[&str] = &["user", "update", "communication", "--text", "Next."];

/// A program in place of the user's editor.
pub(super) const EDITOR: &str = "sed -i s/Tabs/Spaces/";

/// Every command that changes a memory directory.
const WRITING_COMMANDS: &[WritingCommand] = &[
    with("add, the very first", nothing, ADD),
    with("add", some_memories, ADD),
    with("add, in a new directory", some_memories, ADD_BELOW),
    with("add, beyond the index's limit", full_index, ADD),
    with("edit", some_memories, &["edit", "alpha"]),
    with("set, file and index", some_memories, &["set", "alpha", "description", "Tabs, always"]),
    with("set, one file", some_memories, &["set", "alpha", "type", "user"]),
    with("rm", some_memories, &["rm", "beta"]),
    with("rename", some_memories, &["rename", "alpha", "omega"]),
    with("link", some_memories, &["link", "gamma", "alpha"]),
    with("reindex", forgotten_line, &["reindex"]),
    with("undo", removed, &["undo"]),
    with("redo", removed_and_back, &["redo"]),
    with("doctor --fix", forgotten_line, &["doctor", "--fix"]),
    with("review accept", proposed, &["review", "accept", "--all"]),
    tool("tool create", r#"{"command":"create","path":"/memories/new.md","file_text":"New.\n"}"#),
    tool(
        "tool str_replace",
        r#"{"command":"str_replace","path":"/memories/alpha.md","old_str":"Tabs.","new_str":"Spaces."}"#,
    ),
    tool(
        "tool insert",
        r#"{"command":"insert","path":"/memories/MEMORY.md","insert_line":0,"insert_text":"Mine.\n"}"#,
    ),
    tool("tool delete", r#"{"command":"delete","path":"/memories/beta.md"}"#),
    tool(
        "tool rename",
        r#"{"command":"rename","old_path":"/memories/alpha.md","new_path":"/memories/omega.md"}"#,
    ),
];

/// Commands of the other stores, which only the long form tries.
const OTHER_COMMANDS: &[WritingCommand] = &[
    with("today add", some_memories, &["today", "add", "The parser is half done."]),
    with("extract", a_session, &["extract", "--transcript", TRANSCRIPT, "--no-model"]),
    with("dream", a_log, &["dream"]),
    journal("journal decide", DECIDE),
    journal("journal task", &["journal", "task", "Port the parser", "--text", "Keep the old one."]),
    journal("journal done", &["journal", "done"]),
    journal("journal progress", &["journal", "progress", "--add", "Write the reader"]),
    journal(
        "journal subagent write",
        &["journal", "subagent", "write", "--task", "scan", "--text", "Found it."],
    ),
    WritingCommand {
        then: NEXT_TRAIT,
        ..with("user update", a_profile, &["user", "update", "preferences", "--text", "Use tabs."])
    },
];

/// The commands of the bounded form, or of the long one.
pub(super) fn writing_commands(is_long: bool) -> Vec<WritingCommand> {
    let others = if is_long { OTHER_COMMANDS } else { &[] };
    [WRITING_COMMANDS, others].concat()
}

const ADD: &[&str] =
    &["add", "--type", "project", "--name", "new", "--description", "A new memory", "--text", "New."];
const ADD_BELOW: &[&str] = &[
    "add",
    "--type",
    "project",
    "--name",
    "new",
    "--path",
    "deep/er/new.md",
    "--description",
    "A new memory",
    "--text",
    "New.",
];

const DECIDE: &[&str] = &[
    "journal",
    "decide",
    "--title",
    "Use cookies",
    "--category",
    "architecture",
    "--decision",
    "Scripts cannot read them.",
];
/// A session in the project's folder.
const TRANSCRIPT: &str = "session.jsonl";

pub(super) const fn with(
    name: &'static str,
    prepare: fn(&Ground),
    arguments: &'static [&'static str],
) -> WritingCommand {
    WritingCommand { name, arguments, input: "", prepare, then: NEXT }
}

const fn journal(name: &'static str, arguments: &'static [&'static str]) -> WritingCommand {
    WritingCommand { then: NEXT_NOTE, ..with(name, a_journal, arguments) }
}

const fn tool(name: &'static str, input: &'static str) -> WritingCommand {
    WritingCommand { name, arguments: &["tool"], input, prepare: some_memories, then: NEXT }
}

fn nothing(_: &Ground) {}

pub(super) fn some_memories(ground: &Ground) {
    let add = |name: &str, description: &str, text: &str| {
        let options = ["--type", "feedback", "--name", name, "--description", description, "--text", text];
        ground.must_run(&[&["add"], options.as_slice()].concat());
    };
    add("alpha", "Tabs or spaces", "Tabs.");
    add("beta", "Where the keys are", "See [[alpha]].");
    add("gamma", "What was decided", &"A long text. ".repeat(800));
}

fn a_journal(ground: &Ground) {
    ground.must_run(&["journal", "start"]);
    ground.must_run(&["journal", "task", "The task before"]);
}

fn a_profile(ground: &Ground) {
    ground.must_run(&["user", "update", "preferences", "--text", "Use spaces."]);
}

fn a_log(ground: &Ground) {
    some_memories(ground);
    ground.must_run(&["today", "add", "feedback: never push on Fridays"]);
}

fn a_session(ground: &Ground) {
    some_memories(ground);
    let said = "Please never mock the database in tests, because it hides real errors.";
    let line = format!(
        "{{\"type\":\"user\",\"uuid\":\"u1\",\"parentUuid\":null,\"sessionId\":\"s-1\",\"cwd\":\"{}\",\"version\":\"2.1.325\",\
         \"isSidechain\":false,\"userType\":\"external\",\"timestamp\":\"2026-10-01T10:00:00.000Z\",\
         \"message\":{{\"role\":\"user\",\"content\":\"{said}\"}}}}\n",
        ground.home.project()
    );
    std::fs::write(ground.home.project().join(TRANSCRIPT), line).unwrap();
}

fn forgotten_line(ground: &Ground) {
    some_memories(ground);
    std::fs::write(
        ground.memory_dir().join("delta.md"),
        "---\nname: delta\ndescription: Forgotten\n---\n\nD.\n",
    )
    .unwrap();
}

fn removed(ground: &Ground) {
    some_memories(ground);
    ground.must_run(&["rm", "beta"]);
}

fn removed_and_back(ground: &Ground) {
    removed(ground);
    ground.must_run(&["undo"]);
}

fn proposed(ground: &Ground) {
    some_memories(ground);
    let home = ground.memory_dir().ancestors().nth(4).unwrap().to_owned();
    let config = home.join(".config/memdir/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, "writes = \"review\"\n").unwrap();
    let mut command = ground.command(&["set", "alpha", "description", "Tabs, always"]);
    assert!(command.env("CLAUDECODE", "1").status().unwrap().success());
    std::fs::remove_file(config).unwrap();
}

fn full_index(ground: &Ground) {
    some_memories(ground);
    let index = ground.memory_dir().join("MEMORY.md");
    let mut text = std::fs::read_to_string(&index).unwrap();
    for number in 0..200 {
        text.push_str(&format!("- [Topic {number}](alpha.md) — line {number} of a long index\n"));
    }
    std::fs::write(index, text).unwrap();
}
