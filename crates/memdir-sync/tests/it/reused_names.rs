//! Names that mean another memory than they did, while a member still works on the one that had them.

use memdir_sync::report::SyncReport;

use crate::people::Person;
use crate::renamed::{keys, rename, settle};
use crate::two_people::{body, memory, two};

fn append(person: &Person, key: &str, line: &str) {
    let text = person.read(key).unwrap();
    person.write(key, &format!("{text}{line}\n"));
}

fn said(report: &SyncReport, words: &[&str]) -> bool {
    report.notices.iter().any(|notice| words.iter().all(|word| notice.contains(word)))
}

#[test]
fn a_new_name_that_others_gave_to_another_memory_does_not_hide_that_one() {
    for (with_edit, is_new) in [(false, false), (true, false), (false, true)] {
        let (_repository, ada, bob) = two();
        let cy = Person::joining(&ada, "Cy");
        ada.write("alpha.md", &memory("alpha", "a1\na2\na3\n"));
        settle(&[&ada, &bob, &cy]);
        if is_new {
            ada.write("x.md", &memory("x", "x1\nx2\n"));
        } else {
            rename(&ada, "alpha", "x");
        }
        rename(&ada, "deploy", "beta");
        ada.sync();
        rename(&cy, "deploy", "x");
        if with_edit {
            append(&cy, "x.md", "cy");
            append(&cy, "alpha.md", "late");
        }
        let report = cy.sync();
        assert!(said(&report, &["`x.md`", "`beta.md`"]), "{report:?}");
        assert!(cy.read("x.md").is_some(), "{with_edit} {is_new}");
        settle(&[&ada, &bob, &cy]);
        let (last, late) = if with_edit { ("cy\n", "late\n") } else { ("", "") };
        for person in [&ada, &bob, &cy] {
            let expected: &[&str] =
                if is_new { &["alpha.md", "beta.md", "x.md"] } else { &["beta.md", "x.md"] };
            assert_eq!(keys(person), expected, "{with_edit} {is_new}");
            let x = if is_new { "x1\nx2\n".to_owned() } else { format!("a1\na2\na3\n{late}") };
            assert_eq!(body(person, "x.md"), x, "{with_edit} {is_new}");
            assert_eq!(body(person, "beta.md"), format!("first\nsecond\nthird\n{last}"));
        }
    }
}

#[test]
fn an_edit_follows_a_rename_though_the_old_name_is_used_again() {
    for (syncs_between, edited_since) in [(true, false), (true, true), (false, false)] {
        let (_repository, ada, bob) = two();
        let cy = Person::joining(&ada, "Cy");
        rename(&ada, "deploy", "deploy-old");
        if syncs_between {
            ada.sync();
        }
        ada.write("deploy.md", &memory("deploy", "It is automatic now.\n"));
        ada.sync();
        if edited_since {
            cy.sync();
            append(&cy, "deploy.md", "Ask no one.");
            append(&cy, "deploy-old.md", "cy");
            cy.sync();
        }
        append(&bob, "deploy.md", "Ann is away in May.");
        let report = bob.sync();
        assert!(report.conflicts.is_empty(), "{report:?}");
        settle(&[&ada, &bob, &cy]);
        for person in [&ada, &bob, &cy] {
            assert_eq!(keys(person), ["deploy-old.md", "deploy.md"], "{syncs_between} {edited_since}");
            let more = if edited_since { "Ask no one.\n" } else { "" };
            assert_eq!(body(person, "deploy.md"), format!("It is automatic now.\n{more}"));
            let old = body(person, "deploy-old.md");
            assert!(old.starts_with("first\nsecond\nthird\n") && old.contains("Ann is away"), "{old}");
            assert_eq!(old.contains("cy\n"), edited_since);
        }
    }
}

#[test]
fn an_edit_follows_its_memory_although_the_name_was_reused() {
    let (_repository, ada, bob) = two();
    append(&bob, "deploy.md", "Ann is away in May.");
    bob.sync();
    rename(&ada, "deploy", "deploy-old");
    ada.write("deploy.md", &memory("deploy", "It is automatic now.\n"));
    let report = ada.sync();
    assert!(report.conflicts.is_empty(), "{report:?}");
    settle(&[&ada, &bob]);
    for person in [&ada, &bob] {
        assert_eq!(keys(person), ["deploy-old.md", "deploy.md"]);
        assert_eq!(body(person, "deploy.md"), "It is automatic now.\n");
        assert_eq!(body(person, "deploy-old.md"), "first\nsecond\nthird\nAnn is away in May.\n");
    }
}

#[test]
fn an_edit_is_not_merged_into_what_was_made_anew_under_the_name() {
    for edited_since in [false, true] {
        let (_repository, ada, bob) = two();
        ada.remove("deploy.md");
        ada.sync();
        ada.write("deploy.md", &memory("deploy", "It is automatic now.\n"));
        ada.sync();
        if edited_since {
            append(&ada, "deploy.md", "Ask no one.");
            ada.sync();
        }
        append(&bob, "deploy.md", "Ann is away in May.");
        assert_eq!(bob.sync().conflicts.len(), 1);
        settle(&[&ada, &bob]);
        for person in [&ada, &bob] {
            let keys = keys(person);
            assert!(keys.len() == 2 && keys[0].starts_with("deploy.conflict-"), "{keys:?}");
            assert!(body(person, "deploy.md").starts_with("It is automatic now.\n"));
            assert!(!body(person, "deploy.md").contains("Ann"));
            assert_eq!(body(person, &keys[0]), "first\nsecond\nthird\nAnn is away in May.\n");
        }
    }
}

#[test]
fn edits_follow_two_names_that_were_swapped() {
    for ada_first in [true, false] {
        for both in [false, true] {
            let (_repository, ada, bob) = two();
            ada.write("other.md", &memory("other", "o1\no2\no3\n"));
            settle(&[&ada, &bob]);
            rename(&ada, "deploy", "between");
            rename(&ada, "other", "deploy");
            rename(&ada, "between", "other");
            append(&bob, "deploy.md", "bob");
            if both {
                append(&bob, "other.md", "and here");
            }
            let (first, second) = if ada_first { (&ada, &bob) } else { (&bob, &ada) };
            first.sync();
            let report = second.sync();
            assert!(report.conflicts.is_empty(), "{ada_first} {both} {report:?}");
            settle(&[&ada, &bob]);
            for person in [&ada, &bob] {
                assert_eq!(keys(person), ["deploy.md", "other.md"], "{ada_first} {both}");
                assert_eq!(body(person, "other.md"), "first\nsecond\nthird\nbob\n", "{ada_first} {both}");
                let more = if both { "and here\n" } else { "" };
                assert_eq!(body(person, "deploy.md"), format!("o1\no2\no3\n{more}"), "{ada_first} {both}");
            }
        }
    }
}

#[test]
fn of_two_names_that_differ_in_capitals_the_one_that_is_known_counts() {
    let (_repository, ada, bob) = two();
    ada.write("Deploy.md", &memory("Deploy", "another\n"));
    let report = ada.sync();
    assert!(report.sent.is_empty() && report.blocked.len() == 1, "{report:?}");
    assert_eq!(report.blocked[0].path, "Deploy.md");
    append(&bob, "deploy.md", "bob");
    bob.sync();
    let report = ada.sync();
    assert_eq!(report.received.len(), 1, "{report:?}");
    append(&ada, "deploy.md", "ada");
    assert_eq!(ada.sync().sent.len(), 1);
    ada.remove("Deploy.md");
    settle(&[&ada, &bob]);
    for person in [&ada, &bob] {
        assert_eq!(keys(person), ["deploy.md"]);
        assert_eq!(body(person, "deploy.md"), "first\nsecond\nthird\nbob\nada\n");
    }
}

#[test]
fn what_was_deleted_and_has_another_name_elsewhere_is_back_and_that_is_said() {
    for (taken_back, ada_first) in [(true, true), (true, false), (false, true), (false, false)] {
        let (_repository, ada, bob) = two();
        let cy = Person::joining(&ada, "Cy");
        settle(&[&ada, &bob, &cy]);
        if taken_back {
            let team = ada.team();
            let plan = team.plan_unshare("deploy").unwrap();
            drop(team);
            let author = crate::renamed::author();
            ada.memory().apply(&plan, &author, crate::people::now()).unwrap();
        } else {
            ada.remove("deploy.md");
        }
        rename(&bob, "deploy", "release");
        let words = ["`deploy.md`", "`release.md`"];
        if ada_first {
            ada.sync();
            let report = bob.sync();
            assert!(said(&report, &words), "{report:?}");
        } else {
            assert!(bob.sync().notices.is_empty());
        }
        let report = ada.sync();
        assert!(said(&report, &words), "{taken_back} {ada_first} {report:?}");
        assert_eq!(said(&report, &["you took"]), taken_back, "{report:?}");
        settle(&[&ada, &bob, &cy]);
        for person in [&ada, &bob, &cy] {
            assert_eq!(keys(person), ["release.md"]);
        }
    }
}

#[test]
fn a_roll_back_causes_no_conflict_without_a_local_change() {
    let (repository, ada, bob) = two();
    let cy = Person::joining(&ada, "Cy");
    settle(&[&ada, &bob, &cy]);
    let old = repository.git(&["rev-parse", "memdir"]);
    for before_it_was_made in [false, true] {
        append(&ada, "deploy.md", "more");
        ada.sync();
        bob.sync();
        let old = if before_it_was_made { format!("{}~3", old.trim()) } else { old.trim().to_owned() };
        repository.git(&["update-ref", "refs/heads/memdir", &old]);
        bob.sync();
        let report = cy.sync();
        assert!(report.conflicts.is_empty(), "{before_it_was_made} {report:?}");
        assert_eq!(body(&cy, "deploy.md"), body(&ada, "deploy.md"));
        settle(&[&ada, &bob, &cy]);
        assert_eq!(keys(&cy), ["deploy.md"]);
    }
}

#[test]
fn a_rename_of_a_short_memory_is_followed_though_its_fields_changed() {
    let (_repository, ada, bob) = two();
    ada.write("cx.md", &memory("cx", "Use the small pump.\n"));
    settle(&[&ada, &bob]);
    rename(&bob, "cx", "cry");
    let text = bob.read("cry.md").unwrap();
    bob.write("cry.md", &text.replace("about cx", "totally other words"));
    let text = ada.read("cx.md").unwrap();
    ada.write("cx.md", &text.replace("small pump.", "small pump. Always."));
    bob.sync();
    let report = ada.sync();
    assert!(report.notices.is_empty(), "{report:?}");
    settle(&[&ada, &bob]);
    for person in [&ada, &bob] {
        assert_eq!(keys(person), ["cry.md", "deploy.md"]);
        let text = person.read("cry.md").unwrap();
        assert!(text.contains("small pump. Always.") && text.contains("totally other words"), "{text}");
    }
}

#[test]
fn a_rename_by_command_is_followed_whatever_the_text_became() {
    for ada_first in [true, false] {
        let (_repository, ada, bob) = two();
        ada.write("cx.md", &memory("cx", "Use the small pump.\n"));
        settle(&[&ada, &bob]);
        rename(&bob, "cx", "between");
        rename(&bob, "between", "cry");
        append(&bob, "cry.md", "Not on Sundays.\nNot at night.\nNever alone.");
        let text = ada.read("cx.md").unwrap();
        ada.write("cx.md", &text.replace("small pump.", "small pump. Always."));
        let (first, second) = if ada_first { (&ada, &bob) } else { (&bob, &ada) };
        first.sync();
        let report = second.sync();
        assert!(report.notices.is_empty() && report.conflicts.is_empty(), "{report:?}");
        settle(&[&ada, &bob]);
        for person in [&ada, &bob] {
            assert_eq!(keys(person), ["cry.md", "deploy.md"]);
            let text = body(person, "cry.md");
            assert_eq!(text, "Use the small pump. Always.\nNot on Sundays.\nNot at night.\nNever alone.\n");
        }
    }
}
