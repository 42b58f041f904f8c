//! `memdir show`: one memory.

use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::Parser;
use jiff::Timestamp;
use memdir_core::memory::manifest::age_days;
use memdir_core::memory::topic::{Topic, decode};
use memdir_core::rel_path::{ENTRYPOINT, RelPath};
use memdir_core::verify::Freshness;
use memdir_lib::memory::{Entry, Memory, MemoryError};
use memdir_lib::usage::note_read;
use serde::Serialize;

use super::memory::{Which, author, look};
use super::{Run, when};
use crate::exit::Exit;
use crate::report::answer_no;
use crate::world::World;

/// Print one memory
#[derive(Debug, Parser)]
#[command(
    name = "show",
    after_help = "Exits with 1 if there is no such memory.

Examples:
  memdir show tabs
  memdir show topics/quotes.md --json
  memdir show tabs --at yesterday"
)]
pub(crate) struct Show {
    /// The memory's name, its file's stem, or its path in the directory
    name: String,
    /// As it was at a time (3d, yesterday, 2026-11-01, \"2026-11-01 14:00\") or after an operation
    #[arg(long, value_name = "TIME|OP")]
    at: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

/// A memory as `--json` prints it.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    name: String,
    path: Utf8PathBuf,
    #[serde(rename = "type")]
    memory_type: Option<String>,
    description: Option<String>,
    modified: Timestamp,
    age_days: u64,
    links: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    /// The memory that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    /// The last day on which it counts, or an event in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    /// How fresh what it cites is, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) freshness: Option<Freshness>,
    /// When that was found out, if not just now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verified: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    linked_from: Option<Vec<Utf8PathBuf>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Shown {
    /// A memory with its links, for which the file is read.
    pub(super) fn of(entry: &Entry, memory: &Memory, now: Timestamp) -> Result<Self> {
        let content = memory.read(&entry.path).ok().flatten().unwrap_or_default();
        Ok(Self::with_text(entry, &decode(&content).0, memory, now))
    }

    fn with_text(entry: &Entry, text: &str, memory: &Memory, now: Timestamp) -> Self {
        let (topic, problems) = Topic::parse(text);
        Self {
            name: entry.title().to_owned(),
            path: memory.directory().join(entry.path.as_path()),
            memory_type: topic.memory_type.map(|found| found.as_str().to_owned()),
            description: topic.description,
            modified: entry.modified,
            age_days: age_days(entry.modified, now),
            links: topic.links,
            problems: problems.iter().map(ToString::to_string).collect(),
            superseded_by: entry.validity.superseded_by.clone(),
            pinned: entry.validity.pinned,
            expires: entry.validity.expires.as_ref().map(ToString::to_string),
            freshness: None,
            verified: None,
            linked_from: None,
            text: None,
        }
    }
}

impl Run for Show {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.which.open_existing(world)?;
        if let Some(at) = &self.at {
            look(&mut memory, world)?;
            return self.show_past(at, &memory, world);
        }
        if self.name == ENTRYPOINT && !self.json {
            return print(memory.read(&RelPath::parse(ENTRYPOINT)?)?, world);
        }
        let entry = match memory.find(&self.name) {
            Ok(entry) => entry,
            Err(error @ MemoryError::NotFound { .. }) => {
                return Ok(answer_no(&error.into(), world));
            }
            Err(error) => return Err(error.into()),
        };
        let content = memory.read(&entry.path)?;
        let session = author(world).session;
        let path = memory.directory().join(entry.path.as_path());
        note_read(&world.env()?, path, session.as_deref(), world.now);
        if !self.json {
            if let Some(caution) = entry.validity.caution(entry.modified, world.now) {
                world.warn(caution.trim_end_matches('.'))?;
            }
            return print(content, world);
        }
        let content = content.unwrap_or_default();
        let text = decode(&content).0;
        let mut shown = Shown::with_text(&entry, &text, &memory, world.now);
        let linking = memory.linked_from(&entry)?;
        shown.linked_from =
            Some(linking.iter().map(|path| memory.directory().join(path.as_path())).collect());
        shown.text = Some(text.into_owned());
        world.answer_json(&shown)
    }
}

impl Show {
    fn show_past(&self, at: &str, memory: &Memory, world: &mut World) -> Result<Exit> {
        #[derive(Serialize)]
        struct Past<'p> {
            name: String,
            path: Utf8PathBuf,
            at: &'p str,
            #[serde(rename = "type")]
            memory_type: Option<String>,
            description: Option<String>,
            links: Vec<String>,
            text: String,
        }
        let log = memory.log(usize::MAX)?;
        let path = match memory.past_path(&self.name, &log) {
            Err(error @ MemoryError::NotFound { .. }) => {
                return Ok(answer_no(&error.into(), world));
            }
            path => path?,
        };
        let (path, content) = memory.content_at(&path, &when::at(at, &log, world)?, &log)?;
        let Some(content) = content else {
            return Ok(answer_no(&MemoryError::NotThere { path }.into(), world));
        };
        if !self.json {
            return print(Some(content), world);
        }
        let text = decode(&content).0.into_owned();
        let (topic, _) = Topic::parse(&text);
        let stem = path.as_path().file_stem().unwrap_or_default().to_owned();
        world.answer_json(&Past {
            name: topic.name.filter(|name| !name.is_empty()).unwrap_or(stem),
            path: memory.directory().join(path.as_path()),
            at,
            memory_type: topic.memory_type.map(|found| found.as_str().to_owned()),
            description: topic.description,
            links: topic.links,
            text,
        })
    }
}

fn print(content: Option<Vec<u8>>, world: &mut World) -> Result<Exit> {
    let Some(content) = content else { return Ok(Exit::No) };
    if world.terminal.stdout {
        // On a terminal a hostile memory may not move the cursor; a pipe gets the bytes as they are.
        let text = String::from_utf8_lossy(&content);
        for line in text.lines() {
            writeln!(world.stdout, "{}", crate::output::printable(line))?;
        }
    } else {
        world.stdout.write_all(&content)?;
    }
    Ok(Exit::Yes)
}
