//! What two texts were perhaps both made from, if no record says it.

use std::collections::HashSet;

use memdir_core::memory::frontmatter::Frontmatter;

/// More pairs of lines than this are not compared.
const MAX_PAIRS: usize = 1_000_000;

/// The lines that two texts have in common, in their order, and the fields if they are the same. A merge that begins from
/// there keeps all that either says, and once what both say.
pub(crate) fn common_base(one: &str, other: &str) -> String {
    // Of several ways to pair lines, both sides must find the same.
    let (first, second) = (one.min(other), one.max(other));
    let ((first_head, first_body), (second_head, second_body)) = (parts(first), parts(second));
    let head = if first_head == second_head { first_head } else { "" };
    let base = head.to_owned() + &common_lines(first_body, second_body);
    if parts(&base).0 == head { base } else { String::new() }
}

/// Whether two memories have a line of their bodies in common.
pub(crate) fn have_a_line_in_common(one: &str, other: &str) -> bool {
    let lines = |text| parts(text).1.lines().map(str::trim).filter(|line| !line.is_empty());
    let known: HashSet<&str> = lines(one).collect();
    lines(other).any(|line| known.contains(line))
}

fn parts(text: &str) -> (&str, &str) {
    text.split_at(Frontmatter::parse(text).0.map_or(0, |fields| fields.body_start()))
}

/// The longest list of lines that is in both.
fn common_lines(first: &str, second: &str) -> String {
    let first: Vec<&str> = first.split_inclusive('\n').collect();
    let second: Vec<&str> = second.split_inclusive('\n').collect();
    if first.len().saturating_mul(second.len()) > MAX_PAIRS {
        return String::new();
    }
    // How many lines the rests of both have in common, from each pair of places on, the last row first.
    let mut rows = vec![vec![0_u32; second.len() + 1]];
    for line in first.iter().rev() {
        let below = rows.last().cloned().unwrap_or_default();
        let mut row = vec![0; second.len() + 1];
        for (at, other) in second.iter().enumerate().rev() {
            let of = |row: &[u32], at: usize| row.get(at).copied().unwrap_or_default();
            let count =
                if line == other { of(&below, at + 1) + 1 } else { of(&below, at).max(of(&row, at + 1)) };
            if let Some(place) = row.get_mut(at) {
                *place = count;
            }
        }
        rows.push(row);
    }
    let mut common = String::new();
    let mut at = 0;
    for (line, below) in first.iter().zip(rows.iter().rev().skip(1)) {
        let left = |at: usize| below.get(at).copied().unwrap_or_default();
        // The line is one of the common ones if no fewer are left behind the next place where it occurs.
        let place = second.iter().skip(at).position(|other| other == line).map(|ahead| at + ahead);
        if let Some(place) = place.filter(|place| left(place + 1) + 1 > left(at)) {
            common.push_str(line);
            at = place + 1;
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use memdir_core::memory::text_merge::merge_text;
    use proptest::prelude::*;

    use super::*;

    fn check(one: &str, other: &str, expected: &str) {
        for (one, other) in [(one, other), (other, one)] {
            assert_eq!(merge_text(&common_base(one, other), one, other).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn what_both_say_is_said_once_and_what_differs_twice() {
        check("a\nEve\nz\n", "a\nZoe\nz\n", "a\nEve\nZoe\nz\n");
        check("a\nb\n", "a\nb\nc\n", "a\nb\nc\n");
        check("x\n", "y\n", "x\ny\n");
        check("---\nname: n\n---\n\na\nb\n", "---\nname: n\n---\n\na\nc\n", "---\nname: n\n---\n\na\nb\nc\n");
        check("---\nname: n\n---\na\n", "a\n---\nb\n", "---\nname: n\n---\na\n---\nb\n");
    }

    proptest! {
        #[test]
        fn no_line_is_lost(one in "([abc-]{1,3}\n){0,9}", other in "([abc-]{1,3}\n){0,9}") {
            let base = common_base(&one, &other);
            prop_assert_eq!(&base, &common_base(&other, &one));
            if let Ok(merged) = merge_text(&base, &one, &other) {
                for line in one.lines().chain(other.lines()) {
                    prop_assert!(merged.lines().any(|kept| kept == line), "{:?} in {:?}", line, merged);
                }
            }
        }
    }
}
