//! A new version as what it takes from the old one and what it adds.

use std::collections::HashMap;

/// Shorter pieces than this are not worth a reference.
const MIN_COPY: usize = 12;

/// Describes `target` by lines of `base`: pairs of a number and its data. An even number is twice the length of
/// bytes to insert, which follow; an odd one is twice the length to copy plus one, followed by the offset.
pub(crate) fn encode_delta(base: &[u8], target: &[u8]) -> Vec<u8> {
    // Nearly always one place changed: what is the same before and behind it needs no search.
    let head = common_lines(base, target);
    let (base_rest, target_rest) = (&base[head..], &target[head..]);
    let tail = common_last_lines(base_rest, target_rest);
    let mut delta = Vec::new();
    if head > 0 {
        push_copy(&mut delta, 0, head);
    }
    let middle = &base_rest[..base_rest.len() - tail];
    encode_middle(middle, head, &target_rest[..target_rest.len() - tail], &mut delta);
    if tail > 0 {
        push_copy(&mut delta, base.len() - tail, tail);
    }
    delta
}

/// How many bytes of whole lines two texts begin with together.
fn common_lines(one: &[u8], other: &[u8]) -> usize {
    let same = common_bytes(one.iter(), other.iter());
    memchr::memrchr(b'\n', &one[..same]).map_or(0, |end| end + 1)
}

/// How many bytes of whole lines two texts end with together.
fn common_last_lines(one: &[u8], other: &[u8]) -> usize {
    let same = common_bytes(one.iter().rev(), other.iter().rev());
    // Only behind the end of a line in both does a line begin in both.
    let shared = &one[one.len() - same..];
    memchr::memchr(b'\n', shared).map_or(0, |end| shared.len() - end - 1)
}

fn common_bytes<'a>(one: impl Iterator<Item = &'a u8>, other: impl Iterator<Item = &'a u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// Describes a text by lines of the part of the base that begins at an offset.
fn encode_middle(base: &[u8], offset: usize, target: &[u8], delta: &mut Vec<u8>) {
    let starts = line_starts(base);
    let mut at: HashMap<&[u8], usize> = HashMap::with_capacity(starts.len());
    for &(start, end) in starts.iter().rev() {
        at.insert(&base[start..end], start);
    }
    let mut inserted = 0..0;
    let mut run: Option<(usize, usize)> = None;
    for (start, end) in line_starts(target) {
        let line = &target[start..end];
        if let Some((from, length)) = &mut run {
            if base.get(*from + *length..).is_some_and(|rest| rest.starts_with(line)) {
                *length += line.len();
                continue;
            }
            push_copy(delta, offset + *from, *length);
            run = None;
            inserted = start..start;
        }
        match at.get(line) {
            Some(&from) if line.len() >= MIN_COPY => {
                push_insert(delta, &target[inserted.clone()]);
                run = Some((from, line.len()));
            }
            _ => inserted.end = end,
        }
    }
    match run {
        Some((from, length)) => push_copy(delta, offset + from, length),
        None => push_insert(delta, &target[inserted]),
    }
}

/// The target again; `None` if the delta does not fit the base or gives more than `limit` bytes.
pub(crate) fn apply_delta(base: &[u8], mut delta: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut target = Vec::new();
    while !delta.is_empty() {
        let number = take_number(&mut delta)?;
        let length = number >> 1;
        let piece = if number & 1 == 0 {
            let (piece, rest) = delta.split_at_checked(length)?;
            delta = rest;
            piece
        } else {
            let from = take_number(&mut delta)?;
            base.get(from..from.checked_add(length)?)?
        };
        if target.len() + piece.len() > limit {
            return None;
        }
        target.extend_from_slice(piece);
    }
    Some(target)
}

fn line_starts(text: &[u8]) -> Vec<(usize, usize)> {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text) {
        lines.push((start, end + 1));
        start = end + 1;
    }
    if start < text.len() {
        lines.push((start, text.len()));
    }
    lines
}

fn push_insert(delta: &mut Vec<u8>, bytes: &[u8]) {
    if !bytes.is_empty() {
        push_number(delta, bytes.len() << 1);
        delta.extend_from_slice(bytes);
    }
}

fn push_copy(delta: &mut Vec<u8>, from: usize, length: usize) {
    push_number(delta, length << 1 | 1);
    push_number(delta, from);
}

fn push_number(delta: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        delta.push(u8::try_from(number & 0x7F).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    delta.push(u8::try_from(number).unwrap_or_default());
}

fn take_number(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0usize;
    for shift in (0..usize::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7F).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_changed_line_costs_about_that_line() {
        let base: String =
            (0..300).map(|line| format!("- [Topic {line}](topic_{line}.md) — about {line}\n")).collect();
        let target = base.replace("about 7\n", "about seven\n").replace("about 250\n", "");
        let delta = encode_delta(base.as_bytes(), target.as_bytes());
        assert!(delta.len() < 150, "{}", delta.len());
        assert_eq!(apply_delta(base.as_bytes(), &delta, target.len()).unwrap(), target.as_bytes());
        assert_eq!(apply_delta(base.as_bytes(), &delta, target.len() - 1), None);
    }

    proptest::proptest! {
        #[test]
        fn every_target_comes_back(base in "[ab\n]{0,80}(a long line of text\n){0,3}", target in "(a long line of text\n){0,3}[ab\n]{0,80}") {
            let delta = encode_delta(base.as_bytes(), target.as_bytes());
            proptest::prop_assert_eq!(apply_delta(base.as_bytes(), &delta, 1000).unwrap(), target.as_bytes());
        }

        #[test]
        fn a_hostile_delta_ends(base: Vec<u8>, delta: Vec<u8>) {
            let target = apply_delta(&base, &delta, 1000);
            proptest::prop_assert!(target.is_none_or(|target| target.len() <= 1000));
        }
    }
}
