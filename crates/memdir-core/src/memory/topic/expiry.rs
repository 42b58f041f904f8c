use jiff::civil::Date;
use jiff::{Span, Timestamp};

use super::validity::day;

/// When a memory ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expiry {
    /// After this day.
    On(Date),
    /// So many days after it was written.
    After(u32),
    /// With an event that a person recognises, such as `release 2.0`.
    Event(String),
}

/// What was given as the end of a memory is neither a day, nor a number of days, nor an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a day, a number of days or an event")]
pub struct InvalidEnd(pub String);

/// No memory lasts longer by a number of days: a hundred years.
const MAX_DAYS: u32 = 36_525;
/// How dates are written besides `2026-12-01`. What two countries read differently is not among them.
const DATE_FORMATS: [&str; 8] =
    ["%Y/%m/%d", "%Y%m%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%B %d %Y", "%b %d %Y"];

impl Expiry {
    /// Reads what a file says. An unclear date counts as an event, so that a person looks at it and nothing is lost.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = super::one_line(without_until(text.trim()));
        let is_none = text.is_empty() || text.eq_ignore_ascii_case("never");
        (!is_none).then(|| duration(&text).or_else(|| date(&text)).unwrap_or(Self::Event(text)))
    }

    /// Reads what a person or an agent asks for: `2026-12-01`, `90d`, `3 months`, or an event in words; `None` for `never`.
    ///
    /// # Errors
    /// It looks like a date or a number of days and is neither.
    pub fn parse_wish(text: &str) -> Result<Option<Self>, InvalidEnd> {
        let end = Self::parse(text);
        let is_valid = match &end {
            None => without_until(text.trim()).eq_ignore_ascii_case("never"),
            Some(Self::Event(event)) => is_event(event),
            Some(_) => true,
        };
        if is_valid { Ok(end) } else { Err(InvalidEnd(super::one_line(text))) }
    }

    /// The last day on which a memory counts that was written then; `None` if only a person knows.
    #[must_use]
    pub fn last_day(&self, written: Timestamp) -> Option<Date> {
        match self {
            Self::On(date) => Some(*date),
            Self::After(days) => {
                let days = Span::new().try_days(i64::from(*days)).ok()?;
                day(written).checked_add(days).ok()
            }
            Self::Event(_) => None,
        }
    }

    /// The same with a number of days counted from now, as it is kept in a file.
    #[must_use]
    pub fn fixed(self, now: Timestamp) -> Self {
        self.last_day(now).map_or(self, Self::On)
    }
}

impl std::fmt::Display for Expiry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::On(date) => write!(f, "{date}"),
            Self::After(days) => write!(f, "{days}d"),
            Self::Event(text) => f.write_str(text),
        }
    }
}

/// `until release 2.0` means the event alone.
fn without_until(text: &str) -> &str {
    let first = text.split_whitespace().next().unwrap_or_default();
    if first.eq_ignore_ascii_case("until") {
        text.get(first.len()..).unwrap_or_default().trim()
    } else {
        text
    }
}

/// `90d`, `in 3 months`, `tomorrow`.
fn duration(text: &str) -> Option<Expiry> {
    let lower = text.to_lowercase();
    match lower.as_str() {
        "today" => return Some(Expiry::After(0)),
        "tomorrow" => return Some(Expiry::After(1)),
        _ => {}
    }
    let amount = lower.strip_prefix("in ").unwrap_or(&lower);
    let unit_at = amount.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = amount.split_at(unit_at);
    let days = match unit.trim() {
        "d" | "day" | "days" => 1,
        "w" | "week" | "weeks" => 7,
        "m" | "month" | "months" => 30,
        "y" | "year" | "years" => 365,
        _ => return None,
    };
    let days = number.parse::<u32>().ok()?.checked_mul(days)?;
    (1..=MAX_DAYS).contains(&days).then_some(Expiry::After(days))
}

/// A day in one of the forms that mean the same everywhere. A time of the day does not count.
fn date(text: &str) -> Option<Expiry> {
    let day = text.split_once(['T', 't']).map_or(text, |(day, _)| day);
    let day = if day.len() == "2026-12-01".len() { day } else { text };
    let iso = (day.len() == "2026-12-01".len()).then(|| day.parse().ok()).flatten();
    let date = iso.or_else(|| DATE_FORMATS.iter().find_map(|format| Date::strptime(format, text).ok()));
    date.or_else(|| last_of_month(text)).map(Expiry::On)
}

/// `2026-12` lasts until the end of the month.
fn last_of_month(text: &str) -> Option<Date> {
    let (year, month) = text.split_once('-').filter(|(year, month)| year.len() == 4 && month.len() == 2)?;
    Some(Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()?.last_of_month())
}

/// Whether a person could recognise an event in it: it has a word, and does not begin like a date or a duration.
fn is_event(text: &str) -> bool {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let behind = text.get(digits..).unwrap_or_default().trim_start().to_lowercase();
    let is_date = digits == 4 && behind.starts_with(['-', '/']);
    let units = ["d", "day", "days", "w", "week", "weeks", "m", "month", "months", "y", "year", "years"];
    let is_duration = digits > 0 && units.contains(&behind.as_str());
    text.chars().any(char::is_alphabetic) && !text.starts_with(['-', '+']) && !is_date && !is_duration
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_days_durations_and_events() {
        let now: Timestamp = "2026-11-18T23:00:00Z".parse().unwrap();
        let check = |text: &str, expected: &str| {
            let end = Expiry::parse_wish(text).map(|end| end.map(|end| end.fixed(now).to_string()));
            let end = end.map_or_else(|refused| format!("refused {refused}"), Option::unwrap_or_default);
            assert_eq!(end.split(" `").next(), Some(expected), "{text:?}");
        };
        for text in
            ["2026-12-01", "2026-12-01T10:00:00Z", "2026/12/01", "20261201", "1.12.2026", "01.12.2026"]
        {
            check(text, "2026-12-01");
        }
        for text in ["Dec 1 2026", "1 December 2026", "December 1, 2026", "until 2026-12-01", " 2026-12-01 "]
        {
            check(text, "2026-12-01");
        }
        check("2026-12", "2026-12-31");
        for text in ["90d", "90 d", "90D", "90 days", "in 90 days", "until in 90 days"] {
            check(text, "2027-02-16");
        }
        check("2w", "2026-12-02");
        check("3 months", "2027-02-16");
        check("1 year", "2027-11-18");
        check("today", "2026-11-18");
        check("tomorrow", "2026-11-19");
        check("never", "");
        for event in ["release 2.0", "the 2nd rewrite", "2.0 is out", "日本の発売", "next week"] {
            check(event, event);
        }
        check("until release 2.0", "release 2.0");
        for text in
            ["2026-02-30", "2026-13-01", "2026-12-01 or so", "12/01/2026", "90", "0d", "-5d", "+90d", "", " "]
        {
            check(text, "refused");
        }
        for text in ["9999999d", "99999999999d", "4294967295 weeks", "1000000y", "until"] {
            check(text, "refused");
        }
    }

    #[test]
    fn no_end_in_a_file_is_too_far_away() {
        let now: Timestamp = "2026-11-18T23:00:00Z".parse().unwrap();
        for text in
            ["9999999d", "4294967295d", "99999999999999999999d", "9999-12-31", "-9999-01-01", "0000-00-00"]
        {
            let end = Expiry::parse(text).unwrap();
            let _ = (end.last_day(now), end.last_day(Timestamp::MAX), end.last_day(Timestamp::MIN));
        }
        assert_eq!(Expiry::After(u32::MAX).last_day(now), None);
        assert_eq!(Expiry::parse("2026-02-30"), Some(Expiry::Event("2026-02-30".to_owned())));
    }
}
