//! Several segments become one, without reading a user's file again.

use std::collections::HashMap;
use std::io::{self, Write};

use super::builder::{Arrays, Dictionary, UnitDraft};
use super::layout::{Section, SectionWriter};
use super::reader::{Segment, TermEntry};
use super::record::UnitFlags;
use super::{Postings, encode, postings};
use crate::error::SearchError;

/// A segment that goes into a merge, and which of its groups are to be left out.
pub(crate) struct Input<'a> {
    pub(crate) segment: &'a Segment,
    pub(crate) dead: &'a [u32],
}

/// A passage that is left out.
const GONE: u32 = u32::MAX;

/// Writes one segment with everything that is alive in the inputs, oldest first.
///
/// Parts of one transcript that were read at different times come to be side by side, as one group.
pub(crate) fn merge(inputs: &[Input<'_>], out: &mut dyn Write) -> Result<io::Result<()>, SearchError> {
    let plan = Plan::new(inputs)?;
    let mut writer = SectionWriter::new(out);
    if let Err(error) = plan.arrays.write(&mut writer) {
        return Ok(Err(error));
    }
    let dictionaries: Vec<super::reader::Dictionary> =
        inputs.iter().map(|input| input.segment.dictionary()).collect::<Result<_, _>>()?;
    let mut lines: Vec<_> = dictionaries.iter().map(|dictionary| dictionary.iter().peekable()).collect();
    let mut dictionary = Dictionary::default();
    let mut offset = 0_u64;
    let mut found: Vec<(u32, u8)> = Vec::new();
    let mut bytes = Vec::new();
    while let Some(term) = lines.iter_mut().filter_map(|entries| Some(entries.peek()?.0.term)).min() {
        found.clear();
        let mut text = "";
        for ((entries, input), passages) in lines.iter_mut().zip(inputs).zip(&plan.new_passages) {
            let Some((entry, own_text)) = entries.next_if(|(entry, _)| entry.term == term) else { continue };
            let encoded = input.segment.postings(&entry)?;
            found.extend(Postings::new(&encoded).filter_map(|(passage, halves)| {
                let passage = passages.get(passage as usize).copied().unwrap_or(GONE);
                (passage != GONE).then_some((passage, halves))
            }));
            text = own_text;
        }
        if found.is_empty() {
            continue;
        }
        found.sort_unstable_by_key(|(passage, _)| *passage);
        bytes.clear();
        let (mut last, mut last_group, mut groups) = (None, None, 0);
        for (passage, halves) in &found {
            postings::push(&mut bytes, last, *passage, *halves);
            last = Some(*passage);
            let group = plan.group_of(*passage);
            groups += u32::from(group != last_group);
            last_group = group;
        }
        if let Err(error) = writer.part(&bytes) {
            return Ok(Err(error));
        }
        let (length, passages) = (bytes.len() as u32, found.len() as u32);
        let entry = TermEntry { term, offset, length, passages, groups, checksum: encode::checksum(&bytes) };
        dictionary.push(entry, text);
        offset += bytes.len() as u64;
    }
    let finish = |mut writer: SectionWriter<'_>| {
        writer.end(Section::Postings, 0)?;
        dictionary.write(&mut writer)?;
        plan.arrays.finish(writer)
    };
    Ok(finish(writer))
}

/// The new order of everything.
struct Plan {
    arrays: Arrays,
    /// For every input, the new number of each passage.
    new_passages: Vec<Vec<u32>>,
}

impl Plan {
    fn new(inputs: &[Input<'_>]) -> Result<Self, SearchError> {
        let mut arrays = Arrays::default();
        let mut new_passages: Vec<_> =
            inputs.iter().map(|input| vec![GONE; input.segment.passages()]).collect();
        for parts in order(inputs)? {
            let mut new_group = None;
            for (input_index, group) in parts {
                let (Some(input), Some(renumbered)) =
                    (inputs.get(input_index), new_passages.get_mut(input_index))
                else {
                    continue;
                };
                let segment = input.segment;
                let spans = segment.spans()?;
                let at = *new_group.get_or_insert(arrays.group_keys.len() as u32);
                if arrays.group_keys.len() as u32 == at {
                    let key = segment.group_keys()?.get(group as usize).copied().unwrap_or(0);
                    let time = segment.group_time()?.get(group as usize).copied().unwrap_or(0);
                    arrays.push_group(key, time, &segment.group(group)?);
                } else if let (Some(time), Some(newer)) =
                    (arrays.group_time.last_mut(), segment.group_time()?.get(group as usize))
                {
                    *time = (*time).max(*newer);
                }
                for unit in spans.units_of(group) {
                    let new_unit = arrays.push_unit(at, &unit_draft(segment, unit)?);
                    if let Some(speaker) = arrays.unit_speaker.last_mut() {
                        *speaker = segment.unit_speaker()?.get(unit as usize).copied().unwrap_or(0);
                    }
                    for passage in spans.passages_of(unit) {
                        let length = segment.lengths()?.get(passage as usize).copied().unwrap_or(0);
                        if let Some(slot) = renumbered.get_mut(passage as usize) {
                            *slot = arrays.lengths.len() as u32;
                        }
                        arrays.lengths.push(length);
                        arrays.passage_unit.push(new_unit);
                    }
                }
            }
        }
        Ok(Self { arrays, new_passages })
    }

    fn group_of(&self, passage: u32) -> Option<u32> {
        let unit = self.arrays.passage_unit.get(passage as usize)?;
        self.arrays.unit_group.get(*unit as usize).copied()
    }
}

fn unit_draft(segment: &Segment, unit: u32) -> Result<UnitDraft, SearchError> {
    let index = unit as usize;
    Ok(UnitDraft {
        record: segment.unit(unit)?,
        flags: UnitFlags(segment.unit_flags()?.get(index).copied().unwrap_or(0)),
        time: segment.unit_time()?.get(index).copied().unwrap_or(0),
        speaker: None,
    })
}

/// The living groups in their new order, each as the parts that one file was read in.
fn order(inputs: &[Input<'_>]) -> Result<Vec<Vec<(usize, u32)>>, SearchError> {
    let mut order: Vec<Vec<(usize, u32)>> = Vec::new();
    let mut place_of: HashMap<u64, usize> = HashMap::new();
    for (index, input) in inputs.iter().enumerate() {
        for (group, key) in input.segment.group_keys()?.iter().enumerate() {
            if input.dead.binary_search(&(group as u32)).is_ok() {
                continue;
            }
            let place = *place_of.entry(*key).or_insert(order.len());
            match order.get_mut(place) {
                Some(parts) => parts.push((index, group as u32)),
                None => order.push(vec![(index, group as u32)]),
            }
        }
    }
    Ok(order)
}
