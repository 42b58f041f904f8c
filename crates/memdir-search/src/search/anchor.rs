//! When something happened that a question names without a date: the store itself says.
//!
//! The newest place that speaks of the event counts: a date that is there, or else when it was said or written.
//! No repository is asked: a tag's date would need git, and who keeps a memory of a release has its day here anyway.

use std::collections::HashSet;

use super::Searched;
use crate::analyze::{Analyzer, Term};
use crate::collection::Live;
use crate::error::SearchError;
use crate::query::{Days, Event, Query, Side, Window, day_number, times};
use crate::rank::{best_first, rank};

/// How many of the best places are read.
const MAX_READ: usize = 12;
/// A place far behind the best one speaks of something else.
const SHARE_OF_BEST: f32 = 0.6;
/// How many days around an event count as during it.
const AROUND: i64 = 7;

/// The stretch of time that an event bounds, if the store knows when it was.
pub(super) fn window(
    searched: &Searched<'_>,
    lives: &[&Live],
    event: &Event,
    today: jiff::civil::Date,
) -> Result<Option<Window>, SearchError> {
    let mut analyzer = Analyzer::new();
    let query = Query::of_words(&event.words, &mut analyzer);
    let wanted: HashSet<Term> =
        query.terms.iter().filter(|term| term.is_word).map(|term| term.term).collect();
    let today = day_number(today);
    let ranked = rank(lives, &query, today)?;
    let mut anchor: Option<i64> = None;
    let mut best = 0.0_f32;
    for candidate in best_first(ranked.candidates).take(MAX_READ) {
        best = best.max(candidate.score);
        if candidate.score < SHARE_OF_BEST * best {
            break;
        }
        let Some(place) = searched.locate(&candidate)? else { continue };
        let Some(text) = super::snippet::text_of(&place) else { continue };
        let mut missing = wanted.clone();
        analyzer.each_term(&format!("{} {text}", place.hit.title), |term, _, _| {
            missing.remove(&term);
        });
        if !missing.is_empty() {
            continue;
        }
        let written = place.hit.time.map(|time| time.to_zoned(jiff::tz::TimeZone::UTC).date());
        let named = written.and_then(|written| named_day(&text, written));
        let day = named.or(written.map(day_number)).filter(|day| *day <= today);
        anchor = anchor.max(day);
    }
    Ok(anchor.map(|day| Window { days: around(event.side, day, today), anchor: day }))
}

/// A single day that a text names.
fn named_day(text: &str, written: jiff::civil::Date) -> Option<i64> {
    let written_on = day_number(written);
    let days = times(text, written).into_iter().filter(|days| days.from == days.to && days.to <= written_on);
    days.map(|days| days.from).max()
}

fn around(side: Side, day: i64, today: i64) -> Days {
    match side {
        Side::Before => Days { from: 1, to: day - 1 },
        Side::After => Days { from: day, to: today.max(day) },
        Side::Around => Days { from: day - AROUND, to: day + AROUND },
    }
}
