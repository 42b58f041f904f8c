//! Whether two statements are about the same thing.

use std::collections::HashSet;

use crate::extract::reading::{is_small, words_of};

/// Shared words of all words, in hundredths, from which on two statements are about the same.
const SAME: usize = 34;

/// Whether two statements share what they are about, so that one can replace the other.
pub(super) fn is_about_the_same(one: &str, other: &str) -> bool {
    let topics = (words_of(one), words_of(other));
    let shares_topic = !topics.0.is_disjoint(&topics.1);
    let says_nothing = topics.0.is_empty() && topics.1.is_empty();
    if !shares_topic && !says_nothing {
        return false;
    }
    likeness(&topics.0, &topics.1) >= SAME || likeness(&all_words(one), &all_words(other)) >= SAME
}

/// Shared words of all words, in hundredths.
pub(super) fn likeness<T: Eq + std::hash::Hash>(one: &HashSet<T>, other: &HashSet<T>) -> usize {
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    shared * 100 / all.max(1)
}

/// The words of a text that name something, however short: `A` and `B` tell two services apart, and so do their ports.
pub(super) fn names(text: &str) -> HashSet<String> {
    let mut words = all_words(text);
    words.retain(|word| !is_small(word));
    words
}

/// Whether the other text holds every name and number of one, be it in another form of the word.
pub(super) fn names_no_more_than(one: &str, other: &str) -> bool {
    const STEM: usize = 4;
    let known = names(other);
    let is_form = |one: &str, other: &str| {
        let is_word = |word: &str| word.len() >= STEM && word.chars().all(char::is_alphabetic);
        is_word(one) && is_word(other) && (one.starts_with(other) || other.starts_with(one))
    };
    names(one).iter().all(|name| known.contains(name) || known.iter().any(|word| is_form(name, word)))
}

fn all_words(text: &str) -> HashSet<String> {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_is_about_what_it_replaces() {
        let check = |one: &str, other: &str, expected: bool| {
            assert_eq!(is_about_the_same(one, other), expected, "{one} | {other}");
        };
        check("The queue is Redis", "The queue is now RabbitMQ", true);
        check("Staging runs on port 5432", "Staging runs on port 5433", true);
        check("Never push to main", "See the notes", false);
        check("Never push to main", "", false);
        check(
            "Use tabs in Go",
            "Use tabs in Go, run the linter before each commit, never push to main, deploy on Tuesday, ask Maria about invoices",
            false,
        );
        check("部署在周二进行", "部署在周四进行", true);
        check("部署在周二进行", "发票由玛丽亚负责", false);
    }
}
