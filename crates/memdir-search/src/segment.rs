//! A segment: an immutable piece of the index over some files, in one file or in memory.
//!
//! From coarse to fine: a *group* is a file, or the part of a transcript that was there when it was read; a *unit*
//! is what a hit points at, a section of Markdown or a turn; a *passage* is a unit's share of about eighty words.
//! Postings name passages. Everything is laid out so that a query reads only a few short ranges.

mod builder;
mod encode;
mod layout;
mod merge;
mod postings;
mod reader;
mod record;
mod spans;
#[cfg(test)]
mod tests;

pub(crate) use builder::{SegmentBuilder, UnitDraft, Weight, minutes};
pub(crate) use encode::{checksum, push_text, push_varint, take_text, take_varint};
pub(crate) use merge::{Input, merge};
pub(crate) use postings::Postings;
pub(crate) use reader::{Segment, TermEntry};
pub(crate) use record::{GroupRecord, UnitFlags, UnitRecord};
