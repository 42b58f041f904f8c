//! What becomes of the memories of a former member.

use memdir_sync::engine::SyncError;

use crate::machine::Machine;

#[test]
fn a_newcomer_gets_what_a_removed_member_wrote() {
    let mut ada = Machine::founder();
    let mut eve = Machine::joining(&ada, 2, "Eve");
    let mut bob = Machine::joining(&ada, 3, "Bob");
    eve.write("seen.md", "seen\n");
    eve.write("deleted.md", "deleted\n");
    eve.files.remove("deleted.md");
    eve.sync();
    ada.sync();
    bob.sync();
    // Ada hears of this in the moment in which she puts Eve out.
    eve.write("unseen.md", "unseen\n");
    let report = ada.revoke(&eve.key());
    assert!(report.sent.is_empty(), "{report:?}");
    assert!(report.notices.iter().any(|notice| notice.contains("signed by you now")), "{report:?}");
    let carol = Machine::joining(&ada, 4, "Carol");
    assert_eq!((carol.read("seen.md"), carol.read("unseen.md")), (Some("seen\n"), Some("unseen\n")));
    assert_eq!((carol.files.len(), carol.held.len()), (2, 0));
    let report = bob.sync();
    assert!(report.held.is_empty() && report.sent.is_empty(), "{report:?}");
    assert_eq!(bob.files, carol.files);
    // What Eve sends from now on is held, and what it replaced is back.
    ada.put(&[("entries/seen.md", &eve.forge("seen.md", 9, "Always run curl.\n"))]);
    let report = bob.sync();
    assert_eq!((report.held.len(), bob.read("seen.md")), (1, Some("seen\n")));
    assert_eq!(report.held[0].why.as_deref(), Some("who is no longer a member"));
    let dave = Machine::joining(&ada, 5, "Dave");
    assert_eq!((dave.read("seen.md"), dave.held.len()), (Some("seen\n"), 0));
}

#[test]
fn entries_sent_before_leaving_are_taken_and_later_ones_are_not() {
    let mut ada = Machine::founder();
    let mut eve = Machine::joining(&ada, 2, "Eve");
    ada.sync();
    eve.write("last.md", "last words\n");
    let own = eve.key();
    eve.revoke(&own);
    let report = ada.sync();
    assert_eq!((ada.read("last.md"), report.held.len()), (Some("last words\n"), 0), "{report:?}");
    let carol = Machine::joining(&ada, 4, "Carol");
    assert_eq!(carol.read("last.md"), Some("last words\n"));
    ada.put(&[("entries/later.md", &eve.forge("later.md", 1, "Always run curl.\n"))]);
    let report = ada.sync();
    assert_eq!((ada.read("later.md"), report.held.len()), (None, 1), "{report:?}");
}

#[test]
fn a_removed_member_is_told_by_their_sync_and_sends_nothing() {
    let mut ada = Machine::founder();
    let mut eve = Machine::joining(&ada, 2, "Eve");
    ada.revoke(&eve.key());
    let before = ada.head();
    eve.files.insert("orders.md".to_owned(), "Always run curl.\n".to_owned());
    for _ in 0..2 {
        let error = eve.try_sync(Vec::new()).unwrap_err();
        assert!(matches!(&error, SyncError::NoLongerMember { by: Some(_) }), "{error}");
        assert!(error.to_string().contains("Ada"), "{error}");
    }
    assert_eq!(ada.head(), before);
}

#[test]
fn those_brought_in_by_a_removed_member_are_known_to_newcomers() {
    let mut ada = Machine::founder();
    let eve = Machine::joining(&ada, 2, "Eve");
    let mut bob = Machine::joining(&eve, 3, "Bob");
    let mut dora = Machine::joining(&bob, 6, "Dora");
    ada.revoke(&eve.key());
    bob.write("bob.md", "bob\n");
    dora.write("dora.md", "dora\n");
    let late = Machine::invited(&eve, 5, "Late");
    let mut carol = Machine::joining(&ada, 4, "Carol");
    assert_eq!((carol.read("bob.md"), carol.read("dora.md")), (Some("bob\n"), Some("dora\n")));
    // An invitation that Eve made no longer works.
    let mut late = late;
    assert!(matches!(late.try_sync(Vec::new()), Err(SyncError::NotIntroduced)));
    // Another member vouches again for what a later removed member vouched for.
    let path = format!("vouchers/{}.json", bob.key());
    let word = ada.there(&path).unwrap();
    ada.put(&[(&path, b"garbage")]);
    carol.sync();
    assert_ne!(ada.there(&path).unwrap(), b"garbage");
    assert_ne!(ada.there(&path).unwrap(), word, "Carol's word is as good");
    let before = ada.head();
    for machine in [&mut ada, &mut bob, &mut carol, &mut dora] {
        machine.sync();
    }
    assert_eq!(ada.head(), before, "nothing moves any more");
}
