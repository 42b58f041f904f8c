//! Plans applied to real directories, alone and in a crowd.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::gate::Admitted;
use memdir_core::operation::{Author, StoreId};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_disk::apply::{Applied, LOCK_PATIENCE, Merge, OnConflict, Request, Store, Whose, apply, recover};
use memdir_disk::disk_error::DiskError;
use memdir_disk::history::{History, Outcome};

pub(crate) struct Place {
    _temp: tempfile::TempDir,
    pub(crate) memory: Utf8PathBuf,
    pub(crate) state: Utf8PathBuf,
    pub(crate) id: StoreId,
}

impl Place {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        Self { _temp: temp, memory: path.join("memory"), state: path.join("state"), id: StoreId::new(7) }
    }

    fn existing() -> Self {
        let place = Self::new();
        fs::create_dir(&place.memory).unwrap();
        fs::set_permissions(&place.memory, fs::Permissions::from_mode(0o700)).unwrap();
        place
    }

    pub(crate) fn apply(&self, changes: Vec<Change>) -> Result<Applied, DiskError> {
        self.apply_with(changes, &no_merge, OnConflict::KeepBoth)
    }

    fn apply_with(
        &self,
        changes: Vec<Change>,
        merge: &Merge<'_>,
        on_conflict: OnConflict,
    ) -> Result<Applied, DiskError> {
        let store = self.store();
        let mut plan = Plan::new("test");
        plan.changes = changes;
        let author = Author::person();
        let request = Request {
            author: &author,
            time: now(),
            undo_of: None,
            staged: None,
            on_conflict,
            patience: LOCK_PATIENCE,
            merge,
        };
        apply(&store, &Admitted::verbatim(plan), &request)
    }

    pub(crate) fn store(&self) -> Store<'_> {
        Store {
            memory_dir: &self.memory,
            id: &self.id,
            state_dir: &self.state,
            follow_entrypoint_link: false,
        }
    }

    fn history(&self) -> History {
        History::of(&self.state, &self.id)
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.memory.join(name), content).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.memory.join(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        names(&self.memory)
    }
}

fn names(dir: &Utf8Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

fn now() -> Timestamp {
    Timestamp::from_second(1_700_000_000).unwrap()
}

pub(crate) fn rel(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

pub(crate) fn put(path: &str, content: &str, base: Option<&str>) -> Change {
    Change::Write { path: rel(path), content: content.into(), base: base.map(Content::from) }
}

fn delete(path: &str, base: &str) -> Change {
    Change::Delete { path: rel(path), base: base.into() }
}

fn rename(from: &str, to: &str, base: &str) -> Change {
    Change::Rename { from: rel(from), to: rel(to), base: base.into() }
}

fn no_merge(_: &RelPath, _: Option<&[u8]>, _: &[u8], _: &[u8]) -> Option<Vec<u8>> {
    None
}

/// Lines as a set, as the index merges: what either side added is in, what either side removed is out.
fn merge_lines(_: &RelPath, base: Option<&[u8]>, mine: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let lines = |text: &[u8]| -> BTreeSet<String> {
        String::from_utf8_lossy(text).lines().map(ToOwned::to_owned).collect()
    };
    let (base, mine, theirs) = (lines(base.unwrap_or_default()), lines(mine), lines(theirs));
    let all: BTreeSet<&String> = mine.union(&theirs).collect();
    let kept = all
        .into_iter()
        .filter(|line| !base.contains(*line) || (mine.contains(*line) && theirs.contains(*line)));
    Some(kept.map(|line| format!("{line}\n")).collect::<String>().into_bytes())
}

#[test]
fn a_first_write_makes_the_directory_and_is_recorded() {
    let place = Place::new();
    let applied =
        place.apply(vec![put("a/tabs.md", "Use tabs.\n", None), put("MEMORY.md", "- tabs\n", None)]).unwrap();
    assert_eq!(place.names(), ["MEMORY.md", "a"]);
    assert_eq!(place.read("a/tabs.md"), "Use tabs.\n");
    assert_eq!(fs::metadata(&place.memory).unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(place.memory.join("a/tabs.md")).unwrap().mode() & 0o777, 0o600);
    let recorded = place.history().read().unwrap();
    assert_eq!(recorded.operations, [(applied.operation.unwrap(), Outcome::Done)]);
    let hash = ContentHash::of(b"Use tabs.\n");
    assert_eq!(place.history().content(hash).unwrap().as_deref(), Some(&b"Use tabs.\n"[..]));
}

#[test]
fn nothing_to_do_writes_nothing() {
    let place = Place::existing();
    place.write("a.md", "same");
    let applied = place.apply(vec![put("a.md", "same", Some("old")), delete("gone.md", "x")]).unwrap();
    assert_eq!(applied.operation, None);
    assert_eq!(place.history().read().unwrap().operations, []);
}

#[test]
fn mode_survives_and_a_hard_link_elsewhere_keeps_its_content() {
    let place = Place::existing();
    place.write("a.md", "old");
    fs::set_permissions(place.memory.join("a.md"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::hard_link(place.memory.join("a.md"), place.state.with_file_name("elsewhere")).unwrap();
    place.apply(vec![put("a.md", "new", Some("old"))]).unwrap();
    assert_eq!(fs::metadata(place.memory.join("a.md")).unwrap().mode() & 0o777, 0o640);
    assert_eq!(fs::read_to_string(place.state.with_file_name("elsewhere")).unwrap(), "old");
}

#[test]
fn a_foreign_change_is_merged_or_kept_beside_or_refused() {
    let place = Place::existing();
    place.write("a.md", "one\ntheirs\n");
    let applied =
        place.apply_with(vec![put("a.md", "one\nmine\n", Some("one\n"))], &merge_lines, OnConflict::Refuse);
    assert_eq!(applied.unwrap().conflicts, []);
    assert_eq!(place.read("a.md"), "mine\none\ntheirs\n");

    place.write("b.md", "theirs");
    let refused = place.apply_with(vec![put("b.md", "mine", Some("base"))], &no_merge, OnConflict::Refuse);
    assert!(matches!(refused, Err(DiskError::Conflict { .. })));
    assert_eq!(place.names(), ["a.md", "b.md"]);

    let applied = place.apply(vec![put("b.md", "mine", Some("base"))]).unwrap();
    let kept_as = applied.conflicts[0].kept_as.as_ref().unwrap();
    assert_eq!(applied.conflicts[0].kept, Whose::Ours);
    assert_eq!((place.read("b.md"), place.read(kept_as.as_str())), ("theirs".into(), "mine".into()));
    assert!(kept_as.is_markdown() && !kept_as.as_str().contains([' ', '(', '[']));
}

/// The first merge is asked for while the plan is compared with the disk: a good moment to write another file.
fn between<'a>(place: &'a Place, act: impl Fn(&Place) + 'a, then: &'a Merge<'a>) -> Box<Merge<'a>> {
    let first = Cell::new(true);
    Box::new(move |path, base, mine, theirs| {
        if first.replace(false) {
            act(place);
            return Some(mine.to_vec());
        }
        then(path, base, mine, theirs)
    })
}

#[test]
fn a_change_that_comes_while_we_write_is_merged() {
    let place = Place::existing();
    place.write("b.md", "one\n");
    place.write("a.md", "theirs");
    let merge = between(&place, |place| place.write("b.md", "one\nforeign\n"), &merge_lines);
    let changes = vec![put("b.md", "one\nmine\n", Some("one\n")), put("a.md", "mine", Some("base"))];
    let applied = place.apply_with(changes, &merge, OnConflict::KeepBoth).unwrap();
    assert_eq!(applied.conflicts, []);
    assert_eq!(place.read("b.md"), "foreign\nmine\none\n");
    assert_eq!(place.names(), ["a.md", "b.md"]);
    let operation = applied.operation.unwrap();
    assert_eq!(operation.changes[0].before, Some(ContentHash::of(b"one\nforeign\n")));
    assert_eq!(operation.changes[0].after, Some(ContentHash::of(b"foreign\nmine\none\n")));
    assert_eq!(place.history().read().unwrap().operations, [(operation, Outcome::Done)]);
    assert!(place.history().content(ContentHash::of(b"one\nforeign\n")).unwrap().is_some());
}

#[test]
fn a_change_that_comes_while_we_write_and_cannot_be_merged_is_kept() {
    let place = Place::existing();
    for (name, content) in [("b.md", "one"), ("c.md", "see"), ("a.md", "theirs")] {
        place.write(name, content);
    }
    let meanwhile = |place: &Place| {
        place.write("b.md", "foreign b");
        place.write("c.md", "foreign c");
        place.write("new.md", "foreign new");
    };
    let merge = between(&place, meanwhile, &no_merge);
    let changes = vec![
        put("b.md", "mine", Some("one")),
        delete("c.md", "see"),
        put("new.md", "mine new", None),
        put("a.md", "mine", Some("base")),
    ];
    let applied = place.apply_with(changes, &merge, OnConflict::KeepBoth).unwrap();
    assert_eq!(place.read("b.md"), "foreign b");
    assert_eq!(place.read("c.md"), "foreign c");
    assert_eq!(place.read("new.md"), "foreign new");
    assert_eq!(applied.conflicts.len(), 3);
    let kept: Vec<String> = applied
        .conflicts
        .iter()
        .filter_map(|conflict| conflict.kept_as.as_ref())
        .map(|path| place.read(path.as_str()))
        .collect();
    assert_eq!(kept, ["mine", "mine new"]);
    assert_eq!(place.names().len(), 6);
    for content in ["foreign b", "foreign c", "mine new", "one"] {
        assert!(place.history().content(ContentHash::of(content.as_bytes())).unwrap().is_some(), "{content}");
    }
}

#[test]
fn files_that_vanish_or_turn_into_links_while_we_write() {
    let place = Place::existing();
    place.write("b.md", "one");
    place.write("a.md", "theirs");
    let merge = between(&place, |place| fs::remove_file(place.memory.join("b.md")).unwrap(), &no_merge);
    let changes = || vec![put("b.md", "mine", Some("one")), put("a.md", "mine", Some("base"))];
    let applied = place.apply_with(changes(), &merge, OnConflict::KeepBoth).unwrap();
    assert_eq!((place.read("b.md").as_str(), applied.warnings.len()), ("mine", 1));

    place.write("b.md", "one");
    place.write("a.md", "theirs");
    let outside = place.state.with_file_name("outside.md");
    fs::write(&outside, "outside").unwrap();
    let to_link = |place: &Place| {
        fs::remove_file(place.memory.join("b.md")).unwrap();
        symlink(&outside, place.memory.join("b.md")).unwrap();
    };
    let merge = between(&place, to_link, &no_merge);
    let failed = place.apply_with(changes(), &merge, OnConflict::KeepBoth);
    assert!(matches!(failed, Err(DiskError::Refused { .. })), "{failed:?}");
    assert_eq!(fs::read_link(place.memory.join("b.md")).unwrap(), outside.as_std_path());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "outside");
    assert_eq!((place.read("a.md").as_str(), place.names().len()), ("theirs", 2));
}

#[test]
fn deleting_and_renaming() {
    let place = Place::existing();
    place.write("a.md", "text");
    place.write("b.md", "bee");
    let modified = fs::metadata(place.memory.join("a.md")).unwrap().modified().unwrap();
    let applied = place.apply(vec![rename("a.md", "sub/c.md", "text"), delete("b.md", "bee")]).unwrap();
    assert_eq!(place.names(), ["sub"]);
    assert_eq!(place.read("sub/c.md"), "text");
    assert_eq!(fs::metadata(place.memory.join("sub/c.md")).unwrap().modified().unwrap(), modified);
    let changes = applied.operation.unwrap().changes;
    assert_eq!(changes.len(), 2);
    assert!(changes.iter().any(|change| change.renamed_from == Some(rel("a.md"))));

    // A plan may rename a file and then change it under its new name.
    place.write("d.md", "old name");
    place.apply(vec![rename("d.md", "e.md", "old name"), put("e.md", "new name", Some("old name"))]).unwrap();
    assert_eq!((place.names(), place.read("e.md")), (vec!["e.md".into(), "sub".into()], "new name".into()));
    place.write("f.md", "in the way");
    assert!(place.apply(vec![rename("e.md", "f.md", "new name")]).is_err());
    assert!(place.apply(vec![rename("none.md", "g.md", "x")]).is_err());
    assert_eq!(place.names(), ["e.md", "f.md", "sub"]);
}

#[test]
fn what_a_rule_forbids_changes_nothing() {
    let place = Place::existing();
    place.write("locked.md", "x");
    fs::set_permissions(place.memory.join("locked.md"), fs::Permissions::from_mode(0o400)).unwrap();
    symlink("locked.md", place.memory.join("link.md")).unwrap();
    fs::create_dir(place.memory.join("dir.md")).unwrap();
    for name in ["locked.md", "link.md", "dir.md"] {
        let refused = place.apply(vec![put("good.md", "x", None), put(name, "y", Some("x"))]);
        assert!(matches!(refused, Err(DiskError::Refused { .. })), "{name}: {refused:?}");
    }
    fs::set_permissions(&place.memory, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(matches!(place.apply(vec![put("good.md", "x", None)]), Err(DiskError::Refused { .. })));
    assert_eq!(place.names(), ["dir.md", "link.md", "locked.md"]);
    assert_eq!(place.history().read().unwrap().operations, []);
}

#[test]
fn a_linked_index_is_written_through_when_the_user_says_so() {
    let place = Place::existing();
    let target = place.state.with_file_name("dotfiles.md");
    fs::write(&target, "old").unwrap();
    symlink(&target, place.memory.join("MEMORY.md")).unwrap();
    let author = Author::person();
    let request = Request {
        author: &author,
        time: now(),
        undo_of: None,
        staged: None,
        on_conflict: OnConflict::KeepBoth,
        patience: LOCK_PATIENCE,
        merge: &no_merge,
    };
    let mut plan = Plan::new("test");
    plan.changes = vec![put("MEMORY.md", "new", Some("old"))];
    let plan = Admitted::verbatim(plan);
    assert!(apply(&place.store(), &plan, &request).is_err());
    apply(&Store { follow_entrypoint_link: true, ..place.store() }, &plan, &request).unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "new");
    assert!(fs::symlink_metadata(place.memory.join("MEMORY.md")).unwrap().is_symlink());
}

/// Everybody changes an own line of one file and an own file. Without patience no process waits for anybody, and only
/// compare-and-swap keeps the others' lines.
fn crowd(threads: usize, rounds: usize, patience: Duration) {
    let place = Place::existing();
    place.write("MEMORY.md", "");
    let results: Vec<Vec<String>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads)
            .map(|thread| {
                let place = &place;
                scope.spawn(move || {
                    let store = place.store();
                    let (author, mut problems) = (Author::person(), Vec::new());
                    for round in 0..rounds {
                        let index = place.read("MEMORY.md");
                        let own = format!("t{thread}.md");
                        let mut lines: Vec<String> = index
                            .lines()
                            .filter(|line| !line.starts_with(&format!("{own} ")))
                            .map(|line| format!("{line}\n"))
                            .collect();
                        lines.push(format!("{own} {round}\n"));
                        let before = (round > 0).then(|| format!("round {}", round - 1));
                        let mut plan = Plan::new("crowd");
                        plan.changes = vec![
                            put(&own, &format!("round {round}"), before.as_deref()),
                            put("MEMORY.md", &lines.concat(), Some(&index)),
                        ];
                        let request = Request {
                            author: &author,
                            time: now(),
                            undo_of: None,
                            staged: None,
                            on_conflict: OnConflict::KeepBoth,
                            patience,
                            merge: &merge_lines,
                        };
                        match apply(&store, &Admitted::verbatim(plan), &request) {
                            Ok(applied) => problems
                                .extend(applied.conflicts.iter().map(|conflict| format!("{conflict:?}"))),
                            Err(error) => problems.push(error.to_string()),
                        }
                        if !comes_back(
                            place,
                            &format!(
                                "{own} {round}
"
                            ),
                        ) {
                            problems.push(format!("line {own} {round} is lost"));
                        }
                    }
                    problems
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert_eq!(results.concat(), Vec::<String>::new());
    let index = place.read("MEMORY.md");
    for thread in 0..threads {
        let last = rounds - 1;
        assert!(index.contains(&format!("t{thread}.md {last}\n")), "{thread}: {index}");
        assert_eq!(place.read(&format!("t{thread}.md")), format!("round {last}"));
    }
    assert_eq!(index.lines().count(), threads, "{index}");
    assert_eq!(place.names().len(), threads + 1);
}

/// Between two swaps of another writer a line can be missing for a moment, not for long.
fn comes_back(place: &Place, line: &str) -> bool {
    (0..1000).any(|_| {
        let there = place.read("MEMORY.md").contains(line);
        if !there {
            std::thread::sleep(Duration::from_millis(2));
        }
        there
    })
}

#[test]
fn a_crowd_that_waits_loses_nothing() {
    crowd(8, 12, LOCK_PATIENCE);
}

#[test]
fn a_crowd_that_does_not_wait_loses_nothing() {
    crowd(6, 12, Duration::ZERO);
}

#[test]
fn recovering_a_healthy_store_does_nothing() {
    let place = Place::new();
    place.apply(vec![put("a.md", "x", None)]).unwrap();
    let recovery = recover(&place.store(), now()).unwrap();
    assert_eq!(recovery, memdir_disk::apply::Recovery::default());
}
