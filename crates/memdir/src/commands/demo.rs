//! `memdir demo`: a day with memdir, in a temporary home.

use std::io::Write;

use anyhow::{Context, Result};
use clap::Parser;
use memdir_core::env::temporary_directory;
use memdir_core::history::short_ids::ShortIds;
use memdir_disk::throwaway_dir::ThrowawayDir;
use memdir_sync::remote::git::make_repository;

use super::Run;
use crate::exit::Exit;
use crate::world::World;

mod stage;
mod sweeper;
use stage::Stage;
use sweeper::Sweeper;

/// Show what memdir does, in a temporary home
#[derive(Debug, Parser)]
#[command(
    name = "demo",
    after_help = "Nothing of yours is read or changed. On a terminal the demo waits for Enter between scenes.

Examples:
  memdir demo
  memdir demo --no-pause"
)]
pub(crate) struct Demo {
    /// Do not wait between scenes
    #[arg(long)]
    no_pause: bool,
}

impl Run for Demo {
    fn run(self, world: &mut World) -> Result<Exit> {
        world.paging.set(false);
        let parent = temporary_directory(&world.vars);
        let home = ThrowawayDir::below(parent)
            .with_context(|| format!("cannot make a temporary home in `{parent}`"))?;
        // Ctrl-C ends this process before it could remove its home.
        let sweeper = Sweeper::of(home.path());
        let pauses = !self.no_pause && world.terminal.stdin && world.terminal.stdout;
        let mut stage = Stage::new(&home, pauses, world);
        say_it_once(&mut stage)?;
        an_agent_makes_a_mistake(&mut stage)?;
        duplicates(&mut stage)?;
        a_compaction(&mut stage)?;
        a_project_that_moves(&mut stage)?;
        two_people(&mut stage)?;
        let world = stage.into_world();
        let (setup, add) = (world.paint.code("memdir setup"), world.paint.code("memdir add TEXT"));
        writeln!(world.stdout, "That was a temporary home; it is gone now. Yours: {setup}, then {add}.")?;
        drop(sweeper);
        Ok(Exit::Yes)
    }
}

fn say_it_once(stage: &mut Stage<'_>) -> Result<()> {
    stage.scene("Say it once. It is a Markdown file, and your agent gets it when a prompt needs it.")?;
    stage.project("shop")?;
    stage.command("add \"Never use a float for money: prices are integer cents\"")?;
    stage.quietly("add \"The staging database is reset every Sunday at 03:00\"")?;
    stage.command("ls")?;
    stage.say("Your agent's prompt: \"add a money column for prices\" The hook adds:")?;
    stage.output("recall --prompt \"add a money column for prices\"", &["| "])
}

/// How many characters the id of an operation has.
const ID: usize = 18;

fn an_agent_makes_a_mistake(stage: &mut Stage<'_>) -> Result<()> {
    stage.scene("An agent removes the wrong memory. You undo that, and your later work stays.")?;
    stage.as_agent("rm never-float-money-prices")?;
    stage.quietly("add \"Deploy only from main\"")?;
    stage.command("log -n 2")?;
    let log = stage.run_json("log --json")?;
    let ids: Vec<String> = log
        .split(r#""id":""#)
        .filter(|rest| rest.as_bytes().get(ID) == Some(&b'"'))
        .filter_map(|rest| rest.get(..ID).map(str::to_owned))
        .collect();
    let wrong = ids.get(1).cloned().unwrap_or_default();
    stage.command(&format!("undo {}", ShortIds::among(ids).shorten(&wrong)))
}

fn duplicates(stage: &mut Stage<'_>) -> Result<()> {
    stage.scene(
        "Another session wrote the same thing down again. A dream merges the two; it can be undone.",
    )?;
    stage.quietly("add -n money-type \"Never use a float for money: prices are integer cents\"")?;
    stage.typed("memdir dream")?;
    stage.output("dream", &["memories", "repeated", "merged"])
}

fn a_compaction(stage: &mut Stage<'_>) -> Result<()> {
    stage.scene("The context is compacted. The journal gives your agent its task and decisions back.")?;
    stage.quietly("journal start")?;
    stage.quietly("journal task \"Show prices with tax\"")?;
    stage.quietly(
        "journal decide --title \"Round tax once\" --category implementation --decision \"On the total, never on each line.\"",
    )?;
    stage.say("After the compaction the hook adds:")?;
    stage.output("journal recover", &["Task", "| "])
}

fn a_project_that_moves(stage: &mut Stage<'_>) -> Result<()> {
    stage.scene("A project is renamed. Its memory is not lost.")?;
    stage.rename("shop", "webshop")?;
    stage.typed("memdir project adopt")?;
    stage.output("project adopt", &["Done"])?;
    stage.command("ls")
}

fn two_people(stage: &mut Stage<'_>) -> Result<()> {
    stage.scene("Ada and Bob edit the same memory offline. Both get one text, signed and merged.")?;
    if let Err(error) = make_repository(&stage.shared("team.git")) {
        return stage.say(&format!("This needs git: {error}."));
    }
    stage.at_machine_of("ada")?;
    stage.run("team init /srv/team.git --name Ada", "")?;
    stage.run(
        "add --type project --name release --description \"how we release\" --file -",
        "Run the tests.\nTag the commit.\nPush the tag.\n",
    )?;
    stage.quietly("team share release")?;
    stage.run("team sync", "")?;
    let invitation = stage.run("team invite", "")?;
    stage.at_machine_of("bob")?;
    let line = invitation.lines().next().unwrap_or_default();
    stage.run(&format!("team join {line} --name Bob --local"), "")?;
    let edit = |old: &str, new: &str| {
        format!(
            r#"{{"command": "str_replace", "path": "/memories/team/release.md", "old_str": "{old}", "new_str": "{new}"}}"#
        )
    };
    stage.typed("memdir edit release      # Run the tests twice.")?;
    stage.run("tool", &edit("Run the tests.", "Run the tests twice."))?;
    stage.at_machine_of("ada")?;
    stage.typed("memdir edit release      # Push the tag and tell everyone.")?;
    stage.run("tool", &edit("Push the tag.", "Push the tag and tell everyone."))?;
    for person in ["ada", "bob", "ada"] {
        stage.at_machine_of(person)?;
        stage.run("team sync", "")?;
    }
    stage.at_machine_of("bob")?;
    stage.say("After `memdir team sync` on both machines:")?;
    stage.typed("memdir show release")?;
    stage.output("show release", &["Run", "Tag", "Push"])
}
