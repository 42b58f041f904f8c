use std::collections::HashSet;

use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::hygiene::{Reason, flag};
use memdir_core::memory::change::{self, Addition};
use memdir_core::memory::topic::validity::ALWAYS_VALID;
use memdir_core::memory::topic::{NewTopic, Topic, decode};
use memdir_core::other_agents::{OtherAgent, Proposal, gather, propose};
use memdir_core::plan::Plan;
use memdir_core::rel_path::RelPath;
use memdir_disk::real_look::RealLook;

use super::{Memory, MemoryError};

/// What taking over another agent's memory would do.
#[derive(Debug, Clone)]
pub struct Import {
    /// What would be added.
    pub memories: Vec<Proposal>,
    /// What is there already, by name: under this name, or with the same text.
    pub known: Vec<String>,
    /// The files that were read.
    pub sources: Vec<String>,
    /// The plan.
    pub plan: Plan,
}

impl Memory {
    /// Plans to take over what another agent keeps for the user and for this project. The other agent's files are read
    /// and never changed; what this memory has already is not added again.
    ///
    /// # Errors
    /// This memory cannot be listed, or its index is not UTF-8.
    pub fn plan_import(&self, agent: OtherAgent, env: &Env, now: Timestamp) -> Result<Import, MemoryError> {
        let gathered = gather(agent, env, &self.here.root, &RealLook);
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
        let (mut memories, mut known, mut topics) = (Vec::new(), Vec::new(), Vec::new());
        let mut differing = Vec::new();
        for proposal in propose(agent, &gathered.files) {
            let path = RelPath::parse(&format!("{}.md", proposal.name))?;
            if !texts.insert(folded(&proposal.body)) {
                known.push(proposal.name);
            } else if paths.contains(path.as_str()) {
                differing.push(format!("`{path}` is there with another text, and stays as it is"));
                known.push(proposal.name);
            } else {
                memories.push(proposal);
                topics.push(path);
            }
        }
        let new = memories.iter().zip(topics).map(|(proposal, path)| {
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
            Addition { title: &proposal.name, topic, path }
        });
        let new: Vec<_> = new.collect();
        let found = self.indexes()?;
        let indexes = found.with(Some(&catalogue));
        let mut plan = change::add_all(&new, format!("import from {}", agent.name()), &indexes)?;
        plan.warnings.extend(gathered.problems.into_iter().chain(differing));
        plan.warnings.extend(memories.iter().filter_map(suspicion));
        let sources = gathered.files.into_iter().map(|file| file.path.into_string()).collect();
        Ok(Import { memories, known, sources, plan })
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
