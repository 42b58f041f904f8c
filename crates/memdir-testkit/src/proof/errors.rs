use camino::Utf8Path;

use super::ground::Ground;
use super::judge::{Fault, Judge};
use super::kill::for_each_command;
use super::report::ProofReport;
use super::trace::{Call, Calls, run_injected};
use super::writing_command::writing_commands;

/// How many system calls are made to fail.
#[derive(Debug, Clone, Copy)]
pub struct Errors {
    /// Calls that only read fail too, and all errors last; otherwise the lasting ones take turns.
    pub all: bool,
}

const ERRORS: [&str; 4] = ["EIO", "ENOSPC", "EDQUOT", "EACCES"];

/// Lets every write-type system call of every writing command fail, once and from then on.
#[must_use]
pub fn errors(program: &Utf8Path, size: Errors) -> ProofReport {
    let mut report = ProofReport::new("Errors: every system call fails once");
    let wanted = if size.all { Calls::Files } else { Calls::Writing };
    let commands = writing_commands(size.all);
    let results = for_each_command(&commands, |command| {
        if !command.is_steady() {
            return ([0; 4], Vec::new());
        }
        let judge = Judge::new(Ground::in_memory(program), command);
        let calls = judge.calls(wanted);
        let mut failures = Vec::new();
        let mut numbers = [0; 4];
        for (position, call) in calls.iter().enumerate().filter(|(_, call)| call.name != "close") {
            for (turn, error) in ERRORS.iter().enumerate() {
                for fault in [Fault::OneError, Fault::LastingError] {
                    if fault == Fault::LastingError && !size.all && turn != position % ERRORS.len() {
                        continue;
                    }
                    let acknowledged = fail_at(&judge, call, error, fault, &mut failures);
                    numbers[usize::from(fault == Fault::LastingError)] += 1;
                    numbers[2 + usize::from(acknowledged)] += 1;
                }
            }
        }
        (numbers, failures)
    });
    let mut sums = [0; 4];
    for (numbers, failures) in results {
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        report.fail_all(failures);
    }
    report.count("writing commands", commands.iter().filter(|command| command.is_steady()).count());
    report.count("runs in which one call failed", sums[0]);
    report.count("runs in which all calls of a name failed from one on", sums[1]);
    report.count("… of these refused, with the old content intact", sums[2]);
    report.count("… of these acknowledged, with the new content complete", sums[3]);
    report
}

/// Gives back whether the command said that it was saved all the same.
fn fail_at(judge: &Judge, call: &Call, error: &str, fault: Fault, failures: &mut Vec<String>) -> bool {
    judge.reset();
    let (name, number) = (&call.name, call.number);
    let (until, words) = match fault {
        Fault::LastingError => ("+", "from then on"),
        _ => ("", "once"),
    };
    let output =
        run_injected(&judge.ground, &judge.command, name, &format!("error={error}:when={number}{until}"));
    failures.extend(judge.judge(&output, fault, &format!("{error} at {name} {number} {words}")));
    super::ground::acknowledged(&output)
}
