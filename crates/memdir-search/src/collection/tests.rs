#![expect(clippy::disallowed_methods, reason = "tests write the files that are indexed")]

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, SystemTime};

use jiff::civil::date;

use super::*;
use crate::query::Query;
use crate::search::{Options, search};

struct Folder {
    directory: tempfile::TempDir,
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self { directory: tempfile::tempdir().unwrap() };
        files.iter().for_each(|(path, text)| folder.write(path, text));
        folder
    }

    fn root(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.directory.path()).unwrap().join("files")
    }

    fn cache(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.directory.path()).unwrap().join("cache")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        // Old enough to be settled, and different for every content of another length.
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + text.len() as u64);
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    }

    fn markdown(&self) -> Collection {
        Collection::open(&self.cache(), Source::markdown(self.root(), Scope::Folder))
    }

    fn transcripts(&self) -> Collection {
        Collection::open(&self.cache(), Source::transcripts(self.root()))
    }
}

/// Long after the kernel stamped the files of a test, so that they count as settled.
fn now() -> Timestamp {
    "2100-01-01T12:00:00Z".parse().unwrap()
}

fn refresh(collection: &mut Collection) -> Freshness {
    collection.refresh(&mut Limits { now: now(), deadline: None, progress: &mut |_, _| {} }).unwrap()
}

/// The files, or turns, that answer a question, sorted.
fn answers(collection: &Collection, question: &str) -> Vec<String> {
    let query = Query::parse(question, date(2026, 11, 15), &mut crate::analyze::Analyzer::new());
    let options = Options { limit: 1_000, now: now(), snippets: true };
    let found = search(
        &[collection],
        &query,
        &options,
        &crate::Usage::default(),
        None,
        &mut crate::analyze::Analyzer::new(),
    )
    .unwrap();
    let name = |hit: &crate::Hit| {
        if hit.uuid.is_empty() { hit.path.file_name().unwrap().to_owned() } else { hit.uuid.clone() }
    };
    let mut names: Vec<String> = found.hits.iter().map(name).collect();
    names.sort();
    names
}

fn turn(uuid: &str, text: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"uuid\":\"{uuid}\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
    )
}

#[test]
fn what_changes_is_found_and_what_goes_is_not() {
    let folder = Folder::new(&[
        ("a.md", "apple pie"),
        ("sub/b.md", "apple tart"),
        ("c.txt", "apple"),
        (".d.md", "apple"),
    ]);
    let mut collection = folder.markdown();
    assert_eq!(answers(&collection, "apple"), Vec::<String>::new());
    assert_eq!(refresh(&mut collection), Freshness { files: 2, read: 2, waiting: 0 });
    assert_eq!(answers(&collection, "apple"), ["a.md", "b.md"]);
    assert_eq!(refresh(&mut collection).read, 0);
    folder.write("a.md", "pear pie, long");
    fs::remove_file(folder.root().join("sub/b.md")).unwrap();
    folder.write("e.md", "apple juice");
    let mut other = folder.markdown();
    assert_eq!(answers(&other, "apple"), ["a.md", "b.md"]);
    assert_eq!(refresh(&mut other).read, 2);
    assert_eq!(
        (answers(&other, "apple"), answers(&other, "pear")),
        (vec!["e.md".into()], vec!["a.md".into()])
    );
    assert_eq!(answers(&folder.markdown(), "pie"), ["a.md"]);
}

#[test]
fn transcripts_grow_and_are_rewritten() {
    let first = turn("1", "apple pie");
    let folder = Folder::new(&[("s.jsonl", &first), ("s/subagents/agent-x.jsonl", &turn("9", "apple core"))]);
    let mut collection = folder.transcripts();
    refresh(&mut collection);
    assert_eq!(answers(&collection, "apple"), ["1", "9"]);
    let path = folder.root().join("s.jsonl");
    fs::write(&path, format!("{first}{}{}", turn("2", "apple tart"), &turn("3", "apple jam")[..20])).unwrap();
    refresh(&mut collection);
    assert_eq!(answers(&collection, "apple"), ["1", "2", "9"]);
    fs::write(&path, format!("{first}{}{}", turn("2", "apple tart"), turn("3", "apple jam"))).unwrap();
    refresh(&mut collection);
    assert_eq!(answers(&collection, "apple"), ["1", "2", "3", "9"]);
    fs::write(&path, turn("4", "apple sauce")).unwrap();
    refresh(&mut collection);
    assert_eq!(answers(&collection, "apple"), ["4", "9"]);
}

#[test]
fn of_a_transcript_only_what_was_appended_is_read() {
    let old = format!("{}{}", turn("1", "apple"), turn("2", &"filler ".repeat(100)));
    let folder = Folder::new(&[("s.jsonl", &old)]);
    let mut collection = folder.transcripts();
    refresh(&mut collection);
    // A reader that began at the start again would find the melon.
    let path = folder.root().join("s.jsonl");
    fs::write(&path, format!("{}{}", old.replace("apple", "melon"), turn("3", "banana"))).unwrap();
    refresh(&mut collection);
    assert_eq!(answers(&collection, "melon"), Vec::<String>::new());
    assert!(answers(&collection, "banana").contains(&"3".to_owned()));
}

#[test]
fn users_files_are_never_touched() {
    let folder = Folder::new(&[
        ("a.md", "apple"),
        ("b/c.md", "\u{feff}---\nname: x\n---\r\npear"),
        ("s.jsonl", &turn("1", "fig")),
    ]);
    let state = || -> BTreeMap<Utf8PathBuf, (Vec<u8>, SystemTime)> {
        let paths = ["a.md", "b/c.md", "s.jsonl", "b"].map(|path| folder.root().join(path));
        let one = |path: Utf8PathBuf| {
            let time = fs::metadata(&path).unwrap().modified().unwrap();
            (path.clone(), (fs::read(&path).unwrap_or_default(), time))
        };
        paths.into_iter().map(one).collect()
    };
    let before = state();
    let (mut markdown, mut transcripts) = (folder.markdown(), folder.transcripts());
    refresh(&mut markdown);
    refresh(&mut transcripts);
    assert_eq!(answers(&markdown, "pear"), ["c.md"]);
    assert_eq!(answers(&transcripts, "fig"), ["1"]);
    assert_eq!(state(), before);
    let mut names: Vec<_> =
        fs::read_dir(folder.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.md", "b", "s.jsonl"]);
}

#[test]
fn damage_costs_one_rebuild() {
    let folder = Folder::new(&[("a.md", "apple pie"), ("b.md", "apple tart")]);
    let files = || -> Vec<Utf8PathBuf> {
        let cache = folder.markdown().cache_folder().to_owned();
        let all = cache.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path());
        all.filter(|path| path.file_name() != Some("lock")).collect()
    };
    refresh(&mut folder.markdown());
    let count = files().len();
    assert_eq!(count, 3);
    let harms: [fn(&Utf8Path); 4] = [
        |path| fs::remove_file(path).unwrap(),
        |path| fs::write(path, "").unwrap(),
        |path| fs::write(path, "garbage".repeat(500)).unwrap(),
        |path| {
            let bytes = fs::read(path).unwrap();
            fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        },
    ];
    for harm in harms {
        for number in 0..count {
            harm(&files()[number]);
            let mut collection = folder.markdown();
            refresh(&mut collection);
            assert_eq!(answers(&collection, "apple"), ["a.md", "b.md"]);
            assert_eq!(refresh(&mut folder.markdown()).read, 0, "it has been repaired on disk");
            assert_eq!(files().len(), count);
        }
    }
    fs::remove_dir_all(folder.cache()).unwrap();
    let mut collection = folder.markdown();
    refresh(&mut collection);
    assert_eq!(answers(&collection, "pie"), ["a.md"]);
}

#[test]
fn a_read_only_member_sees_everything_too() {
    let folder = Folder::new(&[("a.md", "apple pie")]);
    refresh(&mut folder.markdown());
    folder.write("b.md", "apple tart");
    let _held = folder.markdown().cache.try_write().unwrap().unwrap();
    let mut second = folder.markdown();
    assert_eq!(refresh(&mut second).read, 1);
    assert_eq!(answers(&second, "apple"), ["a.md", "b.md"]);
    assert_eq!(answers(&folder.markdown(), "apple"), ["a.md"], "nothing was written");
    assert_eq!(refresh(&mut second).read, 1);
    assert_eq!(answers(&second, "apple"), ["a.md", "b.md"]);
}

#[test]
fn a_slice_of_time_leaves_the_rest_for_the_next() {
    let folder = Folder::new(&[("a.md", "apple"), ("b.md", "apple")]);
    let mut collection = folder.markdown();
    let mut limits = Limits { now: now(), deadline: Some(Instant::now()), progress: &mut |_, _| {} };
    let freshness = collection.refresh(&mut limits).unwrap();
    assert!(freshness.read == 0 && freshness.waiting > 0, "{freshness:?}");
    assert!(!folder.markdown().is_complete());
    assert_eq!(refresh(&mut folder.markdown()).read, 2);
    assert!(folder.markdown().is_complete());
}

#[test]
fn many_changes_one_by_one_stay_few_segments() {
    let folder = Folder::new(&[]);
    fs::create_dir_all(folder.root()).unwrap();
    for number in 0..60 {
        folder.write(&format!("{number}.md"), &format!("apple number{number}"));
        folder.write("same.md", &"apple ".repeat(number + 1));
        refresh(&mut folder.markdown());
    }
    let collection = folder.markdown();
    assert!(collection.segments.len() <= 6, "{}", collection.segments.len());
    assert_eq!(collection.files(), 61);
    assert_eq!(answers(&collection, "apple").len(), 61);
    assert_eq!(answers(&collection, "number37"), ["37.md"]);
}

#[test]
fn crowds_of_readers_and_writers_get_on() {
    let folder = Folder::new(&[("fixed.md", "apple fixed")]);
    refresh(&mut folder.markdown());
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let folder = &folder;
            scope.spawn(move || {
                for round in 0..12 {
                    let own = format!("{thread}-{round}.md");
                    folder.write(&own, &format!("apple own{thread}x{round}"));
                    let mut collection = folder.markdown();
                    refresh(&mut collection);
                    let found = answers(&collection, &format!("own{thread}x{round}"));
                    assert_eq!(found, [own]);
                    assert!(answers(&collection, "fixed").contains(&"fixed.md".to_owned()));
                }
            });
        }
    });
    let mut collection = folder.markdown();
    refresh(&mut collection);
    assert_eq!(answers(&collection, "apple").len(), 73);
}

#[test]
fn unreadable_files_are_not_an_obstacle() {
    let folder = Folder::new(&[("a.md", "apple"), ("gone.md", "apple")]);
    std::os::unix::fs::symlink("/etc/hostname", folder.root().join("link.md")).unwrap();
    fs::write(folder.root().join("binary.md"), [0xff, 0, 0xfe, b'a']).unwrap();
    fs::create_dir(folder.root().join("folder.md")).unwrap();
    let mut collection = folder.markdown();
    refresh(&mut collection);
    fs::remove_file(folder.root().join("gone.md")).unwrap();
    assert_eq!(answers(&collection, "apple"), ["a.md", "gone.md"], "without a look it is still known");
    refresh(&mut collection);
    assert_eq!(answers(&collection, "apple"), ["a.md"]);
    fs::remove_dir_all(folder.root()).unwrap();
    refresh(&mut collection);
    assert_eq!(answers(&collection, "apple"), Vec::<String>::new());
}

#[test]
fn secrets_do_not_enter_the_index() {
    let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA3");
    let folder = Folder::new(&[
        ("a.md", &format!("apple token {token} end")),
        ("s.jsonl", &turn("1", &format!("fig {token}"))),
    ]);
    let (mut markdown, mut transcripts) = (folder.markdown(), folder.transcripts());
    refresh(&mut markdown);
    refresh(&mut transcripts);
    assert_eq!(answers(&markdown, "apple end"), ["a.md"]);
    assert_eq!(answers(&markdown, &token), Vec::<String>::new());
    assert_eq!(answers(&transcripts, &token), Vec::<String>::new());
    for collection in [markdown, transcripts] {
        for entry in collection.cache_folder().read_dir_utf8().unwrap() {
            let bytes = fs::read(entry.unwrap().path()).unwrap().to_ascii_lowercase();
            let needle = token[4..20].to_ascii_lowercase();
            assert_eq!(memchr::memmem::find(&bytes, needle.as_bytes()), None);
        }
    }
}

#[test]
fn a_directory_that_did_not_change_is_not_listed_and_nothing_is_missed() {
    let folder = Folder::new(&[("a.md", "apple"), ("sub/b.md", "apple"), ("sub/deep/c.md", "apple")]);
    let mut collection = folder.markdown();
    refresh(&mut collection);
    let look = |expected: &[&str], read: usize| {
        let mut collection = folder.markdown();
        assert_eq!(refresh(&mut collection).read, read);
        assert_eq!(answers(&collection, "apple"), expected);
        assert_eq!(refresh(&mut folder.markdown()).read, 0);
    };
    look(&["a.md", "b.md", "c.md"], 0);
    folder.write("sub/deep/c.md", "apple, changed in place");
    look(&["a.md", "b.md", "c.md"], 1);
    folder.write("sub/deep/d.md", "apple, new below");
    look(&["a.md", "b.md", "c.md", "d.md"], 1);
    folder.write("other/e.md", "apple, in a new directory");
    look(&["a.md", "b.md", "c.md", "d.md", "e.md"], 1);
    fs::rename(folder.root().join("sub/b.md"), folder.root().join("sub/f.md")).unwrap();
    look(&["a.md", "c.md", "d.md", "e.md", "f.md"], 1);
    fs::rename(folder.root().join("sub/deep"), folder.root().join("moved")).unwrap();
    look(&["a.md", "c.md", "d.md", "e.md", "f.md"], 2);
    fs::remove_dir_all(folder.root().join("moved")).unwrap();
    look(&["a.md", "e.md", "f.md"], 0);
    fs::remove_file(folder.root().join("a.md")).unwrap();
    fs::create_dir(folder.root().join("a.md")).unwrap();
    look(&["e.md", "f.md"], 0);
}

#[test]
fn a_change_that_hides_its_time_and_size_is_noticed() {
    let folder = Folder::new(&[("a.md", "apple"), ("s.jsonl", &turn("1", "apple"))]);
    let (mut markdown, mut transcripts) = (folder.markdown(), folder.transcripts());
    refresh(&mut markdown);
    refresh(&mut transcripts);
    folder.write("a.md", "melon");
    folder.write("s.jsonl", &turn("1", "melon"));
    refresh(&mut markdown);
    refresh(&mut transcripts);
    assert_eq!((answers(&markdown, "apple"), answers(&markdown, "melon")), (vec![], vec!["a.md".into()]));
    assert_eq!((answers(&transcripts, "apple"), answers(&transcripts, "melon")), (vec![], vec!["1".into()]));
}

#[test]
fn a_scan_that_was_cut_short_forgets_nothing() {
    let folder = Folder::new(&[("a.md", "apple"), ("sub/b.md", "apple")]);
    refresh(&mut folder.markdown());
    folder.write("new/c.md", "apple");
    let mut hurried = folder.markdown();
    let mut limits = Limits { now: now(), deadline: Some(Instant::now()), progress: &mut |_, _| {} };
    assert!(hurried.refresh(&mut limits).unwrap().waiting > 0);
    assert_eq!(answers(&hurried, "apple"), ["a.md", "b.md"]);
    assert!(!folder.markdown().is_complete());
    let mut collection = folder.markdown();
    assert_eq!(refresh(&mut collection).read, 1);
    assert_eq!(answers(&collection, "apple"), ["a.md", "b.md", "c.md"]);
}

#[test]
fn one_file_is_indexed_without_a_look_at_the_others() {
    let folder = Folder::new(&[("a.md", "apple"), ("sub/b.md", "apple")]);
    refresh(&mut folder.markdown());
    folder.write("sub/b.md", "melon, changed");
    folder.write("a.md", "melon, not looked at");
    let one = |path: &str| folder.markdown().refresh_file(&folder.root().join(path)).unwrap();
    assert!(one("sub/b.md"));
    let look = |question: &str| answers(&folder.markdown(), question);
    assert_eq!((look("apple"), look("melon")), (vec!["a.md".into()], vec!["b.md".into()]));
    folder.write("new/c.md", "melon, new");
    assert!(one("new/c.md"));
    assert_eq!(look("melon"), ["b.md", "c.md"]);
    fs::remove_file(folder.root().join("sub/b.md")).unwrap();
    assert!(one("sub/b.md"));
    assert_eq!(look("melon"), ["c.md"]);
    for round in 0..40 {
        folder.write("new/c.md", &"melon ".repeat(round + 3));
        assert!(one("new/c.md"));
    }
    assert!(folder.markdown().segments.len() <= 4, "{}", folder.markdown().segments.len());
    refresh(&mut folder.markdown());
    assert_eq!((look("apple"), look("melon")), (Vec::new(), vec!["a.md".into(), "c.md".into()]));
    let kept = folder.markdown();
    let left = kept.cache.path().read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned());
    let unknown: Vec<String> = left.filter(|name| name != "lock" && !kept.manifest.names(name)).collect();
    assert_eq!(unknown, Vec::<String>::new(), "a look at all files sweeps up");
    for path in ["x.txt", ".hidden.md", ".git/x.md", "node_modules/x.md", "../cache/x.md"] {
        assert!(!one(path), "{path}");
    }
    std::os::unix::fs::symlink(folder.root().join("new"), folder.root().join("link")).unwrap();
    folder.write("new/c.md", "melon, through a link");
    assert!(one("link/c.md"), "known by where it really lies");
    assert_eq!(look("link melon"), ["c.md", "a.md"].map(str::to_owned).into_iter().rev().collect::<Vec<_>>());
    let held = folder.markdown().cache.try_write().unwrap().unwrap();
    assert!(!one("a.md"), "another process is writing");
    drop(held);
    fs::remove_dir_all(folder.cache()).unwrap();
    assert!(one("a.md"), "there need not be an index yet");
    assert_eq!(look("melon"), ["a.md"]);
    refresh(&mut folder.markdown());
    assert_eq!(look("melon"), ["a.md", "c.md"]);
}

#[test]
fn one_file_among_many_is_indexed_without_looking_up_its_place() {
    let names: Vec<String> = (0..40).map(|number| format!("{number:02}.md")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "apple")).collect();
    let folder = Folder::new(&files);
    refresh(&mut folder.markdown());
    let one = |path: &str| assert!(folder.markdown().refresh_file(&folder.root().join(path)).unwrap());
    let look = |question: &str| answers(&folder.markdown(), question);
    for text in ["melon", "melon, again", "melon, for good"] {
        folder.write("07.md", text);
        one("07.md");
    }
    fs::remove_file(folder.root().join("08.md")).unwrap();
    one("08.md");
    assert!(folder.markdown().segments[0].buried() == 0, "no refresh has run");
    assert_eq!((look("apple").len(), look("melon")), (38, vec!["07.md".into()]));
    // More new files than the first segment has: it must not be taken for dead.
    for number in 0..50 {
        let path = format!("new-{number}.md");
        folder.write(&path, "cherry");
        one(&path);
    }
    assert_eq!((look("apple").len(), look("cherry").len(), folder.markdown().files()), (38, 50, 89));
    refresh(&mut folder.markdown());
    assert_eq!((look("apple").len(), look("melon").len(), folder.markdown().files()), (38, 1, 89));
}
