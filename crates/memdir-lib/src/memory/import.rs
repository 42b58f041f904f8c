use std::collections::HashSet;

use camino::Utf8Path;
use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::env::Env;
use memdir_core::hygiene::{Reason, flag};
use memdir_core::look::{Look, LookError};
use memdir_core::memory::change::{self, Addition};
use memdir_core::memory::topic::validity::ALWAYS_VALID;
use memdir_core::memory::topic::{NewTopic, Topic, decode};
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::other_agents::{ExportError, OtherAgent, Proposal, gather, propose, propose_export};
use memdir_core::plan::{Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_disk::real_look::RealLook;

use super::{Memory, MemoryError, Wish, read_config};

/// What taking over another agent's memory would do.
#[derive(Debug, Clone)]
pub struct Import {
    /// What would be added, or would replace what an earlier import wrote.
    pub memories: Vec<Proposal>,
    /// What is there already, by name: under this name, or with the same text.
    pub known: Vec<String>,
    /// The files that were read.
    pub sources: Vec<String>,
    /// The plan.
    pub plan: Plan,
}

/// Why what another tool exported cannot be taken over.
#[derive(Debug, thiserror::Error)]
pub enum ExportImportError {
    /// The file cannot be read.
    #[error("{0}")]
    Read(#[source] LookError),
    /// It holds no memories.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// This memory cannot be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// The largest export that is read.
const MAX_EXPORT: u64 = 64 << 20;

impl Memory {
    /// Plans to take over what another agent keeps for the user and for this project. The other agent's files are read
    /// and never changed; what this memory has already is not added again. A memory that an import wrote and that
    /// was not changed here since follows its source.
    ///
    /// # Errors
    /// This memory cannot be listed, or its index is not UTF-8.
    pub fn plan_import(&self, agent: OtherAgent, env: &Env, now: Timestamp) -> Result<Import, MemoryError> {
        let gathered = gather(agent, env, &self.here.root, &RealLook);
        let proposals = propose(agent, &gathered.files);
        let sources = gathered.files.into_iter().map(|file| file.path.into_string()).collect();
        self.plan_proposals(agent, proposals, (sources, gathered.problems), now)
    }

    /// Plans to take over what another tool exported to a file.
    ///
    /// # Errors
    /// The file cannot be read or holds no memories, or what [`Memory::plan_import`] says.
    pub fn plan_export_import(
        &self,
        agent: OtherAgent,
        file: &Utf8Path,
        now: Timestamp,
    ) -> Result<Import, ExportImportError> {
        let bytes = RealLook.read(file, MAX_EXPORT).map_err(ExportImportError::Read)?;
        let proposals = propose_export(agent, &String::from_utf8_lossy(&bytes), file.as_str())?;
        Ok(self.plan_proposals(agent, proposals, (vec![file.to_string()], Vec::new()), now)?)
    }

    /// Adds what is new in the memory of the agents that the user's settings name; what is wrong is returned, a line each.
    pub fn follow_imports(&mut self, env: &Env, now: Timestamp) -> Vec<String> {
        let watched = match read_config(env.config_file().as_deref()) {
            Ok(config) => config.watched_imports,
            Err(error) => return vec![error.to_string()],
        };
        let mut problems = Vec::new();
        for agent in watched.iter().filter_map(|name| OtherAgent::named(name)) {
            let author = Author { kind: AuthorKind::Agent, id: Some(agent.name().to_owned()), session: None };
            let planned = self.plan_import(agent, env, now);
            let done = planned.and_then(|import| match import.memories.is_empty() {
                true => Ok(()),
                false => self.submit(&import.plan, &Wish::of(&author), now).map(|_| ()),
            });
            problems.extend(done.err().map(|error| format!("import from {}: {error}", agent.name())));
        }
        problems
    }

    /// Plans to add what is not known, and to replace what an import wrote.
    fn plan_proposals(
        &self,
        agent: OtherAgent,
        proposals: Vec<Proposal>,
        (sources, problems): (Vec<String>, Vec<String>),
        now: Timestamp,
    ) -> Result<Import, MemoryError> {
        let catalogue = self.catalogue()?;
        let paths: HashSet<String> =
            catalogue.entries.iter().map(|entry| entry.path.as_str().to_lowercase()).collect();
        let mut texts = HashSet::new();
        for entry in catalogue.entries.iter().filter(|entry| !entry.is_too_large()) {
            let Some(content) = self.read(&entry.path)? else { continue };
            let (text, _) = decode(&content);
            let (topic, _) = Topic::parse_head_of_whole(&text);
            texts.insert(folded(text.get(topic.body).unwrap_or_default()));
        }
        let reason = format!("import from {}", agent.name());
        let (mut memories, mut known, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut differing = Vec::new();
        for proposal in proposals {
            let path = RelPath::parse(&format!("{}.md", proposal.name))?;
            if !texts.insert(folded(&proposal.body)) {
                known.push(proposal.name);
                continue;
            }
            let base = self.written_for(&reason, &path)?;
            if base.is_none() && paths.contains(path.as_str()) {
                differing.push(format!("`{path}` was changed here, and stays as it is"));
                known.push(proposal.name);
            } else {
                memories.push(proposal);
                places.push((path, base));
            }
        }
        let new = memories.iter().zip(places).map(|(proposal, (path, base))| {
            let topic = NewTopic {
                name: &proposal.name,
                description: &proposal.description,
                memory_type: &proposal.memory_type,
                body: &proposal.body,
                cues: &[],
                validity: &ALWAYS_VALID,
                modified: now,
                origin_session: None,
            };
            Addition { title: &proposal.name, topic, path, base }
        });
        let new: Vec<_> = new.collect();
        let found = self.indexes()?;
        let indexes = found.with(Some(&catalogue));
        let mut plan = change::add_all(&new, reason, &indexes)?;
        plan.warnings.extend(problems.into_iter().chain(differing));
        plan.warnings.extend(memories.iter().filter_map(suspicion));
        Ok(Import { memories, known, sources, plan })
    }

    /// The content of a file, if its last change had this reason and it is as that change left it.
    fn written_for(&self, reason: &str, path: &RelPath) -> Result<Option<Content>, MemoryError> {
        let Some(content) = self.read(path)? else { return Ok(None) };
        let (_, log) = self.log_about(path.as_str())?;
        let last = log.operations.iter().find_map(|operation| {
            let change = operation.changes.iter().find(|change| change.path == *path)?;
            Some((operation.reason.as_str(), change.after))
        });
        Ok((last == Some((reason, Some(ContentHash::of(&content))))).then_some(Content(content)))
    }
}

/// What looks like an attack on its reader.
fn suspicion(proposal: &Proposal) -> Option<String> {
    let all = format!("{}\n\n{}", proposal.description, proposal.body);
    let reasons: Vec<&str> = flag(&all).iter().copied().map(Reason::describe).collect();
    (!reasons.is_empty()).then(|| format!("look at `{}.md` first: {}", proposal.name, reasons.join("; ")))
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
