//! `memdir team resolve`: one of two versions, or a text made from both, and the other goes.

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::Args;
use memdir_core::rel_path::RelPath;
use memdir_core::text_diff::unified;
use memdir_lib::memory::{Catalogue, Entry, Memory};
use memdir_sync::conflict_copy::{original_of, renamed_copy};
use memdir_sync::team::plan_rename;

use super::open;
use crate::commands::editor;
use crate::commands::memory::{How, carry_out};
use crate::commands::plan_diff::print_unified;
use crate::exit::Exit;
use crate::report::WithHint;
use crate::world::World;

/// Which version to keep.
#[derive(Debug, Args)]
pub(super) struct Resolve {
    /// The memory that is kept twice
    name: String,
    /// Keep the version that was set aside: the one that this machine had, if the conflict arose here
    #[arg(long, group = "choice")]
    mine: bool,
    /// Keep the version under the memory's name: the one that the team had
    #[arg(long, group = "choice")]
    theirs: bool,
    /// Make one text from both in $EDITOR
    #[arg(long, group = "choice")]
    edit: bool,
}

impl Resolve {
    pub(super) fn run(&self, world: &mut World) -> Result<Exit> {
        let mut team = open(world)?;
        let memory = team.memory_mut();
        let catalogue = memory.catalogue()?;
        let (original, copy) = self.find(&catalogue)?;
        let how = How::default();
        let Some(original) = original else {
            // The other version is gone already, so this one gets the name back.
            let path = original_of(copy.path.as_str()).unwrap_or_default();
            let plan = plan_rename(memory, copy, &path, &catalogue)?;
            return carry_out(&plan, memory, &how, world);
        };
        let (theirs, mine) = (text_of(memory, &original.path)?, text_of(memory, &copy.path)?);
        let mine = renamed_copy(&mine, original.title());
        let chosen = match (self.mine, self.theirs, self.edit) {
            (true, ..) => mine,
            (_, true, _) => theirs.clone(),
            (.., true) => {
                let both = format!("<<<<<<< theirs\n{theirs}=======\n{mine}>>>>>>> mine\n");
                let edited = editor::edit(original.path.file_name(), &both, world)?;
                if ["<<<<<<< ", "=======", ">>>>>>> "]
                    .iter()
                    .any(|mark| edited.lines().any(|line| line.starts_with(mark)))
                {
                    return Err(anyhow!("the text still contains the conflict's marks"))
                        .hint(format!("remove them: `memdir team resolve {} --edit`", self.name));
                }
                edited
            }
            _ => return show(&original.path, &theirs, &mine, &self.name, world),
        };
        let plan = memory.plan_replace(&original.path, theirs.as_bytes(), &chosen)?;
        if !plan.changes.is_empty() {
            carry_out(&plan, memory, &how, world)?;
        }
        let copy_path = copy.path.clone();
        let plan = memory.plan_remove(&memory.find(copy_path.as_str())?)?;
        let exit = carry_out(&plan, memory, &how, world)?;
        writeln!(world.stdout, "The next sync settles it for the team.")?;
        Ok(exit)
    }

    /// The memory and the copy that was made beside it.
    fn find<'c>(&self, catalogue: &'c Catalogue) -> Result<(Option<&'c Entry>, &'c Entry)> {
        let wanted = self.name.trim_end_matches(".md").trim_start_matches("team/");
        let stem = |path: &str| path.trim_start_matches("team/").trim_end_matches(".md").to_owned();
        let copy = catalogue.entries.iter().find(|entry| {
            let original = original_of(entry.path.as_str());
            original.is_some_and(|original| stem(&original) == wanted || stem(entry.path.as_str()) == wanted)
        });
        let Some(copy) = copy else {
            return Err(anyhow!("`{}` is not in conflict", self.name))
                .hint("`memdir team conflicts` lists the memories that are kept twice");
        };
        let original = original_of(copy.path.as_str());
        let there = catalogue.entries.iter().find(|entry| Some(entry.path.as_str()) == original.as_deref());
        Ok((there, copy))
    }
}

fn text_of(memory: &Memory, path: &RelPath) -> Result<String> {
    Ok(String::from_utf8_lossy(&memory.read(path)?.unwrap_or_default()).into_owned())
}

/// Shows the difference and how to decide.
fn show(path: &RelPath, theirs: &str, mine: &str, name: &str, world: &mut World) -> Result<Exit> {
    let (one, other) = (format!("{path} (theirs)"), format!("{path} (mine)"));
    print_unified(&unified((Some(&one), theirs), (Some(&other), mine)), world)?;
    let command = |choice: &str| world.paint.code(&format!("memdir team resolve {name} {choice}"));
    let (theirs, mine, edit) = (command("--theirs"), command("--mine"), command("--edit"));
    writeln!(
        world.stderr,
        "{theirs} keeps the lines with -, {mine} those with +, {edit} makes one text from both."
    )?;
    Ok(Exit::Yes)
}
