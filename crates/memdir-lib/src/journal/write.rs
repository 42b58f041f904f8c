use camino::Utf8Path;
use jiff::Timestamp;
use memdir_core::gate::{Admission, Admitted};
use memdir_core::operation::StoreId;
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::project::registry::Sighting;
use memdir_core::rel_path::RelPath;
use memdir_disk::apply::{Applied, LOCK_PATIENCE, OnConflict, Request, Store, apply_planned};
use memdir_disk::claim::Claim;
use memdir_disk::disk_error::DiskError;
use memdir_disk::memory_root::MemoryRoot;
use memdir_disk::random::random_bits;
use memdir_disk::registry::Registry;
use memdir_disk::staged::StagedPlans;

use super::{Followed, Journal, JournalError, MAX_FILE_BYTES, Writer, absent_if_missing};
use crate::memory::{MemoryError, Submitted, propose};

/// A record that is on the disk to stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its path below the journal.
    pub path: String,
    /// What the user should be told.
    pub warnings: Vec<String>,
    /// What followed from it.
    pub followed: Followed,
}

/// Whose words a plan holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Writers,
    Ours,
}

/// How often a name, or a file that others change too, is tried.
const MAX_TRIES: u32 = 200;

impl Journal {
    /// Applies a plan that is made under the lock: one synced record in history, each file synced, its folder synced.
    pub(super) fn apply(
        &self,
        writer: &Writer<'_>,
        make: impl FnMut(&MemoryRoot) -> Result<Plan, JournalError>,
    ) -> Result<Applied, JournalError> {
        self.apply_through(writer, Words::Writers, make)
    }

    /// The same for a plan that holds only memdir's own words: it waits for no review.
    pub(super) fn apply_ours(
        &self,
        writer: &Writer<'_>,
        make: impl FnMut(&MemoryRoot) -> Result<Plan, JournalError>,
    ) -> Result<Applied, JournalError> {
        self.apply_through(writer, Words::Ours, make)
    }

    fn apply_through(
        &self,
        writer: &Writer<'_>,
        words: Words,
        mut make: impl FnMut(&MemoryRoot) -> Result<Plan, JournalError>,
    ) -> Result<Applied, JournalError> {
        let state_dir = self.state_dir()?;
        let gate = self.gate(writer)?;
        let id = match &self.store {
            Some(store) => store.clone(),
            None => match Registry::new(&state_dir).project(self.directory()) {
                Ok(Some(known)) => known.store,
                _ => self.register_store(writer.now)?,
            },
        };
        let store = Store {
            memory_dir: self.directory(),
            id: &id,
            state_dir: &state_dir,
            follow_entrypoint_link: false,
        };
        let request = Request {
            author: writer.author,
            time: writer.now,
            undo_of: None,
            staged: None,
            on_conflict: OnConflict::Refuse,
            patience: LOCK_PATIENCE,
            merge: &|_, _, _, _| None,
        };
        let mut tries = 0;
        loop {
            let applied = apply_planned::<JournalError>(&store, &request, |root| {
                let plan = make(root)?;
                if words == Words::Ours {
                    return Ok(gate.rules().accepted(plan).map_err(MemoryError::from)?);
                }
                match gate.rules().admit(plan).map_err(MemoryError::from)? {
                    Admission::Apply(plan) => Ok(plan),
                    Admission::Review(plan) => Err(self.propose(plan, &state_dir, &id, writer)?),
                }
            });
            match applied {
                // A process that takes no lock was faster: look again.
                Err(JournalError::Disk(DiskError::Conflict { .. })) if tries < MAX_TRIES => tries += 1,
                applied => return applied,
            }
        }
    }

    /// Has a plan wait for the user. Nothing follows from it yet, so the writer is told by an error.
    fn propose(
        &self,
        plan: Admitted<Plan>,
        state_dir: &Utf8Path,
        id: &StoreId,
        writer: &Writer<'_>,
    ) -> Result<JournalError, JournalError> {
        let staged = StagedPlans::of(state_dir, id);
        Ok(match propose(&staged, plan, writer.author, self.directory(), writer.now)? {
            Submitted::Staged { id, .. } => JournalError::Staged { id },
            _ => JournalError::Rejected,
        })
    }

    /// The id of the journal's history, made at its start.
    pub(super) fn register_store(&self, now: Timestamp) -> Result<StoreId, JournalError> {
        let sighting = Sighting {
            memory_dir: self.directory().to_owned(),
            slug: self.key().to_owned(),
            path: self.here.root.clone(),
            keys: Vec::new(),
            time: now,
        };
        let random = random_bits().map_err(JournalError::NoRandom)?;
        Ok(Registry::new(&self.state_dir()?).record(&sighting, random)?.store)
    }

    /// Writes a new file under the first name that is free. Names come from `name` with the number of the try, which
    /// may look at the folder; a name that another process claims is passed over.
    pub(super) fn create(
        &self,
        writer: &Writer<'_>,
        reason: &str,
        mut name: impl FnMut(&MemoryRoot, u32) -> Result<(String, String), JournalError>,
        content: &str,
        mut also: impl FnMut(&MemoryRoot, &str) -> Result<Vec<Change>, JournalError>,
    ) -> Result<(String, Applied), JournalError> {
        let mut chosen = String::new();
        // Held until the file is there.
        let mut claims: Vec<Claim> = Vec::new();
        let applied = self.apply(writer, |root| {
            claims.clear();
            for attempt in 1..=MAX_NAMES {
                let (path, claimed) = name(root, attempt)?;
                let path = RelPath::parse(&path)?;
                let Some(claim) = root.claim(&RelPath::parse(&claimed)?)? else { continue };
                if root.stat(&path)?.is_some() {
                    continue;
                }
                claims.push(claim);
                path.as_str().clone_into(&mut chosen);
                let mut plan = Plan::new(reason);
                plan.changes.push(Change::Write { path, content: content.into(), base: None });
                plan.changes.extend(also(root, &chosen)?);
                return Ok(plan);
            }
            Err(JournalError::Crowded { wanted: chosen.clone() })
        })?;
        Ok((chosen, applied))
    }

    /// Changes a file that others change too: `change` gets what is there and says what shall.
    pub(super) fn update(
        &self,
        writer: &Writer<'_>,
        reason: &str,
        path: &str,
        mut change: impl FnMut(&str) -> Result<String, JournalError>,
    ) -> Result<Applied, JournalError> {
        let path = RelPath::parse(path)?;
        self.apply(writer, |root| {
            let (base, text) = utf8(root, path.as_str())?;
            let content = change(&text)?;
            let mut plan = Plan::new(reason);
            plan.changes.push(Change::Write {
                path: path.clone(),
                content: content.into(),
                base: base.map(Content),
            });
            Ok(plan)
        })
    }
}

/// The bytes of a file and its text, which is empty if there is no file.
pub(super) fn utf8(root: &MemoryRoot, path: &str) -> Result<(Option<Vec<u8>>, String), JournalError> {
    let path = RelPath::parse(path)?;
    let base = absent_if_missing(root.read(&path, MAX_FILE_BYTES))?;
    let text = String::from_utf8(base.clone().unwrap_or_default()).map_err(|_| DiskError::Refused {
        path: root.path().join(path.as_str()),
        rule: "it is not valid UTF-8; save it as UTF-8 first",
    })?;
    Ok((base, text))
}

/// More outputs of one name in one second than anybody makes.
const MAX_NAMES: u32 = 10_000;
