use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

use super::measure::{Table, compare, ratio};
use super::sandbox::{Bench, true_command};
use crate::Git;

/// `memdir prompt` in a repository that has memory, and `memdir context` in one with many instructions.
#[must_use]
pub fn prompt(program: &Utf8Path) -> Table {
    let bench = Bench::new(program);
    Git::init(&bench.home.project(), "bench");
    let mut table = Table::new("What an agent is told");
    let times = compare(500, || bench.command(&["prompt"]), true_command);
    table.row("`memdir prompt` in a repository : `/bin/true`, wall", ratio(times), "2.5 times");
    let (directory, files) = many_instructions(&bench);
    let context = || {
        let mut command = bench.command(&["context"]);
        command.current_dir(&directory);
        command
    };
    let shown = context().output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    let headings = shown.lines().filter(|line| line.starts_with("── ")).count();
    assert_eq!(headings, files.len(), "every file is shown, or its time means nothing");
    let cat = || {
        let mut command = Command::new("cat");
        command.args(&files).env_clear();
        command
    };
    let times = compare(200, context, cat);
    let what = "`memdir context` over 8 levels, 40 rules, 200 imports : `cat` of the same files, wall";
    table.row(what, ratio(times), "4 times");
    table
}

const LEVELS: usize = 8;
const RULES: usize = 40;
const IMPORTS: usize = 200;

/// Instructions at every level of a deep project, and all files that the client loads there.
fn many_instructions(bench: &Bench) -> (Utf8PathBuf, Vec<Utf8PathBuf>) {
    let line = "- Keep functions short, name things after what they do, and write the test first.\n";
    let chain: Vec<Utf8PathBuf> = (0..LEVELS)
        .map(|level| bench.home.project().join((0..level).map(|n| format!("level-{n}/")).collect::<String>()))
        .map(|path| Utf8PathBuf::from(path.as_str().trim_end_matches('/')))
        .collect();
    let directory = chain[LEVELS - 1].clone();
    let mut files = Vec::new();
    for (level, folder) in chain.iter().enumerate() {
        let mut text = line.repeat(6);
        for number in (level..IMPORTS).step_by(LEVELS) {
            let import = directory.join(format!("docs/part-{number}.md"));
            text.push_str(&format!("@{}\n", import.strip_prefix(folder).unwrap()));
            files.push(bench.home.write(&import, line.repeat(6)));
        }
        files.push(bench.home.write(folder.join("CLAUDE.md"), text));
    }
    for number in 0..RULES {
        let rule = directory.join(format!(".claude/rules/rule-{number}.md"));
        files.push(bench.home.write(rule, line.repeat(6)));
    }
    (directory, files)
}
