//! The one place where errors become messages.

use std::io::{self, Write};

use anyhow::Error;
use memdir_lib::journal::JournalError;
use memdir_lib::memory::MemoryError;
use memdir_sync::team::TeamError;

use crate::exit::Exit;
use crate::output::printable_lines;
use crate::world::World;

/// Says what went wrong, on which path, and what to do next.
///
/// A reader that closed its end of the pipe has seen enough: that is not an error.
pub(crate) fn report(error: &Error, world: &mut World) -> Exit {
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(closed) {
        return Exit::Yes;
    }
    let (message, hints) = message(error);
    let paint = world.paint;
    let mut text = format!("{} {}\n", paint.bad("error:"), printable_lines(&message));
    for hint in hints {
        text.push_str(&format!("{} {}\n", paint.code("hint:"), printable_lines(&hint)));
    }
    // What cannot be said on a closed standard error cannot be said at all.
    let _ = world.stdout.flush();
    let _ = world.stderr.write_all(text.as_bytes());
    let _ = world.stderr.flush();
    Exit::Failed
}

/// Keeps what the user typed in an editor, because the command failed, and says where it is.
pub(crate) fn keep_drafts(world: &mut World) {
    let label = world.paint.code("hint:");
    for draft in std::mem::take(&mut world.drafts) {
        let kept = draft.keep();
        let _ = writeln!(world.stderr, "{label} your text is in `{}`", printable_lines(kept.as_str()));
    }
    let _ = world.stderr.flush();
}

/// Says that a question is answered with no, in the form of an error.
pub(crate) fn answer_no(error: &Error, world: &mut World) -> Exit {
    report(error, world);
    Exit::No
}

/// What went wrong, and what to do next.
pub(crate) fn message(error: &Error) -> (String, Vec<String>) {
    let mut message = String::new();
    for cause in error.chain().map(ToString::to_string) {
        // Many messages end with their cause already.
        if message.is_empty() {
            message = cause;
        } else if !message.ends_with(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    (message, error.chain().filter_map(hint).collect())
}

/// What to do next, for the errors that know.
fn hint(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    if let Some(hinted) = cause.downcast_ref::<Hinted>() {
        return Some(hinted.hint.clone());
    }
    if let Some(hint) = cause.downcast_ref::<TeamError>().and_then(TeamError::hint) {
        return Some(hint);
    }
    let journal = cause.downcast_ref::<JournalError>().and_then(JournalError::hint);
    journal.or_else(|| cause.downcast_ref::<MemoryError>().and_then(MemoryError::hint))
}

/// An error together with what to do next, made by [`WithHint::hint`].
#[derive(Debug)]
struct Hinted {
    error: Error,
    hint: String,
}

impl std::fmt::Display for Hinted {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(formatter)
    }
}

impl std::error::Error for Hinted {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

/// Adds what to do next to an error.
pub(crate) trait WithHint {
    /// The same result, whose error says what to do next.
    fn hint(self, hint: impl Into<String>) -> Self;
}

impl<T> WithHint for anyhow::Result<T> {
    fn hint(self, hint: impl Into<String>) -> Self {
        self.map_err(|error| Error::new(Hinted { error, hint: hint.into() }))
    }
}
