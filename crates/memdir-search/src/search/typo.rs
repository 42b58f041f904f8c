//! Words that occur nowhere, and the words that were probably meant.

use crate::analyze::{Analyzer, Sort, Term};
use crate::collection::Live;
use crate::error::SearchError;
use crate::query::{Query, QueryTerm};
use crate::rank::Ranked;
use crate::segment::TermEntry;

/// A question of more words than this is understood from the others.
const MAX_WORDS: usize = 6;
/// How much a corrected word counts.
const WEIGHT: f32 = 0.7;
/// How many words may replace one.
const MAX_ALTERNATIVES: usize = 2;

/// Whether the question holds a word that may be misspelt.
pub(super) fn is_wanted(query: &Query, ranked: &Ranked) -> bool {
    let words = query.terms.iter().filter(|term| term.is_word).count();
    let short = words <= MAX_WORDS || ranked.candidates.is_empty();
    short && unknown(query, ranked).next().is_some()
}

/// Words of the question that occur nowhere and are long enough to be recognised.
fn unknown<'a>(query: &'a Query, ranked: &'a Ranked) -> impl Iterator<Item = &'a QueryTerm> {
    query.terms.iter().enumerate().filter_map(|(index, term)| {
        let is_known = ranked.terms.iter().any(|known| known.index == index);
        let is_word = term.is_word && term.text.len() >= 4 && term.text.chars().all(char::is_alphabetic);
        (!is_known && is_word).then_some(term)
    })
}

/// A word that occurs nowhere, and what is looked for instead.
pub(super) struct Correction {
    pub(super) typed: String,
    /// As the index knows it: without its ending.
    pub(super) meant: String,
    pub(super) term: Term,
}

/// The question with the nearest words that do occur, and what was replaced by what.
pub(super) fn correct(
    lives: &[&Live],
    query: &Query,
    ranked: &Ranked,
    analyzer: &mut Analyzer,
) -> Result<(Query, Vec<Correction>), SearchError> {
    let unknown: Vec<&QueryTerm> = unknown(query, ranked).take(MAX_WORDS).collect();
    let mut nearest: Vec<Vec<Alternative>> = unknown.iter().map(|_| Vec::new()).collect();
    for live in lives {
        for text in live.segment.texts()? {
            for (word, alternatives) in unknown.iter().zip(&mut nearest) {
                if may_be_near(word.text.as_bytes(), text)
                    && let Ok(text) = str::from_utf8(text)
                    && let Some(distance) = distance(&word.text, text)
                    && let Some(entry) = live.segment.find(Term::of(text))?
                {
                    let TermEntry { passages, term, .. } = entry;
                    add(alternatives, Alternative { distance, passages, term, text: text.to_owned() });
                }
            }
        }
    }
    for (word, alternatives) in unknown.iter().zip(&mut nearest) {
        add_swapped(alternatives, lives, &word.typed, analyzer)?;
    }
    let mut corrected = query.clone();
    let mut corrections = Vec::new();
    for (word, mut alternatives) in unknown.into_iter().zip(nearest) {
        alternatives
            .sort_by(|one, other| (one.distance, other.passages).cmp(&(other.distance, one.passages)));
        let Some(best) = alternatives.first().map(|alternative| alternative.distance) else { continue };
        for alternative in
            alternatives.into_iter().filter(|alternative| alternative.distance == best).take(MAX_ALTERNATIVES)
        {
            corrections.push(Correction {
                typed: word.typed.clone(),
                meant: alternative.text.clone(),
                term: alternative.term,
            });
            corrected.terms.push(QueryTerm {
                term: alternative.term,
                text: alternative.text,
                typed: String::new(),
                weight: WEIGHT * word.weight,
                is_word: false,
            });
        }
    }
    Ok((corrected, corrections))
}

/// The longest word whose letters are swapped to find another.
const MAX_SWAPPED: usize = 24;

/// Adds the words that come of swapping two letters. The index knows words without their endings, and a swap can make
/// or hide an ending, so it is the whole word that has to be tried.
fn add_swapped(
    alternatives: &mut Vec<Alternative>,
    lives: &[&Live],
    typed: &str,
    analyzer: &mut Analyzer,
) -> Result<(), SearchError> {
    let letters: Vec<char> = typed.to_lowercase().chars().take(MAX_SWAPPED + 1).collect();
    if letters.len() > MAX_SWAPPED {
        return Ok(());
    }
    for place in 1..letters.len() {
        let mut swapped = letters.clone();
        swapped.swap(place - 1, place);
        if swapped == letters {
            continue;
        }
        let swapped: String = swapped.into_iter().collect();
        let mut terms = Vec::new();
        analyzer.each_term(&swapped, |term, text, sort| {
            if sort == Sort::Word {
                terms.push((term, text.to_owned()));
            }
        });
        for (term, text) in terms {
            if alternatives.iter().any(|known| known.term == term && known.distance == 1) {
                continue;
            }
            for live in lives {
                if let Some(entry) = live.segment.find(term)? {
                    add(
                        alternatives,
                        Alternative { distance: 1, passages: entry.passages, term, text: text.clone() },
                    );
                }
            }
        }
    }
    Ok(())
}

struct Alternative {
    distance: usize,
    passages: u32,
    term: Term,
    text: String,
}

fn add(alternatives: &mut Vec<Alternative>, new: Alternative) {
    match alternatives.iter_mut().find(|known| known.term == new.term) {
        Some(known) => {
            known.passages += new.passages;
            known.distance = known.distance.min(new.distance);
        }
        None => alternatives.push(new),
    }
}

/// How many letters may be mistyped in a word of so many bytes.
fn allowed(length: usize) -> usize {
    if length < 7 { 1 } else { 2 }
}

/// A quick look that rules out nearly all words and none that [`distance`] accepts.
fn may_be_near(typed: &[u8], known: &[u8]) -> bool {
    let fits = known.len() >= 3 && typed.len().abs_diff(known.len()) <= allowed(typed.len());
    fits && known.first().is_some_and(|first| typed.iter().take(5).any(|letter| letter == first))
}

/// How many letters were mistyped, if few enough for the length of the word: swapped, missing, added or wrong.
fn distance(typed: &str, known: &str) -> Option<usize> {
    let allowed = allowed(typed.len());
    if typed.len().abs_diff(known.len()) > allowed || known.len() < 3 {
        return None;
    }
    let (typed, known): (Vec<char>, Vec<char>) = (typed.chars().collect(), known.chars().collect());
    // Hardly anybody mistypes the first letter, and a look at it spares most of the work.
    if typed.first() != known.first() && typed.get(1) != known.first() {
        return None;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=known.len()).collect();
    for (row, letter) in typed.iter().enumerate() {
        let mut current = Vec::with_capacity(known.len() + 1);
        current.push(row + 1);
        for (column, other) in known.iter().enumerate() {
            let at = |list: &[usize], index: usize| list.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut cost = at(&last, column) + usize::from(letter != other);
            cost = cost.min(at(&last, column + 1) + 1).min(at(&current, column) + 1);
            let swapped = row > 0
                && column > 0
                && typed.get(row - 1) == Some(other)
                && known.get(column - 1) == Some(letter);
            if swapped {
                cost = cost.min(at(&before_last, column - 1) + 1);
            }
            current.push(cost);
        }
        if current.iter().min().is_some_and(|least| *least > allowed) {
            return None;
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last.last().copied().filter(|distance| *distance <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistyped_words() {
        let check = |typed: &str, known: &str, expected: Option<usize>| {
            assert_eq!(distance(typed, known), expected, "{typed} {known}");
            let may_be_near = may_be_near(typed.as_bytes(), known.as_bytes());
            assert!(may_be_near || expected.is_none(), "{typed} {known}");
        };
        check("postgers", "postgres", Some(1));
        check("shcema", "schema", Some(1));
        check("databse", "databas", Some(2));
        check("migraton", "migrat", Some(2));
        check("cache", "cachet", Some(1));
        check("cat", "dog", None);
        check("deploy", "employ", None);
        check("kubernets", "kubernet", Some(1));
        check("öffner", "ffner", Some(1));
        check("éclairs", "eclairs", None);
    }
}
