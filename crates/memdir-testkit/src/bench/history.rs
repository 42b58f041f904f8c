use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use memdir_core::content_hash::ContentHash;
use memdir_core::gate::Admitted;
use memdir_core::operation::{Author, ChangeRecord, Operation, OperationId, StoreId};
use memdir_core::plan::{Change, Plan};
use memdir_core::rel_path::RelPath;
use memdir_disk::apply::{Applied, LOCK_PATIENCE, OnConflict, Request, Store, apply, apply_unrecorded};
use memdir_disk::disk_error::DiskError;
use memdir_disk::history::History;
use memdir_disk::notice::notice;

use super::measure::{Table, compare, median, ratio};
use super::sandbox::Bench;
use crate::TestHome;

/// What history costs: a write with it, the log of 100,000 operations, a look at 10,000 files.
#[must_use]
pub fn history(program: &Utf8Path) -> Table {
    let mut table = Table::new("History");
    for (directory, name) in [("/dev/shm", "tmpfs"), ("/var/tmp", "disk")] {
        write(&mut table, directory.into(), name);
    }
    growth(&mut table);
    look(&mut table, program);
    log(&mut table, program);
    table
}

fn operation(number: u64, store: &StoreId, memory_dir: &Utf8Path) -> Operation {
    let time = NOW.parse().unwrap();
    Operation {
        v: 1,
        id: OperationId::new(time, number),
        time,
        author: Author::person(),
        reason: format!("edit topic_{number}.md"),
        store: store.clone(),
        memory_dir: memory_dir.to_owned(),
        changes: Vec::new(),
        undo_of: None,
        plan: None,
    }
}

const NOW: &str = crate::NOW;

/// `memdir log` of a store with 100,000 operations.
fn log(table: &mut Table, program: &Utf8Path) {
    let bench = Bench::new(program);
    let added = bench.command(&["add", "--type=user", "--name=a", "--description=d", "--text=t"]).status();
    assert!(added.unwrap().success());
    let histories = bench.home.home().join(".local/share/memdir/history");
    let name = histories.read_dir_utf8().unwrap().next().unwrap().unwrap().file_name().to_owned();
    let store = StoreId(name);
    let history = History::of(histories.parent().unwrap(), &store);
    let memory_dir = bench.home.home().join("memory");
    for number in 0..100_000 {
        let content = format!("version {number}\n");
        let mut operation = operation(number, &store, &memory_dir);
        operation.changes.push(ChangeRecord {
            path: RelPath::parse("notes.txt").unwrap(),
            before: None,
            after: Some(ContentHash::of(content.as_bytes())),
            renamed_from: None,
        });
        history.record_observed(&operation, &[(None, Some(content.as_bytes()))]).unwrap();
    }
    let mut segments: Vec<_> =
        history.dir().read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path()).collect();
    segments.retain(|path| path.extension() == Some("seg"));
    segments.sort();
    let cat = |paths: &[camino::Utf8PathBuf]| {
        let mut command = Command::new("cat");
        command.args(paths).env_clear();
        command
    };
    let last = &segments[segments.len() - 1..];
    let times = compare(31, || bench.command(&["log"]), || cat(last));
    table.row(
        "`memdir log` of 100,000 operations : `cat` of the segment that it reads",
        ratio(times),
        "3 times",
    );
    let times = compare(11, || bench.command(&["log", "--json"]), || cat(last));
    table.row(
        "`memdir log --json`, the last 1,000 of them : `cat` of that segment",
        ratio(times),
        "no promise",
    );
    let times = compare(5, || bench.command(&["log", "--json", "-n", "100000"]), || cat(&segments));
    table.row("`memdir log --json -n 100000` : `cat` of the whole history", ratio(times), "no promise");
}

/// A look at 10,000 unchanged files.
fn look(table: &mut Table, program: &Utf8Path) {
    let bench = Bench::new(program);
    let memory_dir = bench.home.dir("memory");
    for number in 0..10_000 {
        fs::write(memory_dir.join(format!("topic_{number}.md")), format!("topic {number}\n")).unwrap();
    }
    let (id, state_dir) = (StoreId::new(1), bench.home.dir("state"));
    let store =
        Store { memory_dir: &memory_dir, id: &id, state_dir: &state_dir, follow_entrypoint_link: false };
    let now = NOW.parse().unwrap();
    notice(&store, now, LOCK_PATIENCE).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    notice(&store, now, LOCK_PATIENCE).unwrap();
    let times = in_turns(31, |which| match which {
        Which::Subject => assert!(notice(&store, now, LOCK_PATIENCE).unwrap().operations.is_empty()),
        Which::Reference => {
            let names = memory_dir.read_dir_utf8().unwrap();
            let bytes: u64 =
                names.map(|entry| fs::symlink_metadata(entry.unwrap().path()).unwrap().len()).sum();
            assert!(bytes > 0);
        }
    });
    table.row("a look at 10,000 unchanged files : a stat of each", ratio(times), "1.5 times");
}

/// One durable write of a topic file and its index, with and without history, through the same door.
fn write(table: &mut Table, directory: &Utf8Path, name: &str) {
    let home = TestHome::below(directory);
    let (memory_dir, plain, state_dir) = (home.dir("memory"), home.dir("plain"), home.dir("state"));
    let id = StoreId::new(1);
    let store =
        Store { memory_dir: &memory_dir, id: &id, state_dir: &state_dir, follow_entrypoint_link: false };
    let unrecorded = Store { memory_dir: &plain, ..store };
    let mut rounds = [0, 0];
    let mut round = |which: usize| {
        rounds[which] += 1;
        texts(rounds[which])
    };
    let mut round_with = |store: &Store<'_>, which: usize, apply: Apply| {
        let (before, after) = round(which);
        change(store, &before, &after, apply);
    };
    let times = in_turns(401, |which| match which {
        Which::Subject => round_with(&store, 0, apply),
        Which::Reference => round_with(&unrecorded, 1, apply_unrecorded),
    });
    let what = format!("a durable change of a memory and the index, with history : without, {name}");
    table.row(&what, ratio(times), "1.6 times");
}

/// A memory and an index of 7 kB before and after a round, each with one changed line.
fn texts(round: u64) -> (Files, Files) {
    let index: String =
        (0..120).map(|line| format!("- [Topic {line}](topic_{line}.md) — what it is about\n")).collect();
    let body = "A sentence of the usual length that says something.\n".repeat(40);
    let state = |round: u64| match round {
        0 => vec![("topic.md", None), ("MEMORY.md", None)],
        round => vec![
            ("topic.md", Some(format!("{body}Round {round}.\n"))),
            ("MEMORY.md", Some(format!("{index}- [Topic](topic.md) — round {round}\n"))),
        ],
    };
    (state(round - 1), state(round))
}

/// An index of 25 kB in which one line changes a thousand times.
fn growth(table: &mut Table) {
    let home = TestHome::below("/dev/shm".into());
    let (memory_dir, state_dir) = (home.dir("memory"), home.dir("state"));
    let id = StoreId::new(1);
    let store =
        Store { memory_dir: &memory_dir, id: &id, state_dir: &state_dir, follow_entrypoint_link: false };
    let lines: Vec<String> = (0..)
        .map(|line| {
            format!("- [Topic {line}](topic_{line}.md) — {:x} is what it is about\n", line * 7_919_u64)
        })
        .scan(0, |bytes, line| {
            *bytes += line.len();
            (*bytes <= 25_000).then_some(line)
        })
        .collect();
    let mut before: Option<String> = None;
    for round in 0..1_000_usize {
        let mut lines = lines.clone();
        let place = round * 37 % lines.len();
        lines[place] = format!("- [Topic {place}](topic_{place}.md) — changed in round {round}\n");
        let after = lines.concat();
        change(&store, &[("MEMORY.md", before)], &[("MEMORY.md", Some(after.clone()))], apply);
        before = Some(after);
    }
    let history = History::of(&state_dir, &id);
    let files = history.dir().read_dir_utf8().unwrap();
    let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    let what = format!(
        "history of an index of {:.1} kB that changed 1,000 times",
        before.unwrap().len() as f64 / 1e3
    );
    table.row(&what, format!("{:.2} MB", bytes as f64 / 1e6), "2 MB");
}

/// Files by name; `None`: there is none.
type Files = Vec<(&'static str, Option<String>)>;
type Apply = fn(&Store<'_>, &Admitted<Plan>, &Request<'_>) -> Result<Applied, DiskError>;

/// Applies a plan that turns some files into others.
fn change(
    store: &Store<'_>,
    before: &[(&str, Option<String>)],
    after: &[(&str, Option<String>)],
    apply: Apply,
) {
    let mut plan = Plan::new("bench");
    for ((name, before), (_, after)) in before.iter().zip(after) {
        let path = RelPath::parse(name).unwrap();
        let (content, base) = (after.clone().unwrap().into(), before.clone().map(Into::into));
        plan.changes.push(Change::Write { path, content, base });
    }
    let request = Request {
        author: &Author::person(),
        time: NOW.parse().unwrap(),
        undo_of: None,
        staged: None,
        on_conflict: OnConflict::Refuse,
        patience: LOCK_PATIENCE,
        merge: &|_, _, _, _| None,
    };
    apply(store, &Admitted::verbatim(plan), &request).unwrap();
}

#[derive(Debug, Clone, Copy)]
enum Which {
    Subject,
    Reference,
}

/// The medians of the times of two functions, run in turns: what else the machine does touches both alike. The first
/// round of each makes what the later ones change, so it does not count.
fn in_turns(runs: usize, mut run: impl FnMut(Which)) -> (Duration, Duration) {
    let mut timed = |which: Which| {
        let start = Instant::now();
        run(which);
        start.elapsed()
    };
    let mut once = || (timed(Which::Subject), timed(Which::Reference));
    once();
    let (of_subject, of_reference) = (0..runs).map(|_| once()).unzip();
    (median(of_subject), median(of_reference))
}
