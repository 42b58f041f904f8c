//! JSON as people keep it in settings: with comments, trailing commas and keys that occur twice.
//!
//! An edit changes one member and keeps every other byte. What cannot be understood is refused, with its line; and
//! every edit is read again before it is handed out, so that a wrong one cannot reach a file.

mod edit;
mod parse;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde_json::{Map, Value};

use self::parse::Parser;

/// The longest text that is read.
pub const MAX_BYTES: usize = 4 << 20;

/// A text that was understood.
#[derive(Debug)]
pub struct Jsonc<'t> {
    text: &'t str,
    root: Option<Node>,
    lenient_line: Option<usize>,
}

/// Why a text is not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsoncError {
    /// It is not JSON, comments and trailing commas allowed for.
    #[error("it is not JSON: line {line}: {what}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// Something on the way to the member is there and is not an object.
    #[error("{} is not an object", if .path.is_empty() { "what it holds".to_owned() } else { format!("`{}` in it", .path.join(".")) })]
    NotAnObject {
        /// The way to it.
        path: Vec<String>,
    },
    /// What should be a list is something else.
    #[error("`{}` in it is not a list", .path.join("."))]
    NotAList {
        /// The way to it.
        path: Vec<String>,
    },
    /// The edited text does not say what it should: a form that this editor does not know.
    #[error("it is written in a way that cannot be edited safely")]
    Unsafe,
}

#[derive(Debug)]
struct Node {
    span: Range<usize>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Object(Vec<Member>),
    Array(Vec<Item>),
    Scalar(Value),
}

#[derive(Debug)]
struct Member {
    key: String,
    key_start: usize,
    value: Node,
    /// Where the comma behind the value is, if there is one.
    comma: Option<usize>,
}

#[derive(Debug)]
struct Item {
    value: Node,
    /// Where the comma behind the value is, if there is one.
    comma: Option<usize>,
}

/// Where a member of an object or an item of a list is.
#[derive(Debug, Clone, Copy)]
struct Slot {
    start: usize,
    end: usize,
    comma: Option<usize>,
}

impl<'t> Jsonc<'t> {
    /// Reads a text. One without any value is as good as an empty object.
    ///
    /// # Errors
    /// It is not JSON, too deep or too long.
    pub fn parse(text: &'t str) -> Result<Self, JsoncError> {
        let mut parser = Parser::new(text)?;
        let root = parser.document()?;
        Ok(Self { text, root, lenient_line: parser.lenient_line() })
    }

    /// The line of the first comment or trailing comma: strict readers refuse the whole text because of it.
    #[must_use]
    pub fn lenient_line(&self) -> Option<usize> {
        self.lenient_line
    }

    /// What the text says; of a key that occurs twice the last one counts.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.root.as_ref().map_or_else(|| Value::Object(Map::new()), Node::to_value)
    }

    /// The value at the end of a way of keys.
    #[must_use]
    pub fn get(&self, path: &[&str]) -> Option<Value> {
        let mut node = self.root.as_ref()?;
        for key in path {
            node = &node.member(key)?.value;
        }
        Some(node.to_value())
    }
}

impl Node {
    fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::Array(items) => Value::Array(items.iter().map(|item| item.value.to_value()).collect()),
            Kind::Object(members) => Value::Object(
                members.iter().map(|member| (member.key.clone(), member.value.to_value())).collect(),
            ),
        }
    }

    fn slots(&self) -> Vec<Slot> {
        match &self.kind {
            Kind::Object(members) => members
                .iter()
                .map(|member| Slot {
                    start: member.key_start,
                    end: member.value.span.end,
                    comma: member.comma,
                })
                .collect(),
            Kind::Array(items) => items
                .iter()
                .map(|item| Slot {
                    start: item.value.span.start,
                    end: item.value.span.end,
                    comma: item.comma,
                })
                .collect(),
            Kind::Scalar(_) => Vec::new(),
        }
    }

    /// The member that counts.
    fn member(&self, key: &str) -> Option<&Member> {
        match &self.kind {
            Kind::Object(members) => members.iter().rev().find(|member| member.key == key),
            _ => None,
        }
    }
}
