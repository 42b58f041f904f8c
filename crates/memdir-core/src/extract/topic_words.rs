use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use super::language::Language;
use super::token::fold;
use super::vocabulary::WordHasher;

/// The words that a text is about: no small words, none of those that withdraw or command; in texts without spaces,
/// the pairs of characters.
pub(super) fn topic_words(text: &str) -> HashSet<String> {
    topic_word_list(text).into_iter().collect()
}

/// The same in their order.
pub(super) fn topic_word_list(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in text.split(|character: char| !character.is_alphanumeric() && character != '\'') {
        if run.is_ascii() || run.chars().all(|character| character < '\u{2e80}') {
            let word = fold(run);
            let stem = word.trim_end_matches(['s', 'e', 'n']);
            let is_topic =
                word.len() > 2 && !Language::is_small_word(&word) && !OTHERS.contains(word.as_ref());
            if is_topic && !stem.is_empty() {
                words.push(stem.to_owned());
            }
            continue;
        }
        // Latin words are among the others without a space.
        for ascii in
            run.split(|character: char| !character.is_ascii_alphanumeric()).filter(|part| part.len() > 1)
        {
            words.push(ascii.to_ascii_lowercase().trim_end_matches(['s', 'e', 'n']).to_owned());
        }
        let characters: Vec<char> = run.chars().filter(|character| !character.is_ascii()).collect();
        for pair in characters.windows(2) {
            let is_kana = |character: char| ('\u{3041}'..='\u{309f}').contains(&character);
            let pair: String = pair.iter().collect();
            // Hiragana is grammar, mostly.
            if !pair.chars().any(is_kana) && !OTHERS.contains(pair.as_str()) {
                words.push(pair);
            }
        }
    }
    words
}

/// [`OTHER`], to be asked for every word.
static OTHERS: LazyLock<HashSet<&'static str, BuildHasherDefault<WordHasher>>> =
    LazyLock::new(|| OTHER.into_iter().collect());

const OTHER: [&str; 80] = [
    "each",
    "every",
    "all",
    "any",
    "forget",
    "said",
    "told",
    "scratch",
    "ignore",
    "rule",
    "thing",
    "mind",
    "changed",
    "actually",
    "earlier",
    "before",
    "never",
    "always",
    "don't",
    "use",
    "using",
    "please",
    "from",
    "now",
    "want",
    "like",
    "just",
    "that",
    "what",
    "about",
    "strike",
    "back",
    "take",
    "drop",
    "wait",
    "instead",
    "everywhere",
    "handles",
    "olvida",
    "dije",
    "usa",
    "siempre",
    "nunca",
    "regla",
    "vergiss",
    "gesagt",
    "habe",
    "verwenden",
    "oublie",
    "dit",
    "utilise",
    "toujours",
    "jamais",
    "regle",
    "esquece",
    "falei",
    "disse",
    "sempre",
    "regra",
    "刚才",
    "算了",
    "不算",
    "那条",
    "一律",
    "以后",
    "不要",
    "所以",
    "提交",
    "使用",
    "さっ",
    "常に",
    "必ず",
    "一",
    "project",
    "repo",
    "code",
    "file",
    "files",
    "codigo",
    "projekt",
];
