//! Every combination of what two or three people can do to one or two memories, checked against an oracle.
//!
//! The oracle knows nothing of the algorithm: it follows each memory by its identity, which the algorithm has to find out,
//! and says which texts must be there in the end, and under which names as long as no two memories want the same one.

use std::collections::{BTreeMap, BTreeSet};

use memdir_sync::local::NameChange;

use crate::machine::Machine;

/// What one person did to one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Did {
    Nothing,
    /// Added a line of their own, each person at another place.
    Edited,
    /// Rewrote the line that the others rewrite too.
    Rewrote,
    Renamed,
    RenamedAndEdited,
    /// Gave it the one name that others may give to another memory.
    RenamedToWanted,
    /// Gave it the name that the other memory had.
    RenamedToOther,
    Deleted,
    /// Deleted it and made another memory of the same name.
    Recreated,
}

use Did::{
    Deleted, Edited, Nothing, Recreated, Renamed, RenamedAndEdited, RenamedToOther, RenamedToWanted, Rewrote,
};

/// What can be done to a memory whose name no other memory gets.
const ALONE: [Did; 7] = [Nothing, Edited, Rewrote, Renamed, RenamedAndEdited, Deleted, Recreated];
const ALL: [Did; 9] = [
    Nothing,
    Edited,
    Rewrote,
    Renamed,
    RenamedAndEdited,
    RenamedToWanted,
    RenamedToOther,
    Deleted,
    Recreated,
];

const NAMES: [&str; 2] = ["first.md", "second.md"];
const LINES: usize = 12;
const REWRITTEN: usize = 6;
/// Rounds in which each person syncs once, after which nothing may be left to do.
const MAX_ROUNDS: usize = 5;

/// The lines of a memory, in any order: where a line goes is not the oracle's business.
type Text = BTreeSet<String>;

fn base(memory: usize) -> Vec<String> {
    (0..LINES).map(|line| format!("Memory {memory} says {line}.")).collect()
}

fn made_anew(memory: usize, person: usize) -> Vec<String> {
    (0..4).map(|line| format!("Person {person} says {line} in the place of memory {memory}.")).collect()
}

impl Did {
    fn text(self, memory: usize, person: usize) -> Option<Vec<String>> {
        let mut lines = base(memory);
        match self {
            Nothing | Renamed | RenamedToWanted | RenamedToOther => {}
            Edited | RenamedAndEdited => {
                lines.insert([2, 10, 4][person], format!("Person {person} adds to memory {memory}."));
            }
            Rewrote => lines[REWRITTEN] = format!("Person {person} rewrites memory {memory}."),
            Deleted => return None,
            Recreated => lines = made_anew(memory, person),
        }
        Some(lines)
    }

    fn name(self, memory: usize, person: usize) -> String {
        match self {
            Renamed | RenamedAndEdited => format!("renamed-{memory}-by-{person}.md"),
            RenamedToWanted => "wanted.md".to_owned(),
            RenamedToOther => NAMES[1 - memory].to_owned(),
            _ => NAMES[memory].to_owned(),
        }
    }

    fn is_rename(self) -> bool {
        matches!(self, Renamed | RenamedAndEdited | RenamedToWanted | RenamedToOther)
    }

    fn is_deletion(self) -> bool {
        matches!(self, Deleted | Recreated)
    }

    /// What this one did to the words, beyond the name: the lines that it adds, and whether the common line is gone.
    fn changes_words(self) -> bool {
        matches!(self, Edited | RenamedAndEdited | Rewrote)
    }
}

/// The texts that must be there in the end, each with its name.
fn oracle(did: &[Vec<Did>]) -> Vec<(String, Text)> {
    let mut expected = Vec::new();
    for memory in 0..did[0].len() {
        let of: Vec<Did> = did.iter().map(|person| person[memory]).collect();
        let is_kept = !of.iter().any(|did| did.is_deletion())
            || of.iter().any(|did| did.is_rename() || did.changes_words());
        if is_kept {
            // Who syncs first names it.
            let namer = of.iter().position(|did| did.is_rename());
            let name = namer.map_or(NAMES[memory].to_owned(), |person| of[person].name(memory, person));
            let mut common: Text = base(memory).into_iter().collect();
            let mut rewritten = Vec::new();
            for (person, did) in of.iter().enumerate().filter(|(_, did)| did.changes_words()) {
                let own: Text = did.text(memory, person).into_iter().flatten().collect();
                let new: Vec<String> = own.difference(&base(memory).into_iter().collect()).cloned().collect();
                if *did == Rewrote { rewritten.extend(new) } else { common.extend(new) }
            }
            if rewritten.is_empty() {
                expected.push((name, common));
            } else {
                common.remove(&base(memory)[REWRITTEN]);
                for line in rewritten {
                    // A copy of what was rewritten need not have what a third person added.
                    expected.push((name.clone(), common.iter().cloned().chain([line]).collect()));
                }
            }
        }
        for (person, _) in of.iter().enumerate().filter(|(_, did)| **did == Recreated) {
            let text = made_anew(memory, person).into_iter().collect();
            expected.push((NAMES[memory].to_owned(), text));
        }
    }
    expected
}

fn text_of(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What a person has after that; `None` if two memories would have one name.
fn files(did: &[Did], person: usize) -> Option<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for (memory, did) in did.iter().enumerate() {
        if let Some(lines) = did.text(memory, person)
            && files.insert(did.name(memory, person), text_of(&lines)).is_some()
        {
            return None;
        }
    }
    Some(files)
}

/// What the history says about that: what is deleted goes first, what is renamed may be swapped.
fn history(did: &[Did], person: usize) -> Vec<NameChange> {
    let renamed = |from: String, to: String| NameChange::Renamed { from, to };
    let (mut deleted, mut aside, mut named) = (Vec::new(), Vec::new(), Vec::new());
    for (memory, did) in did.iter().enumerate() {
        if did.is_deletion() {
            deleted.push(NameChange::Deleted(NAMES[memory].to_owned()));
        }
        if did.is_rename() {
            aside.push(renamed(NAMES[memory].to_owned(), format!("aside-{memory}.md")));
            named.push(renamed(format!("aside-{memory}.md"), did.name(memory, person)));
        }
    }
    [deleted, aside, named].concat()
}

/// People who have the same memories and nothing to send.
fn team(people: usize, memories: usize) -> Vec<Machine> {
    let mut ada = Machine::founder();
    for (memory, name) in NAMES.iter().enumerate().take(memories) {
        ada.files.insert((*name).to_owned(), text_of(&base(memory)));
    }
    ada.sync();
    let mut team = vec![ada];
    for seed in 2..=u8::try_from(people).unwrap() {
        let joined = Machine::joining(&team[0], seed, "Bob");
        team.push(joined);
    }
    team.iter_mut().for_each(|person| drop(person.sync()));
    team
}

/// What is in the folders when nothing is left to do.
fn outcome(team: &[Machine], did: &[Vec<Did>]) -> Result<BTreeMap<String, String>, String> {
    let remote = team[0].remote.copy();
    let mut people = team.to_vec();
    for (person, machine) in people.iter_mut().enumerate() {
        machine.remote = remote.clone();
        machine.files = files(&did[person], person).unwrap();
        machine.history.extend(history(&did[person], person));
    }
    for _ in 0..MAX_ROUNDS {
        let before: Vec<_> = people.iter().map(|person| person.files.clone()).collect();
        let head = people[0].head();
        people.iter_mut().for_each(|person| drop(person.sync()));
        let is_same = people.iter().zip(&before).all(|(person, before)| person.files == *before);
        if is_same && people[0].head() == head {
            let is_equal = people.iter().all(|person| person.files == people[0].files);
            let files = people.swap_remove(0).files;
            return if is_equal { Ok(files) } else { Err("the folders differ".to_owned()) };
        }
    }
    Err("does not end".to_owned())
}

/// The lines that the people themselves wrote.
fn own_words(text: &Text) -> impl Iterator<Item = &String> {
    text.iter().filter(|line| line.starts_with("Person"))
}

fn check(team: &[Machine], did: &[Vec<Did>]) -> Result<(), String> {
    let files = outcome(team, did)?;
    let expected = oracle(did);
    let found: BTreeMap<&str, Text> =
        files.iter().map(|(name, text)| (name.as_str(), text.lines().map(str::to_owned).collect())).collect();
    compare(did, &expected, &found).map_err(|why| format!("{why}: expected {expected:#?}, found {found:#?}"))
}

fn compare(
    did: &[Vec<Did>],
    expected: &[(String, Text)],
    found: &BTreeMap<&str, Text>,
) -> Result<(), &'static str> {
    let is_of =
        |text: &Text, memory: usize| text.iter().any(|line| line.contains(&format!("emory {memory}")));
    if found.values().any(|text| is_of(text, 0) && is_of(text, 1)) {
        return Err("two memories became one");
    }
    let there: BTreeSet<&String> = found.values().flat_map(own_words).collect();
    if there != expected.iter().flat_map(|(_, text)| own_words(text)).collect() {
        return Err("words are lost, or back");
    }
    if shares_a_name(did) {
        return compare_where_a_name_is_shared(expected, found);
    }
    let mut texts: Vec<&Text> = found.values().collect();
    let mut wanted: Vec<&Text> = expected.iter().map(|(_, text)| text).collect();
    texts.sort();
    wanted.sort();
    // Two who rewrote one line make a copy. A third one adds a line to one of the two.
    let is_copied = did.len() > 2 && did.iter().flatten().filter(|did| **did == Rewrote).count() == 2;
    if texts.len() != wanted.len() || (!is_copied && texts != wanted) {
        return Err("texts differ");
    }
    let names: BTreeSet<&String> = expected.iter().map(|(name, _)| name).collect();
    // A memory made in the place of one that another person changed is a copy before a third gives that one another name.
    let is_late = did.len() > 2 && did.iter().flatten().any(|did| *did == Recreated);
    let is_exact = names.len() == expected.len() && !is_late;
    if is_exact && expected.iter().any(|(name, text)| found.get(name.as_str()) != Some(text)) {
        return Err("names differ");
    }
    Ok(())
}

/// Whether a name meant two memories: one got the name of the other, or two people gave it to different ones.
fn shares_a_name(did: &[Vec<Did>]) -> bool {
    let wanted: BTreeSet<usize> =
        did.iter().filter_map(|did| did.iter().position(|did| *did == RenamedToWanted)).collect();
    wanted.len() > 1 || did.iter().flatten().any(|did| *did == RenamedToOther)
}

/// A memory whose name meant another one too may be there twice: with some changes under one name, without under the other.
fn compare_where_a_name_is_shared(
    expected: &[(String, Text)],
    found: &BTreeMap<&str, Text>,
) -> Result<(), &'static str> {
    let lines: BTreeSet<&String> = found.values().flatten().collect();
    if expected.iter().flat_map(|(_, text)| text).any(|line| !lines.contains(line)) {
        return Err("a line is missing");
    }
    if found.len() > 2 * expected.len() {
        return Err("a memory is there more than twice");
    }
    Ok(())
}

/// Checks all of them, says which ones fail, and counts them.
fn check_all(team: &[Machine], combinations: impl Iterator<Item = Vec<Vec<Did>>>) -> usize {
    let (mut count, mut failed) = (0, Vec::new());
    for did in combinations {
        count += 1;
        failed.extend(check(team, &did).err().map(|why| format!("{did:?}: {why}")));
    }
    let shown = &failed[..failed.len().min(20)];
    assert!(failed.is_empty(), "{} of {count} fail\n{}", failed.len(), shown.join("\n"));
    count
}

#[test]
fn one_memory_and_two_people() {
    let pairs = ALONE.iter().flat_map(|one| ALONE.iter().map(|two| vec![vec![*one], vec![*two]]));
    assert_eq!(check_all(&team(2, 1), pairs), 49);
}

#[test]
fn one_memory_and_three_people() {
    let triples = ALONE.iter().flat_map(|one| {
        ALONE
            .iter()
            .flat_map(move |two| ALONE.iter().map(move |three| vec![vec![*one], vec![*two], vec![*three]]))
    });
    assert_eq!(check_all(&team(3, 1), triples), 343);
}

/// Every fifth of 5,184 by default; `MEMDIR_PROVE_EVERY=1` checks all in 15 seconds.
#[test]
fn two_memories_whose_names_may_clash_and_two_people() {
    let every = std::env::var("MEMDIR_PROVE_EVERY").ok().and_then(|every| every.parse().ok()).unwrap_or(5);
    let pairs = || ALL.iter().flat_map(|one| ALL.iter().map(|two| vec![*one, *two]));
    let both = pairs().flat_map(|one| pairs().map(move |two| vec![one.clone(), two]));
    let possible =
        both.filter(|did| did.iter().enumerate().all(|(person, did)| files(did, person).is_some()));
    assert_eq!(check_all(&team(2, 2), possible.step_by(every)), 5_184_usize.div_ceil(every));
}
