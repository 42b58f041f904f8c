//! Setting and removing one member, with every other byte kept.

use serde::Serialize as _;
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Serializer, Value};

use super::{Jsonc, JsoncError, Kind, Node};

/// A key that occurs more often in one object was not written by a person.
const MOST_DOUBLES: usize = 16;

impl Jsonc<'_> {
    /// The text in which the member at the end of `path` has this value; objects on the way are made.
    ///
    /// # Errors
    /// Something on the way is not an object, or the text cannot be edited safely.
    pub fn set(&self, path: &[&str], value: &Value) -> Result<String, JsoncError> {
        let new = self.with_member(path, value)?;
        let mut expected = self.to_value();
        put(&mut expected, path, value);
        proven(new, &expected)
    }

    /// The text without the member at the end of `path`, wherever its key occurs there; `None` if there is none.
    ///
    /// # Errors
    /// The text cannot be edited safely.
    pub fn remove(&self, path: &[&str]) -> Result<Option<String>, JsoncError> {
        let mut expected = self.to_value();
        take(&mut expected, path);
        let mut new: Option<String> = None;
        for _ in 0..MOST_DOUBLES {
            let fewer = match &new {
                None => self.without_last(path),
                Some(text) => Jsonc::parse(text).map_err(|_| JsoncError::Unsafe)?.without_last(path),
            };
            match fewer {
                Some(fewer) => new = Some(fewer),
                None => return new.map(|new| proven(new, &expected)).transpose(),
            }
        }
        Err(JsoncError::Unsafe)
    }

    /// The text in which the list at the end of `path` ends with this item; the list and what is around it are made.
    ///
    /// # Errors
    /// Something on the way is not an object, what is at its end is not a list, or the text cannot be edited safely.
    pub fn push(&self, path: &[&str], item: &Value) -> Result<String, JsoncError> {
        let Some(list) = self.node(path) else {
            return self.set(path, &Value::Array(vec![item.clone()]));
        };
        if !matches!(list.kind, Kind::Array(_)) {
            return Err(JsoncError::NotAList { path: path.iter().map(|key| (*key).to_owned()).collect() });
        }
        let new = self.insert(list, "", item);
        let mut expected = self.to_value();
        if let Some(Value::Array(items)) = at(&mut expected, path) {
            items.push(item.clone());
        }
        proven(new, &expected)
    }

    /// The text in which the list at the end of `path` lacks one item, counted from 0; `None` if there is none.
    ///
    /// # Errors
    /// The text cannot be edited safely.
    pub fn remove_item(&self, path: &[&str], position: usize) -> Result<Option<String>, JsoncError> {
        let Some(list) = self.node(path).filter(|list| matches!(list.kind, Kind::Array(_))) else {
            return Ok(None);
        };
        if position >= list.slots().len() {
            return Ok(None);
        }
        let mut expected = self.to_value();
        if let Some(Value::Array(items)) = at(&mut expected, path) {
            items.remove(position);
        }
        proven(self.without(list, position), &expected).map(Some)
    }

    fn node(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self.root.as_ref()?, |node, key| node.member(key).map(|member| &member.value))
    }

    fn without_last(&self, path: &[&str]) -> Option<String> {
        let (last, way) = path.split_last()?;
        let object = self.node(way)?;
        let Kind::Object(members) = &object.kind else { return None };
        let position = members.iter().rposition(|member| member.key == *last)?;
        Some(self.without(object, position))
    }

    fn with_member(&self, path: &[&str], value: &Value) -> Result<String, JsoncError> {
        let Some(root) = &self.root else { return Ok(self.first_value(&nested(path, value))) };
        let mut node = root;
        for (depth, key) in path.iter().enumerate() {
            let Kind::Object(_) = &node.kind else {
                let path = path.iter().take(depth).map(|key| (*key).to_owned()).collect();
                return Err(JsoncError::NotAnObject { path });
            };
            match node.member(key) {
                Some(member) => node = &member.value,
                None => {
                    let rest = path.get(depth + 1..).unwrap_or_default();
                    return Ok(self.insert(node, &format!("{}: ", quoted(key)), &nested(rest, value)));
                }
            }
        }
        let rendered = self.render(value, &self.line_indent(node.span.start));
        Ok(self.replaced(&[(node.span.start, node.span.end, &rendered)]))
    }

    /// A text that held nothing but blanks and comments.
    fn first_value(&self, value: &Value) -> String {
        let end = self.line_end();
        let mut new = self.text.to_owned();
        if !new.is_empty() && !new.ends_with('\n') && !new.ends_with('\u{feff}') {
            new.push_str(end);
        }
        new.push_str(&self.render(value, ""));
        new.push_str(end);
        new
    }

    /// Adds a value at the end of an object or a list, behind `key`, which is empty in a list.
    fn insert(&self, container: &Node, key: &str, value: &Value) -> String {
        let end = self.line_end();
        let outer = self.line_indent(container.span.start);
        let Some(last) = container.slots().pop() else {
            let inner = format!("{outer}{}", self.indent_unit());
            let member = format!("{key}{}", self.render(value, &inner));
            let (open, close) = (container.span.start + 1, container.span.end - 1);
            let between = self.slice(open, close);
            let kept = if between.trim().is_empty() { "" } else { between.trim_end() };
            return self.replaced(&[(open, close, &format!("{kept}{end}{inner}{member}{end}{outer}"))]);
        };
        let behind = last.comma.map_or(last.end, |comma| comma + 1);
        let (comma, trailing) = if last.comma.is_some() { ("", ",") } else { (",", "") };
        if !self.slice(container.span.start, last.start).contains('\n') {
            // What is on one line stays on one line.
            let member = format!("{comma} {key}{value}{trailing}");
            return self.replaced(&[(behind, behind, &member)]);
        }
        let inner = self.line_indent(last.start);
        let member = format!("{end}{inner}{key}{}{trailing}", self.render(value, &inner));
        // A comment on the line of the last member belongs to it.
        let at = self.end_of_line_trivia(behind);
        self.replaced(&[(last.end, last.end, comma), (at, at, &member)])
    }

    fn without(&self, container: &Node, position: usize) -> String {
        let slots = container.slots();
        let Some(slot) = slots.get(position) else { return self.text.to_owned() };
        let previous = position.checked_sub(1).and_then(|previous| slots.get(previous));
        let mut start = slot.start;
        let mut end = slot.comma.map_or(slot.end, |comma| comma + 1);
        let line_start = self.slice(0, start).rfind('\n').map_or(0, |at| at + 1);
        let rest = self.text.get(end..).unwrap_or_default();
        let line_rest = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let has_line = line_start > container.span.start
            && self.slice(line_start, start).trim().is_empty()
            && self.slice(end, end + line_rest).trim().is_empty();
        let mut cuts = Vec::new();
        // A comma before the last one goes, unless the last one had a comma behind it as well.
        if let (None, Some(comma)) = (slot.comma, previous.and_then(|previous| previous.comma)) {
            if has_line || !self.slice(comma + 1, start).trim().is_empty() {
                cuts.push((comma, comma + 1, ""));
            } else {
                start = comma;
            }
        }
        if has_line {
            start = line_start;
            end += line_rest;
        } else if slot.comma.is_some() {
            end += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        }
        if slots.len() == 1 {
            let (open, close) = (container.span.start + 1, container.span.end - 1);
            let left = format!("{}{}", self.slice(open, start), self.slice(end.min(close), close));
            if left.trim().is_empty() {
                return self.replaced(&[(open, close, "")]);
            }
        }
        cuts.push((start, end, ""));
        self.replaced(&cuts)
    }

    /// The text with ranges replaced; they are in order and do not overlap.
    fn replaced(&self, ranges: &[(usize, usize, &str)]) -> String {
        let mut new = String::new();
        let mut from = 0;
        for (start, end, with) in ranges {
            new.push_str(self.slice(from, *start));
            new.push_str(with);
            from = *end;
        }
        new.push_str(self.text.get(from..).unwrap_or_default());
        new
    }

    /// Behind the blanks and comments that follow on the same line.
    fn end_of_line_trivia(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let line = rest.get(..rest.find('\n').unwrap_or(rest.len())).unwrap_or_default();
        let line = line.strip_suffix('\r').unwrap_or(line);
        let blank = line.len() - line.trim_start().len();
        let comment = line.get(blank..).unwrap_or_default();
        let is_whole = comment.starts_with("//")
            || comment.starts_with("/*")
                && comment.find("*/").is_some_and(|end| end + 2 == comment.trim_end().len());
        if is_whole { at + line.len() } else { at }
    }

    /// The blanks at the beginning of the line.
    fn line_indent(&self, at: usize) -> String {
        let line_start = self.slice(0, at).rfind('\n').map_or(0, |end| end + 1);
        let line = self.slice(line_start, at);
        line.chars().take_while(|c| *c == ' ' || *c == '\t').collect()
    }

    /// By how much the members of the outermost object are indented.
    fn indent_unit(&self) -> String {
        let first = match self.root.as_ref().map(|root| &root.kind) {
            Some(Kind::Object(members)) => members.first(),
            _ => None,
        };
        let indent = first.map(|member| self.line_indent(member.key_start)).unwrap_or_default();
        if indent.is_empty() { "  ".to_owned() } else { indent }
    }

    fn render(&self, value: &Value, indent: &str) -> String {
        let unit = self.indent_unit();
        let mut bytes = Vec::new();
        let mut serializer =
            Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(unit.as_bytes()));
        if value.serialize(&mut serializer).is_err() {
            return value.to_string();
        }
        let text = String::from_utf8(bytes).unwrap_or_else(|_| value.to_string());
        text.replace('\n', &format!("{}{indent}", self.line_end()))
    }

    fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    fn slice(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end.min(self.text.len())).unwrap_or_default()
    }
}

fn quoted(key: &str) -> String {
    Value::String(key.to_owned()).to_string()
}

/// The value inside objects for each key of the way.
fn nested(path: &[&str], value: &Value) -> Value {
    path.iter()
        .rev()
        .fold(value.clone(), |inner, key| Value::Object(Map::from_iter([((*key).to_owned(), inner)])))
}

fn put(whole: &mut Value, path: &[&str], value: &Value) {
    let Some((key, rest)) = path.split_first() else {
        whole.clone_from(value);
        return;
    };
    if let Value::Object(members) = whole {
        put(members.entry((*key).to_owned()).or_insert_with(|| Value::Object(Map::new())), rest, value);
    }
}

fn at<'w>(whole: &'w mut Value, path: &[&str]) -> Option<&'w mut Value> {
    path.iter().try_fold(whole, |inner, key| inner.get_mut(*key))
}

fn take(whole: &mut Value, path: &[&str]) {
    let Value::Object(members) = whole else { return };
    match path {
        [] => {}
        [key] => drop(members.shift_remove(*key)),
        [key, rest @ ..] => {
            if let Some(inner) = members.get_mut(*key) {
                take(inner, rest);
            }
        }
    }
}

/// Reads an edited text again. Only one that says what it should leaves this module.
fn proven(new: String, expected: &Value) -> Result<String, JsoncError> {
    match Jsonc::parse(&new) {
        Ok(again) if again.to_value() == *expected => Ok(new),
        _ => Err(JsoncError::Unsafe),
    }
}
