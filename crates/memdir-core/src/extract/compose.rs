//! From what was said to a memory that can be written.

use jiff::civil::Date;

use super::judge::{Kind, Statement};
use super::phrase::{self, Phrase};
use super::{Extracted, Source};
use crate::memory::memory_type::MemoryType;
use crate::memory::topic::one_line;

/// A quotation has at most so many characters.
const LONGEST_QUOTATION: usize = 700;

/// So much of what the agent said is kept beside its approval.
const LONGEST_APPROVED: usize = 160;
/// An approval of so few words does not say what it approves of.
const SHORT_APPROVAL: usize = 7;

/// The memory that a statement becomes: the rule or fact as its description, the words as a quotation, and a reason only
/// if one was given. `answered` is what the agent had said before.
pub(super) fn compose(
    statement: &Statement,
    source: Source,
    said: Option<Date>,
    answered: Option<&str>,
) -> Extracted {
    let memory_type = match statement.kind {
        Kind::User => MemoryType::User,
        Kind::Feedback => MemoryType::Feedback,
        Kind::Project => MemoryType::Project,
        Kind::Reference => MemoryType::Reference,
    };
    let approved =
        answered.filter(|_| statement.approves).map(|text| shortened(first_sentence(text), LONGEST_APPROVED));
    // `All ADRs like that.` says nothing without what it is about.
    let main = match &approved {
        Some(approved) if statement.main.split_whitespace().count() <= SHORT_APPROVAL => {
            format!("{}: {approved}", statement.main.trim_end_matches(['.', '!', '。', '！', ' ']))
        }
        _ => statement.main.clone(),
    };
    let phrase = Phrase::of(&main, statement.reason.as_deref(), statement.kind == Kind::Feedback);
    let words = shortened(&one_line(&statement.text), LONGEST_QUOTATION);
    let reason = statement.reason.as_deref().map(because);
    let mut body = format!("> {words}\n");
    let about = approved.map(|approved| format!("**About:** the agent had said: {approved}\n"));
    let why = reason.as_deref().map(|reason| format!("**Why:** {reason}\n"));
    let said = said.map(|said| format!("**Said:** {said}\n"));
    let lines: String = [about, why, said].into_iter().flatten().collect();
    if !lines.is_empty() {
        body.push('\n');
        body.push_str(&lines);
    }
    Extracted {
        memory_type,
        title: phrase.title,
        name: phrase.name,
        description: phrase.description,
        statement: words,
        reason,
        day: statement.day,
        body,
        source,
        cues: Vec::new(),
        is_lesson: false,
        updates: None,
    }
}

/// A reason as a sentence: what was behind `because of` needs these words again.
fn because(reason: &str) -> String {
    let is_of = reason.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("of "));
    if is_of { phrase::reason(&format!("because {reason}")) } else { phrase::reason(reason) }
}

fn first_sentence(text: &str) -> &str {
    let line = text.trim().lines().next().unwrap_or_default();
    super::sentence::sentences(line).into_iter().next().unwrap_or(line)
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most - 1).collect();
    let end = cut.rfind(' ').filter(|end| *end > cut.len() / 2).unwrap_or(cut.len());
    format!("{}…", cut.get(..end).unwrap_or(&cut).trim_end_matches([' ', ',', ';', ':', '.']))
}
