use std::collections::BTreeSet;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_disk::history::Outcome;

use super::ground::{Ground, acknowledged, stderr};
use super::random::Random;
use super::report::ProofReport;

/// How many write at once, and beside whom.
#[derive(Debug, Clone)]
pub struct Crowd {
    /// The file system on which they meet.
    pub directory: Utf8PathBuf,
    /// Processes at a time; each changes its own topic file and its own line of the index.
    pub writers: usize,
    /// Changes that each of them makes, every one by a process of its own.
    pub changes: usize,
    /// One of so many of these processes is killed at a random moment; 0: none.
    pub killed_one_in: u64,
    /// A process that takes no lock rewrites MEMORY.md all the time: in place, or by rename.
    pub strangers: bool,
}

/// What a writer knows in the end.
#[derive(Debug, Default, Clone, Copy)]
struct Written {
    /// The last value that was acknowledged.
    acknowledged: usize,
    /// The last value that was tried; one that was killed may have been written or not.
    tried: usize,
    number: usize,
    killed: usize,
}

/// Lets many processes change one index, each its own line and its own topic file.
#[must_use]
pub fn crowd(program: &Utf8Path, size: &Crowd) -> ProofReport {
    let (writers, changes) = (size.writers, size.changes);
    let mut report =
        ProofReport::new(&format!("Crowd: {writers} writers, {changes} changes each, on {}", size.directory));
    let ground = Ground::below(&size.directory, program);
    for writer in 0..writers {
        let (name, text) = (topic(writer), format!("Of writer {writer}. ").repeat(50));
        let value = value(0);
        let words = ["add", "--type", "project", "--name", &name, "--description", &value, "--text", &text];
        ground.must_run(&words);
    }
    let first: Vec<String> =
        (0..writers).map(|writer| read(&ground.memory_dir().join(format!("{}.md", topic(writer))))).collect();
    let index = ground.memory_dir().join("MEMORY.md");
    let (failures, done) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let (written, seen, foreign) = std::thread::scope(|scope| {
        let reader = scope.spawn(|| watch(&index, writers, size.strangers, &done, &failures));
        let stranger = scope.spawn(|| if size.strangers { meddle(&index, &done) } else { Vec::new() });
        let workers: Vec<_> = (0..writers)
            .map(|writer| {
                let (ground, failures) = (&ground, &failures);
                scope.spawn(move || change(ground, size, writer, failures))
            })
            .collect();
        let written: Vec<Written> = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
        done.store(true, Ordering::Relaxed);
        (written, reader.join().unwrap(), stranger.join().unwrap())
    });
    ground.must_run(&[
        "add",
        "--type",
        "user",
        "--name",
        "last",
        "--description",
        "The last",
        "--text",
        "Last.",
    ]);
    report.fail_all(failures.into_inner().unwrap());
    let acknowledged: usize = written.iter().map(|written| written.number).sum();
    report.count("changes acknowledged, each of a topic file and of its line in the index", acknowledged);
    if size.killed_one_in > 0 {
        report.count("processes killed", written.iter().map(|written| written.killed).sum::<usize>());
    }
    report.count("looks at the index meanwhile, each of them whole", seen);
    check_topics(&ground, &written, &first, &mut report);
    check_index(&ground, &written, size.strangers, &foreign, &mut report);
    check_history(&ground, acknowledged + writers + 1, size.killed_one_in, &mut report);
    let leftovers = ground.leftovers();
    if !leftovers.is_empty() {
        report.fail(format!("in the end there is a {}", leftovers.join(", a ")));
    }
    report
}

fn topic(writer: usize) -> String {
    format!("topic-{writer:02}")
}

fn value(number: usize) -> String {
    format!("value {number:06}")
}

fn read(path: &Utf8Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn change(ground: &Ground, size: &Crowd, writer: usize, failures: &Mutex<Vec<String>>) -> Written {
    let mut written = Written::default();
    let mut random = Random::new(writer as u64 + 1);
    for number in 1..=size.changes {
        let mut command = ground.command(&["set", &topic(writer), "description", &value(number)]);
        let mut child = command.spawn().unwrap();
        written.tried = number;
        let kills = size.killed_one_in > 0 && random.below(size.killed_one_in) == 0;
        if kills {
            std::thread::sleep(Duration::from_micros(random.below(100_000)));
            let _ = child.kill();
        }
        let output = child.wait_with_output().unwrap();
        if acknowledged(&output) {
            written.acknowledged = number;
            written.number += 1;
        } else if kills && output.status.code().is_none() {
            written.killed += 1;
        } else {
            failures.lock().unwrap().push(format!("{}: {}", topic(writer), stderr(&output)));
        }
    }
    written
}

/// Looks at the index as any reader does: it must never be torn. Gives back how often it looked.
fn watch(
    index: &Utf8Path,
    writers: usize,
    strangers: bool,
    done: &AtomicBool,
    failures: &Mutex<Vec<String>>,
) -> usize {
    let mut looks = 0;
    while !done.load(Ordering::Relaxed) {
        let text = read(index);
        let lines = text.lines().filter(|line| line.contains("](topic-")).count();
        let whole = text.ends_with('\n') && lines == writers;
        // A process that writes in place shows half a file to every reader; that is not ours to prevent.
        if !whole && !strangers {
            failures.lock().unwrap().push(format!("a reader saw {lines} of {writers} lines: {text:?}"));
            break;
        }
        looks += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
    looks
}

/// Fewer than the index may have, so that nothing has to move to another file.
const MOST_STRANGE_LINES: usize = 120;

/// Rewrites the index as an agent's own tools do: read, add a line, write, without a lock. Gives back its lines.
fn meddle(index: &Utf8Path, done: &AtomicBool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut random = Random::new(99);
    while !done.load(Ordering::Relaxed) && lines.len() < MOST_STRANGE_LINES {
        std::thread::sleep(Duration::from_millis(5 + random.below(40)));
        let line = format!("- a stranger's line {:04}", lines.len());
        let text = format!("{}{line}\n", read(index));
        if lines.len() % 2 == 0 {
            fs::write(index, text).unwrap();
        } else {
            let beside = index.with_file_name("stranger.tmp");
            fs::write(&beside, text).unwrap();
            fs::rename(&beside, index).unwrap();
        }
        lines.push(line);
    }
    lines
}

fn check_topics(ground: &Ground, written: &[Written], first: &[String], report: &mut ProofReport) {
    for (writer, (written, first)) in written.iter().zip(first).enumerate() {
        let content = read(&ground.memory_dir().join(format!("{}.md", topic(writer))));
        let allowed = written.acknowledged..=written.tried;
        if !allowed.clone().any(|number| content == first.replace(&value(0), &value(number))) {
            report.fail(format!(
                "`{}.md` has none of the values {allowed:?}, or is torn: {content:?}",
                topic(writer)
            ));
        }
    }
}

fn check_index(
    ground: &Ground,
    written: &[Written],
    strangers: bool,
    foreign: &[String],
    report: &mut ProofReport,
) {
    let files = ground.files();
    let index = read(&ground.memory_dir().join("MEMORY.md"));
    let expected: BTreeSet<String> = (0..written.len())
        .map(|writer| format!("{}.md", topic(writer)))
        .chain(["MEMORY.md".to_owned(), "last.md".to_owned()])
        .collect();
    let kept: Vec<&String> = files.keys().filter(|name| !expected.contains(*name)).collect();
    let (mut stale, mut both) = (0, 0);
    for (writer, written) in written.iter().enumerate() {
        let name = topic(writer);
        let lines: Vec<&str> = index.lines().filter(|line| line.contains(&format!("]({name}.md)"))).collect();
        let content = files.get(&format!("{name}.md")).map(|content| String::from_utf8_lossy(content));
        let current = (written.acknowledged..=written.tried).find(|&number| {
            lines.len() == 1
                && lines[0].ends_with(&value(number))
                && content.as_ref().is_some_and(|content| content.contains(&value(number)))
        });
        match current {
            Some(_) => {}
            // A stranger who had read it before our change put the old line back: the entry is there, its text old.
            None if strangers && lines.len() == 1 => stale += 1,
            // He changed it back while we changed it: both lines are there until the next change or `doctor`.
            None if strangers && lines.iter().any(|line| line.ends_with(&value(written.acknowledged))) => {
                both += 1;
            }
            None => report.fail(format!("`{name}.md` {written:?} and the index do not agree: {lines:?}")),
        }
    }
    if strangers {
        let everything: String =
            files.values().map(|content| String::from_utf8_lossy(content).into_owned()).collect();
        let lost = foreign.iter().filter(|line| !everything.contains(line.as_str())).count();
        report.count("a stranger's changes meanwhile, half in place, half by rename", foreign.len());
        report.count("… of these lost", lost);
        report.count("files kept beside, visibly", kept.len());
        report.count("index lines that a stranger set back to an older text", stale);
        report.count("index lines that are in both versions, visibly", both);
        if lost > 0 {
            report.fail(format!("{lost} of the stranger's lines are nowhere"));
        }
    } else if !kept.is_empty() {
        report.fail(format!("files that are left over: {kept:?}"));
    }
}

fn check_history(ground: &Ground, acknowledged: usize, killed_one_in: u64, report: &mut ProofReport) {
    let done = ground.operations().iter().filter(|(_, outcome)| *outcome == Outcome::Done).count();
    report.count("operations in the history", done);
    if done < acknowledged || (killed_one_in == 0 && done != acknowledged) {
        report.fail(format!("{acknowledged} were acknowledged, {done} are in the history"));
    }
}
