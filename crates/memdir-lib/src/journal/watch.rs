use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use camino::Utf8Path;
use jiff::Timestamp;
use memdir_core::journal::breadcrumb::Breadcrumb;
use memdir_core::journal::compaction::Evidence;
use memdir_search::transcript::{Entry, Reader, Role};

use super::JournalError;

/// What a transcript says about compactions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// The evidence of two detectors: the boundary, and the breadcrumb in what is visible since.
    pub evidence: Evidence,
    /// When the last boundary was drawn.
    pub boundary: Option<Timestamp>,
    /// `manual` or `auto`.
    pub trigger: String,
    /// How many boundaries there are.
    pub boundaries: u32,
    /// The last words of the user, to know what the work is about.
    pub last_prompt: String,
}

/// Of a longer transcript only the end is read: what is still visible to the agent is there.
const MAX_BYTES: u64 = 1 << 30;

/// Looks through a transcript: whether its context was compacted since the agent last spoke.
///
/// Only the main conversation counts. What was said before a boundary is no longer visible, so a breadcrumb there is
/// none.
///
/// # Errors
/// The file cannot be read, or is none: a device or a pipe may never end. Nothing in it is an error.
pub fn watch_transcript(path: &Utf8Path, key: &str) -> Result<Watched, JournalError> {
    let failed = |source| JournalError::Transcript { path: path.to_owned(), source };
    let file = open_end(path).map_err(failed)?;
    let mut watched = Watched::default();
    let mut answers: Vec<String> = Vec::new();
    let mut spoke = false;
    let mut reader = Reader::new(BufReader::with_capacity(256 << 10, file));
    reader
        .read(|entry| {
            match entry {
                Entry::Compaction(compaction) => {
                    watched.boundaries += 1;
                    watched.boundary = compaction.time;
                    watched.trigger = compaction.trigger.into_owned();
                    watched.evidence.transcript = Some(true);
                    answers.clear();
                }
                Entry::Turn(turn) if turn.sidechain => {}
                Entry::Turn(turn) if turn.role == Role::Assistant => {
                    spoke = true;
                    watched.evidence.transcript = Some(false);
                    answers.push(turn.text.into_owned());
                }
                Entry::Turn(turn) if turn.is_prompt() => watched.last_prompt = turn.text.into_owned(),
                Entry::Turn(_) => {}
            }
            ControlFlow::Continue(())
        })
        .map_err(failed)?;
    if spoke {
        watched.evidence.breadcrumb = Some(Breadcrumb::look_for(answers.iter().map(String::as_str), key));
    }
    Ok(watched)
}

/// The end of a regular file as long as it is now, however much is written to it meanwhile.
pub(super) fn open_end(path: &Utf8Path) -> io::Result<impl Read> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_BYTES)))?;
    Ok(file.take(MAX_BYTES.min(length)))
}
