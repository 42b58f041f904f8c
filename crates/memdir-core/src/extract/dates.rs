//! Days that a sentence names, made absolute by the day on which it was said.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use super::token::{Token, TokenKind};
use super::vocabulary::marks;

mod names;

pub(super) use names::day_starts;
use names::{eastern_days, month, relative, small_number, weekday};

/// A day that was named, and where its words end in the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NamedDay {
    pub(super) date: Date,
    /// Byte offset behind the words that name it.
    pub(super) end: usize,
    /// Whether the words already say the whole date.
    pub(super) is_absolute: bool,
}

/// The days that a sentence names, as it was said on `today`.
pub(super) fn named_days(
    sentence: &str,
    tokens: &[Token<'_>],
    is_eastern: bool,
    today: Date,
) -> Vec<NamedDay> {
    if is_eastern {
        return eastern_days(sentence, today);
    }
    let mut days = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        // Nearly every word starts no date, and this tells it at once.
        let may_start = token.text.starts_with(|first: char| first.is_ascii_digit())
            || token.sign.marks & marks::DAY != 0
            || token.word.ends_with("-feira");
        match may_start.then(|| day_at(tokens, at, today)).flatten() {
            Some((date, taken, is_absolute)) => {
                let last = tokens.get(at + taken.saturating_sub(1));
                if let Some(end) = last.and_then(|token| end_in(sentence, token)) {
                    days.push(NamedDay { date, end, is_absolute });
                }
                at += taken.max(1);
            }
            None => at += 1,
        }
    }
    days
}

fn end_in(sentence: &str, token: &Token<'_>) -> Option<usize> {
    let start = (token.text.as_ptr() as usize).checked_sub(sentence.as_ptr() as usize)?;
    let end = start + token.text.len();
    (end <= sentence.len() && sentence.is_char_boundary(end)).then_some(end)
}

/// A day named by the tokens from a place on: the date, how many tokens, and whether a year was said.
fn day_at(tokens: &[Token<'_>], at: usize, today: Date) -> Option<(Date, usize, bool)> {
    let token = tokens.get(at)?;
    if let Ok(date) = token.text.trim_end_matches('.').parse::<Date>() {
        return (token.text.len() == 10).then_some((date, 1, true));
    }
    let word = |step: usize| tokens.get(at + step).map(|token| token.word.as_ref()).unwrap_or_default();
    let first = word(0);
    if is_next(first) {
        if let Some(day) = weekday(word(1)) {
            return Some((weekday_of_next_week(today, day)?, 2, false));
        }
        if let Some(span) = period(word(1)) {
            let start = if word(1).starts_with("mo") || word(1).starts_with("me") || word(1) == "mes" {
                today.first_of_month().checked_add(1.month()).ok()?
            } else {
                let back = i64::from(today.weekday().to_monday_zero_offset());
                today.checked_sub(back.days()).ok()?.checked_add(span).ok()?
            };
            return Some((start, 2, false));
        }
    }
    if let Some(day) = weekday(first) {
        // `every Thursday` names no day; `Thursdays` neither.
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).map(|token| token.word.as_ref());
        if before.is_some_and(|before| EVERY.contains(&before)) {
            return None;
        }
        // Portuguese says `quinta-feira` and means Thursday; the hyphen keeps it one token.
        if before.is_some_and(is_next)
            || tokens.get(at + 1).is_some_and(|next| NEXT_AFTER.contains(&next.word.as_ref()))
        {
            return Some((weekday_of_next_week(today, day)?, 1, false));
        }
        return Some((next_weekday(today, day)?, 1, false));
    }
    if let Some(days) = relative(first) {
        return Some((today.checked_add(days.days()).ok()?, 1, false));
    }
    if let Some(found) = month_alone(first, word(1), word(2), today) {
        return Some(found);
    }
    if matches!(first, "in" | "en" | "dans" | "em" | "within") {
        let count = number(tokens.get(at + 1)?)?;
        let span = period(word(2))?;
        let mut date = today;
        for _ in 0..count.min(60) {
            date = date.checked_add(span).ok()?;
        }
        return Some((date, 3, false));
    }
    if matches!(first, "end" | "ende" | "fin" | "finales" | "final" | "fim") {
        let skip = (1..4).find(|step| period(word(*step)).is_some())?;
        let unit = word(skip);
        let date = if unit.starts_with("mo") || unit.starts_with("me") {
            today.last_of_month()
        } else if unit.starts_with('w') || unit.starts_with("se") {
            next_weekday(today, Weekday::Friday)?
        } else {
            return None;
        };
        return Some((date, skip + 1, false));
    }
    month_day(tokens, at, today)
}

/// `in May`, `fin juin`, `Ende Mai`: the last day of the month that comes.
fn month_alone(first: &str, second: &str, third: &str, today: Date) -> Option<(Date, usize, bool)> {
    const BEFORE: [&str; 12] =
        ["in", "by", "until", "im", "ende", "bis", "en", "fin", "finales", "em", "fim", "de"];
    if !BEFORE.contains(&first) || second == "may" && first != "in" && first != "by" && first != "until" {
        return None;
    }
    let (named, taken) = match month(second) {
        Some(named) => (named, 2),
        None if matches!(second, "de" | "of") => (month(third)?, 3),
        None => return None,
    };
    let first_day = nearest_year(named, 1, today.first_of_month())?;
    Some((first_day.last_of_month(), taken, false))
}

/// `27 November`, `November 27th, 2026`, `30 de abril`, `30. April`.
fn month_day(tokens: &[Token<'_>], at: usize, today: Date) -> Option<(Date, usize, bool)> {
    let token = tokens.get(at)?;
    let (day, month, mut taken) =
        if let Some(month) = month(&token.word).filter(|_| token.kind == TokenKind::Word) {
            // `may` and `mar` are words of their own: only with a day behind them.
            (day_number(tokens.get(at + 1)?)?, month, 2)
        } else {
            let day = day_number(token)?;
            let dot = usize::from(tokens.get(at + 1).is_some_and(|token| token.word == "."));
            let of = tokens.get(at + 1 + dot).is_some_and(|token| matches!(token.word.as_ref(), "of" | "de"));
            let skip = 1 + dot + usize::from(of);
            (day, month(&tokens.get(at + skip)?.word)?, skip + 1)
        };
    let comma =
        usize::from(tokens.get(at + taken).is_some_and(|token| matches!(token.word.as_ref(), "," | "de")));
    let year = tokens.get(at + taken + comma).and_then(|token| token.text.parse::<i16>().ok());
    if let Some(year) = year.filter(|year| (1990..2200).contains(year)) {
        taken += comma + 1;
        return Some((Date::new(year, month, day).ok()?, taken, true));
    }
    Some((nearest_year(month, day, today)?, taken, false))
}

/// A day without a year is the next one, unless it is only just past.
pub(super) fn nearest_year(month: i8, day: i8, today: Date) -> Option<Date> {
    let this_year = Date::new(today.year(), month, day).ok()?;
    if this_year < today.checked_sub(30.days()).ok()? {
        return Date::new(today.year() + 1, month, day).ok();
    }
    Some(this_year)
}

fn day_number(token: &Token<'_>) -> Option<i8> {
    let text = token.text.trim_end_matches(['.', 't', 'h', 's', 'n', 'd', 'r', 'e', 'º', ',']);
    text.parse::<i8>().ok().filter(|day| (1..=31).contains(day))
}

fn number(token: &Token<'_>) -> Option<i64> {
    token
        .text
        .parse::<i64>()
        .ok()
        .filter(|count| (1..=60).contains(count))
        .or_else(|| small_number(&token.word))
}

fn period(word: &str) -> Option<Span> {
    Some(match word {
        "day" | "days" | "dia" | "dias" | "tag" | "tagen" | "tage" | "jour" | "jours" => 1.day(),
        "week" | "weeks" | "semana" | "semanas" | "woche" | "wochen" | "semaine" | "semaines" => 1.week(),
        "month" | "months" | "mes" | "meses" | "monat" | "monats" | "monaten" | "monate" | "mois" => {
            1.month()
        }
        _ => return None,
    })
}

fn is_next(word: &str) -> bool {
    matches!(
        word,
        "next"
            | "proximo"
            | "proxima"
            | "nachsten"
            | "nachste"
            | "nachster"
            | "kommenden"
            | "kommende"
            | "prochain"
            | "prochaine"
    )
}

/// Words that say `next` behind the day.
const NEXT_AFTER: [&str; 4] = ["prochain", "que_viene", "proximo", "proxima"];
const EVERY: [&str; 18] = [
    "every", "each", "on_every", "cada", "todo", "todos", "toda", "todas", "jeden", "jede", "jedem",
    "chaque", "tous", "last", "letzten", "pasado", "dernier", "past",
];

/// The next day of that name, not today.
pub(super) fn next_weekday(today: Date, day: Weekday) -> Option<Date> {
    today.nth_weekday(1, day).ok()
}

pub(super) fn weekday_of_next_week(today: Date, day: Weekday) -> Option<Date> {
    let back = i64::from(today.weekday().to_monday_zero_offset());
    let monday = today.checked_sub(back.days()).ok()?.checked_add(7.days()).ok()?;
    monday.checked_add(i64::from(day.to_monday_zero_offset()).days()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::cues::Cues;
    use super::super::language::Language;
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn days_are_made_absolute() {
        let today = Date::constant(2026, 3, 11);
        let check = |sentence: &str, expected: &str| {
            let language = Language::of(sentence, Language::English);
            let mut pieces = tokens(sentence, language);
            Cues::of(language).prepare(&mut pieces);
            let days = named_days(sentence, &pieces, language.is_eastern(), today);
            let days: Vec<String> = days.iter().map(|day| day.date.to_string()).collect();
            assert_eq!(days.join(" "), expected, "{sentence}");
        };
        check("freeze starts Thursday", "2026-03-12");
        check("due next Friday", "2026-03-20");
        check("by tomorrow", "2026-03-12");
        check("launch on 27 November", "2026-11-27");
        check("on March 24th, 2027 we go", "2027-03-24");
        check("on 2026-05-01", "2026-05-01");
        check("in two weeks", "2026-03-25");
        check("by the end of the month", "2026-03-31");
        check("it fails every Thursday", "");
        check("we may use 3 of them", "");
        check("la entrega es el 30 de abril", "2026-04-30");
        check("am 30. April fertig", "2026-04-30");
        check("le gel commence jeudi", "2026-03-12");
        check("o congelamento começa na quinta-feira", "2026-03-12");
        check("周四开始代码冻结", "2026-03-12");
        check("4月30日上线，下周一演示", "2026-04-30 2026-03-16");
        check("木曜からフリーズです。来週の月曜に", "2026-03-12 2026-03-16");
    }
}
