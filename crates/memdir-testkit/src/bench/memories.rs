use std::process::Command;

use camino::Utf8Path;

use super::measure::{Table, compare, ratio, system_calls};
use super::sandbox::Bench;

/// Loading a full index, listing ten thousand memories, and the syncs that a change costs.
#[must_use]
pub fn memories(program: &Utf8Path) -> Table {
    let mut table = Table::new("Memories");
    load(program, &mut table);
    list(program, &mut table);
    syncs(program, &mut table);
    table
}

fn load(program: &Utf8Path, table: &mut Table) {
    let bench = Bench::new(program);
    let line = "- [A memory with a title](a-memory.md) — what it is about, in about as many words as usual, and then some\n";
    let index = bench.write_memory("MEMORY.md", &line.repeat(200));
    let cat = || {
        let mut command = Command::new("cat");
        command.arg(&index).env_clear();
        command
    };
    let times = compare(500, || bench.command(&["load"]), cat);
    table.row("`memdir load` of a full MEMORY.md : `cat` of it, wall", ratio(times), "3 times");
}

fn list(program: &Utf8Path, table: &mut Table) {
    let bench = Bench::new(program);
    for number in 0..10_000 {
        let head = format!(
            "---\nname: topic-{number}\ndescription: About topic {number}\nmetadata:\n  type: project\n---\n"
        );
        bench.write_memory(
            &format!("topic-{number:05}.md"),
            &format!("{head}\n{}", "Some text. ".repeat(300)),
        );
    }
    let directory = bench.memory_dir();
    let heads = || {
        let mut command = Command::new("sh");
        let line = "find \"$0\" -name '*.md' -print0 | xargs -0 -n 20000 head -c 2048";
        command.args(["-c", line, directory.as_str()]).env_clear().env("PATH", "/usr/bin:/bin");
        command
    };
    let times = compare(31, || bench.command(&["ls"]), heads);
    table.row("`memdir ls` of 10,000 memories : `head -c 2048` of them all, wall", ratio(times), "3 times");
}

fn syncs(program: &Utf8Path, table: &mut Table) {
    let bench = Bench::new(program);
    let add = |name: &str| {
        bench.command(&[
            "add",
            "--type",
            "user",
            "--name",
            name,
            "--description",
            "Of one",
            "--text",
            "Text.",
        ])
    };
    assert!(add("one").output().unwrap().status.success(), "the first memory cannot be added");
    let count = |command: &Command| system_calls("fsync,fdatasync", program.as_str(), command).to_string();
    let set = bench.command(&["set", "one", "type", "project"]);
    table.row("syncs of `set`: the file, its directory, the record", count(&set), "3");
    table.row("syncs of `add`: the file, the index, their directory, the record", count(&add("two")), "4");
}
