//! A remote whose end of the connection dies after it took what was sent, and before it says so.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_sync::options::Options;
use memdir_testkit::TestHome;

use crate::people::{Person, Repository};

/// A person who reaches a repository by ssh, or by its replacement: a program that runs on this machine.
fn by_ssh(repository: &Repository, person: Person) -> (String, Person) {
    let stand_in = program(&person.home, "ssh-stand-in", "for command; do :; done; eval \"$command\"");
    person
        .home
        .write("home/.gitconfig", format!("[core]\nsshCommand = {stand_in}\n[ssh]\nvariant = simple\n"));
    (format!("ssh://host{}", repository.directory()), person)
}

fn program(home: &TestHome, name: &str, script: &str) -> Utf8PathBuf {
    let path = home.write(name, format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// From now on whatever receives something dies with the reference in place, before it answers.
fn dies_after_the_update(repository: &Repository) -> Utf8PathBuf {
    let script = "[ \"$1\" = committed ] && kill -9 $PPID\nexit 0";
    program(&repository.home, "team.git/hooks/reference-transaction", script)
}

fn versions(repository: &Repository) -> usize {
    repository.git(&["rev-list", "--count", "memdir"]).trim().parse().unwrap()
}

fn founder(repository: &Repository) -> Person {
    let (url, ada) = by_ssh(repository, Person::new());
    ada.found(&url);
    ada
}

#[test]
fn what_arrived_unanswered_is_known_by_the_next_sync_and_sent_once() {
    let repository = Repository::new();
    let ada = founder(&repository);
    let (_, bob) = by_ssh(&repository, Person::new());
    bob.join(&ada.team().membership().invite().unwrap(), "Bob").unwrap();
    ada.sync();
    let before = versions(&repository);

    let hook = dies_after_the_update(&repository);
    ada.write("one.md", "one\n");
    let error = ada.try_sync(&Options::default()).unwrap_err().to_string();
    assert!(error.contains("cannot reach the remote"), "{error}");
    assert_eq!(versions(&repository), before + 1, "it arrived");
    remove(&hook);

    // What is written in between is a change of its own, and made from what arrived.
    ada.write("one.md", "one\ntwo\n");
    assert_eq!(ada.sync().sent.len(), 1);
    assert_eq!(versions(&repository), before + 2);
    assert!(ada.sync().is_quiet());
    assert_eq!(bob.sync().received.len(), 1);
    assert_eq!(bob.shared(), ada.shared());
    assert_eq!(bob.read("one.md").as_deref(), Some("one\ntwo\n"));
}

#[test]
fn what_others_sent_meanwhile_is_merged_with_what_arrived_unanswered() {
    let repository = Repository::new();
    let ada = founder(&repository);
    let (_, bob) = by_ssh(&repository, Person::new());
    bob.join(&ada.team().membership().invite().unwrap(), "Bob").unwrap();
    ada.write("one.md", "a\nb\nc\n");
    ada.sync();
    bob.sync();

    let hook = dies_after_the_update(&repository);
    ada.write("one.md", "A\nb\nc\n");
    ada.try_sync(&Options::default()).unwrap_err();
    remove(&hook);
    bob.write("one.md", "a\nb\nC\n");
    bob.sync();
    ada.sync();
    bob.sync();
    for person in [&ada, &bob] {
        assert_eq!(person.read("one.md").as_deref(), Some("A\nb\nC\n"));
        assert_eq!(person.shared().len(), 2, "one memory and the index: {:?}", person.shared());
    }
}

fn remove(path: &Utf8Path) {
    fs::remove_file(path).unwrap();
}
