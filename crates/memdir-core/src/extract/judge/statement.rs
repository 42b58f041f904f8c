//! Sentences that say one thing, put together: the statement, its reason, its days.

use super::{Kind, STATEMENT_BYTES, Sentence, Statement};
use crate::extract::cues::Cue;

/// Adds a sentence to the statement of its kind, or begins one.
pub(super) fn add(
    kind: Kind,
    at: usize,
    sentences: &[Sentence<'_>],
    kinds: &[Option<(Kind, i32)>],
    statements: &mut Vec<Statement>,
) {
    let Some(sentence) = sentences.get(at) else { return };
    // Who a person is does not depend on a day.
    let plain = || sentence.text.replace('\n', " ");
    let text = if kind == Kind::User { plain() } else { with_dates(sentence) };
    let main = if kind == Kind::User { plain() } else { dated(sentence) };
    // What leans on the sentence before says nothing without it.
    let before = at.checked_sub(1).and_then(|before| Some((sentences.get(before)?, kinds.get(before)?)));
    let (text, main) = match before {
        Some((before, None))
            if before.paragraph == sentence.paragraph
                && !before.asks
                && leans_back(&text)
                && before.text.len() + text.len() < STATEMENT_BYTES =>
        {
            let end = if before.text.ends_with(['.', '!', '。', '！']) { "" } else { "." };
            let with_before =
                |text: &str| format!("{}{end} {}", before.text.replace('\n', " "), with_capital(text));
            (with_before(&text), with_before(&main))
        }
        _ => (text, main),
    };
    let day = sentence.days.iter().map(|day| day.date).max();
    let reason = reason_in(sentence);
    let statement = match statements.iter_mut().find(|statement| statement.kind == kind) {
        Some(statement) => {
            if statement.text.len() + text.len() < STATEMENT_BYTES * 2 {
                statement.text.push(' ');
                statement.text.push_str(&text);
            }
            statement
        }
        None => {
            let approves = kind == Kind::Feedback && sentence.cues.has(Cue::Approval);
            statements.push(Statement { kind, text, main, approves, reason: None, day: None });
            let Some(last) = statements.last_mut() else { return };
            last
        }
    };
    statement.day = statement.day.max(day);
    if statement.reason.is_none() {
        statement.reason = reason;
    }
    // What follows in the same breath says more of it.
    let following = sentences.get(at + 1).zip(kinds.get(at + 1));
    if let Some((next, None)) = following
        && next.paragraph == sentence.paragraph
        && next.is_plain_remark()
        && statement.text.len() + next.text.len() < STATEMENT_BYTES
    {
        let text = with_dates(next);
        statement.text.push(' ');
        statement.text.push_str(&text);
        statement.day = statement.day.max(next.days.iter().map(|day| day.date).max());
        if statement.reason.is_none() && next.cues.has(Cue::Reason) {
            statement.reason = Some(next.text.trim().to_owned());
        }
    }
}

impl Sentence<'_> {
    /// A sentence that only says more of what was said before.
    pub(super) fn is_plain_remark(&self) -> bool {
        let cues = &self.cues;
        let other = [
            Cue::Task,
            Cue::OneOff,
            Cue::Content,
            Cue::Withdraw,
            Cue::Reported,
            Cue::Sarcasm,
            Cue::Hypothetical,
            Cue::Soon,
        ];
        !self.asks && self.words > 2 && !self.has_colon && !other.iter().any(|cue| cues.has(*cue))
    }
}

/// Whether a sentence refers to something that the one before it names.
fn leans_back(text: &str) -> bool {
    const STARTS: [&str; 8] = [
        "until then",
        "bis dahin",
        "d'ici là",
        "hasta entonces",
        "até lá",
        "在此之前",
        "それまで",
        "keep doing that",
    ];
    const ENDS: [&str; 8] = [
        " gets one",
        " needs one",
        " has one",
        " do that",
        " does that",
        " like that",
        " that way",
        " than that",
    ];
    let lower = text.to_lowercase();
    ENDS.iter().any(|end| lower.contains(end)) || STARTS.iter().any(|start| lower.starts_with(start))
}

fn with_capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", characters.as_str())
}

/// The part of a sentence that gives its reason: behind the word for it, before the word for what follows from it, or the
/// clause that speaks of the thing again.
fn reason_in(sentence: &Sentence<'_>) -> Option<String> {
    const MARKS: [&str; 21] = [
        " because ",
        " since ",
        " so that ",
        ", otherwise ",
        " due to ",
        " porque ",
        " ya que ",
        " weil ",
        " damit ",
        " denn ",
        " parce que ",
        " parce qu'",
        " car ",
        " puisque ",
        " já que ",
        " pois ",
        "因为",
        "由于",
        "否则",
        "不然",
        " sonst ",
    ];
    let lower = sentence.text.to_lowercase();
    // Lower case can change lengths; then the place is not known.
    if lower.len() != sentence.text.len() {
        return None;
    }
    let marked = MARKS.iter().filter_map(|mark| Some((*mark, lower.find(mark)? + mark.len())));
    // `since January` and `since forever` tell when, not why.
    let is_reason = |(mark, at): &(&str, usize)| {
        let next = lower.get(*at..).unwrap_or_default().split_whitespace().next().unwrap_or_default();
        *mark != " since " || SINCE.contains(&next)
    };
    let marked = marked.filter(is_reason).map(|(_, at)| at).min();
    // `because of exactly that` points at the clause before it.
    let points_back = |at: &usize| {
        let behind = lower.get(*at..).unwrap_or_default().trim_end_matches(['.', '!']);
        matches!(
            behind.trim(),
            "of that" | "of this" | "of it" | "of exactly that" | "of exactly this" | "of them"
        )
    };
    if let Some(at) = marked.filter(points_back) {
        let before = lower.get(..at).unwrap_or_default();
        let end = before.rfind(" because").unwrap_or(before.len());
        let start = before.get(..end).and_then(|clause| clause.rfind(", ")).map_or(0, |comma| comma + 2);
        return sentence.text.get(start..end).map(|clause| clause.trim().to_owned());
    }
    // What something follows from is its reason.
    const THEREFORE: [&str; 10] = [
        ", so ",
        ", así que ",
        ", deshalb ",
        ", daher ",
        ", donc ",
        ", du coup ",
        ", então ",
        ", por isso ",
        "，所以",
        "，因此",
    ];
    if marked.is_none()
        && let Some(end) = THEREFORE.iter().filter_map(|mark| lower.find(mark)).min()
        && let Some(premise) = sentence.text.get(..end).filter(|premise| premise.len() > 12)
    {
        return Some(premise.trim().to_owned());
    }
    // Without a word for it, the reason is the clause that speaks of the thing again.
    let explains = [Cue::Reason, Cue::Experience, Cue::Directive].iter().any(|cue| sentence.cues.has(*cue));
    let trailing = || {
        explains.then(|| lower.rfind(", ")).flatten().map(|comma| comma + 2).filter(|start| {
            let first = lower.get(*start..).unwrap_or_default().split_whitespace().next().unwrap_or_default();
            AGAIN.contains(&first)
        })
    };
    let reason = sentence.text.get(marked.or_else(trailing)?..)?.trim().trim_end_matches(['.', '。', '!']);
    (reason.chars().count() > 3).then(|| reason.to_owned())
}

/// Words behind `since` that begin a reason.
const SINCE: [&str; 20] = [
    "the", "we", "it", "they", "i", "you", "our", "nobody", "that", "this", "there", "a", "an", "he", "she",
    "people", "no", "it's", "we're", "i'm",
];

/// Words that take up what was just named.
const AGAIN: [&str; 28] = [
    "i", "i'm", "each", "every", "nobody", "everyone", "people", "our", "my", "there", "they", "it", "we",
    "that", "this", "they're", "it's", "sie", "es", "wir", "das", "ils", "elles", "ça", "on", "nos", "eles",
    "luego",
];

/// The sentence with dates as a note has them: `tomorrow` becomes its date, `on Friday` keeps its name beside it.
fn dated(sentence: &Sentence<'_>) -> String {
    let mut text = sentence.text.replace('\n', " ");
    if text.len() != sentence.text.len() {
        return text;
    }
    for day in sentence.days.iter().rev().filter(|day| !day.is_absolute) {
        let Some(words) = text.get(day.start..day.end) else { continue };
        let is_named = !NEAR.contains(&words.to_lowercase().as_str());
        if is_named {
            text.insert_str(day.end, &format!(" ({})", day.date));
        } else {
            let before = text.get(..day.start).unwrap_or_default();
            let follows = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
            let is_english = matches!(words.to_lowercase().as_str(), "tomorrow" | "today" | "tonight");
            let on = if is_english && !before.is_empty() && !FOLLOWS.contains(&follows.as_str()) {
                "on "
            } else {
                ""
            };
            text.replace_range(day.start..day.end, &format!("{on}{}", day.date));
        }
    }
    text
}

/// Days that a note names by their date alone.
const NEAR: [&str; 14] = [
    "tomorrow",
    "today",
    "tonight",
    "morgen",
    "heute",
    "übermorgen",
    "mañana",
    "hoy",
    "demain",
    "aujourd'hui",
    "amanhã",
    "hoje",
    "明天",
    "明日",
];

/// English words behind which a date needs no preposition.
const FOLLOWS: [&str; 10] = ["by", "until", "till", "from", "since", "before", "after", "on", "of", "for"];

/// The sentence with every day that it names written out behind its words.
fn with_dates(sentence: &Sentence<'_>) -> String {
    let mut text = sentence.text.replace('\n', " ");
    if text.len() != sentence.text.len() {
        return text;
    }
    for day in sentence.days.iter().rev().filter(|day| !day.is_absolute) {
        if text.is_char_boundary(day.end) {
            text.insert_str(day.end, &format!(" ({})", day.date));
        }
    }
    text
}
