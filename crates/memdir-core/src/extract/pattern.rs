//! A small notation for phrases, and how they are found.
//!
//! A pattern is a row of elements with spaces between them:
//! `a|b_c` one of these words or rows of words · `x?` may be missing · `!a|b` must not follow · `~ing`, `inst~` a word
//! that ends or begins so, `~` any word · `@class` one of the words of a class · `<num>`, `<url>`, `<quote>`, `<code>`,
//! `<place>`, `<name>`, `<bare>`, `<plural>` pieces by their kind · `..` up to three pieces between, `...` up to eight ·
//! `^` a clause starts here, `^^` the sentence does · `$` the clause ends here.

use super::token::{Token, TokenKind, fold};
use super::vocabulary::{Sign, Vocabulary, kinds};

/// What is looked for, parsed.
#[derive(Debug, Default)]
pub(super) struct Pattern(pub(super) Vec<Element>);

#[derive(Debug)]
pub(super) enum Element {
    ClauseStart,
    SentenceStart,
    ClauseEnd,
    Gap(usize),
    /// One of these. `may` is quick to ask: whether a piece can be one of them at all.
    Any {
        options: Vec<Choice>,
        optional: bool,
        may: Pieces,
    },
    Not(Vec<Choice>),
}

#[derive(Debug)]
pub(super) enum Choice {
    /// A word by its number, and as it is written for texts without spaces.
    Word(u32, Box<str>),
    Row(Vec<u32>),
    Begins(Box<str>),
    Ends(Box<str>),
    /// The bits of a class.
    Class(u64),
    /// The bits of a kind.
    Kind(u8),
    AnyWord,
}

/// A search gives up after so many steps, so that no sentence is slow.
const MOST_STEPS: usize = 4_000;

impl Pattern {
    /// Reads the notation. What cannot be read is left out; a test reads every table.
    pub(super) fn parse(notation: &str, vocabulary: &mut Vocabulary) -> Self {
        Self(notation.split_whitespace().map(|text| element(text, vocabulary)).collect())
    }

    /// Whether the pattern, from its first real element on, matches at a token.
    pub(super) fn matches_at(&self, tokens: &[Token<'_>], at: usize) -> bool {
        let mut steps = MOST_STEPS;
        matches(&self.0, tokens, at, &mut steps)
    }

    /// What a sentence must hold for this pattern to match, besides the piece by which it is found: a piece of each
    /// of these sets.
    pub(super) fn needs(&self) -> Vec<Need> {
        let first = self.0.iter().position(|element| matches!(element, Element::Any { .. }));
        let firm =
            self.0.iter().skip(first.map_or(0, |first| first + 1)).filter_map(|element| match element {
                Element::Any { options, optional: false, .. } => Need::of(options),
                _ => None,
            });
        firm.collect()
    }

    /// Where the pattern can begin.
    pub(super) fn begins(&self) -> Begins {
        match self.0.first() {
            Some(Element::SentenceStart) => Begins::Sentence,
            Some(Element::ClauseStart) => Begins::Clause,
            _ => Begins::Anywhere,
        }
    }

    /// The choices by which the pattern is found: those of its first real element, and of the next where that may be
    /// missing.
    pub(super) fn first(&self) -> impl Iterator<Item = &Choice> {
        let mut is_over = false;
        let firsts = self.0.iter().map_while(move |element| match element {
            _ if is_over => None,
            Element::Any { options, optional, .. } => {
                is_over = !optional;
                Some(options.as_slice())
            }
            Element::ClauseStart | Element::SentenceStart => Some(&[][..]),
            _ => None,
        });
        firsts.flatten()
    }
}

/// Where a pattern can begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    Anywhere,
    Clause,
    Sentence,
}

/// Of what a sentence must hold a piece, for a pattern to match.
#[derive(Debug)]
pub(super) struct Need {
    pub(super) pieces: Pieces,
    words: Vec<u32>,
}

impl Need {
    fn of(options: &[Choice]) -> Option<Self> {
        let pieces = Pieces::any_of(options)?;
        let words = options.iter().filter_map(|option| match option {
            Choice::Word(word, _) => Some(*word),
            Choice::Row(row) => row.first().copied(),
            _ => None,
        });
        Some(Self { pieces, words: words.collect() })
    }

    /// Whether a sentence holds one of them.
    pub(super) fn is_met(&self, held: &Held) -> bool {
        if !self.pieces.meets(&held.pieces) {
            return false;
        }
        self.pieces.classes & held.pieces.classes != 0
            || self.pieces.kinds & held.pieces.kinds != 0
            || self.words.iter().any(|word| held.has(*word))
    }
}

/// The pieces of a sentence: as a coarse set, and word by word.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) pieces: Pieces,
    words: [u64; 64],
}

impl Held {
    pub(super) fn of(tokens: &[Token<'_>]) -> Self {
        let mut words = [0_u64; 64];
        for token in tokens {
            if let Some(bits) = words.get_mut((token.sign.word >> 6 & 63) as usize) {
                *bits |= 1 << (token.sign.word & 63);
            }
        }
        Self { pieces: Pieces::of(tokens), words }
    }

    fn has(&self, word: u32) -> bool {
        self.words.get((word >> 6 & 63) as usize).is_some_and(|bits| bits >> (word & 63) & 1 == 1)
    }
}

/// A set of pieces, coarse and quick: words by the last bits of their numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pieces {
    classes: u64,
    words: [u64; 4],
    kinds: u8,
}

impl Pieces {
    /// The set that every sentence meets.
    pub(super) const ANY: Self = Self { classes: u64::MAX, words: [u64::MAX; 4], kinds: u8::MAX };

    /// How much the set holds: the more, the less it tells.
    pub(super) fn width(&self) -> u32 {
        // A class means many words, and a kind most.
        let words: u32 = self.words.iter().map(|bits| bits.count_ones()).sum();
        words + self.classes.count_ones() * 16 + self.kinds.count_ones() * 64
    }

    /// The pieces of a sentence.
    pub(super) fn of(tokens: &[Token<'_>]) -> Self {
        let mut pieces = Self::default();
        for token in tokens {
            pieces.classes |= token.sign.classes;
            pieces.kinds |= token.sign.kinds;
            pieces.add_word(token.sign.word);
        }
        pieces
    }

    /// The pieces that some choices can begin with; `None` if that may be any word.
    fn any_of(options: &[Choice]) -> Option<Self> {
        let mut pieces = Self::default();
        for option in options {
            match option {
                Choice::Word(word, _) => pieces.add_word(*word),
                Choice::Row(row) => pieces.add_word(*row.first()?),
                Choice::Class(bits) => pieces.classes |= bits,
                Choice::Kind(bits) => pieces.kinds |= bits,
                Choice::Begins(_) | Choice::Ends(_) | Choice::AnyWord => return None,
            }
        }
        Some(pieces)
    }

    fn add_word(&mut self, word: u32) {
        if let Some(bits) = self.words.get_mut((word >> 6 & 3) as usize) {
            *bits |= 1 << (word & 63);
        }
    }

    /// Whether two sets may have a piece in common.
    pub(super) fn meets(&self, other: &Self) -> bool {
        // Without a branch for each: this is asked more often than anything else.
        let words = self.words.iter().zip(&other.words).fold(0, |all, (own, others)| all | own & others);
        words | self.classes & other.classes | u64::from(self.kinds & other.kinds) != 0
    }

    /// Whether a piece may be one of the set.
    fn may_hold(&self, sign: &Sign) -> bool {
        let words = self.words.get((sign.word >> 6 & 3) as usize).copied().unwrap_or(0);
        words >> (sign.word & 63) & 1 | self.classes & sign.classes | u64::from(self.kinds & sign.kinds) != 0
    }
}

fn element(text: &str, vocabulary: &mut Vocabulary) -> Element {
    match text {
        "^" => return Element::ClauseStart,
        "^^" => return Element::SentenceStart,
        "$" => return Element::ClauseEnd,
        ".." => return Element::Gap(3),
        "..." => return Element::Gap(8),
        _ => {}
    }
    let mut choices = |text: &str| text.split('|').map(|text| choice(text, vocabulary)).collect();
    if let Some(text) = text.strip_prefix('!') {
        return Element::Not(choices(text));
    }
    match text.strip_suffix('?').filter(|text| !text.is_empty()) {
        Some(text) => any(choices(text), true),
        None => any(choices(text), false),
    }
}

fn any(options: Vec<Choice>, optional: bool) -> Element {
    let may = Pieces::any_of(&options).unwrap_or(Pieces::ANY);
    Element::Any { options, optional, may }
}

fn choice(text: &str, vocabulary: &mut Vocabulary) -> Choice {
    if let Some(class) = text.strip_prefix('@') {
        return Choice::Class(vocabulary.class(class));
    }
    if let Some(kind) = kind(text) {
        return Choice::Kind(kind);
    }
    if text == "~" {
        return Choice::AnyWord;
    }
    let folded = fold(text);
    if let Some(end) = folded.strip_prefix('~') {
        return Choice::Ends(end.into());
    }
    if let Some(start) = folded.strip_suffix('~') {
        return Choice::Begins(start.into());
    }
    let words = folded.split('_').filter(|word| !word.is_empty());
    let numbers: Vec<u32> = words.map(|word| vocabulary.number(word)).collect();
    match numbers.as_slice() {
        [only] => Choice::Word(*only, folded.as_ref().into()),
        _ => Choice::Row(numbers),
    }
}

fn kind(text: &str) -> Option<u8> {
    Some(match text {
        "<num>" => kinds::NUMBER,
        "<url>" => kinds::ADDRESS,
        "<quote>" => kinds::QUOTE,
        "<code>" => kinds::CODE,
        "<place>" => kinds::PLACE,
        "<name>" => kinds::NAME,
        "<bare>" => kinds::BARE,
        "<plural>" => kinds::PLURAL,
        _ => return None,
    })
}

fn matches(elements: &[Element], tokens: &[Token<'_>], at: usize, steps: &mut usize) -> bool {
    let Some((element, rest)) = elements.split_first() else { return true };
    let Some(left) = steps.checked_sub(1) else { return false };
    *steps = left;
    match element {
        Element::ClauseStart => {
            tokens.get(at).is_some_and(|token| token.starts_clause) && matches(rest, tokens, at, steps)
        }
        Element::SentenceStart => {
            let before = tokens.get(..at).unwrap_or_default();
            let only_links = before.iter().all(|token| token.starts_clause || token.kind == TokenKind::Mark);
            let starts = tokens.get(at).is_some_and(|token| token.starts_clause);
            starts && only_links && matches(rest, tokens, at, steps)
        }
        Element::ClauseEnd => {
            let ends = tokens.get(at).is_none_or(|token| token.kind == TokenKind::Mark);
            ends && matches(rest, tokens, at, steps)
        }
        Element::Gap(most) => {
            let last = tokens.len().min(at + most);
            (at..=last).any(|at| matches(rest, tokens, at, steps))
        }
        Element::Not(options) => {
            let found = options.iter().any(|option| length(option, tokens, at).is_some());
            !found && matches(rest, tokens, at, steps)
        }
        Element::Any { options, optional, may } => {
            let may_stand = tokens.get(at).is_some_and(|token| may.may_hold(&token.sign));
            let taken = may_stand
                && options.iter().any(|option| {
                    length(option, tokens, at).is_some_and(|length| matches(rest, tokens, at + length, steps))
                });
            taken || *optional && matches(rest, tokens, at, steps)
        }
    }
}

/// How many tokens a choice takes at a place, if it matches there.
fn length(choice: &Choice, tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let token = tokens.get(at)?;
    let is_word = token.kind == TokenKind::Word;
    let matches = match choice {
        Choice::Word(wanted, _) => token.sign.word == *wanted,
        Choice::Row(row) => {
            let following = tokens.get(at..at + row.len())?.iter().zip(row);
            return following
                .into_iter()
                .all(|(token, wanted)| token.sign.word == *wanted)
                .then_some(row.len());
        }
        Choice::Begins(start) => is_word && token.word.starts_with(start.as_ref()),
        Choice::Ends(end) => {
            is_word && token.word.len() > end.len() + 1 && token.word.ends_with(end.as_ref())
        }
        Choice::Class(bits) => token.sign.classes & bits != 0,
        Choice::AnyWord => is_word,
        Choice::Kind(bits) => token.sign.kinds & bits != 0,
    };
    matches.then_some(1)
}
