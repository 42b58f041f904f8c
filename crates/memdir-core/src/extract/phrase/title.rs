//! The title of a note: two to five words of its sentence that name the subject.

use jiff::civil::Date;

use super::super::language::Language;
use super::words::TextWords;

const MOST_WORDS: usize = 5;
/// From so many telling words on, the title ends where something else begins.
const ENOUGH: usize = 3;
/// A title of a script without spaces is so wide; a Latin letter is half as wide as another character.
const MOST_WIDTH: usize = 30;
/// A longer piece is an address or a path, which a title does not spell out.
const LONGEST_WORD: usize = 28;

pub(super) fn title(sentence: &str, words: &TextWords, language: Language) -> String {
    let sentence = sentence.trim_end_matches(['.', '!', '。', '！', '…', '?', '？']);
    if words.is_dense {
        return dense(sentence, words);
    }
    let own = about_the_user(sentence, language);
    let subject = own.unwrap_or_else(|| without_start(sentence, words));
    let skipped = sentence.get(..sentence.len() - subject.len()).unwrap_or_default().trim().to_lowercase();
    let is_about_user = own.is_some() || matches!(skipped.as_str(), "es" | "est" | "é" | "ist" | "hat");
    let mut taken: Vec<&str> = Vec::new();
    let (mut telling, mut is_cut) = (0, false);
    for word in subject.split_whitespace() {
        let bare = word.trim_matches(|letter: char| {
            matches!(
                letter,
                ',' | ';' | ':' | '(' | ')' | '"' | '“' | '”' | '„' | '«' | '»' | '.' | '`' | '*' | '–' | '—'
            )
        });
        let lower = bare.to_lowercase();
        let (is_article, is_link) = (words.articles.contains(&lower), words.links.contains(&lower));
        let starts_aside = word.starts_with(['(', '–', '—']) && telling > 0;
        if starts_aside
            || is_about_user
                && telling > 0
                && matches!(
                    lower.as_str(),
                    "and" | "so" | "but" | "und" | "y" | "e" | "et" | "pero" | "mais" | "mas" | "aber"
                )
            || telling >= ENOUGH && (is_link || is_article)
            || telling >= 2 && words.tells.contains(&lower)
        {
            break;
        }
        let leads = taken.is_empty() && words.tells.contains(&lower) && bare != word.to_uppercase();
        if !bare.is_empty() && bare.chars().count() <= LONGEST_WORD && !(leads && is_cut) {
            taken.push(bare);
            telling += usize::from(!is_article && !is_link);
        } else {
            is_cut = true;
        }
        let ends_clause =
            word.ends_with([',', ';', ':', ')', '–', '—']) || word.ends_with('.') && word.len() > 2;
        if ends_clause && telling >= 2 || telling >= MOST_WORDS {
            break;
        }
    }
    if taken.len() > MOST_WORDS {
        taken.retain(|word| !words.articles.contains(&word.to_lowercase()));
        taken.truncate(MOST_WORDS);
    }
    // What leads on to something that is not there ends no title.
    while taken.len() > 1
        && taken.last().is_some_and(|last| {
            let lower = last.to_lowercase();
            words.links.contains(&lower) || words.articles.contains(&lower) || words.tells.contains(&lower)
        })
    {
        taken.pop();
    }
    while taken.len() > 2 && taken.first().is_some_and(|first| words.articles.contains(&first.to_lowercase()))
    {
        taken.remove(0);
    }
    if taken.is_empty() {
        return sentence.split_whitespace().take(MOST_WORDS).collect::<Vec<_>>().join(" ");
    }
    let title = taken.join(" ");
    let mut letters = title.chars();
    let is_code = subject.starts_with('`');
    let is_plain = !is_code
        && taken.first().is_some_and(|first| {
            first.chars().all(|letter| letter.is_lowercase() || matches!(letter, '\'' | '-'))
        });
    match letters.next().filter(|_| is_plain) {
        Some(first) => format!("{}{}", first.to_uppercase(), letters.as_str()),
        None => title,
    }
}

/// A sentence without the words with which a title does not begin.
fn without_start<'t>(sentence: &'t str, words: &TextWords) -> &'t str {
    for skip in &words.skips {
        let Some(head) = sentence.get(..skip.len()).filter(|head| head.to_lowercase() == *skip) else {
            continue;
        };
        let rest = sentence.get(head.len()..).unwrap_or_default();
        let is_own = words.is_dense || rest.starts_with([' ', ',']);
        let rest = rest.trim_start_matches([' ', ',']);
        let is_enough = if words.is_dense { rest.chars().count() >= 4 } else { rest.split(' ').count() > 1 };
        if is_own && is_enough {
            return rest;
        }
    }
    sentence
}

/// What a sentence about the user says of them: `the only backend developer`.
fn about_the_user(sentence: &str, language: Language) -> Option<&str> {
    if language != Language::English {
        return None;
    }
    let rest = sentence.strip_prefix("The user ")?;
    let rest = rest.strip_prefix("is ").or_else(|| rest.strip_prefix("has been ")).unwrap_or(rest);
    let rest = ["a ", "an ", "the "].iter().find_map(|article| rest.strip_prefix(article)).unwrap_or(rest);
    (rest.split_whitespace().count() > 1).then_some(rest)
}

/// A text without the dates in parentheses behind its days.
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

/// The first clause, as far as it is short.
fn dense(sentence: &str, words: &TextWords) -> String {
    let mut title = String::new();
    let dated = without_dates(sentence);
    for letter in without_start(&dated, words).chars() {
        if matches!(letter, '，' | '、' | '。' | '；' | '：' | ',' | '（' | '(') && title.chars().count() >= 4
        {
            break;
        }
        title.push(letter);
    }
    let width = |letter: char| if letter.is_ascii() { 1 } else { 2 };
    if title.chars().map(width).sum::<usize>() > MOST_WIDTH {
        // A word of Latin letters stays whole.
        let mut room = MOST_WIDTH;
        let fits = |letter: &char| {
            let is_room = room >= width(*letter);
            room = room.saturating_sub(width(*letter));
            is_room
        };
        let mut cut: Vec<char> = title.chars().take_while(fits).collect();
        let next = title.chars().nth(cut.len()).unwrap_or(' ');
        if next.is_ascii_alphanumeric() {
            while cut.len() > 4 && cut.last().is_some_and(char::is_ascii_alphanumeric) {
                cut.pop();
            }
        }
        title = cut.into_iter().collect();
    }
    let mut title = title.trim().to_owned();
    while let Some(front) = words
        .links
        .iter()
        .chain(&words.tells)
        .find_map(|link| title.strip_suffix(link.as_str()))
        .filter(|front| !front.is_empty())
    {
        title = front.trim_end().to_owned();
    }
    title
}
