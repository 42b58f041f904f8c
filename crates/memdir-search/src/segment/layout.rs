//! Where the sections of a segment are: a footer of fixed size says.

use std::io::{self, Write};
use std::ops::Range;

use super::encode::{checksum, u64_bytes, u64s, unseal};
use crate::analyze;
use crate::error::{SearchError, damaged};

const MAGIC: u64 = 0x3130_7472_6964_6d65;
/// Changes with the layout.
const LAYOUT: u64 = 1;

/// The sections, in the order in which they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// Length of every passage in words: u16.
    Lengths,
    /// The unit of every passage: u32.
    PassageUnit,
    /// The group of every unit: u32.
    UnitGroup,
    /// [`super::UnitFlags`] of every unit: u8.
    UnitFlags,
    /// When every unit was said or written, in minutes since 1970: u32.
    UnitTime,
    /// The lower half of the speaker's term, or 0, of every unit: u32.
    UnitSpeaker,
    /// Where the record of every unit starts: u32, one more than units.
    UnitStarts,
    UnitRecords,
    /// The key of every group's file: u64.
    GroupKeys,
    /// When every group's file was changed, in minutes since 1970: u32.
    GroupTime,
    /// Where the record of every group starts: u32, one more than groups.
    GroupStarts,
    GroupRecords,
    Postings,
    /// Where the entries of every bucket start, and their checksum: two u32; at last where all end.
    Buckets,
    /// The dictionary, sorted by term: [`super::reader::TermEntry`].
    Entries,
    /// The texts of the terms, in the order of the entries.
    Texts,
}

pub(super) const SECTIONS: usize = 16;
const NUMBERS: usize = 8;
/// Bytes of the footer, its checksum included.
pub(super) const FOOTER: usize = (NUMBERS + SECTIONS * 2) * 8 + 4;

/// How big a segment is, and where everything is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) groups: u64,
    pub(super) units: u64,
    pub(super) passages: u64,
    /// The sum of all passages' lengths.
    pub(super) words: u64,
    /// End and checksum of every section; it starts where the one before it ends.
    sections: [(u64, u32); SECTIONS],
}

impl Layout {
    pub(super) fn range(&self, section: Section) -> Range<u64> {
        let index = section as usize;
        let start =
            index.checked_sub(1).and_then(|before| self.sections.get(before)).map_or(0, |(end, _)| *end);
        let end = self.sections.get(index).map_or(0, |(end, _)| *end);
        start..end.max(start)
    }

    pub(super) fn checksum(&self, section: Section) -> u32 {
        self.sections.get(section as usize).map_or(0, |(_, sum)| *sum)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut numbers = vec![
            MAGIC,
            LAYOUT,
            u64::from(analyze::VERSION),
            self.groups,
            self.units,
            self.passages,
            self.words,
            0,
        ];
        numbers.extend(self.sections.iter().flat_map(|(end, sum)| [*end, u64::from(*sum)]));
        super::encode::seal(u64_bytes(&numbers))
    }

    /// Reads the footer of a segment of `length` bytes, and checks that it describes one.
    pub(super) fn decode(footer: &[u8], length: u64) -> Result<Self, SearchError> {
        let numbers = u64s(unseal(footer)?);
        let [MAGIC, LAYOUT, analysis, groups, units, passages, words, _, ends @ ..] = numbers.as_slice()
        else {
            return damaged("a segment is of another version");
        };
        if *analysis != u64::from(analyze::VERSION) {
            return damaged("a segment is of another version");
        }
        let mut layout =
            Self { groups: *groups, units: *units, passages: *passages, words: *words, ..Self::default() };
        let mut last = 0;
        for (section, pair) in layout.sections.iter_mut().zip(ends.as_chunks::<2>().0) {
            let [end, sum] = *pair;
            if end < last {
                return damaged("a segment's sections overlap");
            }
            last = end;
            *section = (end, sum as u32);
        }
        if last.checked_add(FOOTER as u64) != Some(length) {
            return damaged("a segment has been cut");
        }
        Ok(layout)
    }
}

/// Writes sections one behind the other and remembers where they end.
pub(super) struct SectionWriter<'a> {
    out: &'a mut dyn Write,
    layout: Layout,
    position: u64,
    next: usize,
}

impl<'a> SectionWriter<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, layout: Layout::default(), position: 0, next: 0 }
    }

    /// Writes a whole section with its checksum.
    pub(super) fn section(&mut self, section: Section, bytes: &[u8]) -> io::Result<()> {
        self.part(bytes)?;
        self.end(section, checksum(bytes))
    }

    /// Writes a part of a section whose parts carry checksums of their own.
    pub(super) fn part(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    pub(super) fn end(&mut self, section: Section, sum: u32) -> io::Result<()> {
        debug_assert_eq!(self.next, section as usize, "sections are written in order");
        if let Some(slot) = self.layout.sections.get_mut(section as usize) {
            *slot = (self.position, sum);
        }
        self.next += 1;
        Ok(())
    }

    pub(super) fn finish(mut self, groups: u64, units: u64, passages: u64, words: u64) -> io::Result<()> {
        self.layout = Layout { groups, units, passages, words, ..self.layout };
        self.out.write_all(&self.layout.encode())
    }
}
