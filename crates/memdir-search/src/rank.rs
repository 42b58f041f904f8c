//! The ranker: BM25 over passages, helped by what is around them.
//!
//! The constants were found on two public sets, conversations and code, and are where the result hardly depends on
//! them; docs/PERFORMANCE.md has the numbers.

use crate::collection::Live;
use crate::error::SearchError;
use crate::query::Query;
use crate::segment::{Segment, TermEntry};

mod candidates;
mod context;
mod scores;

use context::Context;

pub(crate) use candidates::best_first;
pub(crate) use scores::Scores;

/// No more terms of a question are used: the rarest ones.
pub(crate) const MAX_TERMS: usize = 48;

/// A unit and how well it answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    pub(crate) score: f32,
    /// Index into the segments that were searched.
    pub(crate) segment: u32,
    pub(crate) unit: u32,
}

/// The result of ranking: candidates in no order, and how many words of the question occur anywhere.
#[derive(Debug, Default)]
pub(crate) struct Ranked {
    pub(crate) candidates: Vec<Scored>,
    /// Those of the question's terms that occur and were used.
    pub(crate) terms: Vec<TermWeight>,
    /// In how many files each of the question's terms is, in their order.
    pub(crate) files: Vec<u64>,
    /// What a term would be worth that is nowhere.
    pub(crate) absent: f32,
}

/// A term of the question that occurs in the store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermWeight {
    /// Index into the question's terms.
    pub(crate) index: usize,
    /// What it is worth in the ranking.
    pub(crate) weight: f32,
}

/// A term of the question in every segment.
struct FoundTerm {
    /// Index into the question's terms.
    index: usize,
    weight: f32,
    entries: Vec<Option<TermEntry>>,
    passages: u64,
    groups: u64,
}

/// Totals over all that is searched.
struct Totals {
    passages: f32,
    groups: f32,
    average_passage: f32,
    average_group: f32,
}

/// Scores every unit that has anything to do with the question.
pub(crate) fn rank(segments: &[&Live], query: &Query, today: i64) -> Result<Ranked, SearchError> {
    let totals = Totals::of(segments);
    let mut ranked = Ranked {
        files: vec![0; query.terms.len()],
        absent: inverse_frequency(totals.passages, 0),
        ..Ranked::default()
    };
    let mut found = find_terms(segments, query)?;
    for term in &found {
        if let Some(files) = ranked.files.get_mut(term.index) {
            *files = term.groups;
        }
    }
    keep_rarest(&mut found, &totals);
    for term in &found {
        let weight = term.weight * inverse_frequency(totals.passages, term.passages);
        ranked.terms.push(TermWeight { index: term.index, weight });
    }
    let speakers: Vec<u32> = query.terms.iter().map(|term| term.term.short()).collect();
    for (number, live) in (0..).zip(segments) {
        let segment = &live.segment;
        let mut scores = segment.borrow_scores();
        for term in &found {
            if let Some(entry) = term.entries.get(number as usize).copied().flatten() {
                scores.add(segment, &entry, term, &totals)?;
            }
        }
        let context = Context::new(segment, query, &speakers, today)?;
        scores.finish(live, &context, |score, unit| {
            ranked.candidates.push(Scored { score, segment: number, unit });
        })?;
        segment.return_scores(scores);
    }
    Ok(ranked)
}

impl Totals {
    fn of(segments: &[&Live]) -> Self {
        let sum = |count: fn(&Segment) -> u64| {
            segments.iter().map(|live| count(&live.segment)).sum::<u64>().max(1) as f32
        };
        let passages = sum(|segment| segment.passages() as u64);
        let groups = sum(|segment| segment.groups() as u64);
        let words = sum(Segment::words);
        Self { passages, groups, average_passage: words / passages, average_group: words / groups }
    }
}

/// Looks the terms up.
fn find_terms(segments: &[&Live], query: &Query) -> Result<Vec<FoundTerm>, SearchError> {
    let mut found = Vec::new();
    for (index, term) in query.terms.iter().enumerate() {
        let entries: Vec<Option<TermEntry>> =
            segments.iter().map(|live| live.segment.find(term.term)).collect::<Result<_, _>>()?;
        let passages = entries.iter().flatten().map(|entry| u64::from(entry.passages)).sum();
        let groups = entries.iter().flatten().map(|entry| u64::from(entry.groups)).sum();
        if passages > 0 {
            found.push(FoundTerm { index, weight: term.weight, entries, passages, groups });
        }
    }
    Ok(found)
}

fn keep_rarest(found: &mut Vec<FoundTerm>, totals: &Totals) {
    if found.len() > MAX_TERMS {
        let worth = |term: &FoundTerm| term.weight * inverse_frequency(totals.passages, term.passages);
        found.sort_by(|one, other| worth(other).total_cmp(&worth(one)));
        found.truncate(MAX_TERMS);
    }
}

fn inverse_frequency(all: f32, holding: u64) -> f32 {
    let holding = holding as f32;
    (1.0 + (all - holding + 0.5).max(0.0) / (holding + 0.5)).ln()
}
