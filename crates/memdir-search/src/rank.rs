//! The ranker: BM25 over passages, helped by what stands around them.
//!
//! The constants were found on two public sets, conversations and code, and lie where the result hardly depends on
//! them; docs/PERFORMANCE.md has the numbers.

use std::sync::LazyLock;

use crate::collection::Live;
use crate::error::SearchError;
use crate::query::{Days, Query, Window};
use crate::segment::{Postings, Segment, TermEntry, UnitFlags};

mod candidates;

pub(crate) use candidates::best_first;

/// How soon a repeated term counts no more.
const K1: f32 = 1.2;
/// How much longer passages are held back.
const B: f32 = 0.7;
/// How much a whole file or session counts beside its passage.
const GROUP: f32 = 0.75;
/// The share of a unit's neighbours, at distance one and two.
const NEIGHBOURS: [f32; 2] = [0.3, 0.15];
/// What a time that the question names is worth, at most.
const TIME: f32 = 4.0;
/// The speaker is one whom the question names.
const SPEAKER: f32 = 0.5;
/// A unit that only asks is seldom the answer.
const QUESTION: f32 = 0.3;
/// The question asks when, and the unit says.
const WHEN: f32 = 0.15;
/// A person's own words against an agent's.
const OWN_WORDS: f32 = 0.5;
/// Newer beats older only where nothing else decides.
const RECENT: f32 = 0.02;
/// After how many days a file is half as new.
const HALF_LIFE_DAYS: f32 = 60.0;
/// What a file's score is multiplied with, by its age in days; beyond the last one it makes no difference.
static RECENCY: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let favour = |age: u16| 1.0 + RECENT * (-f32::from(age) / HALF_LIFE_DAYS).exp2();
    (0..1_500).map(favour).collect()
});
/// No more terms of a question are used: the rarest ones.
const MAX_TERMS: usize = 48;

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
    /// Those of the question's terms that occur.
    pub(crate) terms: Vec<TermWeight>,
}

/// A term of the question that occurs in the store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermWeight {
    /// Index into the question's terms.
    pub(crate) index: usize,
    /// What it is worth in the ranking.
    pub(crate) weight: f32,
    /// In how many passages it stands.
    pub(crate) passages: u64,
}

/// A term of the question in every segment.
struct Found {
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
    let found = find_terms(segments, query, &totals)?;
    let mut ranked = Ranked::default();
    for term in &found {
        let weight = term.weight * inverse_frequency(totals.passages, term.passages);
        ranked.terms.push(TermWeight { index: term.index, weight, passages: term.passages });
    }
    let speakers: Vec<u32> = query.terms.iter().map(|term| term.term.short()).collect();
    for (number, live) in segments.iter().enumerate() {
        let mut scores = live.segment.borrow_scores();
        for term in &found {
            if let Some(entry) = term.entries.get(number).copied().flatten() {
                scores.add(&live.segment, &entry, term, &totals)?;
            }
        }
        scores.finish(live, number as u32, query, &speakers, today, &mut ranked.candidates)?;
        scores.clear(&live.segment)?;
        live.segment.return_scores(scores);
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

/// Looks the terms up and keeps the rarest.
fn find_terms(segments: &[&Live], query: &Query, totals: &Totals) -> Result<Vec<Found>, SearchError> {
    let mut found = Vec::new();
    for (index, term) in query.terms.iter().enumerate() {
        let entries: Vec<Option<TermEntry>> =
            segments.iter().map(|live| live.segment.find(term.term)).collect::<Result<_, _>>()?;
        let passages = entries.iter().flatten().map(|entry| u64::from(entry.passages)).sum();
        let groups = entries.iter().flatten().map(|entry| u64::from(entry.groups)).sum();
        if passages > 0 {
            found.push(Found { index, weight: term.weight, entries, passages, groups });
        }
    }
    if found.len() > MAX_TERMS {
        let worth = |term: &Found| term.weight * inverse_frequency(totals.passages, term.passages);
        found.sort_by(|one, other| worth(other).total_cmp(&worth(one)));
        found.truncate(MAX_TERMS);
    }
    Ok(found)
}

fn inverse_frequency(all: f32, holding: u64) -> f32 {
    let holding = holding as f32;
    (1.0 + (all - holding + 0.5).max(0.0) / (holding + 0.5)).ln()
}

/// The scores of one segment as they grow. A segment keeps them for the next question: to clear what was touched
/// costs less than to ask the system for as much memory again.
pub(crate) struct Scores {
    passages: Vec<f32>,
    units: Vec<f32>,
    groups: Vec<f32>,
    /// Passages with a score, each once.
    touched: Vec<u32>,
}

impl Scores {
    pub(crate) fn new(segment: &Segment) -> Self {
        Self {
            passages: vec![0.0; segment.passages()],
            units: vec![0.0; segment.units()],
            groups: vec![0.0; segment.groups()],
            touched: Vec::new(),
        }
    }

    fn clear(&mut self, segment: &Segment) -> Result<(), SearchError> {
        let (passage_unit, unit_group) = (segment.passage_unit()?, segment.unit_group()?);
        let reset = |scores: &mut [f32], index: u32| {
            if let Some(score) = scores.get_mut(index as usize) {
                *score = 0.0;
            }
        };
        for passage in self.touched.drain(..) {
            let unit = passage_unit.get(passage as usize).copied().unwrap_or(0);
            reset(&mut self.passages, passage);
            reset(&mut self.units, unit);
            reset(&mut self.groups, unit_group.get(unit as usize).copied().unwrap_or(0));
        }
        Ok(())
    }

    fn add(
        &mut self,
        segment: &Segment,
        entry: &TermEntry,
        term: &Found,
        totals: &Totals,
    ) -> Result<(), SearchError> {
        let bytes = segment.postings(entry)?;
        let lengths = segment.lengths()?;
        let passage_unit = segment.passage_unit()?;
        let unit_group = segment.unit_group()?;
        let weight = term.weight * inverse_frequency(totals.passages, term.passages) * (K1 + 1.0);
        let group_weight = term.weight * inverse_frequency(totals.groups, term.groups) * (K1 + 1.0);
        let group_words = segment.group_words()?;
        let mut open: Option<(u32, f32)> = None;
        let close = |groups: &mut [f32], (group, frequency): (u32, f32)| {
            let words = group_words.get(group as usize).copied().unwrap_or(0) as f32;
            let norm = K1 * (1.0 - B + B * words / totals.average_group);
            if let Some(score) = groups.get_mut(group as usize) {
                *score += group_weight * frequency / (frequency + norm);
            }
        };
        for (passage, halves) in Postings::new(&bytes) {
            let frequency = f32::from(halves) / 2.0;
            let (Some(score), Some(length), Some(unit)) = (
                self.passages.get_mut(passage as usize),
                lengths.get(passage as usize),
                passage_unit.get(passage as usize),
            ) else {
                return crate::error::damaged("a posting names no passage");
            };
            let norm = K1 * (1.0 - B + B * f32::from(*length) / totals.average_passage);
            if *score == 0.0 {
                self.touched.push(passage);
            }
            *score += weight * frequency / (frequency + norm);
            let group = unit_group.get(*unit as usize).copied().unwrap_or(0);
            match &mut open {
                Some((same, sum)) if *same == group => *sum += frequency,
                _ => {
                    if let Some(done) = open.replace((group, frequency)) {
                        close(&mut self.groups, done);
                    }
                }
            }
        }
        if let Some(done) = open {
            close(&mut self.groups, done);
        }
        Ok(())
    }

    /// From passages to units: neighbours, the whole file, times and speakers.
    fn finish(
        &mut self,
        live: &Live,
        number: u32,
        query: &Query,
        speakers: &[u32],
        today: i64,
        candidates: &mut Vec<Scored>,
    ) -> Result<(), SearchError> {
        let segment = &live.segment;
        let passage_unit = segment.passage_unit()?;
        let unit_group = segment.unit_group()?;
        let units = &mut self.units;
        let mut touched = Vec::with_capacity(self.touched.len());
        for passage in &self.touched {
            let unit = passage_unit.get(*passage as usize).copied().unwrap_or(0);
            let score = self.passages.get(*passage as usize).copied().unwrap_or(0.0);
            if let Some(best) = units.get_mut(unit as usize) {
                if *best == 0.0 {
                    touched.push(unit);
                }
                *best = best.max(score);
            }
        }
        if touched.is_empty() && query.terms.is_empty() && query.nothing_asked().is_none() {
            touched.extend(0..segment.units() as u32);
        }
        let with_neighbours = spread(&in_order(touched, units), unit_group);
        let context = Context {
            times: if query.times.is_empty() && query.window.is_none() {
                &[]
            } else {
                segment.unit_time()?
            },
            flags: segment.unit_flags()?,
            speakers: segment.unit_speaker()?,
            group_time: segment.group_time()?,
            query,
            wanted_speakers: speakers,
            today,
        };
        let mut whole = Whole::default();
        for unit in with_neighbours {
            let group = unit_group.get(unit as usize).copied().unwrap_or(0);
            if whole.group != Some(group) {
                whole = Whole {
                    group: Some(group),
                    is_dead: live.is_dead(group),
                    score: GROUP * self.groups.get(group as usize).copied().unwrap_or(0.0),
                    recency: context.recency(group as usize),
                };
            }
            if whole.is_dead {
                continue;
            }
            let score = with_neighbours_of(unit as usize, units, unit_group) + whole.score;
            let score = context.adjust(score, unit as usize) * whole.recency;
            if score > 0.0 || query.terms.is_empty() {
                candidates.push(Scored { score, segment: number, unit });
            }
        }
        Ok(())
    }
}

/// What holds for all units of a group, which stand side by side.
#[derive(Default)]
struct Whole {
    group: Option<u32>,
    is_dead: bool,
    score: f32,
    recency: f32,
}

/// The score of a unit with the shares of those beside it in the same group.
fn with_neighbours_of(unit: usize, scores: &[f32], groups: &[u32]) -> f32 {
    let group = groups.get(unit);
    let at = |near: usize| {
        let score = scores.get(near).copied().unwrap_or(0.0);
        if groups.get(near) == group { score } else { 0.0 }
    };
    let mut score = at(unit);
    for (distance, share) in (1..).zip(NEIGHBOURS) {
        // Before the first there is none: so far behind the last there is none either.
        score += share * (at(unit.wrapping_sub(distance)) + at(unit + distance));
    }
    score
}

/// The units and their neighbours in the same group, each once, in order.
fn spread(sorted: &[u32], unit_group: &[u32]) -> Vec<u32> {
    let reach = NEIGHBOURS.len() as u32;
    let mut all = Vec::with_capacity(sorted.len() * 2);
    let mut next = 0;
    for &unit in sorted {
        let group = unit_group.get(unit as usize);
        for near in unit.saturating_sub(reach).max(next)..=unit.saturating_add(reach) {
            if group.is_some() && unit_group.get(near as usize) == group {
                all.push(near);
                next = near + 1;
            }
        }
    }
    all
}

/// Sorts the units that have a score. Where that is many of them, looking at all is quicker.
fn in_order(mut touched: Vec<u32>, scores: &[f32]) -> Vec<u32> {
    let is_many = touched.len() > scores.len() / 32;
    let is_scored = touched.first().is_some_and(|unit| scores.get(*unit as usize) != Some(&0.0));
    if is_many && is_scored {
        touched.clear();
        touched.extend((0..).zip(scores).filter(|(_, score)| **score != 0.0).map(|(unit, _)| unit));
    } else {
        touched.sort_unstable();
    }
    touched
}

/// What else bears on a unit's score.
struct Context<'a> {
    times: &'a [u32],
    flags: &'a [u8],
    speakers: &'a [u32],
    group_time: &'a [u32],
    query: &'a Query,
    wanted_speakers: &'a [u32],
    today: i64,
}

impl Context<'_> {
    fn adjust(&self, score: f32, unit: usize) -> f32 {
        let flags = UnitFlags(self.flags.get(unit).copied().unwrap_or(0));
        let mut score = score;
        if let Some(minutes) = self.times.get(unit)
            && *minutes > 0
        {
            let day = i64::from(*minutes) / 1_440;
            score += TIME * nearness(&self.query.times, day);
            score += TIME * self.query.window.map_or(0.0, |window| closeness(window, day));
        }
        if self.query.asks_when && flags.has(UnitFlags::TIME) {
            score *= 1.0 + WHEN;
        }
        score *= 1.0 - QUESTION * flags.question_share();
        if let Some(speaker) = self.speakers.get(unit)
            && *speaker != 0
            && self.wanted_speakers.contains(speaker)
        {
            score *= 1.0 + SPEAKER;
        }
        let favoured = if self.query.asks_agent { UnitFlags::ASSISTANT } else { UnitFlags::USER };
        if flags.has(favoured) {
            score *= 1.0 + OWN_WORDS;
        }
        score
    }

    fn recency(&self, group: usize) -> f32 {
        let day = i64::from(self.group_time.get(group).copied().unwrap_or(0)) / 1_440;
        let age = usize::try_from(self.today - day).unwrap_or(0);
        RECENCY.get(age).copied().unwrap_or(1.0)
    }
}

/// How close a day is to an event, on the side that was asked for.
fn closeness(window: Window, day: i64) -> f32 {
    let is_inside = (window.days.from..=window.days.to).contains(&day);
    if is_inside { 1.0 / (1.0 + (day - window.anchor).unsigned_abs() as f32 / 60.0) } else { 0.0 }
}

/// How near a day is to the nearest of the stretches: 1 and more inside, the more the shorter it is.
fn nearness(times: &[Days], day: i64) -> f32 {
    let near = |days: &Days| {
        // What happened is told afterwards more often than before.
        let distance = if day < days.from { (days.from - day) * 3 } else { (day - days.to).max(0) } as f32;
        let span = (days.to - days.from + 1).max(1) as f32;
        (1.0 + (365.0 / span).ln().max(0.0) / 6.0) / (1.0 + distance / 10.0)
    };
    times.iter().map(near).fold(0.0, f32::max)
}
