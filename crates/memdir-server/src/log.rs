//! What happened, for the operator: a line of JSON each, without a word of anybody's memory.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use serde_json::{Map, Value};

/// Where lines go.
pub struct Log {
    out: Option<Mutex<Box<dyn Write + Send>>>,
}

impl Log {
    /// A log that is written there.
    #[must_use]
    pub fn to(out: Box<dyn Write + Send>) -> Self {
        Self { out: Some(Mutex::new(out)) }
    }

    /// A log that nobody reads.
    #[must_use]
    pub fn silent() -> Self {
        Self { out: None }
    }

    /// Writes a line.
    pub fn line(&self, time: Timestamp, event: &str, fields: Vec<(&'static str, Value)>) {
        let Some(out) = &self.out else { return };
        let mut line = Map::new();
        line.insert("time".to_owned(), time.to_string().into());
        line.insert("event".to_owned(), event.into());
        for (name, value) in fields {
            line.insert(name.to_owned(), value);
        }
        let mut text = Value::Object(line).to_string();
        text.push('\n');
        // A log that cannot be written is no reason to stop.
        drop(out.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes()));
    }
}
