//! How a sync is to be done.

use memdir_wire::member::{Member, Revocation};

/// What to do where both sides changed the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConflictPolicy {
    /// Keep both, the second in a file beside the first.
    #[default]
    Merge,
    /// Take what the others have; history keeps what was here.
    Theirs,
    /// Keep what is here; the remote keeps what the others had.
    Ours,
    /// Change nothing, and say so.
    Fail,
}

/// What this machine may do in the team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// All that a member may.
    #[default]
    Member,
    /// Change memories, and nothing about members: a session that is thrown away afterwards.
    Session,
    /// Only receive.
    ReadOnly,
}

/// How a sync is to be done.
#[derive(Debug, Clone)]
pub struct Options {
    /// What this machine may do in the team.
    pub access: Access,
    /// What to do where both sides changed the same thing.
    pub conflict: ConflictPolicy,
    /// Whether to tell the others even if most files are gone.
    pub delete_many: bool,
    /// For how many rounds a deletion is named.
    pub tombstone_rounds: u64,
    /// How often to begin anew because another member was faster.
    pub tries: u32,
    /// The members to add to the team: this one, and a session that gets a token.
    pub introduce: Vec<Member>,
    /// The members to remove.
    pub revoke: Vec<Revocation>,
    /// Whether to read every file, whatever its times say.
    pub read_all: bool,
    /// How many bytes of entries one sync takes; the next one goes on from there.
    pub most_bytes: usize,
    /// Whether to find out what would be done, and do nothing.
    pub dry_run: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            access: Access::Member,
            conflict: ConflictPolicy::Merge,
            delete_many: false,
            tombstone_rounds: 10_000,
            tries: 20,
            introduce: Vec::new(),
            revoke: Vec::new(),
            read_all: false,
            most_bytes: 64 << 20,
            dry_run: false,
        }
    }
}
