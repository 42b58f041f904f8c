//! One settings file as text, and the few keys of it that memory depends on.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::known_keys;

/// What one settings file says about memory and instructions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) auto_memory_enabled: Option<bool>,
    pub(super) auto_memory_directory: Option<String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) claude_md_excludes: Vec<String>,
    /// The rules of `permissions.deny` and `permissions.ask`: neither lets a tool act without a question.
    pub(super) denied: Vec<String>,
}

/// Something in a settings file that the client does not accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// Counted from one.
    pub(super) line: usize,
    pub(super) what: String,
}

/// Why a file says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Void {
    /// It is not a JSON object.
    NotObject(Problem),
    /// Known keys have values of the wrong type; the rest of the file is in the document.
    WrongTypes(Vec<Problem>, Box<Document>),
}

/// Reads a settings file as the client does: strict JSON, but an empty file, a byte-order mark, bytes that are
/// not UTF-8, unknown keys and repeated keys (the last one counts) are all fine.
pub(super) fn parse(bytes: &[u8]) -> Result<Document, Void> {
    let text = decode(bytes);
    if text.trim().is_empty() {
        return Ok(Document::default());
    }
    let entries: HashMap<String, &RawValue> = serde_json::from_str(&text).map_err(|error| {
        Void::NotObject(Problem { line: error.line().max(1), what: without_position(&error) })
    })?;
    let mut document = Document::default();
    let mut problems = Vec::new();
    for (key, raw) in entries {
        if let Err(expected) = document.take(&key, raw) {
            let line = line_of(&text, raw.get());
            problems.push(Problem { line, what: format!("`{key}` must be {expected}") });
        }
    }
    if problems.is_empty() {
        return Ok(document);
    }
    problems.sort_by_key(|problem| problem.line);
    Err(Void::WrongTypes(problems, Box::new(document)))
}

impl Document {
    /// Takes over the value of one key, or says which type it should have had.
    fn take(&mut self, key: &str, raw: &RawValue) -> Result<(), String> {
        match key {
            "autoMemoryEnabled" => self.auto_memory_enabled = Some(typed(raw, "true or false")?),
            "autoMemoryDirectory" => self.auto_memory_directory = Some(typed(raw, "text")?),
            "claudeMdExcludes" => self.claude_md_excludes = typed(raw, "a list of texts")?,
            "env" => {
                let values: HashMap<String, Value> = typed(raw, "an object")?;
                self.env = values.into_iter().map(|(name, value)| (name, as_text(&value))).collect();
            }
            "permissions" => {
                known_keys::check(key, raw)?;
                self.denied = rules_against(raw);
            }
            _ => known_keys::check(key, raw)?,
        }
        Ok(())
    }
}

/// The rules under which a tool may not act without a question; what is not UTF-8 among them is not a rule.
fn rules_against(raw: &RawValue) -> Vec<String> {
    let lists: HashMap<String, Value> = serde_json::from_str(raw.get()).unwrap_or_default();
    let rules = ["deny", "ask"].iter().filter_map(|name| lists.get(*name)?.as_array());
    rules.flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn typed<'a, T: Deserialize<'a>>(raw: &'a RawValue, expected: &str) -> Result<T, String> {
    serde_json::from_str(raw.get()).map_err(|_| expected.to_owned())
}

/// The text of a variable's value: the client turns whatever is there into a string.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => "null".to_owned(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e21 => {
                format!("{float:.0}")
            }
            _ => number.to_string(),
        },
        Value::Array(items) => {
            let items: Vec<_> =
                items.iter().map(|item| if item.is_null() { String::new() } else { as_text(item) }).collect();
            items.join(",")
        }
        Value::Object(_) => "[object Object]".to_owned(),
    }
}

fn decode(bytes: &[u8]) -> String {
    if let Some(units) = bytes.strip_prefix(&[0xff, 0xfe]) {
        let units: Vec<u16> = units
            .chunks_exact(2)
            .map(|pair| pair.iter().rev().fold(0, |unit, byte| unit << 8 | u16::from(*byte)))
            .collect();
        return String::from_utf16_lossy(&units);
    }
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    String::from_utf8_lossy(text).into_owned()
}

/// The line of a slice of `text`, counted from one.
fn line_of(text: &str, part: &str) -> usize {
    let offset = part.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

/// What serde says, without the position that it adds: we put the line where people look for it.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text.get(..end).unwrap_or(&text).to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn off() -> Document {
        Document { auto_memory_enabled: Some(false), ..Document::default() }
    }

    #[test]
    fn what_the_client_accepts_we_accept() {
        let check = |bytes: &[u8], expected: Document| assert_eq!(parse(bytes), Ok(expected));
        check(b"", Document::default());
        check(b"  \n", Document::default());
        check(b"{}", Document::default());
        check(b"{\"autoMemoryEnabled\":false}\n\n", off());
        check("\u{feff}{\"autoMemoryEnabled\":false}".as_bytes(), off());
        check(b"{\"unknown\":null,\"autoMemoryEnabled\":false}", off());
        check(b"{\"x\":\"\xff\",\"autoMemoryEnabled\":false}", off());
        check(br#"{"x":"\ud800","autoMemoryEnabled":false}"#, off());
        check(br#"{"autoMemoryEnabled":5,"autoMemoryEnabled":false}"#, off());
        let units: Vec<u8> =
            "\u{feff}{\"autoMemoryEnabled\":false}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&units, off());
    }

    #[test]
    fn what_the_client_refuses_names_its_line() {
        let check = |text: &str, line: usize, expected: &str| {
            let problem = match parse(text.as_bytes()) {
                Err(Void::NotObject(problem)) => problem,
                Err(Void::WrongTypes(problems, _)) => problems.into_iter().next().unwrap(),
                Ok(document) => panic!("{text}: {document:?}"),
            };
            assert_eq!((problem.line, problem.what.as_str()), (line, expected), "{text}");
        };
        check("{\n  \"a\": 1,\n}", 3, "trailing comma");
        check("{\n // no\n}", 2, "key must be a string");
        check("{} x", 1, "trailing characters");
        check("{", 1, "EOF while parsing an object");
        check("[]", 1, "invalid type: sequence, expected a map");
        check("null", 1, "invalid type: null, expected a map");
        check("{\n\n\"autoMemoryEnabled\": \"x\"}", 3, "`autoMemoryEnabled` must be true or false");
        check("{\"autoMemoryEnabled\": null}", 1, "`autoMemoryEnabled` must be true or false");
        check("{\"autoMemoryDirectory\":\n5}", 2, "`autoMemoryDirectory` must be text");
        check("{\"claudeMdExcludes\": \"x\"}", 1, "`claudeMdExcludes` must be a list of texts");
        check("{\"claudeMdExcludes\": [\"x\", 5]}", 1, "`claudeMdExcludes` must be a list of texts");
        check("{\"env\": []}", 1, "`env` must be an object");
        check("{\"env\": null}", 1, "`env` must be an object");
        check("{\"model\": 5}", 1, "`model` must be text");
        check("{\"env\": 5,\n\"model\": null}", 1, "`env` must be an object");
    }

    #[test]
    fn a_variable_is_text_whatever_its_value() {
        let check = |value: &str, expected: &str| {
            let document = parse(format!("{{\"env\":{{\"X\":{value}}}}}").as_bytes()).unwrap();
            assert_eq!(document.env.get("X").map(String::as_str), Some(expected), "{value}");
        };
        check("\"a\"", "a");
        check("1", "1");
        check("1.0", "1");
        check("1.5", "1.5");
        check("true", "true");
        check("null", "null");
        check("[1,null,\"b\"]", "1,,b");
        check("{\"a\":1}", "[object Object]");
    }

    #[test]
    fn deep_nesting_ends() {
        let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(parse(deep.as_bytes()), Ok(Document::default()));
        let deep = format!("{{\"env\":{{\"X\":{}{}}}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(parse(deep.as_bytes()).is_err());
    }
}
