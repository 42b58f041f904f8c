//! A user who answers what waits and goes on working before the next sync.

use memdir_sync::report::SyncReport;

use crate::people::{Person, now};
use crate::reviewing::{reviewing, waiting};
use crate::two_people::{body, memory, two};

fn accept_all(person: &Person) {
    for plan in waiting(person) {
        person.memory().accept(&plan, now()).unwrap();
    }
}

fn reject_all(person: &Person) {
    for plan in waiting(person) {
        person.memory().reject(&plan).unwrap();
    }
}

fn write(person: &Person, body: &str) {
    person.write("deploy.md", &memory("deploy", body));
}

fn settle(people: &[&Person]) {
    for _ in 0..3 {
        for person in people {
            person.sync();
        }
    }
}

/// Accepts whatever waits until nothing does, and says what all have.
fn agree(ada: &Person, bob: &Person) -> Vec<(String, String)> {
    for _ in 0..3 {
        settle(&[ada, bob]);
        accept_all(bob);
    }
    settle(&[ada, bob]);
    let texts = |person: &Person| -> Vec<(String, String)> {
        let found = person.shared().into_iter().filter(|(key, _)| key != "MEMORY.md");
        found.map(|(key, _)| (key.clone(), body(person, &key))).collect()
    };
    assert_eq!(texts(ada), texts(bob));
    texts(ada)
}

#[test]
fn a_copy_of_what_was_accepted_is_never_overwritten() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "review");
    write(&ada, "ada\nsecond\nthird\n");
    ada.sync();
    write(&bob, "BOBWORD\nsecond\nthird\n");
    let copy = bob.sync().conflicts[0].kept_as.clone();
    accept_all(&bob);
    write(&ada, "ada again\nsecond\nthird\n");
    ada.sync();
    write(&bob, "bob again\nsecond\nthird\n");
    let report = bob.sync();
    assert!(report.conflicts.iter().all(|kept| kept.kept_as != copy), "{report:?}");
    let all = agree(&ada, &bob);
    for word in ["BOBWORD\n", "bob again\n", "ada again\n"] {
        assert!(all.iter().any(|(_, text)| text.starts_with(word)), "{word} {all:?}");
    }
}

#[test]
fn what_is_changed_after_it_was_accepted_was_made_from_it() {
    for (by_ada, by_bob, by_ada_later, expected) in [
        // Both add lines at the end.
        (
            "first\nsecond\nthird\nA1\n",
            "first\nsecond\nthird\nA1\nBOB\n",
            "first\nsecond\nthird\nA1\nA3\n",
            "",
        ),
        // Bob changes the line that Ada changed, and Ada another one.
        (
            "ada\nsecond\nthird\n",
            "ada, bob agrees\nsecond\nthird\n",
            "ada\nsecond\nthird\nfourth\n",
            "ada, bob agrees\nsecond\nthird\nfourth\n",
        ),
    ] {
        let (_repository, ada, bob) = two();
        reviewing(&bob, "review");
        write(&ada, by_ada);
        ada.sync();
        bob.sync();
        accept_all(&bob);
        write(&bob, by_bob);
        write(&ada, by_ada_later);
        ada.sync();
        let report = bob.sync();
        assert_eq!((report.conflicts.len(), report.sent.len()), (0, 1), "{report:?}");
        let all = agree(&ada, &bob);
        assert_eq!(all.len(), 1, "{all:?}");
        let mut lines: Vec<&str> = all[0].1.lines().collect();
        if expected.is_empty() {
            lines.sort_unstable();
            assert_eq!(lines, ["A1", "A3", "BOB", "first", "second", "third"]);
        } else {
            assert_eq!(all[0].1, expected);
        }
    }
}

#[test]
fn what_went_out_together_and_was_accepted_is_what_later_changes_were_made_from() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "review");
    write(&ada, "ada\nsecond\nthird\n");
    write(&bob, "first\nsecond\nthird\nbob\n");
    ada.sync();
    bob.sync();
    accept_all(&bob);
    assert_eq!(bob.team().own_changes(now()).unwrap(), []);
    write(&bob, "ada, bob agrees\nsecond\nthird\nbob\n");
    ada.sync();
    write(&ada, "ada\nsecond\nTHIRD\nbob\n");
    ada.sync();
    assert_eq!(bob.sync().conflicts, []);
    let all = agree(&ada, &bob);
    assert_eq!(all, [("deploy.md".to_owned(), "ada, bob agrees\nsecond\nTHIRD\nbob\n".to_owned())]);
}

#[test]
fn what_was_sent_ahead_and_taken_out_here_again_does_not_come_back() {
    for mode in ["review", "auto"] {
        let (_repository, ada, bob) = two();
        reviewing(&bob, "review");
        write(&ada, "ada\nsecond\nthird\n");
        write(&bob, "first\nsecond\nthird\nbob\n");
        ada.sync();
        bob.sync();
        write(&bob, "first\nsecond\nthird\n");
        reviewing(&bob, mode);
        bob.sync();
        let all = agree(&ada, &bob);
        assert_eq!(all, [("deploy.md".to_owned(), "ada\nsecond\nthird\n".to_owned())], "{mode}");
    }
}

#[test]
fn a_rejected_deletion_is_not_the_next_one() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "review");
    ada.remove("deploy.md");
    ada.sync();
    bob.sync();
    reject_all(&bob);
    bob.sync();
    write(&bob, "first\nsecond\nthird\nbob\n");
    bob.sync();
    ada.sync();
    assert_eq!(body(&ada, "deploy.md"), "first\nsecond\nthird\nbob\n");
    ada.remove("deploy.md");
    ada.sync();
    let report = bob.sync();
    assert_eq!((report.held.len(), waiting(&bob).len()), (1, 1), "{report:?}");
    assert_eq!(agree(&ada, &bob), []);
}

#[test]
fn a_rejected_text_that_comes_back_later_is_asked_about_again() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "review");
    write(&ada, "two\nsecond\nthird\n");
    ada.sync();
    bob.sync();
    reject_all(&bob);
    bob.sync();
    write(&ada, "three\nsecond\nthird\n");
    ada.sync();
    bob.sync();
    accept_all(&bob);
    bob.sync();
    write(&ada, "two\nsecond\nthird\n");
    ada.sync();
    let report = bob.sync();
    assert_eq!((report.held.len(), waiting(&bob).len()), (1, 1), "{report:?}");
    assert_eq!(agree(&ada, &bob), [("deploy.md".to_owned(), "two\nsecond\nthird\n".to_owned())]);
    assert_eq!((bob.sync(), ada.sync()), (SyncReport::default(), SyncReport::default()));
}

#[test]
fn who_takes_everything_again_has_nothing_left_to_answer() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "review");
    write(&ada, "ada\nsecond\nthird\n");
    write(&bob, "first\nsecond\nthird\nbob\n");
    ada.sync();
    bob.sync();
    reviewing(&bob, "auto");
    let report = bob.sync();
    assert_eq!((report.received[0].by.as_str(), waiting(&bob).len()), ("Ada", 0), "{report:?}");
    assert_eq!(body(&bob, "deploy.md"), "ada\nsecond\nthird\nbob\n");
    assert_eq!((bob.sync(), ada.sync().received.len()), (SyncReport::default(), 1));
}

#[test]
fn a_waiting_change_says_whether_it_is_an_edit_or_a_deletion() {
    let (_repository, ada, bob) = two();
    reviewing(&bob, "review");
    ada.remove("deploy.md");
    ada.write("new.md", "new\n");
    ada.sync();
    bob.sync();
    let mut said: Vec<String> = waiting(&bob).into_iter().map(|plan| plan.plan.reason).collect();
    said.sort();
    let expected = [("deleted by Ada (", "): deploy.md"), ("shared by Ada (", "): new.md")];
    for (said, (begins, ends)) in said.iter().zip(expected) {
        assert!(said.starts_with(begins) && said.ends_with(ends), "{said}");
    }
    assert_eq!(said.len(), expected.len());
}

#[test]
fn what_was_accepted_under_a_new_name_is_still_found_by_the_old_one() {
    let (_repository, ada, bob) = two();
    let cy = Person::joining(&ada, "Cy");
    bob.sync();
    reviewing(&bob, "review");
    let text = ada.read("deploy.md").unwrap();
    ada.remove("deploy.md");
    ada.write("releases.md", &text);
    ada.sync();
    write(&bob, "first\nsecond\nthird\nbob\n");
    bob.sync();
    accept_all(&bob);
    bob.write("releases.md", &memory("deploy", "first\nsecond\nTHIRD\nbob\n"));
    assert_eq!(bob.sync().sent.len(), 1);
    // Cy was away all the time.
    write(&cy, "FIRST\nsecond\nthird\n");
    settle(&[&cy, &ada]);
    let all = agree(&ada, &bob);
    assert_eq!(all, [("releases.md".to_owned(), "FIRST\nsecond\nTHIRD\nbob\n".to_owned())]);
    assert_eq!(cy.read("deploy.md"), None);
}
