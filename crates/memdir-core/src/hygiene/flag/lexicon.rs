//! The words that the rules know, in many languages, and how a text's tokens are looked up.

mod eastern;
mod english;
mod northern;
mod romance;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::split_words;

/// What the phrases that begin at the first of `words` mean.
pub(super) fn meaning(words: &[&str]) -> u128 {
    let Some(key) = words.first().and_then(|word| key(word)) else { return 0 };
    let Some(phrases) = LEXICON.get(&key) else { return 0 };
    phrases.iter().filter(|phrase| phrase.begins(words)).fold(0, |sum, phrase| sum | phrase.meaning)
}

static LEXICON: LazyLock<HashMap<[char; 2], Vec<Phrase>>> = LazyLock::new(|| {
    let mut lexicon: HashMap<[char; 2], Vec<Phrase>> = HashMap::new();
    for (meaning, list) in
        [english::WORDS, romance::WORDS, northern::WORDS, eastern::WORDS].into_iter().flatten()
    {
        for text in list.split(',') {
            let phrase = Phrase::parse(text, *meaning);
            if let Some(key) = phrase.words.first().and_then(|(word, _)| key(word)) {
                lexicon.entry(key).or_default().push(phrase);
            }
        }
    }
    lexicon
});

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

/// The first two letters; one, where a word is a single character.
fn key(word: &str) -> Option<[char; 2]> {
    let mut characters = word.chars();
    let first = characters.next()?;
    Some([first, characters.next().unwrap_or('\0')])
}
