use std::process::Command;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use jiff::civil::date;
use memdir_search::transcript::Reader;
use memdir_search::{Limits, Options, Scope, Searcher, Source};

use super::corpus;
use super::measure::{Table, cpu, cpu_of};
use super::sandbox::Bench;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const QUERIES: [&str; 3] =
    ["codename needle3", "retry policy exponential backoff", "why does the postgres schema use ULID keys"];

/// `memdir search` at three sizes beside grep and raw SQLite FTS5; CPU times, because a busy machine stretches others.
#[must_use]
pub fn search(program: &Utf8Path) -> Table {
    let measured: Vec<Measured> = SIZES.iter().map(|size| measure(program, *size)).collect();
    let mut table = Table::new("Search at 1,000 / 10,000 / 100,000 files, CPU ms");
    let cell = |value: fn(&Measured) -> f64, digits: usize| {
        measured.iter().map(|one| format!("{:.digits$}", value(one))).collect::<Vec<_>>().join(" / ")
    };
    table.row("a bare stat of the files", cell(|one| one.stat, 1), "");
    table.row("`memdir search` with a look at what changed", cell(|one| one.scan, 1), "5 / 28 / 260");
    table.row("the same with `--no-scan`", cell(|one| one.no_scan, 1), "3 / 5 / 15");
    table.row("warm query in a library", cell(|one| one.warm, 3), "0.15 / 0.5 / 4");
    table.row("the same with ten snippets from their files", cell(|one| one.warm_snippets, 3), "");
    table.row("first indexing, a file", cell(|one| one.first, 3), "0.1 / 0.1 / 0.1");
    table.row("one changed file searchable", cell(|one| one.changed, 1), "6 / 30 / 300");
    table.row("resident memory of a search, MB", cell(|one| one.resident, 1), "60 at 100,000");
    table.row("index on disk, MB", cell(|one| one.disk, 1), "");
    table.row("`grep -rliE` of the first question", cell(|one| one.grep, 1), "");
    table.row("raw FTS5: first indexing, a file", cell(|one| one.fts5_first, 3), "");
    table.row("raw FTS5: query on an open database", cell(|one| one.fts5_query, 3), "");
    table
}

/// Reading and indexing transcripts.
#[must_use]
pub fn transcripts(_: &Utf8Path) -> Table {
    const MEGABYTES: usize = 200;
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    std::fs::create_dir(root.join("sessions")).unwrap();
    let path = root.join("sessions/s.jsonl");
    corpus::transcript(&path, MEGABYTES);
    let megabytes = std::fs::metadata(&path).unwrap().len() as f64 / 1e6;
    let per_second = |milliseconds: f64| format!("{:.0} MB/s", megabytes / milliseconds * 1e3);
    let mut turns = 0_usize;
    let reading = least(|| {
        turns = 0;
        Reader::new(std::fs::File::open(&path).unwrap())
            .read(|_| {
                turns += 1;
                std::ops::ControlFlow::Continue(())
            })
            .unwrap();
    });
    let cache = root.join("cache");
    let open = || Searcher::open(&cache, vec![Source::transcripts(root.join("sessions"))]);
    let indexing = least(|| {
        let _ = std::fs::remove_dir_all(&cache);
        refresh(&mut open());
    });
    let mut searcher = open();
    let rounds = 50;
    let mut file = std::fs::File::options().append(true).open(&path).unwrap();
    let appended = cpu_during(|| {
        for _ in 0..rounds {
            let turn = "{\"type\":\"user\",\"uuid\":\"x\",\"message\":{\"content\":\"one more\"}}\n";
            std::io::Write::write_all(&mut file, turn.as_bytes()).unwrap();
            refresh(&mut searcher);
        }
    }) / f64::from(rounds);
    let mut table = Table::new(&format!("Transcripts: {megabytes:.0} MB, {turns} turns"));
    table.row("reading every turn", per_second(reading), "at least 400 MB/s");
    table.row("first indexing", per_second(indexing), "at least 60 MB/s");
    table.row("one appended turn searchable, CPU ms", format!("{appended:.2}"), "");
    table
}

#[derive(Default)]
struct Measured {
    stat: f64,
    scan: f64,
    no_scan: f64,
    warm: f64,
    warm_snippets: f64,
    first: f64,
    changed: f64,
    resident: f64,
    disk: f64,
    grep: f64,
    fts5_first: f64,
    fts5_query: f64,
}

fn measure(program: &Utf8Path, size: usize) -> Measured {
    let bench = Bench::new(program);
    let folder = bench.home.dir("corpus");
    corpus::memories(&folder, size);
    // What was written a moment ago is looked at twice; that is not what is measured.
    std::thread::sleep(Duration::from_millis(50));
    let runs = (200_000 / size).clamp(5, 60);
    let command = |extra: &[&str]| {
        let mut arguments = vec!["search", "--dir", folder.as_str(), "--json"];
        arguments.extend(extra);
        bench.command(&arguments)
    };
    let cache = bench.home.home().join(".local/share/memdir/cache/search");
    let first = cpu_of(3, |_| {
        let _ = std::fs::remove_dir_all(&cache);
        // Without a question, and until everything is indexed, however busy the machine is.
        bench.command(&["search", "--dir", folder.as_str(), "--jsonl"])
    });
    let mut measured = Measured { first: first / size as f64, ..Measured::default() };
    let query = |run: usize| QUERIES[run % QUERIES.len()];
    measured.scan = cpu_of(runs, |run| command(&[query(run)]));
    measured.no_scan = cpu_of(60, |run| command(&["--no-scan", query(run)]));
    measured.changed = cpu_of(runs, |run| {
        std::fs::write(
            folder.join("changed.md"),
            format!("# Zebra\n\nzebra number {run}{}\n", "x".repeat(run)),
        )
        .unwrap();
        command(&["zebra"])
    });
    [measured.warm, measured.warm_snippets, measured.resident] = warm(&cache, &folder);
    measured.disk = du(&cache) as f64 / 1e6;
    measured.stat = stat_all(&folder);
    measured.grep = cpu_of(3, |_| {
        let mut grep = Command::new("grep");
        grep.args(["-rliE", "codename|needle3"]).arg(&folder);
        grep
    });
    (measured.fts5_first, measured.fts5_query) = fts5(&folder);
    measured
}

/// CPU milliseconds of some work in this process.
fn cpu_during(work: impl FnOnce()) -> f64 {
    let start = own_cpu();
    work();
    own_cpu() - start
}

/// The least of three runs.
pub(super) fn least(mut work: impl FnMut()) -> f64 {
    (0..3).map(|_| cpu_during(&mut work)).fold(f64::INFINITY, f64::min)
}

/// CPU milliseconds of this process. The kernel brings its count up to date every few milliseconds, so only work that
/// takes much longer can be measured.
fn own_cpu() -> f64 {
    cpu("/proc/self/schedstat")
}

/// Late enough that every file has settled.
fn now() -> Timestamp {
    Timestamp::MAX
}

fn refresh(searcher: &mut Searcher) {
    searcher.refresh(&mut Limits { now: now(), deadline: None, progress: &mut |_, _| {} }).unwrap();
}

/// CPU milliseconds of a warm query, of one with snippets, and the peak of resident memory, in a process of its own.
fn warm(cache: &Utf8Path, folder: &Utf8Path) -> [f64; 3] {
    let own = std::env::current_exe().unwrap();
    let output = Command::new(own).args(["--warm-search", cache.as_str(), folder.as_str()]).output().unwrap();
    numbers(&output.stdout)
}

/// What the process of `warm` does.
pub fn warm_search(cache: &str, folder: &str) -> String {
    let source = Source::markdown(Utf8PathBuf::from(folder), Scope::Folder);
    let mut searcher = Searcher::open(Utf8Path::new(cache), vec![source]);
    let queries = QUERIES.map(|query| searcher.parse(query, date(2026, 11, 15)));
    let each = [false, true].map(|snippets| {
        let options = Options { limit: 10, now: now(), snippets };
        let ask = || {
            let found = |query| searcher.search(query, &options).unwrap();
            queries.iter().for_each(|query| assert!(!found(query).hits.is_empty()));
        };
        ask();
        // The least of some parts: others use the machine too, and only ever add to it.
        let rounds = 30;
        let part = || cpu_during(|| (0..rounds).for_each(|_| ask())) / f64::from(rounds);
        (0..10).map(|_| part()).fold(f64::INFINITY, f64::min) / QUERIES.len() as f64
    });
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    let kilobytes: f64 = peak.trim().trim_end_matches(" kB").parse().unwrap_or(0.0);
    format!("{} {} {}", each[0], each[1], kilobytes / 1e3)
}

fn fts5(folder: &Utf8Path) -> (f64, f64) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/bench-fts5.py");
    match Command::new("python3").arg(script).arg(folder).args(QUERIES).output() {
        Ok(output) if output.status.success() => {
            let [first, query] = numbers(&output.stdout);
            (first, query)
        }
        _ => (f64::NAN, f64::NAN),
    }
}

fn numbers<const COUNT: usize>(output: &[u8]) -> [f64; COUNT] {
    let text = String::from_utf8_lossy(output);
    let mut words = text.split_whitespace().map(|word| word.parse().unwrap_or(f64::NAN));
    std::array::from_fn(|_| words.next().unwrap_or(f64::NAN))
}

fn stat_all(folder: &Utf8Path) -> f64 {
    let rounds = 20;
    cpu_during(|| (0..rounds).for_each(|_| stat_once(folder))) / f64::from(rounds)
}

fn stat_once(folder: &Utf8Path) {
    for kind in folder.read_dir_utf8().unwrap().flatten() {
        for entry in kind.path().read_dir_utf8().into_iter().flatten().flatten() {
            entry.metadata().unwrap();
        }
    }
}

fn du(folder: &Utf8Path) -> u64 {
    let mut sum = 0;
    for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
        let metadata = entry.metadata().unwrap();
        sum += if metadata.is_dir() { du(entry.path()) } else { metadata.len() };
    }
    sum
}
