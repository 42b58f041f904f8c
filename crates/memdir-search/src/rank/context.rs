use std::sync::LazyLock;

use crate::error::SearchError;
use crate::query::{Days, Query, Window};
use crate::segment::{Segment, UnitFlags};

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

/// What bears on a unit's score besides its words.
pub(super) struct Context<'a> {
    /// No words are asked for: whatever fits the rest of the question counts.
    pub(super) wants_all: bool,
    times: &'a [u32],
    flags: &'a [u8],
    by_flags: [f32; 256],
    speakers: &'a [u32],
    group_time: &'a [u32],
    by_age: &'a [f32],
    query: &'a Query,
    wanted_speakers: &'a [u32],
    today: i64,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        segment: &'a Segment,
        query: &'a Query,
        wanted_speakers: &'a [u32],
        today: i64,
    ) -> Result<Self, SearchError> {
        let names_a_time = !query.times.is_empty() || query.window.is_some();
        Ok(Self {
            wants_all: query.terms.is_empty() && query.nothing_asked().is_none(),
            times: if names_a_time { segment.unit_time()? } else { &[] },
            flags: segment.unit_flags()?,
            by_flags: by_flags(query),
            speakers: segment.unit_speaker()?,
            group_time: segment.group_time()?,
            by_age: &RECENCY,
            query,
            wanted_speakers,
            today,
        })
    }

    /// The score of a unit, given what its words are worth.
    pub(super) fn adjust(&self, score: f32, unit: u32) -> f32 {
        let unit = unit as usize;
        let mut score = score;
        if let Some(minutes) = self.times.get(unit)
            && *minutes > 0
        {
            let day = i64::from(*minutes) / 1_440;
            score += TIME * nearness(&self.query.times, day);
            score += TIME * self.query.window.map_or(0.0, |window| closeness(window, day));
        }
        if let Some(speaker) = self.speakers.get(unit)
            && *speaker != 0
            && self.wanted_speakers.contains(speaker)
        {
            score *= 1.0 + SPEAKER;
        }
        let flags = self.flags.get(unit).copied().unwrap_or(0);
        score * self.by_flags.get(usize::from(flags)).copied().unwrap_or(1.0)
    }

    /// What being new is worth to a file.
    pub(super) fn recency(&self, group: u32) -> f32 {
        let day = self.group_time.get(group as usize).copied().unwrap_or(0) / 1_440;
        let age = usize::try_from(self.today - i64::from(day)).unwrap_or(0);
        self.by_age.get(age).copied().unwrap_or(1.0)
    }
}

/// What a unit's score is multiplied with, by its flags.
fn by_flags(query: &Query) -> [f32; 256] {
    let favoured = if query.asks_agent { UnitFlags::ASSISTANT } else { UnitFlags::USER };
    let mut factors = [1.0; 256];
    for (flags, factor) in (0..=u8::MAX).map(UnitFlags).zip(&mut factors) {
        *factor -= QUESTION * flags.question_share();
        if query.asks_when && flags.has(UnitFlags::TIME) {
            *factor *= 1.0 + WHEN;
        }
        if flags.has(favoured) {
            *factor *= 1.0 + OWN_WORDS;
        }
    }
    factors
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
