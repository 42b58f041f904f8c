//! The words of a language with which people open, close and link what they say.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::language::Language;

/// The `[text …]` sections of a language's table.
pub(super) struct TextWords {
    /// Words that open a turn and say nothing a month later, the longest first.
    pub(super) openings: Vec<String>,
    /// Words that close one.
    pub(super) closings: Vec<String>,
    /// Words of the first person, and what a note says instead.
    pub(super) persons: HashMap<String, String>,
    /// Words before a reason.
    pub(super) reasons: Vec<String>,
    /// Words that limit what was said before: a text is not cut before them.
    pub(super) limits: Vec<String>,
    /// Articles and the like, of which a title has none if it is long.
    pub(super) articles: Vec<String>,
    /// Words that link and cannot end a title.
    pub(super) links: Vec<String>,
    /// Words at which a title ends, because they tell something of its subject.
    pub(super) tells: Vec<String>,
    /// Words of politeness, which say nothing wherever they are.
    pub(super) fillers: Vec<String>,
    /// Words with which a title does not begin, the longest first.
    pub(super) skips: Vec<String>,
    /// Whether words have no spaces between them.
    pub(super) is_dense: bool,
}

impl TextWords {
    pub(super) fn of(language: Language) -> &'static Self {
        static WORDS: LazyLock<HashMap<Language, TextWords>> = LazyLock::new(|| {
            Language::ALL.into_iter().map(|language| (language, TextWords::read(language))).collect()
        });
        static NONE: LazyLock<TextWords> = LazyLock::new(|| TextWords::parse("", false));
        WORDS.get(&language).unwrap_or(&NONE)
    }

    fn read(language: Language) -> Self {
        Self::parse(language.table(), language.is_eastern())
    }

    fn parse(table: &str, is_dense: bool) -> Self {
        let mut sections: HashMap<&str, Vec<String>> = HashMap::new();
        let mut section = "";
        for line in table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(name) => section = name,
                None if section.starts_with("text ") => {
                    sections.entry(section).or_default().extend(line.split('|').map(str::to_owned));
                }
                None => {}
            }
        }
        let mut take = |name: &str| sections.remove(name).unwrap_or_default();
        let persons = take("text person").into_iter();
        let mut words = Self {
            openings: take("text opening"),
            closings: take("text closing"),
            persons: persons
                .filter_map(|pair| {
                    pair.split_once('=').map(|(one, other)| (one.to_owned(), other.to_owned()))
                })
                .collect(),
            reasons: take("text reason"),
            limits: take("text limit"),
            articles: take("text article"),
            links: take("text link"),
            tells: take("text tell"),
            fillers: take("text filler"),
            skips: take("text skip"),
            is_dense,
        };
        words.openings.sort_by_key(|opening| std::cmp::Reverse(opening.len()));
        words.skips.sort_by_key(|skip| std::cmp::Reverse(skip.len()));
        words.closings.sort_by_key(|closing| std::cmp::Reverse(closing.len()));
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_words_for_texts() {
        for language in Language::ALL {
            let words = TextWords::of(language);
            assert!(!words.openings.is_empty() && !words.closings.is_empty(), "{language:?}");
            assert!(!words.persons.is_empty() && !words.reasons.is_empty(), "{language:?}");
        }
    }
}
