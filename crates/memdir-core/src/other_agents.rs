//! What other coding agents keep as memory or rules, read where it is and proposed as topic files.
//!
//! Their files may come with a repository: no link is followed out of the project, and what they say is text.

mod gather;
mod git_history;
mod propose;
#[cfg(test)]
mod tests;

pub use gather::{Gathered, SourceFile, gather};
pub use git_history::{LOG_FORMAT, decisions};
pub use propose::{Proposal, propose};

/// An agent, or a convention that several follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherAgent {
    /// `~/.codex/memories/MEMORY.md` and `~/.codex/AGENTS.md`.
    Codex,
    /// `GEMINI.md` in `~/.gemini` and in the project.
    Gemini,
    /// `AGENTS.md` in the project.
    AgentsMd,
    /// `.cursor/rules` and `.cursorrules` in the project.
    Cursor,
    /// `memory-bank/` in the project.
    MemoryBank,
    /// `.windsurf/rules` in the project.
    Windsurf,
    /// `.github/copilot-instructions.md` in the project.
    Copilot,
}

impl OtherAgent {
    /// A word for it, with which the names of what comes from it begin.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::AgentsMd => "agents",
            Self::Cursor => "cursor",
            Self::MemoryBank => "memory-bank",
            Self::Windsurf => "windsurf",
            Self::Copilot => "copilot",
        }
    }
}
