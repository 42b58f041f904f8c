//! Has the model read memories, before anything is asked: a slice of time at a time, for as long as it takes.

use std::time::{Duration, Instant};

use memdir_disk::cache_dir::CacheDir;

use super::memory_file::MemoryFile;
use crate::collection::{Collection, Freshness, Limits, open_file};
use crate::document::without_secrets;
use crate::error::SearchError;
use crate::meaning::{self, Encoder, MeaningFile, Parts, ReadMemory, TextVersion, Vector, version_of};

/// So many sentences of a memory are read.
const MAX_SENTENCES: usize = 16;
/// So many of its cues.
const MAX_CUES: usize = 8;
/// What was read is written down this often: a process may be ended at any time.
const SAVE_AFTER: Duration = Duration::from_secs(5);
/// How long another process may keep us from writing it down.
const PATIENCE: Duration = Duration::from_secs(2);

/// Has the model read what has changed, as far as the limits allow.
///
/// # Errors
/// The index or the model cannot be read, or nothing can be written.
pub(crate) fn read_memories(
    collection: &Collection,
    encoder: &Encoder,
    limits: &mut Limits<'_>,
) -> Result<Freshness, SearchError> {
    let index = collection.index_version();
    let known = MeaningFile::open(collection.cache_folder());
    if let Some(known) = known.as_ref().filter(|known| known.is_whole_for(index)) {
        return Ok(Freshness { files: known.memories(), ..Freshness::default() });
    }
    let mut read = Vec::new();
    let mut waiting = Vec::new();
    for path in collection.memory_paths()? {
        let Some((_, version)) = open(collection, &path) else { continue };
        match known.as_ref().and_then(|known| known.memory(&path, version)) {
            Some(memory) => read.push(memory),
            None => waiting.push(path),
        }
    }
    let mut freshness = Freshness { files: read.len() + waiting.len(), read: 0, waiting: waiting.len() };
    let mut saved = Instant::now();
    for path in waiting {
        if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
        (limits.progress)(freshness.files - freshness.waiting, freshness.files);
        read.extend(read_memory(collection, path, encoder)?);
        freshness.read += 1;
        freshness.waiting -= 1;
        if saved.elapsed() > SAVE_AFTER {
            save(collection, &mut read, index, false)?;
            saved = Instant::now();
        }
    }
    save(collection, &mut read, index, freshness.waiting == 0)?;
    Ok(freshness)
}

/// How many of a collection's memories the model has read, as they are now.
///
/// # Errors
/// The index cannot be read.
pub(crate) fn count_read(collection: &Collection) -> Result<Freshness, SearchError> {
    let known = MeaningFile::open(collection.cache_folder());
    let mut freshness = Freshness::default();
    for path in collection.memory_paths()? {
        let Some((_, version)) = open(collection, &path) else { continue };
        freshness.files += 1;
        let is_read = known.as_ref().is_some_and(|known| known.memory(&path, version).is_some());
        freshness.waiting += usize::from(!is_read);
    }
    Ok(freshness)
}

fn open(collection: &Collection, path: &str) -> Option<(MemoryFile, TextVersion)> {
    let (full, scope) = (collection.path_of(path), collection.source().scope_of(path));
    let memory = MemoryFile::read(open_file(&full).ok()?, full, scope)?;
    let version = version_of(&memory.text);
    Some((memory, version))
}

fn read_memory(
    collection: &Collection,
    path: String,
    encoder: &Encoder,
) -> Result<Option<ReadMemory>, SearchError> {
    let Some((memory, version)) = open(collection, &path) else { return Ok(None) };
    let clean = |text: String| without_secrets(text.into()).into_owned();
    let some = |text: String| if text.trim().is_empty() { Vec::new() } else { vec![clean(text)] };
    let lists: [Vec<String>; 5] = [
        some(memory.description.clone()),
        some(memory.essence()),
        some(memory.cues.join("; ")),
        memory.sentences().take(MAX_SENTENCES).map(|text| clean(text.to_owned())).collect(),
        memory.cues.iter().take(MAX_CUES).map(|text| clean(text.clone())).collect(),
    ];
    let texts: Vec<&str> = lists.iter().flatten().map(String::as_str).collect();
    let failed = |source| SearchError::Read { path: encoder.path().to_owned(), source };
    let mut vectors = encoder.encode(&texts).map_err(failed)?.into_iter();
    let [description, text, all_cues, sentences, cues] =
        lists.map(|list| vectors.by_ref().take(list.len()).collect::<Vec<Vector>>());
    let parts = Parts {
        description: description.into_iter().next(),
        text: text.into_iter().next(),
        all_cues: all_cues.into_iter().next(),
        sentences,
        cues,
    };
    Ok(Some(ReadMemory::new(path, version, &parts)))
}

fn save(
    collection: &Collection,
    read: &mut [ReadMemory],
    index: u32,
    is_whole: bool,
) -> Result<(), SearchError> {
    let folder = collection.cache_folder();
    let failed = |source| SearchError::Write { path: folder.to_owned(), source };
    // Another process is bringing the index up to date; the next reading begins where the last one saved.
    let Some(writer) = CacheDir::new(folder.to_owned()).write_within(PATIENCE).map_err(failed)? else {
        return Ok(());
    };
    writer.write(meaning::NAME, |out| meaning::write(read, index, is_whole, out)).map_err(failed)
}
