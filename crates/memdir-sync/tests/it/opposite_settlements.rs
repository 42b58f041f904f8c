//! Two people who settle one conflict in opposite ways.

use crate::machine::Machine;

/// A conflict that both know: each with the text of Ada under the name, and that of Bob beside it.
fn in_conflict() -> ([Machine; 2], String) {
    let mut ada = Machine::founder();
    ada.write("a.md", "one\ntwo\nthree\n");
    ada.write("other.md", "other\n");
    let mut bob = Machine::joining(&ada, 2, "Bob");
    ada.write("a.md", "one\nADA\nthree\n");
    bob.write("a.md", "one\nBOB\nthree\n");
    ada.sync();
    let copies: Vec<String> = ada.files.keys().filter(|key| key.contains(".conflict-")).cloned().collect();
    assert_eq!(copies.len(), 1, "{:?}", ada.files);
    assert_eq!(ada.files, bob.files);
    ([ada, bob], copies[0].clone())
}

#[test]
fn what_the_first_kept_stays() {
    for first_deletes_the_copy in [true, false] {
        let ([mut ada, mut bob], copy) = in_conflict();
        let (of_ada, of_bob) =
            if first_deletes_the_copy { (copy.as_str(), "a.md") } else { ("a.md", copy.as_str()) };
        ada.files.remove(of_ada);
        let kept = bob.files.remove(of_bob);
        ada.sync();
        let report = bob.sync();
        assert!(report.notices.iter().any(|notice| notice.contains(of_bob)), "{report:?}");
        ada.sync();
        assert_eq!(ada.files, bob.files);
        assert_eq!(ada.files.get(of_bob), kept.as_ref(), "{:?}", ada.files);
        assert_eq!(ada.files.len(), 2, "{:?}", ada.files);
        assert!(ada.sync().notices.is_empty() && bob.sync().notices.is_empty());
    }
}

#[test]
fn both_versions_go_if_one_person_deletes_both() {
    let ([mut ada, mut bob], copy) = in_conflict();
    ada.files.remove("a.md");
    ada.files.remove(&copy);
    ada.sync();
    bob.sync();
    assert_eq!(bob.files.keys().collect::<Vec<_>>(), ["other.md"]);
    assert_eq!(ada.files, bob.files);
}
