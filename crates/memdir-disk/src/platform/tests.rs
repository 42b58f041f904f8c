//! The promises of the platform, tested on the system that runs them.

use std::fs::{self, File};
use std::io::{Read, Write};

#[cfg(unix)]
use super::unix::walk_beneath;
use super::*;

fn read(dir: &Handle, name: &str) -> String {
    let mut text = String::new();
    open_at(dir, name).unwrap().read_to_string(&mut text).unwrap();
    text
}

fn write(dir: &Handle, name: &str, text: &str) {
    create(dir, name, Writing::New).unwrap().write_all(text.as_bytes()).unwrap();
}

fn folder() -> (tempfile::TempDir, Handle) {
    let temp = tempfile::tempdir().unwrap();
    let dir = open_directory(temp.path()).unwrap();
    (temp, dir)
}

#[test]
fn opening_beneath_finds_what_is_there_and_never_leaves() {
    let (temp, dir) = folder();
    fs::create_dir_all(temp.path().join("a/b")).unwrap();
    fs::write(temp.path().join("a/b/f"), "x").unwrap();
    for (path, target, expected) in [
        ("a/b/f", Target::File, Ok(())),
        ("a/b", Target::Directory, Ok(())),
        (".", Target::Directory, Ok(())),
        ("a/none", Target::File, Err(Errno::NOENT)),
        ("none/f", Target::File, Err(Errno::NOENT)),
        ("a/b/f/x", Target::File, Err(Errno::NOTDIR)),
        ("a/b/f", Target::Directory, Err(Errno::NOTDIR)),
    ] {
        assert_eq!(open_beneath(&dir, path, target).map(drop), expected, "{path}");
    }
    for path in
        ["..", "a/../..", "../x", "/etc/passwd", "a/b/../../..", r"..\x", r"a\..\..", r"C:\", "f:stream"]
    {
        assert!(open_beneath(&dir, path, Target::File).is_err(), "{path}");
    }
}

#[test]
fn a_link_is_refused_wherever_it_is_in_the_path() {
    let (temp, dir) = folder();
    fs::create_dir_all(temp.path().join("a/b")).unwrap();
    fs::write(temp.path().join("a/b/f"), "x").unwrap();
    // Windows makes links only for those who may, and wine only pretends to.
    let made = make_link("a".as_ref(), &temp.path().join("link")).is_ok()
        && make_link("f".as_ref(), &temp.path().join("a/b/to_f")).is_ok();
    if !made || !fs::symlink_metadata(temp.path().join("link")).is_ok_and(|found| found.is_symlink()) {
        assert_eq!(std::env::consts::OS, "windows", "links can be made here");
        return;
    }
    for path in ["link/b/f", "a/b/to_f", "link"] {
        assert_eq!(open_beneath(&dir, path, Target::File).map(drop), Err(Errno::LOOP), "{path}");
    }
    assert_eq!(stat_at(&dir, "link").unwrap().kind, FileKind::Link);
    assert!(open_at(&dir, "link").is_err() && create(&dir, "link", Writing::Existing).is_err());
}

#[cfg(unix)]
#[test]
fn both_ways_of_opening_beneath_agree() {
    let (temp, dir) = folder();
    fs::create_dir_all(temp.path().join("a/b")).unwrap();
    fs::write(temp.path().join("a/b/f"), "x").unwrap();
    make_link("a".as_ref(), &temp.path().join("link")).unwrap();
    for path in ["a/b/f", "a/none", "a/b/f/x", "link/b/f", ".."] {
        let one = open_beneath(&dir, path, Target::File).map(drop);
        let other = walk_beneath(&dir, path, Target::File).map(drop);
        assert_eq!(one.is_ok(), other.is_ok(), "{path}");
        if path != ".." {
            assert_eq!(one, other, "{path}");
        }
    }
}

#[test]
fn a_new_file_is_new_and_a_taken_name_stays() {
    let (_temp, dir) = folder();
    write(&dir, "a", "one");
    assert_eq!(create(&dir, "a", Writing::New).map(drop), Err(Errno::EXIST));
    write(&dir, "b", "two");
    assert_eq!(rename_new((&dir, "b"), (&dir, "a")), Err(Errno::EXIST));
    assert_eq!((read(&dir, "a").as_str(), read(&dir, "b").as_str()), ("one", "two"));
    rename_new((&dir, "b"), (&dir, "c")).unwrap();
    assert_eq!(read(&dir, "c"), "two");
    assert_eq!(stat_at(&dir, "b").map(drop), Err(Errno::NOENT));
    create(&dir, "c", Writing::Append).unwrap().write_all(b" three").unwrap();
    assert_eq!(read(&dir, "c"), "two three");
}

#[test]
fn an_exchange_keeps_both_files() {
    let (temp, dir) = folder();
    write(&dir, "old", "old");
    write(&dir, "new", "new");
    let numbers = [stat_at(&dir, "old").unwrap().file.inode, stat_at(&dir, "new").unwrap().file.inode];
    exchange((&dir, "new"), (&dir, "old")).unwrap();
    assert_eq!((read(&dir, "old").as_str(), read(&dir, "new").as_str()), ("new", "old"));
    let after = [stat_at(&dir, "new").unwrap().file.inode, stat_at(&dir, "old").unwrap().file.inode];
    assert_eq!(numbers, after, "the files themselves changed names");
    assert_eq!(exchange((&dir, "new"), (&dir, "gone")), Err(Errno::NOENT));
    assert_eq!(read(&dir, "new"), "old");
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2, "nothing is left over");
}

#[test]
fn a_writer_that_holds_the_old_file_writes_into_the_displaced_one() {
    let (_temp, dir) = folder();
    write(&dir, "old", "old");
    write(&dir, "new", "new");
    let mut held = create(&dir, "old", Writing::Append).unwrap();
    if exchange((&dir, "new"), (&dir, "old")).is_err() {
        assert_eq!(std::env::consts::OS, "windows", "an open file can be exchanged here");
        return;
    }
    held.write_all(b" and more").unwrap();
    assert_eq!((read(&dir, "old").as_str(), read(&dir, "new").as_str()), ("new", "old and more"));
}

#[test]
fn names_kinds_and_numbers_are_listed() {
    let (temp, dir) = folder();
    write(&dir, "f.md", "x");
    make_directory_at(&dir, "sub").unwrap();
    assert_eq!(make_directory_at(&dir, "sub"), Err(Errno::EXIST));
    let mut seen = Vec::new();
    for_each_entry(&dir, &mut EntryBuffer::default(), |name, kind, _| {
        seen.push((name.to_str().unwrap().to_owned(), kind));
    });
    seen.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [("f.md".to_owned(), FileKind::File), ("sub".to_owned(), FileKind::Directory)];
    assert_eq!(seen, expected);
    let mut names: Vec<_> = read_names(&dir)
        .unwrap()
        .into_iter()
        .filter(|(name, _)| !name.to_bytes().starts_with(b"."))
        .collect();
    names.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(names.len(), 2);
    remove_directory_at(&dir, "sub").unwrap();
    remove_at(&dir, "f.md").unwrap();
    assert_eq!(remove_at(&dir, "f.md"), Err(Errno::NOENT));
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
}

#[test]
fn files_and_directories_are_told_apart_and_recognised() {
    let (temp, dir) = folder();
    write(&dir, "a", "abc");
    write(&dir, "b", "abc");
    let (a, b) = (stat_at(&dir, "a").unwrap(), stat_at(&dir, "b").unwrap());
    assert_eq!((a.kind, a.file.size, a.file.links), (FileKind::File, 3, 1));
    assert_ne!(a.file.inode, b.file.inode);
    assert_eq!(
        stat_path(&temp.path().join("a")).unwrap(),
        stat_open(File::open(temp.path().join("a")).unwrap()).unwrap()
    );
    assert!(is_own(&a.file) && !is_writable_by_others(&stat_open(&dir).unwrap().file));
    let before = identity(&dir).unwrap();
    fs::create_dir(temp.path().join("sub")).unwrap();
    assert_eq!(identity(&dir).unwrap(), before);
    let sub = open_directory_at(&dir, "sub", false).unwrap();
    assert_ne!(identity(&sub).unwrap(), before);
}

#[test]
fn a_directory_can_be_made_durable() {
    let (temp, dir) = folder();
    write(&dir, "a", "abc");
    sync_directory(&dir).unwrap();
    sync_directory_path(temp.path()).unwrap();
    date_now(&create(&dir, "a", Writing::Existing).unwrap()).unwrap();
}

#[test]
fn one_opening_holds_a_lock_at_a_time() {
    let (temp, _) = folder();
    let path = temp.path().join("lock");
    let one = File::create(&path).unwrap();
    let other = fs::OpenOptions::new().write(true).open(&path).unwrap();
    assert!(try_lock(&one) && !try_lock(&other));
    unlock(&one);
    assert!(try_lock(&other));
}

#[test]
fn random_bytes_differ() {
    let (mut one, mut other) = ([0; 16], [0; 16]);
    fill_random(&mut one).unwrap();
    fill_random(&mut other).unwrap();
    assert_ne!(one, other);
}

#[test]
fn a_process_tree_ends_as_a_whole() {
    let mut command = if cfg!(windows) {
        let mut command = std::process::Command::new("cmd");
        command.args(["/c", "ping -n 60 127.0.0.1 > nul"]);
        command
    } else {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "sleep 60 & sleep 60"]);
        command
    };
    let mut child = ProcessTree::prepare(&mut command).spawn().unwrap();
    let tree = ProcessTree::of(&child).unwrap();
    assert!(!tree.has_ended(&mut child) && has_process(child.id()));
    tree.kill();
    assert!(!child.wait().unwrap().success());
}
