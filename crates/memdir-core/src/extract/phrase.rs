//! A statement as a note says it: a title, a name and one sentence, without what belongs to the conversation.
//!
//! Each language brings its own words for this in the last sections of its table (`[text …]` in `cues/`).

use super::language::Language;
use crate::content_hash::ContentHash;
use crate::memory::topic::{client_slug, one_line};

mod person;
mod title;
mod words;

use words::TextWords;

/// A description fits into one line of the index.
pub(super) const LONGEST_DESCRIPTION: usize = 110;
/// A name is a file's stem, and is read in lists.
const LONGEST_NAME: usize = 40;

/// What a memory is called and what it says in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    /// Two to five words that name the subject.
    pub(crate) title: String,
    /// The title as a file's stem.
    pub(crate) name: String,
    /// The rule or the fact in one sentence.
    pub(crate) description: String,
}

impl Phrase {
    /// The phrase for a sentence that a person said. `reason` is the part of it that gives the reason, if there is one. A rule is
    /// not cut before its condition.
    pub(crate) fn of(sentence: &str, reason: Option<&str>, is_rule: bool) -> Self {
        let language = Language::of(sentence, Language::English);
        let words = TextWords::of(language);
        let line = one_line(sentence);
        let bare = without_fillers(&without_residue(&line, words), words);
        let note = person::in_third_person(&bare, language, words);
        let description = closed(&capital(&fitting(&note, reason, words, is_rule)), language);
        let title = title::title(&description, words, language);
        Self { name: name(&title), title, description }
    }
}

/// The title as a name that is safe in a path. Letters of other scripts stay: the client names files so, too.
pub(crate) fn name(title: &str) -> String {
    let plain = title.replace(['\'', '’', '`'], "");
    let slug = if plain.is_ascii() {
        client_slug(&plain)
    } else {
        // A small İ has a combining dot, which does not belong into a name.
        let lower = plain.chars().flat_map(char::to_lowercase).filter(|letter| *letter != '\u{307}');
        let joined: String =
            lower.map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
        joined.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
    };
    let mut short = slug.as_str();
    while short.chars().count() > LONGEST_NAME {
        let end = short.char_indices().nth(LONGEST_NAME).map_or(short.len(), |(at, _)| at);
        let cut = short.get(..end).unwrap_or(short);
        short = cut.rsplit_once('-').map_or(cut, |(words, _)| words);
    }
    // The index has this name on disks that do not tell capitals apart.
    if matches!(short, "memory" | "memory-overflow") {
        return "about-memory".to_owned();
    }
    if !short.is_empty() {
        return short.to_owned();
    }
    let hash = ContentHash::of(title.as_bytes()).to_string();
    format!("memory-{}", hash.get(hash.len().saturating_sub(6)..).unwrap_or_default())
}

/// A sentence without the words of politeness inside it.
fn without_fillers(sentence: &str, words: &TextWords) -> String {
    let mut kept: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        let bare = word.trim_end_matches([',', '.', '!', ':']);
        if words.fillers.contains(&bare.to_lowercase()) {
            let mark = word.get(bare.len()..).unwrap_or_default();
            if let Some(last) = kept.last_mut().filter(|last| !last.ends_with([',', ';', ':'])) {
                last.push_str(mark);
            }
        } else {
            kept.push(word.to_owned());
        }
    }
    kept.join(" ")
}

/// A sentence without what only opens or closes a turn: "no,", "ok so", "please", "thanks".
fn without_residue(sentence: &str, words: &TextWords) -> String {
    let mut rest = sentence.trim();
    loop {
        let before = rest;
        for opening in &words.openings {
            let (opening, needs_mark) =
                opening.strip_suffix('!').map_or((opening.as_str(), false), |opening| (opening, true));
            let Some(behind) = strip_start(rest, opening) else { continue };
            // `No emojis` and `well-known` do not open anything.
            let is_marked = behind.starts_with(MARKS) && !behind.starts_with('-')
                || behind.starts_with("- ")
                || behind.starts_with(" -")
                || behind.starts_with([' ']) && behind.trim_start().starts_with(['–', '—']);
            let is_open = is_marked || !needs_mark && (behind.starts_with(' ') || words.is_dense);
            let behind = behind.trim_start_matches(MARKS).trim_start();
            let behind = behind.trim_start_matches(|mark: char| MARKS.contains(&mark) || mark == ' ');
            if is_open && behind.chars().any(char::is_alphanumeric) {
                rest = behind;
            }
        }
        if rest == before {
            break;
        }
    }
    loop {
        let before = rest;
        rest = rest.trim_end_matches([' ', '.', '!', '。', '！', ',', '，', ';', '…', '?', '？']);
        rest = [":)", ":-)", ";)", ":D", "^^"]
            .into_iter()
            .find_map(|smile| rest.strip_suffix(smile))
            .unwrap_or(rest);
        for closing in &words.closings {
            let Some(front) = strip_end(rest, closing) else { continue };
            let is_own = front.ends_with([',', ' ', '，', '、', '.', '-', '–', '—']) || words.is_dense;
            let front = front.trim_end_matches([',', ' ', '，', '、', '.', '-', '–', '—']);
            if is_own && front.chars().filter(|letter| letter.is_alphanumeric()).count() > 3 {
                rest = front;
            }
        }
        if rest == before {
            break;
        }
    }
    if rest.chars().any(char::is_alphanumeric) { rest.to_owned() } else { sentence.trim().to_owned() }
}

/// Marks behind an opening.
const MARKS: [char; 14] = [',', '.', ':', '!', ';', '，', '、', '。', '！', '：', '-', '–', '—', '…'];

fn strip_start<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    let head = text.get(..start.len())?;
    same(head, start).then(|| text.get(start.len()..)).flatten()
}

fn strip_end<'t>(text: &'t str, end: &str) -> Option<&'t str> {
    let at = text.len().checked_sub(end.len())?;
    same(text.get(at..)?, end).then(|| text.get(..at)).flatten()
}

/// Whether two texts of the same length differ in case alone, and in the form of an apostrophe.
fn same(one: &str, other: &str) -> bool {
    one == other || one.to_lowercase() == other
}

/// The sentence, shortened to its first clauses where it is too long: the reason goes first.
fn fitting(sentence: &str, reason: Option<&str>, words: &TextWords, is_rule: bool) -> String {
    let length = |text: &str| text.chars().count();
    // The full stop counts.
    let most = LONGEST_DESCRIPTION - 1;
    if length(sentence) <= most {
        return sentence.to_owned();
    }
    let without_reason = words
        .reasons
        .iter()
        .filter_map(|link| place_of(sentence, link, words.is_dense))
        .chain(reason.and_then(|reason| sentence.find(reason.trim())))
        .filter(|at| sentence.get(..*at).is_some_and(|front| length(front) > 24))
        .min()
        .and_then(|at| sentence.get(..at))
        .map(|front| bare_end(front, words));
    let sentence = without_reason.unwrap_or(sentence);
    if length(sentence) <= most {
        return sentence.to_owned();
    }
    // A clause is left out only where what is before it still says the same.
    let clauses = sentence.char_indices().enumerate().filter(|(count, (at, mark))| {
        let behind = sentence.get(at + mark.len_utf8()..).unwrap_or_default();
        let ends = matches!(mark, ',' | ';' | '，' | '；' | '、' | '。' | '：')
            && (behind.starts_with(' ') || !mark.is_ascii())
            || matches!(mark, '(' | '–' | '—')
            || matches!(mark, '.' | '!' | ':') && behind.starts_with(' ');
        let next = behind.trim_start().to_lowercase();
        let limits = is_rule && words.limits.iter().any(|word| next.starts_with(word.as_str()));
        ends && !limits && *count <= most && *count > most / 3
    });
    if let Some((_, (at, _))) = clauses.last() {
        return bare_end(sentence.get(..at).unwrap_or(sentence), words).to_owned();
    }
    let cut: String = sentence.chars().take(most - 1).collect();
    let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(front, _)| front);
    format!("{}…", bare_end(cut, words))
}

/// A text without the words at its end that lead on to something.
fn bare_end<'t>(text: &'t str, words: &TextWords) -> &'t str {
    let mut text = text.trim_end_matches([' ', ',', ';', ':', '(', '–', '—', '-', '，', '、', '；', '：']);
    while let Some((front, last)) = text.rsplit_once(' ') {
        if !words.links.contains(&last.to_lowercase()) {
            break;
        }
        text = front.trim_end_matches([' ', ',', ';', ':', '(', '–', '—', '-']);
    }
    text
}

/// Where words are in a text as words of their own.
fn place_of(text: &str, link: &str, is_dense: bool) -> Option<usize> {
    let lower = text.to_lowercase();
    let wanted = match (is_dense, link.starts_with(',')) {
        (true, _) => link.to_owned(),
        (false, true) => format!("{link} "),
        (false, false) => format!(" {link} "),
    };
    (lower.len() == text.len()).then(|| lower.find(&wanted)).flatten()
}

/// A text with a capital at its beginning, unless a name of code is there.
fn capital(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_plain =
        first.chars().all(|letter| letter.is_lowercase() || matches!(letter, '\'' | '’' | ',' | '-' | ';'));
    let mut letters = text.chars();
    match letters.next().filter(|_| is_plain) {
        Some(letter) => format!("{}{}", letter.to_uppercase(), letters.as_str()),
        None => text.to_owned(),
    }
}

/// A reason as a note gives it.
pub(super) fn reason(text: &str) -> String {
    let language = Language::of(text, Language::English);
    let words = TextWords::of(language);
    let line = without_residue(&one_line(text), words);
    let note = capital(&person::in_third_person(&line, language, words));
    closed(&note, language)
}

/// A sentence with a full stop.
fn closed(text: &str, language: Language) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?', '。', '！', '？', '…']) {
        return text.to_owned();
    }
    format!("{text}{}", if language.is_eastern() { "。" } else { "." })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, title: &str, name: &str, description: &str) {
        let phrase = Phrase::of(sentence, None, true);
        let found = (phrase.title.as_str(), phrase.name.as_str(), phrase.description.as_str());
        assert_eq!(found, (title, name, description), "{sentence}");
    }

    #[test]
    fn a_statement_is_said_as_a_note_says_it() {
        check(
            "No, don't add dependencies without asking!",
            "Don't add dependencies without asking",
            "dont-add-dependencies-without-asking",
            "Don't add dependencies without asking.",
        );
        check(
            "ok so I'm the only backend developer here",
            "Only backend developer here",
            "only-backend-developer-here",
            "The user is the only backend developer here.",
        );
        check("以后不要顺便升级依赖。", "不要顺便升级依赖", "不要顺便升级依赖", "不要顺便升级依赖。");
    }

    #[test]
    fn what_says_no_stays() {
        check(
            "No emojis in commits please",
            "No emojis in commits",
            "no-emojis-in-commits",
            "No emojis in commits.",
        );
        check(
            "stop adding docstrings, they go stale",
            "Stop adding docstrings",
            "stop-adding-docstrings",
            "Stop adding docstrings, they go stale.",
        );
        check("不要用 npm", "不要用 npm", "不要用-npm", "不要用 npm。");
    }

    #[test]
    fn a_long_sentence_is_cut_at_a_clause_and_never_before_a_limit() {
        let long = "Every public endpoint of the billing service answers with problem details in the form of the standard, \
                    except the health check, which answers with plain text for the load balancer";
        let phrase = Phrase::of(long, None, true);
        assert!(phrase.description.chars().count() <= LONGEST_DESCRIPTION, "{phrase:?}");
        assert!(phrase.description.ends_with('…'), "{phrase:?}");
    }
}
