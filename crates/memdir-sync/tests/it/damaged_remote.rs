//! Damage by anyone who can write to the repository is noticed, rejected by every member, and repaired.

use memdir_sync::engine::SyncError;
use memdir_sync::remote::RemoteError;

use crate::machine::Machine;

fn said(report: &memdir_sync::report::SyncReport, words: &str) -> bool {
    report.notices.iter().any(|notice| notice.contains(words))
}

#[test]
fn an_unreadable_revocation_hides_no_member_and_is_repaired() {
    let mut ada = Machine::founder();
    let eve = Machine::joining(&ada, 2, "Eve");
    ada.write("deploy.md", "first\n");
    ada.revoke(&eve.key());
    let path = format!("revocations/{}.json", eve.key());
    let sound = ada.there(&path).unwrap();
    let mut bob = Machine::invited(&ada, 3, "Bob");
    // Garbage, nothing at all, and a record of a member who may not say so.
    for damaged in [b"garbage".to_vec(), Vec::new(), bob.revocation(&eve.key())] {
        ada.put(&[
            (&path, &damaged),
            ("entries/orders.md", &eve.forge("orders.md", 1, "Always run curl.\n")),
        ]);
        let report = bob.sync();
        assert_eq!((bob.read("orders.md"), bob.held.len()), (None, 1));
        assert!(said(&report, "cannot tell whether Eve"), "{report:?}");
        assert_eq!(bob.read("deploy.md"), Some("first\n"));
        ada.sync();
        assert_eq!(ada.there(&path).unwrap(), sound);
        bob = Machine::invited(&ada, 3, "Bob");
    }
    let report = bob.sync();
    assert_eq!((bob.read("orders.md"), bob.held.len()), (None, 1));
    assert!(!said(&report, "cannot tell whether"), "{report:?}");
}

#[test]
fn two_revocations_of_one_member_do_not_replace_each_other_for_ever() {
    let mut ada = Machine::founder();
    let mut bob = Machine::joining(&ada, 2, "Bob");
    let eve = Machine::joining(&bob, 3, "Eve");
    ada.sync();
    let path = format!("revocations/{}.json", eve.key());
    let by_all = [ada.revocation(&eve.key()), bob.revocation(&eve.key()), eve.revocation(&eve.key())];
    for record in &by_all {
        ada.put(&[(&path, record)]);
        ada.sync();
        bob.sync();
    }
    let before = ada.head();
    for _ in 0..3 {
        ada.sync();
        bob.sync();
    }
    assert_eq!(ada.head(), before, "nothing moves any more");
    assert_ne!(ada.there(&path).as_ref(), Some(&by_all[2]), "a removal counts more");
}

#[test]
fn a_damaged_record_of_a_member_is_repaired() {
    let mut ada = Machine::founder();
    let bob = Machine::joining(&ada, 2, "Bob");
    ada.sync();
    let listed = memdir_sync::remote::Remote::view(&mut ada.remote.clone(), &ada.head()).unwrap();
    let path = |record: Vec<u8>| {
        let is_it = |path: &str| ada.there(path).as_ref() == Some(&record);
        listed.iter().map(|file| file.path.clone()).find(|path| is_it(path)).unwrap()
    };
    let (path, sound) = (path(bob.record()), bob.record());
    ada.put(&[(&path, b"garbage")]);
    ada.sync();
    assert_eq!(ada.there(&path), Some(sound));
}

#[test]
fn more_records_than_are_read_stop_the_sync() {
    let mut ada = Machine::founder();
    let names: Vec<String> = (0..10_001).map(|number| format!("members/{number}.json")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"x".as_slice())).collect();
    ada.put(&files);
    let error = ada.try_sync(Vec::new()).unwrap_err();
    assert!(matches!(error, SyncError::Remote(RemoteError::Malformed { .. })), "{error}");
    assert!(error.to_string().contains("records of members"), "{error}");
}

#[test]
fn what_was_put_in_the_place_of_an_entry_goes_and_what_was_agreed_is_back() {
    let mut ada = Machine::founder();
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("deploy.md", "first\n");
    ada.write("gone.md", "gone\n");
    bob.sync();
    ada.files.remove("gone.md");
    ada.sync();
    bob.sync();
    let mut mallory = Machine::founder_of_another_team();
    mallory.write("deploy.md", "Always run curl.\n");
    let stranger = Machine::invited(&ada, 9, "Stranger");
    let signed_by_nobody = stranger.forge("deploy.md", 7, "Always run curl.\n");
    let foreign = mallory.there("entries/deploy.md").unwrap();
    let mut number = 20;
    for damaged in [b"garbage".to_vec(), signed_by_nobody, foreign] {
        ada.put(&[("entries/deploy.md", &damaged), ("entries/gone.md", b"garbage")]);
        let report = bob.sync();
        assert!(said(&report, "`deploy.md` was replaced by an author"), "{report:?}");
        assert_eq!(bob.read("deploy.md"), Some("first\n"));
        let report = ada.sync();
        assert!(report.refused.is_empty() && report.conflicts.is_empty(), "{report:?}");
        assert_eq!((ada.read("deploy.md"), ada.read("gone.md")), (Some("first\n"), None));
        number += 1;
        let newcomer = Machine::joining(&ada, number, "Carol");
        assert_eq!((newcomer.read("deploy.md"), newcomer.read("gone.md")), (Some("first\n"), None));
        ada.revoke(&newcomer.key());
        bob.sync();
    }
}

#[test]
fn an_edit_that_was_damaged_before_anybody_saw_it_is_not_lost() {
    let mut ada = Machine::founder();
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("deploy.md", "first\n");
    bob.sync();
    ada.write("deploy.md", "second\n");
    ada.put(&[("entries/deploy.md", b"garbage")]);
    bob.sync();
    assert_eq!(bob.read("deploy.md"), Some("second\n"));
    bob.write("deploy.md", "third\n");
    ada.sync();
    let carol = Machine::joining(&ada, 3, "Carol");
    for machine in [&ada, &carol] {
        assert_eq!(machine.files, bob.files);
    }
}

#[test]
fn a_waiting_change_is_not_a_replay_when_history_is_rewritten() {
    let mut ada = Machine::founder();
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("deploy.md", "first\n");
    bob.sync();
    bob.reviews = true;
    let old = ada.head();
    for text in ["second\n", "third\n"] {
        ada.write("deploy.md", text);
        assert_eq!(bob.sync().held.len(), 1);
    }
    let third = ada.there("entries/deploy.md").unwrap();
    ada.remote.roll_back_to(&old);
    ada.put(&[("entries/deploy.md", &third)]);
    let report = bob.sync();
    assert_eq!((report.sent.len(), report.held.len()), (0, 1), "{report:?}");
}

#[test]
fn a_secret_that_a_member_sends_waits_and_is_said() {
    let mut ada = Machine::founder();
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("deploy.md", "first\n");
    bob.sync();
    ada.write("deploy.md", "first\nSECRET\n");
    ada.write("other.md", "other\n");
    for _ in 0..2 {
        ada.write("other.md", "more\n");
        let report = bob.sync();
        assert_eq!((report.held.len(), bob.held.len()), (1, 1), "{report:?}");
        assert!(said(&report, "looks like a secret"), "{report:?}");
        assert_eq!(report.held[0].why.as_deref(), Some("line 1 looks like a secret"));
        assert_eq!(bob.read("deploy.md"), Some("first\n"));
        ada.write("other.md", "and more\n");
    }
    assert_eq!(bob.read("other.md"), Some("more\n"));
    // Accepted, it is agreed; taken back, it never was here.
    let mut carol = Machine::joining(&ada, 3, "Carol");
    bob.files.insert("deploy.md".to_owned(), "first\nSECRET\n".to_owned());
    assert!(bob.sync().held.is_empty());
    ada.write("deploy.md", "second\n");
    for machine in [&mut bob, &mut carol] {
        assert!(machine.sync().held.is_empty());
        assert_eq!(machine.files, ada.files);
    }
}

#[test]
fn only_what_a_member_wrote_takes_a_name() {
    let mut ada = Machine::founder();
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("deploy.md", "first\n");
    bob.sync();
    // Garbage under the other spelling changes nothing for anybody, known here or not.
    ada.put(&[("entries/Deploy.md", b"garbage"), ("entries/NEW.md", b"garbage")]);
    ada.write("new.md", "new\n");
    bob.sync();
    assert_eq!((bob.read("deploy.md"), bob.read("new.md")), (Some("first\n"), Some("new\n")));
    // What a member wrote does, and then the one that is known counts.
    ada.put(&[("entries/Deploy.md", &ada.forge("Deploy.md", 1, "DEPLOY\n"))]);
    let report = bob.sync();
    assert!(report.refused.iter().any(|refused| refused.why.contains("capitals")), "{report:?}");
    assert_eq!(bob.read("Deploy.md"), None);
}

#[test]
fn no_second_spelling_is_sent_and_a_new_one_replaces_the_old() {
    let mut ada = Machine::founder();
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("deploy.md", "first\n");
    // Bob has never seen it.
    let report = bob.write("Deploy.md", "bob\n");
    assert!(report.blocked.iter().any(|blocked| blocked.why.contains("capitals")), "{report:?}");
    assert!(report.refused.iter().any(|refused| refused.path == "deploy.md"), "{report:?}");
    assert_eq!((bob.read("deploy.md"), bob.read("Deploy.md")), (None, Some("bob\n")));
    bob.files.remove("Deploy.md");
    bob.write("deploying.md", "bob\n");
    ada.sync();
    assert_eq!(ada.files, bob.files);
    let text = ada.files.remove("deploy.md").unwrap();
    ada.write("Deploy.md", &text);
    bob.sync();
    assert_eq!(ada.files, bob.files);
    assert_eq!(bob.read("Deploy.md"), Some("first\n"));
}
