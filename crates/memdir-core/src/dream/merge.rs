//! Memories that say the same become one, which says all that any of them said.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use jiff::Timestamp;
use jiff::civil::Date;

use super::account::{Merged, Replaced};
use super::check::Superseded;
use super::dates::said_day;
use super::desk::{Desk, DeskFile};
use super::live::link_targets;
use super::reading::Reading;
use super::relation::{Context, Relation, Said, Term};
use super::statement::{Chunk, ChunkKind, Statement, chunks, sequence};
use crate::memory::change::reference;
use crate::memory::index::Index;
use crate::memory::links::{Renamed, rename_links};
use crate::memory::topic;
use crate::memory::topic::validity::{SUPERSEDES, Validity};
use crate::rel_path::RelPath;

/// So many words two memories must share before they are compared.
const FEWEST_SHARED: usize = 2;
/// A word that so many memories share tells nothing.
const MOST_ALIKE: usize = 64;
/// Memories that tell more are not compared sentence by sentence.
const MOST_TOLD: usize = 40;
/// Headings that count as titles.
const MOST_HEADINGS: usize = 4;
/// Texts of so few signs are the same by chance.
const SHORTEST: usize = 3;
/// Of so many statements one may say something of its own.
const MOST_UNMATCHED: usize = 2;
/// So many statements of a memory that was replaced may say something of their own.
const MOST_LEFT: usize = 3;

/// Merges memories that say the same, exactly or in other words, and those of which the newer says what holds now.
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
            Candidate::of(path, file, &desk.readings.of(&file.text), listed.contains(path.as_str()))
        })
        .collect();
    let mut renamed = Vec::new();
    for (one, other) in pairs(&candidates) {
        let (Some(one), Some(other)) = (candidates.get(one), candidates.get(other)) else { continue };
        let is_there = |candidate: &Candidate| desk.topics.contains_key(&candidate.path);
        if is_there(one) && is_there(other) {
            renamed.extend(merge_pair(desk, one, other));
        }
    }
    if !renamed.is_empty() {
        follow_links(desk, &renamed);
    }
}

/// What is compared of a memory.
struct Candidate {
    path: RelPath,
    reading: Rc<Reading>,
    /// The day of which it speaks, if that is known.
    day: Option<Date>,
    rank: (bool, bool, Reverse<u32>, Timestamp),
}

impl Candidate {
    fn of(path: &RelPath, file: &DeskFile, reading: &Rc<Reading>, is_listed: bool) -> Self {
        let said = said_day(&file.text);
        let rank = (!is_listed, !reading.topic.has_frontmatter, Reverse(file.used), file.modified);
        let day = said.or_else(|| file.is_dated.then_some(file.day));
        Self { path: path.clone(), reading: Rc::clone(reading), day, rank }
    }

    /// What it is called: its description and its headings.
    fn title(&self) -> String {
        let mut title = self.reading.topic.description.clone().unwrap_or_default();
        let headings = self.reading.said_with_kind().filter(|(kind, _)| *kind == ChunkKind::Heading);
        for (_, heading) in headings.take(MOST_HEADINGS) {
            title.push_str(" . ");
            title.push_str(&heading.text);
        }
        title
    }
}

/// The pairs that share words, those with the newer one of a day first, so that what was replaced twice goes where it holds.
fn pairs(candidates: &[Candidate]) -> Vec<(usize, usize)> {
    let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut same: HashMap<String, usize> = HashMap::new();
    let mut pairs: HashMap<(usize, usize), usize> = HashMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let telling = candidate.reading.telling();
        let whole: Vec<&str> = telling.iter().map(|(said, _)| said.normal.as_str()).collect();
        if whole.iter().any(|said| said.chars().count() > SHORTEST) {
            if let Some(first) = same.get(&whole.join("\n")) {
                pairs.insert((*first, at), FEWEST_SHARED);
            } else {
                same.insert(whole.join("\n"), at);
            }
        }
        let terms: HashSet<&str> =
            telling.iter().take(MOST_TOLD).flat_map(|(_, said)| said.terms()).map(Term::key).collect();
        for term in terms {
            let known = holders.entry(term).or_default();
            if known.len() < MOST_ALIKE {
                for other in known.iter() {
                    *pairs.entry((*other, at)).or_default() += 1;
                }
                known.push(at);
            }
        }
    }
    let newest = |pair: &(usize, usize)| {
        let day = |at: usize| candidates.get(at).and_then(|candidate| candidate.day);
        Reverse(day(pair.0).max(day(pair.1)))
    };
    let mut found: Vec<(usize, usize)> =
        pairs.into_iter().filter(|(_, shared)| *shared >= FEWEST_SHARED).map(|(pair, _)| pair).collect();
    found.sort_unstable_by_key(|pair| (newest(pair), *pair));
    found
}

/// What becomes of two memories of one matter.
struct Verdict {
    /// Whether the first one stays.
    first_stays: bool,
    /// Statements of the one that goes, each with the one that takes its place.
    covered: Vec<(Statement, Statement)>,
    /// Whether the one that stays says what holds now.
    replaces: bool,
    why: &'static str,
}

/// Judges two memories; `None` if they are of two matters.
fn verdict(one: &Candidate, other: &Candidate) -> Option<Verdict> {
    let is_other_newer = other.day >= one.day;
    let (old, new) = if is_other_newer { (one, other) } else { (other, one) };
    let (old_said, new_said) = (old.reading.telling(), new.reading.telling());
    let (first_old, first_new) = (old_said.first()?, new_said.first()?);
    let normals =
        |said: &[(Statement, Said)]| said.iter().map(|(said, _)| said.normal.clone()).collect::<Vec<_>>();
    let has_steps = !old.reading.sequences().is_empty() || !new.reading.sequences().is_empty();
    if normals(old_said) == normals(new_said) {
        let is_long = normals(old_said).iter().any(|said| said.chars().count() > SHORTEST);
        let first_stays = (one.rank, &one.path) <= (other.rank, &other.path);
        let is_same_list = normals_of(&old.reading) == normals_of(&new.reading);
        return (is_long && is_same_list).then_some(Verdict {
            first_stays,
            covered: Vec::new(),
            replaces: false,
            why: "both say the same",
        });
    }
    if let Some(old_goes) =
        is_part(old_said, new_said).or_else(|| is_part(new_said, old_said).map(|goes| !goes))
    {
        let why = "every sentence of it is in the other";
        return (!has_steps).then_some(Verdict {
            first_stays: old_goes != is_other_newer,
            covered: Vec::new(),
            replaces: false,
            why,
        });
    }
    if has_steps || old_said.len().max(new_said.len()) > MOST_TOLD {
        return None;
    }
    let context = Context::of((&old.title(), &new.title()), (&first_old.1, &first_new.1));
    let is_later = old.day.zip(new.day).is_some_and(|(old, new)| old < new);
    let mut from_old: Vec<Option<(usize, Relation)>> = vec![None; old_said.len()];
    let mut from_new: Vec<Option<(usize, Relation)>> = vec![None; new_said.len()];
    for (at, (_, before)) in old_said.iter().enumerate() {
        for (place, (_, after)) in new_said.iter().enumerate() {
            let Some(relation) = before.relation(after, context, is_later) else { continue };
            from_old.get_mut(at)?.get_or_insert((place, relation));
            from_new.get_mut(place)?.get_or_insert((at, relation));
        }
    }
    let replaced = from_old.iter().flatten().any(|(_, relation)| *relation == Relation::Replaces);
    let matched = |links: &[Option<(usize, Relation)>]| links.iter().flatten().count();
    let old_goes = if replaced {
        true
    } else if old_said.len() != new_said.len() {
        old_said.len() < new_said.len()
    } else {
        // Of two that say as much, the one stays whose words hold the other's.
        match from_old.first()? {
            Some((_, Relation::Held)) => true,
            Some((_, Relation::Holds)) => false,
            _ => (&new.rank, &new.path) <= (&old.rank, &old.path),
        }
    };
    let (links, gone, kept) =
        if old_goes { (&from_old, old_said, new_said) } else { (&from_new, new_said, old_said) };
    let unmatched = links.len() - matched(links);
    let is_lead_replaced = matches!(links.first()?, Some((_, Relation::Replaces)));
    let is_one_matter = links.first()?.is_some()
        && if replaced {
            is_lead_replaced && unmatched <= MOST_LEFT
        } else {
            unmatched * MOST_UNMATCHED <= links.len()
        };
    if !is_one_matter {
        return None;
    }
    let covered = links.iter().zip(gone).filter_map(|(link, (said, _))| {
        let (at, relation) = (*link)?;
        let stands_in = match relation {
            Relation::Held => old_goes,
            Relation::Holds => !old_goes,
            Relation::Same | Relation::Replaces => true,
            Relation::Near => false,
        };
        stands_in.then(|| kept.get(at).map(|(kept, _)| (said.clone(), kept.clone())))?
    });
    let why = if replaced {
        "the newer one says what holds now"
    } else {
        "both are about the same, and say it in nearly the same words"
    };
    Some(Verdict {
        first_stays: old_goes != is_other_newer,
        covered: covered.collect(),
        replaces: replaced,
        why,
    })
}

/// Whether the first says nothing but what the other says too, word for word.
fn is_part(own: &[(Statement, Said)], other: &[(Statement, Said)]) -> Option<bool> {
    let known: HashSet<&str> = other.iter().map(|(said, _)| said.normal.as_str()).collect();
    let is_long = own.iter().any(|(_, said)| said.terms().len() > 1);
    (is_long && own.len() < other.len() && own.iter().all(|(said, _)| known.contains(said.normal.as_str())))
        .then_some(true)
}

/// All that a text says, its numbered lists as a whole.
fn normals_of(reading: &Reading) -> Vec<&str> {
    reading.sequences().iter().map(|list| list.normal.as_str()).collect()
}

/// Brings one memory into the other; gives back the one that went, with its name.
fn merge_pair(desk: &mut Desk<'_>, one: &Candidate, other: &Candidate) -> Option<(Option<String>, RelPath)> {
    if one.path.parent() != other.path.parent() {
        return None;
    }
    let verdict = verdict(one, other)?;
    let (kept, gone) = if verdict.first_stays { (one, other) } else { (other, one) };
    let costs = verdict.covered.iter().filter(|(said, by)| said.normal != by.normal).count();
    let mut both = [kept.path.as_str(), gone.path.as_str()];
    both.sort_unstable();
    if costs > desk.supersedes_left() || !desk.may("merge", &both.join("\0")) {
        return None;
    }
    let mut text = desk.topics.get(&kept.path)?.text.clone();
    let mut known: HashSet<String> = desk.readings.of(&text).said().map(|said| said.normal.clone()).collect();
    let file = desk.take_away(&gone.path, &kept.path)?;
    for (said, by) in &verdict.covered {
        known.insert(said.normal.clone());
        if said.normal == by.normal {
            continue;
        }
        desk.account.superseded.push(Superseded {
            statement: said.text.clone(),
            source: gone.path.clone(),
            replaced_by: by.text.clone(),
        });
        desk.superseded += 1;
    }
    let added = missing(&known, &desk.readings.of(&text), &desk.readings.of(&file.text), &file.text);
    // What else was said of it follows what held before, and speaks of that.
    if verdict.replaces {
        text = with_history(&text, desk, kept, gone, &file, &verdict.covered);
    }
    text = append(&text, &added);
    desk.rewrite(&kept.path, text);
    if let Some(kept) = desk.topics.get_mut(&kept.path) {
        kept.used += file.used;
        kept.gone.extend(file.gone);
        kept.gone.dedup();
    }
    let (into, from) = (kept.path.clone(), gone.path.clone());
    desk.account.merged.push(Merged { into, from, why: verdict.why.to_owned() });
    Some((gone.reading.topic.name.clone(), gone.path.clone()))
}

/// The text with what held before as one sentence, and with the name of the memory that it replaces.
fn with_history(
    text: &str,
    desk: &mut Desk<'_>,
    kept: &Candidate,
    gone: &Candidate,
    file: &DeskFile,
    covered: &[(Statement, Statement)],
) -> String {
    let Some((until, from)) = kept.day.zip(gone.day) else { return text.to_owned() };
    let mut names = Validity::of(text).supersedes;
    names.push(reference(&gone.path, file.text.as_bytes()));
    let text = topic::set(text, SUPERSEDES, &names.join("; ")).unwrap_or_else(|_| text.to_owned());
    let mut lines = Vec::new();
    for (was, now) in covered.iter().filter(|(was, now)| was.normal != now.normal) {
        let stop = if was.text.ends_with(['.', '!', '。', '！']) { "" } else { "." };
        let line = format!("Until {until}: {}{stop}", was.text.trim());
        if !text.contains(&line) {
            lines.push(line);
        }
        desk.account.replaced.push(Replaced {
            path: gone.path.clone(),
            was: was.text.clone(),
            from,
            until,
            now: now.text.clone(),
        });
    }
    append(&text, &lines)
}

/// What one text says and the other does not: whole parts, or single sentences where those can stand alone.
fn missing(known: &HashSet<String>, kept: &Reading, other: &Reading, text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    // A heading goes with what is below it.
    let says_more = |chunk: &Chunk| chunk.statements.iter().any(|said| !known.contains(&said.normal));
    let all = other.chunks();
    let is_empty_heading = |at: usize| {
        let below = all.iter().skip(at + 1).take_while(|chunk| chunk.kind != ChunkKind::Heading);
        all.get(at).is_some_and(|chunk| chunk.kind == ChunkKind::Heading) && !below.into_iter().any(says_more)
    };
    let kept_chunks: Vec<Chunk> = all
        .iter()
        .enumerate()
        .filter(|(at, _)| !is_empty_heading(*at))
        .map(|(_, chunk)| chunk.clone())
        .collect();
    let runs = kept_chunks.chunk_by(|one, next| one.kind == ChunkKind::Step && next.kind == ChunkKind::Step);
    for run in runs {
        let Some(list) = sequence(text, run) else {
            blocks.extend(run.iter().filter_map(|chunk| missing_of(chunk, known, text)));
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
fn missing_of(chunk: &Chunk, known: &HashSet<String>, text: &str) -> Option<String> {
    let unsaid: Vec<_> = chunk.statements.iter().filter(|said| !known.contains(&said.normal)).collect();
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
    use super::super::reading::Readings;
    use super::*;

    #[test]
    fn only_what_is_missing_is_added() {
        let check = |kept: &str, other: &str, expected: &str| {
            let readings = Readings::default();
            let known = readings.of(kept).said().map(|said| said.normal.clone()).collect();
            let blocks = missing(&known, &readings.of(kept), &readings.of(other), other);
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
