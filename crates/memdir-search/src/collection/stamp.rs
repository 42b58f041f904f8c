use jiff::Timestamp;
use memdir_disk::memory_root::FileStat;

/// What changes when a file changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) size: u64,
    /// Nanoseconds since 1970, as everybody may set them.
    pub(super) modified: i64,
    /// Nanoseconds since 1970, as only the kernel sets them.
    changed: i64,
    pub(super) inode: u64,
}

/// What changed this shortly ago may change again without its time showing it.
const UNSETTLED_NANOSECONDS: i64 = 20_000_000;

/// What claims to have changed so far ahead did not.
const FUTURE_NANOSECONDS: i64 = 1_000_000_000;

impl Stamp {
    pub(super) fn of(stat: &FileStat) -> Self {
        let nanoseconds = |time: i128| i64::try_from(time).unwrap_or(i64::MAX);
        Self {
            size: stat.size,
            modified: nanoseconds(stat.modified),
            changed: nanoseconds(stat.changed),
            inode: stat.inode,
        }
    }

    /// All of it in one number, never 0.
    pub(super) fn version(&self) -> u64 {
        let words = [self.size, self.modified.cast_unsigned(), self.changed.cast_unsigned(), self.inode];
        let mix = |state: u64, word: u64| {
            let state = (state ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
            state ^ (state >> 32)
        };
        words.into_iter().fold(0x9e37_79b9_7f4a_7c15, mix).max(1)
    }

    /// The version, or 0 if another change may hide behind it.
    pub(super) fn settled_version(&self, now: Timestamp) -> u64 {
        let now = i64::try_from(now.as_nanosecond()).unwrap_or(i64::MAX);
        let limit = now.saturating_sub(UNSETTLED_NANOSECONDS);
        // A time in the future was set on purpose: then only the kernel's own tells.
        let is_set = self.modified > now.saturating_add(FUTURE_NANOSECONDS);
        let is_settled = self.changed <= limit && (self.modified <= limit || is_set);
        if is_settled { self.version() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_counts() {
        let stamp = Stamp { size: 1, modified: 2, changed: 3, inode: 4 };
        let others = [
            Stamp { size: 9, ..stamp },
            Stamp { modified: 9, ..stamp },
            Stamp { changed: 9, ..stamp },
            Stamp { inode: 9, ..stamp },
        ];
        assert!(others.iter().all(|other| other.version() != stamp.version()));
        let now = Timestamp::from_nanosecond(50_000_000).unwrap();
        assert_eq!(stamp.settled_version(now), stamp.version());
        assert_eq!(Stamp { changed: 40_000_000, ..stamp }.settled_version(now), 0);
        assert_eq!(Stamp { modified: 40_000_000, ..stamp }.settled_version(now), 0);
        let ahead = Stamp { modified: 5_000_000_000, ..stamp };
        assert_eq!(ahead.settled_version(now), ahead.version());
    }
}
