//! From a text to where its values are.

use serde_json::Value;

use super::{Item, JsoncError, Kind, MAX_BYTES, Member, Node};

/// No settings file nests deeper, and a hostile one must not exhaust the stack.
const MAX_DEPTH: usize = 64;

pub(super) struct Parser<'t> {
    text: &'t str,
    at: usize,
    lenient_at: Option<usize>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self, JsoncError> {
        if text.len() > MAX_BYTES {
            return Err(JsoncError::Syntax { line: 1, what: "it is too long" });
        }
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Ok(Self { text, at, lenient_at: None })
    }

    pub(super) fn lenient_line(&self) -> Option<usize> {
        self.lenient_at.map(|at| self.line_of(at))
    }

    pub(super) fn document(&mut self) -> Result<Option<Node>, JsoncError> {
        self.skip_trivia()?;
        if self.peek().is_none() {
            return Ok(None);
        }
        let node = self.value(0)?;
        self.skip_trivia()?;
        match self.peek() {
            None => Ok(Some(node)),
            Some(_) => self.fail("there is text after the end"),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, JsoncError> {
        if depth > MAX_DEPTH {
            return self.fail("it nests too deep");
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.members(depth)?),
            Some(b'[') => Kind::Array(self.items(depth)?),
            Some(b'"') => Kind::Scalar(Value::String(self.string()?)),
            Some(_) => self.word()?,
            None => return self.fail("it ends too early"),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn members(&mut self, depth: usize) -> Result<Vec<Member>, JsoncError> {
        self.at += 1;
        let mut members: Vec<Member> = Vec::new();
        loop {
            self.skip_trivia()?;
            match self.peek() {
                Some(b'}') => {
                    self.note_trailing(members.last().and_then(|member| member.comma));
                    self.at += 1;
                    return Ok(members);
                }
                Some(b'"') if members.last().is_none_or(|member| member.comma.is_some()) => {}
                Some(b'"') => return self.fail("a comma is missing"),
                Some(_) => return self.fail("expected a key in quotes"),
                None => return self.fail("it ends inside an object"),
            }
            let key_start = self.at;
            let key = self.string()?;
            self.skip_trivia()?;
            if self.peek() != Some(b':') {
                return self.fail("expected a colon");
            }
            self.at += 1;
            self.skip_trivia()?;
            let value = self.value(depth + 1)?;
            let comma = self.comma()?;
            members.push(Member { key, key_start, value, comma });
        }
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Item>, JsoncError> {
        self.at += 1;
        let mut items: Vec<Item> = Vec::new();
        loop {
            self.skip_trivia()?;
            match self.peek() {
                Some(b']') => {
                    self.note_trailing(items.last().and_then(|item| item.comma));
                    self.at += 1;
                    return Ok(items);
                }
                Some(_) if items.last().is_none_or(|item| item.comma.is_some()) => {}
                Some(_) => return self.fail("a comma is missing"),
                None => return self.fail("it ends inside a list"),
            }
            let value = self.value(depth + 1)?;
            let comma = self.comma()?;
            items.push(Item { value, comma });
        }
    }

    /// The comma behind a value. Where there is none, what follows is left to be read again.
    fn comma(&mut self) -> Result<Option<usize>, JsoncError> {
        self.skip_trivia()?;
        Ok((self.peek() == Some(b',')).then(|| {
            self.at += 1;
            self.at - 1
        }))
    }

    fn string(&mut self) -> Result<String, JsoncError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(b'\n') | None => return self.fail("a text does not end"),
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        let Ok(text) = serde_json::from_str(self.text.get(start..self.at).unwrap_or_default()) else {
            return self.fail("a text holds what JSON does not allow");
        };
        Ok(text)
    }

    fn word(&mut self) -> Result<Kind, JsoncError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
        match serde_json::from_str::<Value>(rest.get(..length).unwrap_or_default()) {
            Ok(value) => {
                self.at += length;
                Ok(Kind::Scalar(value))
            }
            Err(_) => self.fail("expected a value"),
        }
    }

    /// White space and comments.
    fn skip_trivia(&mut self) -> Result<(), JsoncError> {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += blank;
            let rest = rest.get(blank..).unwrap_or_default();
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => end + 2,
                    None => return self.fail("a comment does not end"),
                }
            } else {
                return Ok(());
            };
            self.note_lenient(self.at);
            self.at += length;
        }
    }

    fn note_trailing(&mut self, comma: Option<usize>) {
        if let Some(at) = comma {
            self.note_lenient(at);
        }
    }

    fn note_lenient(&mut self, at: usize) {
        self.lenient_at = Some(self.lenient_at.map_or(at, |first| first.min(at)));
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn line_of(&self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at.min(self.text.len())).unwrap_or_default();
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    fn fail<T>(&self, what: &'static str) -> Result<T, JsoncError> {
        Err(JsoncError::Syntax { line: self.line_of(self.at), what })
    }
}
