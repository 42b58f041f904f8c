//! Days that were named as seen from a day, with the date behind them: `Thursday (2026-03-12)`.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use super::account::Dated;
use super::desk::Desk;
use super::statement::Statement;
use crate::extract::reading::days_in;

/// Dates every day that a memory names as seen from the day on which it was written.
pub(super) fn date(desk: &mut Desk<'_>) {
    for path in desk.fresh("date") {
        let Some(file) = desk.topics.get(&path) else { continue };
        let said = said_day(&file.text);
        if said.is_none() && !file.is_day_known {
            continue;
        }
        let mut day = said.unwrap_or(file.day);
        let mut edits: Vec<(usize, String, Statement)> = Vec::new();
        for statement in desk.readings.of(&file.text).said() {
            if statement.normal.starts_with("code ") || statement.normal.starts_with("comment ") {
                continue;
            }
            day = since_day(&statement.normal).unwrap_or(day);
            for (at, date) in undated(&statement.text, day) {
                edits.push((statement.range.start + at, format!(" ({date})"), statement.clone()));
            }
        }
        let mut text = file.text.clone();
        let mut is_changed = false;
        for (at, date, statement) in edits.into_iter().rev() {
            if text.is_char_boundary(at) && desk.may("date", &format!("{path}\0{}\0{date}", statement.normal))
            {
                text.insert_str(at, &date);
                is_changed = true;
                let mut shown = statement.text.clone();
                shown.insert_str(at - statement.range.start, &date);
                desk.account.dated.push(Dated { path: path.clone(), statement: shown });
            }
        }
        if is_changed {
            desk.rewrite(&path, text);
        }
    }
}

/// A note with the dates of the days that it names.
pub(super) fn dated(note: &str, day: Date) -> String {
    let mut text = note.to_owned();
    for (at, date) in undated(note, day).into_iter().rev() {
        if text.is_char_boundary(at) {
            text.insert_str(at, &format!(" ({date})"));
        }
    }
    text
}

/// The day that a statement itself says it was made on: `Since 2026-03-12: …`.
pub(super) fn since_day(normal: &str) -> Option<Date> {
    normal.strip_prefix("since ")?.get(..10)?.parse().ok()
}

/// The day on which a memory was said, if it tells.
pub(super) fn said_day(text: &str) -> Option<Date> {
    text.lines().find_map(|line| line.strip_prefix("**Said:** ")?.get(..10)?.parse().ok())
}

/// Where a date is missing in a sentence, in order, and which.
fn undated(sentence: &str, day: Date) -> Vec<(usize, Date)> {
    // Line breaks within a sentence are blanks of the same length to a reader of words.
    let flat: String = sentence.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }).collect();
    let mut found: Vec<(usize, Date)> = days_in(&flat, day)
        .into_iter()
        .filter(|named| !named.is_absolute && is_meant(&flat, named.end))
        .map(|named| (named.end, named.date))
        .chain(past_days(&flat, day))
        .filter(|(end, _)| {
            !has_date_behind(&flat, *end) && !is_in_code(&flat, *end) && !is_no_day(&flat, *end)
        })
        .collect();
    found.sort_unstable();
    found.dedup_by_key(|(end, _)| *end);
    found
}

/// Whether the words before a place mean one day, seen from the day of writing, and not a habit or a whole month.
fn is_meant(sentence: &str, end: usize) -> bool {
    const ANCHORS: [&str; 30] = [
        "by", "until", "till", "before", "this", "next", "due", "starts", "start", "ends", "freeze",
        "deadline", "release", "launch", "ships", "ship", "cut", "bis", "ab", "vor", "hasta", "antes",
        "jusqu", "avant", "até", "freezes", "demo", "begins", "stichtag", "frist",
    ];
    let before = sentence.get(..end).unwrap_or_default().to_lowercase();
    let words: Vec<&str> =
        before.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let last = words.last().copied().unwrap_or_default();
    if WEEKDAYS.iter().any(|(names, _)| names.split(' ').any(|name| name == last)) {
        return words.iter().any(|word| ANCHORS.contains(word));
    }
    // A month without a day does not name a day.
    let near = words.iter().rev().take(4);
    let has_number = near.clone().any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let is_month_alone =
        last.chars().count() > 2 && !has_number && MONTHS.split_whitespace().any(|month| last == month);
    !is_month_alone
}

/// Whether the words before a place only look like one day: a habit (`Friday evenings`, `each night until tomorrow`), a
/// name (`the Today widget`), or a day that is seen from another one (`the next day`).
fn is_no_day(sentence: &str, end: usize) -> bool {
    const HABITS: [&str; 20] = [
        "every", "each", "always", "usually", "nightly", "weekly", "daily", "jeden", "jede", "jeder",
        "immer", "cada", "siempre", "chaque", "toujours", "sempre", "toda", "todas", "todos", "whenever",
    ];
    let (before, behind) = (sentence.get(..end).unwrap_or_default(), sentence.get(end..).unwrap_or_default());
    let lower = sentence.to_lowercase();
    let is_habit = lower.split(|c: char| !c.is_alphanumeric()).any(|word| HABITS.contains(&word));
    let next = behind.strip_prefix(' ').unwrap_or_default();
    let next = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_kind = next.len() > 5 && next.ends_with('s') && next.starts_with(|c: char| c.is_lowercase());
    let start = before.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + 1);
    let last = before.get(start..).unwrap_or_default();
    let is_name = matches!(last, "Today" | "Tomorrow" | "Yesterday")
        && !before.get(..start).unwrap_or_default().trim().is_empty();
    // `the last Friday of the month` comes every month.
    let is_of_month = next == "of";
    is_habit || is_of_month || is_kind || is_name || before.to_lowercase().ends_with("next day")
}

const MONTHS: &str = "january february march april may june july august september october november december enero \
    febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre januar februar märz mai juni \
    juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre janeiro \
    fevereiro março maio junho julho setembro outubro dezembro";

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday mon lunes montag lundi segunda", Weekday::Monday),
    ("tuesday tue martes dienstag mardi terca", Weekday::Tuesday),
    ("wednesday wed miercoles mittwoch mercredi quarta", Weekday::Wednesday),
    ("thursday thu thurs jueves donnerstag jeudi quinta", Weekday::Thursday),
    ("friday fri viernes freitag vendredi sexta", Weekday::Friday),
    ("saturday sabado samstag samedi", Weekday::Saturday),
    ("sunday domingo sonntag dimanche", Weekday::Sunday),
];

/// Days that lie behind: yesterday, last Friday, two weeks ago.
fn past_days(sentence: &str, today: Date) -> Vec<(usize, Date)> {
    let mut words: Vec<(String, usize)> = Vec::new();
    let mut start = None;
    for (at, character) in sentence.char_indices().chain([(sentence.len(), ' ')]) {
        match (character.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push((sentence.get(from..at).unwrap_or_default().to_lowercase(), at));
                start = None;
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (place, (word, end)) in words.iter().enumerate() {
        let word_at =
            |back: usize| place.checked_sub(back).and_then(|at| words.get(at)).map_or("", |word| &word.0);
        let date = match word.as_str() {
            "yesterday" | "gestern" | "ayer" | "ontem" => today.checked_sub(1.day()).ok(),
            "ago" | "atrás" => span(word_at(2), word_at(1)).and_then(|span| today.checked_sub(span).ok()),
            name if matches!(word_at(1), "last" | "letzten" | "letzter") => WEEKDAYS
                .iter()
                .find(|(names, _)| names.split(' ').any(|known| known == name))
                .and_then(|(_, weekday)| today.nth_weekday(-1, *weekday).ok()),
            _ => None,
        };
        found.extend(date.map(|date| (*end, date)));
    }
    for name in ["昨天", "昨日"] {
        let date = today.checked_sub(1.day()).ok();
        found.extend(sentence.match_indices(name).filter_map(|(at, _)| Some((at + name.len(), date?))));
    }
    found
}

fn span(count: &str, unit: &str) -> Option<Span> {
    const NUMBERS: [&str; 6] = ["a an one", "two", "three", "four", "five", "six"];
    let named = NUMBERS.iter().position(|names| names.split(' ').any(|name| name == count));
    let count = named
        .map(|at| at as i64 + 1)
        .or_else(|| count.parse().ok())
        .filter(|count| (1..=60).contains(count))?;
    Some(match unit {
        "day" | "days" | "dias" | "días" => count.days(),
        "week" | "weeks" | "semanas" => count.weeks(),
        "month" | "months" | "meses" => count.months(),
        _ => return None,
    })
}

fn has_date_behind(sentence: &str, end: usize) -> bool {
    let behind = sentence.get(end..).unwrap_or_default().trim_start();
    let inside = behind.strip_prefix('(').unwrap_or_default();
    inside.get(..10).is_some_and(|day| day.parse::<Date>().is_ok())
}

fn is_in_code(sentence: &str, end: usize) -> bool {
    sentence.get(..end).unwrap_or_default().matches('`').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_get_their_dates_once() {
        let check = |note: &str, expected: &str| {
            let day = Date::constant(2026, 3, 11);
            assert_eq!(dated(note, day), expected);
            assert_eq!(dated(expected, Date::constant(2026, 9, 9)), expected, "once is enough");
        };
        check("The freeze starts Thursday.", "The freeze starts Thursday (2026-03-12).");
        check("We met yesterday", "We met yesterday (2026-03-10)");
        check(
            "It broke two weeks ago, and last Friday again",
            "It broke two weeks ago (2026-02-25), and last Friday (2026-03-06) again",
        );
        check("Due tomorrow", "Due tomorrow (2026-03-12)");
        check("The stand-up is on Monday", "The stand-up is on Monday");
        for habit in [
            "Deploys are frozen before Friday evenings and by Monday standups.",
            "The job runs until tomorrow morning each night.",
            "We use the Today widget",
            "`tomorrow()` returns the next day",
            "Every release starts Thursday.",
            "The retrospective is on the last Friday of the month.",
        ] {
            check(habit, habit);
        }
        check("Released in May", "Released in May");
        check("Run `remind tomorrow` first", "Run `remind tomorrow` first");
        check("Done on 2026-03-01", "Done on 2026-03-01");
        check("Freigabe bis Freitag", "Freigabe bis Freitag (2026-03-13)");
        check("昨天上线", "昨天 (2026-03-10)上线");
    }
}
