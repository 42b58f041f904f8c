use serde_json::{Map, Value};

use super::memory_uri::MemoryUri;
use crate::memory::memory_type::MemoryType;

#[cfg(test)]
mod tests;

/// A tool with what it was given.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolCall {
    /// Find things.
    Search {
        /// What to look for.
        query: String,
        /// How many hits.
        limit: usize,
        /// Where, if not everywhere.
        within: Option<String>,
    },
    /// Read something.
    Read {
        /// What.
        what: Readable,
        /// The line from which it is shown, counted from 1.
        from: usize,
    },
    /// Add a memory.
    Save {
        /// What it is called.
        name: String,
        /// What it is about.
        description: String,
        /// Its type.
        memory_type: MemoryType,
        /// Its text.
        text: String,
        /// Phrases that say when it will be needed.
        cues: Vec<String>,
        /// The memories that it replaces.
        supersedes: Vec<String>,
    },
    /// Change a memory.
    Edit {
        /// Which one.
        name: String,
        /// How.
        change: EditChange,
    },
    /// Remove a memory.
    Forget {
        /// Which one.
        name: String,
    },
    /// Do something with the journal.
    Journal(JournalAction),
    /// List the sessions.
    ListSessions {
        /// How many at most.
        limit: usize,
    },
    /// Show one session.
    ShowSession {
        /// Its id or the beginning of it.
        id: String,
        /// Only what is around this turn.
        around: Option<String>,
        /// How many turns at most.
        limit: usize,
    },
    /// One command of the API's memory tool, as JSON.
    Memory(String),
}

/// What can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readable {
    /// What an address names.
    Uri(MemoryUri),
    /// A memory by any of its names.
    Named(String),
}

/// What changes in a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditChange {
    /// A passage.
    Text {
        /// What is there, once.
        old: String,
        /// What shall be there.
        new: String,
    },
    /// A field of the header; without a value it goes.
    Field {
        /// Which one.
        field: String,
        /// Its new value.
        value: Option<String>,
    },
}

/// What is done with the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalAction {
    /// Tell its state.
    Status,
    /// Say what is needed to go on.
    Recover,
    /// Begin or go on.
    Start,
    /// End.
    Stop,
    /// Make index and archive anew.
    Rebuild,
    /// Say what is being done.
    Task {
        /// In one line.
        title: String,
        /// In more.
        text: String,
    },
    /// Say how far it is.
    Progress {
        /// In words.
        words: Option<String>,
        /// New steps.
        steps: Vec<String>,
        /// Steps that are done.
        check: Vec<String>,
    },
    /// Say what keeps the work from going on.
    Block {
        /// In one line.
        title: String,
    },
    /// Say that it no longer does.
    Unblock {
        /// Which blocker; all of them if none is named.
        title: Option<String>,
    },
    /// Say what is done.
    Done {
        /// What; the current task if nothing is named.
        title: Option<String>,
        /// In more words.
        text: String,
    },
    /// Write a note down.
    Note {
        /// In one line.
        title: String,
        /// In more.
        text: String,
    },
    /// Write a decision down.
    Decide {
        /// In one line.
        title: String,
        /// In more.
        text: String,
        /// Of what kind.
        category: Option<String>,
        /// Whether it is confirmed.
        status: Option<String>,
    },
    /// Write down what was found out.
    Analyze {
        /// The file or component.
        path: String,
        /// What was found out.
        text: String,
    },
    /// List the records.
    List {
        /// Only those of this kind.
        category: Option<String>,
    },
    /// Show one record.
    Show {
        /// Its name or path.
        name: String,
    },
}

impl ToolCall {
    /// Reads what a tool was given; `None` if there is no such tool.
    ///
    /// # Errors
    /// What a model needs to know to call it rightly.
    pub fn parse(name: &str, arguments: Map<String, Value>) -> Result<Option<Self>, String> {
        let mut given = Given(arguments);
        let call = match name {
            "search" => Self::Search {
                query: given.needed("query")?,
                limit: given.count("limit")?.unwrap_or(10).min(MOST_HITS),
                within: given.text("in")?,
            },
            "read" => read(&mut given)?,
            "save" => Self::Save {
                name: given.needed("name")?,
                description: given.needed("description")?,
                memory_type: memory_type(&given.needed("type")?)?,
                text: given.needed("text")?,
                cues: given.list("cues")?,
                supersedes: given.list("supersedes")?,
            },
            "edit" => Self::Edit { name: given.needed("name")?, change: edit(&mut given)? },
            "forget" => Self::Forget { name: given.needed("name")? },
            "journal" => Self::Journal(journal(&mut given)?),
            "sessions" => sessions(&mut given)?,
            // The API's tool judges its own input.
            "memory" => return Ok(Some(Self::Memory(Value::Object(given.0).to_string()))),
            _ => return Ok(None),
        };
        given.nothing_left()?;
        Ok(Some(call))
    }
}

fn read(given: &mut Given) -> Result<ToolCall, String> {
    let what = match (given.text("name")?, given.text("uri")?) {
        (Some(_), Some(_)) => return Err("give `name` or `uri`, not both".to_owned()),
        (None, None) => return Err("give the `name` or the `uri` of a memory".to_owned()),
        (Some(uri), None) | (None, Some(uri)) if uri.starts_with("memory://") => {
            Readable::Uri(MemoryUri::parse(&uri).ok_or("this is not a memory:// address")?)
        }
        (Some(name), None) => Readable::Named(name),
        (None, Some(_)) => return Err("this is not a memory:// address".to_owned()),
    };
    Ok(ToolCall::Read { what, from: given.count("from")?.unwrap_or(1) })
}

/// Agents use the types that everybody knows; people may have more.
fn memory_type(name: &str) -> Result<MemoryType, String> {
    let known = MemoryType::known(name);
    known.ok_or_else(|| "`type` must be user, feedback, project or reference".to_owned())
}

fn edit(given: &mut Given) -> Result<EditChange, String> {
    let (old, new) = (given.raw_text("old")?, given.raw_text("new")?);
    let (field, value) = (given.text("field")?, given.raw_text("value")?);
    match (old, new, field, value) {
        (Some(old), Some(new), None, None) if !old.is_empty() => Ok(EditChange::Text { old, new }),
        (None, None, Some(field), value) => {
            if let (true, Some(value)) = (field.trim() == "type", &value) {
                memory_type(value)?;
            }
            Ok(EditChange::Field { field, value })
        }
        _ => Err("give `old` and `new`, or `field` and `value`".to_owned()),
    }
}

fn sessions(given: &mut Given) -> Result<ToolCall, String> {
    let limit = given.count("limit")?.unwrap_or(20).min(MOST_TURNS);
    match (given.text("id")?, given.text("around")?) {
        (Some(id), around) => Ok(ToolCall::ShowSession { id, around, limit }),
        (None, None) => Ok(ToolCall::ListSessions { limit }),
        (None, Some(_)) => Err("`around` needs the `id` of a session".to_owned()),
    }
}

fn journal(given: &mut Given) -> Result<JournalAction, String> {
    let action = given.needed("action")?;
    let text = |given: &mut Given| Ok::<_, String>(given.raw_text("text")?.unwrap_or_default());
    Ok(match action.as_str() {
        "status" => JournalAction::Status,
        "recover" => JournalAction::Recover,
        "start" => JournalAction::Start,
        "stop" => JournalAction::Stop,
        "rebuild" => JournalAction::Rebuild,
        "task" => JournalAction::Task { title: given.needed("title")?, text: text(given)? },
        "progress" => {
            let words = match given.text("title")? {
                Some(title) => Some(title),
                None => given.text("text")?,
            };
            JournalAction::Progress { words, steps: given.list("steps")?, check: given.list("check")? }
        }
        "block" => JournalAction::Block { title: given.needed("title")? },
        "unblock" => JournalAction::Unblock { title: given.text("title")? },
        "done" => JournalAction::Done { title: given.text("title")?, text: text(given)? },
        "note" => JournalAction::Note { title: given.needed("title")?, text: text(given)? },
        "decide" => JournalAction::Decide {
            title: given.needed("title")?,
            text: given.needed("text")?,
            category: given.text("category")?,
            status: given.text("status")?,
        },
        "analyze" => JournalAction::Analyze { path: given.needed("title")?, text: given.needed("text")? },
        "list" => JournalAction::List { category: given.text("category")? },
        "show" => JournalAction::Show { name: given.needed("title")? },
        _ => {
            return Err("`action` must be status, recover, start, stop, task, progress, block, unblock, done, note, decide, analyze, list, show or rebuild".to_owned());
        }
    })
}

/// No more hits are given, and no more sessions or turns; a client that asks for more gets so many.
const MOST_HITS: usize = 50;
const MOST_TURNS: usize = 200;
/// No more steps are added at once, and none checked.
const MOST_STEPS: usize = 100;

/// Arguments that are taken one by one.
struct Given(Map<String, Value>);

impl Given {
    /// A text as it is; `null` is none.
    fn raw_text(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{name}` must be a text")),
        }
    }

    /// A text that says something; an empty one is none.
    fn text(&mut self, name: &str) -> Result<Option<String>, String> {
        Ok(self.raw_text(name)?.filter(|text| !text.trim().is_empty()))
    }

    fn needed(&mut self, name: &str) -> Result<String, String> {
        self.text(name)?.ok_or_else(|| format!("`{name}` is missing"))
    }

    fn number(&mut self, name: &str) -> Result<Option<usize>, String> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            // Some clients write every number as a float, and some as a text.
            Some(Value::Number(number)) => match number.as_f64() {
                Some(value) if value >= 0.0 && value.fract() == 0.0 => Ok(Some(value as usize)),
                _ => Err(format!("`{name}` must be a whole number")),
            },
            Some(Value::String(text)) => {
                text.parse().map(Some).map_err(|_| format!("`{name}` must be a whole number"))
            }
            Some(_) => Err(format!("`{name}` must be a whole number")),
        }
    }

    /// A number from 1.
    fn count(&mut self, name: &str) -> Result<Option<usize>, String> {
        match self.number(name)? {
            Some(0) => Err(format!("`{name}` must be 1 or more")),
            number => Ok(number),
        }
    }

    fn list(&mut self, name: &str) -> Result<Vec<String>, String> {
        let wrong = || format!("`{name}` must be a list of texts");
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) if items.len() > MOST_STEPS => {
                Err(format!("`{name}` holds {} texts; {MOST_STEPS} are taken at once", items.len()))
            }
            Some(Value::Array(items)) => {
                let texts = items.into_iter().map(|item| match item {
                    Value::String(text) => Ok(text),
                    Value::Number(number) => Ok(number.to_string()),
                    _ => Err(wrong()),
                });
                texts.collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    /// An unknown argument was meant to say something: it is not ignored.
    fn nothing_left(&self) -> Result<(), String> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => {
                let shown: String = name.chars().take(40).collect();
                Err(format!("there is no use for `{shown}` here"))
            }
        }
    }
}
