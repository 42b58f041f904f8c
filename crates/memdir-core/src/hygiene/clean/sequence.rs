//! Terminal control sequences.

/// A title or query longer than this is not believed to be one.
const LONGEST_STRING: usize = 256;

/// The length in bytes of the terminal control sequence with which the text begins, including ESC.
///
/// A sequence that does not end (an unterminated title, say) counts as its introducer alone: whatever follows is
/// text, and text is never swallowed. The look ahead is bounded, so cleaning stays linear.
pub(crate) fn sequence_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (introducer, length) = match bytes {
        [0x1B, second, ..] if second.is_ascii() => (*second, 2),
        // The eight-bit forms of ESC P, ESC X, ESC [, ESC ], ESC ^ and ESC _ are two bytes of UTF-8.
        [0xC2, second @ 0x90..=0x9F, ..] => (second - 0x40, 2),
        [0x1B, ..] => return 1,
        _ => return 0,
    };
    let rest = bytes.get(length..).unwrap_or_default();
    match introducer {
        b'[' => length + control_sequence_length(rest),
        b']' | b'P' | b'X' | b'^' | b'_' => length + string_length(rest),
        // ESC with intermediate bytes (a character set, say) ends with one more.
        b' '..=b'/' => length + usize::from(rest.first().is_some_and(|byte| matches!(byte, b'0'..=b'~'))),
        b'0'..=b'~' => length,
        _ => 1,
    }
}

/// Parameters and intermediates, then one final byte; nothing at all where that shape is broken.
fn control_sequence_length(rest: &[u8]) -> usize {
    let parameters =
        rest.iter().take(LONGEST_STRING).take_while(|&&byte| matches!(byte, b' '..=b'?')).count();
    match rest.get(parameters) {
        Some(b'@'..=b'~') => parameters + 1,
        _ => 0,
    }
}

/// Everything up to BEL or ST on the same line.
fn string_length(rest: &[u8]) -> usize {
    for (index, &byte) in rest.iter().take(LONGEST_STRING).enumerate() {
        match byte {
            b'\n' => return 0,
            0x07 => return index + 1,
            0x1B if rest.get(index + 1) == Some(&b'\\') => return index + 2,
            // Another sequence begins, so this one never ended.
            0x1B => return 0,
            0x9C if index > 0 && rest.get(index - 1) == Some(&0xC2) => return index + 1,
            _ => {}
        }
    }
    0
}
