//! Two changed versions of a topic file, put together.
//!
//! Frontmatter merges field by field, bodies line by line; text that both sides added at one place is kept from both.
//! Where the sides disagree nothing is guessed: the result is a list of conflicts, and the caller keeps both files.

use serde::Serialize;

mod body;
mod fields;
#[cfg(test)]
mod tests;

use super::frontmatter::Frontmatter;

/// One place where the two versions disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextConflict {
    /// What it is about: a field, or the body.
    pub place: String,
    /// The text of one version; `None` if it removed it.
    pub mine: Option<String>,
    /// The text of the other.
    pub theirs: Option<String>,
}

/// Merges two versions of a text that were both made from `base`.
///
/// # Errors
/// The places where the versions disagree; then no merged text exists, and both have to be kept.
pub fn merge_text(base: &str, mine: &str, theirs: &str) -> Result<String, Vec<TextConflict>> {
    if mine == theirs || theirs == base {
        return Ok(mine.to_owned());
    }
    if mine == base {
        return Ok(theirs.to_owned());
    }
    let (base, mine, theirs) = (Parts::of(base), Parts::of(mine), Parts::of(theirs));
    let head = match (&mine.fields, &theirs.fields) {
        (None, None) => Ok(String::new()),
        (Some(left), Some(right)) => fields::merge(base.fields.as_ref(), left, right),
        // One side has fields and the other none: it added them, or the other removed them.
        (left, _) => {
            let (head, other) =
                if left.is_some() { (mine.head, theirs.head) } else { (theirs.head, mine.head) };
            if base.head == other {
                Ok(head.to_owned())
            } else {
                one(base.head, other, mine.head, theirs.head)
            }
        }
    };
    let body = body::merge(base.body, mine.body, theirs.body);
    match (head, body) {
        (Ok(head), Ok(body)) => Ok(head + &body),
        (head, body) => Err(head.err().into_iter().chain(body.err()).flatten().collect()),
    }
}

/// A frontmatter that one side removed and the other may have changed.
fn one(base: &str, kept: &str, mine: &str, theirs: &str) -> Result<String, Vec<TextConflict>> {
    if (mine == base || theirs == base) && kept.is_empty() {
        return Ok(String::new());
    }
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Err(vec![TextConflict { place: "frontmatter".to_owned(), mine: text(mine), theirs: text(theirs) }])
}

/// A text, parted into its frontmatter and its body.
struct Parts<'t> {
    fields: Option<Frontmatter<'t>>,
    head: &'t str,
    body: &'t str,
}

impl<'t> Parts<'t> {
    fn of(text: &'t str) -> Self {
        let (fields, _) = Frontmatter::parse(text);
        let (head, body) = text.split_at(fields.as_ref().map_or(0, Frontmatter::body_start));
        Self { fields, head, body }
    }
}
