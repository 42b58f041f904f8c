//! Changes: each is a plan that the library applies, as the commands do.

use axum::http::StatusCode;
use camino::Utf8PathBuf;
use memdir_core::doctor::examine;
use memdir_core::history::lineage::Moment;
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::topic::validity::Validity;
use memdir_core::operation::{Author, AuthorKind, Operation, OperationId};
use memdir_core::plan::Plan;
use memdir_core::settings::ClientFlags;
use memdir_disk::apply::{Applied, OnConflict};
use memdir_lib::dream::{held, lock_holder};
use memdir_lib::memory::{Log, Memory, NewMemory, Submitted, Wish};
use memdir_sync::team::Team;
use serde::Deserialize;

use crate::page::Asked;
use crate::project::extent_of;
use crate::reply::{PageError, Reply};

/// A memory, by its path.
#[derive(Debug, Deserialize)]
pub(crate) struct Which {
    path: String,
}

/// A memory and its new name.
#[derive(Debug, Deserialize)]
pub(crate) struct NewName {
    path: String,
    name: String,
}

/// A field of a memory.
#[derive(Debug, Deserialize)]
pub(crate) struct Field {
    path: String,
    key: String,
    value: String,
}

/// A memory and a moment of its history.
#[derive(Debug, Deserialize)]
pub(crate) struct Version {
    path: String,
    at: String,
}

/// An operation.
#[derive(Debug, Deserialize)]
pub(crate) struct WhichOperation {
    id: String,
}

/// A finding of the health check.
#[derive(Debug, Deserialize)]
pub(crate) struct WhichFinding {
    id: String,
    #[serde(default)]
    path: String,
}

/// A memory and the project or scope that it goes to.
#[derive(Debug, Deserialize)]
pub(crate) struct Destination {
    path: String,
    to: String,
}

/// A memory that a person writes.
#[derive(Debug, Deserialize)]
pub(crate) struct NewText {
    name: String,
    description: String,
    r#type: String,
    body: String,
}

/// The fields that may be set from a page.
const SETTABLE: [&str; 2] = ["type", "description"];

/// What became of a change: the operation that can be undone, and what the person should know.
pub(crate) struct Outcome {
    pub(crate) operation: Option<OperationId>,
    pub(crate) notes: Vec<String>,
}

impl Outcome {
    pub(crate) fn of(applied: Applied) -> Self {
        let mut notes = applied.warnings;
        notes.extend(applied.conflicts.iter().map(|conflict| match &conflict.kept_as {
            Some(kept) => format!(
                "{} was changed by another program, too; the other version is in {kept}",
                conflict.path
            ),
            None => format!("{} was changed by another program and stays", conflict.path),
        }));
        Self { operation: applied.operation.map(|operation| operation.id), notes }
    }

    /// The next page, which says what was done.
    pub(crate) fn see(self, asked: &Asked<'_>, page: &str, fields: &[(&str, &str)]) -> Reply {
        asked.viewer.live.changed(asked.project);
        let done = self.operation.map(|id| id.0).unwrap_or_default();
        let nothing = if done.is_empty() && self.notes.is_empty() { "Nothing to change." } else { "" };
        let note = format!("{nothing}{}", self.notes.join(" "));
        let mut fields = fields.to_vec();
        fields.extend([("done", done.as_str()), ("note", note.as_str())]);
        Reply::See(asked.links.to(page, &fields))
    }
}

/// Plans and applies for a person; planned anew if an agent was faster.
pub(crate) fn apply(
    asked: &Asked<'_>,
    memory: &mut Memory,
    plan: impl FnMut(&Memory) -> Result<Plan, PageError>,
) -> Result<Outcome, PageError> {
    let mut plan = plan;
    // `Memory::change` wants an error that memory's own turn into; a page's is one.
    let (_, submitted) = memory.change::<PageError>(&Author::person(), asked.viewer.now(), &mut plan)?;
    outcome(submitted)
}

pub(crate) fn outcome(submitted: Submitted) -> Result<Outcome, PageError> {
    match submitted {
        Submitted::Applied(applied) => Ok(Outcome::of(*applied)),
        Submitted::Staged { id, mut warnings } => {
            warnings.push(format!("The change waits for review as {id}."));
            Ok(Outcome { operation: None, notes: warnings })
        }
        Submitted::Rejected => Err(PageError::new(StatusCode::CONFLICT, "you rejected this change before")),
    }
}

pub(crate) fn add(asked: &Asked<'_>, new: NewText) -> Result<Reply, PageError> {
    let mut memory = asked.project.memory_to_change(asked.viewer.now())?;
    let kind = MemoryType::parse(&new.r#type);
    let body = new.body.replace("\r\n", "\n");
    let now = asked.viewer.now();
    let mut path = String::new();
    let outcome = apply(asked, &mut memory, |memory| {
        let new = NewMemory {
            name: new.name.trim(),
            description: new.description.trim(),
            memory_type: &kind,
            body: body.trim_end(),
            cues: &[],
            validity: &Validity::default(),
            path: None,
            session: None,
        };
        let plan = memory.plan_add(&new, now)?;
        path = plan
            .changes
            .iter()
            .map(|change| change.path().to_string())
            .find(|path| path != "MEMORY.md")
            .unwrap_or_default();
        Ok(plan)
    })?;
    Ok(outcome.see(asked, "memories", &[("path", &path)]))
}

pub(crate) fn rename(asked: &Asked<'_>, new: NewName) -> Result<Reply, PageError> {
    let mut memory = asked.project.memory_to_change(asked.viewer.now())?;
    let mut path = new.path.clone();
    let outcome = apply(asked, &mut memory, |memory| {
        let catalogue = memory.catalogue()?;
        let entry = catalogue.find(&new.path, memory)?;
        let plan = memory.plan_rename(entry, new.name.trim(), &catalogue)?;
        let renamed = plan.changes.iter().find_map(|change| match change {
            memdir_core::plan::Change::Rename { from, to, .. } if from.as_str() == new.path => {
                Some(to.to_string())
            }
            _ => None,
        });
        path = renamed.unwrap_or_else(|| new.path.clone());
        Ok(plan)
    })?;
    // A rename may be a new file and a removed one.
    if memory.find(&path).is_err()
        && let Ok(entry) = memory.find(new.name.trim())
    {
        path = entry.path.to_string();
    }
    Ok(outcome.see(asked, "memories", &[("path", &path)]))
}

pub(crate) fn set(asked: &Asked<'_>, field: Field) -> Result<Reply, PageError> {
    let is_type = field.key == "type" && MemoryType::KNOWN.contains(&MemoryType::parse(&field.value));
    if !SETTABLE.contains(&field.key.as_str()) || (field.key == "type" && !is_type) {
        return Err(PageError::new(StatusCode::BAD_REQUEST, "this field cannot be set to that"));
    }
    let mut memory = asked.project.memory_to_change(asked.viewer.now())?;
    let outcome = apply(asked, &mut memory, |memory| {
        let entry = memory.find(&field.path)?;
        Ok(memory.plan_set(&entry, &field.key, Some(&field.value), asked.viewer.now())?)
    })?;
    Ok(outcome.see(asked, "memories", &[("path", &field.path)]))
}

pub(crate) fn delete(asked: &Asked<'_>, which: Which) -> Result<Reply, PageError> {
    let mut memory = asked.project.memory_to_change(asked.viewer.now())?;
    let outcome = remove(asked, &mut memory, &which.path)?;
    Ok(outcome.see(asked, "memories", &[]))
}

pub(crate) fn remove(asked: &Asked<'_>, memory: &mut Memory, path: &str) -> Result<Outcome, PageError> {
    apply(asked, memory, |memory| Ok(memory.plan_remove(&memory.find(path)?)?))
}

pub(crate) fn restore(asked: &Asked<'_>, version: Version) -> Result<Reply, PageError> {
    let now = asked.viewer.now();
    let mut memory = asked.project.memory_to_change(now)?;
    memory.look(now)?;
    let moment = Moment::After(OperationId(version.at.clone()));
    let outcome = apply(asked, &mut memory, |memory| {
        let log = memory.log(usize::MAX)?;
        let path = memory.past_path(&version.path, &log)?;
        Ok(memory.plan_restore(&path, &moment, &log)?)
    })?;
    Ok(outcome.see(asked, "memories", &[("path", &version.path)]))
}

/// Undoes one operation and keeps later ones.
pub(crate) fn undo(asked: &Asked<'_>, which: WhichOperation) -> Result<Reply, PageError> {
    let now = asked.viewer.now();
    let mut memory = asked.project.memory_to_change(now)?;
    memory.look(now)?;
    let log = memory.log(usize::MAX)?;
    let operation = log.find(&which.id)?.clone();
    let outcome = undo_operation(asked, &mut memory, &operation, &log)?;
    Ok(outcome.see(asked, "timeline", &[]))
}

fn undo_operation(
    asked: &Asked<'_>,
    memory: &mut Memory,
    operation: &Operation,
    log: &Log,
) -> Result<Outcome, PageError> {
    let (author, now) = (Author::person(), asked.viewer.now());
    let is_dream = operation.author.kind == AuthorKind::Dream;
    if is_dream && let Some(holder) = lock_holder(memory, now)? {
        return Err(PageError::new(
            StatusCode::CONFLICT,
            format!("{}; try again when it is done", held(&holder)),
        ));
    }
    if let Some(moved) = memory.projects().carry_back(operation, &author, now)? {
        return Ok(Outcome { operation: moved.operation, notes: moved.warnings });
    }
    let plan = memory.plan_undo(operation, format!("undo: {}", operation.reason), log)?;
    let wish = Wish::undoing(&operation.id, &author);
    let outcome = outcome(memory.submit(&plan, &wish, now)?)?;
    if is_dream {
        memory.settle_undone(operation)?;
    }
    Ok(outcome)
}

/// Moves a memory to the team, or back.
pub(crate) fn share(asked: &Asked<'_>, which: Which) -> Result<Reply, PageError> {
    let mut team = Team::open(asked.project.env()?, &ClientFlags::default())?;
    let is_shared = which.path.starts_with("team/");
    let plan = if is_shared { team.plan_unshare(&which.path)? } else { team.plan_share(&which.path)? };
    let path = if is_shared {
        which.path.trim_start_matches("team/").to_owned()
    } else {
        format!("team/{}", which.path)
    };
    let submitted = team.memory_mut().submit(&plan, &Wish::of(&Author::person()), asked.viewer.now())?;
    let mut outcome = outcome(submitted)?;
    outcome.notes.push("The next team sync sends it.".to_owned());
    Ok(outcome.see(asked, "memories", &[("path", &path)]))
}

/// Moves a memory, as it is, to another project or to where it counts in all of them.
pub(crate) fn move_to(asked: &Asked<'_>, destination: Destination) -> Result<Reply, PageError> {
    let now = asked.viewer.now();
    let slug = match destination.to.trim() {
        scope if extent_of(scope).is_some() => scope.to_owned(),
        name => project_named(asked, name)?,
    };
    let target = asked.viewer.project(&slug)?;
    let mut here = asked.project.memory_to_change(now)?;
    let entry = here.find(&destination.path)?;
    if entry.path.as_str().starts_with("team/") {
        return Err(PageError::new(StatusCode::CONFLICT, "it belongs to the team: make it private first"));
    }
    let mut there = target.memory_to_change(now)?;
    let mut outcome = outcome(here.carry(&entry, &mut there, &Author::person(), now)?)?;
    asked.viewer.live.changed(&target);
    outcome.notes.push(format!("It is now in the memory of {}.", target.title()));
    // The operation that can be undone here is the leaving.
    outcome.operation = here.log(1)?.operations.into_iter().next().map(|operation| operation.id);
    Ok(outcome.see(asked, "memories", &[]))
}

fn project_named(asked: &Asked<'_>, name: &str) -> Result<String, PageError> {
    let survey = asked.viewer.projects()?;
    let path = Utf8PathBuf::from(name);
    let is_it = |entry: &&memdir_lib::projects::ProjectEntry| {
        entry.slug == name
            || entry.path.as_ref().is_some_and(|known| *known == path || known.file_name() == Some(name))
    };
    let found: Vec<String> = survey.entries.iter().filter(is_it).map(|entry| entry.slug.clone()).collect();
    match found.as_slice() {
        [one] if *one != asked.project.slug => Ok(one.clone()),
        [] => Err(PageError::missing(format!("there is no project `{name}`"))),
        [_] => Err(PageError::new(StatusCode::CONFLICT, "the memory is in that project already")),
        _ => Err(PageError::new(
            StatusCode::CONFLICT,
            format!("more than one project is called `{name}`: give its directory"),
        )),
    }
}

/// Applies what the health check proposes for one finding.
pub(crate) fn fix(asked: &Asked<'_>, which: WhichFinding) -> Result<Reply, PageError> {
    let now = asked.viewer.now();
    let mut memory = asked.project.memory_to_change(now)?;
    let findings = examine(&memory.patient(now)?);
    let is_it = |finding: &&memdir_core::doctor::Finding| {
        finding.id == which.id && finding.path.as_deref().unwrap_or_default() == which.path
    };
    let plan = findings.iter().find(is_it).and_then(|finding| finding.fix.plan.clone());
    let plan = plan.ok_or_else(|| PageError::missing("this finding is gone or cannot be fixed by a plan"))?;
    let author = Author::person();
    let wish = Wish { on_conflict: OnConflict::Refuse, ..Wish::of(&author) };
    let outcome = outcome(memory.submit(&plan, &wish, now)?)?;
    Ok(outcome.see(asked, "overview", &[]))
}
