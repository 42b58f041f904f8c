//! `memdir edit`: a memory in the user's editor, validated before it is saved.

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use memdir_core::memory::edit_doubt::edit_doubt;
use memdir_core::memory::topic::decode;
use memdir_core::rel_path::{ENTRYPOINT, RelPath};

use super::memory::{How, carry_out};
use super::{Run, editor};
use crate::exit::Exit;
use crate::report::WithHint;
use crate::world::World;

/// Edit a memory in $EDITOR
#[derive(Debug, Parser)]
#[command(
    name = "edit",
    after_help = "What you save is checked before it takes the place of the old text. If an agent changed the memory
meanwhile, both changes are merged, or both are kept.

Examples:
  memdir edit tabs
  memdir edit MEMORY.md
  memdir edit tabs --supersedes quotes
  EDITOR='code --wait' memdir edit tabs"
)]
pub(crate) struct Edit {
    /// The memory's name, its file's stem, or its path in the directory
    name: String,
    /// Say which memory this one replaces, without an editor; may be given several times
    #[arg(long, value_name = "NAME")]
    supersedes: Vec<String>,
    /// Save it even if the header is broken
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    how: How,
}

impl Run for Edit {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        if !self.supersedes.is_empty() {
            let plan = memory.plan_supersede(&memory.find(&self.name)?, &self.supersedes, world.now)?;
            return carry_out(&plan, &mut memory, &self.how, world);
        }
        let path =
            if self.name == ENTRYPOINT { RelPath::parse(ENTRYPOINT)? } else { memory.find(&self.name)?.path };
        let before = memory.read(&path)?.unwrap_or_default();
        let text = std::str::from_utf8(&before)
            .with_context(|| format!("`{path}` is not valid UTF-8, so it cannot be edited without loss"))?;
        let edited = editor::edit(path.file_name(), text, world)?;
        if !self.force
            && let Some(doubt) = edit_doubt(&decode(&before).0, &edited)
        {
            return Err(anyhow!("`{path}` {doubt}"))
                .hint("nothing was saved; pass --force to save it anyway");
        }
        let plan = memory.plan_replace(&path, &before, &edited)?;
        carry_out(&plan, &mut memory, &self.how, world)
    }
}
