//! What a model is told about its memory: the parts of a prompt, their order, and when each is read again.
//!
//! A prompt is a registry of components. Those that are ours have a section here, in a file each; the others are
//! slots that the author of an agent fills. [`PromptSession`] keeps what was read until a rule says to read again.

use camino::Utf8Path;
use serde::Serialize;

mod agent_memory;
mod auto_memory;
mod daily_log;
mod index_block;
mod instruction_files;
mod journal;
mod past_sessions;
mod scratchpad;
mod session;
mod shown_dir;
mod team;
#[cfg(test)]
mod tests;

pub use agent_memory::AgentMemory;
pub use auto_memory::{AutoMemory, Form};
pub use index_block::IndexFile;
pub use instruction_files::{InstructionText, MemoryText, instruction_files, memory_files};
pub use journal::Journal;
pub use past_sessions::PastSessions;
pub use scratchpad::Scratchpad;
pub use session::{Part, PromptSession, Size, Turn};

/// The section about the team's memory, for an agent whose client has its own about the rest.
#[must_use]
pub fn team_section(memory_dir: &Utf8Path) -> String {
    team::team(&shown_dir::shown_dir(memory_dir))
}

/// The section about the daily log, likewise.
#[must_use]
pub fn daily_log_section(memory_dir: &Utf8Path) -> String {
    format!("# Daily log\n\n{}", daily_log::daily_log(&shown_dir::shown_dir(memory_dir)))
}

/// How memory reaches the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// As the client does today: the section holds no index; the index is the last instruction.
    #[default]
    Current,
    /// As the older description has it: the index is inside the section, read at every turn.
    Seed,
}

/// The components of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComponentId {
    /// How to search earlier conversations.
    PastSessions,
    /// The memory of the project.
    AutoMemory,
    /// The journal of the project, while it is kept.
    Journal,
    /// What the agent's author says about the model.
    ModelOverride,
    /// What the agent's author says about the machine and the directory.
    Environment,
    /// The language that the agent's author asks for.
    Language,
    /// The style that the agent's author asks for.
    OutputStyle,
    /// What servers of tools say about themselves.
    McpInstructions,
    /// The directory for temporary files.
    Scratchpad,
    /// Instruction files of the organisation, the user and the project.
    Instructions,
    /// MEMORY.md as the last instruction.
    Index,
}

/// One line of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Component {
    /// Which component.
    pub id: ComponentId,
    /// Where its text goes.
    pub place: Place,
    /// When its text is asked for again.
    pub refresh: Refresh,
    /// Why then.
    pub reason: &'static str,
    /// Who provides the text.
    pub owner: Owner,
}

/// Where the text of a component goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Into the system prompt.
    System,
    /// In front of the user's first message.
    FirstMessage,
}

/// When the text of a component is asked for again. Everything is, after the conversation was cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Refresh {
    /// Only then: static.
    AfterClear,
    /// Also after a compaction: static in between.
    AfterCompaction,
    /// At every turn: volatile, so that nothing behind it can be cached.
    EveryTurn,
}

impl Refresh {
    /// Whether the text may differ between two turns with nothing in between.
    #[must_use]
    pub fn is_volatile(self) -> bool {
        self == Self::EveryTurn
    }
}

/// Who provides the text of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// memdir.
    Memdir,
    /// The author of the agent: a slot, empty on the command line.
    Author,
}

/// The components in the order in which the model reads them.
#[must_use]
pub fn registry(profile: Profile) -> [Component; 11] {
    use ComponentId as Id;
    use Owner::{Author, Memdir};
    use Place::{FirstMessage, System};
    use Refresh::{AfterClear, AfterCompaction, EveryTurn};
    let (memory, why_memory) = match profile {
        Profile::Current => (AfterClear, "guidance and a directory; the index comes elsewhere"),
        Profile::Seed => (EveryTurn, "holds MEMORY.md, which the model edits while it works"),
    };
    let component = |id, owner, place, refresh, reason| Component { id, place, refresh, reason, owner };
    [
        component(Id::PastSessions, Memdir, System, AfterClear, "commands and a directory do not change"),
        component(Id::AutoMemory, Memdir, System, memory, why_memory),
        component(
            Id::Journal,
            Memdir,
            System,
            AfterClear,
            "a journal is started and stopped between sessions",
        ),
        component(Id::ModelOverride, Author, System, EveryTurn, "the model can be changed at any turn"),
        component(Id::Environment, Author, System, AfterClear, "the machine does not change"),
        component(Id::Language, Author, System, AfterClear, "a setting that is read at the start"),
        component(Id::OutputStyle, Author, System, EveryTurn, "the style can be changed at any turn"),
        component(Id::McpInstructions, Author, System, EveryTurn, "servers come and go"),
        component(Id::Scratchpad, Memdir, System, AfterClear, "one directory for the whole session"),
        component(Id::Instructions, Memdir, FirstMessage, AfterClear, "instruction files are read once"),
        component(
            Id::Index,
            Memdir,
            FirstMessage,
            AfterCompaction,
            "a compaction drops what was known of it, and the model may have edited it since",
        ),
    ]
}

/// Whether a component is part of a prompt in simple mode: nothing of ours is, only what the agent runs on.
#[must_use]
pub fn is_in_simple_mode(id: ComponentId) -> bool {
    matches!(id, ComponentId::ModelOverride | ComponentId::Environment)
}
