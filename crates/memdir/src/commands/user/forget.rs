use std::io::Write;

use anyhow::{Result, bail};
use memdir_core::user::{Category, Item, Topic};
use memdir_lib::user::{Profile, ProfileEdit};
use serde::Serialize;

use super::show::line;
use crate::commands::ask::ask;
use crate::commands::made::{Manner, preview, report};
use crate::commands::memory::author;
use crate::exit::Exit;
use crate::world::World;

/// What is to be forgotten, and how thoroughly.
pub(super) struct Forget {
    pub(super) topic: String,
    pub(super) category: Option<Category>,
    pub(super) purge: bool,
    pub(super) yes: bool,
}

#[derive(Serialize)]
struct Forgotten<'f> {
    items: &'f [Item],
    #[serde(skip_serializing_if = "Option::is_none")]
    purged_versions: Option<usize>,
}

impl Forget {
    pub(super) fn run(self, mut profile: Profile, manner: &Manner, world: &mut World) -> Result<Exit> {
        let Some(topic) = Topic::of(&self.topic) else { bail!("a topic has at least one word") };
        let items = profile.find(&topic, self.category)?;
        let directory = profile.directory().to_owned();
        if items.is_empty() && !self.purge {
            if manner.json {
                world.print_json(&Forgotten { items: &items, purged_versions: None })?;
            } else {
                writeln!(world.stderr, "Nothing is known about that.")?;
            }
            return Ok(Exit::No);
        }
        if !manner.json {
            for item in &items {
                let place = world.paint.quiet(item.category.file());
                writeln!(world.stdout, "{}  {place}", line(item, world.paint))?;
            }
        }
        let edit = ProfileEdit::Forget(&items);
        if manner.dry_run {
            let more = Forgotten { items: &items, purged_versions: None };
            return preview(&profile.plan(&edit)?, &directory, manner, more, world);
        }
        let question = match (items.len(), self.purge) {
            (0, _) => "Forget it in every earlier version, for good?".to_owned(),
            (count, true) => format!("Forget {}, in every version, for good?", these(count)),
            (count, false) => format!("Forget {}?", these(count)),
        };
        if !self.yes && !ask(&question, world)? {
            writeln!(world.stdout, "Nothing was forgotten.")?;
            return Ok(Exit::No);
        }
        let made = profile.change(&edit, &author(world), world.now)?;
        let applied = matches!(made.submitted, memdir_lib::memory::Submitted::Applied(_));
        let purged_versions = if self.purge && applied { Some(profile.purge(&topic, &items)?) } else { None };
        let more = Forgotten { items: &items, purged_versions };
        let done = |world: &mut World| {
            let undo = world.paint.code(&format!("memdir undo --dir {}", profile.directory()));
            match purged_versions {
                Some(_) => writeln!(world.stdout, "Forgotten.")?,
                None => writeln!(world.stdout, "Forgotten; {undo} brings it back.")?,
            }
            Ok(())
        };
        let exit = report(&made, &directory, manner, more, done, world)?;
        if let (Some(versions), false) = (purged_versions, manner.json) {
            let versions = if versions == 1 {
                "1 earlier version".to_owned()
            } else {
                format!("{versions} earlier versions")
            };
            writeln!(
                world.stdout,
                "It is gone from {versions} too. Transcripts, backups and what was shared are out of memdir's reach."
            )?;
        }
        Ok(exit)
    }
}

fn these(count: usize) -> String {
    if count == 1 { "this".to_owned() } else { format!("these {count} items") }
}
