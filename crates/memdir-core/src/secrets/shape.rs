//! Tokens without a keyword, known by their shape alone: Discord's bot tokens.

use std::ops::Range;

use super::judge;

/// The shortest token of this shape.
const SHORTEST: usize = 24 + 1 + 6 + 1 + 27;
/// The longest.
const LONGEST: usize = 28 + 1 + 7 + 1 + 40;

/// Every bot token in the text.
///
/// A run of `SHORTEST` bytes must cover a multiple of `SHORTEST`, so most of the text is never looked at.
pub(super) fn bot_tokens(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let mut found = Vec::new();
    let mut at = SHORTEST - 1;
    while let Some(byte) = bytes.get(at) {
        if !is_part(&byte) {
            at += SHORTEST;
            continue;
        }
        let left = bytes.get(at.saturating_sub(LONGEST)..at).unwrap_or_default();
        let run_start = at - left.iter().rev().take_while(is_part).count();
        // An escape before the token is not part of it: `\n`, `%3D`.
        let start = run_start
            + match run_start.checked_sub(1).and_then(|before| bytes.get(before)) {
                Some(b'\\') => 1,
                Some(b'%') => 2,
                _ => 0,
            };
        let right = bytes.get(at..).unwrap_or_default();
        let end = at + right.iter().take_while(is_part).count();
        if let Some(token) = text.get(start..end)
            && (SHORTEST..=LONGEST).contains(&token.len())
            && is_bot_token(token)
        {
            found.push(start..end);
        }
        at = end.max(at) + SHORTEST;
    }
    found
}

fn is_bot_token(token: &str) -> bool {
    let parts: Vec<&str> = token.trim_end_matches('.').split('.').collect();
    let [user, time, signature] = parts.as_slice() else { return false };
    user.starts_with(['M', 'N', 'O'])
        && (23..=28).contains(&user.len())
        && user.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && (6..=7).contains(&time.len())
        && (27..=40).contains(&signature.len())
        && judge::is_random_after_prefix(signature)
        && !judge::is_placeholder(token)
}
