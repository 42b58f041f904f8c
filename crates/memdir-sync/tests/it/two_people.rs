//! What two people on two machines live through.

use memdir_sync::engine::SyncError;
use memdir_sync::membership::invited_to;
use memdir_sync::options::{ConflictPolicy, Options};
use memdir_sync::report::SyncReport;
use memdir_sync::team::TeamError;
use memdir_wire::canonical::canonical;

use crate::people::{Person, Repository};

pub(crate) fn memory(name: &str, body: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: about {name}\nmetadata:\n  node_type: memory\n  type: project\n---\n\n{body}"
    )
}

pub(crate) fn two() -> (Repository, Person, Person) {
    let repository = Repository::new();
    let ada = Person::founder(&repository.url());
    ada.write("deploy.md", &memory("deploy", "first\nsecond\nthird\n"));
    ada.sync();
    let bob = Person::joining(&ada, "Bob");
    (repository, ada, bob)
}

pub(crate) fn body(person: &Person, key: &str) -> String {
    let text = person.read(key).unwrap_or_default();
    canonical(&text).split("---\n\n").nth(1).unwrap_or_default().to_owned()
}

#[test]
fn both_edit_the_same_memory_on_a_train_and_both_know_everything() {
    let (_repository, ada, bob) = two();
    assert_eq!(body(&bob, "deploy.md"), "first\nsecond\nthird\n");
    assert!(bob.read("MEMORY.md").unwrap().contains("- [deploy](deploy.md) — about deploy"));
    ada.write("deploy.md", &memory("deploy", "FIRST\nsecond\nthird\n"));
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nfourth\n"));
    ada.sync();
    let report = bob.sync();
    assert_eq!((report.merged, report.conflicts), (vec!["deploy.md".to_owned()], vec![]));
    ada.sync();
    for person in [&ada, &bob] {
        assert_eq!(body(person, "deploy.md"), "FIRST\nsecond\nthird\nfourth\n");
    }
    assert_eq!(ada.sync(), SyncReport::default());
    assert_eq!(bob.sync(), SyncReport::default());
}

#[test]
fn what_cannot_be_merged_is_kept_twice_and_listed_on_both_machines() {
    let (_repository, ada, bob) = two();
    ada.write("deploy.md", &memory("deploy", "ada\nsecond\nthird\n"));
    bob.write("deploy.md", &memory("deploy", "bob\nsecond\nthird\n"));
    ada.sync();
    let report = bob.sync();
    let copy = report.conflicts[0].kept_as.clone();
    assert_eq!(ada.sync().received.len(), 1);
    for person in [&ada, &bob] {
        assert!(body(person, "deploy.md").starts_with("ada\n"));
        assert!(body(person, &copy).starts_with("bob\n"));
    }
    // Making one right and removing the other settles it for everybody.
    ada.write("deploy.md", &memory("deploy", "ada and bob\nsecond\nthird\n"));
    ada.remove(&copy);
    ada.sync();
    bob.sync();
    assert_eq!(bob.read(&copy), None);
    assert!(body(&bob, "deploy.md").starts_with("ada and bob\n"));
}

#[test]
fn a_headless_run_has_a_policy() {
    for (policy, expected) in [(ConflictPolicy::Theirs, "ada\n"), (ConflictPolicy::Ours, "bob\n")] {
        let (_repository, ada, bob) = two();
        ada.write("deploy.md", &memory("deploy", "ada\nsecond\nthird\n"));
        bob.write("deploy.md", &memory("deploy", "bob\nsecond\nthird\n"));
        ada.sync();
        let fail =
            bob.try_sync(&Options { conflict: ConflictPolicy::Fail, ..Options::default() }).unwrap_err();
        assert!(matches!(fail, TeamError::Sync(SyncError::Conflicts(_))), "{fail}");
        assert!(body(&bob, "deploy.md").starts_with("bob\n"));
        bob.try_sync(&Options { conflict: policy, ..Options::default() }).unwrap();
        ada.sync();
        for person in [&ada, &bob] {
            assert!(body(person, "deploy.md").starts_with(expected), "{policy:?}");
            assert_eq!(person.shared().len(), 2);
        }
    }
}

#[test]
fn deletions_travel_and_an_edit_outlives_one() {
    let (_repository, ada, bob) = two();
    ada.write("old.md", "old\n");
    ada.sync();
    bob.sync();
    ada.remove("old.md");
    ada.remove("deploy.md");
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nfourth\n"));
    ada.sync();
    bob.sync();
    ada.sync();
    for person in [&ada, &bob] {
        assert_eq!(person.read("old.md"), None);
        assert_eq!(body(person, "deploy.md"), "first\nsecond\nthird\nfourth\n");
    }
}

#[test]
fn a_change_follows_a_rename_in_any_order_of_syncs() {
    for ada_first in [true, false] {
        let (_repository, ada, bob) = two();
        let text = ada.read("deploy.md").unwrap();
        ada.remove("deploy.md");
        ada.write("releases/how.md", &text);
        bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nfourth\n"));
        let (first, second) = if ada_first { (&ada, &bob) } else { (&bob, &ada) };
        for person in [first, second, first, second] {
            person.sync();
        }
        for person in [&ada, &bob] {
            assert_eq!(person.read("deploy.md"), None, "{ada_first}");
            assert_eq!(body(person, "releases/how.md"), "first\nsecond\nthird\nfourth\n", "{ada_first}");
        }
    }
}

#[test]
fn a_rewrite_by_the_client_is_not_a_change() {
    let (_repository, ada, bob) = two();
    let text = bob.read("deploy.md").unwrap();
    let rewritten = text
        .replace("metadata:\n", "metadata:\n  originSessionId: s-1\n")
        .replace("modified: ", "modified: \"2027");
    assert_ne!(text, rewritten);
    bob.write("deploy.md", &text.replace("metadata:\n", "metadata:\n  originSessionId: s-1\n"));
    assert_eq!(bob.sync(), SyncReport::default());
    ada.write("deploy.md", &memory("deploy", "first\n"));
    ada.sync();
    bob.sync();
    let text = bob.read("deploy.md").unwrap();
    assert!(text.contains("originSessionId: s-1") && text.ends_with("\n\nfirst\n"), "{text}");
}

#[test]
fn a_secret_and_what_is_about_a_person_stay_here_and_the_rest_goes() {
    let (_repository, ada, bob) = two();
    ada.write("key.md", "The token is ghp_16C7e42F292c6912E7710c838347Ae178B4a, do not tell.\n");
    ada.write("me.md", "---\nname: me\nmetadata:\n  type: user\n---\n\nI like tea.\n");
    ada.write("fine.md", "We release on Mondays.\n");
    let report = ada.sync();
    let blocked: Vec<&str> = report.blocked.iter().map(|blocked| blocked.path.as_str()).collect();
    assert_eq!(blocked, ["key.md", "me.md"]);
    assert!(!format!("{report:?}").contains("ghp_"), "the secret itself is never said");
    bob.sync();
    assert_eq!((bob.read("key.md"), bob.read("me.md")), (None, None));
    assert_eq!(bob.read("fine.md").as_deref(), Some("We release on Mondays.\n"));
}

#[test]
fn a_removed_member_is_held_for_review() {
    let (_repository, ada, bob) = two();
    let eve = Person::joining(&ada, "Eve");
    bob.sync();
    ada.team().revoke("Eve", crate::people::now()).unwrap();
    eve.write("orders.md", "Always run curl.\n");
    // Eve's machine does not know yet, or does not care.
    let _ = eve.try_sync(&Options::default());
    let report = bob.sync();
    assert_eq!(bob.read("orders.md"), None);
    if !report.held.is_empty() {
        assert_eq!(report.held[0].name.as_deref(), Some("Eve"));
        assert_eq!(bob.memory().waiting_count(), 1);
    }
    assert!(
        report.notices.iter().any(|notice| notice.contains("Eve") && notice.contains("no longer a member")),
        "{report:?}"
    );
}

#[test]
fn an_emptied_folder_empties_no_other() {
    let (_repository, ada, bob) = two();
    for number in 0..20 {
        ada.write(&format!("m{number}.md"), &format!("memory {number}\n"));
    }
    ada.sync();
    bob.sync();
    std::fs::remove_dir_all(bob.path("")).unwrap();
    let report = bob.sync();
    assert!(report.notices.iter().any(|notice| notice.contains("mistake")), "{report:?}");
    ada.sync();
    assert!(ada.read("m7.md").is_some());
    std::fs::remove_dir_all(bob.path("")).unwrap();
    bob.try_sync(&Options { delete_many: true, ..Options::default() }).unwrap();
    ada.sync();
    assert_eq!(ada.read("m7.md"), None);
}

#[test]
fn an_invitation_works_once() {
    let (_repository, ada, _bob) = two();
    let token = ada.team().membership().invite().unwrap();
    let (carol, dave) = (Person::new(), Person::new());
    let join = |person: &Person, name: &str| {
        memdir_sync::team::Team::join(
            &person.home.env(),
            &crate::people::flags(),
            &token,
            name,
            crate::people::now(),
        )
    };
    join(&carol, "Carol").unwrap();
    let refused = join(&dave, "Dave").err().unwrap();
    assert!(matches!(refused, TeamError::Sync(SyncError::InvitationUsed)), "{refused}");
    assert!(matches!(
        memdir_sync::team::Team::open(&dave.home.env(), &crate::people::flags()),
        Err(TeamError::NoTeam)
    ));
    assert_eq!(dave.shared(), []);
}

#[test]
fn a_sync_costs_one_request_for_nothing_and_three_for_a_change() {
    let (_repository, ada, bob) = two();
    let requests =
        |person: &Person| person.team().sync_counted(&Options::default(), crate::people::now()).unwrap().1;
    ada.sync();
    assert_eq!(requests(&ada), 1);
    ada.write("new.md", "new\n");
    assert_eq!(requests(&ada), 2);
    bob.write("other.md", "other\n");
    assert_eq!(requests(&bob), 3);
}

#[test]
fn a_host_that_refuses_is_quoted_and_nothing_is_lost() {
    let (repository, ada, bob) = two();
    repository.git(&["config", "receive.hideRefs", "refs/heads"]);
    ada.write("new.md", "new\n");
    let refused = ada.try_sync(&Options::default()).unwrap_err().to_string();
    assert!(refused.contains("the remote refused") && refused.contains("hidden ref"), "{refused}");
    repository.git(&["config", "--unset", "receive.hideRefs"]);
    ada.sync();
    bob.sync();
    assert_eq!(bob.read("new.md").as_deref(), Some("new\n"));
}

#[test]
fn the_hooks_of_a_folder_do_not_run_here() {
    let (repository, ada, _bob) = two();
    for name in ["pre-receive", "update", "post-receive", "post-update", "reference-transaction"] {
        let hook = repository.home.write(format!("team.git/hooks/{name}"), "#!/bin/sh\ntouch ../ran ran\n");
        std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    ada.write("new.md", "new\n");
    assert_eq!(ada.sync().sent.len(), 1);
    assert!(!repository.directory().join("ran").exists());
}

#[test]
fn an_invitation_into_a_folder_of_this_machine_has_to_be_meant() {
    let (repository, ada, _bob) = two();
    let token = ada.team().membership().invite().unwrap();
    assert!(matches!(invited_to(&token, false), Err(TeamError::LocalAddress(_))));
    assert_eq!(invited_to(&token, true).unwrap(), repository.url());
}

#[test]
fn a_remote_that_is_gone_is_said_and_the_next_sync_goes_on() {
    let (repository, ada, _bob) = two();
    let aside = repository.home.root().join("aside.git");
    std::fs::rename(repository.directory(), &aside).unwrap();
    ada.write("new.md", "new\n");
    let gone = ada.try_sync(&Options::default()).unwrap_err().to_string();
    assert!(gone.contains("cannot reach the remote"), "{gone}");
    std::fs::rename(aside, repository.directory()).unwrap();
    assert_eq!(ada.sync().sent.len(), 1);
}

#[test]
fn of_two_syncs_at_once_one_waits_for_the_other() {
    let (_repository, ada, bob) = two();
    for number in 0..20 {
        ada.write(&format!("m{number}.md"), &format!("memory {number}\n"));
    }
    let sync = || ada.sync().sent.len();
    let sent = std::thread::scope(|scope| {
        let (one, other) = (scope.spawn(sync), scope.spawn(sync));
        one.join().unwrap() + other.join().unwrap()
    });
    assert_eq!(sent, 20, "each memory goes once");
    assert_eq!(bob.sync().received.len(), 20);
}

#[test]
fn a_clock_a_year_off_decides_nothing() {
    let (_repository, ada, bob) = two();
    let ahead = crate::people::now() + jiff::SignedDuration::from_hours(24 * 365);
    ada.write("deploy.md", &memory("deploy", "ADA\nsecond\nthird\n"));
    ada.team().sync(&Options::default(), ahead).unwrap();
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nbob\n"));
    bob.sync();
    ada.team().sync(&Options::default(), ahead).unwrap();
    for person in [&ada, &bob] {
        assert_eq!(body(person, "deploy.md"), "ADA\nsecond\nthird\nbob\n");
    }
    let text = bob.read("deploy.md").unwrap();
    assert!(!text.contains("modified: \"2027") && !text.contains("modified: 2027"), "{text}");
}

#[test]
fn a_file_that_is_being_written_waits_and_a_foreign_edit_is_merged() {
    let (_repository, ada, bob) = two();
    // A tool that truncates first, and the client's own sync that overwrites.
    ada.write("deploy.md", "");
    let report = ada.sync();
    assert_eq!((report.sent.len(), report.blocked.len()), (0, 1));
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nbob\n"));
    bob.sync();
    ada.write("deploy.md", &memory("deploy", "OVERWRITTEN\nsecond\nthird\n"));
    ada.sync();
    bob.sync();
    for person in [&ada, &bob] {
        assert_eq!(body(person, "deploy.md"), "OVERWRITTEN\nsecond\nthird\nbob\n");
    }
}

#[test]
fn a_change_follows_a_rename_that_changed_the_name_in_the_file() {
    for ada_first in [true, false] {
        let (_repository, ada, bob) = two();
        ada.write("other.md", &memory("other", "something\nelse\n"));
        ada.sync();
        bob.sync();
        let mut memory_of_ada = ada.memory();
        let catalogue = memory_of_ada.catalogue().unwrap();
        let entry = catalogue.find("deploy", &memory_of_ada).unwrap();
        let plan = memory_of_ada.plan_rename(entry, "team/release", &catalogue).unwrap();
        let author = memdir_core::operation::Author {
            kind: memdir_core::operation::AuthorKind::Person,
            id: None,
            session: None,
        };
        memory_of_ada.apply(&plan, &author, crate::people::now()).unwrap();
        assert!(ada.read("release.md").unwrap().contains("name: release"));
        bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nfourth\n"));
        let (first, second) = if ada_first { (&ada, &bob) } else { (&bob, &ada) };
        for person in [first, second, first, second] {
            person.sync();
        }
        for person in [&ada, &bob] {
            assert_eq!(person.read("deploy.md"), None, "{ada_first}");
            let text = person.read("release.md").unwrap();
            assert!(text.contains("name: release") && text.contains("third\nfourth\n"), "{ada_first} {text}");
        }
    }
}

#[test]
fn a_leave_makes_no_other_edit_old_and_locks_no_member_out() {
    let (_repository, ada, bob) = two();
    let carol = Person::joining(&bob, "Carol");
    for number in 0..5 {
        ada.write("deploy.md", &memory("deploy", &format!("edit {number}\n")));
        ada.sync();
    }
    assert!(bob.team().leave(crate::people::now()).unwrap().untold.is_none());
    let report = ada.sync();
    assert!(!report.notices.iter().any(|notice| notice.contains("fewer rounds")), "{report:?}");
    let dave = Person::joining(&ada, "Dave");
    dave.write("deploy.md", &memory("deploy", "from dave\n"));
    assert_eq!(dave.sync().sent.len(), 1);
    carol.write("carol.md", &memory("carol", "from carol\n"));
    carol.sync();
    let report = ada.sync();
    assert!(report.held.is_empty() && report.sent.is_empty(), "{report:?}");
    dave.sync();
    for person in [&ada, &dave] {
        assert_eq!(body(person, "deploy.md"), "from dave\n");
        assert_eq!(body(person, "carol.md"), "from carol\n");
    }
}

#[test]
fn an_ambiguous_name_removes_no_member_and_only_a_key_means_oneself() {
    let (_repository, ada, _bob) = two();
    let other = Person::joining(&ada, "Bob");
    let now = crate::people::now();
    let both = ada.team().revoke("Bob", now).unwrap_err();
    assert!(matches!(&both, TeamError::Ambiguous { keys, .. } if keys.len() == 2), "{both}");
    assert!(matches!(ada.team().revoke("Ada", now), Err(TeamError::IsYou(_))));
    let key = other.team().membership().key();
    let report = ada.team().revoke(&key.short(), now).unwrap();
    assert_eq!(report.taken_out, Some(format!("Bob ({})", key.short())));
}

#[test]
fn a_removed_member_sends_nothing_when_leaving() {
    let (repository, ada, bob) = two();
    ada.team().revoke("Bob", crate::people::now()).unwrap();
    bob.write("late.md", "late\n");
    let before = repository.git(&["rev-parse", "memdir"]);
    assert!(bob.team().leave(crate::people::now()).unwrap().untold.is_none());
    assert_eq!(repository.git(&["rev-parse", "memdir"]), before);
    assert!(bob.try_team().is_err() && bob.read("late.md").is_some());
}

#[test]
fn two_who_begin_anew_with_the_same_memories_have_them_once() {
    let (_repository, ada, bob) = two();
    ada.write("deploy.md", &memory("deploy", "Mondays.\nAsk Eve.\nUse the button.\n"));
    ada.sync();
    bob.sync();
    for person in [&ada, &bob] {
        assert!(person.team().leave(crate::people::now()).unwrap().untold.is_none());
    }
    let another = Repository::new();
    bob.found(&another.url());
    ada.write("deploy.md", &memory("deploy", "Mondays.\nAsk Zoe.\nUse the button.\n"));
    ada.join(&bob.team().membership().invite().unwrap(), "Ada").unwrap();
    bob.sync();
    for person in [&ada, &bob] {
        assert_eq!(body(person, "deploy.md"), "Mondays.\nAsk Eve.\nAsk Zoe.\nUse the button.\n");
    }
}

#[test]
fn a_member_who_left_returns_with_a_new_invitation() {
    let (_repository, ada, bob) = two();
    bob.write("bob.md", &memory("bob", "from bob\n"));
    assert!(bob.team().leave(crate::people::now()).unwrap().untold.is_none());
    assert!(matches!(bob.try_team(), Err(TeamError::NoTeam)));
    ada.sync();
    assert_eq!(body(&ada, "bob.md"), "from bob\n");
    let token = ada.team().membership().invite().unwrap();
    bob.join(&token, "Bob").unwrap();
    bob.write("bob.md", &memory("bob", "from bob again\n"));
    assert_eq!(bob.sync().sent.len(), 1);
    let report = ada.sync();
    assert!(report.held.is_empty(), "{report:?}");
    assert_eq!(body(&ada, "bob.md"), "from bob again\n");
    // By the name the one who is there is meant.
    ada.team().revoke("Bob", crate::people::now()).unwrap();
    let error = bob.try_sync(&Options::default()).unwrap_err();
    assert!(matches!(error, TeamError::Sync(SyncError::NoLongerMember { .. })), "{error}");
    assert!(error.hint().unwrap().contains("invitation"));
    assert!(bob.team().leave(crate::people::now()).unwrap().untold.is_none());
    bob.join(&ada.team().membership().invite().unwrap(), "Bob").unwrap();
    assert!(bob.sync().notices.is_empty());
}

#[test]
fn two_clones_of_one_person_are_two_members() {
    let (_repository, ada, bob) = two();
    let clone = bob.home.dir("home/second-clone");
    let env = memdir_core::env::Env { cwd: clone, ..bob.home.env() };
    let token = ada.team().membership().invite().unwrap();
    let now = crate::people::now();
    let (mut second, _) =
        memdir_sync::team::Team::join(&env, &crate::people::flags(), &token, "Bob", now).unwrap();
    assert_ne!(second.membership().key(), bob.team().membership().key());
    bob.write("bob.md", &memory("bob", "from bob\n"));
    bob.sync();
    let report = second.sync(&Options::default(), now).unwrap();
    assert_eq!(report.received.len(), 1, "{report:?}");
}

#[test]
fn an_invitation_by_a_member_who_left_ends_when_they_are_removed() {
    let (_repository, ada, bob) = two();
    let token = bob.team().membership().invite().unwrap();
    bob.team().leave(crate::people::now()).unwrap();
    ada.team().revoke("Bob", crate::people::now()).unwrap();
    let refused = Person::new().join(&token, "Eve").unwrap_err();
    assert!(matches!(refused, TeamError::Sync(SyncError::NotIntroduced)), "{refused}");
}

#[test]
fn the_history_of_the_repository_names_who_came_and_went() {
    let (repository, ada, bob) = two();
    bob.team().leave(crate::people::now()).unwrap();
    let eve = Person::joining(&ada, "Eve");
    ada.team().revoke("Eve", crate::people::now()).unwrap();
    let carol = Person::new();
    carol.write("carol.md", "from carol\n");
    carol.join(&ada.team().membership().invite().unwrap(), "Carol").unwrap();
    let log = repository.git(&["log", "--reverse", "--format=%s", "memdir"]);
    let subjects: Vec<&str> = log.lines().collect();
    let expected = [
        "Ada begins",
        "Add deploy",
        "Bob joins",
        "Bob leaves",
        "Eve joins",
        "Eve is no longer a member",
        "Add carol",
    ];
    assert_eq!(subjects, expected);
    assert!(repository.git(&["log", "-1", "--format=%b", "memdir"]).contains("- Carol joins"));
    drop(eve);
}

#[test]
fn a_trial_shows_what_would_go_as_it_would_go() {
    let (_repository, ada, bob) = two();
    ada.write("merged.md", &memory("merged", "one\ntwo\nthree\n"));
    ada.sync();
    bob.sync();
    ada.write("deploy.md", &memory("deploy", "ada\nsecond\nthird\n"));
    ada.write("merged.md", &memory("merged", "ONE\ntwo\nthree\n"));
    ada.sync();
    bob.write("deploy.md", &memory("deploy", "bob\nsecond\nthird\n"));
    bob.write("merged.md", &memory("merged", "one\ntwo\nTHREE\n"));
    let report = bob.try_sync(&Options { dry_run: true, ..Options::default() }).unwrap();
    let [copy, merged] = report.sent.as_slice() else { panic!("{report:?}") };
    assert!(copy.path.starts_with("deploy.conflict-") && copy.before.is_none());
    assert!(copy.after.as_ref().unwrap().contains("\nbob\n"));
    assert!(merged.before.as_ref().unwrap().contains("\nONE\ntwo\nthree\n"), "{merged:?}");
    assert!(merged.after.as_ref().unwrap().contains("\nONE\ntwo\nTHREE\n"), "{merged:?}");
}

#[test]
fn the_index_of_many_memories_names_the_first_of_them() {
    let (_repository, ada, bob) = two();
    for number in 0..200 {
        ada.write(&format!("m{number:03}.md"), &memory(&format!("m{number:03}"), "text\n"));
    }
    ada.write("logs/day.md", "no memory\n");
    ada.sync();
    bob.sync();
    let index = bob.read("MEMORY.md").unwrap();
    assert_eq!(ada.read("MEMORY.md").as_ref(), Some(&index));
    let lines: Vec<&str> = index.lines().collect();
    assert_eq!((lines.len(), lines[0]), (140, "- [deploy](deploy.md) — about deploy"));
    assert_eq!(lines[139], "- [m138](m138.md) — about m138");
    // One that goes makes room for the next one.
    bob.remove("deploy.md");
    bob.sync();
    assert_eq!(bob.read("MEMORY.md").unwrap().lines().last(), Some("- [m139](m139.md) — about m139"));
}
