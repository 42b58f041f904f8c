//! A settings file with and without the members that are ours.

use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::section::{self, SectionError};
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
    /// YAML, in which a marked section is ours.
    Yaml,
    /// Markdown, in which a marked section is ours.
    Markdown,
}

impl Format {
    /// How a file of this name is written.
    #[must_use]
    pub(super) fn of(name: &str) -> Self {
        match Utf8Path::new(name).extension() {
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            Some("json" | "jsonc") => Self::Json,
            _ => Self::Markdown,
        }
    }
}

/// One member of a settings file: the way of keys to it, and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The keys, from the outermost object.
    pub path: Vec<String>,
    /// The value that makes the agent know memdir.
    pub value: Value,
    /// Whether it is one item of a list there, beside those of others.
    #[serde(default)]
    pub in_list: bool,
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
    /// A marked section cannot be written.
    #[error(transparent)]
    Section(#[from] SectionError),
}

impl Member {
    /// A member at the end of a way of keys.
    #[must_use]
    pub fn new(path: &[&str], value: Value) -> Self {
        Self { path: path.iter().map(|key| (*key).to_owned()).collect(), value, in_list: false }
    }

    /// An item of the list at the end of a way of keys.
    #[must_use]
    pub fn item(path: &[&str], value: Value) -> Self {
        Self { in_list: true, ..Self::new(path, value) }
    }

    /// Whether it is a text in a list, which anybody may have written: a rule about permissions.
    fn is_plain_item(&self) -> bool {
        self.in_list && self.value.is_string()
    }

    fn keys(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    /// The key below which a section is, if it is below one.
    fn under(&self) -> Option<&str> {
        self.path.first().map(String::as_str)
    }

    /// The way as people write it.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.join(".")
    }

    /// Whether the value in its place was written by a memdir, this one or an earlier one.
    ///
    /// The manifest may be gone, and the program may have moved: what is ours is known by what it starts.
    #[must_use]
    pub fn is_ours(&self, found: &Value) -> bool {
        if *found == self.value {
            return true;
        }
        if self.in_list {
            return runs_hook(found);
        }
        match &self.value {
            // What is between our marks is ours.
            Value::String(_) => found.is_string(),
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
            Value::Object(wanted) => {
                let same = |command: &Value| found.get("command") == Some(command);
                starts_memdir(found) || wanted.get("command").is_some_and(same)
            }
            _ => false,
        }
    }

    /// Whether a value is as a set-up writes it, by whatever path the program was called: no other program has added to it or
    /// decided otherwise since, so it may be written anew.
    #[must_use]
    pub fn is_untouched(&self, found: &Value) -> bool {
        match (&self.value, found) {
            _ if *found == self.value => true,
            _ if self.in_list => self.is_ours(found),
            (Value::String(_), Value::String(_)) => true,
            (Value::Object(wanted), Value::Object(there)) => {
                let agrees = |(key, value): (&String, &Value)| {
                    let other = there.get(key);
                    other == Some(value)
                        || key == "source"
                        || (key == "command" && other.is_some_and(|other| same_but_program(value, other)))
                };
                wanted.len() == there.len() && wanted.iter().all(agrees) && self.is_ours(found)
            }
            _ => false,
        }
    }
}

/// Whether two commands differ in the program at most.
fn same_but_program(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(_), Value::String(_)) => true,
        (Value::Array(one), Value::Array(other)) => one.get(1..) == other.get(1..),
        _ => false,
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

/// Whether an entry of an event runs `memdir hook`, by whatever path, alone or in a group.
fn runs_hook(entry: &Value) -> bool {
    let grouped = entry.get("hooks").and_then(Value::as_array).into_iter().flatten();
    let mut commands = grouped.chain([entry]).filter_map(|hook| hook.get("command")?.as_str());
    // Its path may be quoted, and on Windows its name has an ending.
    let ends = ["memdir", "memdir'", "memdir\"", "memdir.exe", "memdir.exe\""];
    commands.any(|command| ends.iter().any(|end| command.contains(&format!("{end} hook "))))
}

/// Whether every member is in the text with its value.
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

/// The first member whose value was written or changed by another program. `written` is what we are known to have
/// written there.
///
/// # Errors
/// The text cannot be understood.
pub fn find_foreign<'m>(
    format: Format,
    text: Option<&str>,
    members: &'m [Member],
    written: &[Member],
) -> Result<Option<&'m Member>, WiringError> {
    for member in members {
        let is_known = |found: &Value| {
            member.is_untouched(found)
                || written.iter().any(|known| known.path == member.path && known.value == *found)
        };
        if get(format, text, member)?.is_some_and(|found| !is_known(&found)) {
            return Ok(Some(member));
        }
    }
    Ok(None)
}

fn get(format: Format, text: Option<&str>, member: &Member) -> Result<Option<Value>, WiringError> {
    let Some(text) = text else { return Ok(None) };
    Ok(match format {
        Format::Json => {
            let found = Jsonc::parse(text)?.get(&member.keys());
            match found {
                Some(Value::Array(items)) if member.in_list => {
                    items.into_iter().find(|item| member.is_ours(item))
                }
                _ if member.in_list => None,
                found => found,
            }
        }
        Format::Toml => toml_table::get(text, &member.keys())?,
        Format::Yaml | Format::Markdown => {
            let found = section::get(format, member.under(), text)?;
            let wanted = member.value.as_str().unwrap_or_default();
            // A section that is as it should be is the same wherever its key is.
            found.map(|found| {
                let is_same = section::says(&found, member.under(), wanted);
                Value::from(if is_same { wanted.to_owned() } else { found })
            })
        }
    })
}

/// The text with every member in it.
///
/// # Errors
/// The text cannot be understood, or edited safely.
pub fn wire(format: Format, text: Option<&str>, members: &[Member]) -> Result<String, WiringError> {
    let mut new = text.unwrap_or_default().to_owned();
    for member in members {
        if member.is_plain_item() && get(format, Some(&new), member)?.is_some() {
            continue;
        }
        if member.in_list {
            new = Jsonc::parse(&without(format, &new, member)?)?.push(&member.keys(), &member.value)?;
            continue;
        }
        new = match (format, &member.value) {
            (Format::Json, value) => Jsonc::parse(&new)?.set(&member.keys(), value)?,
            (Format::Toml, Value::Object(table)) => toml_table::set(&new, &member.keys(), table)?,
            (Format::Toml, _) => return Err(TomlError::Unsafe(member.name()).into()),
            (Format::Yaml | Format::Markdown, value) => {
                section::set(format, &new, member.under(), value.as_str().unwrap_or_default())?
            }
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
        // A rule or a version that its owner had before us is the owner's.
        if (member.is_plain_item() || member.value.is_number())
            && get(format, base, member).is_ok_and(|found| found.is_some())
        {
            continue;
        }
        if !get(format, Some(&new), member)?.is_some_and(|found| member.is_ours(&found)) {
            continue;
        }
        new = without(format, &new, member)?;
        // An empty table in TOML needs no header, so it goes with what it held.
        let around = if format == Format::Json { keys.len() + usize::from(member.in_list) } else { 0 };
        for length in (1..around).rev() {
            let around = keys.get(..length).unwrap_or_default();
            let is_empty = matches!(Jsonc::parse(&new)?.get(around), Some(found) if is_empty(&found));
            let was_there =
                base.is_some_and(|base| Jsonc::parse(base).is_ok_and(|base| base.get(around).is_some()));
            if !is_empty || was_there {
                break;
            }
            new = Jsonc::parse(&new)?.remove(around)?.unwrap_or(new);
        }
    }
    let is_bare = match format {
        Format::Json => matches!(new.trim(), "" | "{}"),
        Format::Toml | Format::Yaml | Format::Markdown => new.trim().is_empty(),
    };
    Ok((base.is_some() || !is_bare).then_some(new))
}

fn without(format: Format, text: &str, member: &Member) -> Result<String, WiringError> {
    let keys = member.keys();
    if member.in_list {
        return without_items(text, member);
    }
    let fewer = match format {
        Format::Json => Jsonc::parse(text)?.remove(&keys)?,
        Format::Toml => toml_table::remove(text, &keys)?,
        Format::Yaml | Format::Markdown => return Ok(section::remove(format, member.under(), text)?),
    };
    Ok(fewer.unwrap_or_else(|| text.to_owned()))
}

/// The text without the items of a list that are ours.
fn without_items(text: &str, member: &Member) -> Result<String, WiringError> {
    let keys = member.keys();
    let mut new = text.to_owned();
    let Some(Value::Array(items)) = Jsonc::parse(text)?.get(&keys) else { return Ok(new) };
    for (position, item) in items.iter().enumerate().rev() {
        if member.is_ours(item)
            && let Some(fewer) = Jsonc::parse(&new)?.remove_item(&keys, position)?
        {
            new = fewer;
        }
    }
    Ok(new)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// What must go from a text before a reader of strict JSON, who ignores the whole of it now, reads it.
#[must_use]
pub fn strict_problem(text: &str) -> Option<String> {
    let line = Jsonc::parse(text).ok()?.lenient_line()?;
    Some(format!("the comment or trailing comma in line {line}"))
}
