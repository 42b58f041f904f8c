use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::config::{self, Config};
use memdir_core::doctor::{Access, HookFailure, Patient, PatientFile, Stray, StrayKind, Surroundings};
use memdir_core::look::{Kind, Look};
use memdir_core::memory::index::OVERFLOW;
use memdir_core::memory::links::LinkTargets;
use memdir_core::memory::topic::decode;
use memdir_core::project::encode_path::encode;
use memdir_core::project::findings::Flag;
use memdir_core::project::git_root::{find_git_root, worktrees};
use memdir_core::rel_path::{ENTRYPOINT, RelPath, TEMPORARY_PREFIX};
use memdir_core::verify::citations;
use memdir_disk::failure_log::{self, Failure};
use memdir_disk::history::History;
use memdir_disk::memory_root::{FileStat, MemoryRoot};
use memdir_disk::real_look::RealLook;
use memdir_disk::temporary::is_temporary_name;

use super::{MAX_FILE_BYTES, Memory, MemoryError, entrypoint};
use crate::projects::directory_below;

impl Memory {
    /// Everything that [`memdir_core::doctor::examine`] wants to know about this directory. Writes nothing.
    ///
    /// # Errors
    /// The directory cannot be listed, or the index cannot be read.
    pub fn patient(&self, now: Timestamp) -> Result<Patient, MemoryError> {
        let catalogue = self.catalogue()?;
        let names = catalogue.entries.iter().map(|entry| (entry.name.as_deref(), entry.path.as_str()));
        let targets = LinkTargets::new(names);
        let verifier = self.verifier(&targets);
        let index = self.read_with_access(&entrypoint()?)?;
        let mut patient = Patient {
            index_access: index.as_ref().map(|(_, access)| *access),
            index: index.map(|(content, _)| content),
            overflow: self.read(&RelPath::parse(OVERFLOW)?)?,
            files: Vec::new(),
            strays: Vec::new(),
            surroundings: self.surroundings(),
            now,
        };
        for left_out in catalogue.left_out {
            let kind = StrayKind::Unlisted(left_out.rule);
            patient.strays.push(Stray { path: left_out.path, kind });
        }
        for entry in &catalogue.entries {
            match self.read_with_access(&entry.path) {
                Ok(Some((content, access))) => patient.files.push(PatientFile {
                    path: entry.path.clone(),
                    modified: entry.modified,
                    verified: verifier.verify(&citations(&decode(&content).0)),
                    content,
                    access,
                }),
                Ok(None) => {}
                Err(_) => patient.strays.push(Stray {
                    path: entry.path.to_string(),
                    kind: StrayKind::Unlisted("too large, or it cannot be read"),
                }),
            }
        }
        patient.strays.extend(self.strays(&patient.files));
        Ok(patient)
    }

    fn read_with_access(&self, path: &RelPath) -> Result<Option<(Vec<u8>, Access)>, MemoryError> {
        let Some(root) = &self.root else { return Ok(None) };
        let found = root.read_with_stat(path, MAX_FILE_BYTES)?;
        Ok(found.map(|(content, stat)| (content, access(&stat))))
    }

    /// What is beside the memories and the listing passes over.
    fn strays(&self, files: &[PatientFile]) -> Vec<Stray> {
        if self.root.is_none() {
            return Vec::new();
        }
        let folders: BTreeSet<&str> =
            files.iter().map(|file| file.path.parent().unwrap_or_default()).chain([""]).collect();
        let mut strays = Vec::new();
        for folder in folders {
            for entry in RealLook.list(&self.here.memory_dir.join(folder)) {
                let kind = match entry.kind {
                    Kind::File if is_temporary_name(&entry.name) => StrayKind::Temporary,
                    Kind::File if entry.name.starts_with(TEMPORARY_PREFIX) => {
                        StrayKind::Unlisted("it is called like a temporary file of memdir, and is none")
                    }
                    Kind::File if !entry.name.starts_with('.') && !entry.name.ends_with(".md") => {
                        StrayKind::NotMarkdown
                    }
                    _ => continue,
                };
                let path = Utf8PathBuf::from(folder).join(&entry.name).to_string();
                strays.push(Stray { path, kind });
            }
        }
        strays.sort_by(|one, other| one.path.cmp(&other.path));
        strays
    }

    fn surroundings(&self) -> Surroundings {
        let look_up = self.projects.look_up(&self.here);
        let survey = self.projects.survey();
        let refusal = self.root.as_ref().map(MemoryRoot::write_refusal);
        let mut surroundings = Surroundings {
            write_refusal: match refusal {
                Some(Ok(rule)) => rule.map(str::to_owned),
                Some(Err(error)) => Some(error.to_string()),
                None => None,
            },
            collides_with: look_up.collides_with,
            moved_from: look_up.moved_from.map(|place| place.path),
            registry_problems: look_up
                .problems
                .iter()
                .chain(&survey.problems)
                .map(ToString::to_string)
                .collect(),
            ..Surroundings::default()
        };
        surroundings.registry_problems.sort();
        surroundings.registry_problems.dedup();
        for entry in &survey.entries {
            let memory_dir = self.projects.projects_dir().join(&entry.slug).join("memory");
            let holds_memory = entry.memories > 0 || RealLook.kind(&memory_dir.join(ENTRYPOINT)).is_some();
            if memory_dir == self.here.memory_dir || !holds_memory {
                continue;
            }
            let Some(path) = entry.path.clone().or_else(|| self.part_with_name(&entry.slug)) else {
                continue;
            };
            if path == self.here.root {
                if entry.flags.contains(&Flag::LegacyName) {
                    surroundings.legacy_names.push(entry.slug.clone());
                }
            } else if find_git_root(&path, &RealLook).is_some_and(|found| found.root == self.here.root) {
                surroundings.split_stores.push(path);
            }
        }
        let failures = self.state_dir.as_deref().map(failure_log::read).unwrap_or_default();
        surroundings.hook_failures = failures
            .into_iter()
            .map(|Failure { time, during, message }| HookFailure { time, event: during, message })
            .collect();
        if let (Some(state_dir), Some(store)) = (&self.state_dir, &self.store) {
            match History::of(state_dir, store).read() {
                Ok(recorded) => surroundings.history_problems = recorded.problems,
                Err(error) => surroundings.history_problems.push(error.to_string()),
            }
        }
        surroundings.staged_problems = self.waiting().map(|waiting| waiting.problems).unwrap_or_default();
        surroundings.rejection_problems = self.rejection_problems();
        surroundings.config_problems.extend(self.config().err().map(|error| error.to_string()));
        surroundings.config_warnings = self.config_warnings();
        surroundings
    }
}

impl Memory {
    /// The worktree or subdirectory of this project that has an encoded name, where no session says whose it is.
    fn part_with_name(&self, slug: &str) -> Option<Utf8PathBuf> {
        let common_dir = self.here.common_dir.iter();
        let mut worktrees = common_dir.flat_map(|common_dir| worktrees(common_dir, &RealLook));
        worktrees.find(|path| encode(path.as_str()) == slug).or_else(|| {
            let is_below = slug.strip_prefix(self.here.slug.as_str())?.starts_with('-');
            is_below.then(|| directory_below(&self.here.root, slug)).flatten()
        })
    }

    /// Keys in the user's settings that mean nothing to us; none where the settings cannot be read.
    fn config_warnings(&self) -> Vec<String> {
        let bytes = self.config_file.as_ref().and_then(|path| RealLook.read(path, config::MAX_BYTES).ok());
        let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
        Config::parse(&text).map(|read| read.warnings).unwrap_or_default()
    }
}

fn access(stat: &FileStat) -> Access {
    Access { mode: stat.mode, foreign_owner: stat.is_foreign() }
}
