//! From text to terms: what counts as a word, and which words count as the same.
//!
//! The same rules read documents and queries, so a change here needs a new [`VERSION`]: an index made under other
//! rules is rebuilt.

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};
use stopwords::Weight;

mod abbreviations;
mod fold;
mod irregular;
mod stopwords;
mod term;
#[cfg(test)]
mod tests;
mod words;

pub use term::Term;
pub(crate) use term::{KeyMap, KeySet, TermMap};
pub use words::{Word, words};

/// Changes whenever the same text would give other terms than before.
pub const VERSION: u32 = 1;

/// The longest word that is looked at; what is longer is data, not language.
const MAX_WORD: usize = 64;

/// The longest run of ideographs that is taken as one; words further on in it are not found.
const MAX_RUN: usize = 1_024;

/// The role of a term in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A word that says what the text is about; these make up the text's length.
    Word,
    /// A word that says little.
    Weak,
    /// Another form under which a word is found: an identifier as a whole, the beginning of a hash.
    Whole,
}

/// The words of a text as people compare them: lower case, without accents, one space in between.
pub(crate) fn fold_text(text: &str) -> String {
    text.split_whitespace().map(fold::fold).collect::<Vec<_>>().join(" ")
}

/// Turns words into terms. Keeps what it has seen, because words repeat.
pub struct Analyzer {
    stemmer: Stemmer,
    seen: HashMap<Box<str>, Box<[Emission]>>,
}

#[derive(Debug, Clone)]
struct Emission {
    term: Term,
    text: Box<str>,
    sort: Sort,
}

impl Emission {
    fn new(text: String, sort: Sort) -> Self {
        Self { term: Term::of(&text), text: text.into(), sort }
    }
}

/// How many words are kept; beyond it the memory of words starts afresh.
const MAX_SEEN: usize = 50_000;

impl Default for Analyzer {
    fn default() -> Self {
        Self::new()
    }
}

impl Analyzer {
    /// One that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), seen: HashMap::new() }
    }

    /// Hands every term of the text to `each`: the term, its text, and what it is to the text.
    pub fn each_term(&mut self, text: &str, mut each: impl FnMut(Term, &str, Sort)) {
        for word in words(text) {
            if let Some(known) = self.seen.get(word.text()) {
                known.iter().for_each(|emission| each(emission.term, &emission.text, emission.sort));
                continue;
            }
            let emissions = self.analyze(word);
            emissions.iter().for_each(|emission| each(emission.term, &emission.text, emission.sort));
            if self.seen.len() >= MAX_SEEN {
                self.seen.clear();
            }
            self.seen.insert(word.text().into(), emissions.into());
        }
    }

    fn analyze(&self, word: Word<'_>) -> Vec<Emission> {
        match word {
            Word::Ideographs(run) => ideographs(run),
            Word::Plain(text) if text.len() > MAX_WORD => Vec::new(),
            Word::Plain(text) => self.plain(text),
        }
    }

    fn plain(&self, text: &str) -> Vec<Emission> {
        let mut emissions = Vec::new();
        let pieces = words::pieces(text);
        for piece in &pieces {
            let folded = fold::fold(piece);
            match stopwords::weight(&folded) {
                _ if folded.is_empty() => {}
                Weight::None => {}
                Weight::Little => emissions.push(Emission::new(self.stem(&folded), Sort::Weak)),
                Weight::Full => emissions.push(Emission::new(self.stem(&folded), Sort::Word)),
            }
        }
        if pieces.len() > 1 {
            emissions.push(Emission::new(fold::fold(text), Sort::Whole));
        } else if let Some(start) = hash_start(text) {
            emissions.push(Emission::new(start, Sort::Whole));
        }
        emissions
    }

    fn stem(&self, folded: &str) -> String {
        let long = abbreviations::long_form(folded).unwrap_or(folded);
        if !long.bytes().all(|byte| byte.is_ascii_lowercase()) || long.len() < 3 {
            return long.to_owned();
        }
        let regular = irregular::base_form(long).unwrap_or(long);
        self.stemmer.stem(regular).into_owned()
    }
}

/// Text without spaces between words is cut into overlapping pairs of characters.
fn ideographs(run: &str) -> Vec<Emission> {
    let folded: Vec<char> = fold::fold(run).chars().take(MAX_RUN).collect();
    let word = |text: String| Emission::new(text, Sort::Word);
    match folded.as_slice() {
        [] => Vec::new(),
        [single] => vec![word(single.to_string())],
        several => several.windows(2).map(|pair| word(pair.iter().collect())).collect(),
    }
}

/// The first seven digits of what looks like a hash, so that its short form finds the long one.
fn hash_start(text: &str) -> Option<String> {
    let is_hash = (7..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_hash.then(|| format!("#{}", text.get(..7).unwrap_or_default().to_ascii_lowercase()))
}
