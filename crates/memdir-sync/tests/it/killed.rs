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
fn a_deletion_that_was_not_made_here_is_made_although_nobody_names_it_any_more() {
    let (ada, bob) = killed_before_a_deletion();
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
