//! Plans for what a person or an agent wants to change: the topic file, and what that changes in the index.
//!
//! Every function takes the contents that were found and returns a plan made from exactly those, so that the disk layer
//! that applies it can tell when another process was faster.

use crate::plan::{Change, Content, Plan};
use crate::rel_path::RelPath;

mod index_draft;
mod refused;
mod supersede;
#[cfg(test)]
mod tests;

use index_draft::IndexDraft;
pub use index_draft::Indexes;
pub use refused::ChangeRefused;
pub use supersede::{Replacement, reference, set_supersedes};

use super::auto_index::{self, IndexSource};
use super::entrypoint::ENTRYPOINT;
use super::index::OVERFLOW;
use super::js_text;
use super::links::{Renamed, rename_links};
use super::topic::validity::{Validity, day};
use super::topic::{self, NewTopic, Topic, decode};

/// A file that takes part in a change: its path and the bytes that were found there.
#[derive(Debug, Clone, Copy)]
pub struct FoundFile<'c> {
    /// Where it is.
    pub path: &'c RelPath,
    /// Its content.
    pub content: &'c [u8],
}

/// Adds a memory and its line in the index. `title` is what the line shows. The memories that it replaces say so from
/// now on, and leave the index.
///
/// # Errors
/// The name is taken, or reserved for the index; or a replaced file cannot be marked.
pub fn add(
    topic: &NewTopic<'_>,
    title: &str,
    path: &RelPath,
    existing: Option<&[u8]>,
    replaced: &[FoundFile<'_>],
    indexes: &Indexes<'_>,
) -> Result<Plan, ChangeRefused> {
    not_the_index(path)?;
    short_enough(path, topic.description)?;
    if existing.is_some() {
        return Err(ChangeRefused::Exists { path: path.clone() });
    }
    if topic.body.contains('\0') {
        return Err(ChangeRefused::Nul { path: path.clone() });
    }
    let mut plan = Plan::new(format!("add {path}"));
    plan.raw = said(topic);
    plan.warnings.extend(doubts(topic, path));
    plan.changes.push(Change::Write { path: path.clone(), content: topic.render().into(), base: None });
    let mut draft = IndexDraft::new(indexes)?;
    if topic.validity.is_indexed() {
        draft.add(title, path, topic.description);
    }
    supersede::mark(&mut plan, replaced, path, day(topic.modified), &mut draft)?;
    draft.finish(&mut plan);
    Ok(plan)
}

/// A memory that is added together with others.
#[derive(Debug, Clone)]
pub struct Addition<'a> {
    /// The memory.
    pub topic: NewTopic<'a>,
    /// What its line in the index is called.
    pub title: &'a str,
    /// Where it is written.
    pub path: RelPath,
    /// What is there, if the memory replaces it.
    pub base: Option<Content>,
}

/// Adds several memories at once, or replaces what each names, with their lines in the index.
///
/// # Errors
/// A name is reserved for the index, a description is too long, or a text holds a NUL.
pub fn add_all(
    additions: &[Addition<'_>],
    reason: String,
    indexes: &Indexes<'_>,
) -> Result<Plan, ChangeRefused> {
    let mut plan = Plan::new(reason);
    let mut draft = IndexDraft::new(indexes)?;
    for Addition { topic, title, path, base } in additions {
        not_the_index(path)?;
        short_enough(path, topic.description)?;
        if topic.body.contains('\0') {
            return Err(ChangeRefused::Nul { path: path.clone() });
        }
        plan.raw.extend(said(topic));
        let content = topic.render().into();
        plan.changes.push(Change::Write { path: path.clone(), content, base: base.clone() });
        draft.add(title, path, topic.description);
    }
    if !additions.is_empty() {
        draft.finish(&mut plan);
    }
    Ok(plan)
}

/// What was said about a memory, as it was said.
fn said(topic: &NewTopic<'_>) -> Vec<String> {
    [topic.name, topic.description, topic.body].map(str::to_owned).to_vec()
}

/// What a person who adds a memory may not have meant.
fn doubts(topic: &NewTopic<'_>, path: &RelPath) -> Vec<String> {
    let mut doubts = Vec::new();
    if Topic::parse_head_of_whole(js_text::trim_start(topic.body)).0.has_frontmatter {
        doubts.push(format!("the text of `{path}` begins with a header of its own, which stays as text"));
    }
    if js_text::trim(topic.body).is_empty() {
        doubts.push(format!("`{path}` has no text"));
    }
    doubts
}

/// Changes one field of a memory; `None` removes it. The index line follows a new description.
///
/// # Errors
/// The file is not UTF-8, or the field cannot be changed without touching something else.
pub fn set(
    file: FoundFile<'_>,
    key: &str,
    value: Option<&str>,
    indexes: &Indexes<'_>,
) -> Result<Plan, ChangeRefused> {
    let text = text_of(file)?;
    if key == "description" {
        short_enough(file.path, value.unwrap_or_default())?;
    }
    if key == "name" && value.is_some_and(|value| js_text::trim(value).is_empty()) {
        return Err(ChangeRefused::NoName { path: file.path.clone() });
    }
    let edited = match value {
        Some(value) => topic::set(text, key, value),
        None => topic::unset(text, key),
    };
    let edited = edited.map_err(|reason| ChangeRefused::Field { path: file.path.clone(), reason })?;
    let mut plan = replace(file, &edited, format!("set {key} of {}", file.path), indexes)?;
    plan.raw.extend(value.map(str::to_owned));
    Ok(plan)
}

/// Replaces the content of a file. For a topic file the index line follows a new description.
///
/// # Errors
/// The index is not UTF-8.
pub fn replace(
    file: FoundFile<'_>,
    new_text: &str,
    reason: String,
    indexes: &Indexes<'_>,
) -> Result<Plan, ChangeRefused> {
    let mut plan = Plan::new(reason);
    if new_text.as_bytes() != file.content {
        plan.changes.push(Change::Write {
            path: file.path.clone(),
            content: new_text.into(),
            base: Some(Content(file.content.to_vec())),
        });
    }
    let (old, _) = Topic::parse_head_of_whole(&decode(file.content).0);
    let (new, problems) = Topic::parse_head_of_whole(new_text);
    plan.warnings.extend(problems.iter().map(|problem| format!("`{}`: {problem}", file.path)));
    let [was_indexed, is_indexed] =
        [&decode(file.content).0, new_text].map(|text| Validity::of(text).is_indexed());
    let is_described = old.description != new.description || !was_indexed;
    if (is_described || !is_indexed) && not_the_index(file.path).is_ok() {
        let mut draft = IndexDraft::new(indexes)?;
        if is_indexed {
            draft.describe(file.path, new.description.as_deref().unwrap_or_default());
        } else {
            draft.remove(file.path);
        }
        draft.finish(&mut plan);
    }
    Ok(plan)
}

/// Brings a file back as it was. A topic file gets its line in the index again if that is gone.
///
/// # Errors
/// The index is not UTF-8.
pub fn restore(
    file: FoundFile<'_>,
    current: Option<&[u8]>,
    indexes: &Indexes<'_>,
) -> Result<Plan, ChangeRefused> {
    let mut plan = Plan::new(format!("restore {}", file.path));
    if current == Some(file.content) {
        return Ok(plan);
    }
    plan.changes.push(Change::Write {
        path: file.path.clone(),
        content: Content(file.content.to_vec()),
        base: current.map(|content| Content(content.to_vec())),
    });
    if let Some(hook) = hook_of(file) {
        let mut draft = IndexDraft::new(indexes)?;
        draft.describe(file.path, &hook);
        draft.finish(&mut plan);
    }
    Ok(plan)
}

/// Takes over files that are not here, byte for byte, with a line in the index for each memory that counts everywhere.
///
/// # Errors
/// The index is not text.
pub fn take_over(
    files: &[FoundFile<'_>],
    reason: String,
    indexes: &Indexes<'_>,
) -> Result<Plan, ChangeRefused> {
    let mut plan = Plan::new(reason);
    plan.changes.extend(files.iter().map(|file| Change::Write {
        path: file.path.clone(),
        content: Content(file.content.to_vec()),
        base: None,
    }));
    let mut draft = IndexDraft::new(indexes)?;
    draft.add_missing(files.iter().filter_map(|file| Some((file.path, hook_of(*file)?))));
    draft.finish(&mut plan);
    Ok(plan)
}

/// What the line of a file in the index says; `None` if the file gets no line.
fn hook_of(file: FoundFile<'_>) -> Option<String> {
    let text = decode(file.content).0;
    let is_indexed = auto_index::is_indexed(file.path.as_str()) && Validity::of(&text).is_indexed();
    is_indexed.then(|| Topic::parse_head_of_whole(&text).0.description.unwrap_or_default())
}

/// Removes a memory and its lines in the index. Links to it that remain are named as warnings.
///
/// # Errors
/// It is the index itself, or the index is not UTF-8.
pub fn remove(
    file: FoundFile<'_>,
    linked_from: &[&RelPath],
    indexes: &Indexes<'_>,
) -> Result<Plan, ChangeRefused> {
    not_the_index(file.path)?;
    let mut plan = Plan::new(format!("remove {}", file.path));
    plan.changes.push(Change::Delete { path: file.path.clone(), base: Content(file.content.to_vec()) });
    let mut draft = IndexDraft::new(indexes)?;
    draft.remove(file.path);
    draft.finish(&mut plan);
    plan.warnings.extend(linked_from.iter().map(|other| format!("`{other}` still links to `{}`", file.path)));
    Ok(plan)
}

/// Moves a memory to `archive/`, out of the index: its text stays as it is, and links by its name still lead there.
///
/// # Errors
/// It is the index itself, or the index is not UTF-8.
pub fn archive(
    file: FoundFile<'_>,
    to: &RelPath,
    reason: String,
    indexes: &Indexes<'_>,
) -> Result<Plan, ChangeRefused> {
    not_the_index(file.path)?;
    let mut plan = Plan::new(reason);
    let base = Content(file.content.to_vec());
    plan.changes.push(Change::Rename { from: file.path.clone(), to: to.clone(), base });
    let mut draft = IndexDraft::new(indexes)?;
    draft.remove(file.path);
    draft.finish(&mut plan);
    Ok(plan)
}

/// Gives a memory another path, and its name with it; links in other memories and the index follow.
///
/// # Errors
/// The new name is taken or reserved, or a file that must change is not UTF-8.
pub fn rename(
    file: FoundFile<'_>,
    new_path: &RelPath,
    taken: bool,
    linking: &[FoundFile<'_>],
    indexes: &Indexes<'_>,
) -> Result<Plan, ChangeRefused> {
    not_the_index(file.path)?;
    not_the_index(new_path)?;
    if new_path == file.path {
        return Ok(Plan::new(format!("rename {} to {new_path}", file.path)));
    }
    if taken {
        return Err(ChangeRefused::Exists { path: new_path.clone() });
    }
    let text = text_of(file)?;
    let (topic, _) = Topic::parse_head_of_whole(text);
    let old_name = topic.name.filter(|name| !name.is_empty());
    let new_stem = new_path.as_path().file_stem().unwrap_or_default();
    let new_name = if old_name.is_some() { topic::header_name(new_stem) } else { new_stem.to_owned() };
    let renamed = Renamed {
        old_name: old_name.as_deref(),
        old_path: file.path.as_str(),
        new_name: if new_name.is_empty() { new_stem } else { &new_name },
        new_path: new_path.as_str(),
    };
    let mut own = rename_links(text, file.path.as_str(), &renamed);
    if old_name.is_some() {
        own = topic::set(&own, "name", new_stem)
            .map_err(|reason| ChangeRefused::Field { path: file.path.clone(), reason })?;
    }
    let mut plan = Plan::new(format!("rename {} to {new_path}", file.path));
    let base = Content(file.content.to_vec());
    plan.changes.push(Change::Rename { from: file.path.clone(), to: new_path.clone(), base: base.clone() });
    if own != text {
        plan.changes.push(Change::Write { path: new_path.clone(), content: own.into(), base: Some(base) });
    }
    for other in linking.iter().filter(|other| other.path != file.path && not_the_index(other.path).is_ok()) {
        let before = text_of(*other)?;
        let after = rename_links(before, other.path.as_str(), &renamed);
        if after != before {
            let base = Some(Content(other.content.to_vec()));
            plan.changes.push(Change::Write { path: other.path.clone(), content: after.into(), base });
        }
    }
    let mut draft = IndexDraft::new(indexes)?;
    draft.rename(file.path, new_path);
    draft.finish(&mut plan);
    Ok(plan)
}

/// Adds a link to another memory at the end of a file, unless it is there already.
///
/// # Errors
/// The file is not UTF-8.
pub fn link(file: FoundFile<'_>, target: &str) -> Result<Plan, ChangeRefused> {
    let text = text_of(file)?;
    let mut plan = Plan::new(format!("link {} to {target}", file.path));
    let (topic, _) = Topic::parse(text);
    if topic.links.iter().any(|found| found == target) {
        return Ok(plan);
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut linked = text.to_owned();
    if !linked.is_empty() && !linked.ends_with('\n') {
        linked.push_str(line_end);
    }
    let follows_links =
        text.trim_end().lines().last().is_some_and(|line| line.trim_start().starts_with("- [["));
    if !follows_links && !linked.is_empty() {
        linked.push_str(line_end);
    }
    linked.push_str(&format!("- [[{target}]]{line_end}"));
    let base = Some(Content(file.content.to_vec()));
    plan.changes.push(Change::Write { path: file.path.clone(), content: linked.into(), base });
    Ok(plan)
}

/// Rebuilds the index from the files, keeping the user's own headings and order, and the lines of files that are
/// there but could not be read (`unread`).
///
/// # Errors
/// The index is not UTF-8.
pub fn reindex(
    indexes: &Indexes<'_>,
    files: Vec<IndexSource>,
    unread: &[&str],
) -> Result<Plan, ChangeRefused> {
    let mut plan = Plan::new("rebuild the index from the files");
    let mut draft = IndexDraft::new(indexes)?;
    plan.warnings = draft.rebuild(|text| auto_index::reindex(text, files, unread));
    draft.finish(&mut plan);
    Ok(plan)
}

/// What the author of a file that bypassed us should know about the result: a broken header, a full index.
#[must_use]
pub fn lint(path: &RelPath, content: &[u8]) -> Vec<String> {
    let text = decode(content).0;
    if path.as_str() == ENTRYPOINT {
        return index_draft::near_the_limit(&text).into_iter().collect();
    }
    let (_, problems) = Topic::parse_head_of_whole(&text);
    problems.iter().map(|problem| format!("`{path}`: {problem}")).collect()
}

/// A description is one line of an index; a longer one would push the header out of what is read of a file.
pub const MAX_DESCRIPTION: usize = 1_000;

fn short_enough(path: &RelPath, description: &str) -> Result<(), ChangeRefused> {
    let length = description.chars().count();
    if length > MAX_DESCRIPTION {
        return Err(ChangeRefused::LongDescription { path: path.clone(), length });
    }
    Ok(())
}

fn text_of<'c>(file: FoundFile<'c>) -> Result<&'c str, ChangeRefused> {
    std::str::from_utf8(file.content).map_err(|_| ChangeRefused::NotText { path: file.path.clone() })
}

fn not_the_index(path: &RelPath) -> Result<(), ChangeRefused> {
    let is_index = [ENTRYPOINT, OVERFLOW].iter().any(|name| path.file_name().eq_ignore_ascii_case(name));
    if is_index { Err(ChangeRefused::IsIndex { path: path.clone() }) } else { Ok(()) }
}
