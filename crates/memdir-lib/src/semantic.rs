//! The optional model of sentences, by which recall knows what means the same in other words: one file that the user
//! installs, and what it has read of the memories of a project.

use std::io;
use std::time::Instant;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::settings::ClientFlags;
use memdir_disk::cache_dir::CacheDir;
use memdir_disk::sentence_model;
use memdir_search::{Encoder, Freshness, Limits, SearchError, Searcher, SentenceModel};

use crate::freshness::{FreshnessError, RECALLED};
use crate::sources;

/// Where the installed model is, or would be; `None` if there is no place for state of ours. It is not in the cache,
/// because a purge empties that and nothing brings a model back.
#[must_use]
pub fn model_file(env: &Env) -> Option<Utf8PathBuf> {
    let folder = env.state_dir()?.join("semantic");
    Some(folder.join(format!("{}.model", SentenceModel::USE_MULTILINGUAL.name)))
}

/// The installed model; `None` if there is none.
#[must_use]
pub fn installed_model(env: &Env) -> Option<Utf8PathBuf> {
    model_file(env).filter(|path| path.is_file())
}

/// Installs a converted model, and opens it to see that it works.
///
/// # Errors
/// It cannot be written or opened.
pub fn install(path: &Utf8PathBuf, content: &[u8]) -> io::Result<()> {
    sentence_model::write(path, content)?;
    Encoder::open(path)?.encode(&["memory"])?;
    Ok(())
}

/// Removes the installed model, and what it has read of any project. Returns whether there was one.
///
/// # Errors
/// It cannot be removed.
pub fn remove(env: &Env) -> io::Result<bool> {
    let Some(path) = model_file(env) else { return Ok(false) };
    let removed = sentence_model::remove(&path)?;
    let indexes = sources::index_folder(env).and_then(|folder| folder.read_dir_utf8().ok());
    for index in indexes.into_iter().flatten().flatten() {
        // An index that is being written keeps its file: without a model nothing reads it.
        if let Ok(Some(writer)) = CacheDir::new(index.into_path()).try_write() {
            writer.remove_others(|name| name != memdir_search::MEANINGS);
        }
    }
    Ok(removed)
}

/// Has the installed model read what has changed in the memories of a project, until the deadline. What is left waits
/// for the next call. Without a model nothing happens.
///
/// # Errors
/// Memory, its index or the model cannot be read.
pub fn read_memories(
    env: &Env,
    flags: &ClientFlags,
    now: Timestamp,
    deadline: Instant,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Freshness, FreshnessError> {
    let (Some(path), Some(cache)) = (installed_model(env), sources::index_folder(env)) else {
        return Ok(Freshness::default());
    };
    let model = Encoder::open(&path).map_err(|source| SearchError::Read { path, source })?;
    let searcher = Searcher::open(&cache, sources::project_sources(env, flags, &RECALLED)?);
    Ok(searcher.read_memories(&model, &mut Limits { now, deadline: Some(deadline), progress })?)
}

/// How many memories a project has, and how many of them the model has not read as they are now.
///
/// # Errors
/// Memory or its index cannot be read.
pub fn count_read(env: &Env, flags: &ClientFlags) -> Result<Freshness, FreshnessError> {
    let Some(cache) = sources::index_folder(env) else { return Ok(Freshness::default()) };
    Ok(Searcher::open(&cache, sources::project_sources(env, flags, &RECALLED)?).count_read()?)
}
