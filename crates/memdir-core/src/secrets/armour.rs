//! Private keys in armour: PEM, OpenPGP, SSH2, PuTTY.

use std::ops::Range;

/// A block may not be longer than this; the longest RSA keys take a quarter of it.
const LONGEST: usize = 1 << 16;
/// A key's text is at least this many characters without a break.
const SHORTEST_RUN: usize = 24;

/// The block that begins with the `BEGIN` that was seen.
pub(super) fn block_at(text: &str, begin: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let window = bytes.get(begin.end..bytes.len().min(begin.end + LONGEST))?;
    // The label: `RSA PRIVATE KEY-----`.
    let label_end = window.iter().take(64).position(|&byte| byte == b'-')?;
    let label = window.get(..label_end)?;
    memchr::memmem::find(label, b"PRIVATE KEY")?;
    let dashes = window.get(label_end..)?.iter().take_while(|byte| **byte == b'-').count();
    let body_start = label_end + dashes;
    let body = window.get(body_start..)?;
    // The next dashes end the block, or begin another one and leave this one without its end.
    let next_dashes = memchr::memmem::find(body, b"----");
    let end = next_dashes.filter(|&at| {
        let tail = body.get(at..).unwrap_or_default();
        let word = tail.iter().position(|&byte| byte != b'-' && byte != b' ').unwrap_or(tail.len());
        tail.get(word..).is_some_and(|tail| tail.starts_with(b"END "))
    });
    let (body_length, block_end) = match end {
        Some(end) => {
            let tail = body.get(end..)?;
            let word = tail.iter().position(u8::is_ascii_alphabetic)?;
            let label = tail
                .get(word..)?
                .iter()
                .take(80)
                .take_while(|byte| **byte != b'-' && **byte != b'\n')
                .count();
            let dashes = tail.get(word + label..)?.iter().take_while(|byte| **byte == b'-').count();
            (end, end + word + label + dashes)
        }
        None => {
            let length = body.iter().take_while(|byte| is_armour(**byte)).count();
            (length, length)
        }
    };
    let content = body.get(..body_length)?;
    (longest_run(content) >= SHORTEST_RUN).then(|| {
        let mut start = begin.start;
        while start > 0 && bytes.get(start - 1) == Some(&b'-') {
            start -= 1;
        }
        floor(text, start)..ceil(text, begin.end + body_start + block_end)
    })
}

/// The private part of a PuTTY key file whose `Private-Lines:` was seen.
pub(super) fn putty_lines_at(text: &str, keyword: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let window = bytes.get(keyword.end..bytes.len().min(keyword.end + LONGEST))?;
    let start = memchr::memchr(b'\n', window)? + 1;
    let body = window.get(start..)?;
    let length = body
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\n' | b'\r'))
        .count();
    let mut length = memchr::memmem::find(body.get(..length)?, b"Private").unwrap_or(length);
    while length > 0 && matches!(body.get(length - 1), Some(b'\n' | b'\r')) {
        length -= 1;
    }
    (longest_run(body.get(..length)?) >= SHORTEST_RUN)
        .then(|| keyword.end + start..ceil(text, keyword.end + start + length))
}

fn is_armour(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=\n\r \t\\:,.|>\"".contains(&byte)
}

/// The longest run of base64 in which something varies.
fn longest_run(body: &[u8]) -> usize {
    let mut longest = 0;
    for run in body.split(|byte| !(byte.is_ascii_alphanumeric() || b"+/=".contains(byte))) {
        let varied = run.first().is_some_and(|first| run.iter().filter(|byte| *byte != first).count() > 8);
        if varied {
            longest = longest.max(run.len());
        }
    }
    longest
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
