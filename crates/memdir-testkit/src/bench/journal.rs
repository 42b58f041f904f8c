use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

use super::measure::{Table, compare, ratio, system_calls};
use super::sandbox::Bench;

const RECORDS: usize = 5_000;

/// A journal with five thousand records: recovering, rebuilding, and what a record costs.
#[must_use]
pub fn journal(program: &Utf8Path) -> Table {
    let mut table = Table::new("Journal");
    let bench = Bench::new(program);
    let run = |arguments: &[&str]| {
        let output = bench.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["journal", "start"]);
    let directory = bench.home.home().join(".claude/projects/project");
    let files: Vec<Utf8PathBuf> = (0..RECORDS).map(|number| record(&bench, &directory, number)).collect();
    run(&["journal", "rebuild"]);
    run(&["journal", "task", "Make the cache of subject 17 expire"]);

    let recovered = run(&["journal", "recover"]);
    let shown = recovered.split("file=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let shown: Vec<Utf8PathBuf> =
        shown.map(|path| directory.join(path)).filter(|path| path.exists()).collect();
    assert!(shown.len() > 3, "{recovered}");
    let times = compare(300, || bench.command(&["journal", "recover"]), || cat(&shown));
    table.row(
        "`journal recover` of 5,000 records : `cat` of the files that it prints, wall",
        ratio(times),
        "5 times",
    );
    let times = compare(20, || bench.command(&["journal", "rebuild"]), || cat(&files));
    table.row("`journal rebuild` of 5,000 records : `cat` of them all, wall", ratio(times), "3 times");

    for (what, arguments) in [
        (
            "`journal decide`",
            &["journal", "decide", "--title", "x", "--category", "process", "--decision", "y"][..],
        ),
        ("`journal task`", &["journal", "task", "another"]),
        ("`journal subagent write`", &["journal", "subagent", "write", "--task", "t", "--text", "x"]),
    ] {
        let calls = system_calls("fsync,fdatasync,syncfs,sync", program.as_str(), &bench.command(arguments));
        table.row(&format!("fsyncs of {what}, history included"), calls.to_string(), "3");
    }
    table
}

fn record(bench: &Bench, directory: &Utf8Path, number: usize) -> Utf8PathBuf {
    let (day, subject) = (number / 100, number % 40);
    let date = format!("2026-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
    let text = format!(
        "# Decide on subject {subject}, part {number}\n\n**Date**: {date}T10:{:02}:{:02}Z\n**Category**: architecture\n**Status**: decided\n\n## Context\nSubject {subject} came up again, and the cache in front of it could not say when to expire. {}\n\n## Decision\nKeep subject {subject} in one place, part {number} of many.\n\n## Alternatives Considered\nTwo places.\n\n## Consequences\nOne place to look.\n",
        number % 60,
        number % 60,
        "There was more to it than that. ".repeat(20),
    );
    let path = directory.join(format!("decisions/{date}_{:03}_subject-{subject}.md", number % 100 + 1));
    bench.home.write(&path, text)
}

fn cat(files: &[Utf8PathBuf]) -> Command {
    let mut command = Command::new("cat");
    command.args(files).env_clear();
    command
}
