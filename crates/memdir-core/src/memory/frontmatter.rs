//! The block of fields at the top of a topic file, read and edited line by line.
//!
//! YAML libraries reformat what they write, and refuse what people and models write by hand. So the structure of
//! the lines is ours: fields keep their order, quoting, comments and line ends, a broken line costs that line
//! only, and only values that are more than one plain or quoted line go to a YAML parser, each by itself.

use serde_json::Value;

mod edit;
mod fences;
mod fields;
mod flow;
mod pieces;
mod scalar;
mod value;

#[cfg(test)]
mod tests;

pub use edit::{EditRefused, remove, set, set_list, set_true};
pub use fences::MAX_FRONTMATTER_BYTES;
pub(super) use pieces::Piece;
pub use scalar::quoted;

use super::problem::Problem;
use fences::{Fences, FoundFences};
use fields::Field;

/// The one field whose own fields are understood, because the client keeps the type there.
pub const METADATA: &str = "metadata";

/// The frontmatter of a text.
#[derive(Debug, Clone)]
pub struct Frontmatter<'t> {
    text: &'t str,
    fences: Fences,
    fields: Vec<Field>,
}

impl<'t> Frontmatter<'t> {
    /// Reads the frontmatter of a whole file; `None` if it has none.
    #[must_use]
    pub fn parse(text: &'t str) -> (Option<Self>, Vec<Problem>) {
        match fences::find(text) {
            FoundFences::Nothing => (None, Vec::new()),
            FoundFences::Unclosed { .. } => (None, vec![Problem::UnclosedFrontmatter]),
            FoundFences::Closed(fences) => Self::between(text, fences),
        }
    }

    /// Reads what the first part of a longer file shows of its frontmatter, closed or not.
    #[must_use]
    pub fn parse_head(head: &'t str) -> (Option<Self>, Vec<Problem>) {
        match fences::find(head) {
            FoundFences::Unclosed { open } => Self::between(head, open),
            _ => Self::parse(head),
        }
    }

    fn between(text: &'t str, fences: Fences) -> (Option<Self>, Vec<Problem>) {
        let mut problems = Vec::new();
        if text.get(fences.inner.clone()).is_some_and(|inner| inner.contains("---")) {
            problems.push(Problem::DashesInFrontmatter);
        }
        let fields = fields::parse(text, fences.inner.clone(), &mut problems);
        report_duplicates(&fields, &mut problems);
        (Some(Self { text, fences, fields }), problems)
    }

    /// Where the body begins, behind the closing line.
    #[must_use]
    pub fn body_start(&self) -> usize {
        self.fences.body
    }

    /// The names of the fields in order; the nested ones of `metadata` as `metadata.x`, behind it.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for field in &self.fields {
            keys.push(field.key.clone());
            if field.key == METADATA {
                keys.extend(field.children.iter().map(|child| format!("{METADATA}.{}", child.key)));
            }
        }
        keys
    }

    /// The value of a field, `None` if there is no such field. Where a field appears twice, the last one counts.
    ///
    /// A value that YAML does not accept is returned as it is, as text, and reported.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<(Value, Option<Problem>)> {
        let field = self.field(key)?;
        Some(match value::decode(self.text, field) {
            Some(value) => (value, None),
            None => {
                let raw = self.text.get(field.value.clone()).unwrap_or_default();
                (Value::String(raw.trim().to_owned()), Some(Problem::BrokenValue { key: key.to_owned() }))
            }
        })
    }

    /// Everything behind the colon on a field's first line, quotes and comment included.
    #[cfg(test)]
    pub(crate) fn raw_line(&self, key: &str) -> Option<&'t str> {
        let field = self.field(key)?;
        Some(self.text.get(field.behind_colon..field.lines.end)?.lines().next().unwrap_or_default().trim())
    }

    /// The value of a field that should be text. Nothing and `null` are `None`; another kind is reported.
    #[must_use]
    pub fn text(&self, key: &str, problems: &mut Vec<Problem>) -> Option<String> {
        let (value, problem) = self.value(key)?;
        problems.extend(problem);
        match value {
            Value::String(text) => Some(text),
            Value::Null => None,
            _ => {
                problems.push(Problem::NotText { key: key.to_owned() });
                None
            }
        }
    }

    fn field(&self, key: &str) -> Option<&Field> {
        let find = |fields: &'_ [Field], name: &str| fields.iter().rposition(|field| field.key == name);
        match nested(key) {
            Some(name) => {
                let metadata = self.fields.get(find(&self.fields, METADATA)?)?;
                metadata.children.get(find(&metadata.children, name)?)
            }
            None => self.fields.get(find(&self.fields, key)?),
        }
    }
}

/// The name of a field inside `metadata`, if the key means one.
fn nested(key: &str) -> Option<&str> {
    key.strip_prefix(METADATA)?.strip_prefix('.')
}

fn report_duplicates(fields: &[Field], problems: &mut Vec<Problem>) {
    let mut seen = std::collections::BTreeSet::new();
    let nested = fields.iter().filter(|field| field.key == METADATA).flat_map(|field| &field.children);
    let keys = fields.iter().map(|field| field.key.clone());
    for key in keys.chain(nested.map(|child| format!("{METADATA}.{}", child.key))) {
        if !seen.insert(key.clone()) {
            problems.push(Problem::DuplicateKey { key });
        }
    }
}
