//! Which indexes of memory a session gets besides the one that the client loads itself, and in which order: from what
//! counts everywhere to what counts only here. `memdir context`, the hook of a session's start and an agent's author all
//! ask here.

use camino::Utf8Path;
use memdir_core::env::Env;
use memdir_core::instructions::{Kind, MemoryFile};
use memdir_core::memory::index::format_line;
use memdir_core::settings::ClientFlags;
use memdir_disk::file_table::Limit;
use memdir_disk::real_look::RealLook;

use crate::memory::{Extent, Memory};
use crate::place::Checkout;
use crate::team::team_index;

/// How many memories of one branch are listed.
const MAX_LOCAL: usize = 50;

/// The user's, this machine's, the team's, and those of this branch or worktree; each only if there is something to show.
#[must_use]
pub fn more_memory(env: &Env, flags: &ClientFlags, memory_dir: &Utf8Path) -> Vec<(Kind, MemoryFile)> {
    let beside = |extent: Extent| {
        let memory = Memory::beside(extent, env).ok()?;
        MemoryFile::load(memory.directory(), &RealLook).ok()
    };
    let found = [
        (Kind::UserMemory, beside(Extent::User)),
        (Kind::MachineMemory, beside(Extent::Machine)),
        (Kind::Team, team_index(env, flags, memory_dir)),
        (Kind::BranchMemory, local_index(env, flags)),
    ];
    found.into_iter().filter_map(|(kind, file)| Some((kind, file?))).collect()
}

/// A line for each memory that counts on this branch or in this worktree alone.
fn local_index(env: &Env, flags: &ClientFlags) -> Option<MemoryFile> {
    let memory = Memory::open(env, flags).ok()?;
    let checkout = Checkout::of(env);
    let entries = memory.limited(Limit::Local).ok()?;
    let counts = |entry: &&crate::memory::Entry| {
        entry.validity.superseded_by.is_none() && checkout.has(&entry.validity) && !entry.is_archived()
    };
    let lines = entries.iter().filter(counts).take(MAX_LOCAL).map(|entry| {
        format_line(entry.title(), entry.path.as_str(), entry.description.as_deref().unwrap_or_default())
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    (!text.is_empty()).then(|| MemoryFile { path: memory.directory().to_owned(), text })
}
