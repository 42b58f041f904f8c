//! Whether memories are used: what was brought to a session, why, and what was read. Kept on this machine alone.
//!
//! The record is appended to, so that a hook pays one write. It is below `cache/`, so a purge removes it, and it is bounded. `[features] usage = false` turns it off.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::env::Env;
use memdir_core::settings::ClientFlags;
use memdir_disk::rolling_log::RollingLog;
use memdir_search::{ConsideredMemory, Recalled};
use serde::{Deserialize, Serialize};

use crate::features::read_features;
use crate::place::switched_off;

/// One use of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UsageRecord {
    /// When.
    pub time: Timestamp,
    /// The memory's file.
    pub path: Utf8PathBuf,
    /// The session, if one is known.
    pub session: Option<String>,
    /// What happened.
    pub event: UsageEvent,
    /// The hash of the prompt, never its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// What it shares with the prompt: `words`, or only `cues`; `tool` before a tool call, `pinned` without a reason in the prompt; empty for a read.
    #[serde(default)]
    pub reason: String,
    /// How likely it was needed.
    #[serde(default)]
    pub score: f32,
    /// The numbers that the score follows from, without those that are 0; empty where no prompt was matched.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, f32>,
}

/// What happened to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UsageEvent {
    /// Its text was given to the agent.
    Shown,
    /// The agent was told that it exists.
    Named,
    /// A person or an agent read it.
    Read,
    /// The client marked a sentence of the agent as resting on it.
    Cited,
}

/// How often one memory was used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// How often its text was given to an agent.
    pub shown: usize,
    /// How often it was read.
    pub read: usize,
    /// How often an agent was told that it exists.
    pub named: usize,
    /// How often the client marked a sentence as resting on it.
    pub cited: usize,
    /// When it was last given.
    pub last_shown: Option<Timestamp>,
    /// To how many sessions it was given.
    pub sessions: usize,
}

/// Where the record starts anew; with the one before it, about the last 1,000 to 2,000 uses with their
/// numbers are kept.
const FULL_BYTES: u64 = 1 << 20;

fn log(env: &Env) -> Option<RollingLog> {
    env.state_dir().map(|state| RollingLog::new(state.join("cache/usage/usage.jsonl"), FULL_BYTES))
}

/// Everything that is known, oldest first.
#[must_use]
pub fn records(env: &Env) -> Vec<UsageRecord> {
    log(env).map(|log| log.read()).unwrap_or_default()
}

/// Counts the uses of one file.
#[must_use]
pub fn usage_of(path: &Utf8Path, records: &[UsageRecord]) -> MemoryUsage {
    let own = || records.iter().filter(|record| record.path == path);
    let shown = || own().filter(|record| record.event == UsageEvent::Shown);
    let count = |event: UsageEvent| own().filter(|record| record.event == event).count();
    MemoryUsage {
        shown: shown().count(),
        read: count(UsageEvent::Read),
        named: count(UsageEvent::Named),
        cited: count(UsageEvent::Cited),
        last_shown: shown().map(|record| record.time).max(),
        sessions: shown().filter_map(|record| record.session.as_ref()).collect::<BTreeSet<_>>().len(),
    }
}

/// Notes that a person or an agent read a memory.
pub fn note_read(env: &Env, path: Utf8PathBuf, session: Option<&str>, now: Timestamp) {
    if !matches!(switched_off(env, &ClientFlags::default()), Ok(None)) {
        return;
    }
    note(env, &[plain(UsageEvent::Read, path, session, now)]);
}

/// Notes that a memory was shown before a tool call.
pub(crate) fn note_warned(env: &Env, path: Utf8PathBuf, session: Option<&str>, now: Timestamp) {
    let reason = "tool".to_owned();
    note(env, &[UsageRecord { reason, score: 1.0, ..plain(UsageEvent::Shown, path, session, now) }]);
}

/// Notes that the client marked sentences as resting on these memories.
pub fn note_cited(env: &Env, paths: Vec<Utf8PathBuf>, session: Option<&str>, now: Timestamp) {
    let cited = paths.into_iter().map(|path| plain(UsageEvent::Cited, path, session, now));
    note(env, &cited.collect::<Vec<_>>());
}

/// A use for which no prompt was matched.
fn plain(event: UsageEvent, path: Utf8PathBuf, session: Option<&str>, time: Timestamp) -> UsageRecord {
    let (session, reason) = (session.map(str::to_owned), String::new());
    UsageRecord { time, path, session, event, prompt: None, reason, score: 0.0, features: BTreeMap::new() }
}

/// Notes what was brought to a session.
pub(crate) fn note_recalled(env: &Env, recalled: &Recalled, prompt: &str, session: &str, now: Timestamp) {
    let hash = ContentHash::of(prompt.as_bytes()).to_string();
    let record = |path: &Utf8PathBuf, event| {
        let considered = recalled.considered.iter().find(|considered| considered.path == *path);
        let only_cues = considered.is_some_and(|considered| {
            considered.features.cues > 0.0 && considered.features.cues >= considered.features.words
        });
        UsageRecord {
            time: now,
            path: path.clone(),
            session: Some(session.to_owned()),
            event,
            prompt: Some(hash.clone()),
            reason: match considered {
                None => "pinned",
                Some(_) if only_cues => "cues",
                Some(_) => "words",
            }
            .to_owned(),
            score: considered.map_or(0.0, |considered| considered.probability),
            features: considered.map(numbers).unwrap_or_default(),
        }
    };
    let shown = recalled.memories.iter().map(|memory| record(&memory.path, UsageEvent::Shown));
    let named = recalled.named.iter().map(|memory| record(&memory.path, UsageEvent::Named));
    note(env, &shown.chain(named).collect::<Vec<_>>());
}

/// What spoke for and against a memory, to three decimals.
fn numbers(considered: &ConsideredMemory) -> BTreeMap<String, f32> {
    let rounded = |value: f32| (value * 1_000.0).round() / 1_000.0;
    let numbers = considered.features.named().map(|(name, value)| (name.to_owned(), rounded(value)));
    numbers.filter(|(_, value)| *value != 0.0).collect()
}

/// Adds records. That it fails costs a count, never the answer.
fn note(env: &Env, new: &[UsageRecord]) {
    if let Some(log) = log(env).filter(|_| !new.is_empty() && read_features(env).0.usage) {
        let _ = log.append(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_counted_and_bounded() {
        let directory = tempfile::tempdir().unwrap();
        let home = Utf8PathBuf::from_path_buf(directory.path().canonicalize().unwrap()).unwrap();
        let env = Env { home: Some(home.clone()), cwd: home, vars: Default::default() };
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        for path in ["/m/a.md", "/m/b.md", "/m/a.md"] {
            note_read(&env, path.into(), Some("s"), now);
        }
        assert_eq!(usage_of("/m/a.md".into(), &records(&env)).read, 2);
        let many = vec![records(&env).remove(0); 500];
        (0..60).for_each(|_| note(&env, &many));
        let kept = records(&env).len();
        assert!((2_000..25_000).contains(&kept), "of 30,003 are kept: {kept}");
    }
}
