//! The one grammar of time: what `--since`, `--until` and `--at` accept.
//!
//! Days, weeks, months and years ago (`3d`, `2w`), hours ago (`6h`), `yesterday`, `last-week`, a day, a month or a year
//! (`2026-10-05`, `2026-10`), a local time (`2026-10-05 14:00`), or a full RFC 3339 time. `--at` and `diff --since`
//! accept an operation, too.

use anyhow::{Result, anyhow};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use memdir_core::history::lineage::Moment;
use memdir_lib::memory::Log;
use memdir_search::named_days;

use crate::report::WithHint;
use crate::world::World;

/// What the grammar accepts, for help texts and hints.
const EXAMPLES: &str = "3d, 6h, yesterday, 2026-10, 2026-10-05, \"2026-10-05 14:00\"";

/// A stretch of time, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    start: Timestamp,
    end: Timestamp,
}

/// The beginning of the time that a text names.
pub(super) fn since(text: &str, world: &World) -> Result<Timestamp> {
    Ok(required(text, world)?.start)
}

/// The end of the time that a text names.
pub(super) fn until(text: &str, world: &World) -> Result<Timestamp> {
    Ok(required(text, world)?.end)
}

/// The first local day of the time that a text names.
pub(super) fn since_day(text: &str, world: &World) -> Result<Date> {
    Ok(since(text, world)?.to_zoned(TimeZone::system()).date())
}

/// Whether a text names a time rather than an operation.
pub(super) fn is_time(text: &str, world: &World) -> bool {
    stretch(text, world.now, &TimeZone::system()).is_some()
}

/// The moment for `--at`: after an operation, so long ago, or at the end of a day, month or year.
pub(super) fn at(text: &str, log: &Log, world: &World) -> Result<Moment> {
    let named = stretch(text, world.now, &TimeZone::system());
    match named {
        // So long ago is a moment: what follows until now does not count.
        Some(named) if is_ago(text) => Ok(Moment::At(named.start)),
        Some(named) => Ok(Moment::At(named.end)),
        None => after(text, log),
    }
}

/// The moment for `diff --since`: after an operation, or the beginning of the time.
pub(super) fn from(text: &str, log: &Log, world: &World) -> Result<Moment> {
    match stretch(text, world.now, &TimeZone::system()) {
        Some(named) => Ok(Moment::At(named.start)),
        None => after(text, log),
    }
}

/// A time as people read it: local, to the minute.
pub(super) fn local(time: Timestamp) -> String {
    time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

fn after(text: &str, log: &Log) -> Result<Moment> {
    let found = log.find(text);
    let operation = found
        .map_err(|error| anyhow!("{error}, and it is not a time"))
        .hint(format!("a time is {EXAMPLES}; `memdir log` lists the operations"))?;
    Ok(Moment::After(operation.id.clone()))
}

fn required(text: &str, world: &World) -> Result<Stretch> {
    stretch(text, world.now, &TimeZone::system())
        .ok_or_else(|| anyhow!("`{text}` is not a time"))
        .hint(format!("a time is {EXAMPLES}"))
}

fn is_ago(text: &str) -> bool {
    let digits = text.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    digits.len() < text.len() && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn stretch(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Stretch> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(Stretch { start: time, end: time });
    }
    if let Some(hours) = text.strip_suffix('h').and_then(|hours| hours.parse::<i64>().ok()) {
        let start = now.checked_sub(SignedDuration::from_hours(hours.clamp(0, 1_000_000))).ok()?;
        return Some(Stretch { start, end: now });
    }
    let today = now.to_zoned(zone.clone()).date();
    let is_clock = |text: &str| text.contains(':');
    if is_clock(text) {
        let with_day = text.parse::<DateTime>().ok();
        let of_today = || text.parse::<Time>().ok().map(|time| today.to_datetime(time));
        let start = with_day.or_else(of_today)?.to_zoned(zone.clone()).ok()?.timestamp();
        // A minute is meant as a whole.
        let end = start.checked_add(SignedDuration::from_millis(59_999)).ok()?;
        return Some(Stretch { start, end });
    }
    let (first, last) = named_days(text, today)?;
    let instant =
        |day: Date, time: Time| Some(day.to_datetime(time).to_zoned(zone.clone()).ok()?.timestamp());
    Some(Stretch { start: instant(first, Time::MIN)?, end: instant(last, Time::MAX)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, start: &str, end: &str) {
        let now: Timestamp = "2026-11-18T10:30:00Z".parse().unwrap();
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let found = stretch(text, now, &zone).unwrap_or_else(|| panic!("{text}"));
        let seconds = |time: Timestamp| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        assert_eq!((seconds(found.start).as_str(), seconds(found.end).as_str()), (start, end), "{text}");
    }

    #[test]
    fn every_form_means_local_time() {
        check("2026-10-05", "2026-10-04T23:00:00Z", "2026-10-05T22:59:59Z");
        check("2026-10", "2026-09-30T23:00:00Z", "2026-10-31T22:59:59Z");
        check("yesterday", "2026-11-16T23:00:00Z", "2026-11-17T22:59:59Z");
        check("3d", "2026-11-14T23:00:00Z", "2026-11-18T22:59:59Z");
        check("6h", "2026-11-18T04:30:00Z", "2026-11-18T10:30:00Z");
        check("2026-10-05 14:00", "2026-10-05T13:00:00Z", "2026-10-05T13:00:59Z");
        check("2026-10-05T14:00:00Z", "2026-10-05T14:00:00Z", "2026-10-05T14:00:00Z");
        assert!(is_ago("3d") && is_ago("12w") && !is_ago("2026") && !is_ago("yesterday") && !is_ago("d"));
    }

    #[test]
    fn an_operation_is_not_a_time() {
        let now: Timestamp = "2026-11-18T10:30:00Z".parse().unwrap();
        for text in ["01k9abcdef", "01hf7yat00zzzzzzzz", "", "tabs", "01hf", "bogus"] {
            assert_eq!(stretch(text, now, &TimeZone::UTC), None, "{text}");
        }
    }
}
