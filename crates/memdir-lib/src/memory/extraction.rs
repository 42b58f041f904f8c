use jiff::Timestamp;
use jiff::tz::TimeZone;
use memdir_core::env::Env;
use memdir_core::extract::{Extracted, KnownTexts, Skipped, Standing};
use memdir_core::instructions::{self, Surroundings};
use memdir_core::look::Look;
use memdir_core::memory::change::{self, FoundFile};
use memdir_core::memory::topic::{NewTopic, Topic, decode};
use memdir_core::plan::Plan;
use memdir_core::rel_path::RelPath;
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;

use super::{Memory, MemoryError};

/// What extraction would change.
#[derive(Debug, Clone)]
pub struct ExtractionPlan {
    /// The memories that are added or that update another one.
    pub memories: Vec<Extracted>,
    /// What is left out, because it is known or for another reason.
    pub skipped: Vec<Skipped>,
    /// The plan.
    pub plan: Plan,
}

/// The largest document that is compared with.
const MAX_DOCUMENT: u64 = 256 << 10;

impl Memory {
    /// Plans to write down what was found in a session: what is new is added, what says an existing memory differently
    /// is added to that one, and what stands somewhere already is left out.
    ///
    /// # Errors
    /// This memory cannot be listed, or its index is no text.
    pub fn plan_extraction(
        &self,
        found: Vec<Extracted>,
        session: Option<&str>,
        env: &Env,
        now: Timestamp,
    ) -> Result<ExtractionPlan, MemoryError> {
        let catalogue = self.catalogue()?;
        let mut known = documents(env);
        for entry in &catalogue.entries {
            let Some(content) = self.read(&entry.path)? else { continue };
            let (text, _) = decode(&content);
            let (topic, _) = Topic::parse_head_of_whole(&text);
            let body = text.get(topic.body).unwrap_or_default();
            known.add_memory(entry.path.clone(), entry.title(), entry.memory_type.clone(), body);
        }
        let (mut memories, mut skipped, mut added) = (Vec::new(), Vec::new(), Vec::new());
        let mut updated: Vec<(RelPath, usize)> = Vec::new();
        for memory in found {
            match known.standing(&memory) {
                Standing::Said { whence } => {
                    skipped.push(Skipped {
                        turn: memory.source.turn,
                        why: format!("`{whence}` says it already"),
                    });
                }
                Standing::Updates { path } => {
                    updated.push((path, memories.len()));
                    memories.push(memory);
                }
                Standing::New => {
                    let path = RelPath::parse(&format!("{}.md", memory.name))?;
                    known.add_memory(
                        path.clone(),
                        &memory.name,
                        Some(memory.memory_type.clone()),
                        &memory.body,
                    );
                    added.push((path, memories.len()));
                    memories.push(memory);
                }
            }
        }
        let reason = format!(
            "remember what was said{}",
            session.map(|id| format!(" in session {id}")).unwrap_or_default()
        );
        let topics: Vec<(NewTopic<'_>, RelPath)> = added
            .iter()
            .filter_map(|(path, at)| Some((memories.get(*at)?.topic(now, session), path.clone())))
            .collect();
        let indexes = self.indexes()?;
        let mut plan = change::add_all(&topics, reason, &indexes.with(Some(&catalogue)))?;
        let mut texts: Vec<(RelPath, Vec<u8>, String)> = Vec::new();
        for (path, at) in updated {
            let Some(memory) = memories.get(at) else { continue };
            let at = match texts.iter().position(|(known, ..)| *known == path) {
                Some(at) => at,
                None => {
                    // A memory that was added just now has no file yet: the later words are said there already.
                    let Some(content) = self.read(&path)? else { continue };
                    let text = decode(&content).0.into_owned();
                    texts.push((path, content, text));
                    texts.len() - 1
                }
            };
            if let Some((_, _, text)) = texts.get_mut(at) {
                append(text, memory, now);
            }
        }
        for (path, before, after) in &texts {
            let file = FoundFile { path, content: before };
            plan.changes.extend(change::replace(file, after, String::new(), &indexes.with(None))?.changes);
        }
        Ok(ExtractionPlan { memories, skipped, plan })
    }
}

/// Writes what was said later below what a memory said before: nothing of it is lost.
fn append(text: &mut String, memory: &Extracted, now: Timestamp) {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let day = memory.source.time.unwrap_or(now).to_zoned(TimeZone::UTC).date();
    let said = memory.body.lines().next().unwrap_or_default();
    let why =
        memory.body.lines().find(|line| line.starts_with("**Why:**") && !line.ends_with("gave no reason."));
    while text.ends_with(['\n', '\r']) {
        text.pop();
    }
    text.push_str(&format!("{line_end}{line_end}**Since {day}:** {said}{line_end}"));
    if let Some(why) = why {
        text.push_str(&format!("{why}{line_end}"));
    }
}

/// What the agent reads anyway: instruction files and the project's README.
fn documents(env: &Env) -> KnownTexts {
    let mut known = KnownTexts::default();
    for (name, text) in document_texts(env) {
        known.add_document(&name, &text);
    }
    known
}

/// The names and texts of what the agent reads anyway.
pub(super) fn document_texts(env: &Env) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    if let Ok(surroundings) = Surroundings::find(env, &ClientFlags::default(), &[], &RealLook) {
        let memory = surroundings.auto_memory.as_ref().map(|memory| memory.path.clone());
        for file in instructions::collect(&surroundings, &RealLook).files {
            if Some(&file.path) != memory.as_ref() {
                texts.push((file.path.file_name().unwrap_or_default().to_owned(), file.text.to_string()));
            }
        }
        let root = surroundings.git.as_ref().map_or(&surroundings.cwd, |git| &git.root);
        for name in ["README.md", "CONTRIBUTING.md", "AGENTS.md"] {
            if let Ok(bytes) = RealLook.read(&root.join(name), MAX_DOCUMENT) {
                texts.push((name.to_owned(), String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    texts
}
