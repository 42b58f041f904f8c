use std::collections::BTreeSet;
use std::process::Output;

use super::ground::{Files, Ground, acknowledged, stderr};
use super::trace::{Call, Calls, calls, run};
use super::writing_command::WritingCommand;

/// What the files of a command may be, before it, after it, and after the next command.
pub(super) struct Judge {
    pub(super) ground: Ground,
    pub(super) command: WritingCommand,
    old: Files,
    new: Files,
    old_and_next: Files,
    new_and_next: Files,
    /// How many operations of ours the history holds after the command.
    recorded: usize,
}

/// How much a fault may leave undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The program died: the next process settles what it began.
    Death,
    /// One call failed: a refusal must have changed nothing.
    OneError,
    /// From one call on all failed: the next process settles what it could not undo.
    LastingError,
}

const START: &str = "start";

impl Judge {
    /// Runs the command undisturbed to know what it makes of its start.
    pub(super) fn new(ground: Ground, command: WritingCommand) -> Self {
        command.prepare(&ground);
        ground.save(START);
        let old = ground.files();
        ground.must_run(command.then());
        let old_and_next = ground.files();
        ground.restore(START);
        let output = run(ground.command(command.arguments), &command);
        assert!(acknowledged(&output), "{}: {output:?}", command.name);
        let new = ground.files();
        let recorded = ground.operations().len();
        ground.must_run(command.then());
        let new_and_next = ground.files();
        assert_ne!(old, new, "{} changes nothing", command.name);
        Self { ground, command, old, new, old_and_next, new_and_next, recorded }
    }

    /// Sets everything back to the start.
    pub(super) fn reset(&self) {
        self.ground.restore(START);
    }

    /// The calls that the command makes from the start.
    pub(super) fn calls(&self, wanted: Calls) -> Vec<Call> {
        self.reset();
        calls(&self.ground, &self.command, wanted)
    }

    /// Judges what a disturbed run left behind, now and after the next command.
    pub(super) fn judge(&self, output: &Output, fault: Fault, what: &str) -> Vec<String> {
        let mut failures = self.look_now(output, fault, what);
        failures.extend(self.look_after_next(output, what));
        failures
    }

    /// What can be said before anybody cleans up: nothing is torn, and the answer was true.
    pub(super) fn look_now(&self, output: &Output, fault: Fault, what: &str) -> Vec<String> {
        let acknowledged = acknowledged(output);
        let mut failures = Vec::new();
        let found = self.ground.files();
        let names: BTreeSet<&String> = found.keys().chain(self.old.keys()).chain(self.new.keys()).collect();
        for name in names {
            let content = found.get(name);
            if content != self.old.get(name) && content != self.new.get(name) {
                failures.push(format!("`{name}` is neither the old nor the new version: {}", show(content)));
            }
        }
        if acknowledged && found != self.new {
            failures.push(format!("acknowledged, but {}", difference(&found, &self.new)));
        }
        if acknowledged && self.ground.operations().len() < self.recorded {
            failures.push("acknowledged, but there is no record of it".to_owned());
        }
        if !acknowledged && fault == Fault::OneError && found != self.old {
            failures.push(format!("refused, but {}", difference(&found, &self.old)));
        }
        // A process that cannot write at all cannot say so either.
        if fault == Fault::OneError && !acknowledged && output.stderr.is_empty() && output.stdout.is_empty() {
            failures.push("refused without a word".to_owned());
        }
        self.entitle(failures, output, what)
    }

    /// What must hold after the next command: whole or not at all, and nothing left behind.
    pub(super) fn look_after_next(&self, output: &Output, what: &str) -> Vec<String> {
        let mut failures = Vec::new();
        let next = self.ground.command(self.command.then()).output().unwrap();
        if !acknowledged(&next) {
            failures.push(format!("the next command fails: {}", stderr(&next)));
        }
        failures.extend(self.look_at_the_end(acknowledged(output)));
        self.entitle(failures, output, what)
    }

    /// The same if the next command was killed as well: it is repeated, and something is changed afterwards.
    pub(super) fn look_after_two_deaths(&self, output: &Output, what: &str) -> Vec<String> {
        let mut failures = Vec::new();
        // It may have been finished already; then a repetition is refused.
        let _ = self.ground.command(self.command.then()).output().unwrap();
        for memory_type in ["reference", "user"] {
            let next = self.ground.command(&["set", "afterwards", "type", memory_type]).output().unwrap();
            if !acknowledged(&next) {
                failures.push(format!("the command after that fails: {}", stderr(&next)));
            }
        }
        failures.extend(self.look_at_the_end(false));
        self.entitle(failures, output, what)
    }

    fn look_at_the_end(&self, acknowledged: bool) -> Vec<String> {
        let mut failures = Vec::new();
        let found = self.ground.files();
        if found != self.new_and_next && (acknowledged || found != self.old_and_next) {
            let expected = if acknowledged { &self.new_and_next } else { &self.old_and_next };
            failures.push(format!("after the next command {}", difference(&found, expected)));
        }
        let leftovers = self.ground.leftovers();
        if !leftovers.is_empty() {
            failures.push(format!("after the next command there is a {}", leftovers.join(", a ")));
        }
        failures
    }

    fn entitle(&self, failures: Vec<String>, output: &Output, what: &str) -> Vec<String> {
        let head = format!("{}, {what}, {}", self.command.name, show_exit(output));
        failures.into_iter().map(|failure| format!("{head}: {failure}")).collect()
    }
}

fn show_exit(output: &Output) -> String {
    match output.status.code() {
        Some(0) if !acknowledged(output) => format!("refused ({})", String::from_utf8_lossy(&output.stdout)),
        Some(0) => "acknowledged".to_owned(),
        Some(code) => format!("exit {code} ({})", stderr(output)),
        None => "killed".to_owned(),
    }
}

fn show(content: Option<&Vec<u8>>) -> String {
    content.map_or("gone".to_owned(), |content| {
        let text = String::from_utf8_lossy(content);
        format!("{:?} ({} bytes)", text.chars().take(200).collect::<String>(), content.len())
    })
}

fn difference(found: &Files, expected: &Files) -> String {
    let names: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    let different = names.into_iter().filter(|name| found.get(*name) != expected.get(*name));
    let shown: Vec<String> = different
        .map(|name| format!("`{name}` is {} instead of {}", show(found.get(name)), show(expected.get(name))))
        .collect();
    shown.join("; ")
}
