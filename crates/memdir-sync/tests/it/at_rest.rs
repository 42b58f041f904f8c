//! What a sync spares itself because nothing changed here, and what it notices all the same.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::MetadataExt;
use std::thread;
use std::time::Duration;

use camino::Utf8PathBuf;
use jiff::{SignedDuration, Timestamp};
use memdir_core::content_hash::ContentHash;
use memdir_sync::options::Options;

use crate::people::{Person, Repository, now};

/// Two people whose files changed so long ago that their times tell whether they do again.
fn settled() -> (Repository, Person, Person) {
    let repository = Repository::new();
    let ada = Person::founder(&repository.url());
    let bob = Person::joining(&ada, "Bob");
    for name in ["one.md", "two.md", "three.md"] {
        ada.write(name, &format!("{name} says A.\n"));
    }
    ada.sync();
    bob.sync();
    thread::sleep(Duration::from_millis(2_200));
    for person in [&ada, &bob] {
        assert!(person.sync().is_quiet());
        assert!(kept(person, "rest").exists() && kept(person, "seen").exists());
        assert_eq!(requests(person), 1);
    }
    (repository, ada, bob)
}

/// A file that is kept between two syncs.
fn kept(person: &Person, name: &str) -> Utf8PathBuf {
    let below = person.home.env().state_dir().unwrap().join("sync");
    let mut folders = below.read_dir_utf8().unwrap().map(Result::unwrap);
    folders.next().unwrap().path().join(name)
}

/// Removes a file that is kept between two syncs, if there is one: whatever changes the state ends the rest.
fn lose(person: &Person, name: &str) {
    drop(fs::remove_file(kept(person, name)));
    assert!(!kept(person, name).exists());
}

fn requests(person: &Person) -> u32 {
    person.team().sync_counted(&Options::default(), now()).unwrap().1
}

#[test]
fn a_change_is_noticed_although_size_and_time_of_the_file_stay() {
    let (_repository, ada, bob) = settled();
    let path = ada.path("one.md");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    ada.write("one.md", "one.md says B.\n");
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_times(FileTimes::new().set_modified(modified))
        .unwrap();
    assert_eq!(ada.sync().sent.len(), 1);
    assert_eq!(bob.sync().received.len(), 1);
    assert_eq!(bob.read("one.md").as_deref(), Some("one.md says B.\n"));
}

#[test]
fn what_is_gone_renamed_or_new_is_noticed() {
    let (_repository, ada, bob) = settled();
    ada.remove("one.md");
    fs::rename(ada.path("two.md"), ada.path("deux.md")).unwrap();
    ada.write("new.md", "new\n");
    ada.sync();
    bob.sync();
    assert_eq!(bob.shared(), ada.shared());
    assert!(bob.read("one.md").is_none() && bob.read("deux.md").is_some() && bob.read("new.md").is_some());
}

#[test]
fn what_comes_costs_two_requests_and_what_is_kept_may_be_lost_or_damaged() {
    let (_repository, ada, bob) = settled();
    ada.write("one.md", "one.md says more.\n");
    assert_eq!(requests(&ada), 2);
    assert_eq!(requests(&bob), 2);
    assert_eq!(bob.shared(), ada.shared());
    for name in ["rest", "seen"] {
        fs::write(kept(&ada, name), "no such thing\n").unwrap();
        lose(&bob, name);
    }
    assert!(ada.sync().is_quiet() && bob.sync().is_quiet());
    bob.write("two.md", "two.md says more.\n");
    assert_eq!(bob.sync().sent.len(), 1);
    assert_eq!(ada.sync().received.len(), 1);
    assert_eq!(bob.shared(), ada.shared());
}

/// Makes what is kept say that a file that was changed through a shared mapping is as it was read: its times did not change.
fn write_without_a_trace(person: &Person, key: &str, text: &str) {
    let seen = fs::read_to_string(kept(person, "seen")).unwrap();
    let (head, lines) = seen.split_once('\n').unwrap();
    person.write(key, text);
    let found = fs::metadata(person.path(key)).unwrap();
    let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    let modified = nanoseconds(found.mtime(), found.mtime_nsec());
    let changed = nanoseconds(found.ctime(), found.ctime_nsec());
    let line = |line: &str| match line.split('\t').collect::<Vec<_>>().as_slice() {
        [_, _, _, _, content, name] if *name == key => {
            format!("{}\t{modified}\t{changed}\t{}\t{content}\t{name}\n", found.len(), found.ino())
        }
        _ => format!("{line}\n"),
    };
    let lines: String = lines.lines().map(line).collect();
    let (form, _) = head.rsplit_once(' ').unwrap();
    let seen = format!("{form} {}\n{lines}", ContentHash::of(lines.as_bytes()));
    fs::write(kept(person, "seen"), seen).unwrap();
    lose(person, "rest");
    thread::sleep(Duration::from_millis(2_200));
    assert!(person.sync().is_quiet() && person.sync().is_quiet());
    assert!(kept(person, "rest").exists());
}

#[test]
fn what_changed_without_a_trace_is_noticed_within_a_day_and_when_the_user_asks() {
    let (_repository, ada, bob) = settled();
    write_without_a_trace(&ada, "one.md", "one.md says B.\n");
    let in_hours = |hours: i64| now() + SignedDuration::from_hours(hours);
    let sync_at = |time: Timestamp| ada.team().sync(&Options::default(), time).unwrap();
    assert!(sync_at(in_hours(23)).is_quiet());
    assert_eq!(sync_at(in_hours(25)).sent.len(), 1);
    bob.sync();
    assert_eq!(bob.read("one.md").as_deref(), Some("one.md says B.\n"));

    write_without_a_trace(&bob, "two.md", "two.md says B.\n");
    assert_eq!(bob.try_sync(&Options { read_all: true, ..Options::default() }).unwrap().sent.len(), 1);
    ada.sync();
    assert_eq!(bob.shared(), ada.shared());
}
