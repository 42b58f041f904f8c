//! A member who reviews what others send before it is written.

use memdir_sync::report::SyncReport;

use crate::people::{Person, now};
use crate::two_people::{body, memory, two};

pub(crate) fn waiting(person: &Person) -> Vec<memdir_core::review::StagedPlan> {
    person.memory().waiting().unwrap().plans
}

pub(crate) fn reviewing(person: &Person, mode: &str) {
    person.home.write("home/.config/memdir/config.toml", format!("[writes]\nteam = \"{mode}\"\n"));
}

#[test]
fn what_mates_send_waits_where_the_user_wants_to_see_it_first() {
    let (_repository, ada, bob) = two();
    bob.home.write("home/.config/memdir/config.toml", "[writes]\nteam = \"review\"\n");
    ada.write("new.md", "new\n");
    ada.sync();
    let report = bob.sync();
    assert_eq!((report.held.len(), bob.read("new.md")), (1, None));
    bob.sync();
    let mut memory = bob.memory();
    let waiting = memory.waiting().unwrap().plans;
    assert_eq!(waiting.len(), 1, "the same change waits once");
    memory.accept(&waiting[0], now()).unwrap();
    assert_eq!(bob.read("new.md").as_deref(), Some("new\n"));
    let report = bob.sync();
    assert_eq!((report.held.len(), report.sent.len()), (0, 0), "{report:?}");
}

#[test]
fn what_was_changed_here_too_is_part_of_what_waits_and_goes_out_at_once() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "review");
    ada.write("deploy.md", &memory("deploy", "FIRST\nsecond\nthird\n"));
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nbob\n"));
    ada.sync();
    let report = bob.sync();
    assert_eq!((report.held.len(), report.sent.len()), (1, 1), "{report:?}");
    assert_eq!(body(&bob, "deploy.md"), "first\nsecond\nthird\nbob\n", "nothing is written unasked");
    // Ada has both already; the next sync changes nothing.
    ada.sync();
    assert_eq!(body(&ada, "deploy.md"), "FIRST\nsecond\nthird\nbob\n");
    let report = bob.sync();
    assert_eq!((report.held.len(), report.sent.len(), waiting(&bob).len()), (1, 0, 1), "{report:?}");
    // A newer change takes the place of the one that waits.
    ada.write("deploy.md", &memory("deploy", "FIRST\nsecond\nTHIRD\nbob\n"));
    ada.sync();
    bob.sync();
    let plans = waiting(&bob);
    assert_eq!(plans.len(), 1);
    bob.memory().accept(&plans[0], now()).unwrap();
    assert_eq!(body(&bob, "deploy.md"), "FIRST\nsecond\nTHIRD\nbob\n");
    assert_eq!((bob.sync().sent, ada.sync().received, waiting(&bob).len()), (vec![], vec![], 0));
}

#[test]
fn what_cannot_be_merged_goes_out_at_once_as_a_copy_and_theirs_waits() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "review");
    ada.write("deploy.md", &memory("deploy", "ada\nsecond\nthird\n"));
    bob.write("deploy.md", &memory("deploy", "bob\nsecond\nthird\n"));
    ada.sync();
    let report = bob.sync();
    assert_eq!((report.sent.len(), report.conflicts.len(), report.held.len()), (1, 1, 1), "{report:?}");
    let copy = report.conflicts[0].kept_as.clone();
    assert_eq!(ada.sync().received.len(), 1);
    assert!(body(&ada, &copy).starts_with("bob\n"));
    // While it waits, one's own edits go into the same copy.
    assert_eq!((bob.sync().sent.len(), bob.team().own_changes(now()).unwrap().len()), (0, 0));
    bob.write("deploy.md", &memory("deploy", "Bob\nsecond\nthird\n"));
    bob.sync();
    ada.sync();
    assert!(body(&ada, &copy).starts_with("Bob\n"));
    bob.memory().accept(&waiting(&bob)[0], now()).unwrap();
    assert_eq!((bob.sync().sent.len(), ada.sync().received.len()), (0, 0));
    for person in [&ada, &bob] {
        assert!(body(person, "deploy.md").starts_with("ada\n"));
        assert!(body(person, &copy).starts_with("Bob\n"));
        assert_eq!(person.shared().len(), 3);
    }
    assert_eq!(bob.sync(), SyncReport::default());
}

#[test]
fn rejecting_an_unmergeable_change_keeps_ours() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "review");
    ada.write("deploy.md", &memory("deploy", "ada\nsecond\nthird\n"));
    bob.write("deploy.md", &memory("deploy", "bob\nsecond\nthird\n"));
    ada.sync();
    let copy = bob.sync().conflicts[0].kept_as.clone();
    bob.memory().reject(&waiting(&bob)[0]).unwrap();
    let report = bob.sync();
    assert_eq!((report.held.len(), waiting(&bob).len()), (0, 0), "{report:?}");
    ada.sync();
    for person in [&ada, &bob] {
        assert!(body(person, "deploy.md").starts_with("bob\n"));
        assert_eq!(person.read(&copy), None, "the same text under the name needs no copy");
    }
    assert_eq!((bob.sync(), ada.sync()), (SyncReport::default(), SyncReport::default()));
}

#[test]
fn a_merge_that_is_rejected_is_taken_back_and_never_said_to_be_by_oneself() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "review");
    ada.write("deploy.md", &memory("deploy", "FIRST\nsecond\nthird\n"));
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nbob\n"));
    ada.sync();
    bob.sync();
    let report = bob.sync();
    assert_eq!(report.held[0].name.as_deref(), Some("Ada"), "{report:?}");
    let plans = waiting(&bob);
    assert_eq!((plans.len(), plans[0].author.id.as_deref()), (1, Some("Ada")));
    bob.memory().reject(&plans[0]).unwrap();
    let report = bob.sync();
    assert_eq!((report.held.len(), report.sent.len()), (0, 1), "{report:?}");
    assert!(report.notices.iter().any(|notice| notice.contains("rejected")), "{report:?}");
    ada.sync();
    for person in [&ada, &bob] {
        assert_eq!(body(person, "deploy.md"), "first\nsecond\nthird\nbob\n");
    }
    assert_eq!((bob.sync(), ada.sync()), (SyncReport::default(), SyncReport::default()));
}

#[test]
fn what_is_rejected_stays_away_and_changes_nothing_for_the_others() {
    let (_repository, ada, bob) = two();
    ada.write("kept.md", "kept\n");
    ada.sync();
    bob.sync();
    reviewing(&bob, "review");
    ada.write("new.md", "new\n");
    ada.write("deploy.md", &memory("deploy", "FIRST\nsecond\nthird\n"));
    ada.remove("kept.md");
    ada.sync();
    assert_eq!(bob.sync().held.len(), 3);
    for plan in waiting(&bob) {
        bob.memory().reject(&plan).unwrap();
    }
    for _ in 0..2 {
        let report = bob.sync();
        assert_eq!((report.held.len(), report.sent.len(), waiting(&bob).len()), (0, 0, 0), "{report:?}");
    }
    assert_eq!(bob.sync(), SyncReport::default());
    assert_eq!(bob.team().own_changes(now()).unwrap(), []);
    assert_eq!(ada.sync(), SyncReport::default());
    assert_eq!((bob.read("new.md"), bob.read("kept.md").as_deref()), (None, Some("kept\n")));
    assert_eq!(body(&bob, "deploy.md"), "first\nsecond\nthird\n");
    // What is changed here later is sent as it is, made from what was rejected.
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nTHIRD\n"));
    bob.write("kept.md", "kept on\n");
    assert_eq!(bob.sync().sent.len(), 2);
    ada.sync();
    for person in [&ada, &bob] {
        assert_eq!(body(person, "deploy.md"), "first\nsecond\nTHIRD\n");
        assert_eq!(person.read("kept.md").as_deref(), Some("kept on\n"));
    }
    // What the others change later waits as before.
    ada.write("new.md", "newer\n");
    ada.sync();
    let report = bob.sync();
    assert_eq!((report.held.len(), report.sent.len(), waiting(&bob).len()), (1, 0, 1), "{report:?}");
}

#[test]
fn what_waits_is_named_at_every_sync() {
    for mode in ["review", "off"] {
        let (_repository, ada, bob) = two();
        reviewing(&bob, mode);
        ada.write("new.md", "new\n");
        ada.sync();
        for _ in 0..3 {
            let report = bob.sync();
            let is_said =
                report.held.len() == 1 || report.notices.iter().any(|notice| notice.contains("`off`"));
            assert!(is_said, "{mode} {report:?}");
        }
    }
}

#[test]
fn an_unvouched_entry_is_reported_only_while_it_waits() {
    let (_repository, ada, bob) = two();
    let eve = Person::joining(&ada, "Eve");
    bob.sync();
    eve.write("orders.md", "Always run curl.\n");
    eve.sync();
    ada.team().revoke("Eve", now()).unwrap();
    let late = Person::joining(&ada, "Late");
    for plan in waiting(&late) {
        late.memory().reject(&plan).unwrap();
    }
    ada.write("new.md", "new\n");
    ada.sync();
    let report = late.sync();
    assert_eq!(report.held.len(), waiting(&late).len(), "{report:?}");
}

#[test]
fn a_change_follows_a_rename_where_changes_wait() {
    // Ada renames, Bob, who reviews, changes; and the other way round.
    for bob_renames in [false, true] {
        let (_repository, ada, bob) = two();
        reviewing(&bob, "review");
        let (renames, edits) = if bob_renames { (&bob, &ada) } else { (&ada, &bob) };
        let text = renames.read("deploy.md").unwrap();
        renames.remove("deploy.md");
        renames.write("releases.md", &text);
        edits.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nfourth\n"));
        ada.sync();
        let report = bob.sync();
        assert_eq!((report.held.len(), waiting(&bob).len()), (1, 1), "{bob_renames} {report:?}");
        ada.sync();
        assert_eq!(ada.read("deploy.md"), None, "{bob_renames}");
        assert_eq!(body(&ada, "releases.md"), "first\nsecond\nthird\nfourth\n", "{bob_renames}");
        assert_eq!(bob.sync().sent, []);
        bob.memory().accept(&waiting(&bob)[0], now()).unwrap();
        let report = bob.sync();
        assert_eq!((report.held.len(), report.sent.len(), waiting(&bob).len()), (0, 0, 0), "{report:?}");
        assert_eq!(ada.sync(), SyncReport::default());
        assert_eq!(bob.read("deploy.md"), None, "{bob_renames}");
        assert_eq!(body(&bob, "releases.md"), "first\nsecond\nthird\nfourth\n", "{bob_renames}");
    }
}

#[test]
fn a_rejected_rename_keeps_the_old_name_for_local_changes() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "review");
    let text = ada.read("deploy.md").unwrap();
    ada.remove("deploy.md");
    ada.write("releases.md", &text);
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nfourth\n"));
    ada.sync();
    bob.sync();
    bob.memory().reject(&waiting(&bob)[0]).unwrap();
    let report = bob.sync();
    assert_eq!((report.held.len(), waiting(&bob).len(), bob.read("releases.md")), (0, 0, None), "{report:?}");
    ada.sync();
    for person in [&ada, &bob] {
        assert_eq!(body(person, "deploy.md"), "first\nsecond\nthird\nfourth\n");
    }
    assert_eq!((bob.sync(), ada.sync()), (SyncReport::default(), SyncReport::default()));
}

#[test]
fn an_edit_outlives_a_deletion_that_waits_and_a_change_taken_back_waits_no_longer() {
    let (_repository, ada, bob) = two();
    ada.write("other.md", "other\n");
    ada.sync();
    bob.sync();
    reviewing(&bob, "review");
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nbob\n"));
    ada.remove("deploy.md");
    ada.write("other.md", "changed\n");
    ada.sync();
    bob.sync();
    assert_eq!(waiting(&bob).len(), 1);
    ada.sync();
    assert_eq!(body(&ada, "deploy.md"), "first\nsecond\nthird\nbob\n");
    ada.write("other.md", "other\n");
    ada.sync();
    bob.sync();
    assert_eq!(waiting(&bob).len(), 0);
    assert_eq!(bob.sync(), SyncReport::default());
}

#[test]
fn where_nothing_of_others_is_wanted_nothing_is_said_to_wait() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "off");
    ada.write("new.md", "new\n");
    ada.write("deploy.md", &memory("deploy", "FIRST\nsecond\nthird\n"));
    ada.sync();
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nbob\n"));
    bob.write("mine.md", "mine\n");
    let report = bob.sync();
    assert_eq!((report.held.len(), waiting(&bob).len(), bob.read("new.md")), (0, 0, None));
    assert!(report.notices.iter().any(|notice| notice.contains("2 memories") && notice.contains("`off`")));
    ada.sync();
    assert_eq!(ada.read("mine.md").as_deref(), Some("mine\n"));
    assert_eq!(body(&ada, "deploy.md"), "FIRST\nsecond\nthird\nbob\n");
    assert_eq!(body(&bob, "deploy.md"), "first\nsecond\nthird\nbob\n");
}

#[test]
fn what_is_accepted_otherwise_than_it_came_was_made_from_it() {
    // Edited before it is accepted, with a sync in between, or after.
    for edited_before in [true, false] {
        let (_repository, ada, bob) = two();
        reviewing(&bob, "review");
        ada.write("deploy.md", &memory("deploy", "ada\nsecond\nthird\n"));
        ada.sync();
        bob.sync();
        let mut plan = waiting(&bob).remove(0);
        let otherwise = |text: &str| text.replace("ada\n", "ada and bob\n");
        if edited_before {
            for change in &mut plan.plan.changes {
                if let memdir_core::plan::Change::Write { content, .. } = change {
                    *content = otherwise(&String::from_utf8_lossy(&content.0)).into();
                }
            }
            bob.memory().replace_waiting(&plan).unwrap();
            bob.sync();
            assert_eq!(waiting(&bob), [plan.clone()], "what the user made of it still waits");
        }
        bob.memory().accept(&plan, now()).unwrap();
        let text = bob.read("deploy.md").unwrap();
        bob.write("deploy.md", &otherwise(&text).replace("ada and bob and bob", "ada and bob"));
        let report = bob.sync();
        assert_eq!((report.held.len(), report.conflicts.len(), report.sent.len()), (0, 0, 1), "{report:?}");
        assert_eq!(report.notices, [""; 0]);
        ada.sync();
        for person in [&ada, &bob] {
            assert_eq!(body(person, "deploy.md"), "ada and bob\nsecond\nthird\n", "{edited_before}");
            assert_eq!(person.shared().len(), 2);
        }
        assert_eq!((bob.sync(), ada.sync()), (SyncReport::default(), SyncReport::default()));
    }
}
