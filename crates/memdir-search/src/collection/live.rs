use std::sync::{Arc, OnceLock};

use super::manifest::SegmentInfo;
use crate::analyze::KeySet;
use crate::error::SearchError;
use crate::segment::Segment;

/// A segment and what of it no longer counts.
#[derive(Clone)]
pub(crate) struct Live {
    pub(crate) segment: Arc<Segment>,
    /// Sorted.
    buried: Vec<u32>,
    /// Files of which nothing in this segment counts any more, if it holds anything of them: that was not looked up yet.
    gone: Vec<u64>,
    dead: OnceLock<Vec<u32>>,
}

/// A segment with so few files is looked through at once.
const FEW: usize = 16;

impl Live {
    /// A segment of which everything counts.
    pub(super) fn new(segment: Segment) -> Self {
        let segment = Arc::new(segment);
        Self { segment, buried: Vec::new(), gone: Vec::new(), dead: OnceLock::new() }
    }

    /// A segment as the manifest describes it.
    pub(super) fn opened(segment: Segment, info: &SegmentInfo) -> Self {
        Self { buried: info.dead.clone(), gone: info.gone.clone(), ..Self::new(segment) }
    }

    /// What of it no longer counts, sorted.
    pub(crate) fn dead(&self) -> Result<&[u32], SearchError> {
        if self.gone.is_empty() {
            return Ok(&self.buried);
        }
        if let Some(known) = self.dead.get() {
            return Ok(known);
        }
        let dead = self.with_buried(&self.gone.iter().copied().collect())?;
        Ok(self.dead.get_or_init(|| dead))
    }

    /// How many of its files are known to be dead; there may be more.
    pub(super) fn buried(&self) -> usize {
        self.buried.len()
    }

    /// Marks everything of some files as dead.
    pub(super) fn bury(&mut self, keys: &KeySet) -> Result<(), SearchError> {
        let mut keys = keys.clone();
        keys.extend(self.gone.drain(..));
        self.dead = OnceLock::new();
        self.buried = self.with_buried(&keys)?;
        Ok(())
    }

    /// The same for one file, at the same price in a segment of any size: a reader looks where it is.
    pub(super) fn bury_one(&mut self, key: u64) -> Result<(), SearchError> {
        if self.segment.groups() <= FEW {
            return self.bury(&KeySet::from_iter([key]));
        }
        if !self.gone.contains(&key) {
            self.gone.push(key);
            self.dead = OnceLock::new();
        }
        Ok(())
    }

    /// Tells the manifest what no longer counts.
    pub(super) fn describe(&self, info: &mut SegmentInfo) {
        info.dead.clone_from(&self.buried);
        info.gone.clone_from(&self.gone);
    }

    fn with_buried(&self, keys: &KeySet) -> Result<Vec<u32>, SearchError> {
        let mut dead = self.buried.clone();
        let all = (0..).zip(self.segment.group_keys()?);
        dead.extend(all.filter(|(_, key)| keys.contains(key)).map(|(group, _)| group));
        dead.sort_unstable();
        dead.dedup();
        Ok(dead)
    }
}
