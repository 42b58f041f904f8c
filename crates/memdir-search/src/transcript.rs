//! Session transcripts of the agents: one JSON object a line, read as a stream of turns.
//!
//! Agents add line types with every version and a crash leaves half a line, so nothing here fails on
//! content: what is not understood is passed over and counted.

use std::borrow::Cow;

use jiff::Timestamp;

mod block;
mod commit;
mod dialect;
mod line;
mod lines;
mod places;
mod reader;
mod reminder;
mod session_files;
#[cfg(test)]
mod tests;
mod text;

pub use commit::Commit;
pub use places::sessions_of_others;
pub use reader::{Problems, Reader};
pub use reminder::without_reminders;
pub use session_files::{SessionFile, session_files};

/// A place in a transcript: where a line starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Bytes before it.
    pub offset: u64,
    /// Lines before it, so the line's number less one.
    pub line: u64,
}

/// What a line of a transcript means to us.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry<'a> {
    /// A person or agent said or did something.
    Turn(Turn<'a>),
    /// The client replaced everything before this line by a summary.
    Compaction(Compaction<'a>),
}

/// One message of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turn<'a> {
    /// Where its line starts.
    pub position: Position,
    /// The agent that wrote it, by the name under which what it did is recorded.
    pub client: Cow<'a, str>,
    /// The line's identity; empty if it has none.
    pub uuid: Cow<'a, str>,
    /// The line that it answers.
    pub parent: Cow<'a, str>,
    /// The session that it belongs to.
    pub session: Cow<'a, str>,
    /// The sub-agent that it belongs to; empty for the main conversation.
    pub agent: Cow<'a, str>,
    /// Who speaks.
    pub role: Role,
    /// When, if the line says so.
    pub time: Option<Timestamp>,
    /// The directory that the agent worked in.
    pub cwd: Cow<'a, str>,
    /// The branch that was checked out.
    pub branch: Cow<'a, str>,
    /// What was said, blocks of text joined by empty lines; no thinking, no tool results.
    pub text: Cow<'a, str>,
    /// The tools that were called.
    pub calls: Vec<ToolCall<'a>>,
    /// What tools answered.
    pub results: Vec<ToolResult<'a>>,
    /// Part of a sub-agent's conversation.
    pub sidechain: bool,
    /// Written by the client itself: a caveat, a command's output.
    pub meta: bool,
    /// The summary that replaced the conversation at a compaction.
    pub summary: bool,
    /// Said by a program that drives the agent, not by a person.
    pub headless: bool,
}

impl Turn<'_> {
    /// Whether a person typed this, rather than a tool or the client.
    #[must_use]
    pub fn is_prompt(&self) -> bool {
        self.role == Role::User
            && !self.meta
            && !self.summary
            && self.results.is_empty()
            && !self.text.trim().is_empty()
    }

    /// The files that the calls of this turn name.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().filter_map(|call| call.file.as_deref())
    }

    /// The shell commands that this turn ran.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().filter_map(|call| call.command.as_deref())
    }

    /// The commits that git reported in this turn's results.
    pub fn commits(&self) -> impl Iterator<Item = Commit<'_>> {
        self.results.iter().flat_map(|result| commit::commits(&result.text))
    }

    /// What went wrong: the tool results that are errors.
    pub fn errors(&self) -> impl Iterator<Item = &str> {
        self.results.iter().filter(|result| result.is_error).map(|result| result.text.as_ref())
    }
}

/// Who speaks in a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person, or a tool on the way back.
    #[default]
    User,
    /// The agent.
    Assistant,
    /// The client.
    System,
}

impl Role {
    /// The word that the transcript uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        }
    }
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCall<'a> {
    /// The call's identity, to which the result refers.
    pub id: Cow<'a, str>,
    /// The tool.
    pub name: Cow<'a, str>,
    /// The file or folder that it is about.
    pub file: Option<Cow<'a, str>>,
    /// The shell command that it runs.
    pub command: Option<Cow<'a, str>>,
    /// What it was said to be for, or what it looks for.
    pub purpose: Option<Cow<'a, str>>,
}

/// What a tool answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolResult<'a> {
    /// The call that it answers.
    pub id: Cow<'a, str>,
    /// Its beginning, as text: at most a few thousand bytes are kept.
    pub text: Cow<'a, str>,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// A boundary at which the client compacted the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compaction<'a> {
    /// Where its line starts.
    pub position: Position,
    /// The agent that wrote it.
    pub client: Cow<'a, str>,
    /// The line's identity.
    pub uuid: Cow<'a, str>,
    /// The session.
    pub session: Cow<'a, str>,
    /// When.
    pub time: Option<Timestamp>,
    /// `manual` or `auto`.
    pub trigger: Cow<'a, str>,
}
