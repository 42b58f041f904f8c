//! Turns the first person into the third: "I like tea" becomes "The user likes tea".

use super::super::language::Language;
use super::words::TextWords;

/// The sentence in the third person. English names the user; other languages leave the subject out, as notes do.
pub(super) fn in_third_person(sentence: &str, language: Language, words: &TextWords) -> String {
    match language {
        Language::English => english(sentence, words),
        _ if words.is_dense => dense(sentence, words),
        _ => by_table(sentence, words),
    }
}

/// Pronouns and verbs by the table. Words that it maps to nothing are left out.
fn by_table(sentence: &str, words: &TextWords) -> String {
    let is_first = |word: &str| words.persons.contains_key(&parts(word).1.to_lowercase());
    // Only a sentence that begins with the speaker describes them; else its last clause may.
    if !sentence.split(' ').take(2).any(is_first) {
        let last = sentence.rmatch_indices(", ").next().map(|(at, _)| at);
        let own = last.filter(|at| {
            *at > 20
                && sentence.get(at + 2..).is_some_and(|rest| rest.split(' ').next().is_some_and(is_first))
        });
        return own.and_then(|at| sentence.get(..at)).unwrap_or(sentence).to_owned();
    }
    let mut sentence = sentence.to_owned();
    for (phrase, other) in words.persons.iter().filter(|(phrase, _)| phrase.contains(' ')) {
        sentence = sentence.replace(phrase.as_str(), other);
    }
    let mut said: Vec<String> = Vec::new();
    for word in sentence.split(' ').filter(|word| !word.is_empty()) {
        let (front, core, end) = parts(word);
        match words.persons.get(&core.to_lowercase()) {
            Some(other) if other.is_empty() => {
                // What follows a subject that was left out begins the sentence, and a comma stays.
                if !end.is_empty()
                    && let Some(last) = said.last_mut()
                {
                    last.push_str(end);
                }
            }
            Some(other) => said.push(format!("{front}{other}{end}")),
            None => said.push(word.to_owned()),
        }
    }
    said.join(" ")
}

/// In scripts without spaces the table's words are parts of the text.
fn dense(sentence: &str, words: &TextWords) -> String {
    let mut pairs: Vec<(&String, &String)> = words.persons.iter().collect();
    pairs.sort_by_key(|(one, _)| std::cmp::Reverse(one.len()));
    let mut said = String::with_capacity(sentence.len());
    let mut rest = sentence;
    'next: while let Some(first) = rest.chars().next() {
        for (one, other) in &pairs {
            if let Some(behind) = rest.strip_prefix(one.as_str()) {
                said.push_str(other);
                rest = behind;
                continue 'next;
            }
        }
        said.push(first);
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    said
}

/// A word without the marks before and behind it.
fn parts(word: &str) -> (&str, &str, &str) {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '-');
    let start = word.find(is_part).unwrap_or(word.len());
    let rest = word.get(start..).unwrap_or_default();
    let end = rest
        .rfind(is_part)
        .map_or(0, |at| at + rest.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8));
    (
        word.get(..start).unwrap_or_default(),
        rest.get(..end).unwrap_or_default(),
        rest.get(end..).unwrap_or_default(),
    )
}

/// Adverbs may be between a subject and its verb.
const ADVERBS: &str = "always never usually mostly really often just only also still mainly generally currently normally strongly \
    already personally actually honestly typically sometimes rarely seldom barely hardly primarily definitely probably";
/// Verbs that have one form for all persons, or are past.
const UNCHANGED: &str = "can can't cannot could couldn't will won't would wouldn't should shouldn't must mustn't might may had hadn't \
    did didn't went came grew wrote spent made left got took built led ran taught learnt broke lost saw said told knew thought found \
    moved was wasn't met sat chose began became kept set put read lived";
/// Verbs that go on with what a person says of themselves behind `and` or `but`.
const COMMON: &str = "have am work use know maintain run write read code speak live prefer like need want do lead own manage review \
    don't can't hate love teach build come sit think look understand handle care support develop design test deploy get haven't do \
    mostly mainly usually only never always also still rarely";

struct Speaker {
    /// Whether the user was named, so that a pronoun is enough.
    is_named: bool,
    /// Whether the next verb belongs to the user in the singular.
    singular: bool,
}

fn english(sentence: &str, words: &TextWords) -> String {
    let mut speaker = Speaker { is_named: false, singular: false };
    let mut said: Vec<String> = Vec::new();
    let mut pieces = sentence.split(' ').peekable();
    let mut expects_verb = false;
    let mut follows_user = false;
    while let Some(word) = pieces.next() {
        let (front, core, end) = parts(word);
        let lower = core.replace('’', "'").to_lowercase();
        // A lower-case `i` is a letter in `i.e.` and `i/o`.
        let is_subject = lower == "i" && (core == "I" || end.is_empty())
            || matches!(lower.as_str(), "i'm" | "im" | "i've" | "i'd" | "i'll");
        if is_subject && !front.contains('`') {
            let verb = match lower.as_str() {
                "i'm" | "im" => Some("am"),
                "i've" => Some("have"),
                "i'd" => Some("would"),
                "i'll" => Some("will"),
                _ => None,
            };
            speaker.singular = !speaker.is_named;
            let name = if speaker.is_named { "they" } else { "the user" };
            speaker.is_named = true;
            let name = if said.is_empty() { capitalised(name) } else { name.to_owned() };
            let verb =
                verb.map(|verb| format!(" {}", conjugated(verb, speaker.singular))).unwrap_or_default();
            expects_verb = verb.is_empty();
            follows_user = speaker.singular;
            said.push(format!("{front}{name}{verb}{end}"));
            continue;
        }
        if let Some(other) = words.persons.get(&lower) {
            let (first, later) = other.split_once('/').unwrap_or((other, other));
            let other = if speaker.is_named { later } else { first };
            speaker.is_named = true;
            let other = if said.is_empty() { capitalised(other) } else { other.to_owned() };
            said.push(format!("{front}{other}{end}"));
            continue;
        }
        if expects_verb && !is_in(&lower, ADVERBS) {
            expects_verb = false;
            said.push(format!("{front}{}{end}", conjugated(core, speaker.singular)));
            continue;
        }
        said.push(word.to_owned());
        if follows_user && matches!(lower.as_str(), "and" | "but") {
            let next = pieces.peek().map(|next| parts(next).1.to_lowercase()).unwrap_or_default();
            expects_verb = is_in(&next, COMMON);
            speaker.singular = true;
        }
        // Another subject has verbs of its own.
        if matches!(
            lower.as_str(),
            "you" | "we" | "they" | "it" | "he" | "she" | "which" | "who" | "that" | "so" | "because"
        ) {
            follows_user = false;
        }
    }
    said.join(" ")
}

fn is_in(word: &str, list: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn conjugated(verb: &str, is_singular: bool) -> String {
    let lower = verb.replace('’', "'").to_lowercase();
    if !is_singular {
        return match lower.as_str() {
            "am" => "are".to_owned(),
            "was" => "were".to_owned(),
            _ => verb.to_owned(),
        };
    }
    if is_in(&lower, UNCHANGED) || lower.ends_with("ed") && lower.len() > 4 && lower != "need" {
        return verb.to_owned();
    }
    let special = match lower.as_str() {
        "am" => Some("is"),
        "have" => Some("has"),
        "haven't" => Some("hasn't"),
        "do" => Some("does"),
        "don't" | "dont" => Some("doesn't"),
        "go" => Some("goes"),
        _ => None,
    };
    if let Some(special) = special {
        return special.to_owned();
    }
    if !lower.chars().all(|letter| letter.is_ascii_alphabetic()) {
        return verb.to_owned();
    }
    let hisses = ["s", "sh", "ch", "x", "z"].iter().any(|end| lower.ends_with(end));
    let before_y = lower.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match before_y {
        Some(_) => format!("{}ies", verb.get(..verb.len() - 1).unwrap_or(verb)),
        None if hisses => format!("{verb}es"),
        None => format!("{verb}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_person_becomes_the_user() {
        let check = |said: &str, expected: &str| {
            let language = Language::of(said, Language::English);
            assert_eq!(in_third_person(said, language, TextWords::of(language)), expected);
        };
        check("I'm deaf, so link the transcript", "The user is deaf, so link the transcript");
        check(
            "I run the data platform group and know little about CSS, my editor is Helix",
            "The user runs the data platform group and knows little about CSS, their editor is Helix",
        );
        check("ask me before you change my branch", "ask the user before you change their branch");
        check(
            "I've worked with Go, but I don't know Rust",
            "The user has worked with Go, but they don't know Rust",
        );
        check("I worked at a bank and I was the DBA", "The user worked at a bank and they were the DBA");
        check("I really dislike it when you carry on", "The user really dislikes it when you carry on");
        check("my manager wants weekly reports", "The user's manager wants weekly reports");
        check("use i.e. and I/O", "use i.e. and I/O");
        check("Ich bin Biologin und mein Editor ist Vim", "ist Biologin und der eigene Editor ist Vim");
        check("我是做嵌入式的", "用户是做嵌入式的");
    }
}
