//! What was learnt the hard way: a command that fails, and the one that works in its place.

use std::collections::VecDeque;

use super::compose::shortened;
use super::{Extracted, Source, phrase};
use crate::memory::memory_type::MemoryType;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<'o> {
    /// It did what it should.
    Worked,
    /// It failed, and printed this.
    Failed(&'o str),
}

/// The commands that failed lately.
#[derive(Debug, Default)]
pub(super) struct Lessons {
    failures: VecDeque<Failure>,
}

#[derive(Debug)]
struct Failure {
    command: String,
    count: usize,
    /// The line that says what is wrong.
    complaint: String,
    /// Whether it is wrong whatever the code says: a missing program, an unknown option.
    is_of_the_surroundings: bool,
    age: usize,
}

const MOST_FAILURES: usize = 6;
/// A command this much later has another purpose.
const MOST_AGE: usize = 5;
const MOST_COMMAND: usize = 160;

impl Lessons {
    pub(super) fn prompted(&mut self) {
        self.failures.clear();
    }

    pub(super) fn edited(&mut self) {
        // What is missing on the machine is missing whatever the code says.
        self.failures.retain(|failure| failure.is_of_the_surroundings);
    }

    pub(super) fn ran(&mut self, command: &str, outcome: Outcome<'_>, source: &Source) -> Option<Extracted> {
        let command = essence(command)?;
        for failure in &mut self.failures {
            failure.age += 1;
        }
        self.failures.retain(|failure| failure.age <= MOST_AGE);
        match outcome {
            Outcome::Failed(output) => {
                self.failed(command, output);
                None
            }
            Outcome::Worked => {
                let taught = self.failures.iter().position(|failure| failure.teaches(&command))?;
                let failure = self.failures.remove(taught)?;
                self.failures.clear();
                Some(lesson(&failure, &command, source))
            }
        }
    }

    fn failed(&mut self, command: String, output: &str) {
        if let Some(same) = self.failures.iter_mut().find(|failure| failure.command == command) {
            same.count += 1;
            same.age = 0;
            return;
        }
        if !is_tool(&command) {
            return;
        }
        let complaint = complaint(output);
        let is_of_the_surroundings = complaint.is_some();
        let complaint = complaint
            .or_else(|| output.lines().map(str::trim).find(|line| line.len() > 3))
            .unwrap_or_default();
        self.failures.push_back(Failure {
            command,
            count: 1,
            complaint: shortened(complaint, 160),
            is_of_the_surroundings,
            age: 0,
        });
        while self.failures.len() > MOST_FAILURES {
            self.failures.pop_front();
        }
    }
}

impl Failure {
    fn teaches(&self, working: &str) -> bool {
        if self.command == working {
            return false;
        }
        let (failed, worked): (Vec<&str>, Vec<&str>) =
            (self.command.split_whitespace().collect(), working.split_whitespace().collect());
        let is_flag = |word: &&&str| word.starts_with('-');
        // Only the same purpose is a lesson: what the command was about is named by both.
        let about = |words: &[&str]| -> Vec<String> {
            let named =
                words.iter().filter(|word| !is_flag(word) && word.len() > 1 && !LAUNCHERS.contains(word));
            named.map(|word| (*word).to_owned()).collect()
        };
        let (failed_about, worked_about) = (about(&failed), about(&worked));
        let shares = failed_about.iter().filter(|word| worked_about.contains(word)).count();
        let same_purpose = shares > 0 && shares * 2 >= failed_about.len().max(1);
        let same_program = failed.first() == worked.first();
        let only_program_changed = !same_program && failed.get(1..) == worked.get(1..);
        if self.is_of_the_surroundings {
            return same_purpose || only_program_changed;
        }
        // An ordinary failure teaches only if it came back unchanged and another way of running the same then worked.
        self.count >= 2
            && !same_program
            && (only_program_changed || same_purpose && shares == failed_about.len())
    }
}

/// Words that only start what is meant.
const LAUNCHERS: [&str; 18] = [
    "npx",
    "uv",
    "uvx",
    "run",
    "exec",
    "poetry",
    "pipenv",
    "bundle",
    "sudo",
    "env",
    "python",
    "python3",
    "node",
    "bash",
    "sh",
    "docker",
    "compose",
    "docker-compose",
];

/// The command without changes of directory before it and without what its output goes through.
fn essence(command: &str) -> Option<String> {
    let command = command.trim();
    if command.len() > MOST_COMMAND || command.contains('\n') || command.contains("<<") {
        return None;
    }
    let mut part = command;
    while let Some((before, after)) = part.split_once("&&") {
        if !before.trim_start().starts_with("cd ") {
            return None;
        }
        part = after.trim_start();
    }
    if part.contains(';') || part.contains("||") {
        return None;
    }
    let part = part.split_once(" | ").map_or(part, |(part, _)| part);
    let part = part.split_once(" 2>").map_or(part, |(part, _)| part);
    let folded = part.split_whitespace().collect::<Vec<_>>().join(" ");
    (!folded.is_empty()).then_some(folded)
}

/// Whether a failure of it means anything: searches and looks fail whenever there is nothing to see.
fn is_tool(command: &str) -> bool {
    const LOOKS: [&str; 30] = [
        "grep", "rg", "find", "ls", "cat", "sed", "awk", "head", "tail", "diff", "test", "[", "which", "cd",
        "echo", "kill", "pkill", "curl", "wget", "ping", "rm", "mv", "cp", "mkdir", "touch", "sleep", "true",
        "false", "git", "gh",
    ];
    let first = command.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
    !first.is_empty() && !LOOKS.contains(&first)
}

/// The line that complains about the surroundings rather than about the code.
fn complaint(output: &str) -> Option<&str> {
    const SIGNS: [&str; 22] = [
        "command not found",
        "not recognized as",
        "missing script",
        "unknown option",
        "unrecognized option",
        "unknown command",
        "unknown flag",
        "unrecognized arguments",
        "unexpected argument",
        "no such command",
        "is not a docker command",
        "unknown argument",
        "unsupported engine",
        "please use",
        "use pnpm",
        "use yarn",
        "use npm",
        "is deprecated, use",
        "did you mean",
        "no rule to make target",
        "externally-managed-environment",
        "cannot find command",
    ];
    output.lines().take(40).map(str::trim).find(|line| {
        let lower = line.to_lowercase();
        SIGNS.iter().any(|sign| lower.contains(sign))
    })
}

fn lesson(failure: &Failure, working: &str, source: &Source) -> Extracted {
    let text = format!("`{}` fails here; `{working}` works.", failure.command);
    let times = if failure.count > 1 { format!(" {} times", failure.count) } else { String::new() };
    let complaint = failure.complaint.replace('`', "'");
    let reason = if complaint.is_empty() {
        format!("the first failed{times}.")
    } else {
        format!("the first failed{times} with: {complaint}")
    };
    let words: Vec<&str> = working.split_whitespace().take(4).collect();
    let title = format!("Run {}", words.join(" "));
    Extracted {
        memory_type: MemoryType::Project,
        name: phrase::name(&title),
        title,
        description: shortened(&text, phrase::LONGEST_DESCRIPTION),
        body: format!("{text}\n\n**Why:** {reason}\n"),
        statement: text,
        reason: Some(reason),
        day: None,
        source: source.clone(),
        cues: Vec::new(),
        is_lesson: true,
        updates: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(commands: &[(&str, Option<&str>)], expected: Option<&str>) {
        let mut lessons = Lessons::default();
        let mut learnt = None;
        for (command, failure) in commands {
            if *command == "edit" {
                lessons.edited();
                continue;
            }
            let outcome = failure.map_or(Outcome::Worked, Outcome::Failed);
            learnt = lessons.ran(command, outcome, &Source::default()).or(learnt);
        }
        let text = learnt.map(|memory| memory.description);
        assert_eq!(text.as_deref(), expected, "{commands:?}");
    }

    #[test]
    fn a_command_that_cannot_work_and_the_one_that_does() {
        let missing = Some("npm ERR! Missing script: \"test\"");
        check(
            &[("npm test", missing), ("pnpm test", None)],
            Some("`npm test` fails here; `pnpm test` works."),
        );
        check(
            &[
                ("pytest -q", Some("bash: pytest: command not found")),
                ("edit", None),
                ("uv run pytest -q", None),
            ],
            Some("`pytest -q` fails here; `uv run pytest -q` works."),
        );
        check(
            &[("make it", Some("exit 2")), ("make it", Some("exit 2")), ("ninja it", None)],
            Some("`make it` fails here; `ninja it` works."),
        );
    }

    #[test]
    fn a_fix_of_the_code_is_not_a_lesson() {
        check(&[("cargo test", Some("test failed")), ("edit", None), ("cargo test", None)], None);
        check(
            &[("cargo test", Some("test failed")), ("cargo test", Some("no")), ("cargo test one", None)],
            None,
        );
        check(&[("npm test", Some("1 failing")), ("ls", None)], None);
        check(&[("grep -r x .", Some("")), ("grep -r y .", None)], None);
        check(&[("npm test", Some("1 failing")), ("pnpm test", None)], None);
    }
}
