use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use memdir_core::env::Env;
use memdir_core::extract::{Extracted, KnownTexts, Skipped, Standing, Withdrawn};
use memdir_core::instructions::{self, Surroundings};
use memdir_core::look::Look;
use memdir_core::memory::change::{self, Addition, FoundFile};
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::topic::{self, Topic, decode};
use memdir_core::plan::{Change, Plan};
use memdir_core::rel_path::RelPath;
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;

use super::{Entry, Memory, MemoryError};

/// What extraction would change.
#[derive(Debug, Clone)]
pub struct ExtractionPlan {
    /// The memories that are added or that update another one.
    pub memories: Vec<Extracted>,
    /// For each of these, the memory that it is added to; `None` for a new one.
    pub updated: Vec<Option<RelPath>>,
    /// What is left out, because it is known or for another reason.
    pub skipped: Vec<Skipped>,
    /// The plan.
    pub plan: Plan,
}

/// When and from what something is written down.
#[derive(Clone, Copy)]
pub struct ExtractionOccasion<'o> {
    /// The session that it comes from.
    pub session: Option<&'o str>,
    /// Whether a memory was written down before: if it is no longer there, it was removed on purpose.
    pub was_written: &'o dyn Fn(&Extracted) -> bool,
    /// What the user undid that had been said before.
    pub withdrawn: &'o [Withdrawn],
    /// Whose days count.
    pub zone: &'o TimeZone,
    /// The time that counts as now.
    pub now: Timestamp,
}

/// The largest document that is compared with.
const MAX_DOCUMENT: u64 = 256 << 10;

impl Memory {
    /// Plans to write down what was found in a session: what is new is added, what says an existing memory differently
    /// is added to that one, and what is somewhere already is left out.
    ///
    /// # Errors
    /// This memory cannot be listed, or its index is not UTF-8.
    pub fn plan_extraction(
        &self,
        found: Vec<Extracted>,
        occasion: &ExtractionOccasion<'_>,
        env: &Env,
    ) -> Result<ExtractionPlan, MemoryError> {
        let ExtractionOccasion { session, was_written, zone, now, .. } = *occasion;
        // Most sessions hold nothing: then no memory has to be read to compare with.
        if found.is_empty() && occasion.withdrawn.is_empty() {
            let (memories, updated, skipped) = (Vec::new(), Vec::new(), Vec::new());
            return Ok(ExtractionPlan { memories, updated, skipped, plan: Plan::new("") });
        }
        let catalogue = self.catalogue()?;
        let mut known = documents(env);
        let mut texts: Vec<(&Entry, Topic, String)> = Vec::new();
        for entry in &catalogue.entries {
            let Some(content) = self.read(&entry.path)? else { continue };
            let text = decode(&content).0.into_owned();
            let (topic, _) = Topic::parse_head_of_whole(&text);
            texts.push((entry, topic, text));
        }
        let taken_back = taken_back(&texts, occasion);
        for (entry, topic, text) in &texts {
            if taken_back.is_some_and(|(taken, _)| taken.path == entry.path) {
                continue;
            }
            let body = text.get(topic.body.clone()).unwrap_or_default();
            known.add_memory(entry.path.clone(), entry.title(), entry.memory_type.clone(), body);
        }
        let (mut memories, mut skipped, mut added) = (Vec::new(), Vec::new(), Vec::new());
        let mut removal = None;
        if let Some((entry, withdrawn)) = taken_back {
            removal = Some(self.plan_remove(entry)?);
            skipped.push(Skipped {
                turn: withdrawn.turn.clone(),
                why: format!("it takes `{}` back", entry.path),
            });
        }
        let mut updated: Vec<(RelPath, usize)> = Vec::new();
        for mut memory in found {
            // What is said in the place of something may mean nothing without it.
            if let Some((gone, _)) = taken_back.filter(|(_, withdrawn)| withdrawn.turn == memory.source.turn)
                && let Some(description) = &gone.description
            {
                memory.is_in_place_of(description);
            }
            match known.standing(&memory) {
                Standing::Updates { path } if was_written(&memory) => {
                    skipped.push(Skipped {
                        turn: memory.source.turn,
                        why: format!("it was written down before; `{path}` is about the same"),
                    });
                }
                Standing::New if was_written(&memory) => {
                    skipped.push(Skipped {
                        turn: memory.source.turn,
                        why: "it was saved before, and then deleted".to_owned(),
                    });
                }
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
                    let taken = |name: &str| {
                        let path = format!("{name}.md");
                        let is_file = catalogue
                            .entries
                            .iter()
                            .any(|entry| entry.path.as_str().eq_ignore_ascii_case(&path));
                        is_file || added.iter().any(|(other, _): &(RelPath, usize)| other.as_str() == path)
                    };
                    memory.name = free_name(&memory.name, &taken);
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
        // What is said again in the same breath belongs to the file that is not there yet.
        let mut first: Vec<(RelPath, Extracted)> = added
            .into_iter()
            .filter_map(|(path, at): (_, usize)| Some((path, memories.get(at)?.clone())))
            .collect();
        for (path, at) in &updated {
            let grown = first.iter_mut().find(|(added, _)| added == path);
            if let Some(((_, grown), memory)) = grown.zip(memories.get(*at)) {
                grown.body.push_str(&later_words(memory, zone, now, "\n"));
                grown.description.clone_from(&memory.description);
            }
        }
        let topics: Vec<Addition<'_>> = first
            .iter()
            .map(|(path, memory)| Addition {
                topic: memory.topic(now, session),
                title: &memory.title,
                path: path.clone(),
                base: None,
            })
            .collect();
        let mut indexes = self.indexes()?;
        if let Some(removal) = &removal {
            indexes.follow(removal);
        }
        let mut plan = change::add_all(&topics, reason, &indexes.with(Some(&catalogue)))?;
        if let Some(removal) = removal {
            plan.changes.splice(0..0, removal.changes);
        }
        let updated_paths = updated.clone();
        let mut rewritten: Vec<(RelPath, Vec<u8>, String)> = Vec::new();
        for (path, at) in updated {
            let Some(memory) = memories.get(at) else { continue };
            let at = match rewritten.iter().position(|(known, ..)| *known == path) {
                Some(at) => at,
                None => {
                    // A memory that was added just now has no file yet.
                    let Some(content) = self.read(&path)? else { continue };
                    let text = decode(&content).0.into_owned();
                    rewritten.push((path, content, text));
                    rewritten.len() - 1
                }
            };
            if let Some((_, _, text)) = rewritten.get_mut(at) {
                append(text, memory, zone, now);
            }
        }
        for (path, before, after) in &rewritten {
            let file = FoundFile { path, content: before };
            // Every change sees the index as the ones before it leave it.
            indexes.follow(&plan);
            plan.changes.extend(change::replace(file, after, String::new(), &indexes.with(None))?.changes);
        }
        plan.changes = each_file_once(plan.changes);
        let mut targets = vec![None; memories.len()];
        for (path, at) in updated_paths {
            if let Some(target) = targets.get_mut(at) {
                *target = Some(path);
            }
        }
        Ok(ExtractionPlan { memories, updated: targets, skipped, plan })
    }
}

impl Memory {
    /// What the index and the files that agents read anyway say. No memory is opened, so this does not grow with their number.
    pub(crate) fn known_at_a_glance(&self, env: &Env) -> Result<KnownTexts, MemoryError> {
        let mut known = documents(env);
        if let Some(index) = self.read(&RelPath::parse(ENTRYPOINT)?)? {
            known.add_document(ENTRYPOINT, &decode(&index).0);
        }
        Ok(known)
    }
}

/// The memory that the user undoes: one that was written from this session, what the words name, or else the last if
/// that was only just written.
fn taken_back<'t>(
    texts: &[(&'t Entry, Topic, String)],
    occasion: &ExtractionOccasion<'t>,
) -> Option<(&'t Entry, &'t Withdrawn)> {
    const JUST: SignedDuration = SignedDuration::from_mins(30);
    let withdrawn = occasion.withdrawn.last()?;
    let session = occasion.session?;
    let own = texts.iter().filter(|(_, topic, text)| {
        topic.origin_session.as_deref() == Some(session) && text.contains("\n**Said:** ")
    });
    let described = |topic: &Topic| withdrawn.names(topic.description.as_deref().unwrap_or_default());
    // Words that name something else mean something else.
    let is_young = |topic: &Topic| {
        withdrawn.about.is_empty()
            && topic.modified.is_some_and(|written| occasion.now.duration_since(written).abs() < JUST)
    };
    let named =
        own.clone().filter(|(_, topic, _)| described(topic)).max_by_key(|(_, topic, _)| topic.modified);
    let last = || own.filter(|(_, topic, _)| is_young(topic)).max_by_key(|(_, topic, _)| topic.modified);
    named.or_else(last).map(|(entry, ..)| (*entry, withdrawn))
}

/// Changes of which several may write the same file: the last one holds.
fn each_file_once(changes: Vec<Change>) -> Vec<Change> {
    let mut once: Vec<Change> = Vec::new();
    for change in changes {
        let same = once.iter_mut().find_map(|known| match (known, &change) {
            (Change::Write { path: known, content, .. }, Change::Write { path, .. }) if known == path => {
                Some(content)
            }
            _ => None,
        });
        match (same, change) {
            (Some(known), Change::Write { content, .. }) => *known = content,
            (_, change) => once.push(change),
        }
    }
    once
}

/// Writes what was said later below what a memory said before: nothing of it is lost. A description that was made of the
/// first words follows the last ones, because it is all that agents are shown at first.
fn append(text: &mut String, memory: &Extracted, zone: &TimeZone, now: Timestamp) {
    let (topic, _) = Topic::parse_head_of_whole(text);
    let body = text.get(topic.body).unwrap_or_default();
    let is_ours = body.lines().any(|line| line.starts_with("**Said:** "));
    let begins_with_it = |words: &str| !words.is_empty() && body.trim_start().starts_with(words);
    let is_made_of_it = topic.description.as_deref().is_some_and(begins_with_it);
    if (is_ours || is_made_of_it)
        && let Ok(changed) = topic::set(text, "description", &memory.description)
    {
        *text = changed;
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    while text.ends_with(['\n', '\r']) {
        text.pop();
    }
    text.push_str(line_end);
    text.push_str(&later_words(memory, zone, now, line_end));
}

/// A name that no file has: the wanted one, with a number if it is taken.
fn free_name(wanted: &str, is_taken: &dyn Fn(&str) -> bool) -> String {
    let numbered = (2..1_000).map(|number| format!("{wanted}-{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_else(|| wanted.to_owned())
}

/// The lines that say what was said later, and since when.
fn later_words(memory: &Extracted, zone: &TimeZone, now: Timestamp, line_end: &str) -> String {
    let day = memory.source.time.unwrap_or(now).to_zoned(zone.clone()).date();
    let why = memory.reason.as_ref().map(|why| format!("**Why:** {why}{line_end}")).unwrap_or_default();
    format!("{line_end}**Since {day}:** {}{line_end}{why}", memory.statement)
}

/// What the agent reads anyway: instruction files, the project's README and its manifests.
fn documents(env: &Env) -> KnownTexts {
    let mut known = KnownTexts::default();
    for (name, text) in document_texts(env) {
        known.add_document(&name, &text);
    }
    if let Ok(surroundings) = Surroundings::find(env, &ClientFlags::default(), &[], &RealLook) {
        let root = surroundings.git.as_ref().map_or(&surroundings.cwd, |git| &git.root);
        for name in MANIFESTS {
            if let Ok(bytes) = RealLook.read(&root.join(name), MAX_DOCUMENT) {
                known.add_manifest(name, &String::from_utf8_lossy(&bytes));
            }
        }
    }
    known
}

/// Where projects say what they are made with.
const MANIFESTS: [&str; 13] = [
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "requirements.txt",
    "go.mod",
    "Gemfile",
    "composer.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "pubspec.yaml",
    "mix.exs",
    "CMakeLists.txt",
];

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
