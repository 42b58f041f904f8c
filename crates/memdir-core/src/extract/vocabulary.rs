use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::dates::day_starts;
use super::places::{is_place, place_names};
use super::token::{Token, TokenKind, fold};

/// The words that the patterns of one language know, as numbers: comparing those is what makes reading fast.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    words: HashMap<Box<str>, Sign, BuildHasherDefault<WordHasher>>,
    classes: Vec<Class>,
}

#[derive(Debug)]
struct Class {
    name: Box<str>,
    words: Vec<(Box<str>, u32)>,
}

/// What is known about a word: its number, 0 if no pattern names it; the classes that it belongs to; its kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sign {
    pub(super) word: u32,
    pub(super) classes: u64,
    pub(super) kinds: u8,
    pub(super) marks: u8,
}

/// What is known about some words in whatever language, a bit each.
pub(super) mod marks {
    /// A particular thing follows it, or it means one.
    pub(in crate::extract) const DETERMINER: u8 = 1;
    /// The speaker speaks for a team.
    pub(in crate::extract) const WE: u8 = 2;
    /// The name of a day or of a span of time can start with it.
    pub(in crate::extract) const DAY: u8 = 4;
    /// The name of a place, perhaps only with a capital.
    pub(in crate::extract) const PLACE: u8 = 8;
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
        let bit = 1 << self.classes.len();
        let mut members = Vec::new();
        for word in words.split_whitespace() {
            let word = fold(word);
            let number = self.number(&word);
            if let Some(sign) = self.words.get_mut(word.as_ref()) {
                sign.classes |= bit;
            }
            members.push((word.into(), number));
        }
        self.classes.push(Class { name: name.into(), words: members });
        true
    }

    /// The bit of a class; 0 if there is none of that name.
    pub(super) fn class(&self, name: &str) -> u64 {
        self.classes.iter().position(|class| class.name.as_ref() == name).map_or(0, |place| 1 << place)
    }

    /// The words of some classes.
    pub(super) fn words_of(&self, classes: u64) -> impl Iterator<Item = (&str, u32)> {
        let own = self.classes.iter().enumerate().filter(move |(place, _)| classes >> place & 1 == 1);
        own.flat_map(|(_, class)| class.words.iter().map(|(word, number)| (word.as_ref(), *number)))
    }

    /// How many numbers there are, 0 included.
    pub(super) fn len(&self) -> usize {
        self.words.len() + 1
    }

    /// Adds what is known about words in whatever language, so that one question answers everything about a word. To be
    /// called when every pattern has been read: from then on no word gets a number.
    pub(super) fn add_marks(&mut self) {
        let lists: [(&mut dyn Iterator<Item = &str>, u8); 4] = [
            (&mut DETERMINERS.into_iter(), marks::DETERMINER),
            (&mut WE.into_iter(), marks::WE),
            (&mut day_starts(), marks::DAY),
            (&mut place_names(), marks::PLACE),
        ];
        for (words, mark) in lists {
            for word in words {
                self.words.entry(word.into()).or_default().marks |= mark;
            }
        }
    }

    /// What is known about a token.
    pub(super) fn sign(&self, token: &Token<'_>) -> Sign {
        let word = if token.kind == TokenKind::Number { "<num>" } else { token.word.as_ref() };
        let known = self.words.get(word).copied().unwrap_or_default();
        Sign { kinds: kinds_of(token, known.marks), ..known }
    }
}

fn kinds_of(token: &Token<'_>, known: u8) -> u8 {
    let mut found = match token.kind {
        TokenKind::Number => kinds::NUMBER,
        TokenKind::Address => kinds::ADDRESS,
        TokenKind::Quote => kinds::QUOTE,
        TokenKind::Code => kinds::CODE | kinds::BARE,
        TokenKind::Word | TokenKind::Mark => 0,
    };
    // A word that no list of places holds is none; what looks like code may be a channel.
    if (token.kind == TokenKind::Code || known & marks::PLACE != 0) && is_place(token) {
        found |= kinds::PLACE;
    }
    if token.kind == TokenKind::Word {
        let mut characters = token.text.chars();
        let starts_upper = characters.next().is_some_and(char::is_uppercase);
        if starts_upper && token.text.len() > 2 && characters.all(char::is_lowercase) {
            found |= kinds::NAME;
        }
        if known & marks::DETERMINER == 0 {
            found |= kinds::BARE;
        }
        if token.word.len() > 3 && token.word.ends_with('s') && token.word != "this" {
            found |= kinds::PLURAL;
        }
    }
    found
}

/// Words that a particular thing follows, or that mean one.
const DETERMINERS: [&str; 34] = [
    "the", "a", "an", "this", "that", "these", "those", "it", "them", "my", "your", "our", "his", "her",
    "their", "one", "first", "second", "third", "last", "other", "both", "either", "el", "la", "los", "las",
    "der", "die", "das", "le", "les", "o", "os",
];

/// The words by which a speaker speaks for a team.
const WE: [&str; 19] = [
    "we", "our", "us", "we're", "we've", "nosotros", "nuestro", "nuestra", "nos", "wir", "uns", "unser",
    "unsere", "nous", "notre", "on", "nosso", "nossa", "gente",
];

impl WordHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

/// A fast hash of short words. The tables are ours and fixed, so an attacker cannot choose words that collide in them.
#[derive(Debug, Default)]
pub(super) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        let (whole, rest) = bytes.as_chunks::<8>();
        for chunk in whole {
            self.mix(u64::from_le_bytes(*chunk));
        }
        // What is left is read in two halves that may overlap, which is quicker than byte by byte.
        match (rest.first_chunk::<4>(), rest.last_chunk::<4>(), rest) {
            (Some(first), Some(last), _) => {
                let halves = [u32::from_le_bytes(*first), u32::from_le_bytes(*last)].map(u64::from);
                self.mix(halves[0] | halves[1] << 32);
            }
            (_, _, [first, .., last]) => {
                let middle = rest.get(1).copied().unwrap_or_default();
                self.mix(u64::from(*first) | u64::from(middle) << 8 | u64::from(*last) << 16);
            }
            (_, _, [only]) => self.mix(u64::from(*only)),
            _ => {}
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.mix(u64::from(byte));
    }
}
