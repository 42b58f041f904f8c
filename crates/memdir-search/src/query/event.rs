//! Times that only an event tells: "before the release", "since the outage", "after v2.1".

use super::times;
use crate::analyze::Analyzer;

/// Something that happened, and on which side of it the answer is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) side: Side,
    /// What happened, in the words of the question.
    pub(crate) words: String,
}

/// Where in time, seen from an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
    Around,
}

/// No event takes more words to name.
const MAX_WORDS: usize = 3;

/// The first event that a text names.
pub(super) fn event(text: &str, today: jiff::civil::Date, analyzer: &mut Analyzer) -> Option<Event> {
    let words: Vec<&str> = text.split_whitespace().take(400).collect();
    let sides = words.iter().enumerate().filter_map(|(at, word)| Some((at, side(word)?)));
    for (at, side) in sides {
        let rest = words.get(at + 1..).unwrap_or_default();
        let Some(first) = rest.first() else { continue };
        let is_named = matches!(
            first.to_lowercase().as_str(),
            "the" | "our" | "that" | "this" | "my" | "last" | "latest" | "first"
        );
        if !is_named && !is_version(first) {
            continue;
        }
        let mut named = Vec::new();
        for word in rest.iter().skip(usize::from(is_named)).take(MAX_WORDS) {
            let mut says = false;
            analyzer.each_term(word, |_, _, _| says = true);
            if !says {
                break;
            }
            named.push(*word);
            // A clause ends here.
            if word.ends_with(['.', ',', ';', ':', '?', '!']) {
                break;
            }
        }
        let near = rest.get(..rest.len().min(MAX_WORDS + 2)).unwrap_or_default().join(" ");
        if !named.is_empty() && times(&format!("in {near}"), today).is_empty() {
            return Some(Event { side, words: named.join(" ") });
        }
    }
    None
}

fn side(word: &str) -> Option<Side> {
    Some(match word.to_lowercase().as_str() {
        "before" | "until" => Side::Before,
        "after" | "since" => Side::After,
        "around" | "during" => Side::Around,
        _ => return None,
    })
}

/// `v2`, `1.4`, `v0.3.1`.
fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let has_sign = digits.len() < word.len() || digits.contains('.');
    let digits = digits.trim_end_matches(['.', ',', '?', '!']);
    has_sign
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_people_name() {
        let check = |text: &str, expected: Option<(Side, &str)>| {
            let found = event(text, jiff::civil::date(2026, 11, 15), &mut Analyzer::new());
            let expected = expected.map(|(side, words)| Event { side, words: words.to_owned() });
            assert_eq!(found, expected, "{text}");
        };
        check("what did we decide before the release", Some((Side::Before, "release")));
        check("what changed since the database migration?", Some((Side::After, "database migration?")));
        check("bugs after v2.1", Some((Side::After, "v2.1")));
        check("during the outage, who was on call", Some((Side::Around, "outage,")));
        check("before last week", None);
        check("before the 8th of May 2026", None);
        check("run the linter before committing", None);
        check("what comes after", None);
        check("before the", None);
    }
}
