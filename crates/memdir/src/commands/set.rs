//! `memdir set`: one field of a memory.

use anyhow::Result;
use clap::Parser;
use memdir_core::memory::topic::validity::BLOCK;

use super::Run;
use super::memory::{How, carry_out, hold, known_type};
use crate::exit::Exit;
use crate::world::World;

/// Change one field of a memory
#[derive(Debug, Parser)]
#[command(
    name = "set",
    after_help = "Examples:
  memdir set tabs description \"wants tabs in every language\"
  memdir set tabs type user
  memdir set tabs cues 'format the code; indentation; new source file'
  memdir set tabs pinned true
  memdir set tabs expires 90d
  memdir set tabs supersedes 'quotes; prices'
  memdir set tabs when 'Bash(npm install *)'
  memdir set tabs priority --unset"
)]
pub(crate) struct Set {
    /// The memory's name, its file's stem, or its path in the directory
    name: String,
    /// The field: description, type, cues, pinned, expires, supersedes, when, block, branch,
    /// worktree, or any other
    field: String,
    /// The new value
    #[arg(required_unless_present = "unset")]
    value: Option<String>,
    /// Remove the field
    #[arg(long, conflicts_with = "value")]
    unset: bool,
    #[command(flatten)]
    how: How,
}

impl Run for Set {
    fn run(self, world: &mut World) -> Result<Exit> {
        if let ("type", Some(value)) = (self.field.as_str(), &self.value) {
            known_type(value)?;
        }
        let mut memory = self.how.which.open(world)?;
        let entry = memory.find(&self.name)?;
        let plan = memory.plan_set(&entry, &self.field, self.value.as_deref(), world.now)?;
        let blocks = self.field == BLOCK && !self.unset && self.value.as_deref() != Some("false");
        if blocks && !plan.changes.is_empty() && !self.how.is_dry_run() {
            return hold(&plan, &mut memory, &self.how, world);
        }
        carry_out(&plan, &mut memory, &self.how, world)
    }
}
