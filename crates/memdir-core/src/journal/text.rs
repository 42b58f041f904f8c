use jiff::Timestamp;

use super::Problem;

/// An instant as the journal writes it: UTC, whole seconds.
#[must_use]
pub fn stamp(time: Timestamp) -> String {
    Timestamp::from_second(time.as_second()).unwrap_or(time).to_string()
}

/// The text of a file, whatever its encoding, and what is wrong with that.
///
/// UTF-8 with or without a mark and UTF-16 with one are understood. Anything else is shown as far as possible, and the
/// problem says that it must not be written over.
#[must_use]
pub fn decode(bytes: &[u8]) -> (String, Option<Problem>) {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest
            .chunks_exact(2)
            .map(|pair| unit([pair.first().copied().unwrap_or(0), pair.get(1).copied().unwrap_or(0)]));
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => (utf16(rest, u16::from_le_bytes), None),
        [0xFE, 0xFF, rest @ ..] => (utf16(rest, u16::from_be_bytes), None),
        _ => {
            let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
            match std::str::from_utf8(bytes) {
                Ok(text) => (text.to_owned(), None),
                Err(error) => {
                    let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
                    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                    let problem = Problem::new(line, "not valid UTF-8");
                    (String::from_utf8_lossy(bytes).into_owned(), Some(problem))
                }
            }
        }
    }
}

/// Whether a file says that it is UTF-16: it can be read, and would become another file if it were written.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}

/// One line of at most `most` characters: white space folded, the rest cut with a mark.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > most * 4 {
            break;
        }
    }
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most.saturating_sub(1)).collect();
    let end = cut.rfind(' ').filter(|end| *end > cut.len() / 2).unwrap_or(cut.len());
    format!("{}…", cut.get(..end).unwrap_or(&cut))
}

/// Whether a line opens or closes a block of code.
pub(super) fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

/// For every line whether it is code, fences included. A fence that nothing closes is text: it must not swallow what
/// is added after it.
pub(super) fn code_lines(text: &str) -> Vec<bool> {
    let mut opened = None;
    let mut code: Vec<bool> = Vec::new();
    for line in text.lines() {
        let fence = is_fence(line);
        code.push(opened.is_some() || fence);
        opened = match (fence, opened) {
            (true, None) => Some(code.len() - 1),
            (true, Some(_)) => None,
            (false, opened) => opened,
        };
    }
    if let Some(start) = opened {
        code.iter_mut().skip(start).for_each(|line| *line = false);
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_is_read_and_a_broken_one_is_said() {
        let utf16: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain("aé".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(decode(&utf16), ("aé".to_owned(), None));
        assert_eq!(decode("\u{FEFF}aé".as_bytes()), ("aé".to_owned(), None));
        let (text, problem) = decode(b"a\ncaf\xE9");
        assert_eq!(
            (text.as_str(), problem.unwrap().to_string().as_str()),
            ("a\ncaf\u{FFFD}", "line 2: not valid UTF-8")
        );
    }

    #[test]
    fn a_line_is_folded_and_cut_at_a_word() {
        assert_eq!(one_line(" a\n b\t c ", 10), "a b c");
        assert_eq!(one_line("one two three four", 10), "one two…");
        assert_eq!(one_line(&"x".repeat(20), 10), "xxxxxxxxx…");
        assert_eq!(stamp("2026-01-19T22:30:00.5Z".parse().unwrap()), "2026-01-19T22:30:00Z");
    }
}
