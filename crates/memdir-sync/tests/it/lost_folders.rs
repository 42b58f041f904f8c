//! Folders that are gone, elsewhere or unreadable: their files were not deleted.

use std::fs;
use std::os::unix::fs::symlink;

use camino::Utf8Path;
use memdir_sync::options::{ConflictPolicy, Options};

use crate::people::{Person, Repository};

/// A team of two who have the same memories.
fn two(keys: &[&str]) -> (Repository, Person, Person) {
    let repository = Repository::new();
    let ada = Person::founder(&repository.url());
    keys.iter().for_each(|key| ada.write(key, &format!("The memory {key}.\n")));
    ada.sync();
    let bob = Person::joining(&ada, "Bob");
    (repository, ada, bob)
}

fn keys(person: &Person) -> Vec<String> {
    person.shared().into_iter().map(|(key, _)| key).filter(|key| key != "MEMORY.md").collect()
}

#[test]
fn a_memory_directory_that_is_away_takes_nothing_from_anybody() {
    let (_repository, ada, bob) = two(&["a.md", "b.md"]);
    let directory = ada.memory().directory().to_owned();
    let away = directory.with_file_name("away");
    fs::rename(&directory, &away).unwrap();
    ada.sync();
    bob.sync();
    assert_eq!((keys(&ada), keys(&bob)), (vec!["a.md".into(), "b.md".into()], keys(&ada)));
    // It comes back with one memory less and one more.
    fs::remove_dir_all(&directory).unwrap();
    fs::remove_file(away.join("team/a.md")).unwrap();
    fs::write(away.join("team/c.md"), "New.\n").unwrap();
    fs::rename(&away, &directory).unwrap();
    ada.sync();
    bob.sync();
    assert_eq!((keys(&ada), keys(&bob)), (vec!["a.md".into(), "b.md".into(), "c.md".into()], keys(&ada)));
    // In the directory that is known a deletion is one.
    ada.remove("a.md");
    ada.sync();
    bob.sync();
    assert_eq!(keys(&bob), ["b.md", "c.md"]);
}

#[test]
fn a_link_in_the_place_of_a_folder_stops_the_sync_before_anything_is_sent() {
    let (_repository, ada, bob) = two(&["a.md", "sub/b.md", "sub/deep/c.md"]);
    let elsewhere = |path: &Utf8Path, name: &str| {
        let away = ada.home.root().join(name);
        fs::rename(path, &away).unwrap();
        symlink(&away, path).unwrap();
    };
    elsewhere(&ada.path("sub"), "sub-elsewhere");
    let report = ada.sync();
    assert_eq!((report.sent.len(), report.blocked.len()), (0, 1), "{report:?}");
    elsewhere(&ada.path("").parent().unwrap().join("team"), "team-elsewhere");
    let error = ada.try_sync(&Options::default()).unwrap_err().to_string();
    assert!(error.contains("team` cannot be synced"), "{error}");
    bob.sync();
    assert_eq!(keys(&bob), ["a.md", "sub/b.md", "sub/deep/c.md"]);
}

#[test]
fn what_looks_like_a_mistake_comes_back_and_stays() {
    let all: Vec<String> = (0..12).map(|number| format!("m{number:02}.md")).collect();
    let (_repository, ada, bob) = two(&all.iter().map(String::as_str).collect::<Vec<_>>());
    all.iter().for_each(|key| ada.remove(key));
    let report = ada.sync();
    assert!(report.notices.iter().any(|notice| notice.contains("12 of 12")), "{report:?}");
    (0..13).for_each(|number| bob.write(&format!("n{number:02}.md"), &format!("Bob's {number}.\n")));
    bob.sync();
    for _ in 0..3 {
        ada.sync();
    }
    bob.sync();
    assert_eq!((keys(&ada).len(), keys(&bob).len()), (25, 25));
    // Renaming all of them loses nothing.
    for key in keys(&ada) {
        fs::create_dir_all(ada.path("sub")).unwrap();
        fs::rename(ada.path(&key), ada.path("sub").join(&key)).unwrap();
    }
    let report = ada.sync();
    assert!(report.notices.is_empty(), "{report:?}");
    bob.sync();
    assert_eq!(keys(&bob), keys(&ada));
    assert!(keys(&bob).iter().all(|key| key.starts_with("sub/")) && keys(&bob).len() == 25);
}

#[test]
fn all_of_a_few_come_back_and_one_of_them_does_not() {
    let (_repository, ada, bob) = two(&["a.md", "b.md", "c.md"]);
    ["a.md", "b.md", "c.md"].iter().for_each(|key| ada.remove(key));
    ada.sync();
    bob.sync();
    assert_eq!((keys(&ada).len(), keys(&bob).len()), (3, 3));
    ada.remove("b.md");
    ada.sync();
    bob.sync();
    assert_eq!(keys(&bob), ["a.md", "c.md"]);
}

#[test]
fn the_name_of_a_copy_is_free() {
    let (_repository, ada, bob) = two(&["x.md"]);
    ada.write("x.md", "From Ada.\n");
    bob.write("x.md", "From Bob.\n");
    ada.sync();
    bob.sync();
    ada.sync();
    let copy = keys(&ada).into_iter().find(|key| key.contains(".conflict-")).unwrap();
    // Ada drops the copy and goes on; Bob makes it the memory.
    ada.remove(&copy);
    ada.write("x.md", "From Ada, again.\n");
    ada.sync();
    fs::rename(bob.path(&copy), bob.path("x.md")).unwrap();
    let report = bob.sync();
    ada.sync();
    let told = report.conflicts.first().map(|kept| kept.kept_as.clone()).unwrap();
    for person in [&ada, &bob] {
        let texts: Vec<String> = person.shared().into_iter().map(|(_, text)| text).collect();
        assert!(texts.iter().any(|text| text.contains("From Bob.")), "{texts:?}");
        assert!(texts.iter().any(|text| text.contains("From Ada, again.")), "{texts:?}");
        assert!(person.read(told.as_str()).unwrap().contains("From Bob."));
    }
    // The same name, and something else is there.
    bob.write(told.as_str(), "Something else.\n");
    bob.write("x.md", "From Bob.\n");
    ada.write("x.md", "From Ada, a third time.\n");
    ada.sync();
    let report = bob.sync();
    ada.sync();
    let again = report.conflicts.first().map(|kept| kept.kept_as.clone()).unwrap();
    assert_ne!(again, told);
    assert!(ada.read(again.as_str()).unwrap().contains("From Bob."));
    assert!(ada.read(told.as_str()).unwrap().contains("Something else."));
}

#[test]
fn a_deletion_outlives_an_emptied_remote() {
    let (repository, ada, bob) = two(&["x.md", "y.md"]);
    let cy = Person::joining(&ada, "Cy");
    ada.remove("y.md");
    ada.sync();
    bob.sync();
    repository.git(&["update-ref", "-d", "refs/heads/memdir"]);
    for person in [&ada, &cy, &ada, &bob] {
        person.sync();
    }
    for person in [&ada, &bob, &cy] {
        assert_eq!(keys(person), ["x.md"]);
    }
}

#[test]
fn what_came_while_nothing_was_wanted_is_taken_when_it_is() {
    for mode in ["off", "review"] {
        let (_repository, ada, bob) = two(&["x.md"]);
        let settings = |text: &str| bob.home.write("home/.config/memdir/config.toml", text);
        settings(&format!("[writes]\nteam = \"{mode}\"\n"));
        ada.write("x.md", "Second.\n");
        ada.sync();
        bob.sync();
        bob.sync();
        assert_eq!(bob.read("x.md").unwrap(), "The memory x.md.\n");
        settings("");
        bob.sync();
        assert_eq!(bob.read("x.md").unwrap(), "Second.\n", "{mode}");
    }
}

#[test]
fn a_lost_or_changed_index_is_made_again() {
    let (_repository, ada, _bob) = two(&["x.md"]);
    let index = || ada.read("MEMORY.md");
    let made = index().unwrap();
    for _ in 0..2 {
        // Until it is at rest.
        ada.sync();
    }
    fs::remove_file(ada.path("MEMORY.md")).unwrap();
    ada.sync();
    assert_eq!(index().as_deref(), Some(made.as_str()));
    ada.write("MEMORY.md", "nothing\n");
    ada.sync();
    assert_eq!(index().as_deref(), Some(made.as_str()));
}

#[test]
fn who_decides_conflicts_decides_about_deletions_too() {
    let deleted_here = [("ours", None), ("theirs", Some("Changed.\n")), ("merge", Some("Changed.\n"))];
    let changed_here = [("ours", Some("Changed.\n")), ("theirs", None), ("merge", Some("Changed.\n"))];
    for (deletes, policy, expected) in deleted_here
        .map(|(policy, expected)| (true, policy, expected))
        .into_iter()
        .chain(changed_here.map(|(policy, expected)| (false, policy, expected)))
    {
        let (_repository, ada, bob) = two(&["x.md", "y.md"]);
        let (one, other) = if deletes { (&bob, &ada) } else { (&ada, &bob) };
        one.remove("x.md");
        other.write("x.md", "Changed.\n");
        ada.sync();
        let refused = bob.try_sync(&Options { conflict: ConflictPolicy::Fail, ..Options::default() });
        assert!(refused.unwrap_err().to_string().contains("x.md"));
        let conflict = match policy {
            "ours" => ConflictPolicy::Ours,
            "theirs" => ConflictPolicy::Theirs,
            _ => ConflictPolicy::Merge,
        };
        bob.try_sync(&Options { conflict, ..Options::default() }).unwrap();
        ada.sync();
        assert_eq!(bob.read("x.md").as_deref(), expected, "{policy} {deletes}");
        assert_eq!(ada.read("x.md").as_deref(), expected, "{policy} {deletes}");
    }
}
