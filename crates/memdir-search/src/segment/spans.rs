use std::ops::Range;

use super::reader::Segment;
use crate::error::SearchError;

/// Which units a group has, and which passages a unit: both are side by side.
pub(crate) struct Spans {
    units: Vec<u32>,
    passages: Vec<u32>,
}

impl Spans {
    pub(super) fn of(segment: &Segment) -> Result<Self, SearchError> {
        Ok(Self {
            units: starts(segment.unit_group()?, segment.groups()),
            passages: starts(segment.passage_unit()?, segment.units()),
        })
    }

    pub(crate) fn units_of(&self, group: u32) -> Range<u32> {
        range(&self.units, group)
    }

    pub(crate) fn passages_of(&self, unit: u32) -> Range<u32> {
        range(&self.passages, unit)
    }

    /// The passage behind the last one of a group.
    pub(crate) fn passages_end(&self, group: u32) -> u32 {
        let unit = self.units_of(group).end;
        self.passages.get(unit as usize).copied().unwrap_or(0)
    }
}

/// Where each owner's members start, given the owner of every member in order.
fn starts(owners: &[u32], count: usize) -> Vec<u32> {
    let mut starts = Vec::with_capacity(count + 1);
    for (member, owner) in owners.iter().enumerate() {
        while starts.len() <= *owner as usize && starts.len() <= count {
            starts.push(member as u32);
        }
    }
    starts.resize(count + 1, owners.len() as u32);
    starts
}

fn range(starts: &[u32], index: u32) -> Range<u32> {
    let at = |index: usize| starts.get(index).copied().unwrap_or(0);
    at(index as usize)..at(index as usize + 1)
}
