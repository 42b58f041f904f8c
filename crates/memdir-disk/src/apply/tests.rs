use std::cell::RefCell;
use std::fs;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use camino::Utf8PathBuf;
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::ChangeRecord;

use super::execute::Step;
use super::recover::recover_open;
use super::*;
use crate::swap_file::stat;

/// Tests run side by side in one process, which knows its operations under way by their ids.
static BENCHES: AtomicU64 = AtomicU64::new(0);

struct Bench {
    _temp: tempfile::TempDir,
    memory: Utf8PathBuf,
    root: MemoryRoot,
    log: LogWriter,
    history: History,
    first_id: u64,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let base = Utf8PathBuf::from_path_buf(temp.path().to_owned()).unwrap();
        let memory = base.join("memory");
        fs::create_dir(&memory).unwrap();
        crate::platform::make_private(memory.as_std_path()).unwrap();
        for (name, content) in files {
            fs::write(memory.join(name), content).unwrap();
        }
        let history = History::of(&base, &StoreId::new(1));
        let (root, log) = (MemoryRoot::open(&memory).unwrap(), LogWriter::open(&history).unwrap());
        let first_id = 1000 * BENCHES.fetch_add(1, Ordering::Relaxed);
        Self { _temp: temp, memory, root, log, history, first_id }
    }

    /// A step whose file looks untouched to a quick look, whatever its content is by now.
    fn step(&self, path: &str, before: Option<&str>, after: Option<&str>) -> Step {
        let path = RelPath::parse(path).unwrap();
        let like = self.root.place(&path).unwrap().and_then(|place| stat(&place));
        let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
        Step { path, before: bytes(before), after: bytes(after), like, modified: None }
    }

    fn begin(&mut self, number: u64, steps: &[Step]) -> Operation {
        let time = Timestamp::from_second(1_700_000_000).unwrap();
        let record = |step: &Step| ChangeRecord {
            path: step.path.clone(),
            before: step.before.as_deref().map(ContentHash::of),
            after: step.after.as_deref().map(ContentHash::of),
            renamed_from: None,
        };
        let operation = Operation {
            v: 1,
            id: OperationId::new(time, self.first_id + number),
            time,
            author: Author::person(),
            reason: "test".into(),
            store: StoreId::new(1),
            memory_dir: self.memory.clone(),
            changes: steps.iter().map(record).collect(),
            undo_of: None,
            plan: None,
        };
        let versions: Vec<_> =
            steps.iter().map(|step| (step.before.as_deref(), step.after.as_deref())).collect();
        self.log.begin(&operation, &versions).unwrap();
        operation
    }

    fn files(&self) -> Vec<(String, String)> {
        let mut files: Vec<(String, String)> = fs::read_dir(&self.memory)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap())
            })
            .collect();
        files.sort_unstable();
        files
    }

    fn run(&mut self, steps: Vec<Step>, merge: &Merge<'_>) -> (Result<(), DiskError>, Vec<Conflict>) {
        let operation = self.begin(1, &steps);
        let mut execution = Execution::new(&self.root, &mut self.log, operation, merge, OnConflict::KeepBoth);
        (execution.run(steps), execution.conflicts)
    }
}

fn joined(_: &RelPath, _: Option<&[u8]>, mine: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    Some([mine, b"+", theirs].concat())
}

fn nothing(_: &RelPath, _: Option<&[u8]>, _: &[u8], _: &[u8]) -> Option<Vec<u8>> {
    None
}

fn expect(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(name, content)| ((*name).to_owned(), (*content).to_owned())).collect()
}

#[test]
fn a_displaced_change_is_merged_and_swapped_in_again() {
    let mut bench = Bench::new(&[("a.md", "theirs")]);
    let steps = vec![bench.step("a.md", Some("base"), Some("mine"))];
    let (result, conflicts) = bench.run(steps, &joined);
    result.unwrap();
    assert_eq!(conflicts, []);
    assert_eq!(bench.files(), expect(&[("a.md", "mine+theirs")]));
    assert!(bench.history.content(ContentHash::of(b"theirs")).unwrap().is_some());
}

#[test]
fn a_displaced_change_that_cannot_be_merged_is_kept_beside() {
    let mut bench = Bench::new(&[("a.md", "theirs"), ("b.md", "theirs too")]);
    let steps = vec![bench.step("a.md", Some("base"), Some("mine")), bench.step("b.md", Some("base"), None)];
    let (result, conflicts) = bench.run(steps, &nothing);
    result.unwrap();
    let kept = conflicts[0].kept_as.clone().unwrap();
    assert_eq!((conflicts[0].kept, conflicts.len()), (Whose::Theirs, 2));
    assert_eq!(bench.files(), expect(&[(kept.as_str(), "theirs"), ("a.md", "mine"), ("b.md", "theirs too")]));
}

/// A process that opened the old file before the exchange may write into it afterwards.
fn late_writer(merge: &Merge<'_>) -> (Bench, Vec<Conflict>) {
    let mut bench = Bench::new(&[("a.md", "old"), ("b.md", "theirs")]);
    let open = RefCell::new(fs::OpenOptions::new().append(true).open(bench.memory.join("a.md")).unwrap());
    let steps =
        vec![bench.step("a.md", Some("old"), Some("mine")), bench.step("b.md", Some("base"), Some("b"))];
    let writes_late: &Merge<'_> = &|path, base, mine, theirs| {
        if path.as_str() == "b.md" {
            open.borrow_mut().write_all(b" and late").unwrap();
            return Some(mine.to_vec());
        }
        assert_eq!(base, Some(&b"old"[..]));
        merge(path, base, mine, theirs)
    };
    let (result, conflicts) = bench.run(steps, writes_late);
    result.unwrap();
    (bench, conflicts)
}

#[test]
fn a_late_writer_into_the_displaced_file_is_noticed() {
    let (bench, conflicts) = late_writer(&joined);
    assert_eq!(conflicts, []);
    assert_eq!(bench.files(), expect(&[("a.md", "mine+old and late"), ("b.md", "b")]));

    let (bench, conflicts) = late_writer(&nothing);
    let kept = conflicts[0].kept_as.clone().unwrap();
    assert_eq!(bench.files(), expect(&[(kept.as_str(), "old and late"), ("a.md", "mine"), ("b.md", "b")]));
}

#[test]
fn a_failure_takes_back_what_was_done() {
    let mut bench = Bench::new(&[("a.md", "old a"), ("b.md", "old b")]);
    fs::create_dir(bench.memory.join("d.md")).unwrap();
    let steps = vec![
        bench.step("a.md", Some("old a"), Some("new a")),
        bench.step("new.md", None, Some("new")),
        bench.step("b.md", Some("old b"), None),
        bench.step("d.md", Some("a file"), None),
    ];
    let operation = bench.begin(1, &steps);
    let mut execution =
        Execution::new(&bench.root, &mut bench.log, operation, &nothing, OnConflict::KeepBoth);
    assert!(execution.run(steps).is_err());
    assert!(execution.roll_back());
    fs::remove_dir(bench.memory.join("d.md")).unwrap();
    assert_eq!(bench.files(), expect(&[("a.md", "old a"), ("b.md", "old b")]));
}

/// An operation that stops after its record, before anything else.
#[test]
fn an_operation_of_which_nothing_is_seen_never_was() {
    let mut bench = Bench::new(&[("a.md", "old")]);
    let steps = [bench.step("a.md", Some("old"), Some("new"))];
    bench.begin(1, &steps);
    let recovery = recover_open(&bench.root, &mut bench.log).unwrap();
    assert_eq!((recovery.taken_back, recovery.finished), (1, 0));
    assert_eq!(bench.files(), expect(&[("a.md", "old")]));
    assert!(bench.log.ends_clean());
    assert_eq!(bench.history.read().unwrap().operations[0].1, Outcome::Aborted);
    assert_eq!(recover_open(&bench.root, &mut bench.log).unwrap(), Recovery::default());
}

/// An operation that stops after its first file, with everything that can be left over.
#[test]
fn an_operation_of_which_something_is_seen_is_finished() {
    use crate::temporary::{Stage, Temporary};
    let mut bench = Bench::new(&[("a.md", "new a"), ("b.md", "old b"), ("c.md", "old c")]);
    let steps = [
        bench.step("a.md", Some("old a"), Some("new a")),
        bench.step("b.md", Some("old b"), Some("new b")),
        bench.step("c.md", Some("old c"), None),
        bench.step("sub/d.md", None, Some("new d")),
    ];
    let operation = bench.begin(1, &steps);
    let leave = |path: &str, stage: Stage, content: &str| {
        let name = Temporary::name(&operation.id, &RelPath::parse(path).unwrap(), 1, stage);
        fs::write(bench.memory.join(name), content).unwrap();
    };
    leave("a.md", Stage::Swapped, "old a");
    leave("b.md", Stage::Writing, "new");
    leave("c.md", Stage::Swapped, "not recorded yet");
    let recovery = recover_open(&bench.root, &mut bench.log).unwrap();
    assert_eq!((recovery.taken_back, recovery.finished, recovery.collected), (0, 1, 2), "{recovery:?}");
    assert_eq!(fs::read_to_string(bench.memory.join("sub/d.md")).unwrap(), "new d");
    fs::remove_dir_all(bench.memory.join("sub")).unwrap();
    // What was displaced and is in no record gets its name back.
    assert_eq!(bench.files(), expect(&[("a.md", "new a"), ("b.md", "new b"), ("c.md", "not recorded yet")]));
    assert_eq!(recovery.warnings.len(), 1);
    assert!(bench.log.ends_clean());
}

#[test]
fn what_others_did_since_is_left_alone() {
    let mut bench = Bench::new(&[("a.md", "changed by hand"), ("b.md", "old b")]);
    let first = [bench.step("b.md", Some("old b"), Some("new b"))];
    bench.begin(1, &first);
    let second = [bench.step("b.md", Some("new b"), Some("old b"))];
    let second = bench.begin(2, &second);
    bench.log.end(&second.id, Outcome::Done, false).unwrap();
    let third = [bench.step("a.md", Some("old a"), Some("new a"))];
    bench.begin(3, &third);
    recover_open(&bench.root, &mut bench.log).unwrap();
    assert_eq!(bench.files(), expect(&[("a.md", "changed by hand"), ("b.md", "old b")]));
    assert!(bench.log.ends_clean());
}

/// Another process finishes what a killed process left: a third waits for that, and for nothing else.
#[test]
fn no_plan_is_made_from_a_half_settled_operation() {
    let mut bench = Bench::new(&[("a.md", "new a"), ("b.md", "old b")]);
    let steps =
        [bench.step("a.md", Some("old a"), Some("new a")), bench.step("b.md", Some("old b"), Some("new b"))];
    let operation = bench.begin(1, &steps);
    let (state_dir, id) = (bench.memory.parent().unwrap().to_owned(), StoreId::new(1));
    let memory_dir = bench.memory.clone();
    let settled = || {
        let store =
            Store { memory_dir: &memory_dir, id: &id, state_dir: &state_dir, follow_entrypoint_link: false };
        settle(&store, Duration::from_secs(30)).unwrap();
        fs::read_to_string(memory_dir.join("b.md")).unwrap()
    };
    let lock = StoreLock::acquire(&bench.root, Duration::ZERO).unwrap();
    let under_way = InFlight::enter(&operation.id);
    assert_eq!(settled(), "old b");
    drop(under_way);
    std::thread::scope(|scope| {
        let seen = scope.spawn(settled);
        std::thread::sleep(Duration::from_millis(50));
        recover_open(&bench.root, &mut bench.log).unwrap();
        drop(lock);
        assert_eq!(seen.join().unwrap(), "new b");
    });
}
