//! What a field's value means.

use serde_json::Value;

use super::fields::{Field, Shape, closing_quote};
use super::scalar::is_number;
use crate::memory::bounded_yaml;

/// The value of a field; `None` if YAML does not accept it.
pub(super) fn decode(text: &str, field: &Field) -> Option<Value> {
    let raw = text.get(field.value.clone())?;
    if field.shape == Shape::ManyLines {
        let behind = text.get(field.behind_colon..field.lines.end)?;
        return yaml(&format!("k:{behind}"));
    }
    match raw.chars().next() {
        None => Some(Value::Null),
        Some('"') => double_quoted(raw).map(Value::String),
        Some('\'') => single_quoted(raw).map(Value::String),
        Some('[' | '{' | '|' | '>') => yaml(&format!("k: {raw}")),
        Some('&' | '*' | '!' | '%' | '@' | '`') => None,
        Some(_) if raw.contains(": ") || raw.ends_with(':') => None,
        Some(_) => Some(plain(raw)),
    }
}

/// A plain value by YAML's core rules, which the client follows: `yes` and dates are text.
fn plain(raw: &str) -> Value {
    match raw {
        "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_number(raw) => number(raw),
        _ => Value::String(raw.to_owned()),
    }
}

fn number(raw: &str) -> Value {
    let integer = match raw.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => match raw.strip_prefix("0o") {
            Some(digits) => i64::from_str_radix(digits, 8).ok(),
            None => raw.parse().ok(),
        },
    };
    match integer {
        Some(integer) => Value::from(integer),
        None => raw.parse::<f64>().map_or_else(|_| Value::String(raw.to_owned()), Value::from),
    }
}

fn single_quoted(raw: &str) -> Option<String> {
    let end = closing_quote(raw, '\'')?;
    (end + 1 == raw.len()).then(|| raw.get(1..end).unwrap_or_default().replace("''", "'"))
}

fn double_quoted(raw: &str) -> Option<String> {
    let end = closing_quote(raw, '"')?;
    if end + 1 != raw.len() {
        return None;
    }
    let mut decoded = String::with_capacity(end);
    let mut characters = raw.get(1..end)?.chars();
    while let Some(character) = characters.next() {
        decoded.push(if character == '\\' { escape(&mut characters)? } else { character });
    }
    Some(decoded)
}

fn escape(characters: &mut std::str::Chars<'_>) -> Option<char> {
    let code_point = |characters: &mut std::str::Chars<'_>, digits: usize| {
        let hex = characters.as_str().get(..digits)?;
        *characters = characters.as_str().get(digits..)?.chars();
        char::from_u32(u32::from_str_radix(hex, 16).ok()?)
    };
    Some(match characters.next()? {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        'x' => code_point(characters, 2)?,
        'u' => code_point(characters, 4)?,
        'U' => code_point(characters, 8)?,
        character @ (' ' | '"' | '/' | '\\') => character,
        _ => return None,
    })
}

/// The value of the only key of a small YAML mapping, within a budget that no hostile text can exceed.
fn yaml(mapping: &str) -> Option<Value> {
    let parsed: Value = bounded_yaml(mapping)?;
    match parsed {
        Value::Object(map) => map.into_iter().next().map(|(_, value)| value),
        _ => None,
    }
}
