//! Cuts a text into sentences of tokens, each with what it means.

use unicode_normalization::UnicodeNormalization;

use super::address::{address_at, could_begin_address};
use super::concept::*;
use super::lexicon::meaning;

/// Sentences longer than this are looked at in pieces: words so far apart are not one order.
const LONGEST_SENTENCE: usize = 80;
/// How often one run of text without blanks is tried as an address: bounded, so that reading is linear.
const MOST_TRIES: usize = 4;
/// Words of the longest phrase in the lexicon.
const LONGEST_PHRASE: usize = 24;

/// One word, one character of a script without spaces, or one address.
#[derive(Debug, Clone, Default)]
pub(super) struct Token {
    word: String,
    /// What it means by itself (an address), before the lexicon is asked.
    pub(super) meaning: u128,
    /// Whether it is in quotation marks or a code span.
    pub(super) is_quoted: bool,
    /// Whether a colon follows.
    pub(super) has_colon: bool,
}

/// The tokens of one sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct Sentence {
    pub(super) tokens: Vec<Token>,
    /// What any of them means, so that most questions need no look at the tokens.
    all: u128,
}

/// All sentences of a folded text.
pub(super) fn sentences(folded: &str) -> Vec<Sentence> {
    let mut reader = Reader { sentences: Vec::new(), current: Sentence::default(), quote: None, tries: 0 };
    let mut rest = folded;
    while let Some(character) = rest.chars().next() {
        let taken = reader.take(rest, character);
        rest = rest.get(taken.max(1)..).unwrap_or_default();
    }
    reader.end_sentence();
    reader.sentences
}

/// Lower case without accents, compatibility forms, vowel signs of Arabic: one spelling for one word.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd()
        .filter(|c| !matches!(u32::from(*c), 0x300..=0x36F | 0x640 | 0x64B..=0x655 | 0x670))
        .nfc()
        .flat_map(char::to_lowercase)
        .fold(String::with_capacity(text.len()), |mut output, character| {
            match character {
                'ß' => output.push_str("ss"),
                '’' | 'ʼ' | '‘' => output.push('\''),
                'ı' => output.push('i'),
                'ł' => output.push('l'),
                'ø' => output.push('o'),
                character => output.push(character),
            }
            output
        })
}

/// The words of a folded text, as the reader would cut them.
pub(super) fn split_words(folded: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = folded;
    while let Some(character) = rest.chars().next() {
        let length = word_length(rest);
        if length > 0 {
            push_word(rest.get(..length).unwrap_or_default(), |word| words.push(word));
            rest = rest.get(length..).unwrap_or_default();
        } else {
            rest = rest.get(character.len_utf8()..).unwrap_or_default();
        }
    }
    words
}

struct Reader {
    sentences: Vec<Sentence>,
    current: Sentence,
    quote: Option<char>,
    /// How often the present run was tried as an address.
    tries: usize,
}

impl Reader {
    /// Takes what the rest begins with and says how many bytes that was.
    fn take(&mut self, rest: &str, character: char) -> usize {
        let length = character.len_utf8();
        if character.is_whitespace()
            || is_unspaced(character)
            || matches!(character, ',' | '|' | '"' | '`' | ';')
        {
            self.tries = 0;
        } else if self.tries < MOST_TRIES && could_begin_address(character) {
            self.tries += 1;
            if let Some((taken, meaning)) = address_at(rest) {
                self.push(String::new(), meaning);
                return taken;
            }
        }
        let word = word_length(rest);
        if word > 0 {
            push_word(rest.get(..word).unwrap_or_default(), |word| self.push(word, 0));
            return word;
        }
        let after = rest.get(length..).unwrap_or_default();
        match character {
            '`' | '"' => self.quote = if self.quote == Some(character) { None } else { Some(character) },
            '“' | '«' | '「' => self.quote = Some(character),
            '”' | '»' | '」' => self.quote = None,
            ':' | '：' => {
                if let Some(token) = self.current.tokens.last_mut() {
                    token.has_colon = true;
                }
            }
            '.' | '!' | '?' if after.chars().next().is_none_or(char::is_whitespace) => self.end_sentence(),
            '。' | '！' | '？' | '؟' | '।' => self.end_sentence(),
            '\n' if begins_block(after) => self.end_sentence(),
            _ => {}
        }
        length
    }

    fn push(&mut self, word: String, meaning: u128) {
        let is_quoted = self.quote.is_some();
        self.current.tokens.push(Token { word, meaning, is_quoted, has_colon: false });
        if self.current.tokens.len() >= LONGEST_SENTENCE {
            self.end_sentence();
        }
    }

    fn end_sentence(&mut self) {
        self.quote = None;
        let mut sentence = std::mem::take(&mut self.current);
        if sentence.tokens.is_empty() {
            return;
        }
        let words: Vec<&str> = sentence.tokens.iter().map(|token| token.word.as_str()).collect();
        let meanings: Vec<u128> = (0..words.len())
            .map(|start| {
                let end = words.len().min(start + LONGEST_PHRASE);
                meaning(words.get(start..end).unwrap_or_default())
            })
            .collect();
        for (token, meaning) in sentence.tokens.iter_mut().zip(meanings) {
            token.meaning |= meaning;
        }
        // An API key is a secret, whatever product the words of its name could belong to.
        let mut since_secret = usize::MAX;
        for token in &mut sentence.tokens {
            since_secret = if token.meaning & SECRET != 0 { 0 } else { since_secret.saturating_add(1) };
            if since_secret <= 2 || token.meaning & THEIR_SECRET != 0 {
                token.meaning &= !PRODUCT;
            }
        }
        self.sentences.push(sentence.summed());
    }
}

/// Whether a line that begins so is not the continuation of the one before.
fn begins_block(line: &str) -> bool {
    line.trim_start_matches([' ', '\t']).starts_with(['\n', '-', '*', '#', '>', '|', '•', '@', '<'])
        || line.starts_with(|c: char| c.is_ascii_digit())
}

/// The bytes of the word at the start: one character in scripts without spaces, else letters, digits and apostrophes.
fn word_length(rest: &str) -> usize {
    match rest.chars().next() {
        Some(character) if is_unspaced(character) => character.len_utf8(),
        Some(character) if is_word(character) => {
            let end = rest.find(|c: char| !(is_word(c) || c == '\'') || is_unspaced(c)).unwrap_or(rest.len());
            rest.get(..end).map_or(0, |word| word.trim_end_matches('\'').len())
        }
        _ => 0,
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(u32::from(character), 0x900..=0xDFF | 0x610..=0x61A)
}

/// Han, kana, Thai, Lao, Burmese, Khmer.
fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0xE00..=0xEFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x3400..=0x9FFF
        | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// One word, or two if an elided article or pronoun precedes it; contractions become one.
fn push_word(word: &str, mut push: impl FnMut(String)) {
    let bare = strip_arabic_article(word);
    match bare.split_once('\'') {
        Some((article, noun)) if article.chars().count() <= 2 && noun.chars().count() >= 3 => {
            push(article.to_owned());
            push(noun.replace('\'', ""));
        }
        _ => push(bare.replace('\'', "")),
    }
}

/// Arabic writes "and", "for" and "the" together with the word.
fn strip_arabic_article(word: &str) -> &str {
    let is_long = |rest: &str| rest.chars().count() >= 2;
    let rest = word.strip_prefix('و').filter(|rest| rest.chars().count() >= 4).unwrap_or(word);
    for article in ["ال", "لل", "بال"] {
        if let Some(noun) = rest.strip_prefix(article).filter(|noun| is_long(noun)) {
            return noun;
        }
    }
    rest
}

impl Token {
    /// Japanese, Korean, Hindi; and Chinese, which shares its characters with the first.
    fn is_verb_final(&self) -> bool {
        self.meaning & VERB_LAST != 0
            || self.word.chars().next().is_some_and(|c| matches!(u32::from(c), 0x900..=0x97F | 0x1100..))
    }
}

impl Sentence {
    /// The sentence without what it only quotes, if it speaks *about* such text.
    pub(super) fn without_mentions(mut self) -> Self {
        let speaks_about = self.tokens.iter().any(|token| !token.is_quoted && token.meaning & MENTION != 0);
        if speaks_about {
            for token in self.tokens.iter_mut().filter(|token| token.is_quoted) {
                token.meaning = 0;
            }
        }
        self.summed()
    }

    fn summed(mut self) -> Self {
        self.all = self.tokens.iter().fold(0, |sum, token| sum | token.meaning);
        self
    }

    /// Whether any token means one of these.
    pub(super) fn has(&self, meaning: u128) -> bool {
        self.all & meaning != 0
    }

    fn positions(&self, meaning: u128) -> impl Iterator<Item = usize> + '_ {
        let tokens = if self.has(meaning) { self.tokens.as_slice() } else { &[] };
        tokens
            .iter()
            .enumerate()
            .filter(move |(_, token)| token.meaning & meaning != 0)
            .map(|(index, _)| index)
    }

    /// Whether two such tokens are at most `distance` apart, in any order.
    pub(super) fn near(&self, first: u128, second: u128, distance: usize) -> bool {
        self.positions(first).any(|one| self.positions(second).any(|other| one.abs_diff(other) <= distance))
    }

    /// Whether the second follows the first within `distance`.
    pub(super) fn before(&self, first: u128, second: u128, distance: usize) -> bool {
        self.positions(first)
            .any(|one| self.positions(second).any(|other| one < other && other - one <= distance))
    }

    /// Like [`Self::before`], for a verb that is not negated; where verbs come last, the object may come first.
    pub(super) fn orders(&self, verb: u128, object: u128, distance: usize) -> bool {
        self.affirmed(verb).any(|one| {
            let is_verb_final = self.tokens.get(one).is_some_and(Token::is_verb_final);
            self.positions(object).any(|other| {
                one.abs_diff(other) <= distance && (one < other || (is_verb_final && one != other))
            })
        })
    }

    /// Like [`Self::near`], for a first token that is not negated.
    pub(super) fn asks(&self, verb: u128, object: u128, distance: usize) -> bool {
        self.affirmed(verb).any(|one| self.positions(object).any(|other| one.abs_diff(other) <= distance))
    }

    /// Tokens with this meaning and no negation shortly before them.
    fn affirmed(&self, meaning: u128) -> impl Iterator<Item = usize> + '_ {
        const REACH: usize = 4;
        self.positions(meaning).filter(|&position| {
            let before = self.tokens.get(position.saturating_sub(REACH)..position).unwrap_or_default();
            !before.iter().any(|token| token.meaning & NEGATION != 0)
        })
    }

    /// Whether any such token occurs without a negation shortly before it.
    pub(super) fn affirms(&self, meaning: u128) -> bool {
        self.affirmed(meaning).next().is_some()
    }

    /// Whether such a token is negated: by something shortly before it.
    pub(super) fn negates(&self, meaning: u128, object: u128, distance: usize) -> bool {
        const REACH: usize = 4;
        self.positions(meaning).any(|position| {
            // French puts the stronger half of its negation after the verb.
            let end = (position + 2).min(self.tokens.len());
            let around = self.tokens.get(position.saturating_sub(REACH)..end).unwrap_or_default();
            around.iter().any(|token| token.meaning & NEGATION != 0)
                && self.positions(object).any(|other| position < other && other - position <= distance)
        })
    }

    /// Whether nothing before the first such token negates it, however far.
    pub(super) fn starts_free(&self, meaning: u128) -> bool {
        self.positions(meaning).next().is_some_and(|position| {
            !self.tokens.iter().take(position).any(|token| token.meaning & NEGATION != 0)
        })
    }
}
