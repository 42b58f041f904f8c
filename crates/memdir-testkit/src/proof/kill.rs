use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use camino::Utf8Path;

use super::ground::Ground;
use super::judge::{Fault, Judge};
use super::random::Random;
use super::report::ProofReport;
use super::trace::{Calls, run, run_injected, start};
use super::writing_command::{WritingCommand, writing_commands};

/// How often a writer is killed.
#[derive(Debug, Clone, Copy)]
pub struct Kill {
    /// Kills at random moments.
    pub random: usize,
    /// Kills before every system call, not only before those that write.
    pub every_call: bool,
    /// For each command, how many of its deaths are followed by deaths of the process that cleans up after it.
    pub deaths_of_successor: usize,
}

/// Kills every writing command before each of its system calls, and at random moments.
#[must_use]
pub fn kill(program: &Utf8Path, size: Kill) -> ProofReport {
    let mut report = ProofReport::new("Kill: SIGKILL at every call and at random moments");
    let wanted = if size.every_call { Calls::All } else { Calls::Writing };
    let commands = writing_commands(size.every_call);
    let results = for_each_command(&commands, |command| {
        let judge = Judge::new(Ground::in_memory(program), command);
        let mut failures = Vec::new();
        let at_calls = kill_at_calls(&judge, wanted, &mut failures);
        let random = size.random.div_ceil(commands.len());
        let died = kill_at_random(&judge, random, &mut failures);
        let twice = kill_successors(&judge, size.deaths_of_successor, &mut failures);
        ([at_calls, random, died, twice], failures)
    });
    let mut sums = [0; 4];
    for (numbers, failures) in results {
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        report.fail_all(failures);
    }
    report.count("writing commands", commands.len());
    let which = if size.every_call { "system call" } else { "write-type system call" };
    report.count(&format!("killed before a {which}, each once"), sums[0]);
    report.count("killed at a random moment", sums[1]);
    report.count("… of these before they had said that it was saved", sums[2]);
    report.count("killed again while the next command cleaned up", sums[3]);
    report
}

/// Calls a function for every writing command, two at a time.
pub(super) fn for_each_command<T: Send>(
    commands: &[WritingCommand],
    work: impl Fn(WritingCommand) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut results = Vec::new();
        while let Some(command) = commands.get(next.fetch_add(1, Ordering::Relaxed)) {
            results.push(work(*command));
        }
        results
    };
    std::thread::scope(|scope| {
        let workers = [scope.spawn(worker), scope.spawn(worker)];
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

fn kill_at_calls(judge: &Judge, wanted: Calls, failures: &mut Vec<String>) -> usize {
    let calls = judge.calls(wanted);
    let mut killed = 0;
    for call in &calls {
        judge.reset();
        let output = die_at(&judge.ground, &judge.command, &call.name, call.number);
        killed += usize::from(output.status.code().is_none());
        failures.extend(judge.judge(
            &output,
            Fault::Death,
            &format!("killed at {} {}", call.name, call.number),
        ));
    }
    // How often a look reads a file depends on how long ago it was written, so the last calls may not come.
    if killed * 10 < calls.len() * 8 {
        failures.push(format!("{}: only {killed} of {} calls were reached", judge.command.name, calls.len()));
    }
    killed
}

fn die_at(ground: &Ground, command: &WritingCommand, call: &str, number: usize) -> Output {
    run_injected(ground, command, call, &format!("signal=KILL:when={number}"))
}

/// Gives back how many had not yet said that it was saved.
fn kill_at_random(judge: &Judge, times: usize, failures: &mut Vec<String>) -> usize {
    judge.reset();
    let begin = Instant::now();
    run(judge.ground.command(judge.command.arguments), &judge.command);
    let usual = begin.elapsed();
    let mut random = Random::new(judge.command.name.len() as u64);
    let mut died = 0;
    for _ in 0..times {
        judge.reset();
        let mut command = judge.ground.command(judge.command.arguments);
        let mut child = start(&mut command, &judge.command);
        if let Some(mut input) = child.stdin.take() {
            let _ = std::io::Write::write_all(&mut input, judge.command.input.as_bytes());
        }
        let moment = Duration::from_nanos(random.below(usual.as_nanos() as u64 * 5 / 4));
        std::thread::sleep(moment);
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        died += usize::from(output.status.code().is_none());
        failures.extend(judge.judge(&output, Fault::Death, &format!("killed after {moment:?}")));
    }
    died
}

/// Kills a command, and then the process that finds what it left, at random calls.
fn kill_successors(judge: &Judge, times: usize, failures: &mut Vec<String>) -> usize {
    if times == 0 || !judge.command.can_be_repeated() {
        return 0;
    }
    let first_calls = judge.calls(Calls::Writing);
    let successor = judge.command.next();
    let mut random = Random::new(7);
    let mut killed = 0;
    for _ in 0..times {
        judge.reset();
        let first = &first_calls[random.below(first_calls.len() as u64) as usize];
        die_at(&judge.ground, &judge.command, &first.name, first.number);
        let call = ["renameat2", "fsync", "unlinkat", "write", "fdatasync", "pwrite64", "ftruncate"]
            [random.below(7) as usize];
        let number = random.below(6) as usize + 1;
        let output = die_at(&judge.ground, &successor, call, number);
        if output.status.code().is_some() {
            continue;
        }
        killed += 1;
        let what = format!("killed at {} {}, its successor at {call} {number}", first.name, first.number);
        failures.extend(judge.look_after_two_deaths(&output, &what));
    }
    killed
}
