use std::time::Duration;

use jiff::Timestamp;
use memdir_core::memory::change::{self, Addition};
use memdir_core::memory::topic::NewTopic;
use memdir_core::memory::topic::validity::ALWAYS_VALID;
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::other_agents::{LOG_FORMAT, Proposal, decisions};
use memdir_core::plan::Change;
use memdir_core::rel_path::RelPath;
use memdir_disk::git_query::ask_git;

use super::{Memory, MemoryError, Submitted, Wish};

/// What the messages of commits would add.
#[derive(Debug, Clone, Default)]
pub struct GitImport {
    /// The candidates.
    pub candidates: Vec<Proposal>,
    /// Commits that a memory or a change that waits cites already.
    pub known: usize,
}

/// How far back commits are looked at, unless the user says since when.
const MAX_COMMITS: &str = "--max-count=2000";
const MAX_BYTES: u64 = 32 << 20;
const TIME_LIMIT: Duration = Duration::from_secs(20);

impl Memory {
    /// The decisions in the messages of the project's commits that no memory cites yet.
    ///
    /// # Errors
    /// The project is not a repository, git fails, or this memory cannot be read.
    pub fn git_candidates(&self, since: Option<&str>) -> Result<GitImport, MemoryError> {
        let common_dir = self.here.common_dir.as_ref().ok_or(MemoryError::NoRepository)?;
        let since = since.map(|since| format!("--since={since}"));
        let mut arguments = vec!["log", LOG_FORMAT, MAX_COMMITS];
        arguments.extend(since.as_deref());
        arguments.extend(["HEAD", "--"]);
        let log = ask_git(common_dir, &arguments, MAX_BYTES, TIME_LIMIT).ok_or(MemoryError::NoRepository)?;
        let known = self.known_texts()?;
        let mut import = GitImport::default();
        for candidate in decisions(&log) {
            if known.iter().any(|text| text.contains(&candidate.source)) {
                import.known += 1;
            } else {
                import.candidates.push(candidate);
            }
        }
        Ok(import)
    }

    /// Has candidates wait for the user's review, each by itself; the ids of those that wait.
    ///
    /// # Errors
    /// The directory cannot be written. What waits by then waits.
    pub fn hold_candidates(
        &mut self,
        candidates: &[Proposal],
        now: Timestamp,
    ) -> Result<Vec<String>, MemoryError> {
        let author = Author { kind: AuthorKind::Extract, id: Some("git".to_owned()), session: None };
        let mut ids = Vec::new();
        for candidate in candidates {
            let topic = NewTopic {
                name: &candidate.name,
                description: &candidate.description,
                memory_type: &candidate.memory_type,
                body: &candidate.body,
                cues: &[],
                validity: &ALWAYS_VALID,
                modified: now,
                origin_session: None,
            };
            let path = RelPath::parse(&format!("{}.md", candidate.name))?;
            let found = self.indexes()?;
            let reason = format!("add {path} from {}", candidate.source);
            let plan = change::add_all(
                &[Addition { title: topic.name, topic, path, base: None }],
                reason,
                &found.with(None),
            )?;
            if let Submitted::Staged { id, .. } = self.hold(&plan, &Wish::of(&author), now)? {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// The texts of all memories, and of those that wait.
    fn known_texts(&self) -> Result<Vec<String>, MemoryError> {
        let mut texts = Vec::new();
        for entry in self.catalogue()?.entries {
            let content = self.read(&entry.path)?.unwrap_or_default();
            texts.push(String::from_utf8_lossy(&content).into_owned());
        }
        for staged in self.waiting()?.plans {
            for change in staged.plan.changes {
                if let Change::Write { content, .. } = change {
                    texts.push(String::from_utf8_lossy(&content.0).into_owned());
                }
            }
        }
        Ok(texts)
    }
}
