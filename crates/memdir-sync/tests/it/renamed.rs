//! Memories that change their names while others work on them.

use memdir_core::operation::{Author, AuthorKind};
use memdir_sync::report::SyncReport;

use crate::people::{Person, now};
use crate::two_people::{body, memory, two};

/// Gives a memory another name as `memdir rename` does, with another `name:` in the file.
pub(crate) fn rename(person: &Person, from: &str, to: &str) {
    let mut memory = person.memory();
    let catalogue = memory.catalogue().unwrap();
    let entry = catalogue.find(&format!("team/{from}.md"), &memory).unwrap();
    let plan = memory.plan_rename(entry, &format!("team/{to}"), &catalogue).unwrap();
    memory.apply(&plan, &author(), now()).unwrap();
}

pub(crate) fn author() -> Author {
    Author { kind: AuthorKind::Person, id: None, session: None }
}

pub(crate) fn keys(person: &Person) -> Vec<String> {
    person.shared().into_iter().map(|(key, _)| key).filter(|key| key != "MEMORY.md").collect()
}

pub(crate) fn settle(people: &[&Person]) {
    for _ in 0..3 {
        people.iter().for_each(|person| drop(person.sync()));
    }
    for person in people {
        assert_eq!(person.sync(), SyncReport::default());
    }
}

#[test]
fn a_name_that_changes_only_its_capitals_takes_an_edit_with_it() {
    for ada_first in [true, false] {
        let (_repository, ada, bob) = two();
        let text = ada.read("deploy.md").unwrap();
        ada.remove("deploy.md");
        ada.write("Deploy.md", &text);
        bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nfourth\n"));
        let (first, second) = if ada_first { (&ada, &bob) } else { (&bob, &ada) };
        first.sync();
        let report = second.sync();
        assert!(report.blocked.is_empty(), "{ada_first} {report:?}");
        settle(&[&ada, &bob]);
        for person in [&ada, &bob] {
            assert_eq!(keys(person), ["Deploy.md"], "{ada_first}");
            assert_eq!(body(person, "Deploy.md"), "first\nsecond\nthird\nfourth\n");
        }
    }
}

#[test]
fn an_edit_follows_a_name_that_others_have_worked_under_since() {
    let (_repository, ada, bob) = two();
    let cy = Person::joining(&ada, "Cy");
    rename(&ada, "deploy", "release");
    ada.sync();
    cy.sync();
    cy.write("release.md", &memory("release", "FIRST\nsecond\nthird\n"));
    cy.sync();
    ada.sync();
    rename(&ada, "release", "shipping");
    ada.sync();
    cy.sync();
    cy.write("shipping.md", &memory("shipping", "FIRST\nSECOND\nthird\n"));
    cy.sync();
    // Bob was away all the time.
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nbob\n"));
    bob.sync();
    settle(&[&ada, &bob, &cy]);
    for person in [&ada, &bob, &cy] {
        assert_eq!(keys(person), ["shipping.md"]);
        assert_eq!(body(person, "shipping.md"), "FIRST\nSECOND\nthird\nbob\n");
    }
}

#[test]
fn two_new_names_become_the_one_that_came_first() {
    let (_repository, ada, bob) = two();
    rename(&ada, "deploy", "release");
    rename(&bob, "deploy", "shipping");
    let text = bob.read("shipping.md").unwrap();
    bob.write("shipping.md", &text.replace("third\n", "third\nbob\n"));
    ada.sync();
    let report = bob.sync();
    assert!(
        report.notices.iter().any(|notice| notice.contains("release.md") && notice.contains("shipping.md")),
        "{report:?}"
    );
    settle(&[&ada, &bob]);
    for person in [&ada, &bob] {
        assert_eq!(keys(person), ["release.md"]);
        assert_eq!(body(person, "release.md"), "first\nsecond\nthird\nbob\n");
        assert!(person.read("release.md").unwrap().contains("name: release\n"));
    }
}

#[test]
fn two_new_names_with_texts_that_cannot_be_one_are_listed() {
    let (_repository, ada, bob) = two();
    rename(&ada, "deploy", "release");
    let text = ada.read("release.md").unwrap();
    ada.write("release.md", &text.replace("second", "ada"));
    rename(&bob, "deploy", "shipping");
    let text = bob.read("shipping.md").unwrap();
    bob.write("shipping.md", &text.replace("second", "bob"));
    ada.sync();
    assert_eq!(bob.sync().conflicts.len(), 1);
    settle(&[&ada, &bob]);
    for person in [&ada, &bob] {
        let keys = keys(person);
        assert!(keys.len() == 2 && keys[0].starts_with("release.conflict-"), "{keys:?}");
        assert_eq!(body(person, "release.md"), "first\nada\nthird\n");
        assert_eq!(body(person, &keys[0]), "first\nbob\nthird\n");
    }
}

#[test]
fn a_rename_with_another_text_is_listed() {
    let (_repository, ada, bob) = two();
    ada.write("deploy.md", &memory("deploy", "first\nada\nthird\n"));
    ada.sync();
    rename(&bob, "deploy", "release");
    let text = bob.read("release.md").unwrap();
    bob.write("release.md", &text.replace("second", "bob"));
    assert_eq!(bob.sync().conflicts.len(), 1);
    settle(&[&ada, &bob]);
    for person in [&ada, &bob] {
        let keys = keys(person);
        assert!(keys.len() == 2 && keys[0].starts_with("release.conflict-"), "{keys:?}");
        assert_eq!(body(person, "release.md"), "first\nada\nthird\n");
        assert_eq!(body(person, &keys[0]), "first\nbob\nthird\n");
    }
}
