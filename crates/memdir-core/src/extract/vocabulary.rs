use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::places::is_place;
use super::token::{Token, TokenKind, fold};

/// The words that the patterns of one language know, as numbers: comparing those is what makes reading fast.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    words: HashMap<Box<str>, Sign, BuildHasherDefault<WordHasher>>,
    classes: Vec<Box<str>>,
}

/// What is known about a word: its number, 0 if no pattern names it; the classes that it belongs to; its kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sign {
    pub(super) word: u32,
    pub(super) classes: u64,
    pub(super) kinds: u8,
}

/// Kinds of pieces, a bit each.
pub(super) mod kinds {
    pub(in crate::extract) const NUMBER: u8 = 1;
    pub(in crate::extract) const ADDRESS: u8 = 2;
    pub(in crate::extract) const QUOTE: u8 = 4;
    pub(in crate::extract) const CODE: u8 = 8;
    pub(in crate::extract) const PLACE: u8 = 16;
    pub(in crate::extract) const NAME: u8 = 32;
    pub(in crate::extract) const BARE: u8 = 64;
    pub(in crate::extract) const PLURAL: u8 = 128;
}

/// No table has more classes: they are bits of a number.
const MOST_CLASSES: usize = 64;

impl Vocabulary {
    /// The number of a word, made if it has none.
    pub(super) fn number(&mut self, word: &str) -> u32 {
        let next = u32::try_from(self.words.len()).unwrap_or(u32::MAX - 1) + 1;
        self.words.entry(word.into()).or_insert(Sign { word: next, ..Sign::default() }).word
    }

    /// Puts words into a class; `false` if there are too many classes.
    pub(super) fn add_class(&mut self, name: &str, words: &str) -> bool {
        if self.classes.len() == MOST_CLASSES {
            return false;
        }
        self.classes.push(name.into());
        let bit = 1 << (self.classes.len() - 1);
        for word in words.split_whitespace() {
            let word = fold(word);
            self.number(&word);
            if let Some(sign) = self.words.get_mut(word.as_ref()) {
                sign.classes |= bit;
            }
        }
        true
    }

    /// The bit of a class; 0 if there is none of that name.
    pub(super) fn class(&self, name: &str) -> u64 {
        self.classes.iter().position(|class| class.as_ref() == name).map_or(0, |place| 1 << place)
    }

    /// The words of some classes.
    pub(super) fn words_of(&self, classes: u64) -> impl Iterator<Item = (&str, u32)> {
        let own = self.words.iter().filter(move |(_, sign)| sign.classes & classes != 0);
        own.map(|(word, sign)| (word.as_ref(), sign.word))
    }

    /// How many numbers there are, 0 included.
    pub(super) fn len(&self) -> usize {
        self.words.len() + 1
    }

    /// What is known about a token.
    pub(super) fn sign(&self, token: &Token<'_>) -> Sign {
        let word = if token.kind == TokenKind::Number { "<num>" } else { token.word.as_ref() };
        let known = self.words.get(word).copied().unwrap_or_default();
        Sign { kinds: kinds_of(token), ..known }
    }
}

fn kinds_of(token: &Token<'_>) -> u8 {
    let mut found = match token.kind {
        TokenKind::Number => kinds::NUMBER,
        TokenKind::Address => kinds::ADDRESS,
        TokenKind::Quote => kinds::QUOTE,
        TokenKind::Code => kinds::CODE | kinds::BARE,
        TokenKind::Word | TokenKind::Mark => 0,
    };
    if is_place(token) {
        found |= kinds::PLACE;
    }
    if token.kind == TokenKind::Word {
        let mut characters = token.text.chars();
        let starts_upper = characters.next().is_some_and(char::is_uppercase);
        if starts_upper && token.text.len() > 2 && characters.all(char::is_lowercase) {
            found |= kinds::NAME;
        }
        if !DETERMINERS.contains(&token.word.as_ref()) {
            found |= kinds::BARE;
        }
        if token.word.len() > 3 && token.word.ends_with('s') && token.word != "this" {
            found |= kinds::PLURAL;
        }
    }
    found
}

/// Words behind which a particular thing stands, or that stand for one.
const DETERMINERS: [&str; 34] = [
    "the", "a", "an", "this", "that", "these", "those", "it", "them", "my", "your", "our", "his", "her",
    "their", "one", "first", "second", "third", "last", "other", "both", "either", "el", "la", "los", "las",
    "der", "die", "das", "le", "les", "o", "os",
];

/// A fast hash of short words. The tables are ours and fixed, so nobody can choose words that collide in them.
#[derive(Debug, Default)]
pub(super) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(place, byte)| *place = *byte);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }
}
