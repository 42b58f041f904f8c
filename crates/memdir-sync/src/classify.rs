//! What to do about one entry, decided by what the three sides are known by.

use memdir_core::content_hash::ContentHash;

use crate::state::Agreed;

/// What the remote has at a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theirs {
    /// What was agreed.
    Unchanged,
    /// Nothing.
    Absent,
    /// Something that does not count: no member vouches for it, or it is not an entry.
    Foreign,
    /// An entry of an author whose membership cannot be read.
    Doubtful,
    /// Another entry of a member.
    New { version: u64, round: u64, content: Option<ContentHash>, parent: Option<ContentHash> },
}

/// What follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// Nothing changed.
    Same,
    /// Both sides came to the same: that is agreed now.
    Agree,
    /// What is here is sent.
    Send,
    /// What is there is taken over.
    Take,
    /// Both changed: their texts are merged.
    Merge,
    /// Theirs was not made from what was agreed: both are kept.
    Diverged,
    /// What is there is older than what was agreed: what is here is sent again.
    Outdated,
    /// Something invalid is in the place of what was agreed: what is here is sent again.
    Repair,
    /// What was agreed disappeared without a word: what is here is sent again.
    Vanished,
    /// It was deleted so long ago that the deletion is no longer named: it goes here too.
    Expired,
}

/// How far the remote's history can be believed to go on from what was agreed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct History {
    /// Deletions since the last sync may no longer be named.
    pub(crate) forgotten: bool,
    /// What was agreed is so old that its deletion need not be named any more.
    pub(crate) expired: bool,
    /// The newest version did not come out of the one that was agreed: a backup was restored, or history rewritten.
    pub(crate) rewritten: bool,
    /// The entry was at its place in the history that was agreed.
    pub(crate) replayed: bool,
}

/// Decides.
pub(crate) fn classify(
    agreed: Option<&Agreed>,
    mine: Option<ContentHash>,
    theirs: Theirs,
    history: History,
) -> Case {
    let before = agreed.and_then(|agreed| agreed.content);
    let changed = mine != before;
    match theirs {
        // The one who overwrote it might overwrite what counts.
        Theirs::Doubtful => Case::Same,
        Theirs::Foreign if agreed.is_some() && !changed => Case::Repair,
        Theirs::Unchanged | Theirs::Foreign => send_if(changed),
        Theirs::Absent => match agreed {
            None => send_if(changed),
            Some(agreed) if agreed.content.is_some() && !history.forgotten => Case::Vanished,
            Some(_) if changed && mine.is_some() => Case::Send,
            // A deletion that others may not have heard of.
            Some(agreed) if agreed.content.is_none() && !history.forgotten && !history.expired => {
                Case::Vanished
            }
            Some(_) => Case::Expired,
        },
        Theirs::New { version, round, content, parent } => {
            let follows = agreed.is_none_or(|agreed| version > agreed.version && parent == before);
            // Each of the two grows from version to version. Either may begin anew: the versions of what was deleted and
            // forgotten, the rounds where their count got lost.
            let is_older = agreed.is_some_and(|agreed| version <= agreed.version && round <= agreed.round);
            // A deletion that was told again does not say what it was made from.
            let is_told_again = content.is_none() && agreed.is_some_and(|agreed| version > agreed.version);
            if history.rewritten && !follows && mine != content && (changed || !is_told_again) {
                return if history.replayed { Case::Outdated } else { Case::Diverged };
            }
            if is_older {
                return if mine == content && mine == before { Case::Agree } else { Case::Outdated };
            }
            // Another one followed what came before the agreed one: the agreed one was damaged before everybody saw it. Or it
            // was deleted, that was forgotten, and its versions began anew, for a member who was away that long.
            let is_beside = !history.forgotten
                && agreed.is_some_and(|agreed| version <= agreed.version)
                && parent.is_some()
                && parent != before;
            if mine == content {
                Case::Agree
            } else if is_beside && parent != mine {
                Case::Diverged
            // Theirs was made from exactly what is here, whatever was agreed before.
            } else if !changed || mine.is_some() && mine == parent {
                Case::Take
            } else {
                Case::Merge
            }
        }
    }
}

fn send_if(changed: bool) -> Case {
    if changed { Case::Send } else { Case::Same }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> Option<ContentHash> {
        (!text.is_empty()).then(|| ContentHash::of(text.as_bytes()))
    }

    /// The first number is the round and the version.
    fn check(agreed: Option<(u64, &str)>, mine: &str, theirs: Option<(u64, &str, &str)>, expected: Case) {
        let theirs = theirs.map(|(round, content, parent)| (round, round, content, parent));
        let agreed = agreed.map(|(round, content)| (round, round, content));
        check_in(History::default(), agreed, mine, theirs, expected);
    }

    /// Version, round, content, and what it was made from.
    fn check_in(
        history: History,
        agreed: Option<(u64, u64, &str)>,
        mine: &str,
        theirs: Option<(u64, u64, &str, &str)>,
        expected: Case,
    ) {
        let agreed = agreed.map(|(version, round, content)| Agreed {
            version,
            round,
            id: "x".into(),
            content: hash(content),
            memory: None,
        });
        let theirs = theirs.map_or(Theirs::Unchanged, |(version, round, content, parent)| Theirs::New {
            version,
            round,
            content: hash(content),
            parent: hash(parent),
        });
        assert_eq!(classify(agreed.as_ref(), hash(mine), theirs, history), expected);
    }

    #[test]
    fn one_side_changed() {
        check(Some((1, "a")), "a", None, Case::Same);
        check(Some((1, "a")), "b", None, Case::Send);
        check(Some((1, "a")), "", None, Case::Send);
        check(None, "b", None, Case::Send);
        check(Some((1, "a")), "a", Some((2, "b", "a")), Case::Take);
        check(Some((1, "a")), "a", Some((2, "", "a")), Case::Take);
        check(None, "", Some((1, "b", "")), Case::Take);
    }

    #[test]
    fn both_sides_changed() {
        check(Some((1, "a")), "b", Some((2, "b", "a")), Case::Agree);
        check(Some((1, "a")), "b", Some((2, "c", "a")), Case::Merge);
        check(Some((1, "a")), "b", Some((3, "c", "b")), Case::Take);
        check(Some((1, "a")), "", Some((2, "b", "a")), Case::Merge);
        check(Some((1, "a")), "b", Some((2, "", "a")), Case::Merge);
        check(None, "b", Some((4, "", "b")), Case::Take);
        check(None, "b", Some((4, "", "a")), Case::Merge);
        check(None, "", Some((4, "", "b")), Case::Agree);
    }

    #[test]
    fn what_is_older_than_what_was_agreed_is_not_taken() {
        check(Some((5, "a")), "a", Some((4, "old", "x")), Case::Outdated);
        check(Some((5, "a")), "a", Some((5, "forged", "x")), Case::Outdated);
        check(Some((5, "")), "", Some((4, "old", "x")), Case::Outdated);
        check(Some((5, "a")), "a", Some((5, "a", "x")), Case::Agree);
    }

    #[test]
    fn an_invalid_entry_is_replaced_unless_it_may_count() {
        let agreed = Agreed { version: 2, round: 1, id: "x".into(), content: hash("a"), memory: None };
        let check = |agreed: Option<&Agreed>, mine: &str, theirs: Theirs, expected: Case| {
            assert_eq!(classify(agreed, hash(mine), theirs, History::default()), expected);
        };
        check(Some(&agreed), "a", Theirs::Foreign, Case::Repair);
        check(Some(&agreed), "b", Theirs::Foreign, Case::Send);
        check(Some(&Agreed { content: None, ..agreed.clone() }), "", Theirs::Foreign, Case::Repair);
        check(None, "", Theirs::Foreign, Case::Same);
        check(None, "b", Theirs::Foreign, Case::Send);
        check(Some(&agreed), "a", Theirs::Doubtful, Case::Same);
        check(Some(&agreed), "b", Theirs::Doubtful, Case::Same);
    }

    #[test]
    fn what_took_the_place_of_an_agreed_one_unseen_is_kept_beside_it() {
        let history = History::default();
        check_in(history, Some((5, 9, "a")), "a", Some((5, 11, "b", "before a")), Case::Diverged);
        check_in(history, Some((5, 9, "a")), "mine", Some((5, 11, "b", "before a")), Case::Diverged);
        check_in(history, Some((5, 9, "a")), "a", Some((5, 11, "a", "before a")), Case::Agree);
        check_in(history, Some((5, 9, "a")), "a", Some((7, 11, "c", "b")), Case::Take);
    }

    #[test]
    fn a_count_that_was_lost_makes_nothing_old() {
        let history = History::default();
        check_in(history, Some((3, 9, "a")), "a", Some((4, 2, "b", "a")), Case::Take);
        check_in(history, Some((3, 9, "a")), "c", Some((4, 2, "b", "a")), Case::Merge);
        // Deleted, forgotten and made again.
        check_in(history, Some((3, 9, "a")), "a", Some((1, 20_000, "b", "")), Case::Take);
        // Deleted, forgotten, back with what a member had changed of an earlier version, and deleted again.
        let away = History { forgotten: true, ..history };
        check_in(away, Some((22, 1902, "a")), "a", Some((21, 1927, "b", "before a")), Case::Take);
        check_in(away, Some((22, 1902, "a")), "a", Some((22, 1942, "", "b")), Case::Take);
        check_in(away, Some((22, 1902, "a")), "mine", Some((22, 1942, "", "b")), Case::Merge);
    }

    #[test]
    fn where_history_was_rewritten_only_what_was_agreed_once_is_a_replay() {
        let rewritten = History { rewritten: true, ..History::default() };
        let replayed = History { replayed: true, ..rewritten };
        let agreed = Some((5, 9, "a"));
        check_in(replayed, agreed, "a", Some((3, 7, "old", "x")), Case::Outdated);
        check_in(rewritten, agreed, "a", Some((4, 8, "new", "old")), Case::Diverged);
        check_in(rewritten, agreed, "a", Some((4, 10, "new", "old")), Case::Diverged);
        check_in(rewritten, agreed, "mine", Some((4, 10, "new", "old")), Case::Diverged);
        check_in(rewritten, agreed, "a", Some((6, 10, "new", "a")), Case::Take);
        check_in(rewritten, agreed, "mine", Some((6, 10, "new", "a")), Case::Merge);
        check_in(rewritten, agreed, "a", Some((4, 10, "a", "old")), Case::Agree);
        // A deletion that was told again to an emptied remote.
        check_in(rewritten, agreed, "a", Some((6, 10, "", "")), Case::Take);
        check_in(rewritten, agreed, "mine", Some((6, 10, "", "")), Case::Diverged);
        check_in(rewritten, None, "", Some((1, 10, "new", "")), Case::Take);
    }

    #[test]
    fn a_missing_entry_is_not_a_deletion_unless_deletions_were_forgotten() {
        let agreed = Agreed { version: 2, round: 1, id: "x".into(), content: hash("a"), memory: None };
        let deleted = Agreed { content: None, ..agreed.clone() };
        let check = |agreed: &Agreed, mine: &str, forgotten: bool, expected: Case| {
            let history = History { forgotten, ..History::default() };
            assert_eq!(classify(Some(agreed), hash(mine), Theirs::Absent, history), expected);
        };
        check(&agreed, "a", false, Case::Vanished);
        check(&agreed, "b", false, Case::Vanished);
        check(&agreed, "a", true, Case::Expired);
        check(&agreed, "b", true, Case::Send);
        check(&deleted, "", false, Case::Vanished);
        let long_ago = History { expired: true, ..History::default() };
        assert_eq!(classify(Some(&deleted), None, Theirs::Absent, long_ago), Case::Expired);
        check(&deleted, "b", false, Case::Send);
    }

    /// A cell of docs/SYNC.md names one value, several, or `any`.
    fn names(cell: &str, value: &str) -> bool {
        cell == "any" || cell.split(", ").any(|name| name == value)
    }

    /// The cases that the state table of the documentation has for three sides.
    fn documented(there: &str, base: &str, here: &str) -> Vec<String> {
        let page = include_str!("../../../docs/SYNC.md");
        let (_, table) = page.split_once("| there | base | here | case |\n|---|---|---|---|\n").unwrap();
        let rows = table.lines().take_while(|line| line.starts_with('|'));
        let cells = rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
        let fits = |row: &Vec<&str>| names(row[0], there) && names(row[1], base) && names(row[2], here);
        cells.filter(fits).map(|row| row[3].to_owned()).collect()
    }

    #[test]
    fn the_documented_state_table_names_one_case_for_all_sides() {
        let base_of = |content: &str| Agreed {
            version: 5,
            round: 9,
            id: "x".into(),
            content: hash(content),
            memory: None,
        };
        let mut checked = 0;
        for (base, agreed) in [("none", None), ("text", Some(base_of("a"))), ("deleted", Some(base_of("")))] {
            let before = agreed.as_ref().and_then(|agreed| agreed.content);
            for (here, mine) in [("as base", before), ("changed", hash("mine")), ("deleted", None)] {
                if here == "deleted" && base != "text" {
                    continue;
                }
                let new = |version, round, content, parent| Theirs::New { version, round, content, parent };
                let newer = [
                    new(6, 10, hash("b"), before),
                    new(6, 10, hash("b"), hash("c")),
                    new(6, 2, hash("b"), before),
                    new(1, 10, hash("b"), None),
                ];
                let mut sides = vec![
                    ("unchanged", Theirs::Unchanged),
                    ("missing", Theirs::Absent),
                    ("foreign", Theirs::Foreign),
                    ("doubtful", Theirs::Doubtful),
                    ("equal", new(6, 10, mine, before)),
                    ("equal", new(6, 10, mine, hash("c"))),
                ];
                sides.extend(newer.map(|theirs| ("newer", theirs)));
                if mine.is_some() {
                    sides.push(("newer", new(6, 10, None, before)));
                }
                // Without a base nothing is older or beside it.
                if base != "none" {
                    sides.extend([
                        ("older", new(5, 9, hash("b"), before)),
                        ("older", new(4, 8, hash("b"), None)),
                    ]);
                    sides.extend([("beside", new(5, 10, hash("b"), hash("c")))]);
                }
                for (there, theirs) in sides {
                    let case = classify(agreed.as_ref(), mine, theirs, History::default());
                    let expected = documented(there, base, here);
                    assert_eq!(expected, [format!("{case:?}")], "there {there}, base {base}, here {here}");
                    checked += 1;
                }
            }
        }
        assert_eq!(checked, 89);
    }
}
