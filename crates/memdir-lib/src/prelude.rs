//! Everything that an agent needs, in one line: `use memdir_lib::prelude::*;`.

pub use camino::{Utf8Path, Utf8PathBuf};
pub use jiff::Timestamp;
pub use memdir_core::agents::{AgentName, Scope, Tools};
pub use memdir_core::env::Env;
pub use memdir_core::memory::entrypoint::Profile;
pub use memdir_core::memory::memory_type::MemoryType;
pub use memdir_core::memory::topic::validity::{Expiry, Validity};
pub use memdir_core::operation::{Author, AuthorKind};
pub use memdir_core::permissions::{Tool, Verdict};
pub use memdir_core::settings::ClientFlags;

pub use crate::agents::Agents;
pub use crate::embed::{
    EmbedError, agent_prompt, daily_log_path, injected_tools, journal, may_write, prompt_section, recall,
    snapshots,
};
pub use crate::journal::{Journal, NewDecision, RecoveryOptions, Writer};
pub use crate::memory::{Memory, NewMemory};
pub use crate::memory_tool::run_memory_tool;
pub use crate::process::{FromProcess, clock};
