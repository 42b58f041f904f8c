//! JSON that a program in another language wrote: half of a surrogate pair is text to it, and none to us.

use std::borrow::Cow;

/// The JSON text with every escaped half of a surrogate pair that is alone replaced by a replacement character.
#[must_use]
pub fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    if !json.contains("\\u") {
        return Cow::Borrowed(json);
    }
    let mut output = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(position) = rest.find('\\') {
        let (before, escape) = rest.split_at(position);
        output.push_str(before);
        let (written, length) = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (escape.get(..12), 12),
            (Some(0xD800..=0xDFFF), _) => (Some("\\ufffd"), 6),
            // The character behind the backslash is part of the escape, whatever it is.
            _ => {
                let length = 1 + escape.chars().nth(1).map_or(0, char::len_utf8);
                (escape.get(..length), length)
            }
        };
        output.push_str(written.unwrap_or_default());
        rest = escape.get(length..).unwrap_or_default();
    }
    output.push_str(rest);
    Cow::Owned(output)
}

/// The UTF-16 unit that an escape at the start of a text means.
fn unit(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::without_lone_surrogates;

    #[test]
    fn halves_are_replaced_and_pairs_stay() {
        let check = |json: &str, expected: &str| assert_eq!(without_lone_surrogates(json), expected);
        check(r#""plain""#, r#""plain""#);
        check(r#""a\ud800b""#, r#""a\ufffdb""#);
        check(r#""\udc00\ud83d\ude00\ud83d""#, r#""\ufffd\ud83d\ude00\ufffd""#);
        check(r#""\\ud800\"""#, r#""\\ud800\"""#);
        check(r#""\ud8"#, r#""\ud8"#);
    }
}
