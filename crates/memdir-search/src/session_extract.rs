//! A transcript handed to the rules that find what is worth remembering.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use camino::Utf8Path;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memdir_core::extract::{Extraction, Extractor, Outcome, Source};

use crate::collection::open_file;
use crate::error::SearchError;
use crate::transcript::{Entry, Position, Problems, Reader, Role, Turn};

/// Up to which line of a transcript everything has been looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursor {
    /// That line's identity.
    pub uuid: String,
    /// Where it starts.
    pub position: Position,
}

/// What was found in a transcript, and how far it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionExtraction {
    /// What is worth remembering, and what was left out.
    pub found: Extraction,
    /// The last line that was read; `None` if there was none behind the cursor.
    pub cursor: Option<Cursor>,
    /// Whether the cursor was not where it had been, so that everything was read again.
    pub started_over: bool,
    /// What could not be read.
    pub problems: Problems,
}

/// A session has no more commands under way at once; the answers of others are passed over.
const MOST_PENDING: usize = 64;

/// How a transcript is read.
#[derive(Clone, Copy)]
pub struct ExtractOptions<'o> {
    /// The memory directory of the project: who writes there remembers by itself.
    pub memory_dir: Option<&'o Utf8Path>,
    /// Days are those of this zone.
    pub zone: &'o TimeZone,
    /// Whether to keep what a model may be asked about.
    pub for_model: bool,
    /// Whether what a program said through the agent counts as the user's words.
    pub headless: bool,
    /// Whether a time is in a pause: what was said then is never read.
    pub is_paused: &'o dyn Fn(Option<Timestamp>) -> bool,
    /// Up to this byte the rules have read before, and what was undone there is gone already.
    pub known_until: u64,
}

/// Reads a transcript behind `after` and finds what is worth remembering. Half a line at the end is left for the next
/// time. A cursor that is not there any more, because the client compacted or rewrote the file, means the beginning.
/// `step` is told at which byte the reading is.
///
/// # Errors
/// The transcript cannot be read.
pub fn extract_session(
    path: &Utf8Path,
    after: Option<&Cursor>,
    options: ExtractOptions<'_>,
    step: &mut dyn FnMut(u64),
) -> Result<SessionExtraction, SearchError> {
    let read = |source| SearchError::Read { path: path.to_owned(), source };
    let mut file = open_file(path).map_err(read)?;
    if let Some(cursor) = after {
        file.seek(SeekFrom::Start(cursor.position.offset)).map_err(read)?;
        let mut feed = Feed::new(options);
        feed.awaits = Some(cursor.uuid.clone());
        let problems = feed.take(&mut file, cursor.position, step).map_err(read)?;
        if feed.awaits.is_none() {
            return Ok(feed.finish(problems, false));
        }
        file.seek(SeekFrom::Start(0)).map_err(read)?;
    }
    let mut feed = Feed::new(options);
    let problems = feed.take(&mut file, Position::default(), step).map_err(read)?;
    Ok(feed.finish(problems, after.is_some()))
}

struct Feed<'f> {
    extractor: Extractor,
    options: ExtractOptions<'f>,
    /// Commands whose result is still to come.
    pending: HashMap<String, (String, Source)>,
    cursor: Option<Cursor>,
    /// The line that must come first, if reading goes on behind one.
    awaits: Option<String>,
    /// Whether the rules have read before what is read now.
    is_known: bool,
}

impl<'f> Feed<'f> {
    fn new(options: ExtractOptions<'f>) -> Self {
        let extractor = Extractor::new(options.zone.clone());
        Self {
            extractor: if options.for_model { extractor.with_material() } else { extractor },
            options,
            pending: HashMap::new(),
            cursor: None,
            awaits: None,
            is_known: options.known_until > 0,
        }
    }

    fn take(
        &mut self,
        source: impl Read,
        from: Position,
        step: &mut dyn FnMut(u64),
    ) -> std::io::Result<Problems> {
        let mut reader = Reader::resume(source, from);
        reader.read(|entry| {
            let (uuid, position) = match &entry {
                Entry::Turn(turn) => (turn.uuid.as_ref(), turn.position),
                Entry::Compaction(boundary) => (boundary.uuid.as_ref(), boundary.position),
            };
            step(position.offset);
            if let Some(awaited) = &self.awaits {
                if uuid != awaited {
                    return ControlFlow::Break(());
                }
                self.awaits = None;
                return ControlFlow::Continue(());
            }
            self.cursor = Some(Cursor { uuid: uuid.to_owned(), position });
            if self.is_known && position.offset > self.options.known_until {
                self.is_known = false;
                self.extractor.forget_withdrawals();
            }
            if let Entry::Turn(turn) = entry {
                self.turn(&turn);
            }
            ControlFlow::Continue(())
        })?;
        Ok(reader.problems())
    }

    fn turn(&mut self, turn: &Turn<'_>) {
        // A sub-agent's prompts are the agent's words.
        if turn.sidechain || !turn.agent.is_empty() || (self.options.is_paused)(turn.time) {
            return;
        }
        let source = || Source { turn: turn.uuid.to_string(), time: turn.time };
        for result in &turn.results {
            if let Some((command, called)) = self.pending.remove(result.id.as_ref()) {
                let outcome = if result.is_error { Outcome::Failed(&result.text) } else { Outcome::Worked };
                self.extractor.ran(&command, outcome, &called);
            }
        }
        for call in &turn.calls {
            if let Some(command) = &call.command {
                if command.trim_start().starts_with("memdir add ") {
                    self.extractor.agent_remembered();
                }
                if self.pending.len() < MOST_PENDING {
                    self.pending.insert(call.id.to_string(), (command.to_string(), source()));
                }
            } else if matches!(call.name.as_ref(), "Write" | "Edit" | "MultiEdit" | "NotebookEdit") {
                self.extractor.edited();
                if call.file.as_deref().is_some_and(|file| self.is_memory(Utf8Path::new(file))) {
                    self.extractor.agent_remembered();
                }
            }
        }
        if turn.is_prompt() && (self.options.headless || !turn.headless) {
            self.extractor.said(&turn.text, &source());
        } else if turn.role == Role::Assistant && !turn.text.is_empty() {
            self.extractor.agent_said(&turn.text);
        }
    }

    /// Whether a file is in the memory directory of this project, or of any other in the client's own place.
    fn is_memory(&self, file: &Utf8Path) -> bool {
        let usual = file.as_str().split_once("/projects/").and_then(|(_, rest)| rest.split_once('/'));
        self.options.memory_dir.is_some_and(|memory| file.starts_with(memory))
            || usual.is_some_and(|(_, rest)| rest.starts_with("memory/"))
                && file.as_str().contains("/.claude/")
    }

    fn finish(self, problems: Problems, started_over: bool) -> SessionExtraction {
        SessionExtraction { found: self.extractor.finish(), cursor: self.cursor, started_over, problems }
    }
}
