//! Changing one field and nothing else.

use std::ops::Range;

use serde_json::Value;

use super::fences::{self, Fences, FoundFences};
use super::fields::{self, Field, Shape};
use super::{Frontmatter, METADATA, nested, quoted};

/// Why a field is not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditRefused {
    /// Where the fields end is unknown.
    #[error("the frontmatter is never closed")]
    Unclosed,
    /// The field holds other fields, which would be lost.
    #[error("`{key}` holds other fields")]
    HoldsFields {
        /// The field.
        key: String,
    },
    /// `metadata` is there, but cannot take a field.
    #[error("`metadata` holds no fields")]
    NoMapping,
    /// The frontmatter is broken in a way that would hide the field.
    #[error("the frontmatter is broken")]
    Broken,
    /// A name that would not read back as one.
    #[error("`{key}` cannot be a field's name")]
    BadKey {
        /// The name.
        key: String,
    },
}

/// The text with one field set to a text value; the field is added where there is none, and so is the frontmatter.
///
/// # Errors
/// When the change cannot be made without touching something else.
pub fn set(text: &str, key: &str, value: &str) -> Result<String, EditRefused> {
    let name = nested(key).unwrap_or(key);
    if name.is_empty()
        || name.trim() != name
        || name.contains(['\n', '\r', ':', '#', '"', '\'', '{', '}', ','])
    {
        return Err(EditRefused::BadKey { key: key.to_owned() });
    }
    let changed = changed(text, key, &quoted(value))?;
    // A text that is already broken may hide the new field: then nothing is changed at all.
    let read_back = Frontmatter::parse(&changed).0.and_then(|fields| fields.value(key));
    match read_back {
        Some((Value::String(found), None)) if found == value => Ok(changed),
        _ => Err(EditRefused::Broken),
    }
}

/// The text with one field set to a list of texts, in one line. The field must not be there.
///
/// # Errors
/// When the change cannot be made without touching something else.
pub fn set_list(text: &str, key: &str, items: &[String]) -> Result<String, EditRefused> {
    let inner: Vec<_> = items.iter().map(|item| quoted(item)).collect();
    let changed = changed(text, key, &format!("[{}]", inner.join(", ")))?;
    let expected = Value::Array(items.iter().map(|item| item.as_str().into()).collect());
    match Frontmatter::parse(&changed).0.and_then(|fields| fields.value(key)) {
        Some((found, None)) if found == expected => Ok(changed),
        _ => Err(EditRefused::Broken),
    }
}

/// The text with one field set to `true`.
///
/// # Errors
/// When the change cannot be made without touching something else.
pub fn set_true(text: &str, key: &str) -> Result<String, EditRefused> {
    let changed = changed(text, key, "true")?;
    match Frontmatter::parse(&changed).0.and_then(|fields| fields.value(key)) {
        Some((Value::Bool(true), None)) => Ok(changed),
        _ => Err(EditRefused::Broken),
    }
}

fn changed(text: &str, key: &str, value: &str) -> Result<String, EditRefused> {
    let Some((fences, fields)) = parse(text)? else {
        return Ok(with_new_frontmatter(text, key, value));
    };
    let Some(name) = nested(key) else {
        return set_top(text, &fences, &fields, key, value);
    };
    match last(&fields, METADATA) {
        Some(metadata) => set_nested(text, metadata, name, value, fences.line_end),
        None => {
            let added = format!("{METADATA}:{end}  {name}: {value}{end}", end = fences.line_end);
            Ok(replaced(text, fences.inner.end..fences.inner.end, &added))
        }
    }
}

/// The text without one field; unchanged where there is no such field.
///
/// # Errors
/// When the frontmatter has no end.
pub fn remove(text: &str, key: &str) -> Result<String, EditRefused> {
    let Some((_, fields)) = parse(text)? else { return Ok(text.to_owned()) };
    let found = match nested(key) {
        Some(name) => last(&fields, METADATA).and_then(|metadata| last(&metadata.children, name)),
        None => last(&fields, key),
    };
    let Some(field) = found else { return Ok(text.to_owned()) };
    let range = if field.shape == Shape::InFlow { with_comma(text, field) } else { field.lines.clone() };
    Ok(replaced(text, range, ""))
}

fn parse(text: &str) -> Result<Option<(Fences, Vec<Field>)>, EditRefused> {
    match fences::find(text) {
        FoundFences::Nothing => Ok(None),
        FoundFences::Unclosed { .. } => Err(EditRefused::Unclosed),
        FoundFences::Closed(fences) => {
            let fields = fields::parse(text, fences.inner.clone(), &mut Vec::new());
            Ok(Some((fences, fields)))
        }
    }
}

fn last<'f>(fields: &'f [Field], key: &str) -> Option<&'f Field> {
    fields.iter().rfind(|field| field.key == key)
}

fn set_top(
    text: &str,
    fences: &Fences,
    fields: &[Field],
    key: &str,
    value: &str,
) -> Result<String, EditRefused> {
    if let Some(field) = last(fields, key) {
        return set_existing(text, field, value);
    }
    let place = match key {
        "name" => fences.inner.start,
        "description" => last(fields, "name").map_or(fences.inner.start, |name| name.lines.end),
        _ => last(fields, METADATA).map_or(fences.inner.end, |metadata| metadata.lines.start),
    };
    let indent = fields.first().map_or("", |field| indent_of(text, field));
    let added = format!("{indent}{key}: {value}{}", fences.line_end);
    Ok(replaced(text, place..place, &added))
}

fn set_nested(
    text: &str,
    metadata: &Field,
    name: &str,
    value: &str,
    line_end: &str,
) -> Result<String, EditRefused> {
    if let Some(field) = last(&metadata.children, name) {
        return set_existing(text, field, value);
    }
    let inline = text.get(metadata.value.clone()).unwrap_or_default();
    if let (Some(child), Shape::ManyLines) = (metadata.children.last(), metadata.shape) {
        let added = format!("{}{name}: {value}{line_end}", indent_of(text, child));
        return Ok(replaced(text, child.lines.end..child.lines.end, &added));
    }
    if inline.starts_with('{') && inline.ends_with('}') {
        let place = metadata.value.start + 1;
        let comma = if metadata.children.is_empty() { "" } else { ", " };
        return Ok(replaced(text, place..place, &format!("{name}: {value}{comma}")));
    }
    if inline.is_empty() {
        let indent = indent_of(text, metadata);
        let place = metadata.lines.end;
        return Ok(replaced(text, place..place, &format!("{indent}  {name}: {value}{line_end}")));
    }
    Err(EditRefused::NoMapping)
}

fn set_existing(text: &str, field: &Field, value: &str) -> Result<String, EditRefused> {
    if !field.children.is_empty() {
        return Err(EditRefused::HoldsFields { key: field.key.clone() });
    }
    let blank = if field.value.start == field.behind_colon { " " } else { "" };
    Ok(replaced(text, field.value.clone(), &format!("{blank}{value}")))
}

/// The white space before a field on its line.
fn indent_of<'t>(text: &'t str, field: &Field) -> &'t str {
    let line = text.get(field.lines.clone()).unwrap_or_default();
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

/// A field of a flow mapping with the comma that separates it from its neighbour.
fn with_comma(text: &str, field: &Field) -> Range<usize> {
    let behind = text.get(field.lines.end..).unwrap_or_default();
    let gap = behind.len() - behind.trim_start().len();
    if behind.trim_start().starts_with(',') {
        let after = behind.get(gap + 1..).unwrap_or_default();
        let blank = after.len() - after.trim_start_matches(' ').len();
        return field.lines.start..field.lines.end + gap + 1 + blank;
    }
    let before = text.get(..field.lines.start).unwrap_or_default().trim_end();
    let start = before.strip_suffix(',').map_or(field.lines.start, str::len);
    start..field.lines.end
}

fn with_new_frontmatter(text: &str, key: &str, value: &str) -> String {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let end = match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    };
    let field = match nested(key) {
        Some(name) => format!("{METADATA}:{end}  {name}: {value}"),
        None => format!("{key}: {value}"),
    };
    let gap = if text.get(mark..).is_some_and(str::is_empty) { "" } else { end };
    replaced(text, mark..mark, &format!("---{end}{field}{end}---{end}{gap}"))
}

fn replaced(text: &str, range: Range<usize>, new: &str) -> String {
    let before = text.get(..range.start).unwrap_or_default();
    let behind = text.get(range.end..).unwrap_or_default();
    [before, new, behind].concat()
}
