//! Files that a program is writing, and files that stay here although an earlier text of them was sent.

use crate::people::Person;
use crate::two_people::{body, memory, two};

const HALF: &str = "---\nname: salary\ndescription: what I earn is 100k\nmeta";

fn why(person: &Person) -> String {
    let report = person.sync();
    assert!(report.sent.is_empty() && report.blocked.len() == 1, "{report:?}");
    report.blocked[0].why.clone()
}

#[test]
fn half_of_the_fields_says_nothing_about_a_memory() {
    let (_repository, ada, bob) = two();
    bob.write("salary.md", HALF);
    assert_eq!(why(&bob), "its frontmatter has no end: another process may be writing it");
    bob.write("salary.md", &format!("{HALF}data:\n  type: user\n---\n\n100k.\n"));
    assert_eq!(why(&bob), "its type is `user`, and what is about a person is never shared");
    ada.sync();
    assert_eq!(ada.read("salary.md"), None);
    // A memory that is there already, cut off while it is written again.
    bob.write("deploy.md", "---\nname: deploy\ndescr");
    let blocked = bob.sync().blocked;
    assert!(blocked.len() == 2 && blocked[1].why.starts_with("its frontmatter has no end"), "{blocked:?}");
    ada.sync();
    assert_eq!(body(&ada, "deploy.md"), "first\nsecond\nthird\n");
}

#[test]
fn what_is_private_now_and_went_before_is_told_apart() {
    let (_repository, ada, bob) = two();
    bob.write("deploy.md", &memory("deploy", "I like tea.\n").replace("project", "user"));
    let expected = "its type is `user`, and what is about a person is never shared; the team has an earlier text of it, \
                    which `memdir team unshare deploy` removes";
    assert_eq!(why(&bob), expected);
    let plan = bob.team().plan_unshare("deploy").unwrap();
    bob.memory().apply(&plan, &memdir_core::operation::Author::person(), crate::people::now()).unwrap();
    assert_eq!(bob.sync().blocked, []);
    ada.sync();
    assert_eq!(ada.read("deploy.md"), None);
}

#[test]
fn what_others_changed_while_a_file_stays_here_is_named() {
    let (_repository, ada, bob) = two();
    let secret = memory("deploy", "first\nsecond\nthird\nghp_16C7e42F292c6912E7710c838347Ae178B4a\n");
    for (text, starts) in
        [(secret.as_str(), "line 12 looks like a secret"), ("---\nname: de", "its frontmatter")]
    {
        bob.write("deploy.md", text);
        bob.sync();
        ada.write("deploy.md", &memory("deploy", &format!("FIRST\n{}\nthird\n", text.len())));
        ada.sync();
        let why = why(&bob);
        assert!(why.starts_with(starts), "{why}");
        assert!(why.ends_with("; what Ada changed there waits until that is settled"), "{why}");
    }
    bob.write("deploy.md", &memory("deploy", "first\nsecond\nthird\nfourth\n"));
    assert_eq!(bob.sync().merged, ["deploy.md"]);
    assert_eq!(body(&bob, "deploy.md"), "FIRST\n12\nthird\nfourth\n");
}
