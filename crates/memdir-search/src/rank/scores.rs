use std::mem::take;

use super::{Context, FoundTerm, Totals, inverse_frequency};
use crate::collection::Live;
use crate::error::SearchError;
use crate::segment::{Postings, Segment, TermEntry};

/// How soon a repeated term counts no more.
const K1: f32 = 1.2;
/// How much longer passages are held back.
const B: f32 = 0.7;
/// How much a whole file or session counts beside its passage.
const GROUP: f32 = 0.75;
/// The share of a unit's neighbours, at distance one and two.
const NEIGHBOURS: [f32; 2] = [0.3, 0.15];

/// The scores of one segment as they grow. A segment keeps them for the next question: to clear what was touched
/// costs less than to ask the system for as much memory again.
pub(crate) struct Scores {
    passages: Vec<f32>,
    groups: Vec<f32>,
    /// Groups with a score, each once.
    touched: Vec<u32>,
    /// The scores of the units of one group.
    units: Vec<f32>,
}

impl Scores {
    pub(crate) fn new(segment: &Segment) -> Self {
        Self {
            passages: vec![0.0; segment.passages()],
            groups: vec![0.0; segment.groups()],
            touched: Vec::new(),
            units: Vec::new(),
        }
    }

    /// Adds what a term is worth to all passages and groups that hold it.
    pub(super) fn add(
        &mut self,
        segment: &Segment,
        entry: &TermEntry,
        term: &FoundTerm,
        totals: &Totals,
    ) -> Result<(), SearchError> {
        let bytes = segment.postings(entry)?;
        let lengths = segment.lengths()?;
        let (passage_unit, unit_group) = (segment.passage_unit()?, segment.unit_group()?);
        let group_words = segment.group_words()?;
        let in_passage = Worth::new(term.weight, totals.passages, term.passages, totals.average_passage);
        let in_group = Worth::new(term.weight, totals.groups, term.groups, totals.average_group);
        let mut close = |group: u32, frequency: f32| {
            let (Some(score), Some(words)) =
                (self.groups.get_mut(group as usize), group_words.get(group as usize))
            else {
                return;
            };
            if *score == 0.0 {
                self.touched.push(group);
            }
            *score += in_group.of(frequency, *words as f32);
        };
        let (mut group, mut in_group_so_far) = (u32::MAX, 0.0);
        for (passage, halves) in Postings::new(&bytes) {
            let at = passage as usize;
            let frequency = f32::from(halves) / 2.0;
            let (Some(score), Some(length), Some(unit)) =
                (self.passages.get_mut(at), lengths.get(at), passage_unit.get(at))
            else {
                return crate::error::damaged("a posting names no passage");
            };
            *score += in_passage.of(frequency, f32::from(*length));
            let own = unit_group.get(*unit as usize).copied().unwrap_or(u32::MAX);
            if own != group {
                close(group, take(&mut in_group_so_far));
                group = own;
            }
            in_group_so_far += frequency;
        }
        close(group, in_group_so_far);
        Ok(())
    }

    /// From passages to units: neighbours, the whole file, times and speakers. Leaves all scores at zero.
    pub(super) fn finish(
        &mut self,
        live: &Live,
        context: &Context<'_>,
        mut found: impl FnMut(f32, u32),
    ) -> Result<(), SearchError> {
        let (spans, dead) = (live.segment.spans()?, live.dead()?);
        if context.wants_all {
            self.touched.extend(0..self.groups.len() as u32);
        } else {
            self.put_in_order();
        }
        let mut best = |unit| {
            let own = spans.passages_of(unit);
            let own = self.passages.get_mut(own.start as usize..own.end as usize).unwrap_or_default();
            own.iter_mut().map(take).fold(0.0, f32::max)
        };
        for group in self.touched.drain(..) {
            let units = spans.units_of(group);
            let whole = self.groups.get_mut(group as usize).map_or(0.0, take) * GROUP;
            let recency =
                if dead.binary_search(&group).is_ok() { None } else { Some(context.recency(group)) };
            let mut judge = |score: f32, unit: u32| {
                if let Some(recency) = recency
                    && (score > 0.0 || context.wants_all)
                {
                    found(context.adjust(score + whole, unit) * recency, unit);
                }
            };
            // Most files are one unit.
            if units.len() == 1 {
                judge(best(units.start), units.start);
                continue;
            }
            self.units.clear();
            self.units.extend(units.clone().map(&mut best));
            for (place, unit) in units.enumerate() {
                judge(with_neighbours(&self.units, place), unit);
            }
        }
        Ok(())
    }

    /// Sorts the groups that have a score. Where that is many of them, looking at all is quicker.
    fn put_in_order(&mut self) {
        if self.touched.len() > self.groups.len() / 32 {
            self.touched.clear();
            let scored = (0..).zip(&self.groups).filter(|(_, score)| **score != 0.0);
            self.touched.extend(scored.map(|(group, _)| group));
        } else {
            self.touched.sort_unstable();
        }
    }
}

/// What a term is worth in a passage or in a whole file: the more the oftener, but ever less so, and the less the
/// longer that is.
struct Worth {
    most: f32,
    shortest: f32,
    by_word: f32,
}

impl Worth {
    fn new(weight: f32, all: f32, holding: u64, average_words: f32) -> Self {
        Self {
            most: weight * inverse_frequency(all, holding) * (K1 + 1.0),
            shortest: K1 * (1.0 - B),
            by_word: K1 * B / average_words,
        }
    }

    fn of(&self, frequency: f32, words: f32) -> f32 {
        self.most * frequency / (frequency + self.shortest + self.by_word * words)
    }
}

/// The score of a unit with the shares of those beside it.
fn with_neighbours(scores: &[f32], place: usize) -> f32 {
    let at = |near: usize| scores.get(near).copied().unwrap_or(0.0);
    let mut score = at(place);
    for (distance, share) in (1..).zip(NEIGHBOURS) {
        // Before the first there is none: so far behind the last there is none either.
        score += share * (at(place.wrapping_sub(distance)) + at(place + distance));
    }
    score
}
