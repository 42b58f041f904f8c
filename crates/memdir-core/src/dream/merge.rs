//! Memories that say the same become one, which says all that any of them said.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::account::Merged;
use super::desk::{Desk, DeskFile};
use super::live::link_targets;
use super::reading::{Reading, Readings};
use super::stale::MARK;
use super::statement::{Chunk, ChunkKind, chunks, sequence};
use super::subject::says_no_more_than;
use crate::extract::reading::{negates, words_of};
use crate::memory::index::Index;
use crate::memory::links::{Renamed, rename_links};
use crate::memory::topic::Topic;
use crate::near_text::near_pairs;
use crate::rel_path::RelPath;

/// Fewer words than these are alike by chance.
const FEWEST_WORDS: usize = 3;

/// What is compared of a memory.
struct Candidate {
    path: RelPath,
    topic: Topic,
    /// What it says, without what is the same in many.
    essence: String,
    rank: (bool, bool, std::cmp::Reverse<u32>, jiff::Timestamp),
}

/// Merges memories that say the same, exactly or nearly.
pub(super) fn merge(desk: &mut Desk<'_>) {
    // The lines of what goes could not follow.
    let Some(indexes) = &desk.indexes else { return };
    let listed: HashSet<String> = [&indexes.index, &indexes.overflow]
        .into_iter()
        .flatten()
        .flat_map(|text| {
            Index::parse(text).entries().map(|(_, entry)| entry.path.clone()).collect::<Vec<_>>()
        })
        .collect();
    let candidates: Vec<Candidate> = desk
        .topics
        .iter()
        .map(|(path, file)| {
            let reading = desk.readings.of(&file.text);
            Candidate::of(path, file, &reading, listed.contains(path.as_str()))
        })
        .filter(|candidate| !candidate.essence.trim().is_empty())
        .collect();
    let mut renamed = Vec::new();
    for (one, other, likeness) in pairs(&candidates, desk.readings) {
        let (Some(one), Some(other)) = (candidates.get(one), candidates.get(other)) else { continue };
        renamed.extend(merge_pair(desk, one, other, likeness));
    }
    if !renamed.is_empty() {
        follow_links(desk, &renamed);
    }
}

impl Candidate {
    fn of(path: &RelPath, file: &DeskFile, reading: &Reading, is_listed: bool) -> Self {
        let topic = reading.topic.clone();
        let lines = reading.body().lines().filter(|line| !is_common(line));
        let essence = lines.collect::<Vec<_>>().join("\n");
        let rank = (!is_listed, !topic.has_frontmatter, std::cmp::Reverse(file.used), file.modified);
        Self { path: path.clone(), topic, essence, rank }
    }

    /// Whether the two may become one at all. What one says completely may have another type.
    fn goes_with(&self, other: &Self, likeness: Likeness) -> bool {
        let types = (&self.topic.memory_type, &other.topic.memory_type);
        let same_type = matches!(types, (Some(one), Some(other)) if one == other)
            || types.0.is_none()
            || types.1.is_none();
        (same_type || likeness != Likeness::Near) && self.path.parent() == other.path.parent()
    }
}

/// What two memories have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// They say the same.
    Same,
    /// The first one says everything that the second one says.
    Holds,
    /// The second one says everything that the first one says.
    Held,
    /// They say nearly the same.
    Near,
}

impl Likeness {
    fn why(self) -> &'static str {
        match self {
            Self::Same => "both say the same",
            Self::Holds | Self::Held => "every sentence of it is in the other",
            Self::Near => "both say nearly the same, with the same numbers and names",
        }
    }
}

/// Lines that memories share without being about the same.
fn is_common(line: &str) -> bool {
    ["**How to apply:**", "**Said:**", MARK].iter().any(|start| line.starts_with(start))
}

/// The pairs that say the same, in the order of their paths.
fn pairs(candidates: &[Candidate], readings: &Readings) -> Vec<(usize, usize, Likeness)> {
    let mut pairs = Vec::new();
    let mut same: HashMap<(bool, String), usize> = HashMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        for key in keys(candidate, readings) {
            match same.get(&key) {
                Some(first) => pairs.push((*first, at, Likeness::Same)),
                None => {
                    same.insert(key, at);
                }
            }
        }
    }
    let near = near_pairs(candidates.iter().map(|candidate| candidate.essence.as_str()));
    pairs.extend(subsets(candidates, readings));
    let near = near.into_iter().map(|(one, other, _)| (one, other, Likeness::Near));
    pairs.extend(near.filter(|(one, other, _)| {
        let texts = candidates.get(*one).zip(candidates.get(*other));
        texts.is_some_and(|(one, other)| agree(&readings.of(&one.essence), &readings.of(&other.essence)))
    }));
    pairs.sort_unstable();
    pairs.dedup_by_key(|(one, other, _)| (*one, *other));
    pairs
}

/// The pairs of which one memory says every sentence of the other.
fn subsets(candidates: &[Candidate], readings: &Readings) -> Vec<(usize, usize, Likeness)> {
    let said: Vec<HashSet<String>> = candidates
        .iter()
        .map(|candidate| {
            let reading = readings.of(&candidate.essence);
            let said: HashSet<String> = reading.said().map(|said| said.normal.clone()).collect();
            // Steps count in their order, and two short sentences may be anywhere.
            let telling = said.iter().any(|said| words_of(said).len() >= FEWEST_WORDS);
            if telling && reading.sequences().is_empty() { said } else { HashSet::new() }
        })
        .collect();
    let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, said) in said.iter().enumerate() {
        for sentence in said {
            holders.entry(sentence.as_str()).or_default().push(at);
        }
    }
    let mut pairs = Vec::new();
    for (at, own) in said.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
        // The sentence that the fewest say decides who can say all.
        let rarest = own
            .iter()
            .filter_map(|sentence| holders.get(sentence.as_str()))
            .min_by_key(|holders| holders.len());
        let others = rarest.into_iter().flatten().filter(|other| **other != at);
        let holder = others.copied().find(|other| {
            said.get(*other).is_some_and(|other| other.len() > own.len() && own.is_subset(other))
        });
        pairs.extend(holder.map(|other| {
            if other < at { (other, at, Likeness::Holds) } else { (at, other, Likeness::Held) }
        }));
    }
    pairs
}

/// Whether what only one of two texts says can be added to the other: it adds something, or says the same in other words.
/// Another number, another name or a denial is another matter.
fn agree(one: &Reading, other: &Reading) -> bool {
    let known =
        |reading: &Reading| -> HashSet<String> { reading.said().map(|said| said.normal.clone()).collect() };
    let (all_one, all_other) = (known(one), known(other));
    let only = |own: &HashSet<String>, others: &HashSet<String>| {
        let mut left: Vec<&str> = own.difference(others).map(String::as_str).collect();
        left.sort_unstable();
        left.join(" ")
    };
    let (left, right) = (only(&all_one, &all_other), only(&all_other, &all_one));
    left.is_empty()
        || right.is_empty()
        || says_no_more_than(&left, &right)
        || says_no_more_than(&right, &left)
}

/// What equal memories have in common: all that they say, or for a single sentence the words that it is about.
fn keys(candidate: &Candidate, readings: &Readings) -> Vec<(bool, String)> {
    let reading = readings.of(&candidate.essence);
    let said: Vec<&str> = reading.said().map(|said| said.normal.as_str()).collect();
    let parent = candidate.path.parent().unwrap_or_default();
    let kind = candidate.topic.memory_type.as_ref().map(|kind| kind.as_str().to_owned()).unwrap_or_default();
    let mut keys = Vec::new();
    if said.iter().any(|said| said.chars().count() > 3) {
        keys.push((false, format!("{parent}\0{}", said.join("\n"))));
    }
    if let [only] = said.as_slice() {
        let mut words: Vec<String> = words_of(only).into_iter().collect();
        words.sort_unstable();
        let numbers: Vec<&str> = only
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
            .collect();
        // Names as only code has them are the same to the sign, or others.
        let is_exact =
            |word: &&str| word.contains(['_', '/', '\\', '*', '.']) || word.contains(char::is_uppercase);
        let exact: Vec<&str> = only.split_whitespace().filter(is_exact).collect();
        if words.len() >= FEWEST_WORDS {
            let (words, numbers, exact) = (words.join(" "), numbers.join(" "), exact.join(" "));
            let text = format!("{parent}\0{kind}\0{}\0{words}\0{numbers}\0{exact}", negates(only));
            keys.push((true, text));
        }
    }
    keys
}

/// Brings one memory into the other; gives back the one that went, with its name.
fn merge_pair(
    desk: &mut Desk<'_>,
    one: &Candidate,
    other: &Candidate,
    likeness: Likeness,
) -> Option<(Option<String>, RelPath)> {
    let homes = (desk.home_of(&one.path).clone(), desk.home_of(&other.path).clone());
    let is_whole = homes.0 == one.path && homes.1 == other.path || homes.0 != homes.1;
    if homes.0 == homes.1 || !is_whole || !one.goes_with(other, likeness) {
        return None;
    }
    // What was merged already stays where it is; of two that were not, the better one does.
    let one_stays = match (homes.0 == one.path, homes.1 == other.path) {
        (true, true) => match likeness {
            Likeness::Holds => true,
            Likeness::Held => false,
            Likeness::Same | Likeness::Near => (one.rank, &one.path) <= (other.rank, &other.path),
        },
        (false, true) => true,
        (true, false) => false,
        (false, false) => return None,
    };
    let (into, gone) = if one_stays { (homes.0, other) } else { (homes.1, one) };
    let mut both = [into.as_str(), gone.path.as_str()];
    both.sort_unstable();
    if !desk.may("merge", &both.join("\0")) {
        return None;
    }
    desk.topics.get(&into)?;
    let file = desk.take_away(&gone.path, &into)?;
    let kept = desk.topics.get(&into)?;
    let readings = desk.readings;
    let text = append(&kept.text, &missing(&readings.of(&kept.text), &readings.of(&file.text), &file.text));
    let (used, lost) = (kept.used + file.used, file.gone);
    desk.rewrite(&into, text);
    if let Some(kept) = desk.topics.get_mut(&into) {
        kept.used = used;
        kept.gone.extend(lost);
        kept.gone.dedup();
    }
    desk.account.merged.push(Merged { into, from: gone.path.clone(), why: likeness.why().to_owned() });
    Some((gone.topic.name.clone(), gone.path.clone()))
}

/// What one text says and the other does not: whole parts, or single sentences if those make sense alone.
fn missing(kept: &Reading, other: &Reading, text: &str) -> Vec<String> {
    let known: HashSet<&str> = kept.said().map(|said| said.normal.as_str()).collect();
    let mut blocks = Vec::new();
    let runs =
        other.chunks().chunk_by(|one, next| one.kind == ChunkKind::Step && next.kind == ChunkKind::Step);
    for run in runs {
        let Some(list) = sequence(text, run) else {
            blocks.extend(run.iter().filter_map(|chunk| missing_of(chunk, &known, text)));
            continue;
        };
        // A numbered list stays whole.
        if !kept.sequences().iter().any(|known| known.normal == list.normal) {
            blocks.push(list.text);
        }
    }
    blocks
}

/// What of one part of a text is not known.
fn missing_of(chunk: &Chunk, known: &HashSet<&str>, text: &str) -> Option<String> {
    let unsaid: Vec<_> =
        chunk.statements.iter().filter(|said| !known.contains(said.normal.as_str())).collect();
    if unsaid.is_empty() {
        return None;
    }
    let is_all = unsaid.len() == chunk.statements.len();
    let alone: Vec<&str> = unsaid
        .iter()
        .filter(|said| stands_alone(&said.text, &said.normal))
        .map(|said| said.text.as_str())
        .collect();
    if !is_all && alone.len() == unsaid.len() && is_plain(chunk) {
        let joined = alone.join(" ");
        return Some(if chunk.kind == ChunkKind::Item { format!("- {joined}") } else { joined });
    }
    Some(text.get(chunk.range.clone()).unwrap_or_default().trim_end().to_owned())
}

fn is_plain(chunk: &Chunk) -> bool {
    matches!(chunk.kind, ChunkKind::Paragraph | ChunkKind::Item)
        && chunk
            .statements
            .iter()
            .all(|said| !said.normal.starts_with("code ") && !said.normal.starts_with("comment "))
}

/// Whether a sentence says the same without the text around it.
pub(super) fn stands_alone(text: &str, normal: &str) -> bool {
    let mut statements = chunks(text).into_iter().flat_map(|chunk| chunk.statements);
    statements.next().is_some_and(|said| said.normal == normal) && statements.next().is_none()
}

/// A text with more parts at its end, in its own line ends.
pub(super) fn append(text: &str, blocks: &[String]) -> String {
    let (end, gap) = if text.contains("\r\n") { ("\r\n", "\r\n\r\n") } else { ("\n", "\n\n") };
    let mut whole = text.trim_end_matches(['\n', '\r', ' ', '\t']).to_owned();
    for block in blocks {
        let block = block.trim_end().replace("\r\n", "\n");
        let last = whole.lines().last().unwrap_or_default().trim_start();
        let goes_on = ["- ", "**"].iter().any(|start| last.starts_with(start) && block.starts_with(start));
        if !whole.is_empty() {
            whole.push_str(if goes_on { end } else { gap });
        }
        whole.push_str(&block.replace('\n', end));
    }
    whole.push_str(end);
    if blocks.is_empty() { text.to_owned() } else { whole }
}

/// Has links to memories that went lead to where they went.
pub(super) fn follow_links(desk: &mut Desk<'_>, renamed: &[(Option<String>, RelPath)]) {
    let before: Vec<(RelPath, Vec<u8>)> = desk
        .scene
        .sources()
        .into_iter()
        .map(|source| (source.path.clone(), source.content.to_vec()))
        .collect();
    let mut files: BTreeMap<&RelPath, &[u8]> =
        before.iter().map(|(path, content)| (path, content.as_slice())).collect();
    files.extend(desk.topics.iter().map(|(path, file)| (path, file.text.as_bytes())));
    let targets = link_targets(&files, desk.readings);
    let order: Vec<RelPath> = files.keys().map(|path| (*path).clone()).collect();
    drop(files);
    let gone: HashMap<&RelPath, &Option<String>> = renamed.iter().map(|(name, path)| (path, name)).collect();
    let paths: Vec<RelPath> = desk.topics.keys().cloned().collect();
    for path in paths {
        let Some(file) = desk.topics.get(&path).filter(|file| file.text.contains('[')) else { continue };
        let mut wanted: Vec<&RelPath> = Vec::new();
        for link in desk.readings.of(&file.text).links() {
            let meant = targets.resolve(&link.target).iter().filter_map(|at| order.get(*at));
            wanted.extend(meant.filter(|path| gone.contains_key(path)));
        }
        wanted.sort_unstable();
        wanted.dedup();
        let mut text = file.text.clone();
        for old in wanted {
            let new = desk.home_of(old);
            let name = desk.topics.get(new).and_then(|file| desk.readings.of(&file.text).topic.name.clone());
            let renamed = Renamed {
                old_name: gone.get(old).and_then(|name| name.as_deref()),
                old_path: old.as_str(),
                new_name: name.as_deref().unwrap_or_default(),
                new_path: new.as_str(),
            };
            text = rename_links(&text, path.as_str(), &renamed);
        }
        desk.rewrite(&path, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_added() {
        let check = |kept: &str, other: &str, expected: &str| {
            let readings = Readings::default();
            let blocks = missing(&readings.of(kept), &readings.of(other), other);
            assert_eq!(append(kept, &blocks), expected);
        };
        check("One. Two.\n", "Two. One.\n", "One. Two.\n");
        check("One. Two.\n", "One. Three.\n", "One. Two.\n\nThree.\n");
        check("- one\n", "- one\n- two\n", "- one\n- two\n");
        check("- one\r\n", "- two\n  - three\n", "- one\r\n- two\r\n  - three\r\n");
        check("A b.\n**Why:** c", "A b.\n**Why:** d\n", "A b.\n**Why:** c\n**Why:** d\n");
        check("---\nname: x\n---\n", "Text\n", "---\nname: x\n---\n\nText\n");
    }
}
