//! What days and months are called.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::{NamedDay, nearest_year, next_weekday, weekday_of_next_week};

/// The words with which the name of a day or of a span of time can start.
pub(in crate::extract) fn day_starts() -> impl Iterator<Item = &'static str> {
    const OTHERS: &str = "monday mon lunes montag lundi segunda-feira segunda tuesday tue martes dienstag mardi terca \
        wednesday wed miercoles mittwoch mercredi quarta thursday thu thurs jueves donnerstag jeudi quinta friday fri \
        viernes freitag vendredi sexta saturday sabado samstag sonnabend samedi sunday domingo sonntag dimanche today \
        tonight hoy heute aujourd'hui hoje tomorrow manana morgen demain amanha ubermorgen apres-demain next proximo \
        proxima nachsten nachste nachster kommenden kommende prochain prochaine in en dans em within end ende fin \
        finales final fim by until im bis de";
    OTHERS.split_whitespace().chain(MONTHS.iter().flat_map(|names| names.split(' ')))
}

pub(super) fn weekday(word: &str) -> Option<Weekday> {
    let word = word.strip_suffix("-feira").unwrap_or(word);
    Some(match word {
        "monday" | "mon" | "lunes" | "montag" | "lundi" | "segunda-feira" => Weekday::Monday,
        "tuesday" | "tue" | "martes" | "dienstag" | "mardi" | "terca" => Weekday::Tuesday,
        "wednesday" | "wed" | "miercoles" | "mittwoch" | "mercredi" | "quarta" => Weekday::Wednesday,
        "thursday" | "thu" | "thurs" | "jueves" | "donnerstag" | "jeudi" | "quinta" => Weekday::Thursday,
        "friday" | "fri" | "viernes" | "freitag" | "vendredi" | "sexta" => Weekday::Friday,
        "saturday" | "sabado" | "samstag" | "sonnabend" | "samedi" => Weekday::Saturday,
        "sunday" | "domingo" | "sonntag" | "dimanche" => Weekday::Sunday,
        _ => return None,
    })
}

pub(super) fn month(word: &str) -> Option<i8> {
    // Most words are not a month by their first letter or their length.
    let may_be = (3..=10).contains(&word.len()) && word.starts_with(|first| "jfmasonde".contains(first));
    let at = MONTHS.iter().position(|names| may_be && names.split(' ').any(|name| name == word))?;
    i8::try_from(at + 1).ok()
}

const MONTHS: [&str; 12] = [
    "january jan enero januar janvier janeiro",
    "february feb febrero februar fevrier fevereiro",
    "march mar marzo marz mars marco",
    "april apr abril avril",
    "may mayo mai maio",
    "june jun junio juni juin junho",
    "july jul julio juli juillet julho",
    "august aug agosto aout",
    "september sep sept septiembre septembre setembro",
    "october oct octubre oktober octobre outubro okt",
    "november nov noviembre novembre novembro",
    "december dec diciembre dezember decembre dezembro dez",
];

/// Days from today.
pub(super) fn relative(word: &str) -> Option<i64> {
    Some(match word {
        "today" | "tonight" | "hoy" | "heute" | "aujourd'hui" | "hoje" => 0,
        "tomorrow" | "manana" | "morgen" | "demain" | "amanha" => 1,
        "ubermorgen" | "apres-demain" => 2,
        _ => return None,
    })
}

pub(super) fn small_number(word: &str) -> Option<i64> {
    const NUMBERS: [&str; 6] = [
        "a an one un una uno ein eine einem einer une um uma",
        "two dos zwei deux dois duas",
        "three tres drei trois",
        "four cuatro vier quatre quatro",
        "five cinco funf cinq",
        "six seis sechs",
    ];
    let at = NUMBERS.iter().position(|names| names.split(' ').any(|name| name == word))?;
    i64::try_from(at + 1).ok()
}

/// The days that a Chinese or Japanese sentence names.
pub(super) fn eastern_days(sentence: &str, today: Date) -> Vec<NamedDay> {
    let mut days = Vec::new();
    let mut at = 0;
    while let Some(rest) = sentence.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some((date, taken)) = eastern_day(sentence.get(..at).unwrap_or_default(), rest, today) {
            days.push(NamedDay { date, start: at, end: at + taken, is_absolute: false });
            at += taken;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    days
}

/// Which week a day is said to be in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Week {
    This,
    Next,
    AfterNext,
    Any,
}

impl Week {
    fn day(self, today: Date, day: Weekday) -> Option<Date> {
        match self {
            Self::This if today.weekday() == day => Some(today),
            // The name of today's weekday may mean today or the next one; the text does not say.
            Self::Any if today.weekday() == day => None,
            Self::This | Self::Any => next_weekday(today, day),
            Self::Next => weekday_of_next_week(today, day),
            Self::AfterNext => weekday_of_next_week(today, day)?.checked_add(7.days()).ok(),
        }
    }
}

fn eastern_day(before: &str, rest: &str, today: Date) -> Option<(Date, usize)> {
    const RELATIVE: [(&str, i64); 8] = [
        ("明天", 1),
        ("后天", 2),
        ("今天", 0),
        ("明日", 1),
        ("明後日", 2),
        ("今日", 0),
        ("今晚", 0),
        ("大后天", 3),
    ];
    if let Some((word, days)) = RELATIVE.iter().find(|(word, _)| rest.starts_with(word)) {
        return Some((today.checked_add(days.days()).ok()?, word.len()));
    }
    for (word, when) in [
        ("下下周", Week::AfterNext),
        ("再来週の", Week::AfterNext),
        ("再来週", Week::AfterNext),
        ("下周", Week::Next),
        ("下星期", Week::Next),
        ("下礼拜", Week::Next),
        ("来週の", Week::Next),
        ("来週", Week::Next),
        ("这周", Week::This),
        ("今週の", Week::This),
        ("本周", Week::This),
        ("周", Week::Any),
        ("星期", Week::Any),
        ("礼拜", Week::Any),
    ] {
        let Some(behind) = rest.strip_prefix(word) else { continue };
        if let Some((day, length)) = eastern_weekday(behind) {
            if before.ends_with(['每', '毎']) {
                return None;
            }
            return Some((when.day(today, day)?, word.len() + length));
        }
        if when == Week::Next || when == Week::AfterNext {
            return Some((when.day(today, Weekday::Monday)?, word.len()));
        }
    }
    if let Some((day, length)) = japanese_weekday(rest).filter(|_| !before.ends_with(['每', '毎'])) {
        return Some((Week::Any.day(today, day)?, length));
    }
    if let Some(word) = ["月底", "月末"].into_iter().find(|word| rest.starts_with(word)) {
        return Some((today.last_of_month(), word.len()));
    }
    if before.ends_with(|character: char| character.is_ascii_digit()) {
        return None;
    }
    let (month, behind) = leading_number(rest)?;
    let behind = behind.trim_start().strip_prefix('月')?;
    let (day, behind) = leading_number(behind.trim_start())?;
    let behind = ['日', '号'].into_iter().find_map(|mark| behind.trim_start().strip_prefix(mark))?;
    Some((nearest_year(month, day, today)?, rest.len() - behind.len()))
}

fn leading_number(text: &str) -> Option<(i8, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text.get(..digits)?.parse().ok()?;
    Some((number, text.get(digits..)?))
}

fn eastern_weekday(text: &str) -> Option<(Weekday, usize)> {
    let first = text.chars().next()?;
    let day = match first {
        '一' => Weekday::Monday,
        '二' => Weekday::Tuesday,
        '三' => Weekday::Wednesday,
        '四' => Weekday::Thursday,
        '五' => Weekday::Friday,
        '六' => Weekday::Saturday,
        '日' | '天' => Weekday::Sunday,
        _ => return japanese_weekday(text),
    };
    Some((day, first.len_utf8()))
}

fn japanese_weekday(text: &str) -> Option<(Weekday, usize)> {
    const DAYS: [(&str, Weekday); 7] = [
        ("月曜", Weekday::Monday),
        ("火曜", Weekday::Tuesday),
        ("水曜", Weekday::Wednesday),
        ("木曜", Weekday::Thursday),
        ("金曜", Weekday::Friday),
        ("土曜", Weekday::Saturday),
        ("日曜", Weekday::Sunday),
    ];
    let (name, day) = DAYS.iter().find(|(name, _)| text.starts_with(name))?;
    let with_day = usize::from(text.get(name.len()..)?.starts_with('日')) * '日'.len_utf8();
    Some((*day, name.len() + with_day))
}
