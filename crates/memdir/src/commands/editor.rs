//! The user's own editor on a copy of a text.

use std::process::Command;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::look::Look;
use memdir_disk::real_look::RealLook;
use memdir_disk::throwaway_dir::ThrowawayDir;
use memdir_lib::memory::MAX_FILE_BYTES;

use crate::world::World;

/// Lets the user edit a copy of a text, named after what it is, and gives back what they saved.
///
/// The copy lies outside the memory directory, so that nobody meets a half-finished memory.
pub(super) fn edit(name: &str, text: &str, world: &mut World) -> Result<Edited> {
    let var = |name: &str| world.vars.get(name).filter(|value| !value.trim().is_empty());
    let editor = var("VISUAL").or_else(|| var("EDITOR")).map_or("vi", String::as_str).to_owned();
    let parent = var("TMPDIR").filter(|dir| dir.starts_with('/')).map_or("/tmp", String::as_str);
    let desk = ThrowawayDir::below(Utf8Path::new(parent))
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
    let status = Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "sh", copy.as_str()])
        .env_clear()
        .envs(&world.vars)
        .status()
        .with_context(|| format!("cannot start the editor `{editor}`"))?;
    if !status.success() {
        bail!("the editor `{editor}` ended with {status}; nothing was changed");
    }
    let bytes = RealLook.read(&copy, MAX_FILE_BYTES).with_context(|| format!("cannot read `{copy}`"))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Edited { text, desk, file_name }),
        Err(_) => {
            let kept = desk.keep().join(&file_name);
            bail!(
                "what the editor saved is not valid UTF-8; nothing was changed, and your text is in `{kept}`"
            )
        }
    }
}

/// What the user saved. The copy goes away with this value unless it is kept.
pub(super) struct Edited {
    pub(super) text: String,
    desk: ThrowawayDir,
    file_name: String,
}

impl Edited {
    /// Keeps the copy, because its text could not be used, and says where it is.
    pub(super) fn keep(self) -> Utf8PathBuf {
        self.desk.keep().join(self.file_name)
    }
}
