//! The words that were found, and those around them.

use memdir_disk::platform::FileExt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::{ControlFlow, Range};

use camino::Utf8Path;

use super::{Hit, Place};
use crate::analyze::{Analyzer, Sort, Term, TermMap, fold_text};
use crate::collection::{Kind, open_file};
use crate::document::{first_prompt, without_secrets};
use crate::query::Query;
use crate::rank::{MAX_TERMS, Ranked, TermWeight};
use crate::succession::DatedText;
use crate::transcript::{Entry, Position, Reader, without_reminders};

/// How long a snippet is at most, in characters.
const SNIPPET: usize = 200;
/// What a line is worth that holds a phrase.
const PHRASE: f32 = 1_000.0;
/// How much of a transcript is looked through for its first prompt.
const MAX_HEAD: u64 = 4 << 20;
/// How much of a file is looked through for a phrase.
const MAX_FILE: u64 = 1 << 20;
/// How much of a unit is looked at.
const MAX_UNIT: u64 = 64 << 10;

/// Makes snippets for the hits of one question.
pub(super) struct Snippets<'a> {
    analyzer: &'a mut Analyzer,
    weights: TermMap<f32>,
    /// Phrases that were asked for, folded.
    phrases: Vec<String>,
    /// The words of the question and their weights, those that are nowhere too; empty if that says nothing.
    asked: TermMap<f32>,
}

/// A question of fewer words is not judged.
const FEWEST_WORDS: usize = 3;

/// The first thing that a person typed. A sub-agent may not have been told anything that was kept: then what its session
/// began with, and at last the name of the file.
fn session_title(path: &Utf8Path) -> String {
    let prompt = |path: &Utf8Path| first_prompt(open_file(path).ok()?.take(MAX_HEAD));
    let of_session = || {
        let folder = path.parent().filter(|folder| folder.file_name() == Some("subagents"))?.parent()?;
        prompt(&folder.with_file_name(format!("{}.jsonl", folder.file_name()?)))
    };
    prompt(path).or_else(of_session).unwrap_or_else(|| path.file_stem().unwrap_or_default().to_owned())
}

impl<'a> Snippets<'a> {
    pub(super) fn new(query: &Query, ranked: &Ranked, analyzer: &'a mut Analyzer) -> Self {
        let weight = |found: &TermWeight| Some((query.terms.get(found.index)?.term, found.weight));
        let weights = ranked.terms.iter().filter_map(weight).collect();
        let phrases = query.phrases.iter().map(|phrase| fold_text(phrase)).collect();
        let is_judged = query.phrases.is_empty()
            && query.times.is_empty()
            && query.event.is_none()
            && query.not_understood.is_empty()
            && query.terms.len() <= MAX_TERMS;
        let mut asked = TermMap::default();
        if is_judged {
            let words = query.terms.iter().enumerate().filter(|(_, term)| term.is_word);
            asked.extend(words.map(|(index, term)| {
                let found = ranked.terms.iter().find(|found| found.index == index);
                (term.term, found.map_or(ranked.absent, |found| found.weight))
            }));
        }
        Self { analyzer, weights, phrases, asked }
    }

    /// How much of the question a file holds, from 0 to 1; `None` if that says nothing. A turn of a session is not judged:
    /// its neighbours count too.
    pub(super) fn share_held(&mut self, place: &Place) -> Option<f32> {
        if place.kind != Kind::Markdown || self.asked.len() < FEWEST_WORDS {
            return None;
        }
        let text = whole_text_of(place)?;
        let mut held: TermMap<f32> = TermMap::default();
        let asked = &self.asked;
        let mut add = |term: Term, _: &str, _: Sort| {
            if let Some(weight) = asked.get(&term) {
                held.insert(term, *weight);
            }
        };
        self.analyzer.each_term(&text, &mut add);
        self.analyzer.each_term(place.hit.path.as_str(), &mut add);
        Some(held.values().sum::<f32>() / self.asked.values().sum::<f32>().max(f32::EPSILON))
    }

    /// Fills in the snippet and the line; a session's title too. A file that is gone leaves them as they are.
    pub(super) fn fill(&mut self, place: &mut Place) {
        if place.kind == Kind::Transcripts {
            place.hit.title = session_title(&place.hit.path);
            place.hit.client = client_of(place).unwrap_or_default();
        }
        let text = if self.phrases.is_empty() { text_of(place) } else { whole_text_of(place) };
        let Some(text) = text.map(|text| without_secrets(text.into())) else { return };
        if !self.phrases.is_empty() {
            place.hit.line = if place.kind == Kind::Markdown { 1 } else { place.hit.line };
        }
        let (line, best) = self.best_line(&text);
        if place.kind == Kind::Markdown {
            place.hit.line += line;
        }
        place.hit.snippet = self.around(best);
        place.hit.marks = self.asked_for(&place.hit.snippet);
    }

    /// Whether a turn holds nothing of the question, and was found because of the turns around it.
    pub(super) fn is_only_a_neighbour(&self, place: &Place) -> bool {
        place.kind == Kind::Transcripts
            && !self.weights.is_empty()
            && !place.hit.snippet.is_empty()
            && place.hit.marks.is_empty()
    }

    /// Reads what a place says, for comparing it with others.
    pub(super) fn read_into(&mut self, dated: &mut DatedText, place: &Place) {
        if let Some(text) = text_of(place) {
            dated.read(&text, &self.weights, self.analyzer);
        }
    }

    /// The line with most of what was asked for, and how many lines come before it.
    fn best_line<'t>(&mut self, text: &'t str) -> (u64, &'t str) {
        let mut best = (0, "", -1.0);
        for (number, line) in text.lines().enumerate() {
            let mut score = 0.0;
            let mut seen: Vec<Term> = Vec::new();
            let weights = &self.weights;
            self.analyzer.each_term(line, |term, _, _| {
                if let Some(weight) = weights.get(&term)
                    && !seen.contains(&term)
                {
                    seen.push(term);
                    score += weight;
                }
            });
            if !self.phrases.is_empty() {
                let folded = fold_text(line);
                score += PHRASE
                    * self.phrases.iter().filter(|phrase| folded.contains(phrase.as_str())).count() as f32;
            }
            // A heading says less than the line that it is over.
            if line.starts_with('#') {
                score *= 0.5;
            }
            if score > best.2 && !line.trim().is_empty() {
                best = (number as u64, line, score);
            }
        }
        (best.0, best.1)
    }

    /// A part of the line around the first word that was found, with white space folded.
    fn around(&mut self, line: &str) -> String {
        let folded = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let count = folded.chars().count();
        if count <= SNIPPET {
            return folded;
        }
        let first = self.asked_for(&folded).first().map(|range| range.start);
        let before = folded.get(..first.unwrap_or(0)).map_or(0, |before| before.chars().count());
        let start = before.saturating_sub(SNIPPET / 3).min(count - SNIPPET);
        let window: String = folded.chars().skip(start).take(SNIPPET).collect();
        let lead = if start > 0 { "…" } else { "" };
        let trail = if start + SNIPPET < count { "…" } else { "" };
        format!("{lead}{}{trail}", window.trim())
    }
}

impl Snippets<'_> {
    /// A term as a person wrote it: the first word of the hits that was found by it.
    pub(super) fn as_written(&mut self, hits: &[Hit], wanted: Term) -> Option<String> {
        let marked = |hit: &Hit, mark: &Range<usize>| hit.snippet.get(mark.clone()).map(str::to_lowercase);
        let mut words =
            hits.iter().flat_map(|hit| hit.marks.iter().filter_map(move |mark| marked(hit, mark)));
        words.find(|word| {
            let mut is_it = false;
            self.analyzer.each_term(word, |term, _, _| is_it |= term == wanted);
            is_it
        })
    }

    /// Where the words are that were asked for.
    fn asked_for(&mut self, text: &str) -> Vec<Range<usize>> {
        let weights = &self.weights;
        let mut found = Vec::new();
        let mut offset = 0;
        for word in crate::analyze::words(text) {
            // Words come in order, so each is found behind the one before it.
            let rest = text.get(offset..).unwrap_or_default();
            let start = offset + rest.find(word.text()).unwrap_or(0);
            offset = start + word.text().len();
            let mut hit = false;
            self.analyzer.each_term(word.text(), |term, _, _| hit |= weights.contains_key(&term));
            if hit {
                found.push(start..offset);
            }
        }
        found
    }
}

/// The text of a turn, or of the whole file: a hit is a file, and its frontmatter belongs to it.
pub(super) fn whole_text_of(place: &Place) -> Option<String> {
    match place.kind {
        Kind::Markdown => {
            let mut bytes = Vec::new();
            open_file(&place.hit.path).ok()?.take(MAX_FILE).read_to_end(&mut bytes).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        Kind::Transcripts => text_of(place),
    }
}

/// The agent that wrote a turn.
fn client_of(place: &Place) -> Option<String> {
    let mut file = open_file(&place.hit.path).ok()?;
    file.seek(SeekFrom::Start(place.unit.offset)).ok()?;
    let mut client = None;
    let _ = Reader::resume(file, Position::default()).read(|entry| {
        if let Entry::Turn(turn) = entry {
            client = Some(turn.client.into_owned());
        }
        ControlFlow::Break(())
    });
    client
}

/// The text of a unit, read from its file as it is now.
pub(super) fn text_of(place: &Place) -> Option<String> {
    let mut file = open_file(&place.hit.path).ok()?;
    match place.kind {
        Kind::Markdown => read_range(&file, place.unit.offset, place.unit.length.min(MAX_UNIT)),
        Kind::Transcripts => {
            file.seek(SeekFrom::Start(place.unit.offset)).ok()?;
            let mut text = None;
            let from = Position { offset: place.unit.offset, line: 0 };
            let read = Reader::resume(file, from).read(|entry| {
                if let Entry::Turn(turn) = entry {
                    let mut said = without_reminders(&turn.text).into_owned();
                    for name in turn.files().chain(turn.commands()).chain(turn.errors()) {
                        said.push('\n');
                        said.push_str(name);
                    }
                    text = Some(said);
                }
                ControlFlow::Break(())
            });
            read.ok().and(text)
        }
    }
}

fn read_range(file: &File, offset: u64, length: u64) -> Option<String> {
    let mut bytes = vec![0; length as usize];
    let mut filled = 0;
    while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read_at(room, offset + filled as u64) {
            Ok(0) | Err(_) => break,
            Ok(count) => filled += count,
        }
    }
    bytes.truncate(filled);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
