//! Facts that a later statement contradicts: they stay, with the days between which they held.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use jiff::civil::Date;

use super::account::{Merged, Replaced};
use super::check::Superseded;
use super::dates::{said_day, since_day};
use super::desk::Desk;
use super::merge::{append, follow_links};
use super::statement::ChunkKind;
use super::subject::{is_about_the_same, names};
use crate::extract::reading::{negates, words_of};
use crate::memory::change::reference;
use crate::memory::topic;
use crate::memory::topic::validity::{SUPERSEDES, Validity};
use crate::rel_path::RelPath;

/// A statement that says something of something.
struct Fact {
    path: RelPath,
    range: Range<usize>,
    text: String,
    normal: String,
    day: Date,
    /// Whether a text says so, and not only the file's own time, which every change of the file moves.
    is_firm: bool,
    /// Its number among all facts of its file.
    order: usize,
    /// What is said of it, without words for now.
    value: Vec<String>,
    /// What the file and the heading above it speak of.
    context: HashSet<String>,
    /// Whether it says itself that this is new.
    is_news: bool,
    /// Whether its file says nothing else.
    is_alone: bool,
    /// Whether its verb leaves room for one value only.
    is_single: bool,
    negates: bool,
}

/// How a sentence begins that says until when something was so.
const UNTIL: &str = "Until ";
/// So many statements about one thing are compared.
const MOST_ALIKE: usize = 32;
/// A value of more words is a description, and two of them need not exclude each other.
const LONGEST_VALUE: usize = 4;
const LONGEST_NUMBER_VALUE: usize = 8;

/// Says of every contradicted fact until when it held, and what holds now.
pub(super) fn resolve(desk: &mut Desk<'_>) {
    let (facts, groups) = gather(desk);
    let mut gone: Vec<(RelPath, RelPath, String, Date)> = Vec::new();
    let mut edits: HashMap<RelPath, Vec<(Range<usize>, String)>> = HashMap::new();
    let mut is_edited = vec![false; facts.len()];
    let mut names: Vec<&String> = groups.keys().collect();
    names.sort_unstable();
    for name in names {
        let mut alike: Vec<usize> = groups.get(name).cloned().unwrap_or_default();
        alike.truncate(MOST_ALIKE);
        for at in alike.iter().copied() {
            let Some(old) = facts.get(at).filter(|_| is_edited.get(at) == Some(&false)) else { continue };
            let later = alike.iter().filter(|other| is_edited.get(**other) == Some(&false));
            let later =
                later.filter_map(|other| facts.get(*other)).filter(|newest| is_contradicted(old, newest));
            let Some(newest) = later.max_by_key(|newest| (newest.day, newest.order)) else { continue };
            if desk.supersedes_left() == 0 {
                continue;
            }
            if !desk.may("replace", &format!("{}\0{}\0{}", old.path, old.normal, newest.normal)) {
                continue;
            }
            if let Some(flag) = is_edited.get_mut(at) {
                *flag = true;
            }
            // A file that says nothing else goes; what it said stays as one sentence of the newer one.
            if old.is_alone && old.path != newest.path {
                let was = without_since(&old.text).trim();
                gone.push((old.path.clone(), newest.path.clone(), was.to_owned(), newest.day));
            } else {
                edits.entry(old.path.clone()).or_default().push((old.range.clone(), history(old, newest)));
            }
            desk.superseded += 1;
            desk.account.superseded.push(Superseded {
                statement: old.text.clone(),
                source: old.path.clone(),
                replaced_by: newest.text.clone(),
            });
            desk.account.replaced.push(Replaced {
                path: old.path.clone(),
                was: without_since(&old.text).to_owned(),
                from: old.day,
                until: newest.day,
                now: without_since(&newest.text).to_owned(),
            });
        }
    }
    for (path, mut changes) in edits {
        changes.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        let Some(file) = desk.topics.get(&path) else { continue };
        let mut text = file.text.clone();
        for (range, new) in changes {
            if text.get(range.clone()).is_some() {
                text.replace_range(range, &new);
            }
        }
        desk.rewrite(&path, text);
    }
    let renamed: Vec<_> = gone
        .into_iter()
        .filter_map(|(old, newest, was, until)| replace_whole(desk, &old, &newest, &was, until))
        .collect();
    if !renamed.is_empty() {
        follow_links(desk, &renamed);
    }
}

/// Brings the one fact of a memory into the memory that says what holds now, which is said to supersede it.
fn replace_whole(
    desk: &mut Desk<'_>,
    old: &RelPath,
    newest: &RelPath,
    was: &str,
    until: Date,
) -> Option<(Option<String>, RelPath)> {
    let home = desk.home_of(newest).clone();
    let file = desk.topics.get(&home).filter(|_| home != *old)?;
    let gone = desk.topics.get(old)?;
    let reference = reference(old, gone.text.as_bytes());
    let mut names = Validity::of(&file.text).supersedes;
    names.push(reference);
    let text = topic::set(&file.text, SUPERSEDES, &names.join("; ")).unwrap_or_else(|_| file.text.clone());
    let text = append(&text, &[format!("{UNTIL}{until}: {was}{}", stop(was))]);
    let gone = desk.take_away(old, &home)?;
    desk.rewrite(&home, text);
    desk.account.merged.push(Merged {
        into: home,
        from: old.clone(),
        why: format!("it held until {until}; the other says what holds now"),
    });
    Some((desk.readings.of(&gone.text).topic.name.clone(), old.clone()))
}

/// The mark that a sentence lacks at its end.
fn stop(text: &str) -> &'static str {
    if text.ends_with(['.', '!', '?', '。', '！']) { "" } else { "." }
}

/// The sentence that takes the place of a contradicted one.
fn history(old: &Fact, newest: &Fact) -> String {
    let was = without_since(&old.text).trim();
    let mut said = format!("{UNTIL}{} (from {}): {was}{}", newest.day, old.day, stop(was));
    if old.path != newest.path {
        let now = without_since(&newest.text).trim();
        said.push_str(&format!(" Now: {now}{}", stop(now)));
    }
    said
}

/// The text behind `**Since 2026-03-12:** `.
fn without_since(text: &str) -> &str {
    let plain = text.trim_start_matches('*');
    match plain.strip_prefix("Since ").and_then(|rest| rest.get(10..)) {
        Some(rest) if plain.len() < text.len() => rest.trim_start_matches([':', '*', ' ']),
        _ => text,
    }
}

/// All facts, and which of them are about one thing.
fn gather(desk: &Desk<'_>) -> (Vec<Fact>, HashMap<String, Vec<usize>>) {
    let mut facts = Vec::new();
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (path, file) in &desk.topics {
        if Validity::of(&file.text).superseded_by.is_some() {
            continue;
        }
        let said = said_day(&file.text);
        let (mut day, mut is_firm) = (said.unwrap_or(file.day), said.is_some() || file.is_dated);
        let reading = desk.readings.of(&file.text);
        let description = names(reading.topic.description.as_deref().unwrap_or_default());
        let mut heading = HashSet::new();
        const AROUND: [&str; 3] = ["said:", "how to apply:", "about:"];
        let mut telling =
            reading.said().filter(|said| !AROUND.iter().any(|start| said.normal.starts_with(start)));
        let is_alone = telling.next().is_some() && telling.next().is_none();
        for (order, (kind, said)) in reading.said_with_kind().enumerate() {
            if kind == ChunkKind::Heading {
                heading = names(&said.normal);
            }
            if kind == ChunkKind::Step {
                continue;
            }
            if let Some(since) = since_day(&said.normal) {
                (day, is_firm) = (since, true);
            }
            let is_read = !said.normal.starts_with("code ") && !said.normal.starts_with("comment ");
            let is_history = said.normal.strip_prefix("until ").is_some_and(since_like);
            if !is_read || is_history || said.text.ends_with('?') || said.text.len() > 400 {
                continue;
            }
            let plain = without_since(&said.text);
            let (words, is_news) = words_without_now(plain);
            let negates = negates(plain);
            let mut groups_of = Vec::new();
            let mut value = Vec::new();
            let mut is_single = false;
            if let Some((at, verb)) =
                words.iter().enumerate().skip(1).find_map(|(at, word)| Some((at, verb(word)?)))
            {
                let subject = words.get(..=at).unwrap_or_default().join(" ");
                value = words.get(at + 1..).unwrap_or_default().to_vec();
                is_single = verb == Verb::Single;
                if !words_of(&subject).is_empty() && !value.is_empty() {
                    groups_of.push(format!("s {subject}"));
                } else if is_alone {
                    groups_of.push(format!("v {subject} {}", masked(&value).join(" ")));
                }
            }
            let mut about: Vec<String> = words_of(plain).into_iter().collect();
            about.sort_unstable();
            if about.len() >= 2 {
                groups_of.push(format!("w {}", about.join(" ")));
            }
            for name in groups_of {
                groups.entry(name).or_default().push(facts.len());
            }
            facts.push(Fact {
                path: path.clone(),
                range: said.range.clone(),
                text: said.text.clone(),
                normal: said.normal.clone(),
                day,
                is_firm,
                order,
                value,
                context: description.union(&heading).cloned().collect(),
                is_news,
                is_alone,
                is_single,
                negates,
            });
        }
    }
    groups.retain(|_, alike| alike.len() > 1);
    (facts, groups)
}

fn since_like(rest: &str) -> bool {
    rest.get(..10).is_some_and(|day| day.parse::<Date>().is_ok())
}

/// Whether the newest of two facts about one thing says that the other no longer holds.
fn is_contradicted(old: &Fact, newest: &Fact) -> bool {
    let is_later = newest.is_firm && old.day < newest.day
        || old.path == newest.path && old.order < newest.order && newest.is_news && old.day <= newest.day;
    if !is_later || old.normal == newest.normal || !is_about_the_same(&old.normal, &newest.normal) {
        return false;
    }
    if old.negates != newest.negates {
        let plain = (without_since(&old.text), without_since(&newest.text));
        let (before, after) = apart(old, newest);
        let is_one = before.is_subset(&after) || after.is_subset(&before);
        return is_one && words_of(plain.0) == words_of(plain.1);
    }
    if !is_one_matter(old, newest) {
        return false;
    }
    if old.value == newest.value || old.value.is_empty() || newest.value.is_empty() {
        return false;
    }
    let is_short = old.value.len() <= LONGEST_VALUE && newest.value.len() <= LONGEST_VALUE;
    // `We use Node 18` and `We use Node 20` are versions of one fact where nothing else is said.
    let are_numbers = (old.is_single || old.is_alone && newest.is_alone)
        && old.value.len() <= LONGEST_NUMBER_VALUE
        && masked(&old.value) == masked(&newest.value)
        && masked(&old.value).contains(&"#");
    // `uses` and `has` leave room for more than one thing, unless the new one speaks of the old.
    let excludes = old.is_single || old.value.iter().all(|word| newest.value.contains(word));
    newest.is_news && is_short && excludes || are_numbers
}

/// Whether two facts are about one thing, as far as the words around them tell: the timeout of staging is not that of
/// production.
fn is_one_matter(old: &Fact, newest: &Fact) -> bool {
    let (before, after) = apart(old, newest);
    if old.path == newest.path {
        return before.is_subset(&after) || after.is_subset(&before);
    }
    let is_same = before == after;
    // Two files with one title and one sentence each are two versions of it.
    let is_titled = !old.context.is_empty() && !newest.context.is_empty();
    let is_one_title = old.is_alone && newest.is_alone && is_titled;
    is_same && (!before.is_empty() || is_one_title)
        || newest.is_news && (before.is_subset(&after) || after.is_subset(&before))
}

/// The words around each of two facts and in neither of them.
fn apart(old: &Fact, newest: &Fact) -> (HashSet<String>, HashSet<String>) {
    let told: HashSet<String> = names(&old.normal).union(&names(&newest.normal)).cloned().collect();
    let apart = |fact: &Fact| fact.context.difference(&told).cloned().collect();
    (apart(old), apart(newest))
}

fn masked(value: &[String]) -> Vec<&str> {
    value
        .iter()
        .map(|word| if word.contains(|c: char| c.is_ascii_digit()) { "#" } else { word.as_str() })
        .collect()
}

/// The words of a statement without those that say that it is so now, and whether there were any.
fn words_without_now(text: &str) -> (Vec<String>, bool) {
    const NOW: [&str; 12] = [
        "now",
        "currently",
        "meanwhile",
        "nowadays",
        "jetzt",
        "nun",
        "inzwischen",
        "ahora",
        "maintenant",
        "désormais",
        "agora",
        "henceforth",
    ];
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let all: Vec<String> = words.map(str::to_lowercase).collect();
    let kept: Vec<String> = all.iter().filter(|word| !NOW.contains(&word.as_str())).cloned().collect();
    let is_news = kept.len() < all.len();
    (kept, is_news)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// What it says of something is one thing.
    Single,
    /// It may say several things of something.
    Open,
}

fn verb(word: &str) -> Option<Verb> {
    const SINGLE: &str = "is are was runs run costs takes expires ends starts lives sits equals ist sind läuft kostet \
        dauert endet beginnt es son está están cuesta dura est sont coûte dure é são fica custa";
    const OPEN: &str = "uses use listens needs require requires has have stands means nutzt verwendet braucht hat usa \
        utiliza necesita utilise nécessite precisa";
    let is_in = |words: &str| words.split_whitespace().any(|known| known == word);
    if is_in(SINGLE) { Some(Verb::Single) } else { is_in(OPEN).then_some(Verb::Open) }
}
