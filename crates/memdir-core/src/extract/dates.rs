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
    /// Byte offset at which the words that name it begin.
    pub(super) start: usize,
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
                    let start = end_in(sentence, token).map_or(end, |end| end - token.text.len());
                    days.push(NamedDay { date, start, end, is_absolute });
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
    let back = |step: usize| {
        let token = at.checked_sub(step).and_then(|before| tokens.get(before));
        token.map(|token| token.word.as_ref()).unwrap_or_default()
    };
    let first = word(0);
    // `a week from Thursday`, `two days after the 5th`: another day than the one that is named.
    if AWAY.contains(&back(1)) && period(back(2)).is_some() {
        let is_second = relative(first) == Some(1) && period_of_day(back(2));
        return is_second.then(|| Some((today.checked_add(2.days()).ok()?, 1, false))).flatten();
    }
    if is_next(first) {
        if let Some(day) = weekday(word(1)) {
            return Some((weekday_of_next_week(today, day)?, 2, false));
        }
        if let Some(span) = period(word(1)) {
            if let Some(found) = day_of_next_month(tokens, at, today) {
                return Some(found);
            }
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
        let before = back(1);
        if EVERY.contains(&before) || AWAY.contains(&word(1)) {
            return None;
        }
        if word(1) == "week" {
            return Some((next_weekday(today, day)?.checked_add(7.days()).ok()?, 2, false));
        }
        if THIS.contains(&before) && today.weekday() == day {
            return Some((today, 1, false));
        }
        // Portuguese says `quinta-feira` and means Thursday; the hyphen keeps it one token.
        if is_next(before) || tokens.get(at + 1).is_some_and(|next| NEXT_AFTER.contains(&next.word.as_ref()))
        {
            return Some((weekday_of_next_week(today, day)?, 1, false));
        }
        // The name of today's weekday may mean today or the next one; the text does not say.
        return (today.weekday() != day).then(|| Some((next_weekday(today, day)?, 1, false))).flatten();
    }
    if let Some(days) = relative(first) {
        // `pasado mañana`, `depois de amanhã`.
        let is_second = days == 1 && (back(1) == "pasado" || back(1) == "de" && back(2) == "depois");
        let days = if is_second { 2 } else { days };
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
        // `fin de semana` is Saturday and Sunday.
        if word(1) == "de" && word(2) == "semana" {
            return None;
        }
        let skip = (1..4).find(|step| period(word(*step)).is_some())?;
        let unit = word(skip);
        let is_next = (1..skip).any(|step| is_next(word(step))) || is_next(word(skip + 1));
        let date = if unit.starts_with("mo") || unit.starts_with("me") {
            let later = if is_next { 1 } else { 0 };
            today.first_of_month().checked_add(later.months()).ok()?.last_of_month()
        } else if is_next && (unit.starts_with('w') || unit.starts_with("se")) {
            weekday_of_next_week(today, Weekday::Friday)?
        } else if unit.starts_with('w') || unit.starts_with("se") {
            today.nth_weekday(1, Weekday::Friday).ok().filter(|_| today.weekday() != Weekday::Friday)?
        } else {
            return None;
        };
        return Some((date, skip + 1, false));
    }
    month_day(tokens, at, today).or_else(|| day_alone(tokens, at, today))
}

/// `on the 27th`: the next day of that number.
fn day_alone(tokens: &[Token<'_>], at: usize, today: Date) -> Option<(Date, usize, bool)> {
    let token = tokens.get(at)?;
    let is_ordinal = ["st", "nd", "rd", "th"].iter().any(|end| token.text.ends_with(end));
    let before = at.checked_sub(1).and_then(|before| tokens.get(before)).map(|token| token.word.as_ref());
    let first = at.checked_sub(2).and_then(|before| tokens.get(before)).map(|token| token.word.as_ref());
    let is_day =
        before == Some("the") && matches!(first, Some("on" | "by" | "until" | "till" | "from" | "before"));
    let ends = tokens.get(at + 1).is_none_or(|next| {
        next.kind == TokenKind::Mark || matches!(next.word.as_ref(), "and" | "because" | "so" | "at")
    });
    let day = day_number(token).filter(|_| is_ordinal && is_day && ends)?;
    let this = Date::new(today.year(), today.month(), day).ok().filter(|date| *date >= today);
    let next = || {
        let first = today.first_of_month().checked_add(1.month()).ok()?;
        Date::new(first.year(), first.month(), day).ok()
    };
    Some((this.or_else(next)?, 1, false))
}

/// `next month on the 31st`.
fn day_of_next_month(tokens: &[Token<'_>], at: usize, today: Date) -> Option<(Date, usize, bool)> {
    let word = |step: usize| tokens.get(at + step).map(|token| token.word.as_ref()).unwrap_or_default();
    let is_month = word(1).starts_with("mo") || word(1).starts_with("me");
    let step = (2..5).find(|step| tokens.get(at + step).is_some_and(|token| day_number(token).is_some()))?;
    let is_named =
        is_month && (2..step).all(|step| matches!(word(step), "on" | "the" | "am" | "le" | "el" | "dia"));
    let day = day_number(tokens.get(at + step)?)?;
    let first = today.first_of_month().checked_add(1.month()).ok()?;
    let date = Date::new(first.year(), first.month(), day).ok();
    is_named.then(|| Some((date?, step + 1, false))).flatten()
}

fn period_of_day(word: &str) -> bool {
    matches!(word, "day" | "tag" | "dia" | "jour")
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
const EVERY: [&str; 22] = [
    "los", "les", "aos", "as", "every", "each", "on_every", "cada", "todo", "todos", "toda", "todas",
    "jeden", "jede", "jedem", "chaque", "tous", "last", "letzten", "pasado", "dernier", "past",
];

/// Words that lead away from the day that is named behind them.
const AWAY: [&str; 8] = ["after", "from", "before", "nach", "vor", "apres", "despues", "depois"];
const THIS: [&str; 10] =
    ["this", "diesen", "dieser", "diesem", "este", "esta", "neste", "nesta", "ce", "cette"];

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
        check("freeze starts the day after tomorrow", "2026-03-13");
        check("a week from tomorrow we go", "");
        check("two days after Thursday", "");
        check("at the end of next month", "2026-04-30");
        check("by the end of this week", "2026-03-13");
        check("Thursday week", "2026-03-19");
        check("the Thursday after next", "");
        check("this Wednesday", "2026-03-11");
        check("by EOD Wednesday", "");
        check("next month on the 28th", "2026-04-28");
        check("the release is on the 27th, freeze two days before", "2026-03-27");
        check("by the 3rd", "2026-04-03");
        check("on the 3rd floor", "");
        check("la entrega es pasado mañana", "2026-03-13");
        check("fica pronto depois de amanhã", "2026-03-13");
        check("diesen Mittwoch ist Schluss, bitte", "2026-03-11");
        check("再来週の月曜日から", "2026-03-23");
        check("本周三上线", "2026-03-11");
        check("周三上线吧", "");
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
