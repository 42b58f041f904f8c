//! Small things as people read them.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, html};
use memdir_core::memory::entrypoint::is_hidden;
use memdir_core::operation::{Author, AuthorKind};

/// How long ago something was, in a word or two.
pub(crate) fn age(time: Timestamp, now: Timestamp) -> String {
    match now.as_second() - time.as_second() {
        ..60 => "just now".to_owned(),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..86_400 => format!("{} h", seconds / 3_600),
        seconds @ 86_400..5_184_000 => format!("{} d", seconds / 86_400),
        seconds => format!("{} mo", seconds / 2_629_800),
    }
}

/// The same as an element that says the exact time when pointed at.
pub(crate) fn ago(time: Timestamp, now: Timestamp) -> Markup {
    html! { time datetime=(time.to_string()) title=(local(time)) { (age(time, now)) } }
}

/// A moment in local time.
pub(crate) fn local(time: Timestamp) -> String {
    time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// The day of a moment in local time.
pub(crate) fn day(time: Timestamp) -> String {
    time.to_zoned(TimeZone::system()).strftime("%A, %-d %B %Y").to_string()
}

pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}

/// A number with its noun.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// Invisible characters, made visible: a text that shows one thing and says another is an old trick.
pub(crate) fn visible(text: &str) -> String {
    let is_plain = |c: char| !is_hidden(c) || matches!(c, '\n' | '\t' | '\r');
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    let show = |c: char| if is_plain(c) { c.to_string() } else { format!("‹U+{:04X}›", u32::from(c)) };
    text.chars().map(show).collect()
}

/// The first characters of a text.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}

/// A message in which backticks are around what is code.
pub(crate) fn with_code(text: &str) -> Markup {
    html! {
        @for (place, part) in text.split('`').enumerate() {
            @if place % 2 == 1 { code { (visible(part)) } } @else { (visible(part)) }
        }
    }
}

/// Who did something.
pub(crate) fn author(author: &Author) -> String {
    let id = author.id.as_deref().map(visible);
    match author.kind {
        AuthorKind::Person => "you".to_owned(),
        AuthorKind::Agent => id.unwrap_or_else(|| "an agent".to_owned()),
        AuthorKind::Extract => "extraction".to_owned(),
        AuthorKind::Dream => "dream".to_owned(),
        AuthorKind::Team => id.map_or_else(|| "team".to_owned(), |id| format!("team: {id}")),
        AuthorKind::Foreign => "another program".to_owned(),
    }
}

/// The word for a kind of author in addresses and class names.
pub(crate) fn author_kind(kind: AuthorKind) -> &'static str {
    match kind {
        AuthorKind::Person => "person",
        AuthorKind::Agent => "agent",
        AuthorKind::Extract => "extract",
        AuthorKind::Dream => "dream",
        AuthorKind::Team => "team",
        AuthorKind::Foreign => "foreign",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown() {
        assert_eq!(visible("a\u{202e}b\n"), "a‹U+202E›b\n");
        assert_eq!(visible("plain ä\n"), "plain ä\n");
        assert_eq!(cut("größer", 3), "grö…");
    }
}
