use std::io::{self, Write};

use super::encode::{push_text, seal, u16_bytes, u32_bytes, u64_bytes};
use super::layout::{Section, SectionWriter};
use super::reader::TermEntry;
use super::record::{GroupRecord, UnitFlags, UnitRecord};
use super::{encode, postings};
use crate::analyze::{Analyzer, Sort, Term, TermMap};

/// How long a passage is meant to be, in words.
pub(crate) const PASSAGE_WORDS: usize = 80;

/// How much an occurrence counts, and whether it makes the passage longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weight {
    halves: u8,
    is_running_text: bool,
}

impl Weight {
    /// In the running text.
    pub(crate) const BODY: Self = Self { halves: 2, is_running_text: true };
    /// In a text that only points at others.
    pub(crate) const POINTER: Self = Self { halves: 1, is_running_text: true };
    /// In a title or description, which every passage of the file inherits.
    pub(crate) const TITLE: Self = Self { halves: 2, is_running_text: false };
    /// In a heading above, or in the file's path.
    pub(crate) const CONTEXT: Self = Self { halves: 1, is_running_text: false };
}

/// Collects files into a segment.
pub(crate) struct SegmentBuilder {
    pub(crate) analyzer: Analyzer,
    terms: TermMap<TermDraft>,
    pub(super) arrays: Arrays,
    /// The unit that is being written.
    unit: Vec<(Term, u8, Sort)>,
    postings_bytes: usize,
}

/// What a segment holds apart from its terms.
#[derive(Default)]
pub(super) struct Arrays {
    pub(super) lengths: Vec<u16>,
    pub(super) passage_unit: Vec<u32>,
    pub(super) unit_group: Vec<u32>,
    pub(super) unit_flags: Vec<u8>,
    pub(super) unit_time: Vec<u32>,
    pub(super) unit_speaker: Vec<u32>,
    pub(super) unit_starts: Vec<u32>,
    pub(super) unit_records: Vec<u8>,
    pub(super) group_keys: Vec<u64>,
    pub(super) group_time: Vec<u32>,
    pub(super) group_starts: Vec<u32>,
    pub(super) group_records: Vec<u8>,
}

#[derive(Default)]
struct TermDraft {
    text: Box<str>,
    last: Option<u32>,
    last_group: Option<u32>,
    passages: u32,
    groups: u32,
    bytes: Vec<u8>,
}

/// What is known about a unit besides its words.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnitDraft {
    pub(crate) record: UnitRecord,
    pub(crate) flags: UnitFlags,
    /// Minutes since 1970, or 0.
    pub(crate) time: u32,
    pub(crate) speaker: Option<Term>,
}

impl SegmentBuilder {
    pub(crate) fn new(analyzer: Analyzer) -> Self {
        Self {
            analyzer,
            terms: TermMap::default(),
            arrays: Arrays::default(),
            unit: Vec::new(),
            postings_bytes: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.arrays.group_keys.is_empty()
    }

    /// About how many bytes it holds in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.postings_bytes + self.terms.len() * 120 + self.arrays.bytes()
    }

    /// Starts a file. Units that follow belong to it.
    pub(crate) fn group(&mut self, key: u64, record: &GroupRecord) {
        self.arrays.push_group(key, minutes(record.modified), record);
    }

    /// Adds words to the unit that is being written.
    pub(crate) fn text(&mut self, text: &str, weight: Weight) {
        let Self { analyzer, unit, terms, .. } = self;
        analyzer.each_term(text, |term, text, sort| {
            let draft = terms.entry(term).or_default();
            if draft.text.is_empty() {
                draft.text = text.into();
            }
            // Only running text makes a passage longer.
            let sort = if weight.is_running_text || sort != Sort::Word { sort } else { Sort::Weak };
            unit.push((term, weight.halves, sort));
        });
    }

    /// The terms of a text, to be inherited by several units.
    pub(crate) fn terms_of(&mut self, text: &str, weight: Weight) -> Vec<(Term, u8)> {
        let Self { analyzer, terms, .. } = self;
        let mut found = Vec::new();
        analyzer.each_term(text, |term, text, _| {
            let draft = terms.entry(term).or_default();
            if draft.text.is_empty() {
                draft.text = text.into();
            }
            found.push((term, weight.halves));
        });
        found
    }

    /// Ends the unit: `inherited` terms go into every passage, the words since the last unit are shared out.
    pub(crate) fn end_unit(&mut self, draft: &UnitDraft, inherited: &[(Term, u8)]) {
        let mut words = std::mem::take(&mut self.unit);
        if words.is_empty() && inherited.is_empty() {
            return;
        }
        let Some(group) = self.arrays.group_keys.len().checked_sub(1) else { return };
        let unit = self.arrays.push_unit(group as u32, draft);
        let total = words.iter().filter(|(_, _, sort)| *sort == Sort::Word).count();
        let passages = ((total + PASSAGE_WORDS / 2) / PASSAGE_WORDS).max(1);
        let share = total.div_ceil(passages).max(1);
        let mut rest = words.as_mut_slice();
        for number in 0..passages {
            let mut seen = 0;
            let end = if number + 1 == passages {
                rest.len()
            } else {
                let beyond = rest.iter().position(|(_, _, sort)| {
                    seen += usize::from(*sort == Sort::Word);
                    seen > share
                });
                beyond.unwrap_or(rest.len())
            };
            let (here, after) = rest.split_at_mut(end);
            self.passage(unit, group as u32, here, inherited);
            rest = after;
        }
        words.clear();
        self.unit = words;
    }

    fn passage(&mut self, unit: u32, group: u32, words: &mut [(Term, u8, Sort)], inherited: &[(Term, u8)]) {
        let length = words.iter().filter(|(_, _, sort)| *sort == Sort::Word).count();
        let passage = self.arrays.lengths.len() as u32;
        self.arrays.lengths.push(u16::try_from(length).unwrap_or(u16::MAX));
        self.arrays.passage_unit.push(unit);
        let mut add = |term: Term, halves: u8| {
            let draft = self.terms.entry(term).or_default();
            let before = draft.bytes.len();
            draft.add(passage, group, halves);
            self.postings_bytes += draft.bytes.len() - before;
        };
        if inherited.is_empty() {
            words.sort_unstable_by_key(|(term, ..)| *term);
            for same in words.chunk_by(|one, other| one.0 == other.0) {
                if let Some((term, ..)) = same.first() {
                    add(*term, sum(same.iter().map(|(_, halves, _)| *halves)));
                }
            }
            return;
        }
        let mut all: Vec<(Term, u8)> = words.iter().map(|(term, halves, _)| (*term, *halves)).collect();
        all.extend_from_slice(inherited);
        all.sort_unstable_by_key(|(term, _)| *term);
        for same in all.chunk_by(|one, other| one.0 == other.0) {
            if let Some((term, _)) = same.first() {
                add(*term, sum(same.iter().map(|(_, halves)| *halves)));
            }
        }
    }

    /// The analyzer, to be used for the next segment.
    pub(crate) fn into_analyzer(self) -> Analyzer {
        self.analyzer
    }

    /// Writes the segment.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut drafts: Vec<(Term, &TermDraft)> = self
            .terms
            .iter()
            .filter(|(_, draft)| draft.passages > 0)
            .map(|(term, draft)| (*term, draft))
            .collect();
        drafts.sort_unstable_by_key(|(term, _)| *term);
        let mut writer = SectionWriter::new(out);
        self.arrays.write(&mut writer)?;
        let mut dictionary = Dictionary::default();
        let mut offset = 0;
        for (term, draft) in drafts {
            writer.part(&draft.bytes)?;
            dictionary.push(
                TermEntry {
                    term,
                    offset,
                    length: draft.bytes.len() as u32,
                    passages: draft.passages,
                    groups: draft.groups,
                    checksum: encode::checksum(&draft.bytes),
                },
                &draft.text,
            );
            offset += draft.bytes.len() as u64;
        }
        writer.end(Section::Postings, 0)?;
        dictionary.write(&mut writer)?;
        self.arrays.finish(writer)
    }
}

impl TermDraft {
    fn add(&mut self, passage: u32, group: u32, halves: u8) {
        postings::push(&mut self.bytes, self.last, passage, halves);
        self.last = Some(passage);
        self.passages += 1;
        if self.last_group != Some(group) {
            self.last_group = Some(group);
            self.groups += 1;
        }
    }
}

fn sum(halves: impl Iterator<Item = u8>) -> u8 {
    halves.fold(0, u8::saturating_add)
}

/// Minutes since 1970; earlier times are 0.
pub(crate) fn minutes(seconds: i64) -> u32 {
    u32::try_from(seconds / 60).unwrap_or(0)
}

/// The dictionary of a segment as it grows.
#[derive(Default)]
pub(super) struct Dictionary {
    entries: Vec<TermEntry>,
    texts: Vec<u8>,
}

impl Dictionary {
    /// Adds a term; terms come in order.
    pub(super) fn push(&mut self, entry: TermEntry, text: &str) {
        self.entries.push(entry);
        push_text(&mut self.texts, text);
    }

    pub(super) fn write(self, writer: &mut SectionWriter<'_>) -> io::Result<()> {
        let bits = TermEntry::bucket_bits(self.entries.len());
        let mut rest = self.entries.as_slice();
        let mut start = 0_u32;
        let mut buckets = Vec::with_capacity((8 << bits) + 4);
        let mut entries = Vec::with_capacity(self.entries.len() * TermEntry::BYTES);
        for bucket in 0..1_usize << bits {
            let count = rest.iter().take_while(|entry| entry.term.bucket(bits) <= bucket).count();
            let (here, after) = rest.split_at(count);
            let encoded: Vec<u8> = here.iter().flat_map(TermEntry::encode).collect();
            buckets.extend(start.to_le_bytes());
            buckets.extend(encode::checksum(&encoded).to_le_bytes());
            entries.extend(encoded);
            start += count as u32;
            rest = after;
        }
        buckets.extend(start.to_le_bytes());
        writer.section(Section::Buckets, &buckets)?;
        writer.section(Section::Entries, &entries)?;
        writer.section(Section::Texts, &self.texts)
    }
}

impl Arrays {
    fn bytes(&self) -> usize {
        self.lengths.len() * 6
            + self.unit_group.len() * 17
            + self.unit_records.len()
            + self.group_records.len()
    }

    pub(super) fn push_group(&mut self, key: u64, time: u32, record: &GroupRecord) -> u32 {
        self.group_starts.push(self.group_records.len() as u32);
        let mut bytes = Vec::new();
        record.encode(&mut bytes);
        self.group_records.extend(seal(bytes));
        self.group_keys.push(key);
        self.group_time.push(time);
        (self.group_keys.len() - 1) as u32
    }

    pub(super) fn push_unit(&mut self, group: u32, draft: &UnitDraft) -> u32 {
        self.unit_starts.push(self.unit_records.len() as u32);
        let mut bytes = Vec::new();
        draft.record.encode(&mut bytes);
        self.unit_records.extend(seal(bytes));
        self.unit_group.push(group);
        self.unit_flags.push(draft.flags.0);
        self.unit_time.push(draft.time);
        self.unit_speaker.push(draft.speaker.map_or(0, Term::short));
        (self.unit_group.len() - 1) as u32
    }

    pub(super) fn write(&self, writer: &mut SectionWriter<'_>) -> io::Result<()> {
        let with_end = |starts: &[u32], records: &[u8]| {
            let mut bytes = u32_bytes(starts);
            bytes.extend((records.len() as u32).to_le_bytes());
            bytes
        };
        // Speakers are rare: where there are none, none are stored.
        let speakers = if self.unit_speaker.iter().any(|speaker| *speaker != 0) {
            u32_bytes(&self.unit_speaker)
        } else {
            Vec::new()
        };
        writer.section(Section::Lengths, &u16_bytes(&self.lengths))?;
        writer.section(Section::PassageUnit, &u32_bytes(&self.passage_unit))?;
        writer.section(Section::UnitGroup, &u32_bytes(&self.unit_group))?;
        writer.section(Section::UnitFlags, &self.unit_flags)?;
        writer.section(Section::UnitTime, &u32_bytes(&self.unit_time))?;
        writer.section(Section::UnitSpeaker, &speakers)?;
        writer.section(Section::UnitStarts, &with_end(&self.unit_starts, &self.unit_records))?;
        writer.section(Section::UnitRecords, &self.unit_records)?;
        writer.section(Section::GroupKeys, &u64_bytes(&self.group_keys))?;
        writer.section(Section::GroupTime, &u32_bytes(&self.group_time))?;
        writer.section(Section::GroupStarts, &with_end(&self.group_starts, &self.group_records))?;
        writer.section(Section::GroupRecords, &self.group_records)
    }

    pub(super) fn finish(&self, writer: SectionWriter<'_>) -> io::Result<()> {
        let words = self.lengths.iter().map(|length| u64::from(*length)).sum();
        writer.finish(
            self.group_keys.len() as u64,
            self.unit_group.len() as u64,
            self.lengths.len() as u64,
            words,
        )
    }
}
