use anyhow::{Context, Result, anyhow, bail};
use memdir_core::hygiene::{model_remark, replace_passage};
use memdir_core::mcp::EditChange;
use memdir_core::memory::edit_doubt::edit_doubt;
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::topic::decode;
use memdir_core::memory::topic::validity::Validity;
use memdir_core::plan::{Change, Plan};
use memdir_core::rel_path::RelPath;
use memdir_lib::memory::{Memory, NewMemory, Submitted};
use memdir_lib::memory_tool::run_memory_tool;
use serde_json::json;

use super::tool_answer::ToolAnswer;
use super::workplace::Asked;

use crate::report::WithHint;

/// A memory that is to be saved.
pub(super) struct New<'n> {
    pub(super) name: &'n str,
    pub(super) description: &'n str,
    pub(super) memory_type: &'n MemoryType,
    pub(super) text: &'n str,
    pub(super) cues: &'n [String],
    pub(super) supersedes: &'n [String],
}

/// Adds a memory.
pub(super) fn save(asked: &Asked<'_>, new: &New<'_>) -> Result<ToolAnswer> {
    let validity = Validity { supersedes: new.supersedes.to_vec(), ..Validity::NONE };
    let new = NewMemory {
        name: new.name,
        description: new.description,
        memory_type: new.memory_type,
        body: new.text,
        cues: new.cues,
        validity: &validity,
        path: None,
        session: asked.author.session.as_deref(),
    };
    carry_out(asked, |memory| Ok(memory.plan_add(&new, asked.now)?))
}

/// Changes a memory.
pub(super) fn edit(asked: &Asked<'_>, name: &str, change: &EditChange) -> Result<ToolAnswer> {
    carry_out(asked, |memory| {
        let entry = memory.find(name)?;
        match change {
            EditChange::Field { field, value } => {
                Ok(memory.plan_set(&entry, field, value.as_deref(), asked.now)?)
            }
            EditChange::Text { old, new } => replace(memory, &entry.path, old, new),
        }
    })
}

fn replace(memory: &Memory, path: &RelPath, old: &str, new: &str) -> Result<Plan> {
    let before = memory.read(path)?.unwrap_or_default();
    let text = std::str::from_utf8(&before)
        .with_context(|| format!("`{path}` is not valid UTF-8, so it cannot be edited without loss"))?;
    let after = match replace_passage(text, old, new) {
        Ok(after) => after,
        Err(count) => {
            let found = if count == 0 { "nowhere".to_owned() } else { format!("{count} times") };
            return Err(anyhow!("`old` occurs {found} in `{path}`, and must occur once"))
                .hint("read the memory again, and give `old` exactly as it is there, with enough around it");
        }
    };
    if let Some(doubt) = edit_doubt(&decode(&before).0, &after) {
        bail!("nothing was saved: `{path}` {doubt}");
    }
    Ok(memory.plan_replace(path, &before, &after)?)
}

/// Removes a memory.
pub(super) fn forget(asked: &Asked<'_>, name: &str) -> Result<ToolAnswer> {
    carry_out(asked, |memory| Ok(memory.plan_remove(&memory.find(name)?)?))
}

/// Runs one command of the API's memory tool.
pub(super) fn memory_tool(asked: &Asked<'_>, command: &str) -> Result<ToolAnswer> {
    let (mut memory, _) = asked.memory()?;
    let answer = run_memory_tool(&mut memory, command, asked.author, asked.now);
    Ok(match answer.is_error {
        true => ToolAnswer::failed(answer.content),
        false => ToolAnswer::text(answer.content),
    })
}

/// Has a change applied, or wait for the user, and says what became of it. What others change meanwhile is planned over
/// anew: a name that they took is taken, and a passage that they changed is not there any more.
fn carry_out(asked: &Asked<'_>, plan: impl FnMut(&Memory) -> Result<Plan>) -> Result<ToolAnswer> {
    let (mut memory, mut warnings) = asked.memory()?;
    let (plan, submitted) = memory.change(asked.author, asked.now, plan)?;
    let (plan, memory) = (&plan, &memory);
    let applied = match submitted {
        Submitted::Applied(applied) => applied,
        Submitted::Staged { id, warnings: more } => {
            warnings.extend(more);
            let text = format!(
                "Nothing is changed yet: the change waits for the user's review ({}).",
                memory.short_waiting_id(&id)
            );
            let value = json!({"staged": id, "paths": paths(plan, memory), "warnings": lines(&warnings)});
            return Ok(ToolAnswer::structured(with_warnings(text, &warnings), value));
        }
        Submitted::Rejected => bail!("the user rejected this change before, so it is not proposed again"),
    };
    warnings.extend(applied.warnings.iter().cloned());
    for conflict in &applied.conflicts {
        warnings.push(match &conflict.kept_as {
            Some(kept) => format!("`{}` was changed by another program, too; see `{kept}`", conflict.path),
            None => format!("`{}` was changed by another program and stays", conflict.path),
        });
    }
    let op = applied.operation.as_ref().map(|operation| &operation.id);
    let text = match op {
        Some(op) => {
            let done: Vec<String> = plan.changes.iter().map(done).collect();
            format!("{}. `memdir undo {}` undoes it.", done.join(", "), memory.short_id(op))
        }
        None => "Nothing to change.".to_owned(),
    };
    let mut value = json!({"paths": paths(plan, memory), "warnings": lines(&warnings)});
    if let (Some(op), Some(fields)) = (op, value.as_object_mut()) {
        fields.insert("op".to_owned(), op.0.as_str().into());
    }
    Ok(ToolAnswer::structured(with_warnings(text, &warnings), value))
}

fn done(change: &Change) -> String {
    match change {
        Change::Write { path, base: None, .. } => format!("added {path}"),
        Change::Write { path, base: Some(_), .. } => format!("changed {path}"),
        Change::Delete { path, .. } => format!("removed {path}"),
        Change::Rename { from, to, .. } => format!("renamed {from} to {to}"),
    }
}

fn paths(plan: &Plan, memory: &Memory) -> Vec<String> {
    plan.changes.iter().map(|change| memory.directory().join(change.path().as_path()).into_string()).collect()
}

/// A text with what should be known besides.
/// Warnings as a model may read them: they repeat names and values from files.
fn lines(warnings: &[String]) -> Vec<String> {
    warnings.iter().map(|warning| model_remark(warning)).collect()
}

pub(super) fn with_warnings(mut text: String, warnings: &[String]) -> String {
    for warning in warnings {
        text.push_str("\nwarning: ");
        text.push_str(&model_remark(warning));
    }
    text
}
