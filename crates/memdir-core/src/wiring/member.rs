//! A settings file with and without the members that are ours.

use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::jsonc::{Jsonc, JsoncError};
use crate::toml_table::{self, TomlError};

/// How a settings file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON, with whatever comments its owner put there.
    Json,
    /// TOML.
    Toml,
}

/// One member of a settings file: the way of keys to it, and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The keys, from the outermost object.
    pub path: Vec<String>,
    /// The value that makes the agent know memdir.
    pub value: Value,
}

/// Why a settings file is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WiringError {
    /// It is JSON that cannot be edited.
    #[error(transparent)]
    Json(#[from] JsoncError),
    /// It is TOML that cannot be edited.
    #[error(transparent)]
    Toml(#[from] TomlError),
}

impl Member {
    /// A member at the end of a way of keys.
    #[must_use]
    pub fn new(path: &[&str], value: Value) -> Self {
        Self { path: path.iter().map(|key| (*key).to_owned()).collect(), value }
    }

    fn keys(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    /// The way as people write it.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.join(".")
    }

    /// Whether a value that stands in its place was written by a memdir, this one or an earlier one.
    ///
    /// The manifest may be gone, and the program may have moved: what is ours is known by what it starts.
    #[must_use]
    pub fn is_ours(&self, found: &Value) -> bool {
        if *found == self.value {
            return true;
        }
        match &self.value {
            Value::Bool(_) => found.is_boolean(),
            Value::Array(_) => found.is_array(),
            Value::Object(wanted) if wanted.contains_key("source") => {
                let at = "/source/path";
                let name = |value: &Value| {
                    value
                        .pointer(at)
                        .and_then(Value::as_str)
                        .and_then(|path| Utf8Path::new(path).file_name())
                        .map(str::to_owned)
                };
                name(found).is_some() && name(found) == name(&self.value)
            }
            Value::Object(_) => starts_memdir(found),
            _ => false,
        }
    }
}

/// Whether a server's entry starts `memdir mcp`, with the command as one text or as a list.
fn starts_memdir(entry: &Value) -> bool {
    let texts = |value: &Value| match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let mut words = entry.get("command").map(texts).unwrap_or_default();
    words.extend(entry.get("args").map(texts).unwrap_or_default());
    let program = words.first().and_then(|program| Utf8Path::new(program).file_name());
    program == Some("memdir") && words.get(1).is_some_and(|word| word == "mcp")
}

/// Whether every member stands in the text with its value.
///
/// # Errors
/// The text cannot be understood.
pub fn is_wired(format: Format, text: Option<&str>, members: &[Member]) -> Result<bool, WiringError> {
    for member in members {
        if get(format, text, member)?.as_ref() != Some(&member.value) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The first member in whose place something stands that is not ours.
///
/// # Errors
/// The text cannot be understood.
pub fn find_foreign<'m>(
    format: Format,
    text: Option<&str>,
    members: &'m [Member],
) -> Result<Option<&'m Member>, WiringError> {
    for member in members {
        if get(format, text, member)?.is_some_and(|found| !member.is_ours(&found)) {
            return Ok(Some(member));
        }
    }
    Ok(None)
}

fn get(format: Format, text: Option<&str>, member: &Member) -> Result<Option<Value>, WiringError> {
    let Some(text) = text else { return Ok(None) };
    Ok(match format {
        Format::Json => Jsonc::parse(text)?.get(&member.keys()),
        Format::Toml => toml_table::get(text, &member.keys())?,
    })
}

/// The text with every member in it.
///
/// # Errors
/// The text cannot be understood, or edited safely.
pub fn wire(format: Format, text: Option<&str>, members: &[Member]) -> Result<String, WiringError> {
    let mut new = text.unwrap_or_default().to_owned();
    for member in members {
        new = match (format, &member.value) {
            (Format::Json, value) => Jsonc::parse(&new)?.set(&member.keys(), value)?,
            (Format::Toml, Value::Object(table)) => toml_table::set(&new, &member.keys(), table)?,
            (Format::Toml, _) => return Err(TomlError::Unsafe(member.name()).into()),
        };
    }
    Ok(new)
}

/// The text without our members, and without the objects around them that `base`, the text before us, did not have.
/// `None`: nothing is left that anybody else put there.
///
/// # Errors
/// The text cannot be understood, or edited safely.
pub fn unwire(
    format: Format,
    text: &str,
    base: Option<&str>,
    members: &[Member],
) -> Result<Option<String>, WiringError> {
    let mut new = text.to_owned();
    for member in members {
        let keys = member.keys();
        if !get(format, Some(&new), member)?.is_some_and(|found| member.is_ours(&found)) {
            continue;
        }
        new = without(format, &new, &keys)?;
        // An empty table in TOML needs no header, so it goes with what it held.
        let around = if format == Format::Json { keys.len() } else { 0 };
        for length in (1..around).rev() {
            let around = keys.get(..length).unwrap_or_default();
            let is_empty = Jsonc::parse(&new)?.get(around) == Some(Value::Object(Map::new()));
            let was_there =
                base.is_some_and(|base| Jsonc::parse(base).is_ok_and(|base| base.holds_object(around)));
            if !is_empty || was_there {
                break;
            }
            new = without(format, &new, around)?;
        }
    }
    let is_bare = match format {
        Format::Json => matches!(new.trim(), "" | "{}"),
        Format::Toml => new.trim().is_empty(),
    };
    Ok((base.is_some() || !is_bare).then_some(new))
}

fn without(format: Format, text: &str, keys: &[&str]) -> Result<String, WiringError> {
    let fewer = match format {
        Format::Json => Jsonc::parse(text)?.remove(keys)?,
        Format::Toml => toml_table::remove(text, keys)?,
    };
    Ok(fewer.unwrap_or_else(|| text.to_owned()))
}

/// Why a reader of strict JSON would ignore the whole text, if it would.
#[must_use]
pub fn strict_problem(text: &str) -> Option<String> {
    let line = Jsonc::parse(text).ok()?.lenient_line()?;
    Some(format!("line {line} holds a comment or a trailing comma, so the agent ignores the whole file"))
}
