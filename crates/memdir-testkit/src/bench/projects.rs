use std::process::Command;

use camino::Utf8Path;

use super::measure::{Table, compare, ratio, system_calls};
use super::sandbox::{Bench, true_command};
use crate::Git;

/// `memdir path` in a repository, and the size of the program.
#[must_use]
pub fn path(program: &Utf8Path) -> Table {
    let bench = Bench::new(program);
    Git::init(&bench.home.project(), "bench");
    let inside = bench.home.dir("home/project/src/deep");
    let command = || {
        let mut command = bench.command(&["path"]);
        command.current_dir(&inside);
        command
    };
    let mut table = Table::new("Where memory lives");
    let times = compare(500, command, true_command);
    table.row("`memdir path` in a repository : `/bin/true`, wall", ratio(times), "2.5 times");
    let calls = system_calls("%file,%desc", program.as_str(), &command());
    table.row("its file system calls, descriptors included", calls.to_string(), "40");
    let bytes = std::fs::metadata(program).unwrap().len();
    table.row("the program", format!("{:.2} MB", bytes as f64 / 1e6), "12 MB");
    table
}

/// `memdir project ls` over 1,000 project directories with 10,000 transcripts.
#[must_use]
pub fn project_ls(program: &Utf8Path) -> Table {
    let bench = Bench::new(program);
    let projects = bench.home.dir("home/.claude/projects");
    for project in 0..1_000 {
        let path = format!("/home/someone/work/project-{project:04}");
        let folder = projects.join(path.replace('/', "-"));
        std::fs::create_dir_all(folder.join("memory")).unwrap();
        std::fs::write(folder.join("memory/MEMORY.md"), "- [A](a.md) — a\n").unwrap();
        std::fs::write(folder.join("memory/a.md"), "a\n").unwrap();
        for session in 0..10 {
            let line = format!("{{\"type\":\"user\",\"cwd\":\"{path}\",\"sessionId\":\"{session}\"}}\n");
            let name = format!("{project:08x}-0000-4000-8000-{session:012x}.jsonl");
            std::fs::write(folder.join(name), line.repeat(20)).unwrap();
        }
    }
    let list = || {
        let mut command = Command::new("ls");
        command.arg("-R").arg(&projects).env_clear();
        command
    };
    let mut table = Table::new("All projects: 1,000 directories, 10,000 transcripts");
    let times = compare(31, || bench.command(&["project", "ls"]), list);
    table.row("`memdir project ls` : `ls -R` of the same tree, wall", ratio(times), "3 times");
    table
}
