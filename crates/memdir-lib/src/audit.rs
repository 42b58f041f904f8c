//! Secrets that are stored already: in memory, agents' memory, the journal, daily logs, and our own history.

use std::collections::{HashMap, HashSet};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::env::Env;
use memdir_core::look::{Kind, Look, LookError};
use memdir_core::operation::OperationId;
use memdir_core::secrets::{Fingerprint, FingerprintKey, redact, scan, scan_except};
use memdir_disk::allow_list;
use memdir_disk::history::History;
use memdir_disk::real_look::RealLook;

use crate::memory::{MAX_FILE_BYTES, MemoryError};
use crate::place::Place;
use crate::written_places::{WrittenPlace, store_ids, written_places};

/// A stored secret. The value itself is nowhere in here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The file that holds it, or held it, without what its own name should not hold.
    pub path: Utf8PathBuf,
    /// The operation whose old or new version holds it; `None`: it is in the file now.
    pub operation: Option<OperationId>,
    /// The line, counted from 1; 0 is the name of the file.
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
    /// The secrets, those that are in files now first.
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
    for WrittenPlace { path: directory, is_wanted } in written_places(place, env, &state_dir) {
        for path in files_below(&directory, is_wanted, &mut audit.problems) {
            if !seen.insert(path.clone()) {
                continue;
            }
            let name = path.strip_prefix(&directory).unwrap_or(&path).as_str();
            let shown = Utf8PathBuf::from(redact(path.as_str()).0);
            // A name does not belong to a line of the file: it counts as its line 0.
            audit.stored.extend(
                search(name, &shown, None, &key).into_iter().map(|found| Stored { line: 0, ..found }),
            );
            match RealLook.read(&path, MAX_FILE_BYTES) {
                Ok(content) => {
                    audit.files += 1;
                    audit.stored.extend(search(&String::from_utf8_lossy(&content), &shown, None, &key));
                }
                Err(LookError::NotFound) => {}
                Err(error) => audit.problems.push(format!("cannot read `{shown}`: {error}")),
            }
        }
    }
    for store in store_ids(place, env) {
        let history = History::of(&state_dir, &store);
        let recorded = history.read()?;
        let mut first = HashMap::new();
        for (operation, _) in &recorded.operations {
            let reasons = search(&operation.reason, &operation.memory_dir, Some(&operation.id), &key);
            audit.stored.extend(reasons.into_iter().map(|found| Stored { line: 0, ..found }));
            for change in &operation.changes {
                for hash in [change.before, change.after].into_iter().flatten() {
                    first.entry(hash).or_insert((operation, change));
                }
            }
        }
        history.each_version(|hash, content| {
            let Some((operation, change)) = first.get(&hash) else { return };
            audit.versions += 1;
            let path = operation.memory_dir.join(change.path.as_path());
            let path = Utf8PathBuf::from(redact(path.as_str()).0);
            let text = String::from_utf8_lossy(content);
            audit.stored.extend(search(&text, &path, Some(&operation.id), &key));
        })?;
    }
    Ok(audit)
}

/// How many files are searched below one directory.
const MAX_FILES: usize = 100_000;
/// How deep directories may be in one another.
const MAX_DEPTH: usize = 32;

/// The regular files below a directory; links are not followed.
fn files_below(
    directory: &Utf8Path,
    is_wanted: fn(&str) -> bool,
    problems: &mut Vec<String>,
) -> Vec<Utf8PathBuf> {
    let mut files = Vec::new();
    if RealLook.kind(directory) == Some(Kind::File) {
        return vec![directory.to_owned()];
    }
    let mut pending = vec![(directory.to_owned(), 0)];
    while let Some((directory, depth)) = pending.pop() {
        let entries = match RealLook.listing(&directory) {
            Ok(entries) => entries,
            Err(LookError::NotFound) => continue,
            Err(error) => {
                problems.push(format!("cannot list `{}`: {error}", redact(directory.as_str()).0));
                continue;
            }
        };
        for entry in entries {
            let path = directory.join(&entry.name);
            match entry.kind {
                Kind::Dir if depth < MAX_DEPTH => pending.push((path, depth + 1)),
                Kind::Dir => problems.push(format!("`{}` is too deep", redact(path.as_str()).0)),
                Kind::File if is_wanted(&entry.name) && files.len() < MAX_FILES => files.push(path),
                Kind::File | Kind::Link | Kind::Other => {}
            }
        }
    }
    if files.len() == MAX_FILES {
        problems
            .push(format!("`{directory}` holds more than {MAX_FILES} files: the others were not searched"));
    }
    files.sort();
    files
}
