//! Memories that were deleted or taken back, and people who come back to them.

use std::fs;

use crate::people::{Person, now};
use crate::two_people::two;

/// Leaves, and comes back with another member's invitation.
fn come_back(person: &Person, inviter: &Person) {
    person.team().leave(now()).unwrap();
    person.join(&inviter.team().membership().invite().unwrap(), "Bob").unwrap();
}

/// Forgets what was agreed, as a user who removes a damaged file does.
fn forget(person: &Person) {
    let folder = person.home.env().state_dir().unwrap().join("sync");
    for membership in folder.read_dir_utf8().unwrap().map(Result::unwrap) {
        let _ = fs::remove_file(membership.path().join("state"));
    }
}

#[test]
fn an_unchanged_old_version_comes_back_for_no_member() {
    for leaves in [true, false] {
        let (_repository, ada, bob) = two();
        for key in ["gone.md", "changed.md", "edited.md"] {
            ada.write(key, "one\n");
        }
        ada.sync();
        bob.sync();
        if leaves {
            bob.team().leave(now()).unwrap();
        }
        for text in ["one\ntwo\n", "two\n", "two\nthree\n"] {
            for key in ["gone.md", "changed.md", "edited.md"] {
                ada.write(key, text);
            }
            ada.sync();
        }
        ada.remove("gone.md");
        ada.remove("edited.md");
        ada.sync();
        bob.write("edited.md", "one\nbob\n");
        if leaves {
            bob.join(&ada.team().membership().invite().unwrap(), "Bob").unwrap();
        } else {
            forget(&bob);
            bob.sync();
        }
        ada.sync();
        for person in [&ada, &bob] {
            assert_eq!(person.read("gone.md"), None, "{leaves}");
            assert_eq!(person.read("changed.md").as_deref(), Some("two\nthree\n"), "{leaves}");
            assert_eq!(person.read("edited.md").as_deref(), Some("one\nbob\n"), "{leaves}");
        }
    }
}

#[test]
fn a_returning_member_sends_what_was_never_there() {
    let (_repository, ada, bob) = two();
    ada.write("gone.md", "one\n");
    ada.sync();
    bob.sync();
    ada.remove("gone.md");
    ada.sync();
    bob.sync();
    bob.write("gone.md", "something else\n");
    come_back(&bob, &ada);
    ada.sync();
    assert_eq!(ada.read("gone.md").as_deref(), Some("something else\n"));
}

#[test]
fn unsharing_reports_that_a_memory_is_the_teams_again() {
    for bob_knew in [true, false] {
        let (_repository, ada, bob) = two();
        ada.sync();
        let mut team = ada.team();
        let plan = team.plan_unshare("deploy").unwrap();
        let author = memdir_core::operation::Author {
            kind: memdir_core::operation::AuthorKind::Person,
            id: None,
            session: None,
        };
        team.memory_mut().apply(&plan, &author, now()).unwrap();
        let text = bob.read("deploy.md").unwrap();
        bob.write("deploy.md", &text.replace("third\n", "third\nbob\n"));
        if bob_knew {
            ada.sync();
        }
        bob.sync();
        let report = ada.sync();
        let said = |notice: &String| notice.contains("you took `deploy.md` back") && notice.contains("Bob");
        assert_eq!(report.notices.iter().filter(|notice| said(notice)).count(), 1, "{report:?}");
        assert_eq!(report.notices.len(), 1, "{report:?}");
        assert!(ada.read("deploy.md").unwrap().contains("bob"));
    }
}

#[test]
fn one_memory_that_cannot_be_written_keeps_no_other_away() {
    let (_repository, ada, bob) = two();
    // A file of another program, where Ada has a folder.
    fs::write(bob.path("sub"), "notes\n").unwrap();
    for key in ["a.md", "sub/x.md", "sub/y.md", "z.md"] {
        ada.write(key, &format!("The memory {key}.\n"));
    }
    ada.sync();
    for _ in 0..2 {
        let report = bob.sync();
        let refused: Vec<&str> = report.refused.iter().map(|refused| refused.path.as_str()).collect();
        assert_eq!(refused, ["sub/x.md", "sub/y.md"], "{report:?}");
        assert!(report.received.iter().all(|came| !came.path.starts_with("sub/")), "{report:?}");
        assert!(bob.read("a.md").is_some() && bob.read("z.md").is_some());
    }
    // What Bob sends goes meanwhile, and nothing is taken for deleted.
    bob.write("mine.md", "mine\n");
    assert_eq!(bob.sync().sent.len(), 1);
    ada.sync();
    assert!(ada.read("mine.md").is_some() && ada.read("sub/x.md").is_some());
    fs::remove_file(bob.path("sub")).unwrap();
    let report = bob.sync();
    assert_eq!((report.received.len(), report.refused.len()), (2, 0), "{report:?}");
    assert_eq!(bob.read("sub/y.md").as_deref(), Some("The memory sub/y.md.\n"));
}
