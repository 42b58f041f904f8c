//! A remote and a state that a memdir without ids of memories wrote: read as they are, and upgraded entry by entry.

use std::fs;

use memdir_sync::local::NameChange;
use memdir_sync::remote::git::DEFAULT_BRANCH;
use memdir_testkit::{Git, TestHome};
use memdir_wire::entry::{Entry, SignedEntry};
use memdir_wire::signing::SecretKey;

use crate::machine::Machine;
use crate::people::Person;
use crate::two_people::{body, memory, two as two_people};

fn two() -> [Machine; 2] {
    let mut ada = Machine::founder();
    for name in ["a.md", "b.md"] {
        ada.write(name, &format!("first of {name}\nsecond\nthird\n"));
    }
    let mut bob = Machine::joining(&ada, 2, "Bob");
    bob.sync();
    ada.sync();
    let ids = ada.put_as_format_1();
    ada.forget_ids(&ids);
    bob.forget_ids(&ids);
    [ada, bob]
}

#[test]
fn nothing_is_sent_anew_and_a_new_member_reads_it() {
    let [mut ada, mut bob] = two();
    for machine in [&mut ada, &mut bob] {
        let report = machine.sync();
        assert!(
            report.sent.is_empty() && report.received.is_empty() && report.notices.is_empty(),
            "{report:?}"
        );
    }
    let cy = Machine::joining(&ada, 3, "Cy");
    assert_eq!(cy.files, ada.files);
}

#[test]
fn what_changes_gets_the_same_id_on_every_machine() {
    let [mut ada, mut bob] = two();
    let seal = |machine: &Machine, key: &str| {
        String::from_utf8(machine.there(&format!("entries/{key}")).unwrap()).unwrap()
    };
    assert!(seal(&ada, "a.md").contains("<!-- memdir {\"v\":1,\"team\""));
    // The first sync that sends something notes up to where the history is known.
    ada.write("d.md", "new\n");
    bob.write("a.md", "first of a.md\nsecond\nthird\nbob\n");
    assert!(seal(&ada, "a.md").contains("<!-- memdir {\"v\":2,\"memory\""));
    assert!(seal(&ada, "b.md").contains("<!-- memdir {\"v\":1,\"team\""), "it was not changed");
    // Ada renamed it before the upgrade arrived: Bob's line follows by the id.
    let text = ada.files.remove("a.md").unwrap();
    ada.files.insert("c.md".into(), text.replace("second", "SECOND"));
    ada.history.push(NameChange::Renamed { from: "a.md".into(), to: "c.md".into() });
    let report = ada.sync();
    assert!(report.conflicts.is_empty() && report.notices.is_empty(), "{report:?}");
    bob.sync();
    assert_eq!(bob.files, ada.files);
    assert_eq!(bob.read("c.md"), Some("first of a.md\nSECOND\nthird\nbob\n"));
    assert_eq!(bob.read("a.md"), None);
}

#[test]
fn a_git_repository_is_upgraded_in_place() {
    let (repository, ada, bob) = two_people();
    ada.write("other.md", &memory("other", "other\n"));
    ada.sync();
    bob.sync();
    let syncs = ada.home.home().join(".local/share/memdir/sync");
    let store = syncs.read_dir_utf8().unwrap().next().unwrap().unwrap();
    let key = SecretKey::from_hex(fs::read_to_string(store.path().join("key")).unwrap().trim()).unwrap();
    let clone = TestHome::new();
    Git::run(clone.root(), &["clone", "-q", "-b", DEFAULT_BRANCH, &repository.url(), "clone"]);
    let clone = clone.root().join("clone");
    for name in ["deploy.md", "other.md"] {
        let path = clone.join("entries").join(name);
        let signed = SignedEntry::parse(&fs::read(&path).unwrap()).unwrap();
        let old = Entry { memory: None, ..signed.unverified().clone() };
        fs::write(&path, old.sign(&key).render()).unwrap();
    }
    Git::run(&clone, &["commit", "-q", "-a", "-m", "as format 1 had it"]);
    Git::run(&clone, &["push", "-q"]);
    let there = |name: &str| repository.git(&["show", &format!("{DEFAULT_BRANCH}:entries/{name}")]);
    assert!(there("deploy.md").contains("<!-- memdir {\"v\":1,"), "{}", there("deploy.md"));
    let cy = Person::joining(&ada, "Cy");
    assert_eq!(body(&cy, "deploy.md"), "first\nsecond\nthird\n");
    cy.write("deploy.md", &memory("deploy", "first\nsecond\nthird, by Cy\n"));
    cy.sync();
    assert!(there("deploy.md").contains("<!-- memdir {\"v\":2,"), "{}", there("deploy.md"));
    assert!(there("other.md").contains("<!-- memdir {\"v\":1,"), "nobody changed it");
    for person in [&ada, &bob] {
        let report = person.sync();
        assert!(report.conflicts.is_empty() && report.refused.is_empty(), "{report:?}");
        assert_eq!(body(person, "deploy.md"), "first\nsecond\nthird, by Cy\n");
        assert_eq!(body(person, "other.md"), "other\n");
        assert_eq!(person.shared().len(), cy.shared().len());
    }
}
