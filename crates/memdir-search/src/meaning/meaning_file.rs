//! What the model has read of the memories of a folder, in a file beside their index. What is known of a memory counts
//! only as long as it has the text that was read; the file is derived and may go at any time.
//!
//! Sizes and sums · a table of the memories · for each memory three vectors (description, text, all cues), which every
//! question passes · for each memory one vector for each sentence and cue, which are read for the nearest ones alone.

use std::fs::File;
use std::io::{self, Write};

use camino::Utf8Path;
use memdir_core::content_hash::ContentHash;
use memdir_disk::own_file::open_own;
use memdir_disk::platform::FileExt;

use super::vector::Vector;
use crate::segment::{checksum, push_text, push_varint, take_text, take_varint};

/// The name of the file with what a model has read, in the folder of an index.
pub const NAME: &str = "meanings";
/// The first bytes; another format, or another model, gets another number.
const MAGIC: [u8; 8] = *b"memdirM1";
/// The mark, the version of the index, whether it is whole, the table's bytes and the table's sum.
const START: usize = MAGIC.len() + 4 * 4;
/// The vectors that every question passes.
const HEADS: usize = 3;
/// What they take.
const HEAD_BYTES: usize = HEADS * Vector::BYTES;
/// So many memories are read at once.
const CHUNK: usize = 512;
/// So many neighbours each memory names.
const NEIGHBOURS: usize = 2;
/// No table is larger.
const MAX_TABLE: u32 = 256 << 20;

/// Which text of a memory was read.
pub(crate) type TextVersion = u64;

/// The version of a text.
pub(crate) fn version_of(text: &str) -> TextVersion {
    let [a, b, c, d, e, f, g, h, ..] = *ContentHash::of(text.as_bytes()).as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// A memory that the model has read.
pub(crate) struct ReadMemory {
    /// Below the folder.
    pub(crate) path: String,
    pub(crate) version: TextVersion,
    sentences: usize,
    cues: usize,
    vectors: Vec<u8>,
}

/// The meanings of a memory's parts; a part that it does not have is `None`.
pub(crate) struct Parts {
    pub(crate) description: Option<Vector>,
    pub(crate) text: Option<Vector>,
    pub(crate) all_cues: Option<Vector>,
    pub(crate) sentences: Vec<Vector>,
    pub(crate) cues: Vec<Vector>,
}

impl ReadMemory {
    pub(crate) fn new(path: String, version: TextVersion, parts: &Parts) -> Self {
        let mut vectors = Vec::new();
        for head in [&parts.description, &parts.text, &parts.all_cues] {
            match head {
                Some(vector) => vector.write_to(&mut vectors),
                None => vectors.resize(vectors.len() + Vector::BYTES, 0),
            }
        }
        parts.sentences.iter().chain(&parts.cues).for_each(|vector| vector.write_to(&mut vectors));
        Self { path, version, sentences: parts.sentences.len(), cues: parts.cues.len(), vectors }
    }
}

/// How similar a question is to a memory, from -1 to 1; 0 for a part that it does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Cosines {
    pub(crate) description: f32,
    pub(crate) text: f32,
    pub(crate) sentence: f32,
    pub(crate) cue: f32,
}

/// An open file of meanings.
pub(crate) struct MeaningFile {
    file: File,
    /// The index for which it was written, and whether it holds all of its memories.
    index: u32,
    is_whole: bool,
    heads_at: u64,
    entries: Vec<Entry>,
    /// The sum of the heads of so many memories.
    sums: Vec<u32>,
}

struct Entry {
    path: String,
    version: TextVersion,
    sentences: usize,
    cues: usize,
    details_at: u64,
    sum: u32,
}

impl Entry {
    fn details(&self) -> usize {
        self.sentences + self.cues
    }
}

impl MeaningFile {
    /// Opens the meanings of an index; `None` if there are none, or none that can be used.
    pub(crate) fn open(folder: &Utf8Path) -> Option<Self> {
        let file = open_own(&folder.join(NAME)).ok()?;
        let mut start = [0; START];
        file.read_exact_at(&mut start, 0).ok()?;
        let (magic, numbers) = start.split_first_chunk::<8>()?;
        let [index, is_whole, length, sum] = *numbers.as_chunks::<4>().0 else { return None };
        let (length, sum) = (u32::from_le_bytes(length), u32::from_le_bytes(sum));
        if *magic != MAGIC || length > MAX_TABLE {
            return None;
        }
        let mut table = vec![0; length as usize];
        file.read_exact_at(&mut table, START as u64).ok()?;
        if checksum(&table) != sum {
            return None;
        }
        let heads_at = START as u64 + u64::from(length);
        let (entries, sums) = decode_table(&table, heads_at)?;
        let is_whole = u32::from_le_bytes(is_whole) == 1;
        Some(Self { file, index: u32::from_le_bytes(index), is_whole, heads_at, entries, sums })
    }

    /// Whether it holds every memory of this version of the index.
    pub(crate) fn is_whole_for(&self, index: u32) -> bool {
        self.is_whole && self.index == index
    }

    /// How many memories it holds.
    pub(crate) fn memories(&self) -> usize {
        self.entries.len()
    }

    /// What was read of a memory, if it had this text then.
    pub(crate) fn memory(&self, path: &str, version: TextVersion) -> Option<ReadMemory> {
        let (number, entry) = self.entry(path, version)?;
        let mut vectors = vec![0; HEAD_BYTES];
        self.file.read_exact_at(&mut vectors, self.heads_at + (number * HEAD_BYTES) as u64).ok()?;
        vectors.append(&mut self.details(entry)?);
        Some(ReadMemory {
            path: path.to_owned(),
            version,
            sentences: entry.sentences,
            cues: entry.cues,
            vectors,
        })
    }

    /// The memories whose description, text or cues are most similar to a question, the most similar first.
    pub(crate) fn nearest(&self, question: &Vector, most: usize) -> Vec<(f32, &str)> {
        let mut found: Vec<(f32, &str)> = Vec::with_capacity(self.entries.len());
        let mut bytes = Vec::new();
        let chunks = self.entries.chunks(CHUNK).zip(&self.sums).enumerate();
        for (number, (entries, sum)) in chunks {
            bytes.resize(entries.len() * HEAD_BYTES, 0);
            let at = self.heads_at + (number * CHUNK * HEAD_BYTES) as u64;
            if self.file.read_exact_at(&mut bytes, at).is_err() || checksum(&bytes) != *sum {
                continue;
            }
            for (entry, heads) in entries.iter().zip(bytes.chunks_exact(HEAD_BYTES)) {
                let cosines = heads.chunks_exact(Vector::BYTES).map(|head| question.cosine(head));
                found.push((cosines.fold(-1.0, f32::max), entry.path.as_str()));
            }
        }
        let best_first = |one: &(f32, &str), other: &(f32, &str)| other.0.total_cmp(&one.0);
        if found.len() > most && most > 0 {
            found.select_nth_unstable_by(most - 1, best_first);
            found.truncate(most);
        }
        found.sort_by(best_first);
        found
    }

    /// Memories whose texts mean nearly the same: of the first ones, each with the few that are nearest, a pair once.
    pub(crate) fn neighbours(&self, least: f32, most: usize) -> Vec<(&str, &str)> {
        let mut texts: Vec<(&str, Vec<u8>)> = Vec::new();
        let mut bytes = Vec::new();
        for (number, (entries, sum)) in self.entries.chunks(CHUNK).zip(&self.sums).enumerate() {
            bytes.resize(entries.len() * HEAD_BYTES, 0);
            let at = self.heads_at + (number * CHUNK * HEAD_BYTES) as u64;
            if texts.len() >= most
                || self.file.read_exact_at(&mut bytes, at).is_err()
                || checksum(&bytes) != *sum
            {
                continue;
            }
            let heads = entries.iter().zip(bytes.chunks_exact(HEAD_BYTES));
            texts.extend(heads.filter_map(|(entry, heads)| {
                Some((entry.path.as_str(), heads.get(Vector::BYTES..2 * Vector::BYTES)?.to_vec()))
            }));
        }
        texts.truncate(most);
        let mut pairs = Vec::new();
        for (place, (path, stored)) in texts.iter().enumerate() {
            let Some(vector) = Vector::read(stored) else { continue };
            let others = texts.iter().enumerate().filter(|(other, _)| *other != place);
            let mut near: Vec<(f32, usize)> = others
                .map(|(other, (_, stored))| (vector.cosine(stored), other))
                .filter(|(cosine, _)| *cosine >= least)
                .collect();
            near.sort_by(|one, other| other.0.total_cmp(&one.0));
            near.truncate(NEIGHBOURS);
            let other_path = |other: usize| texts.get(other).map_or("", |(path, _)| *path);
            pairs.extend(near.into_iter().map(|(_, other)| {
                let (one, other) = (*path, other_path(other));
                if one < other { (one, other) } else { (other, one) }
            }));
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// How similar a question is to a memory; `None` if the model has not read the text that it has now.
    pub(crate) fn cosines(&self, question: &Vector, path: &str, version: TextVersion) -> Option<Cosines> {
        let memory = self.memory(path, version)?;
        let mut vectors = memory.vectors.chunks_exact(Vector::BYTES).map(|vector| question.cosine(vector));
        let (description, text) = (vectors.next()?, vectors.next()?);
        let nearest = |cosines: &mut dyn Iterator<Item = f32>| cosines.fold(0.0, f32::max);
        let _all_cues = vectors.next()?;
        let sentence = nearest(&mut vectors.by_ref().take(memory.sentences));
        Some(Cosines { description, text, sentence, cue: nearest(&mut vectors) })
    }

    fn entry(&self, path: &str, version: TextVersion) -> Option<(usize, &Entry)> {
        let number = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(number).filter(|entry| entry.version == version).map(|entry| (number, entry))
    }

    fn details(&self, entry: &Entry) -> Option<Vec<u8>> {
        let mut bytes = vec![0; entry.details() * Vector::BYTES];
        self.file.read_exact_at(&mut bytes, entry.details_at).ok()?;
        (checksum(&bytes) == entry.sum).then_some(bytes)
    }
}

fn decode_table(mut table: &[u8], heads_at: u64) -> Option<(Vec<Entry>, Vec<u32>)> {
    let table = &mut table;
    let count = usize::try_from(take_varint(table)?).ok()?;
    let mut details_at = heads_at + (count * HEAD_BYTES) as u64;
    let mut entries = Vec::new();
    for _ in 0..count {
        let entry = Entry {
            path: take_text(table)?,
            version: take_varint(table)?,
            sentences: usize::try_from(take_varint(table)?).ok()?,
            cues: usize::try_from(take_varint(table)?).ok()?,
            sum: u32::try_from(take_varint(table)?).ok()?,
            details_at,
        };
        details_at += (entry.details() * Vector::BYTES) as u64;
        entries.push(entry);
    }
    let sums: Option<Vec<u32>> =
        (0..count.div_ceil(CHUNK)).map(|_| u32::try_from(take_varint(table)?).ok()).collect();
    Some((entries, sums?))
}

/// Writes what was read of the memories of an index.
pub(crate) fn write(
    memories: &mut [ReadMemory],
    index: u32,
    is_whole: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    memories.sort_by(|one, other| one.path.cmp(&other.path));
    let mut table = Vec::new();
    push_varint(&mut table, memories.len() as u64);
    for memory in &*memories {
        push_text(&mut table, &memory.path);
        let sum = checksum(memory.vectors.get(HEAD_BYTES..).unwrap_or_default());
        let numbers = [memory.version, memory.sentences as u64, memory.cues as u64, sum.into()];
        numbers.into_iter().for_each(|number| push_varint(&mut table, number));
    }
    let head = |memory: &ReadMemory| memory.vectors.get(..HEAD_BYTES).unwrap_or_default().to_vec();
    for chunk in memories.chunks(CHUNK) {
        let heads: Vec<u8> = chunk.iter().flat_map(head).collect();
        push_varint(&mut table, checksum(&heads).into());
    }
    out.write_all(&MAGIC)?;
    let length = u32::try_from(table.len()).map_err(io::Error::other)?;
    for number in [index, is_whole.into(), length, checksum(&table)] {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&table)?;
    for memory in &*memories {
        out.write_all(&head(memory))?;
    }
    for memory in &*memories {
        out.write_all(memory.vectors.get(HEAD_BYTES..).unwrap_or_default())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests write the files that they damage")]

    use std::fs;

    use super::super::vector::DIMENSIONS;
    use super::*;

    fn vector(seed: u32) -> Vector {
        let values: Vec<f32> =
            (0..DIMENSIONS).map(|n| ((n as f32 + 1.0) * (seed as f32 + 1.7)).sin()).collect();
        Vector::new(&values)
    }

    fn memory(number: u32) -> ReadMemory {
        let own = |part: u32| vector(number * 8 + part);
        let parts = Parts {
            description: Some(own(0)),
            text: Some(own(1)),
            all_cues: None,
            sentences: vec![own(2), own(3)],
            cues: vec![own(4)],
        };
        ReadMemory::new(format!("{number:04}.md"), u64::from(number) + 7, &parts)
    }

    #[test]
    fn the_nearest_are_found_and_only_the_text_that_was_read_counts() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(temporary.path()).unwrap();
        let mut memories: Vec<ReadMemory> = (0..700).rev().map(memory).collect();
        let mut bytes = Vec::new();
        write(&mut memories, 5, true, &mut bytes).unwrap();
        fs::write(folder.join(NAME), &bytes).unwrap();
        let file = MeaningFile::open(folder).unwrap();
        assert!(file.is_whole_for(5) && !file.is_whole_for(6));
        assert_eq!(file.memories(), 700);
        let nearest = file.nearest(&vector(600 * 8 + 1), 3);
        assert_eq!((nearest.len(), nearest[0].1), (3, "0600.md"));
        let cosines = file.cosines(&vector(600 * 8 + 4), "0600.md", 607).unwrap();
        assert!(cosines.cue > 0.99 && cosines.sentence < 0.9 && cosines.description < 0.9);
        assert!(file.cosines(&vector(0), "0600.md", 608).is_none(), "another text");
        assert!(file.cosines(&vector(0), "none.md", 607).is_none());
    }

    #[test]
    fn neighbours_are_pairs_that_mean_nearly_the_same() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(temporary.path()).unwrap();
        let of = |path: &str, text: Option<u32>| {
            let parts = Parts {
                description: None,
                text: text.map(vector),
                all_cues: None,
                sentences: Vec::new(),
                cues: Vec::new(),
            };
            ReadMemory::new(path.to_owned(), 1, &parts)
        };
        let mut memories =
            [of("a.md", Some(3)), of("b.md", Some(900)), of("c.md", Some(3)), of("d.md", None)];
        let mut bytes = Vec::new();
        write(&mut memories, 5, true, &mut bytes).unwrap();
        fs::write(folder.join(NAME), &bytes).unwrap();
        let file = MeaningFile::open(folder).unwrap();
        assert_eq!(file.neighbours(0.9, 100), [("a.md", "c.md")]);
        assert_eq!(file.neighbours(0.9, 2), []);
    }

    #[test]
    fn damage_costs_meanings_and_nothing_else() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(temporary.path()).unwrap();
        let mut bytes = Vec::new();
        write(&mut [memory(0), memory(1)], 5, false, &mut bytes).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            if at % 97 == 0 || at < 60 {
                fs::write(folder.join(NAME), &damaged).unwrap();
                if let Some(file) = MeaningFile::open(folder) {
                    file.nearest(&vector(1), 1);
                    let _ = file.cosines(&vector(1), "0001.md", 8);
                }
            }
        }
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() ^= 1;
        fs::write(folder.join(NAME), &damaged).unwrap();
        assert!(MeaningFile::open(folder).unwrap().cosines(&vector(1), "0001.md", 8).is_none());
        for length in [0, 7, 30, bytes.len() / 2] {
            fs::write(folder.join(NAME), &bytes[..length]).unwrap();
            let file = MeaningFile::open(folder);
            assert!(file.is_none_or(|file| file.nearest(&vector(1), 1).is_empty()));
        }
    }
}
