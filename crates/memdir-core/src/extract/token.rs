use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::language::Language;
use super::vocabulary::{Sign, WordHasher};

/// A piece of a sentence, as patterns see it.
#[derive(Debug, Clone)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    /// What was written.
    pub(super) text: &'t str,
    /// A word in lower case without accents, as patterns write it; a mark of punctuation as itself.
    pub(super) word: Cow<'t, str>,
    /// Whether a clause starts here, words that only link it to the one before left out.
    pub(super) starts_clause: bool,
    /// What the table of its language knows about it.
    pub(super) sign: Sign,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Number,
    Mark,
    /// A path, a name with underscores, or something between backticks.
    Code,
    /// Something between quotation marks: not what the speaker says.
    Quote,
    Address,
}

/// A sentence has no more pieces; what follows is left out.
const MOST_TOKENS: usize = 160;

/// Splits a sentence into pieces. What is in code and in quotation marks is one piece without words.
pub(super) fn tokens(sentence: &str, language: Language) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = sentence.get(at..).filter(|rest| !rest.is_empty()) {
        if tokens.len() == MOST_TOKENS {
            break;
        }
        let Some(first) = rest.chars().next() else { break };
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = match plain_word(rest, language) {
            Some(length) => (TokenKind::Word, length),
            None => piece(rest, sentence.get(..at).unwrap_or_default(), first, language),
        };
        let text = rest.get(..length).unwrap_or(rest);
        let word = match kind {
            TokenKind::Word => fold(text),
            TokenKind::Number | TokenKind::Mark => Cow::Borrowed(text),
            _ => Cow::Borrowed(""),
        };
        tokens.push(Token { kind, text, word, starts_clause: false, sign: Sign::default() });
        at += length.max(first.len_utf8());
    }
    tokens
}

/// How long the word is that starts here, where nothing but ASCII letters, digits, apostrophes and hyphens tells so:
/// nearly every piece of a sentence is one, and [`piece`] would come to the same answer more slowly.
fn plain_word(rest: &str, language: Language) -> Option<usize> {
    let bytes = rest.as_bytes();
    if !bytes.first()?.is_ascii_alphabetic() {
        return None;
    }
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'\'' | b'-');
    let length = bytes.iter().position(|byte| !in_word(byte)).unwrap_or(bytes.len());
    // A colon may belong to the scheme of an address.
    let ends =
        bytes.get(length).is_none_or(|next| next.is_ascii() && *next != b':' && !in_run(char::from(*next)));
    let word = rest.get(..length).filter(|_| ends)?;
    if language == Language::French && word.contains('\'') {
        return None;
    }
    Some(trimmed_run(word))
}

/// What is at the start of a text, and how many bytes of it.
fn piece(rest: &str, before: &str, first: char, language: Language) -> (TokenKind, usize) {
    if let Some(length) = opaque(rest, before) {
        let kind = if first == '`' { TokenKind::Code } else { TokenKind::Quote };
        return (kind, length);
    }
    if let Some(length) = address(rest) {
        return (TokenKind::Address, length);
    }
    if !first.is_alphanumeric() && !matches!(first, '#' | '@' | '/' | '~' | '.') {
        return (TokenKind::Mark, first.len_utf8());
    }
    let run = rest.find(|character: char| !in_run(character)).unwrap_or(rest.len());
    let run = trimmed_run(rest.get(..run).unwrap_or_default());
    if run == 0 {
        return (TokenKind::Mark, first.len_utf8());
    }
    let text = rest.get(..run).unwrap_or_default();
    if text.chars().all(|character| character.is_ascii_digit() || matches!(character, '.' | ',' | ':' | '%'))
    {
        return (TokenKind::Number, run);
    }
    let is_code = text.contains(['_', '/', '\\', '=', '$', '#', '~', '@']) || text.contains('.') && run > 2;
    if is_code && !is_abbreviation(text) {
        return (TokenKind::Code, run);
    }
    // In French what precedes an apostrophe is a word of its own.
    if language == Language::French
        && let Some(apostrophe) = text.find(['\'', '\u{2019}'])
        && apostrophe < 4
    {
        let mark = text.get(apostrophe..).and_then(|text| text.chars().next()).map_or(1, char::len_utf8);
        return (TokenKind::Word, apostrophe + mark);
    }
    (TokenKind::Word, run)
}

fn in_run(character: char) -> bool {
    character.is_alphanumeric()
        || matches!(
            character,
            '\'' | '\u{2019}' | '_' | '-' | '/' | '.' | '\\' | '=' | '$' | '#' | '@' | '~' | '%' | '+' | '*'
        )
}

/// The length of a run without the marks that only end it.
fn trimmed_run(run: &str) -> usize {
    run.trim_end_matches(['.', '-', '\'', '\u{2019}', '*', '~', '=']).len()
}

fn is_abbreviation(text: &str) -> bool {
    let lower = text.to_lowercase();
    matches!(lower.as_str(), "e.g" | "i.e" | "z.b" | "d.h" | "u.a" | "p.ex" | "and/or" | "etc")
}

/// How long a text between quotation marks or backticks is that starts here, marks included.
pub(super) fn opaque(rest: &str, before: &str) -> Option<usize> {
    let first = rest.chars().next()?;
    let closing = match first {
        '`' => '`',
        '"' => '"',
        '\u{201c}' | '\u{201e}' => '\u{201d}',
        '\u{ab}' => '\u{bb}',
        '\u{300c}' => '\u{300d}',
        '\u{300e}' => '\u{300f}',
        '\u{2018}' => '\u{2019}',
        '\'' if before.chars().next_back().is_none_or(|last| !last.is_alphanumeric()) => '\'',
        _ => return None,
    };
    let width = first.len_utf8();
    let inside = rest.get(width..)?;
    let end = match (first, closing) {
        // German closes with what opens elsewhere.
        ('\u{201e}', _) => inside.find(['\u{201d}', '\u{201c}'])?,
        ('\'' | '\u{2018}', _) => single_quote_end(inside, closing)?,
        _ => inside.find(closing)?,
    };
    let closing_width = inside.get(end..)?.chars().next()?.len_utf8();
    Some(width + end + closing_width)
}

/// An apostrophe inside a word does not close a quotation.
fn single_quote_end(inside: &str, closing: char) -> Option<usize> {
    inside.match_indices(closing).map(|(at, _)| at).take(8).find(|at| {
        let after = inside.get(at + closing.len_utf8()..).and_then(|after| after.chars().next());
        *at > 0 && after.is_none_or(|after| !after.is_alphanumeric())
    })
}

/// How long an address of the web is that starts here.
fn address(rest: &str) -> Option<usize> {
    let is_web = ["http://", "https://", "www."]
        .iter()
        .any(|scheme| rest.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    let ends =
        |byte: &u8| !byte.is_ascii() || matches!(byte, 9..=13 | b' ' | b'<' | b'>' | b'"' | b'`' | b')');
    let end = rest.bytes().position(|byte| ends(&byte)).unwrap_or(rest.len());
    let run = rest.get(..end)?.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'']);
    if is_web {
        return Some(run.len());
    }
    // `host.name/path`, as people paste it without a scheme.
    let (host, path) = run.split_once('/')?;
    let labels: Vec<&str> = host.split('.').collect();
    let looks_like_host = labels.len() > 1
        && labels.iter().all(|label| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
        && labels.last().is_some_and(|last| HOSTS.contains(last));
    (looks_like_host && !path.is_empty()).then_some(run.len())
}

/// The last labels of host names that people write without a scheme.
const HOSTS: [&str; 22] = [
    "com", "org", "net", "io", "dev", "internal", "local", "corp", "app", "example", "lan", "cloud", "intra",
    "de", "fr", "es", "br", "pt", "jp", "cn", "co", "test",
];

/// A word as patterns write it: lower case, no accents, straight apostrophes.
pub(super) fn fold(word: &str) -> Cow<'_, str> {
    let plain = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if plain {
        return Cow::Borrowed(word);
    }
    if word.is_ascii() {
        return Cow::Owned(word.to_ascii_lowercase());
    }
    let mut folded = String::with_capacity(word.len());
    for character in word.chars().flat_map(char::to_lowercase) {
        match character {
            '\u{300}'..='\u{36f}' => {}
            '\u{2019}' => folded.push('\''),
            'ß' => folded.push_str("ss"),
            'œ' => folded.push_str("oe"),
            'æ' => folded.push_str("ae"),
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                let plain =
                    std::iter::once(character).nfd().find(|part| !('\u{300}'..='\u{36f}').contains(part));
                folded.extend(plain);
            }
            _ => folded.push(character),
        }
    }
    Cow::Owned(folded)
}

/// Brings the forms that people write in English to the one that patterns know: `do not`, `dont` and `don't` are one.
pub(super) fn contract(tokens: &mut Vec<Token<'_>>) {
    for token in tokens.iter_mut().filter(|token| token.kind == TokenKind::Word) {
        if let Some(usual) = USUAL.get(token.word.as_ref()) {
            token.word = Cow::Borrowed(usual);
        }
    }
    let mut at = 0;
    while at + 1 < tokens.len() {
        let pair = (tokens.get(at), tokens.get(at + 1));
        let (Some(one), Some(other)) = pair else { break };
        // Every second half is one of these, so that the table is rarely asked.
        let may_join = matches!(other.word.as_ref(), "not" | "am" | "have" | "would" | "are" | "is" | "us");
        let joined = CONTRACTED
            .iter()
            .filter(|_| may_join)
            .find(|(first, second, _)| one.word == *first && other.word == *second);
        if let Some((_, _, joined)) = joined {
            tokens.remove(at + 1);
            if let Some(token) = tokens.get_mut(at) {
                token.word = Cow::Borrowed(joined);
            }
        }
        at += 1;
    }
}

/// [`MISSPELT`], to be asked for every word.
static USUAL: LazyLock<HashMap<&'static str, &'static str, BuildHasherDefault<WordHasher>>> =
    LazyLock::new(|| MISSPELT.into_iter().collect());

const MISSPELT: [(&str, &str); 18] = [
    ("dont", "don't"),
    ("doesnt", "doesn't"),
    ("didnt", "didn't"),
    ("im", "i'm"),
    ("ive", "i've"),
    ("cant", "can't"),
    ("cannot", "can't"),
    ("wont", "won't"),
    ("isnt", "isn't"),
    ("arent", "aren't"),
    ("thats", "that's"),
    ("heres", "here's"),
    ("shouldnt", "shouldn't"),
    ("youre", "you're"),
    ("pls", "please"),
    ("plz", "please"),
    ("u", "you"),
    ("lets", "let's"),
];

const CONTRACTED: [(&str, &str, &str); 24] = [
    ("do", "not", "don't"),
    ("does", "not", "doesn't"),
    ("did", "not", "didn't"),
    ("i", "am", "i'm"),
    ("i", "have", "i've"),
    ("i", "would", "i'd"),
    ("we", "are", "we're"),
    ("we", "have", "we've"),
    ("we", "would", "we'd"),
    ("that", "is", "that's"),
    ("can", "not", "can't"),
    ("is", "not", "isn't"),
    ("are", "not", "aren't"),
    ("must", "not", "mustn't"),
    ("should", "not", "shouldn't"),
    ("will", "not", "won't"),
    ("have", "not", "haven't"),
    ("has", "not", "hasn't"),
    ("need", "not", "needn't"),
    ("it", "is", "it's"),
    ("you", "are", "you're"),
    ("they", "are", "they're"),
    ("here", "is", "here's"),
    ("let", "us", "let's"),
];

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn the_short_way_to_a_word_comes_to_the_same(text in "[a-zA-Z'’./:#@_ é，0-9-]{1,24}") {
            for language in [Language::English, Language::French] {
                if let Some(length) = plain_word(&text, language) {
                    let first = text.chars().next().unwrap();
                    assert_eq!(piece(&text, "", first, language), (TokenKind::Word, length), "{text}");
                }
            }
        }
    }
}
