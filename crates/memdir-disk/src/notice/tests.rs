use std::fs;

use camino::Utf8PathBuf;
use memdir_core::operation::StoreId;

use super::settled::EMPTY_PAUSE;
use super::*;

struct World {
    temp: tempfile::TempDir,
    id: StoreId,
}

impl World {
    fn new() -> Self {
        let world = Self { temp: tempfile::tempdir().unwrap(), id: StoreId::new(1) };
        fs::create_dir(world.dir()).unwrap();
        world
    }

    fn root(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.temp.path().to_owned()).unwrap()
    }

    fn dir(&self) -> Utf8PathBuf {
        self.root().join("memory")
    }

    fn write(&self, name: &str, content: &str) {
        fs::create_dir_all(self.dir().join(name).parent().unwrap()).unwrap();
        fs::write(self.dir().join(name), content).unwrap();
    }

    fn history(&self) -> History {
        History::of(&self.root(), &self.id)
    }

    fn look(&self) -> Noticed {
        let (dir, state) = (self.dir(), self.root());
        let store =
            Store { memory_dir: &dir, id: &self.id, state_dir: &state, follow_entrypoint_link: false };
        notice(&store, Timestamp::from_second(1_700_000_000).unwrap(), Duration::from_secs(5)).unwrap()
    }

    /// What a look notices, a line an operation.
    fn shown(&self) -> String {
        let lines = self.look().operations.into_iter().map(|operation| {
            let changes: Vec<String> = operation
                .changes
                .iter()
                .map(|change| {
                    let version = |hash: Option<ContentHash>| match hash {
                        Some(hash) => match self.history().content(hash).unwrap() {
                            Some(content) => String::from_utf8(content).unwrap(),
                            None => "lost".into(),
                        },
                        None => "-".into(),
                    };
                    let from =
                        change.renamed_from.as_ref().map(|from| format!("{from}=")).unwrap_or_default();
                    format!("{from}{}: {} -> {}", change.path, version(change.before), version(change.after))
                })
                .collect();
            format!("{} | {}", operation.reason, changes.join(", "))
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

#[test]
fn what_others_did_is_noticed_once_and_can_be_read_back() {
    let world = World::new();
    assert_eq!(world.shown(), "");
    world.write("a.md", "1");
    world.write("b.md", "b");
    assert_eq!(world.shown(), "noticed: found 2 files | a.md: 1 -> 1, b.md: b -> b");
    assert_eq!(world.shown(), "");
    world.write("a.md", "2");
    assert_eq!(world.shown(), "noticed: changed a.md | a.md: 1 -> 2");
    world.write("deep/c.md", "c");
    world.write("ignored.txt", "x");
    assert_eq!(world.shown(), "noticed: created deep/c.md | deep/c.md: - -> c");
    fs::rename(world.dir().join("b.md"), world.dir().join("z.md")).unwrap();
    assert_eq!(world.shown(), "noticed: renamed z.md | b.md=z.md: b -> b");
    fs::remove_file(world.dir().join("z.md")).unwrap();
    world.write("a.md", "3");
    assert_eq!(world.shown(), "noticed: changed 1 file, deleted 1 file | a.md: 2 -> 3, z.md: b -> -");
    assert_eq!(world.shown(), "");
    fs::remove_dir_all(world.dir()).unwrap();
    assert_eq!(world.shown(), "noticed: deleted 2 files | a.md: 3 -> -, deep/c.md: c -> -");
    assert_eq!(world.shown(), "");
}

#[test]
fn a_change_that_leaves_size_and_time_alone_is_noticed() {
    let world = World::new();
    world.write("a.md", "1");
    let file = fs::File::options().write(true).open(world.dir().join("a.md")).unwrap();
    let time = file.metadata().unwrap().modified().unwrap();
    world.look();
    // Right after the look, within the same tick of the file system's clock, and with the old time put back.
    world.write("a.md", "2");
    file.set_modified(time).unwrap();
    assert_eq!(world.shown(), "noticed: changed a.md | a.md: 1 -> 2");
}

#[test]
fn without_the_table_history_says_the_same() {
    let world = World::new();
    world.write("a.md", "1");
    world.write("b.md", "b");
    world.look();
    let table = FileTable::path_of(&world.root(), &world.id);
    for damage in ["", "MDTABLE1", "anything at all"] {
        fs::write(&table, damage).unwrap();
        assert_eq!(world.shown(), "", "{damage:?}");
    }
    fs::remove_file(&table).unwrap();
    world.write("a.md", "2");
    fs::remove_file(world.dir().join("b.md")).unwrap();
    assert_eq!(world.shown(), "noticed: changed 1 file, deleted 1 file | a.md: 1 -> 2, b.md: b -> -");
    let mut bytes = fs::read(&table).unwrap();
    let whole = FileTable::open_at(table.clone()).unwrap().rows();
    for position in 0..bytes.len() {
        bytes[position] ^= 0x10;
        fs::write(&table, &bytes).unwrap();
        let damaged = FileTable::open_at(table.clone()).and_then(|table| table.rows());
        assert!(damaged.is_none() || damaged == whole, "{position}");
        bytes[position] ^= 0x10;
    }
}

#[test]
fn our_own_operations_are_not_foreign_edits() {
    use crate::apply::{OnConflict, Request, apply};
    use memdir_core::plan::{Change, Plan};

    let world = World::new();
    world.write("a.md", "1");
    world.look();
    let (dir, state) = (world.dir(), world.root());
    let store = Store { memory_dir: &dir, id: &world.id, state_dir: &state, follow_entrypoint_link: false };
    let path = |name: &str| RelPath::parse(name).unwrap();
    let mut plan = Plan::new("test");
    plan.changes.push(Change::Write { path: path("new.md"), content: "n".into(), base: None });
    plan.changes.push(Change::Rename { from: path("a.md"), to: path("b.md"), base: "1".into() });
    plan.changes.push(Change::Write { path: path("notes.txt"), content: "t".into(), base: None });
    let request = Request {
        author: &Author::person(),
        time: Timestamp::from_second(1_700_000_001).unwrap(),
        undo_of: None,
        staged: None,
        on_conflict: OnConflict::Refuse,
        patience: Duration::ZERO,
        merge: &|_, _, _, _| None,
    };
    apply(&store, &memdir_core::gate::Admitted::verbatim(plan), &request).unwrap();
    assert_eq!(world.shown(), "");
    world.write("b.md", "2");
    assert_eq!(world.shown(), "noticed: changed b.md | b.md: 1 -> 2");
}

#[test]
fn a_file_that_is_being_written_is_not_recorded_half() {
    // A busy machine may stop the writer for longer than any look waits; then nothing can be said, and once more.
    let attempt =
        (0..50).map(|_| looks_beside_a_writer()).find(|(_, longest_gap)| *longest_gap < EMPTY_PAUSE / 2);
    let (texts, _) = attempt.expect("the machine stops every writer");
    assert_eq!(texts.last().unwrap(), b"done");
    assert!(texts.iter().all(|text| !text.is_empty()), "a truncated file is not a version");
}

/// Every version that looks recorded beside a process that truncates a file and fills it again, and the longest time
/// for which he left it empty.
fn looks_beside_a_writer() -> (Vec<Vec<u8>>, Duration) {
    let world = World::new();
    world.write("a.md", "whole");
    world.look();
    let path = world.dir().join("a.md");
    let writing = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let until = std::sync::Arc::clone(&writing);
    let writer = std::thread::spawn(move || {
        let mut text = String::new();
        let mut longest_gap = Duration::ZERO;
        while until.load(std::sync::atomic::Ordering::Relaxed) {
            text.push('x');
            let begun = std::time::Instant::now();
            fs::write(&path, &text).unwrap();
            longest_gap = longest_gap.max(begun.elapsed());
        }
        fs::write(&path, "done").unwrap();
        longest_gap
    });
    for _ in 0..5 {
        world.look();
    }
    writing.store(false, std::sync::atomic::Ordering::Relaxed);
    let longest_gap = writer.join().unwrap();
    world.look();
    let recorded = world.history().read().unwrap().operations;
    let versions = recorded.iter().flat_map(|(operation, _)| &operation.changes).map(|change| change.after);
    let texts = versions.flatten().map(|hash| world.history().content(hash).unwrap().unwrap()).collect();
    (texts, longest_gap)
}
