//! Passwords inside URLs: `scheme://user:password@host`.

use std::ops::Range;

use super::judge::{self, Letters};

/// How long the part before the host may be.
const LONGEST: usize = 400;

/// The password of the URL whose `://` was seen.
pub(super) fn password_at(text: &str, separator: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let authority = bytes.get(separator.end..bytes.len().min(separator.end + LONGEST))?;
    let end = authority.iter().position(|byte| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'?' | b'|' | b'\\' | b',')
    });
    let authority = authority.get(..end.unwrap_or(authority.len()))?;
    // A slash ends the authority, but passwords are often written with one that should have been encoded.
    let slash = memchr::memchr(b'/', authority).unwrap_or(authority.len());
    let at = memchr::memrchr(b'@', authority.get(..slash)?).or_else(|| {
        let at = memchr::memchr(b'@', authority)?;
        let before = authority.get(..at)?;
        let host = authority.get(at + 1)?;
        let plausible = memchr::memchr(b':', authority.get(..slash)?).is_some()
            && before.iter().filter(|byte| **byte == b'/').count() <= 2
            && !memchr::memchr(b':', before)
                .and_then(|colon| before.get(colon + 1))
                .is_some_and(u8::is_ascii_digit)
            && host.is_ascii_alphanumeric();
        plausible.then_some(at)
    })?;
    let user_info = authority.get(..at)?;
    let host = authority.get(at + 1..)?;
    if user_info.starts_with(b"[") {
        return None;
    }
    let start = separator.end;
    let (user, password) = match memchr::memchr(b':', user_info) {
        Some(colon) => (user_info.get(..colon)?, start + colon + 1..start + at),
        // A user alone may be a token: `https://TOKEN@host`.
        None => (&b""[..], start..start + at),
    };
    let value = text.get(password.clone())?;
    if password.start == start {
        let letters = Letters::of(value);
        return (letters.length >= 20 && letters.is_drawn_by_lot() && !judge::is_placeholder(value))
            .then_some(password);
    }
    let same_as_user = user.eq_ignore_ascii_case(value.as_bytes());
    let short = value.chars().count() < 6;
    let local = [&b"localhost"[..], b"127.", b"0.0.0.0", b"[::1]", b"host.docker.internal"]
        .iter()
        .any(|name| host.starts_with(name))
        || host.starts_with(b"example.");
    let accepted = if local {
        Letters::of(value).is_drawn_by_lot() && value.len() >= 12 && judge::is_chosen_password(value)
    } else if short {
        false
    } else {
        judge::is_chosen_password(value) || is_unreadable(value)
    };
    (accepted && !same_as_user && !is_mask(value)).then_some(password)
}

/// A password of letters only is in a URL's place for passwords all the same.
fn is_unreadable(value: &str) -> bool {
    let letters = Letters::of(value);
    let changes_case_often = letters.turns >= 3 && letters.length <= (letters.turns + 1) * 4;
    !judge::is_placeholder(value)
        && !judge::is_reference(value)
        && letters.length >= 12
        && (letters.is_drawn_by_lot() || changes_case_often)
}

fn is_mask(value: &str) -> bool {
    value.starts_with(['$', '{', '<', '%', '*']) && value.ends_with(['}', '>', '%', '*', ')'])
}
