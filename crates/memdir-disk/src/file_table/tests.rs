use std::time::Duration;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{Author, StoreId};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;
use proptest::prelude::*;

use super::*;
use crate::apply::{OnConflict, Request, Store, apply};
use crate::history::History;
use crate::memory_root::MemoryRoot;
use crate::notice::notice;

/// What happens to a directory: by us, by others, or a look.
#[derive(Debug, Clone)]
enum Event {
    /// We write a file.
    Write(usize, u8),
    /// We delete a file.
    Delete(usize),
    /// We rename a file.
    Rename(usize, usize),
    /// Another program writes into the file itself.
    InPlace(usize, u8),
    /// Another program renames a new file over it.
    RenameOver(usize, u8),
    /// Another program changes a byte and puts the old times back.
    SameSizeAndTime(usize),
    /// Another program deletes a file.
    Unlink(usize),
    /// Another program renames a file.
    Move(usize, usize),
    /// Another program makes a second name for a file.
    Link(usize, usize),
    /// A backup is restored: old bytes with old times, as if the clock had gone back.
    Restore(usize, u8),
    /// A look at everything.
    Look,
}

const NAMES: [&str; 6] = ["a.md", "b.md", "c.md", "deep/d.md", "deep/deeper/e.md", "MEMORY.md"];

fn events() -> impl Strategy<Value = Event> {
    let (name, byte) = (0..NAMES.len(), 0..4_u8);
    prop_oneof![
        3 => (name.clone(), byte.clone()).prop_map(|(name, byte)| Event::Write(name, byte)),
        1 => name.clone().prop_map(Event::Delete),
        1 => (name.clone(), name.clone()).prop_map(|(from, to)| Event::Rename(from, to)),
        2 => (name.clone(), byte.clone()).prop_map(|(name, byte)| Event::InPlace(name, byte)),
        1 => (name.clone(), byte.clone()).prop_map(|(name, byte)| Event::RenameOver(name, byte)),
        1 => name.clone().prop_map(Event::SameSizeAndTime),
        1 => name.clone().prop_map(Event::Unlink),
        1 => (name.clone(), name.clone()).prop_map(|(from, to)| Event::Move(from, to)),
        1 => (name.clone(), name.clone()).prop_map(|(from, to)| Event::Link(from, to)),
        1 => (name, byte).prop_map(|(name, byte)| Event::Restore(name, byte)),
        2 => Just(Event::Look),
    ]
}

struct World {
    temp: tempfile::TempDir,
    id: StoreId,
}

impl World {
    fn root(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.temp.path().to_owned()).unwrap()
    }

    fn file(&self, name: usize) -> Utf8PathBuf {
        self.root().join("memory").join(NAMES[name])
    }

    fn with_store<T>(&self, run: impl FnOnce(&Store<'_>) -> T) -> T {
        let (dir, state) = (self.root().join("memory"), self.root());
        run(&Store { memory_dir: &dir, id: &self.id, state_dir: &state, follow_entrypoint_link: false })
    }

    fn look(&self) {
        self.with_store(|store| notice(store, Timestamp::UNIX_EPOCH, Duration::from_secs(5)).unwrap());
    }

    /// Applies a change that is planned from the files as they are.
    fn apply(&self, change: Change) {
        let mut plan = Plan::new("test");
        plan.changes.push(change);
        let request = Request {
            author: &Author::person(),
            time: Timestamp::UNIX_EPOCH,
            undo_of: None,
            staged: None,
            on_conflict: OnConflict::Refuse,
            patience: Duration::from_secs(5),
            merge: &|_, _, _, _| None,
        };
        self.with_store(|store| {
            apply(store, &memdir_core::gate::Admitted::verbatim(plan.clone()), &request).unwrap()
        });
    }

    fn happen(&self, event: &Event) {
        let path = |name: usize| RelPath::parse(NAMES[name]).unwrap();
        let text = |name: usize, byte: u8| {
            let called = NAMES[(name + usize::from(byte)) % NAMES.len()];
            format!("---\nname: {called}-{byte}\ndescription: d{byte}\n---\n[[{called}]]\n")
        };
        let current = |name: usize| fs::read(self.file(name)).ok();
        let make_room = |name: usize| fs::create_dir_all(self.file(name).parent().unwrap()).unwrap();
        match *event {
            Event::Write(name, byte) => {
                let base = current(name).map(Content);
                self.apply(Change::Write { path: path(name), content: text(name, byte).into(), base });
            }
            Event::Delete(name) => {
                if let Some(base) = current(name) {
                    self.apply(Change::Delete { path: path(name), base: Content(base) });
                }
            }
            Event::Rename(from, to) => {
                if let (Some(base), None) = (current(from), current(to)) {
                    self.apply(Change::Rename { from: path(from), to: path(to), base: Content(base) });
                }
            }
            Event::InPlace(name, byte) => {
                make_room(name);
                fs::write(self.file(name), text(name, byte)).unwrap();
            }
            Event::RenameOver(name, byte) => {
                make_room(name);
                let other = self.root().join("other");
                fs::write(&other, text(name, byte)).unwrap();
                fs::rename(other, self.file(name)).unwrap();
            }
            Event::SameSizeAndTime(name) => {
                let Some(mut content) = current(name) else { return };
                let modified = fs::metadata(self.file(name)).unwrap().modified().unwrap();
                *content.last_mut().unwrap() = b'!';
                fs::write(self.file(name), content).unwrap();
                File::options().write(true).open(self.file(name)).unwrap().set_modified(modified).unwrap();
            }
            Event::Unlink(name) => drop(fs::remove_file(self.file(name))),
            Event::Move(from, to) => {
                make_room(to);
                let _ = fs::rename(self.file(from), self.file(to));
            }
            Event::Link(from, to) => {
                make_room(to);
                let _ = fs::hard_link(self.file(from), self.file(to));
            }
            Event::Restore(name, byte) => {
                make_room(name);
                fs::write(self.file(name), text(name, byte)).unwrap();
                let old = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
                File::options().write(true).open(self.file(name)).unwrap().set_modified(old).unwrap();
            }
            Event::Look => self.look(),
        }
    }

    /// What a full reading of the directory says: every row without its stamp.
    fn scanned(&self) -> Vec<FileRow> {
        let root = MemoryRoot::open(&self.root().join("memory")).unwrap();
        let files = root.list_files(0).unwrap().files.into_iter();
        files
            .map(|file| {
                let content = root.read(&file.path, 1 << 20).unwrap().unwrap();
                FileRow::of(file.path.as_str(), &content, None)
            })
            .collect()
    }

    fn table(&self) -> Option<FileTable> {
        FileTable::open(&self.root(), &self.id)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn after_a_look_the_table_says_what_a_full_reading_says(
        happened in prop::collection::vec(events(), 1..24)
    ) {
        let world = World { temp: tempfile::tempdir().unwrap(), id: StoreId::new(1) };
        fs::create_dir(world.root().join("memory")).unwrap();
        fs::write(world.file(0), "first").unwrap();
        world.look();
        for event in &happened {
            // Within one tick of the clock, older kernels give a directory the same time twice.
            std::thread::sleep(Duration::from_millis(12));
            world.happen(event);
            // A directory whose time the table believes holds the files that the table names, and no others.
            let table = world.table().unwrap();
            let root = MemoryRoot::open(&world.root().join("memory")).unwrap();
            if table.directories().all(|(path, at)| at.is_some() && at == root.directory_time(path)) {
                let named: Vec<String> = table.rows().unwrap().into_iter().map(|row| row.path).collect();
                let there: Vec<String> = world.scanned().into_iter().map(|row| row.path).collect();
                prop_assert_eq!(named, there, "{:?}", event);
            }
        }
        world.look();
        let table = world.table().unwrap();
        let scanned = world.scanned();
        let rows = table.rows().unwrap();
        let bare: Vec<FileRow> = rows.iter().cloned().map(|row| FileRow { stamp: None, ..row }).collect();
        prop_assert_eq!(&bare, &scanned);
        let without_stamp = |row: FileRow| FileRow { stamp: None, ..row };
        for row in &scanned {
            prop_assert_eq!(table.row(&row.path).map(without_stamp), Some(row.clone()));
            for key in [RowKey::Hash(row.hash), RowKey::Stem(row.path.trim_end_matches(".md"))] {
                let wanted: Vec<&str> = scanned
                    .iter()
                    .filter(|other| other.keys().contains(&key.number()))
                    .map(|other| other.path.as_str())
                    .collect();
                let mut found: Vec<String> = table.rows_with(key).into_iter().map(|row| row.path).collect();
                found.sort();
                prop_assert_eq!(found, wanted);
            }
        }
        // Every version that is there now was recorded, so it can be brought back.
        let history = History::of(&world.root(), &world.id);
        let wanted = scanned.iter().map(|row| row.hash).collect::<std::collections::BTreeSet<ContentHash>>();
        prop_assert_eq!(history.contents(&wanted).unwrap().len(), wanted.len());
    }
}

#[test]
fn what_another_program_wrote_is_recorded_before_our_own_change_of_that_file() {
    let world = World { temp: tempfile::tempdir().unwrap(), id: StoreId::new(1) };
    fs::create_dir(world.root().join("memory")).unwrap();
    fs::write(world.file(0), "first").unwrap();
    fs::write(world.file(1), "other").unwrap();
    world.look();
    fs::write(world.file(0), "theirs").unwrap();
    fs::rename(world.file(1), world.file(2)).unwrap();
    let write = |name: usize, base: &str, content: &str| {
        let path = RelPath::parse(NAMES[name]).unwrap();
        world.apply(Change::Write { path, content: content.into(), base: Some(base.into()) });
    };
    write(0, "theirs", "ours");
    write(2, "other", "ours, too");
    let history = History::of(&world.root(), &world.id);
    let reasons: Vec<String> =
        history.read().unwrap().operations.into_iter().map(|(operation, _)| operation.reason).collect();
    let expected =
        ["noticed: found 2 files", "noticed: changed a.md", "test", "noticed: renamed c.md", "test"];
    assert_eq!(reasons, expected);
    world.look();
    assert_eq!(history.read().unwrap().operations.len(), expected.len());
}

#[test]
fn a_change_that_a_killed_process_appended_in_part_is_dropped_and_the_table_goes_on() {
    let world = World { temp: tempfile::tempdir().unwrap(), id: StoreId::new(1) };
    fs::create_dir(world.root().join("memory")).unwrap();
    fs::write(world.file(0), "first").unwrap();
    world.look();
    let path = FileTable::path_of(&world.root(), &world.id);
    let length = fs::metadata(&path).unwrap().len();
    world.happen(&Event::Write(1, 1));
    let torn = fs::metadata(&path).unwrap().len() - 3;
    assert!(torn > length);
    File::options().write(true).open(&path).unwrap().set_len(torn).unwrap();
    world.happen(&Event::Write(2, 2));
    let named: Vec<String> = world.table().unwrap().rows().unwrap().into_iter().map(|row| row.path).collect();
    assert_eq!(named, ["a.md", "b.md", "c.md"]);
    let history = History::of(&world.root(), &world.id);
    world.look();
    assert_eq!(history.read().unwrap().operations.len(), 3);
}
