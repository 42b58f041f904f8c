//! The user's own editor on a copy of a text.

use anyhow::{Context, Result, anyhow, bail};
use memdir_core::env::temporary_directory;
use memdir_core::look::Look;
use memdir_disk::platform::shell_command;
use memdir_disk::real_look::RealLook;
use memdir_disk::throwaway_dir::ThrowawayDir;
use memdir_lib::memory::MAX_FILE_BYTES;

use crate::draft::Draft;
use crate::world::World;

/// Lets the user edit a copy of a text, named after what it is, and gives back what they saved.
///
/// The copy is outside the memory directory, so that no agent reads a half-finished memory. It is kept as a draft of
/// the world until the command has succeeded: what a person typed is never lost.
pub(super) fn edit(name: &str, text: &str, world: &mut World) -> Result<String> {
    let var = |name: &str| world.vars.get(name).filter(|value| !value.trim().is_empty());
    let usual = if cfg!(windows) { "notepad" } else { "vi" };
    let editor = var("VISUAL").or_else(|| var("EDITOR")).map_or(usual, String::as_str).to_owned();
    let parent = temporary_directory(&world.vars);
    let desk = ThrowawayDir::below(parent)
        .with_context(|| format!("cannot make a temporary directory in `{parent}`"))?;
    let file_name: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' })
        .collect();
    let file_name = file_name.trim_start_matches(['-', '.']);
    let file_name = if file_name.ends_with(".md") { file_name.to_owned() } else { format!("{file_name}.md") };
    let copy = desk.write(&file_name, text).with_context(|| format!("cannot write `{file_name}`"))?;
    world.flush()?;
    // Through a shell, because an editor often comes with options: `code --wait`.
    let status = shell_command(&editor, Some(copy.as_str()))
        .env_clear()
        .envs(&world.vars)
        .status()
        .with_context(|| format!("cannot start the editor `{editor}`"))?;
    let saved = RealLook.read(&copy, MAX_FILE_BYTES);
    let draft = Draft::new(desk, file_name);
    if !status.success() {
        // An untouched copy holds nothing that the user typed.
        if !saved.is_ok_and(|bytes| bytes == text.as_bytes()) {
            world.drafts.push(draft);
        }
        bail!("the editor `{editor}` ended with {status}, so nothing was changed");
    }
    let bytes = saved.with_context(|| format!("cannot read `{copy}`"))?;
    world.drafts.push(draft);
    String::from_utf8(bytes)
        .map_err(|_| anyhow!("what the editor saved is not valid UTF-8, so nothing was changed"))
}

/// The same for a text that is to be written for the first time. Leaving the editor without saving, or with nothing
/// but white space, aborts.
pub(super) fn write_new(name: &str, template: &str, world: &mut World) -> Result<String> {
    let text = edit(name, template, world)?;
    if text.trim().is_empty() || text == template {
        world.drafts.clear();
        bail!("nothing was added: you saved no text in the editor");
    }
    Ok(text)
}
