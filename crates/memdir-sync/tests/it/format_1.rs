//! A remote and a state that a memdir without ids of memories wrote: read as they are, and upgraded entry by entry.

use memdir_sync::local::NameChange;

use crate::machine::Machine;

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
