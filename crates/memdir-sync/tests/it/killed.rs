//! What a sync that was killed leaves for later, even much later.

use crate::machine::Machine;

/// Bob is killed before he removes what Ada deleted; then the deletion is forgotten.
fn killed_before_a_deletion() -> (Machine, Machine) {
    let mut ada = Machine::founder();
    ada.tombstone_rounds = 3;
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("gone.md", "gone\n");
    ada.write("stays.md", "stays\n");
    bob.sync();
    ada.files.remove("gone.md");
    ada.sync();
    bob.dies = true;
    bob.try_sync(Vec::new()).unwrap_err();
    (ada, bob)
}

fn check_gone(mut ada: Machine, mut bob: Machine) {
    for number in 0..5 {
        ada.write("other.md", &format!("{number}\n"));
    }
    assert!(ada.there("entries/gone.md").is_none());
    bob.dies = false;
    for _ in 0..2 {
        bob.sync();
        ada.sync();
    }
    assert_eq!((ada.read("gone.md"), bob.read("gone.md")), (None, None));
    assert_eq!(ada.files, bob.files);
}

#[test]
fn a_deletion_is_made_although_no_remote_names_it_any_more() {
    let (ada, bob) = killed_before_a_deletion();
    check_gone(ada, bob);
}

#[test]
fn a_file_about_to_be_deleted_is_not_a_new_name() {
    let mut ada = Machine::founder();
    ada.tombstone_rounds = 3;
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("gone.md", "the same\n");
    ada.write("too.md", "the same\n");
    bob.sync();
    ada.files.remove("gone.md");
    ada.sync();
    bob.dies = true;
    bob.try_sync(Vec::new()).unwrap_err();
    bob.dies = false;
    bob.files.remove("too.md");
    bob.sync();
    assert_eq!(bob.files.len(), 0, "{:?}", bob.files);
    check_gone(ada, bob);
}

#[test]
fn a_second_kill_forgets_nothing_of_the_first() {
    let (mut ada, mut bob) = killed_before_a_deletion();
    // This one publishes something, and is killed too.
    ada.write("other.md", "other\n");
    bob.files.insert("bob.md".to_owned(), "bob\n".to_owned());
    bob.try_sync(Vec::new()).unwrap_err();
    ada.sync();
    assert_eq!(ada.read("bob.md"), Some("bob\n"));
    check_gone(ada, bob);
}

#[test]
fn what_disappears_there_before_it_was_written_here_is_sent_as_it_was_agreed() {
    let mut ada = Machine::founder();
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("deploy.md", "first\n");
    bob.sync();
    ada.write("deploy.md", "second\n");
    bob.dies = true;
    bob.try_sync(Vec::new()).unwrap_err();
    ada.put(&[("entries/deploy.md", b"garbage")]);
    bob.dies = false;
    for _ in 0..2 {
        bob.sync();
        ada.sync();
    }
    for machine in [&ada, &bob] {
        assert_eq!(machine.read("deploy.md"), Some("second\n"));
        assert_eq!(machine.files.len(), 1);
    }
}

#[test]
fn what_arrived_stays_known_although_the_next_try_never_arrives() {
    let mut ada = Machine::founder();
    ada.tombstone_rounds = 3;
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("gone.md", "first\n");
    bob.sync();
    ada.write("other.md", "other\n");
    // Bob's change arrives, and he is killed before he knows.
    bob.files.insert("gone.md".to_owned(), "first\nbob\n".to_owned());
    bob.dies = true;
    bob.try_sync(Vec::new()).unwrap_err();
    ada.sync();
    assert_eq!(ada.read("gone.md"), Some("first\nbob\n"));
    ada.files.remove("gone.md");
    ada.sync();
    // The next one is killed before it publishes, and Ada is faster.
    bob.dies_before_publishing = true;
    bob.files.insert("bob.md".to_owned(), "bob\n".to_owned());
    bob.try_sync(Vec::new()).unwrap_err();
    bob.dies_before_publishing = false;
    check_gone(ada, bob);
}

#[test]
fn what_was_changed_between_two_kills_is_the_users() {
    let mut ada = Machine::founder();
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("deploy.md", "first\n");
    bob.sync();
    for text in ["second\n", "third\n"] {
        ada.write("other.md", text);
        bob.files.insert("deploy.md".to_owned(), text.to_owned());
        bob.dies = true;
        bob.try_sync(Vec::new()).unwrap_err();
    }
    bob.files.insert("deploy.md".to_owned(), "fourth\n".to_owned());
    bob.dies_before_publishing = true;
    bob.try_sync(Vec::new()).unwrap_err();
    (bob.dies, bob.dies_before_publishing) = (false, false);
    bob.sync();
    ada.sync();
    for machine in [&ada, &bob] {
        assert_eq!(machine.read("deploy.md"), Some("fourth\n"));
        assert_eq!(machine.files.len(), 2);
    }
}

#[test]
fn a_new_file_where_a_killed_sync_deleted_is_not_a_change_of_the_old_one() {
    let mut ada = Machine::founder();
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("old.md", "first\nsecond\n");
    bob.sync();
    let text = ada.files.remove("old.md").unwrap();
    ada.write("new.md", &text);
    // Of Ada's rename, Bob's sync gets as far as the old name.
    bob.dies = true;
    bob.try_sync(Vec::new()).unwrap_err();
    bob.dies = false;
    bob.files.remove("old.md");
    bob.files.insert("old.md".to_owned(), "something else\n".to_owned());
    let text = ada.files.remove("new.md").unwrap();
    ada.write("newest.md", &text);
    for _ in 0..2 {
        bob.sync();
        ada.sync();
    }
    for machine in [&ada, &bob] {
        assert_eq!(machine.read("newest.md"), Some("first\nsecond\n"));
        assert_eq!(machine.read("old.md"), Some("something else\n"));
    }
}
