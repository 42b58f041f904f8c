//! Times that people name: "yesterday", "in May", "two weeks ago", "2026-10".

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

/// A stretch of days, both ends included, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Days {
    pub(crate) from: i64,
    pub(crate) to: i64,
}

/// A month without a year may be any of these many last years.
const YEARS_BACK: i16 = 12;

/// The day number of a date.
pub(crate) fn day_number(date: Date) -> i64 {
    let epoch = Date::constant(1970, 1, 1);
    date.since(epoch).map_or(0, |span| i64::from(span.get_days()))
}

/// The day that a path names, as a daily log's does: `logs/2026/11/2026-11-15.md`.
pub(crate) fn day_in(path: &str) -> Option<i64> {
    let stem = path.rsplit('/').next()?;
    let text = stem.get(..10)?;
    text.parse::<Date>().ok().filter(|_| text.as_bytes().get(4) == Some(&b'-')).map(day_number)
}

/// The days that a text names, first and last: `2026-10`, `yesterday`, `last-week`, `3d`, `2026-10-05`.
#[must_use]
pub fn named_days(text: &str, today: Date) -> Option<(Date, Date)> {
    let days = single(text, today)?;
    let date = |number: i64| Date::constant(1970, 1, 1).checked_add(number.days()).ok();
    Some((date(days.from)?, date(days.to)?))
}

/// The one stretch that a filter's value names: `2026-10`, `yesterday`, `last-week`, `3d`.
pub(super) fn single(value: &str, today: Date) -> Option<Days> {
    if let Some(days) = ago_short(value, today) {
        return Some(days);
    }
    let spaced = if value.starts_with(|c: char| c.is_ascii_digit()) {
        value.to_owned()
    } else {
        value.replace(['-', '_'], " ")
    };
    // A filter says that a time follows, so "may" is the month.
    times(&format!("in {spaced}"), today).into_iter().max_by_key(|days| days.from.min(day_number(today)))
}

/// `7d`, `2w`, `3m`, `1y`: from so long ago until today.
fn ago_short(value: &str, today: Date) -> Option<Days> {
    let unit = value.chars().next_back()?;
    let count: i64 = value.strip_suffix(unit)?.parse().ok()?;
    let span = span_of(&unit.to_string(), count)?;
    Some(Days { from: day_number(today.checked_sub(span).ok()?), to: day_number(today) })
}

/// All stretches of days that a text names. Several are alternatives.
pub(crate) fn times(text: &str, today: Date) -> Vec<Days> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .take(400)
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let rest = words.get(at..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|index| words.get(index)).copied().unwrap_or_default();
        let (days, used) = starting_at(rest, before, today).unwrap_or_default();
        found.extend(days);
        at += used.max(1);
        if found.len() > 60 {
            break;
        }
    }
    found
}

/// A time that starts with the first word, and how many words it takes.
fn starting_at(words: &[&str], before: &str, today: Date) -> Option<(Vec<Days>, usize)> {
    let first = *words.first()?;
    let lower = first.to_lowercase();
    let second = words.get(1).map(|word| word.to_lowercase()).unwrap_or_default();
    let third = words.get(2).copied().unwrap_or_default();
    if let Some(days) = iso(first) {
        return Some((vec![days], 1));
    }
    match lower.as_str() {
        "today" | "tonight" => return Some((vec![day(today)], 1)),
        "yesterday" => return Some((vec![day(today.yesterday().ok()?)], 1)),
        "last" | "past" | "this" | "previous" => {
            if let Ok(count) = second.parse::<i64>() {
                let from = today.checked_sub(span_of(&third.to_lowercase(), count)?).ok()?;
                return Some((vec![stretch(from, today)], 3));
            }
            if let Some(days) = calendar_unit(&second, lower == "this", today) {
                return Some((vec![days], 2));
            }
            if let Some(weekday) = weekday(&second) {
                return Some((vec![last_weekday(weekday, today)?], 2));
            }
            let month = month(&second)?;
            return Some((months_before(month, today, 1), 2));
        }
        _ => {}
    }
    let count = if lower == "a" || lower == "an" { Some(1) } else { small_number(&lower) };
    if let Some(count) = count
        && third.eq_ignore_ascii_case("ago")
    {
        let middle = today.checked_sub(span_of(&second, count)?).ok()?;
        let slack = match second.chars().next()? {
            'd' => 0,
            'w' => 3,
            'm' => 10,
            _ => 60,
        };
        return Some((
            vec![stretch(middle.checked_sub(slack.days()).ok()?, middle.checked_add(slack.days()).ok()?)],
            3,
        ));
    }
    if before.eq_ignore_ascii_case("on")
        && let Some(weekday) = weekday(&lower)
    {
        return Some((vec![last_weekday(weekday, today)?], 1));
    }
    // "8 May 2026", "8th of May"
    if let Some(number) = day_of_month(&lower) {
        let of = usize::from(second == "of");
        if let Some(found) = words.get(1 + of).and_then(|word| month(&word.to_lowercase())) {
            let year = words.get(2 + of).and_then(|word| year(word));
            return Some((dates(year, found, Some(number), today), 2 + of + usize::from(year.is_some())));
        }
    }
    if let Some(month) = month(&lower) {
        let number = day_of_month(&second);
        let year_at = 1 + usize::from(number.is_some());
        let year = words.get(year_at).and_then(|word| year(word));
        if number.is_some() || year.is_some() || is_surely_month(first, before) {
            return Some((dates(year, month, number, today), year_at + usize::from(year.is_some())));
        }
    }
    let year = year(first).filter(|_| lower.len() == 4)?;
    Some((vec![stretch(Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?)], 1))
}

/// `may` and `march` are other words too: they count with a capital, or behind a word that a month follows.
fn is_surely_month(word: &str, before: &str) -> bool {
    let ambiguous =
        matches!(word.to_lowercase().as_str(), "may" | "march" | "mar" | "dec" | "jan" | "sun" | "sat");
    let leading =
        ["in", "since", "of", "during", "until", "by", "before", "after", "from", "early", "late", "mid"];
    !ambiguous
        || leading.iter().any(|lead| lead.eq_ignore_ascii_case(before))
        || (word.starts_with(char::is_uppercase) && !before.is_empty())
}

/// `2026-10-05`, `2026-10`.
fn iso(word: &str) -> Option<Days> {
    if let Some(date) = word.get(..10).filter(|_| word.len() >= 10).and_then(|word| word.parse::<Date>().ok())
    {
        return Some(day(date));
    }
    let (year_text, month_text) = word.split_once('-')?;
    let month: i8 = month_text.parse().ok().filter(|_| month_text.len() == 2)?;
    let first = Date::new(year(year_text)?, month, 1).ok()?;
    Some(stretch(first, first.last_of_month()))
}

fn dates(year: Option<i16>, month: i8, number: Option<i8>, today: Date) -> Vec<Days> {
    let years = match year {
        Some(year) => year..=year,
        None => today.year().saturating_sub(YEARS_BACK)..=today.year(),
    };
    let one = |year: i16| {
        let first = Date::new(year, month, number.unwrap_or(1)).ok()?;
        Some(if number.is_some() { day(first) } else { stretch(first, first.last_of_month()) })
    };
    years.filter_map(one).collect()
}

/// The last `count` times that this month has begun.
fn months_before(month: i8, today: Date, count: usize) -> Vec<Days> {
    let mut all = dates(None, month, None, today);
    all.retain(|days| days.to < day_number(today));
    all.split_off(all.len().saturating_sub(count))
}

fn calendar_unit(unit: &str, this: bool, today: Date) -> Option<Days> {
    let back = if this { 0 } else { 1 };
    let (from, to) = match unit {
        "week" => {
            let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
            let from = monday.checked_sub(back.weeks()).ok()?;
            (from, from.checked_add(6.days()).ok()?)
        }
        "weekend" => {
            let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
            let from = monday.checked_sub((2 * back).days()).ok()?;
            let from = if this { monday.checked_add(5.days()).ok()? } else { from };
            (from, from.checked_add(1.day()).ok()?)
        }
        "month" => {
            let from = today.first_of_month().checked_sub(back.months()).ok()?;
            (from, from.last_of_month())
        }
        "year" => {
            let from = today.first_of_year().checked_sub(back.years()).ok()?;
            (from, from.last_of_year())
        }
        _ => return None,
    };
    Some(stretch(from, to))
}

fn last_weekday(weekday: Weekday, today: Date) -> Option<Days> {
    today.nth_weekday(-1, weekday).ok().map(day)
}

fn span_of(unit: &str, count: i64) -> Option<Span> {
    if !(0..=10_000).contains(&count) {
        return None;
    }
    Some(match unit {
        "d" | "day" | "days" => count.days(),
        "w" | "week" | "weeks" => count.weeks(),
        "m" | "month" | "months" => count.months(),
        "y" | "year" | "years" => count.years(),
        _ => return None,
    })
}

fn small_number(word: &str) -> Option<i64> {
    let words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let spelled = words.iter().position(|known| *known == word).map(|index| index as i64 + 1);
    spelled.or_else(|| if word == "couple" { Some(2) } else { word.parse().ok() })
}

fn month(word: &str) -> Option<i8> {
    let names = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let is = |name: &str| {
        name == word || (word.len() == 3 && name.starts_with(word)) || (word == "sept" && name == "september")
    };
    names.iter().position(|name| is(name)).map(|index| index as i8 + 1)
}

fn weekday(word: &str) -> Option<Weekday> {
    let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let index = names.iter().position(|name| *name == word)?;
    Weekday::from_monday_zero_offset(index as i8).ok()
}

fn day_of_month(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = word.get(digits.len()..).unwrap_or_default();
    let number: i8 = digits.parse().ok()?;
    ((1..=31).contains(&number) && matches!(suffix, "" | "st" | "nd" | "rd" | "th")).then_some(number)
}

fn year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| word.len() == 4 && (1970..2100).contains(year))
}

fn day(date: Date) -> Days {
    stretch(date, date)
}

fn stretch(from: Date, to: Date) -> Days {
    Days { from: day_number(from), to: day_number(to) }
}
