//! What a sync spares itself because nothing changed here, and what it notices all the same.

use std::fs::{self, File, FileTimes};
use std::thread;
use std::time::Duration;

use camino::Utf8PathBuf;
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
        fs::remove_file(kept(&bob, name)).unwrap();
    }
    assert!(ada.sync().is_quiet() && bob.sync().is_quiet());
    bob.write("two.md", "two.md says more.\n");
    assert_eq!(bob.sync().sent.len(), 1);
    assert_eq!(ada.sync().received.len(), 1);
    assert_eq!(bob.shared(), ada.shared());
}
