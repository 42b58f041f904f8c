//! The last step before a memory reaches a model: nothing invisible, and no way to close its own wrapper.

use std::borrow::Cow;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use crate::memory::js_text;

/// The text as the client puts it into its request.
///
/// Line ends become `\n`; control, format, private, unassigned and ignorable characters go (joiners and
/// variation selectors that emoji need stay); and `<` before the name of the client's reminder tag gets a
/// backslash, so that a memory can neither open nor close one.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    let plain = text.bytes().all(|byte| matches!(byte, b'\t' | b'\n' | b' '..=b'~'));
    let visible = if plain { Cow::Borrowed(text) } else { Cow::Owned(visible(text)) };
    if plain && memchr::memchr(b'<', text.as_bytes()).is_none() {
        return visible;
    }
    match escaped(&visible) {
        Some(escaped) => Cow::Owned(escaped),
        None => visible,
    }
}

fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    let mut after_return = false;
    for character in text.chars() {
        match character {
            '\n' if after_return => {}
            '\r' | '\u{2028}' | '\u{2029}' => visible.push('\n'),
            '\t' | '\n' | '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => visible.push(character),
            _ if is_hidden(character) => {}
            _ => visible.push(character),
        }
        after_return = character == '\r';
    }
    visible
}

/// Control, format, private use and unassigned characters, and those that are to be ignored in display.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    if matches!(character, ' '..='~') {
        return false;
    }
    let category = matches!(
        character.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
    );
    category || is_default_ignorable(character)
}

/// The code points with the property Default_Ignorable_Code_Point that are not hidden by their category.
fn is_default_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The text with every opening of the reminder tag made harmless; `None` if there is none.
fn escaped(text: &str) -> Option<String> {
    let mut escaped = String::new();
    let mut copied = 0;
    for (offset, bracket) in text.char_indices().filter(|(_, character)| is_angle(*character)) {
        let behind = text.get(offset + bracket.len_utf8()..).unwrap_or_default();
        if names_reminder(behind) {
            escaped.push_str(text.get(copied..offset).unwrap_or_default());
            escaped.push_str("<\\");
            copied = offset + bracket.len_utf8();
        }
    }
    if copied == 0 {
        return None;
    }
    escaped.push_str(text.get(copied..).unwrap_or_default());
    Some(escaped)
}

fn is_angle(character: char) -> bool {
    matches!(character, '<' | '\u{ff1c}' | '\u{fe64}' | '\u{3008}' | '\u{2039}')
}

/// Whether the tag's name follows, after any blanks and slashes, in whatever disguise.
fn names_reminder(text: &str) -> bool {
    let mut rest = text
        .trim_start_matches(|character| {
            js_text::is_white_space(character)
                || is_joiner(character)
                || matches!(character, '/' | '\u{ff0f}')
        })
        .chars()
        .filter(|character| !is_joiner(*character));
    let mut follows =
        |word: &str| word.chars().all(|letter| rest.next().is_some_and(|found| folds_to(found, letter)));
    if !(follows("system") && follows("-") && follows("reminder")) {
        return false;
    }
    !rest.next().is_some_and(|character| character.is_ascii_alphanumeric() || character == '_')
}

fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// Whether a reader would take `found` for `letter`: case, full-width forms and look-alikes do not matter.
fn folds_to(found: char, letter: char) -> bool {
    if found.eq_ignore_ascii_case(&letter) {
        return true;
    }
    if letter == '-' {
        return matches!(
            found,
            '_' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' | '\u{ff3f}'
        );
    }
    let full_width = u32::from(found).wrapping_sub(0xFEE0);
    char::from_u32(full_width).is_some_and(|narrow| narrow.is_ascii() && narrow.eq_ignore_ascii_case(&letter))
        || look_alikes(letter).contains(found)
}

/// Letters of other scripts that look like one of the tag's name.
fn look_alikes(letter: char) -> &'static str {
    match letter {
        's' => "ſѕЅꜱ",
        'y' => "уУүҮγΥ",
        't' => "тТτΤ",
        'e' => "еЕҽΕℯ",
        'm' => "мМΜ",
        'r' => "гᴦꭇ",
        'i' => "ıіІιΙİ",
        'n' => "ոпΝ",
        'd' => "ԁժⅾ",
        _ => "",
    }
}
