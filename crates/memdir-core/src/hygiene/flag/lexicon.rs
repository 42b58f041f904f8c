//! The words that the rules know, in many languages, and how a text's tokens are looked up.

mod eastern;
mod english;
mod further;
mod northern;
mod romance;

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::LazyLock;

use super::words::split_words;

/// What the phrases that begin at the first of `words` mean.
pub(super) fn meaning(words: &[&str]) -> u128 {
    let Some(first) = words.first().filter(|word| !word.is_empty()) else { return 0 };
    let lexicon = if begins_ascii(first) { &*ASCII } else { &*OTHER };
    let exact = lexicon.exact.get(*first);
    let open = stem_key(first).and_then(|key| lexicon.open.get(key));
    let phrases = [exact, open].into_iter().flatten().flat_map(|newest| lexicon.chain(*newest));
    phrases.filter(|phrase| phrase.words.begin(words)).fold(0, |sum, phrase| sum | phrase.meaning)
}

/// Letters by which open stems are found; every open stem has at least as many.
const STEM_KEY: usize = 2;

/// Phrases whose first letter, folded, is ASCII: most of them, and all that most texts need.
static ASCII: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::of(begins_ascii));

/// All others. They cost nothing unless such a text is read.
static OTHER: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::of(|text| !begins_ascii(text)));

/// About how many phrases there are.
const USUAL_PHRASES: usize = 4_200;

/// Phrases by their first word: by the whole of it, or by its first letters where it may go on.
///
/// Made anew by every process that shows a memory to a model, so it borrows from the lists and allocates little.
struct Lexicon {
    phrases: Vec<Phrase>,
    /// The newest phrase of each word; each knows the one before it.
    exact: HashMap<Cow<'static, str>, usize>,
    open: HashMap<Cow<'static, str>, usize>,
}

impl Lexicon {
    fn of(counts: impl Fn(&str) -> bool) -> Self {
        // Enough for most: a table that grows is hashed again and again.
        let mut lexicon = Self {
            phrases: Vec::with_capacity(USUAL_PHRASES),
            exact: HashMap::with_capacity(USUAL_PHRASES * 2 / 3),
            open: HashMap::with_capacity(USUAL_PHRASES / 64),
        };
        for (text, meaning) in all_phrases().filter(|(text, _)| counts(text)) {
            lexicon.add(Words::parse(text), meaning);
        }
        lexicon
    }

    fn add(&mut self, words: Words, meaning: u128) {
        let Some((first, is_open)) = words.first() else { return };
        let newest = if is_open {
            let Some(key) = shortened(first) else { return };
            self.open.entry(key)
        } else {
            self.exact.entry(first)
        };
        let at = self.phrases.len();
        let before = match newest {
            Entry::Occupied(mut known) => Some(known.insert(at)),
            Entry::Vacant(new) => {
                new.insert(at);
                None
            }
        };
        self.phrases.push(Phrase { words, meaning, before });
    }

    fn chain(&self, newest: usize) -> impl Iterator<Item = &Phrase> {
        std::iter::successors(self.phrases.get(newest), |phrase| self.phrases.get(phrase.before?))
    }
}

fn all_phrases() -> impl Iterator<Item = (&'static str, u128)> {
    let lists = [english::WORDS, romance::WORDS, northern::WORDS, eastern::WORDS, further::WORDS];
    lists
        .into_iter()
        .flatten()
        .flat_map(|(meaning, list)| list.split(',').map(|text| (text.trim(), *meaning)))
}

/// Whether the first letter is ASCII once it is folded: `ở` is an `o`.
fn begins_ascii(text: &str) -> bool {
    match text.chars().next() {
        Some(letter) if letter.is_ascii() => true,
        Some(letter @ ('\u{80}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')) => {
            super::words::fold(letter.encode_utf8(&mut [0; 4])).starts_with(|folded: char| folded.is_ascii())
        }
        _ => false,
    }
}

fn stem_key(word: &str) -> Option<&str> {
    let end = word.char_indices().nth(STEM_KEY).map_or(word.len(), |(index, _)| index);
    word.get(..end).filter(|key| key.chars().count() == STEM_KEY)
}

fn shortened(stem: Cow<'static, str>) -> Option<Cow<'static, str>> {
    match stem {
        Cow::Borrowed(stem) => stem_key(stem).map(Cow::Borrowed),
        Cow::Owned(stem) => stem_key(&stem).map(|key| Cow::Owned(key.to_owned())),
    }
}

struct Phrase {
    words: Words,
    meaning: u128,
    before: Option<usize>,
}

/// Words in a row; after each, whether the text's word may go on.
enum Words {
    /// Small letters and digits, with a star behind stems: as the list has them.
    Plain(&'static str),
    /// What had to be folded or cut first.
    Folded(Vec<(String, bool)>),
}

impl Words {
    fn parse(text: &'static str) -> Self {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b' ' | b'*');
        if text.bytes().all(is_plain) {
            return Self::Plain(text);
        }
        let mut words = Vec::new();
        for part in text.split_whitespace() {
            let (stem, is_open) = stem_of(part);
            words.extend(split_words(&super::words::fold(stem)).into_iter().map(|word| (word, is_open)));
        }
        Self::Folded(words)
    }

    fn first(&self) -> Option<(Cow<'static, str>, bool)> {
        match self {
            Self::Plain(text) => {
                let (stem, is_open) = stem_of(text.split(' ').next().filter(|word| !word.is_empty())?);
                Some((Cow::Borrowed(stem), is_open))
            }
            Self::Folded(words) => words.first().map(|(word, is_open)| (Cow::Owned(word.clone()), *is_open)),
        }
    }

    fn begin(&self, words: &[&str]) -> bool {
        let mut rest = words.iter();
        let mut meets = |(stem, is_open): (&str, bool)| {
            rest.next().is_some_and(|word| if is_open { word.starts_with(stem) } else { *word == stem })
        };
        match self {
            Self::Plain(text) => text.split_ascii_whitespace().all(|part| meets(stem_of(part))),
            Self::Folded(stems) => stems.iter().all(|(stem, is_open)| meets((stem, *is_open))),
        }
    }
}

fn stem_of(part: &str) -> (&str, bool) {
    match part.strip_suffix('*') {
        Some(stem) => (stem, true),
        None => (part, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_filed_where_its_folded_first_word_is_looked_up() {
        for (text, _) in all_phrases() {
            let Some((first, _)) = Words::parse(text).first() else { continue };
            assert_eq!(begins_ascii(&first), begins_ascii(text), "{text}");
        }
    }
}
