use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::gate::Admitted;
use memdir_core::operation::{Author, StoreId};
use memdir_core::plan::{Change, Plan};
use memdir_core::rel_path::RelPath;
use memdir_disk::apply::{OnConflict, Request, Store, apply};
use memdir_disk::memory_root::MemoryRoot;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::report::ProofReport;
use crate::TestHome;

/// How often the attacker tries to slip through.
#[derive(Debug, Clone, Copy)]
pub struct Race {
    /// Reads and writes altogether.
    pub attempts: u64,
}

/// What is swapped with a link while we work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Swapped {
    /// A directory below the memory directory.
    Below,
    /// The memory directory itself.
    Root,
}

/// Every so many attempts is a write.
const WRITE_EVERY: u64 = 8;

/// Reads and writes while a directory on the way is swapped with a link to another in a tight loop.
#[must_use]
pub fn race(size: Race) -> ProofReport {
    let mut report = ProofReport::new("Race: a directory swapped with a link in a tight loop");
    for swapped in [Swapped::Below, Swapped::Root] {
        run(swapped, size.attempts / 2, &mut report);
    }
    report
}

#[derive(Default)]
struct Tally {
    swaps: AtomicU64,
    read: AtomicU64,
    not_read: AtomicU64,
    written: AtomicU64,
    not_written: AtomicU64,
    escapes: AtomicU64,
}

fn run(swapped: Swapped, attempts: u64, report: &mut ProofReport) {
    let home = TestHome::below(Utf8Path::new("/dev/shm"));
    let memory = home.dir("memory");
    home.write("memory/sub/a.md", "inside");
    home.write("memory/a.md", "inside");
    // Nothing of this may ever be read, and nothing may ever be written here.
    home.write("outside/a.md", "OUTSIDE");
    home.write("outside/sub/a.md", "OUTSIDE");
    let outside = [home.root().join("outside"), home.root().join("outside/sub")];
    let link = home.root().join("link");
    std::os::unix::fs::symlink(&outside[0], &link).unwrap();
    let target = match swapped {
        Swapped::Below => memory.join("sub"),
        Swapped::Root => memory.clone(),
    };
    for dir in [&memory, &memory.join("sub"), &outside[0], &outside[1]] {
        fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    }
    let before = outside.clone().map(|dir| changed(&dir));
    let held = MemoryRoot::open(&memory).unwrap();
    let (done, tally) = (AtomicBool::new(false), Tally::default());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, target.as_str(), CWD, link.as_str(), RenameFlags::EXCHANGE).unwrap();
                tally.swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        let workers: Vec<_> = (0..2u64)
            .map(|worker| {
                let (home, held, memory, tally) = (&home, &held, &memory, &tally);
                scope.spawn(move || {
                    for number in 0..attempts / 2 {
                        if number % WRITE_EVERY == 0 {
                            write(home, memory, worker, number, tally);
                        } else {
                            read(swapped, held, memory, number, tally);
                        }
                    }
                })
            })
            .collect();
        let answers: Vec<_> = workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Relaxed);
        answers.into_iter().for_each(|answer| answer.unwrap());
    });
    let name = if swapped == Swapped::Below { "a directory below the root" } else { "the root itself" };
    let get = |number: &AtomicU64| number.load(Ordering::Relaxed);
    report.count(&format!("{name}: swaps"), get(&tally.swaps));
    report.count(&format!("{name}: reads that saw the inside"), get(&tally.read));
    report.count(&format!("{name}: reads that were refused"), get(&tally.not_read));
    report.count(&format!("{name}: writes that went inside"), get(&tally.written));
    report.count(&format!("{name}: writes that were refused"), get(&tally.not_written));
    if get(&tally.escapes) > 0 {
        report.fail(format!("{name}: {} reads saw the outside", get(&tally.escapes)));
    }
    if outside.map(|dir| changed(&dir)) != before {
        report.fail(format!("{name}: something was written outside: {}", home.tree("outside")));
    }
    if get(&tally.read) == 0 || get(&tally.written) == 0 || get(&tally.not_written) == 0 {
        report.fail(format!("{name}: the race was none, one side always won"));
    }
}

/// When something last changed in a directory, and what the file in it says: a file that was made there and
/// removed again leaves a trace too.
fn changed(dir: &Utf8Path) -> (std::time::SystemTime, String) {
    (fs::metadata(dir).unwrap().modified().unwrap(), fs::read_to_string(dir.join("a.md")).unwrap())
}

fn read(swapped: Swapped, held: &MemoryRoot, memory: &Utf8PathBuf, number: u64, tally: &Tally) {
    let fresh = MemoryRoot::open(memory);
    // A memory directory that is itself a link may be read, so there only a held one must not lead elsewhere.
    let root = match (swapped, &fresh) {
        (Swapped::Below, Ok(fresh)) if number.is_multiple_of(2) => fresh,
        _ => held,
    };
    let path = RelPath::parse("sub/a.md").unwrap();
    match root.read(&path, 1000) {
        Ok(Some(content)) if content == b"inside" => tally.read.fetch_add(1, Ordering::Relaxed),
        Ok(Some(_)) => tally.escapes.fetch_add(1, Ordering::Relaxed),
        Ok(None) | Err(_) => tally.not_read.fetch_add(1, Ordering::Relaxed),
    };
}

fn write(home: &TestHome, memory: &Utf8Path, worker: u64, number: u64, tally: &Tally) {
    let (state, id) = (home.root().join(format!("state-{worker}")), StoreId::new(1));
    let store = Store { memory_dir: memory, id: &id, state_dir: &state, follow_entrypoint_link: false };
    let mut plan = Plan::new("race");
    plan.changes.push(Change::Write {
        path: RelPath::parse(&format!("sub/{worker}.md")).unwrap(),
        content: format!("inside {number}").into(),
        base: None,
    });
    let request = Request {
        author: &Author::person(),
        time: crate::NOW.parse().unwrap(),
        undo_of: None,
        staged: None,
        on_conflict: OnConflict::KeepBoth,
        patience: std::time::Duration::from_secs(20),
        merge: &|_, _, mine, _| Some(mine.to_vec()),
    };
    match apply(&store, &Admitted::verbatim(plan), &request) {
        Ok(_) => tally.written.fetch_add(1, Ordering::Relaxed),
        Err(_) => tally.not_written.fetch_add(1, Ordering::Relaxed),
    };
}
