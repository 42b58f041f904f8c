//! PostToolUse: a memory or a record of the journal was changed by the agent's own tool. History and index get it, and
//! the agent hears what is wrong. A sub-agent that ended meanwhile is mentioned, too. That a memory was read is counted.

use anyhow::Result;
use camino::Utf8Path;
use memdir_core::hook::HookAnswer;
use memdir_core::hygiene::model_remark;
use memdir_core::settings::ClientFlags;
use memdir_lib::freshness::refresh_file;
use memdir_lib::journal::{Journal, Writer};
use memdir_lib::memory::{Extent, Memory};
use memdir_lib::place::Place;
use memdir_lib::usage::note_read;
use serde_json::Value;

use super::Hook;
use super::journal::notice;

pub(super) fn answer(hook: &Hook<'_>) -> Result<HookAnswer> {
    let place = Place::find(&hook.env, &ClientFlags::default())?;
    let path = hook.event.tool_input.get("file_path").and_then(Value::as_str);
    if hook.event.tool.as_deref() == Some("Read") {
        let config_dir = hook.env.cwd.join(place.settings.config_dir());
        let wider = Extent::wider_directories(&config_dir, &hook.env);
        let is_memory = |path: &&Utf8Path| {
            path.starts_with(&place.here.memory_dir) || wider.iter().any(|folder| path.starts_with(folder))
        };
        let read = path.map(Utf8Path::new).filter(is_memory);
        if let Some(path) = read {
            note_read(&hook.env, path.to_owned(), hook.event.session.as_deref(), hook.world.now);
        }
        return Ok(HookAnswer::Nothing);
    }
    let journal = Journal::at_place(&place, &hook.env);
    let mut facts = Vec::from_iter(notice(hook, &journal)?);
    let changes = matches!(hook.event.tool.as_deref(), Some("Write" | "Edit" | "MultiEdit"));
    let (true, Some(path)) = (changes, path) else { return Ok(HookAnswer::facts(&facts)) };
    let home = hook.env.home.as_deref();
    let mut memory = Memory::at_place(place, &hook.env)?;
    if let Some(changed) = memory.after_tool(path, home, hook.author(), hook.world.now)? {
        // The next recall knows it; if that fails, the next search does.
        let directory = memory.directory();
        refresh_file(&hook.env, directory, &directory.join(changed.path.as_path()))?;
        facts.extend(changed.remarks.iter().map(|remark| model_remark(remark)));
    } else {
        let writer = Writer { author: &hook.author(), now: hook.world.now };
        let followed = journal.after_tool(path, home, &writer)?;
        let problems = followed.into_iter().flat_map(|followed| followed.problems);
        facts.extend(problems.map(|problem| model_remark(&problem)));
    }
    Ok(HookAnswer::facts(&facts))
}
