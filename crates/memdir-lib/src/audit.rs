//! Secrets that are stored already: in memory, agents' memory, the journal, daily logs, and our own history.

use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::agents::{AgentDirs, Scope};
use memdir_core::env::Env;
use memdir_core::operation::OperationId;
use memdir_core::secrets::{Fingerprint, FingerprintKey, scan, scan_except};
use memdir_disk::allow_list;
use memdir_disk::history::History;
use memdir_disk::memory_root::MemoryRoot;

use crate::memory::{MAX_FILE_BYTES, MemoryError};
use crate::place::Place;

/// A secret that somebody stored. The value itself is nowhere in here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The file that holds it, or held it.
    pub path: Utf8PathBuf,
    /// The operation whose old or new version holds it; `None`: it stands in the file now.
    pub operation: Option<OperationId>,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The rule that found it.
    pub rule: &'static str,
    /// Names the value, so that the user can declare it harmless.
    pub fingerprint: Fingerprint,
}

/// What was found, and how much was looked at.
#[derive(Debug, Default)]
pub struct Audit {
    /// The secrets, those that stand in files now first.
    pub stored: Vec<Stored>,
    /// How many files were read.
    pub files: usize,
    /// How many old versions in history were read.
    pub versions: usize,
    /// What could not be read, with the reason.
    pub problems: Vec<String>,
}

/// Looks through everything of a project that is stored. Changes nothing but the key under which values are named.
///
/// # Errors
/// There is no place for our own state, or the allow-list cannot be read.
pub fn audit(place: &Place, env: &Env) -> Result<Audit, MemoryError> {
    let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
    let key = allow_list::fingerprint_key(&state_dir)?;
    let allowed = allow_list::load(&state_dir)?;
    let mut audit = Audit::default();
    let search = |text: &str, path: &Utf8Path, operation: Option<&OperationId>, key: &FingerprintKey| {
        let found = match &allowed {
            Some(allowed) => scan_except(text, allowed),
            None => scan(text),
        };
        let stored = found.into_iter().map(|finding| Stored {
            path: path.to_owned(),
            operation: operation.cloned(),
            line: finding.line,
            column: finding.column,
            rule: finding.rule,
            fingerprint: Fingerprint::of(text.get(finding.range).unwrap_or_default(), key),
        });
        stored.collect::<Vec<_>>()
    };
    let mut seen = HashSet::new();
    for directory in directories(place, env) {
        let root = match MemoryRoot::open(&directory) {
            Ok(root) => root,
            Err(error) if error.is_not_found() => continue,
            Err(error) => {
                audit.problems.push(error.to_string());
                continue;
            }
        };
        for file in root.list_files(0)?.files {
            let path = directory.join(file.path.as_path());
            if !seen.insert(path.clone()) {
                continue;
            }
            match root.read(&file.path, MAX_FILE_BYTES) {
                Ok(Some(content)) => {
                    audit.files += 1;
                    audit.stored.extend(search(&String::from_utf8_lossy(&content), &path, None, &key));
                }
                Ok(None) => {}
                Err(error) => audit.problems.push(error.to_string()),
            }
        }
    }
    if let Some(store) = &place.look_up.store {
        let history = History::of(&state_dir, store);
        let recorded = history.read()?;
        let mut known = HashSet::new();
        for (operation, _) in &recorded.operations {
            for change in &operation.changes {
                for hash in [change.before, change.after].into_iter().flatten() {
                    if !known.insert(hash) {
                        continue;
                    }
                    let Some(content) = history.content(hash)? else { continue };
                    audit.versions += 1;
                    let path = operation.memory_dir.join(change.path.as_path());
                    let text = String::from_utf8_lossy(&content).into_owned();
                    audit.stored.extend(search(&text, &path, Some(&operation.id), &key));
                }
            }
        }
    }
    Ok(audit)
}

/// Every directory of a project in which text is stored.
fn directories(place: &Place, env: &Env) -> Vec<Utf8PathBuf> {
    let agents = AgentDirs::new(env, &place.settings, &place.location.root);
    let mut directories = vec![place.here.memory_dir.clone(), place.here.project_dir.clone()];
    directories.extend(Scope::ALL.iter().map(|scope| env.cwd.join(agents.root(*scope))));
    directories
}
