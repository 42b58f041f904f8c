use memdir_disk::platform::FileExt;
use std::fs::File;
use std::sync::{Mutex, OnceLock};

use camino::Utf8Path;
use memdir_disk::own_file::open_own;

use super::encode::{checksum, take_bytes, u16s, u32s, u64s, unseal};
use super::layout::{FOOTER, Layout, Section};
use super::record::{GroupRecord, UnitRecord};
use super::spans::Spans;
use crate::analyze::Term;
use crate::error::{SearchError, damaged};
use crate::rank::Scores;

/// A segment that can be read. What is read once is kept.
pub(crate) struct Segment {
    source: Source,
    layout: Layout,
    lengths: OnceLock<Vec<u16>>,
    passage_unit: OnceLock<Vec<u32>>,
    unit_group: OnceLock<Vec<u32>>,
    unit_flags: OnceLock<Vec<u8>>,
    unit_time: OnceLock<Vec<u32>>,
    unit_speaker: OnceLock<Vec<u32>>,
    group_keys: OnceLock<Vec<u64>>,
    group_time: OnceLock<Vec<u32>>,
    group_words: OnceLock<Vec<u32>>,
    spans: OnceLock<Spans>,
    buckets: OnceLock<Vec<u32>>,
    texts: OnceLock<Vec<u8>>,
    scores: Mutex<Option<Scores>>,
}

enum Source {
    File(File),
    Memory(Vec<u8>),
}

/// A line of the dictionary: where the postings of a term are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TermEntry {
    pub(crate) term: Term,
    /// Where they start in their section.
    pub(super) offset: u64,
    pub(super) length: u32,
    /// In how many passages the term is.
    pub(crate) passages: u32,
    /// In how many groups.
    pub(crate) groups: u32,
    pub(super) checksum: u32,
}

impl TermEntry {
    pub(super) const BYTES: usize = 32;

    /// How many bits tell the bucket, so that about thirty entries share one.
    pub(super) fn bucket_bits(entries: usize) -> u32 {
        (entries / 32 + 1).next_power_of_two().trailing_zeros()
    }

    pub(super) fn encode(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let fields = self.term.0.to_le_bytes().into_iter().chain(self.offset.to_le_bytes());
        let rest = [self.length, self.passages, self.groups, self.checksum];
        let fields = fields.chain(rest.into_iter().flat_map(u32::to_le_bytes));
        bytes.iter_mut().zip(fields).for_each(|(byte, value)| *byte = value);
        bytes
    }

    fn decode(bytes: &[u8; Self::BYTES]) -> Self {
        let mut numbers = [0; Self::BYTES / 4];
        for (number, chunk) in numbers.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *number = u32::from_le_bytes(*chunk);
        }
        let [term_low, term_high, offset_low, offset_high, length, passages, groups, checksum] = numbers;
        let wide = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        Self {
            term: Term(wide(term_low, term_high)),
            offset: wide(offset_low, offset_high),
            length,
            passages,
            groups,
            checksum,
        }
    }
}

impl Segment {
    /// Opens a segment on disk.
    pub(crate) fn open(path: &Utf8Path) -> Result<Self, SearchError> {
        let read = |source| SearchError::Read { path: path.to_owned(), source };
        Self::of_file(open_own(path).map_err(read)?)
    }

    /// A segment that was just written, whatever has become of its name.
    pub(crate) fn of_file(file: File) -> Result<Self, SearchError> {
        let Ok(metadata) = file.metadata() else { return damaged("a segment cannot be read") };
        Self::new(Source::File(file), metadata.len())
    }

    /// A segment that was written to memory.
    pub(crate) fn in_memory(bytes: Vec<u8>) -> Result<Self, SearchError> {
        let length = bytes.len() as u64;
        Self::new(Source::Memory(bytes), length)
    }

    fn new(source: Source, length: u64) -> Result<Self, SearchError> {
        let Some(start) = length.checked_sub(FOOTER as u64) else { return damaged("a segment has been cut") };
        let layout = Layout::decode(&source.read(start, FOOTER as u64)?, length)?;
        let segment = Self {
            source,
            layout,
            lengths: OnceLock::new(),
            passage_unit: OnceLock::new(),
            unit_group: OnceLock::new(),
            unit_flags: OnceLock::new(),
            unit_time: OnceLock::new(),
            unit_speaker: OnceLock::new(),
            group_keys: OnceLock::new(),
            group_time: OnceLock::new(),
            group_words: OnceLock::new(),
            spans: OnceLock::new(),
            buckets: OnceLock::new(),
            texts: OnceLock::new(),
            scores: Mutex::new(None),
        };
        segment.check_sizes()?;
        Ok(segment)
    }

    fn check_sizes(&self) -> Result<(), SearchError> {
        let layout = &self.layout;
        let sizes = [
            (Section::Lengths, layout.passages, 2),
            (Section::PassageUnit, layout.passages, 4),
            (Section::UnitGroup, layout.units, 4),
            (Section::UnitFlags, layout.units, 1),
            (Section::UnitTime, layout.units, 4),
            (Section::UnitStarts, layout.units.saturating_add(1), 4),
            (Section::GroupKeys, layout.groups, 8),
            (Section::GroupTime, layout.groups, 4),
            (Section::GroupStarts, layout.groups.saturating_add(1), 4),
        ];
        let fits = sizes.into_iter().all(|(section, count, width)| {
            let range = layout.range(section);
            count.checked_mul(width) == Some(range.end - range.start)
        });
        if fits { Ok(()) } else { damaged("a segment's sections have the wrong size") }
    }

    pub(crate) fn groups(&self) -> usize {
        self.layout.groups as usize
    }

    pub(crate) fn units(&self) -> usize {
        self.layout.units as usize
    }

    pub(crate) fn passages(&self) -> usize {
        self.layout.passages as usize
    }

    /// The sum of the lengths of all passages.
    pub(crate) fn words(&self) -> u64 {
        self.layout.words
    }

    pub(crate) fn lengths(&self) -> Result<&[u16], SearchError> {
        self.load(&self.lengths, Section::Lengths, u16s)
    }

    pub(crate) fn passage_unit(&self) -> Result<&[u32], SearchError> {
        self.load(&self.passage_unit, Section::PassageUnit, u32s)
    }

    pub(crate) fn unit_group(&self) -> Result<&[u32], SearchError> {
        self.load(&self.unit_group, Section::UnitGroup, u32s)
    }

    pub(crate) fn unit_flags(&self) -> Result<&[u8], SearchError> {
        self.load(&self.unit_flags, Section::UnitFlags, <[u8]>::to_vec)
    }

    /// When every unit was said, in minutes since 1970; 0 if unknown.
    pub(crate) fn unit_time(&self) -> Result<&[u32], SearchError> {
        self.load(&self.unit_time, Section::UnitTime, u32s)
    }

    /// The short term of every unit's speaker; empty if no unit has one.
    pub(crate) fn unit_speaker(&self) -> Result<&[u32], SearchError> {
        self.load(&self.unit_speaker, Section::UnitSpeaker, u32s)
    }

    pub(crate) fn group_keys(&self) -> Result<&[u64], SearchError> {
        self.load(&self.group_keys, Section::GroupKeys, u64s)
    }

    pub(crate) fn group_time(&self) -> Result<&[u32], SearchError> {
        self.load(&self.group_time, Section::GroupTime, u32s)
    }

    /// Scores for one question, all zero.
    pub(crate) fn borrow_scores(&self) -> Scores {
        let kept = self.scores.try_lock().ok().and_then(|mut kept| kept.take());
        kept.unwrap_or_else(|| Scores::new(self))
    }

    /// Keeps scores, which must be all zero again, for the next question.
    pub(crate) fn return_scores(&self, scores: Scores) {
        if let Ok(mut kept) = self.scores.try_lock() {
            *kept = Some(scores);
        }
    }

    /// How many words every group has.
    pub(crate) fn group_words(&self) -> Result<&[u32], SearchError> {
        if let Some(known) = self.group_words.get() {
            return Ok(known);
        }
        let (spans, lengths) = (self.spans()?, self.lengths()?);
        let mut next = 0;
        let words_before = |end: u32| {
            let own = lengths.get(next..end as usize).unwrap_or_default();
            next = end as usize;
            own.iter().copied().map(u32::from).sum()
        };
        let words =
            (0..self.groups() as u32).map(|group| spans.passages_end(group)).map(words_before).collect();
        Ok(self.group_words.get_or_init(|| words))
    }

    /// Which units and passages belong to what.
    pub(crate) fn spans(&self) -> Result<&Spans, SearchError> {
        if let Some(known) = self.spans.get() {
            return Ok(known);
        }
        let spans = Spans::of(self)?;
        Ok(self.spans.get_or_init(|| spans))
    }

    fn load<'a, T>(
        &'a self,
        slot: &'a OnceLock<Vec<T>>,
        section: Section,
        convert: fn(&[u8]) -> Vec<T>,
    ) -> Result<&'a [T], SearchError> {
        if let Some(loaded) = slot.get() {
            return Ok(loaded);
        }
        let converted = convert(&self.whole(section)?);
        Ok(slot.get_or_init(|| converted))
    }

    fn whole(&self, section: Section) -> Result<Vec<u8>, SearchError> {
        let range = self.layout.range(section);
        let bytes = self.source.read(range.start, range.end - range.start)?;
        if checksum(&bytes) != self.layout.checksum(section) {
            return damaged("a checksum does not fit");
        }
        Ok(bytes)
    }

    /// A part of a section.
    fn part(&self, section: Section, offset: u64, length: u64) -> Result<Vec<u8>, SearchError> {
        let range = self.layout.range(section);
        let inside = offset.checked_add(length).is_some_and(|end| end <= range.end - range.start);
        if !inside {
            return damaged("an offset is outside of its section");
        }
        self.source.read(range.start + offset, length)
    }

    /// Looks a term up.
    pub(crate) fn find(&self, term: Term) -> Result<Option<TermEntry>, SearchError> {
        let range = self.layout.range(Section::Entries);
        let count = ((range.end - range.start) / TermEntry::BYTES as u64) as usize;
        let bucket = term.bucket(TermEntry::bucket_bits(count));
        let buckets = self.load(&self.buckets, Section::Buckets, u32s)?;
        let Some(&[start, sum, end]) = buckets.get(bucket * 2..).and_then(<[u32]>::first_chunk) else {
            return damaged("a bucket is missing");
        };
        let Some(length) = end.checked_sub(start) else { return damaged("a bucket ends before it starts") };
        let width = TermEntry::BYTES as u64;
        let entries = self.part(Section::Entries, u64::from(start) * width, u64::from(length) * width)?;
        if checksum(&entries) != sum {
            return damaged("a checksum does not fit");
        }
        let mut entries = entries.as_chunks::<{ TermEntry::BYTES }>().0.iter().map(TermEntry::decode);
        Ok(entries.find(|entry| entry.term == term))
    }

    /// The encoded postings of a term.
    pub(crate) fn postings(&self, entry: &TermEntry) -> Result<Vec<u8>, SearchError> {
        let bytes = self.part(Section::Postings, entry.offset, u64::from(entry.length))?;
        if checksum(&bytes) != entry.checksum {
            return damaged("a checksum does not fit");
        }
        Ok(bytes)
    }

    /// All terms with their texts.
    pub(crate) fn dictionary(&self) -> Result<Dictionary, SearchError> {
        let dictionary =
            Dictionary { entries: self.whole(Section::Entries)?, texts: self.whole(Section::Texts)? };
        if dictionary.iter().count() * TermEntry::BYTES != dictionary.entries.len() {
            return damaged("a term has no text");
        }
        Ok(dictionary)
    }

    /// The texts of all terms, for the process that looks for one that is like another.
    pub(crate) fn texts(&self) -> Result<impl Iterator<Item = &[u8]>, SearchError> {
        let mut rest = self.load(&self.texts, Section::Texts, <[u8]>::to_vec)?;
        Ok(std::iter::from_fn(move || take_bytes(&mut rest)))
    }

    pub(crate) fn group(&self, group: u32) -> Result<GroupRecord, SearchError> {
        let bytes = self.record(Section::GroupStarts, Section::GroupRecords, group)?;
        GroupRecord::decode(unseal(&bytes)?).map_or_else(|| damaged("a record of a file"), Ok)
    }

    pub(crate) fn unit(&self, unit: u32) -> Result<UnitRecord, SearchError> {
        let bytes = self.record(Section::UnitStarts, Section::UnitRecords, unit)?;
        UnitRecord::decode(unseal(&bytes)?).map_or_else(|| damaged("a record of a unit"), Ok)
    }

    fn record(&self, starts: Section, records: Section, index: u32) -> Result<Vec<u8>, SearchError> {
        let bounds = u32s(&self.part(starts, u64::from(index) * 4, 8)?);
        let [start, end] = *bounds.as_slice() else { return damaged("a record is missing") };
        let Some(length) = end.checked_sub(start) else { return damaged("a record ends before it starts") };
        self.part(records, u64::from(start), u64::from(length))
    }
}

/// The dictionary of a segment as it is stored: many words, few pieces of memory.
pub(crate) struct Dictionary {
    entries: Vec<u8>,
    texts: Vec<u8>,
}

impl Dictionary {
    /// Its lines, sorted by term.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (TermEntry, &str)> {
        let mut rest = self.texts.as_slice();
        let entries = self.entries.as_chunks::<{ TermEntry::BYTES }>().0.iter();
        entries.map_while(move |bytes| {
            let text = str::from_utf8(take_bytes(&mut rest)?).ok()?;
            Some((TermEntry::decode(bytes), text))
        })
    }
}

impl Source {
    fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>, SearchError> {
        let cut = SearchError::Damaged { what: "a segment has been cut" };
        match self {
            Self::File(file) => {
                let mut bytes = vec![0; length as usize];
                file.read_exact_at(&mut bytes, offset).map_err(|_| cut)?;
                Ok(bytes)
            }
            Self::Memory(bytes) => {
                let start = offset as usize;
                bytes.get(start..start.saturating_add(length as usize)).map(<[u8]>::to_vec).ok_or(cut)
            }
        }
    }
}
