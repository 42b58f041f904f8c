//! From what was said to a memory that can be written.

use jiff::civil::Date;

use super::judge::{Kind, Statement};
use super::language::Language;
use super::token::fold;
use super::{Extracted, Source};
use crate::content_hash::ContentHash;
use crate::memory::memory_type::MemoryType;
use crate::memory::topic::{client_slug, one_line};

/// A description is one line of the index.
const DESCRIPTION_CHARACTERS: usize = 120;
/// Said where a reason is missing.
pub(super) const NO_REASON: &str = "The user gave no reason.";
const NAME_WORDS: usize = 6;
const NAME_BYTES: usize = 56;

/// The memory that a statement becomes.
pub(super) fn compose(statement: &Statement, source: Source, said: Option<Date>) -> Extracted {
    let memory_type = match statement.kind {
        Kind::User => MemoryType::User,
        Kind::Feedback => MemoryType::Feedback,
        Kind::Project => MemoryType::Project,
        Kind::Reference => MemoryType::Reference,
    };
    let text = capital(&tidied(&statement.text));
    let why = statement.reason.as_deref().map_or_else(|| NO_REASON.to_owned(), because);
    let how = match (statement.kind, statement.day) {
        (Kind::User, _) => "Fit explanations and proposals to this.".to_owned(),
        (Kind::Feedback, _) => "Work this way in this project until the user says otherwise.".to_owned(),
        (Kind::Project, Some(day)) => {
            format!("Plan with this in mind; it turns on {day}, so check what holds after that day.")
        }
        (Kind::Project, None) => "Let plans and suggestions agree with this.".to_owned(),
        (Kind::Reference, _) => "Look there, or point there, when it comes up.".to_owned(),
    };
    let mut body = format!("{text}\n\n**Why:** {why}\n**How to apply:** {how}\n");
    if let Some(said) = said {
        body.push_str(&format!("**Said:** {said}\n"));
    }
    Extracted {
        name: name(memory_type.as_str(), main_part(&text, statement.reason.as_deref())),
        description: shortened(&one_line(&text), DESCRIPTION_CHARACTERS),
        memory_type,
        body,
        source,
        cues: Vec::new(),
        is_lesson: false,
        updates: None,
    }
}

/// A text up to its reason: that is what a name is made of.
fn main_part<'t>(text: &'t str, reason: Option<&str>) -> &'t str {
    const LINKS: [&str; 12] = [
        "because",
        "since",
        "so that",
        "otherwise",
        "due to",
        "weil",
        "sonst",
        "porque",
        "parce que",
        "car",
        "pois",
        ",",
    ];
    let Some(at) = reason.and_then(|reason| text.find(reason)).filter(|at| *at > 12) else { return text };
    let mut main = text.get(..at).unwrap_or(text);
    loop {
        let bare = main.trim_end();
        let shorter = LINKS.iter().find_map(|link| bare.strip_suffix(link)).unwrap_or(bare);
        if shorter == main {
            return main;
        }
        main = shorter;
    }
}

/// A text with a capital at its beginning, unless a name of code stands there.
fn capital(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_plain = first
        .chars()
        .all(|character| character.is_lowercase() || matches!(character, '\'' | '’' | ',' | ':'));
    let mut characters = text.chars();
    match characters.next().filter(|_| is_plain) {
        Some(letter) => format!("{}{}", letter.to_uppercase(), characters.as_str()),
        None => text.to_owned(),
    }
}

/// A reason as a sentence: what stood behind `because of` needs these words again.
fn because(reason: &str) -> String {
    let is_of = reason.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("of "));
    if is_of { sentence(&format!("because {reason}")) } else { sentence(reason) }
}

/// One sentence with a capital and a full stop.
fn sentence(text: &str) -> String {
    let text = tidied(text);
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let rest = characters.as_str();
    let stop = if rest.ends_with(['.', '!', '?', '。', '！', '…']) { "" } else { "." };
    format!("{first}{rest}{stop}")
}

/// What was said without the noise around it.
pub(super) fn tidied(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = folded.as_str();
    // Words that only open a turn say nothing a month later.
    loop {
        let before = rest;
        for opening in OPENINGS {
            let Some(start) = rest.get(..opening.len()) else { continue };
            let behind = rest.get(opening.len()..).unwrap_or_default();
            if start.eq_ignore_ascii_case(opening) && behind.starts_with([',', ' ', '.', ':', '!']) {
                rest = behind.trim_start_matches([',', ' ', '.', ':', '!']);
            }
        }
        if rest == before || rest.is_empty() {
            break;
        }
    }
    let rest = if rest.is_empty() { folded.as_str() } else { rest };
    shortened(rest, 700)
}

const OPENINGS: [&str; 37] = [
    "but",
    "one thing",
    "one more thing",
    "quick one",
    "quick intro",
    "actually",
    "right",
    "good",
    "great",
    "thanks",
    "perfect",
    "nice",
    "hm",
    "found it",
    "sigh",
    "ugh",
    "morning",
    "btw",
    "also",
    "ok",
    "okay",
    "hey",
    "hmm",
    "oh",
    "well",
    "so",
    "and",
    "by the way",
    "fyi",
    "heads up",
    "wait",
    "hi",
    "claude",
    "ah",
    "yeah",
    "oye",
    "na ja",
];

pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most).collect();
    let end = cut.rfind(' ').filter(|end| *end > cut.len() / 2).unwrap_or(cut.len());
    format!("{}…", cut.get(..end).unwrap_or(&cut).trim_end_matches([' ', ',', ';', ':', '.']))
}

/// A name that the client keeps as it is: the words that carry the meaning, in ASCII.
pub(super) fn name(prefix: &str, text: &str) -> String {
    let mut name = prefix.to_owned();
    let (mut taken, mut after_month) = (0, false);
    // A date that was written out behind its words tells nothing in a name.
    let undated = without_dates(text);
    for word in undated.split(|character: char| !character.is_alphanumeric() && character != '\'') {
        let folded = fold(word);
        let slug = client_slug(&folded.replace('\'', ""));
        let is_small = Language::is_small_word(&folded) && !KEPT.contains(&folded.as_ref());
        let is_day = after_month && slug.len() < 3 && slug.bytes().all(|byte| byte.is_ascii_digit());
        after_month = MONTHS.contains(&slug.as_str());
        let is_opening = matches!(slug.as_str(), "im" | "ive" | "id" | "please" | "youre" | "its" | "thats");
        if slug.is_empty()
            || slug.len() > 24
            || is_small
            || is_opening
            || is_day
            || after_month
            || is_passing(&slug)
        {
            continue;
        }
        if taken == NAME_WORDS || name.len() + slug.len() + 1 > NAME_BYTES {
            break;
        }
        name.push('-');
        name.push_str(&slug);
        taken += 1;
    }
    // Two words are too few to tell memories apart; a text without Latin letters has none.
    if taken < 2 {
        let hash = ContentHash::of(text.as_bytes()).to_string();
        name.push('-');
        name.push_str(hash.get(hash.len().saturating_sub(6)..).unwrap_or("x"));
    }
    name
}

/// A text without the dates in parentheses that were put behind its days.
fn without_dates(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(" (") {
        kept.push_str(before);
        match behind.split_once(')').filter(|(date, _)| date.parse::<Date>().is_ok()) {
            Some((_, behind)) => rest = behind,
            None => {
                kept.push_str(" (");
                rest = behind;
            }
        }
    }
    kept.push_str(rest);
    kept
}

const MONTHS: [&str; 11] = [
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Pieces of addresses, the numbers of days, and words that tell nothing in a name.
fn is_passing(slug: &str) -> bool {
    const WORDS: [&str; 12] =
        ["https", "http", "www", "com", "org", "net", "example", "one", "there", "here", "anyway", "these"];
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let ends = ["st", "nd", "rd", "th"];
    WORDS.contains(&slug) || ends.iter().any(|end| slug.strip_suffix(end).is_some_and(is_number))
}

/// Small words without which a name says the opposite.
const KEPT: [&str; 14] = [
    "not", "never", "no", "always", "only", "nunca", "nie", "niemals", "jamais", "nicht", "sempre",
    "siempre", "before", "don't",
];
