//! The side of a sync that lies on this machine.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_wire::signing::PublicKey;
use serde::{Deserialize, Serialize};

use crate::remote::Version;
use crate::report::KeptTwice;
use crate::state::{Agreed, Pending, SyncState};

/// Why this machine's side failed.
pub type LocalError = Box<dyn std::error::Error + Send + Sync>;

/// The files as they are.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// What every file's shared text is known by.
    pub files: BTreeMap<String, ContentHash>,
    /// Files that are there and are left alone this time, with the reason: half-written, or not to be shared.
    pub left_alone: BTreeMap<String, String>,
    /// Up to where the history of each folder is told by these files, by what the keys of the folder begin with.
    pub read_up_to: BTreeMap<String, String>,
}

/// What the history of this machine says about a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameChange {
    /// A file got another name.
    Renamed {
        /// The one that it had.
        from: String,
        /// The one that it got.
        to: String,
    },
    /// A file was deleted: what lies there afterwards is another memory.
    Deleted(String),
}

impl Scan {
    /// Leaves files alone that the user does not want to change, whatever their content.
    pub(crate) fn leave_alone(&mut self, unwanted: &BTreeMap<String, String>) {
        for (key, why) in unwanted {
            self.files.remove(key);
            self.left_alone.insert(key.clone(), why.clone());
        }
    }

    /// Whether a file, or a folder that it would lie in, is left alone this time: then its state is not known.
    #[must_use]
    pub fn leaves_alone(&self, key: &str) -> bool {
        let folders = key.match_indices('/').filter_map(|(end, _)| key.get(..end));
        !self.left_alone.is_empty() && folders.chain([key]).any(|path| self.left_alone.contains_key(path))
    }
}

/// A file that is to become something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalChange {
    /// Which.
    pub key: String,
    /// The shared text that it gets; `None`: it goes.
    pub text: Option<String>,
    /// What stood there when it was decided.
    pub before: Option<ContentHash>,
    /// Who wanted it: the name of a member.
    pub by: String,
    /// When, by their clock.
    pub time: Timestamp,
}

/// A file that did not become something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftAlone {
    /// Which.
    pub key: String,
    /// What is in the way; `None`: it was changed meanwhile.
    pub why: Option<String>,
}

/// What came of memories that both sides changed: no member had them as they are now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Which.
    pub both: BTreeSet<String>,
    /// Those that others deleted.
    pub stays: BTreeSet<String>,
    /// Those that are kept twice.
    pub copies: Vec<KeptTwice>,
}

/// An entry that no member vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Which.
    pub key: String,
    /// Who signed it.
    pub author: PublicKey,
    /// What they were called, if they were a member.
    pub name: Option<String>,
    /// The text that they want; `None`: that it goes.
    pub text: Option<String>,
    /// When, by their clock.
    pub time: Timestamp,
    /// Why it waits, if everything else that members send is written: a member is no longer one, or shared a secret.
    pub why: Option<String>,
}

/// What a member changed, as it waits for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Which memory, from whom, and the text that it would get: theirs with what was changed here.
    pub held: Held,
    /// The file that goes with it: the memory has another name there.
    pub renamed_from: Option<String>,
    /// What the remote has there: accepting agrees to that.
    pub entry: Agreed,
    /// What went out from here meanwhile; `None`: nothing, or nothing new.
    pub sent_from: Option<SentFrom>,
}

/// What was sent from here although what others changed still waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentFrom {
    /// What stood here then.
    pub text: String,
    /// Who made the change that waits.
    pub author: PublicKey,
    /// Where the two cannot be one: the key of the copy under which it was sent. Otherwise both were sent together, and
    /// whatever the others say from now on was made from what stood here.
    pub beside: Option<String>,
    /// What stood here when both were last sent together, where they cannot be one any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<String>,
}

impl SentFrom {
    /// What stood here when both were last sent together: what each side says now was made from that.
    #[must_use]
    pub fn base(&self) -> Option<&str> {
        if self.beside.is_some() { self.together.as_deref() } else { Some(&self.text) }
    }
}

/// What decides about keys and texts, as values in memory: planning asks it, and planning does no I/O.
pub trait Rules {
    /// Why a key cannot be one of this folder's.
    fn refuses_key(&self, key: &str) -> Option<String>;

    /// Whether an entry is for this machine at all.
    fn wants(&self, key: &str) -> bool {
        let _ = key;
        true
    }

    /// The folder that an entry belongs to, where there are several that have nothing to do with each other.
    fn folder_of(&self, key: &str) -> &str {
        let _ = key;
        ""
    }

    /// Why a text may not be shared: a secret, or something private; and, if the remote has an earlier text of it, how to
    /// remove that.
    fn refuses_to_share(&self, key: &str, text: &str, has_earlier_text: bool) -> Option<String>;

    /// Why a text of a member waits for the user even where others are written: a secret that they should know of.
    fn refuses_to_take(&self, key: &str, text: &str) -> Option<String> {
        let _ = (key, text);
        None
    }

    /// Two changes as one; `None` where both changed the same thing.
    fn merge(&self, key: &str, base: &str, mine: &str, theirs: &str) -> Option<String>;

    /// Whether a file is a list, whose lines merge whatever became of the others.
    fn is_list(&self, key: &str) -> bool {
        let _ = key;
        false
    }

    /// Whether what others send waits for the user instead of being written.
    fn reviews(&self) -> bool;

    /// What was sent from here while something of others waits since then.
    fn sent_from(&self, key: &str) -> Option<SentFrom> {
        let _ = key;
        None
    }

    /// Whether the user was asked about the very entry that the remote knows by this id, and rejected it.
    fn rejects(&self, key: &str, id: &str) -> bool {
        let _ = (key, id);
        false
    }
}

/// This machine's files and memory of past syncs.
pub trait Local: Rules {
    /// What was agreed, also by accepting what waited, and what was under way when a sync was killed.
    ///
    /// # Errors
    /// The system fails, here and below.
    fn load(&mut self) -> Result<(SyncState, Option<Pending>), LocalError>;

    /// The version at which everything here was agreed, where a look at the files tells that nothing changed since.
    fn up_to_date_at(&mut self) -> Option<Version> {
        None
    }

    /// Remembers that everything that was scanned last is agreed at this version.
    fn remember_up_to_date(&mut self, version: &Version) {
        let _ = version;
    }

    /// What is here now.
    ///
    /// # Errors
    /// See [`Local::load`].
    fn scan(&mut self) -> Result<Scan, LocalError>;

    /// The shared text of a file; `None` if there is none any more.
    ///
    /// # Errors
    /// See [`Local::load`].
    fn text(&mut self, key: &str) -> Result<Option<String>, LocalError>;

    /// Where a file is now that is gone, if it is here and no part of this sync any more.
    fn went_to(&self, key: &str) -> Option<String> {
        let _ = key;
        None
    }

    /// What the history says about names since [`Scan::read_up_to`] of an earlier scan, oldest first.
    fn name_changes(&self, since: &BTreeMap<String, String>) -> Vec<NameChange> {
        let _ = since;
        Vec::new()
    }

    /// Random bits, from which the ids of new memories are made.
    ///
    /// # Errors
    /// See [`Local::load`].
    fn random(&mut self) -> Result<u128, LocalError> {
        Ok(memdir_disk::random::random_bits()?)
    }

    /// Whether the user has a memory of that name that is not shared: they took it back.
    fn took_back(&self, key: &str) -> bool {
        let _ = key;
        false
    }

    /// Remembers what is about to happen, durably.
    ///
    /// # Errors
    /// See [`Local::load`].
    fn begin(&mut self, pending: &Pending) -> Result<(), LocalError>;

    /// Forgets an intention that came to nothing.
    ///
    /// # Errors
    /// See [`Local::load`].
    fn give_up(&mut self) -> Result<(), LocalError>;

    /// Writes what others want. Gives back what was left alone: files that changed under our feet, and those that cannot
    /// be written now, which keeps no other from being written.
    ///
    /// # Errors
    /// See [`Local::load`].
    fn apply(&mut self, changes: &[LocalChange]) -> Result<Vec<LeftAlone>, LocalError>;

    /// Shows the user what no member vouches for. Gives back the keys of what does not wait: the user rejected it before, or
    /// it would change nothing.
    ///
    /// # Errors
    /// See [`Local::load`].
    fn hold(&mut self, held: &[Held]) -> Result<Vec<String>, LocalError>;

    /// Puts before the user all that members changed and that waits; what was put before and is no longer among it goes
    /// when the sync comes to its end.
    ///
    /// # Errors
    /// See [`Local::load`].
    fn propose(&mut self, proposals: &[Proposal]) -> Result<(), LocalError> {
        let _ = proposals;
        Ok(())
    }

    /// Writes what names the memories and is not a memory itself, once all is written.
    ///
    /// # Errors
    /// See [`Local::load`].
    fn follow(&mut self, outcome: &Outcome, state: &SyncState) -> Result<(), LocalError> {
        let _ = (outcome, state);
        Ok(())
    }

    /// Remembers what is agreed now, durably, and forgets the intention.
    ///
    /// # Errors
    /// See [`Local::load`].
    fn finish(&mut self, state: &SyncState) -> Result<(), LocalError>;
}
