//! Keeping a history within bounds, without anybody in the background.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, SystemTime};

use memdir_core::config::HistoryBounds;
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{ChangeRecord, Operation};

use super::segment_versions::SegmentVersions;
use super::{History, Outcome, log_writer::LogWriter, segment};
use crate::disk_error::{DiskError, IoContext};
use crate::state_file;

/// How much of the past is kept: what is within both bounds stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Segments whose last record is older than this go.
    pub age: Duration,
    /// The oldest segments go until the rest is not larger than this.
    pub bytes: u64,
}

/// The file beside the segments that says since when some of them are too old.
const DUE: &str = "due";
const DAY: Duration = Duration::from_secs(86_400);

impl Bounds {
    /// The bounds that the user has settled.
    #[must_use]
    pub fn of(settled: HistoryBounds) -> Self {
        Self {
            age: Duration::from_secs(u64::from(settled.days) * 86_400),
            bytes: u64::from(settled.megabytes) * 1_000_000,
        }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self::of(HistoryBounds::default())
    }
}

impl History {
    /// The segments that are beyond the bounds; none costs a look at the folder. The last is never among them.
    pub(crate) fn overdue(&self, bounds: Bounds) -> Result<Vec<u32>, DiskError> {
        let numbers = segment::numbers(self.dir())?;
        if numbers.len() < 2 {
            return Ok(Vec::new());
        }
        let mut found: Vec<(u32, u64, SystemTime)> = Vec::with_capacity(numbers.len());
        for number in numbers {
            let path = segment::path(self.dir(), number);
            let metadata = fs::metadata(&path).during("look at", &path)?;
            found.push((number, metadata.len(), metadata.modified().during("look at", &path)?));
        }
        // By the clock of the file system: what was written last is now.
        let Some(&(_, _, now)) = found.last() else { return Ok(Vec::new()) };
        let oldest_kept = now.checked_sub(bounds.age);
        let is_old = |modified: SystemTime| oldest_kept.is_some_and(|oldest| modified < oldest);
        let mut total: u64 = found.iter().map(|(_, bytes, _)| *bytes).sum();
        found.pop();
        let old_may_go = self.has_long_been_due(found.iter().any(|(.., modified)| is_old(*modified)), now)?;
        let mut overdue = Vec::new();
        for (number, bytes, modified) in found {
            if !(old_may_go && is_old(modified)) && total <= bounds.bytes {
                break;
            }
            total -= bytes;
            overdue.push(number);
        }
        Ok(overdue)
    }

    /// Whether something has been too old for a day. A clock that is far ahead for an hour must not cost the past: `due`
    /// remembers when something was first found to be old, and what happens to the clock since starts that anew.
    fn has_long_been_due(&self, is_due: bool, now: SystemTime) -> Result<bool, DiskError> {
        let path = self.dir().join(DUE);
        let since = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
        match since {
            None if !is_due => {}
            Some(_) if !is_due => fs::remove_file(&path).during("remove", &path)?,
            Some(since) if since <= now => return Ok(now.duration_since(since).is_ok_and(|age| age >= DAY)),
            _ => {
                let file = fs::File::create(&path).during("create", &path)?;
                file.set_modified(now).during("set the time of", &path)?;
            }
        }
        Ok(false)
    }

    /// Removes segments. The versions that files still have are recorded once more first, durably, with `template`
    /// as their operation: a file that was not changed for long can still be brought back.
    pub(crate) fn drop_segments(
        &self,
        numbers: &[u32],
        living: &[(memdir_core::rel_path::RelPath, ContentHash)],
        template: Operation,
    ) -> Result<(), DiskError> {
        let wanted: BTreeSet<ContentHash> = living.iter().map(|(_, hash)| *hash).collect();
        let mut kept = std::collections::BTreeMap::new();
        for number in numbers {
            if let Ok(bytes) = fs::read(segment::path(self.dir(), *number)) {
                SegmentVersions::of(&bytes).find(&wanted, &mut kept);
            }
        }
        let mut operation = template;
        let mut versions = Vec::new();
        for (path, hash) in living {
            let Some(content) = kept.get(hash) else { continue };
            let version = Some(*hash);
            let record =
                ChangeRecord { path: path.clone(), before: version, after: version, renamed_from: None };
            operation.changes.push(record);
            versions.push((None, Some(content.as_slice())));
        }
        if !versions.is_empty() {
            let mut log = LogWriter::open(self)?;
            let clean = log.ends_clean();
            log.begin(&operation, &versions)?;
            log.end(&operation.id, Outcome::Done, clean)?;
        }
        for number in numbers {
            let path = segment::path(self.dir(), *number);
            fs::remove_file(&path).during("remove", &path)?;
            let _ = fs::remove_file(path.with_extension("known"));
        }
        state_file::sync_directory(self.dir()).during("sync", self.dir())
    }
}
