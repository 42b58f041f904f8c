//! The words that the rules know, in many languages, and how a text's tokens are looked up.

mod eastern;
mod english;
mod further;
mod northern;
mod romance;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::split_words;

/// What the phrases that begin at the first of `words` mean.
pub(super) fn meaning(words: &[&str]) -> u128 {
    let Some(first) = words.first().filter(|word| !word.is_empty()) else { return 0 };
    let exact = LEXICON.exact.get(*first);
    let open = stem_key(first).and_then(|key| LEXICON.open.get(key));
    let phrases = exact.into_iter().chain(open).flatten();
    phrases.filter(|phrase| phrase.begins(words)).fold(0, |sum, phrase| sum | phrase.meaning)
}

/// Letters by which open stems are found; every open stem has at least as many.
const STEM_KEY: usize = 2;

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon::default();
    for (meaning, list) in [english::WORDS, romance::WORDS, northern::WORDS, eastern::WORDS, further::WORDS]
        .into_iter()
        .flatten()
    {
        for text in list.split(',') {
            lexicon.add(Phrase::parse(text, *meaning));
        }
    }
    lexicon
});

/// Phrases by their first word: by the whole of it, or by its first letters where it may go on.
#[derive(Default)]
struct Lexicon {
    exact: HashMap<String, Vec<Phrase>>,
    open: HashMap<String, Vec<Phrase>>,
}

impl Lexicon {
    fn add(&mut self, phrase: Phrase) {
        match phrase.words.first() {
            Some((stem, true)) => {
                if let Some(key) = stem_key(stem) {
                    self.open.entry(key.to_owned()).or_default().push(phrase);
                }
            }
            Some((word, false)) => self.exact.entry(word.clone()).or_default().push(phrase),
            None => {}
        }
    }
}

fn stem_key(word: &str) -> Option<&str> {
    let end = word.char_indices().nth(STEM_KEY).map_or(word.len(), |(index, _)| index);
    word.get(..end).filter(|key| key.chars().count() == STEM_KEY)
}

/// Words in a row; after each, whether the text's word may go on.
struct Phrase {
    words: Vec<(String, bool)>,
    meaning: u128,
}

impl Phrase {
    fn parse(text: &str, meaning: u128) -> Self {
        let mut words = Vec::new();
        for part in text.split_whitespace() {
            let (stem, is_open) = match part.strip_suffix('*') {
                Some(stem) => (stem, true),
                None => (part, false),
            };
            words.extend(split_words(&super::words::fold(stem)).into_iter().map(|word| (word, is_open)));
        }
        Self { words, meaning }
    }

    fn begins(&self, words: &[&str]) -> bool {
        self.words.len() <= words.len()
            && self.words.iter().zip(words).all(|((stem, is_open), word)| {
                if *is_open { word.starts_with(stem.as_str()) } else { word == stem }
            })
    }
}
