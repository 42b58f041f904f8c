//! What a memory is about, guessed from its text: for a user who types only the text.

use super::memory_type::MemoryType;
use super::topic::{client_slug, one_line};
use crate::secrets::redact;

/// The fields of a new memory that its author did not give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuessedFields {
    /// Its type, by the words of the text.
    pub memory_type: MemoryType,
    /// Two to five words of the first sentence.
    pub name: String,
    /// The first sentence.
    pub description: String,
}

/// Guesses from the text of a memory. The name is empty if the text has no word.
#[must_use]
pub fn guess(text: &str) -> GuessedFields {
    let sentence = first_sentence(text);
    // A purge takes a secret out of texts. The name of a file stays in the history.
    let name = name(&first_sentence(&without_secrets(text)));
    GuessedFields { memory_type: memory_type(text), name, description: sentence }
}

fn without_secrets(text: &str) -> String {
    let (redacted, found) = redact(text);
    if found.is_empty() {
        return redacted;
    }
    let words = redacted.split(' ').filter(|word| !word.contains("[redacted:"));
    words.collect::<Vec<_>>().join(" ")
}

/// The longest description that is guessed, in characters.
const LONGEST_DESCRIPTION: usize = 120;

fn first_sentence(text: &str) -> String {
    let text = text.trim_start_matches(['#', '-', '*', '>', ' ', '\n', '\t']);
    let line = one_line(text.split("\n\n").next().unwrap_or_default());
    let end = line.char_indices().find(|(at, character)| {
        let next = line.get(at + character.len_utf8()..).unwrap_or_default();
        matches!(character, '。' | '！' | '？')
            || matches!(character, '.' | '!' | '?') && (next.is_empty() || next.starts_with(' '))
    });
    let sentence = end.and_then(|(at, _)| line.get(..at)).unwrap_or(&line);
    if sentence.chars().count() <= LONGEST_DESCRIPTION {
        return sentence.to_owned();
    }
    let cut: String = sentence.chars().take(LONGEST_DESCRIPTION - 1).collect();
    format!("{}…", cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words))
}

/// Two to five words that carry meaning; a script without spaces gives its first characters.
fn name(sentence: &str) -> String {
    let plain = |word: &str| client_slug(&word.replace(['\'', '’'], ""));
    let is_ascii =
        sentence.chars().filter(|character| character.is_alphabetic()).all(|letter| letter.is_ascii());
    let words: Vec<String> = if is_ascii {
        sentence.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect()
    } else {
        let letters = |word: &str| word.chars().filter(|c| c.is_alphanumeric()).take(16).collect::<String>();
        sentence.split_whitespace().map(letters).filter(|word| !word.is_empty()).collect()
    };
    let telling: Vec<&String> = words.iter().filter(|word| !FILLERS.contains(&word.as_str())).collect();
    let chosen: Vec<&str> = if telling.len() >= 2 {
        telling.iter().take(4).map(|word| word.as_str()).collect()
    } else {
        words.iter().take(5).map(String::as_str).collect()
    };
    let name = chosen.join("-");
    if is_ascii { client_slug(&name) } else { name.to_lowercase() }
}

fn memory_type(text: &str) -> MemoryType {
    let lower = format!(" {} ", one_line(text).to_lowercase().replace(['.', ',', ';', ':', '!', '?'], " "));
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(&format!(" {word} ")));
    if lower.contains("http://") || lower.contains("https://") || has(&REFERENCE) {
        return MemoryType::Reference;
    }
    if has(&USER) {
        return MemoryType::User;
    }
    let first = lower.split_whitespace().next().unwrap_or_default().to_owned();
    if has(&FEEDBACK) || ORDERS.contains(&first.as_str()) {
        return MemoryType::Feedback;
    }
    MemoryType::Project
}

const REFERENCE: [&str; 8] = [
    "dashboard",
    "wiki",
    "tracked in",
    "documented in",
    "is documented",
    "runbook",
    "channel",
    "spreadsheet",
];
const USER: [&str; 14] = [
    "i am",
    "i'm",
    "my name",
    "i work",
    "i know",
    "i have been",
    "i've been",
    "my role",
    "my background",
    "ich bin",
    "i speak",
    "i live",
    "my team",
    "i don't know",
];
const FEEDBACK: [&str; 22] = [
    "never",
    "always",
    "don't",
    "do not",
    "prefer",
    "instead of",
    "rather than",
    "please",
    "must",
    "must not",
    "should",
    "should not",
    "avoid",
    "only use",
    "nie",
    "niemals",
    "immer",
    "nunca",
    "siempre",
    "jamais",
    "toujours",
    "no longer",
];
const ORDERS: [&str; 16] = [
    "use", "keep", "write", "run", "ask", "answer", "make", "put", "commit", "test", "format", "add", "stop",
    "verwende", "use:", "call",
];
const FILLERS: [&str; 62] = [
    "a", "an", "the", "is", "are", "was", "be", "to", "of", "in", "on", "for", "and", "or", "with", "it",
    "its", "this", "that", "we", "our", "i", "my", "you", "your", "as", "at", "by", "from", "has", "have",
    "will", "use", "not", "do", "please", "must", "should", "so", "if", "then", "than", "when", "which",
    "who", "because", "but", "into", "only", "them", "they", "there", "here", "been", "were", "can", "der",
    "die", "das", "und", "el", "la",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, memory_type: &str, name: &str, description: &str) {
        let guessed = guess(text);
        let found = (guessed.memory_type.as_str(), guessed.name.as_str(), guessed.description.as_str());
        assert_eq!(found, (memory_type, name, description));
    }

    #[test]
    fn a_secret_does_not_become_a_name() {
        let guessed = guess("The deploy token is ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        assert_eq!(guessed.name, "deploy-token");
        assert_eq!(guess("ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8").name, "");
    }

    #[test]
    fn a_text_gives_type_name_and_description() {
        check("Never use a float for money", "feedback", "never-float-money", "Never use a float for money");
        check(
            "Code freeze from 1 March. After that only fixes.",
            "project",
            "code-freeze-1-march",
            "Code freeze from 1 March",
        );
        check("I'm a data scientist", "user", "im-data-scientist", "I'm a data scientist");
        check(
            "Latency is on the dashboard grafana.example/d/api",
            "reference",
            "latency-dashboard-grafana-example-d-api",
            "Latency is on the dashboard grafana.example/d/api",
        );
        check("Use tabs.\n\nBecause of the linter.", "feedback", "use-tabs", "Use tabs");
        check("Übersicht der Preise", "project", "übersicht-preise", "Übersicht der Preise");
        check("请不要使用浮点数。", "project", "请不要使用浮点数", "请不要使用浮点数");
        assert_eq!(guess("  \n").name, "");
    }
}
