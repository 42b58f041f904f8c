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
        Self { arguments: NEXT, input: "", ..self }
    }
}

/// What the user does next, whatever became of the command before.
pub(super) const NEXT: &[&str] =
    &["add", "--type", "user", "--name", "afterwards", "--description", "The next change", "--text", "Next."];

/// A stand-in for the user's editor.
pub(super) const EDITOR: &str = "sed -i s/Tabs/Spaces/";

/// Every command that changes a memory directory.
pub(super) const WRITING_COMMANDS: &[WritingCommand] = &[
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

pub(super) const fn with(
    name: &'static str,
    prepare: fn(&Ground),
    arguments: &'static [&'static str],
) -> WritingCommand {
    WritingCommand { name, arguments, input: "", prepare }
}

const fn tool(name: &'static str, input: &'static str) -> WritingCommand {
    WritingCommand { name, arguments: &["tool"], input, prepare: some_memories }
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
