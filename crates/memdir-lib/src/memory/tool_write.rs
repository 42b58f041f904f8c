//! An agent's own tool changes a file here: judged before, recorded after. Costs the same however many memories
//! there are, because a hook calls it.

use camino::Utf8Path;
use jiff::Timestamp;
use memdir_core::config::{SecretsOnWrite, WriteMode};
use memdir_core::content_hash::ContentHash;
use memdir_core::hook::ToolEdit;
use memdir_core::memory::change::lint;
use memdir_core::operation::{Author, ChangeRecord, Operation, OperationId};
use memdir_core::plan::{Change, Content, Plan, VERSION};
use memdir_core::rel_path::RelPath;
use memdir_core::secrets::guard;
use memdir_core::tool_path::below;
use memdir_disk::allow_list;
use memdir_disk::history::History;
use memdir_disk::kept_before::KeptBefore;
use memdir_disk::random::random_bits;

use super::{Memory, MemoryError, Submitted, Wish};
use crate::projects::{Probe, ProjectsError};

/// Said to an agent's tool where the user's settings let agents write nothing.
pub(crate) const WRITES_OFF: &str =
    "The user's settings let no agent change this memory (`writes = \"off\"`).";

/// What is said to a tool before it changes a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolVerdict {
    /// The file is none of ours, or nothing speaks against it.
    NoObjection,
    /// It may not, and this is why.
    Deny(String),
    /// The user should decide, knowing this.
    Ask(String),
}

/// A memory that an agent's tool has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolChange {
    /// Where it is.
    pub path: RelPath,
    /// What the agent should know about it.
    pub remarks: Vec<String>,
}

impl Memory {
    /// Judges what an agent's tool is about to do, and keeps what the file holds now.
    ///
    /// In review mode the change is staged, so that nothing of it is lost, and the tool is told so.
    ///
    /// # Errors
    /// The directory or our state cannot be read.
    pub fn before_tool(
        &mut self,
        edit: &ToolEdit,
        home: Option<&Utf8Path>,
        author: Author,
        now: Timestamp,
    ) -> Result<ToolVerdict, MemoryError> {
        let path = match self.tool_path(&edit.path, home) {
            None => return Ok(ToolVerdict::NoObjection),
            Some(Err(why)) => return Ok(ToolVerdict::Deny(format!("`{}`: {why}", edit.path))),
            Some(Ok(path)) => path,
        };
        let verdict = self.judge_tool(&path, edit, &author, now)?;
        if verdict == ToolVerdict::NoObjection {
            let current = self.read(&path)?;
            self.kept_before(now)?.keep(&path, current.as_deref()).map_err(MemoryError::State)?;
        }
        Ok(verdict)
    }

    /// What the user's rules say about a tool's change of one file here.
    pub(crate) fn judge_tool(
        &mut self,
        path: &RelPath,
        edit: &ToolEdit,
        author: &Author,
        now: Timestamp,
    ) -> Result<ToolVerdict, MemoryError> {
        let plan = match self.tool_plan(path, edit) {
            Ok(Some(plan)) => plan,
            // What the tool itself will refuse needs no verdict of ours.
            Ok(None) => return Ok(ToolVerdict::NoObjection),
            Err(error) => return Ok(ToolVerdict::Deny(error.to_string())),
        };
        match self.config()?.mode(author.kind, self.store.as_ref(), self.scope()) {
            WriteMode::Off => return Ok(ToolVerdict::Deny(WRITES_OFF.to_owned())),
            WriteMode::Review => return Ok(self.stage_for_tool(&plan, author, now)),
            WriteMode::Auto => {}
        }
        Ok(self.secret_verdict(plan)?.unwrap_or(ToolVerdict::NoObjection))
    }

    /// What a tool makes of one file here, as a plan; `None` if the tool itself will refuse.
    pub(crate) fn tool_plan(&self, path: &RelPath, edit: &ToolEdit) -> Result<Option<Plan>, MemoryError> {
        let current = self.read(path)?;
        let text = current.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let Some(content) = edit.result(text) else { return Ok(None) };
        let mut plan = Plan::new(format!("write {path}"));
        let base = current.map(Content);
        plan.changes.push(Change::Write { path: path.clone(), content: content.into(), base });
        Ok(Some(plan))
    }

    /// Records what an agent's tool did to a file, and says what the agent should know about the result; `None` if
    /// the file is none of this directory's memories.
    ///
    /// # Errors
    /// The file cannot be read, or history cannot be written.
    pub fn after_tool(
        &mut self,
        path: &str,
        home: Option<&Utf8Path>,
        author: Author,
        now: Timestamp,
    ) -> Result<Option<ToolChange>, MemoryError> {
        let Some(Ok(path)) = self.tool_path(path, home) else { return Ok(None) };
        self.may_write()?;
        let after = self.read(&path)?;
        let before = self.kept_before(now)?.take(&path).map_err(MemoryError::State)?;
        if before != after {
            self.record_tool_write(&path, before.as_deref(), after.as_deref(), author, now)?;
        }
        let remarks = after.map(|content| lint(&path, &content)).unwrap_or_default();
        Ok(Some(ToolChange { path, remarks }))
    }

    /// The file that a tool's path names: `None` if it is none of this directory's Markdown files, an error if it
    /// could not be one.
    fn tool_path(&self, path: &str, home: Option<&Utf8Path>) -> Option<Result<RelPath, &'static str>> {
        let below = below(path, &self.here.memory_dir, home)?;
        match RelPath::parse(&below) {
            Ok(path) if path.is_markdown() => Some(Ok(path)),
            Ok(_) => None,
            Err(refused) => Some(Err(refused.rule)),
        }
    }

    /// Whatever becomes of it, the tool may not write.
    fn stage_for_tool(&mut self, plan: &Plan, author: &Author, now: Timestamp) -> ToolVerdict {
        ToolVerdict::Deny(match self.submit(plan, &Wish { look: false, ..Wish::of(author) }, now) {
            Ok(Submitted::Staged { id, .. }) => format!(
                "This change is saved and waits for the user's review as {id}; there is no need to write it again."
            ),
            Ok(Submitted::Rejected) => "The user rejected this very change before.".to_owned(),
            Ok(Submitted::Applied(_)) => "This change is done already.".to_owned(),
            Err(error) => format!("This change cannot wait for the user's review: {error}"),
        })
    }

    pub(crate) fn secret_verdict(&self, plan: Plan) -> Result<Option<ToolVerdict>, MemoryError> {
        let state_dir = self.state_dir.as_deref().ok_or(MemoryError::NoStateDir)?;
        let allowed = allow_list::load(state_dir)?;
        let Err(found) = guard(plan, SecretsOnWrite::Block, allowed.as_ref()) else { return Ok(None) };
        let why = format!(
            "{found}. Memory is read by every later session: leave the value out and name where it is kept."
        );
        Ok(Some(match self.config()?.secrets.on_write {
            SecretsOnWrite::Warn => ToolVerdict::Ask(why),
            SecretsOnWrite::Redact | SecretsOnWrite::Block => ToolVerdict::Deny(why),
        }))
    }

    pub(super) fn record_tool_write(
        &mut self,
        path: &RelPath,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
        author: Author,
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        let state_dir = self.state_dir.clone().ok_or(MemoryError::NoStateDir)?;
        let store = self.store_id_at(Probe::Cheap, now)?;
        let random = random_bits().map_err(ProjectsError::NoRandom)?;
        let done = match (before, after) {
            (None, _) => "add",
            (_, None) => "remove",
            _ => "change",
        };
        let operation = Operation {
            v: VERSION,
            id: OperationId::new(now, u64::try_from(random & u128::from(u64::MAX)).unwrap_or(0)),
            time: now,
            author,
            reason: format!("{done} {path}"),
            store: store.clone(),
            memory_dir: self.here.memory_dir.clone(),
            changes: vec![ChangeRecord {
                path: path.clone(),
                before: before.map(ContentHash::of),
                after: after.map(ContentHash::of),
                renamed_from: None,
            }],
            undo_of: None,
            plan: None,
        };
        Ok(History::of(&state_dir, &store).record_observed(&operation, &[(before, after)])?)
    }

    fn kept_before(&mut self, now: Timestamp) -> Result<KeptBefore, MemoryError> {
        let state_dir = self.state_dir.clone().ok_or(MemoryError::NoStateDir)?;
        Ok(KeptBefore::of(&state_dir, &self.store_id_at(Probe::Cheap, now)?))
    }
}
