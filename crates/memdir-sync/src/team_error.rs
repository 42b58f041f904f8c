//! Why something could not be shared.

use std::error::Error;
use std::io;

use camino::Utf8PathBuf;
use memdir_disk::disk_error::DiskError;
use memdir_lib::memory::MemoryError;

use crate::engine::SyncError;
use crate::remote::git::{UrlRefused, says_full};
use crate::remote::{RefusalCause, RemoteError};

/// Why something about a team could not be done.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The project shares nothing.
    #[error("this project has no team")]
    NoTeam,
    /// This machine shares nothing with the user's others.
    #[error("this machine is not synced with others of yours")]
    NotSynced,
    /// It is set up already.
    #[error("that is set up already")]
    HasTeam,
    /// The remote holds something else already.
    #[error("`{0}` holds a team's memory already")]
    Taken(String),
    /// The remote holds nothing of the team that invites.
    #[error("`{0}` does not hold the memory of the team that the invitation is for")]
    OtherTeam(String),
    /// A text that is not an invitation.
    #[error("this is not an invitation, or it is incomplete")]
    NoInvitation,
    /// A text that is not a session's token.
    #[error("`MEMDIR_TEAM_TOKEN` is not a token for sessions, or it is incomplete")]
    NoSessionToken,
    /// Only a server can admit a session for a while.
    #[error("only a team server gives out tokens for sessions: a repository cannot end them")]
    NoServer,
    /// An invitation into a folder of this machine.
    #[error("the invitation leads to `{0}`, a folder of this machine")]
    LocalAddress(String),
    /// A name that cannot be one.
    #[error("`{0}` cannot be a member's name: one line of at most 60 visible characters")]
    BadName(String),
    /// No member has that name.
    #[error("there is no member `{0}`")]
    NoMember(String),
    /// More than one member has that name.
    #[error("`{name}` is more than one member: {}", .keys.join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// The beginnings of their keys.
        keys: Vec<String>,
    },
    /// A name that is one's own.
    #[error("that is you; to remove yourself, pass your key, `{0}`")]
    IsYou(String),
    /// Only some members may remove another.
    #[error("only the member who invited `{0}`, the founder, or `{0}` can do that")]
    NotYours(String),
    /// Another process syncs.
    #[error("another process syncs the same now")]
    Locked,
    /// An address that is not used.
    #[error(transparent)]
    Url(#[from] UrlRefused),
    /// The sync.
    #[error(transparent)]
    Sync(#[from] SyncError),
    /// The remote.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The memory directory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Our own state.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Our own state is damaged.
    #[error("what is remembered about the team in `{0}` cannot be understood")]
    Damaged(Utf8PathBuf),
    /// A user who shares something sees what is sent, which a new name does not show.
    #[error("`{path}` is private, and a new name shares nothing")]
    NotByName {
        /// Which memory.
        path: String,
    },
    /// There is nothing to share.
    #[error("`{0}` is the team's already")]
    SharedAlready(String),
    /// A rule that keeps a memory private.
    #[error("`{path}` stays private: {why}")]
    Private {
        /// Which memory.
        path: String,
        /// Why.
        why: String,
    },
}

impl TeamError {
    /// What to do next, where there is something.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoTeam => "`memdir team init URL` makes one, `memdir team join INVITATION` joins one".to_owned(),
            Self::NotSynced => {
                "`memdir sync init URL` begins with this machine, `memdir sync join INVITATION` adds it".to_owned()
            }
            Self::HasTeam => "`memdir team leave`, or `memdir sync leave`, ends that; the files stay".to_owned(),
            Self::Taken(_) => "ask a member for an invitation, or choose another branch with `--branch`".to_owned(),
            Self::NoInvitation => "copy the whole line that `memdir team invite` printed".to_owned(),
            Self::NoSessionToken => "copy the whole line that `memdir team token` printed".to_owned(),
            Self::NoServer => "a deploy key and `memdir team invite` let a machine in through a repository".to_owned(),
            Self::LocalAddress(_) => "if that folder is meant, and yours or a friend's, say `--local`".to_owned(),
            Self::Ambiguous { .. } => "say which with the first digits of the key, which `memdir team members` and `memdir sync machines` show".to_owned(),
            Self::IsYou(_) => "`memdir team leave` ends your own membership, `memdir sync leave` this machine's".to_owned(),
            Self::NotByName { path } => {
                format!("`memdir team share {}` shows what would go, and shares it", path.strip_suffix(".md").unwrap_or(path))
            }
            Self::SharedAlready(_) => "`memdir team unshare` removes it".to_owned(),
            Self::Locked => "it is done in a moment; try again".to_owned(),
            Self::Damaged(path) if path.file_name() == Some("state") => {
                "remove that file: the next sync compares everything anew".to_owned()
            }
            Self::Damaged(path) => format!(
                "remove `{}`: the memories stay, and a new invitation brings you back",
                path.parent().unwrap_or(path)
            ),
            Self::Sync(SyncError::NoLongerMember { .. }) => {
                "the memories stay; `memdir team leave`, or `memdir sync leave`, ends it here, and a new invitation brings you back"
                    .to_owned()
            }
            Self::Sync(SyncError::Conflicts(_)) => "`--conflict merge` keeps both versions".to_owned(),
            Self::Sync(SyncError::InvitationUsed) => "ask for one of your own".to_owned(),
            Self::Sync(SyncError::Remote(RemoteError::Unreachable { .. })) | Self::Remote(RemoteError::Unreachable { .. }) => {
                "nothing is lost; the next sync goes on".to_owned()
            }
            Self::NotYours(_) => {
                "ask one of them; if that is a machine of yours that is lost, leave and begin anew with another `--branch`".to_owned()
            }
            Self::Sync(SyncError::Remote(RemoteError::Refused { cause: RefusalCause::Storage, .. })) => {
                "the host could not store it: the line broke, or its disk is full; nothing is lost, the next sync tries again".to_owned()
            }
            Self::Sync(SyncError::Remote(RemoteError::Refused { cause: RefusalCause::Token, .. })) => {
                "the memories stay; `memdir team init ADDRESS` continues with a new token of the same server, and a session needs a new `memdir team token` of a \
                 member"
                    .to_owned()
            }
            Self::Sync(SyncError::Remote(RemoteError::Refused { cause: RefusalCause::Server, .. })) => {
                "nothing is lost, the next sync tries again; ask the server's operator".to_owned()
            }
            Self::Sync(SyncError::Remote(RemoteError::RefusedFiles { .. })) => {
                "change or remove those memories; nothing is lost, the next sync tries again".to_owned()
            }
            Self::Sync(SyncError::Remote(RemoteError::Refused { .. })) => {
                "the branch may be protected: allow pushes to it, or choose another with `memdir team init --branch`".to_owned()
            }
            Self::Memory(error) if error.hint().is_some() => return error.hint(),
            Self::Sync(SyncError::Remote(RemoteError::Here { message })) | Self::Remote(RemoteError::Here { message })
                if says_full(message) =>
            {
                AFTER_FULL_DISK.to_owned()
            }
            error if is_full(error) => AFTER_FULL_DISK.to_owned(),
            _ => return None,
        })
    }
}

const AFTER_FULL_DISK: &str = "nothing is lost; free some space, the next sync goes on";

/// Whether a disk of this machine is full.
fn is_full(error: &(dyn Error + 'static)) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    matches!(kind, Some(FileTooLarge | QuotaExceeded | StorageFull)) || error.source().is_some_and(is_full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_reported_with_a_hint() {
        let by_git = |message: &str| RemoteError::Here { message: message.to_owned() };
        let here = DiskError::Io {
            action: "write",
            path: "/x".into(),
            source: io::Error::from(io::ErrorKind::StorageFull),
        };
        for (error, is_full) in [
            (TeamError::Remote(by_git("git failed: fatal: write error: No space left on device")), true),
            (TeamError::Sync(by_git("error: unable to write file").into()), true),
            (TeamError::Sync(SyncError::Local(Box::new(here))), true),
            (TeamError::Remote(by_git("the program `git` is not installed")), false),
        ] {
            assert_eq!(error.hint().as_deref() == Some(AFTER_FULL_DISK), is_full, "{error}");
        }
    }
}
