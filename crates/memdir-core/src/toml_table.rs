//! One table in a TOML file of another process: added at the end, removed with its lines, every other byte kept.

use serde_json::{Map, Value as Json};
use toml::{Table, Value};

/// The longest text that is read.
pub const MAX_BYTES: usize = 4 << 20;

/// Why a text is not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TomlError {
    /// It is not TOML.
    #[error("it is not TOML: {0}")]
    Syntax(String),
    /// The edited text does not say what it should: a form that this editor does not know.
    #[error("it is written in a way that cannot be edited safely: `{0}` is not a table of its own")]
    Unsafe(String),
}

/// The table at the end of a way of keys, if there is one.
///
/// # Errors
/// It is not TOML, or too long.
pub fn get(text: &str, path: &[&str]) -> Result<Option<Json>, TomlError> {
    let whole = read(text)?;
    Ok(find(&whole, path).map(to_json))
}

/// The text in which the table at the end of `path` holds just these members.
///
/// # Errors
/// It is not TOML, or the table is written in a form that cannot be replaced safely.
pub fn set(text: &str, path: &[&str], table: &Map<String, Json>) -> Result<String, TomlError> {
    let mut new = remove(text, path)?.unwrap_or_else(|| text.to_owned());
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if !new.is_empty() && !new.ends_with('\n') {
        new.push_str(end);
    }
    if !new.is_empty() && !new.ends_with(&format!("{end}{end}")) {
        new.push_str(end);
    }
    new.push_str(&format!("[{}]{end}", path.join(".")));
    for (key, value) in table {
        // A JSON text, number or list of them is TOML too, but for one control character.
        let value = value.to_string().replace('\u{7f}', "\\u007F");
        new.push_str(&format!("{key} = {value}{end}"));
    }
    let mut expected = read(text)?;
    let table =
        table.iter().map(|(key, value)| Some((key.clone(), to_toml(value)?))).collect::<Option<Table>>();
    let table = table.ok_or_else(|| TomlError::Unsafe(path.join(".")))?;
    put(&mut expected, path, Value::Table(table));
    proven(new, &expected, path)
}

/// The text without the table at the end of `path` and what is below it; `None` if there is none.
///
/// # Errors
/// It is not TOML, or the table is written in a form that cannot be removed safely.
pub fn remove(text: &str, path: &[&str]) -> Result<Option<String>, TomlError> {
    let mut expected = read(text)?;
    if find(&expected, path).is_none() {
        return Ok(None);
    }
    take(&mut expected, path);
    let mut kept: Vec<&str> = Vec::new();
    // Blank lines and comments behind our last member: they belong to what follows.
    let mut between: Vec<&str> = Vec::new();
    let mut is_ours = false;
    for line in text.split_inclusive('\n') {
        if let Some(header) = header_of(line) {
            is_ours =
                header.len() >= path.len() && header.iter().zip(path).all(|(key, wanted)| key == wanted);
            if is_ours {
                kept.append(&mut between);
                continue;
            }
        }
        if !is_ours {
            kept.append(&mut between);
            kept.push(line);
        } else if line.trim().is_empty() || line.trim_start().starts_with('#') {
            between.push(line);
        } else {
            between.clear();
        }
    }
    if between.iter().all(|line| line.trim().is_empty()) && is_ours {
        // Ours was the last table: the blank line before it was for it.
        if kept.last().is_some_and(|line| line.trim().is_empty()) {
            kept.pop();
        }
    } else {
        kept.append(&mut between);
    }
    proven(kept.concat(), &expected, path).map(Some)
}

fn read(text: &str) -> Result<Table, TomlError> {
    if text.len() > MAX_BYTES {
        return Err(TomlError::Syntax("it is too long".to_owned()));
    }
    let first_line = |error: toml::de::Error| {
        let line = error
            .span()
            .and_then(|span| text.get(..span.start))
            .map(|before| before.matches('\n').count() + 1);
        let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        TomlError::Syntax(format!("{place}{}", error.message()))
    };
    text.parse::<Table>().map_err(first_line)
}

/// The keys of a line that opens a table.
fn header_of(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('[')?;
    if inner.starts_with('[') {
        return Some(Vec::new());
    }
    let inner = inner.get(..inner.rfind(']')?)?;
    let mut table = format!("{inner} = 0").parse::<Table>().ok()?;
    let mut keys = Vec::new();
    loop {
        let (key, value) = table.into_iter().next()?;
        keys.push(key);
        match value {
            Value::Table(inner) => table = inner,
            _ => return Some(keys),
        }
    }
}

fn find<'w>(whole: &'w Table, path: &[&str]) -> Option<&'w Value> {
    let (key, rest) = path.split_first()?;
    let value = whole.get(*key)?;
    if rest.is_empty() { Some(value) } else { find(value.as_table()?, rest) }
}

fn put(whole: &mut Table, path: &[&str], value: Value) {
    match path {
        [] => {}
        [key] => drop(whole.insert((*key).to_owned(), value)),
        [key, rest @ ..] => {
            let inner = whole.entry((*key).to_owned()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

/// Removes a table, and the tables around it that hold nothing else: an empty one may have no header of its own.
fn take(whole: &mut Table, path: &[&str]) {
    match path {
        [] => {}
        [key] => drop(whole.remove(*key)),
        [key, rest @ ..] => {
            if let Some(Value::Table(inner)) = whole.get_mut(*key) {
                take(inner, rest);
            }
        }
    }
}

fn to_toml(value: &Json) -> Option<Value> {
    Some(match value {
        Json::String(text) => Value::String(text.clone()),
        Json::Bool(value) => Value::Boolean(*value),
        Json::Number(number) => Value::Integer(number.as_i64()?),
        Json::Array(items) => Value::Array(items.iter().map(to_toml).collect::<Option<_>>()?),
        Json::Null | Json::Object(_) => return None,
    })
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::String(text.clone()),
        Value::Boolean(value) => Json::Bool(*value),
        Value::Integer(value) => Json::from(*value),
        Value::Float(value) => Json::from(*value),
        Value::Datetime(time) => Json::String(time.to_string()),
        Value::Array(items) => Json::Array(items.iter().map(to_json).collect()),
        Value::Table(table) => {
            Json::Object(table.iter().map(|(key, value)| (key.clone(), to_json(value))).collect())
        }
    }
}

/// Reads an edited text again. Only one that says what it should leaves this module.
fn proven(new: String, expected: &Table, path: &[&str]) -> Result<String, TomlError> {
    let said = read(&new).ok().map(without_empty);
    if said == Some(without_empty(expected.clone())) {
        return Ok(new);
    }
    Err(TomlError::Unsafe(path.join(".")))
}

/// Tables that hold nothing come and go with the headers below them.
fn without_empty(table: Table) -> Table {
    let kept = |(key, value)| match value {
        Value::Table(inner) => {
            let inner = without_empty(inner);
            (!inner.is_empty()).then_some((key, Value::Table(inner)))
        }
        other => Some((key, other)),
    };
    table.into_iter().filter_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: [&str; 2] = ["mcp_servers", "memdir"];

    fn ours() -> Map<String, Json> {
        let ours = serde_json::json!({"command": "/opt/my \"bin\"/memdir", "args": ["mcp"]});
        ours.as_object().unwrap().clone()
    }

    const OURS: &str = "[mcp_servers.memdir]\ncommand = \"/opt/my \\\"bin\\\"/memdir\"\nargs = [\"mcp\"]\n";

    #[test]
    fn a_table_is_added_at_the_end_and_taken_back() {
        let check = |text: &str, expected: &str| {
            let new = set(text, &PATH, &ours()).unwrap();
            assert_eq!(new, expected);
            assert_eq!(set(&new, &PATH, &ours()).unwrap(), new);
            assert_eq!(get(&new, &PATH).unwrap(), Some(Json::Object(ours())));
            assert_eq!(remove(&new, &PATH).unwrap().unwrap().trim_end(), text.trim_end());
        };
        check("", OURS);
        check("# mine\nmodel = \"o3\"\n", &format!("# mine\nmodel = \"o3\"\n\n{OURS}"));
        check("model = \"o3\"", &format!("model = \"o3\"\n\n{OURS}"));
        check("[mcp_servers.x]\ncommand = 'x'\n\n", &format!("[mcp_servers.x]\ncommand = 'x'\n\n{OURS}"));
        assert_eq!(remove("a = 1\n", &PATH).unwrap(), None);
        let windows = set("a = 1\r\n", &PATH, &ours()).unwrap();
        assert!(windows.starts_with("a = 1\r\n\r\n[mcp_servers.memdir]\r\n"));
    }

    #[test]
    fn the_surroundings_stay() {
        let text = format!(
            "a = 1 # one\n\n{OURS}# mine\n[ mcp_servers . memdir . env ]\nX = '1'\n\n# about b\n[b]\nc = [\n  [1],\n]\n"
        );
        let expected = "a = 1 # one\n\n# mine\n\n# about b\n[b]\nc = [\n  [1],\n]\n";
        assert_eq!(remove(&text, &PATH).unwrap().as_deref(), Some(expected));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let check = |text: &str| {
            let error = set(text, &PATH, &ours()).unwrap_err().to_string();
            assert!(error.starts_with("it is "), "{error}");
        };
        check("[a\nb = 1");
        check("a = 1\na = 2");
        check("mcp_servers = 3");
        check("mcp_servers = { x = { command = 'x' } }");
        check("mcp_servers = { memdir = { command = 'x' } }");
        check("mcp_servers.memdir.command = 'x'");
        check("a = '''\n[mcp_servers.memdir]\nb = 1\n'''\n[mcp_servers]\nmemdir = { command = 'x' }\n");
    }
}
