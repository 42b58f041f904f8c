//! `memdir demo`: the main job from beginning to end, in a home that is thrown away afterwards.

use std::io::Write;

use anyhow::{Context, Result};
use camino::Utf8PathBuf;
use clap::Parser;
use memdir_disk::throwaway_dir::ThrowawayDir;
use memdir_sync::remote::git::make_repository;

use super::Run;
use crate::arguments::Global;
use crate::exit::Exit;
use crate::world::World;

mod stage;
use stage::Stage;

/// Show what memdir does, in a throw-away home
#[derive(Debug, Parser)]
#[command(
    name = "demo",
    after_help = "Nothing of yours is read or changed.

Examples:
  memdir demo"
)]
pub(crate) struct Demo {
    #[command(flatten)]
    global: Global,
}

impl Run for Demo {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let parent =
            world.vars.get("TMPDIR").filter(|dir| dir.starts_with('/')).map_or("/tmp", String::as_str);
        let home = ThrowawayDir::below(&Utf8PathBuf::from(parent))
            .with_context(|| format!("cannot make a throw-away home in `{parent}`"))?;
        let mut stage = Stage::new(&home, world);
        stage.title("memdir keeps what your coding agent learns, in plain Markdown that you own.")?;
        where_memory_lives(&mut stage)?;
        remembering(&mut stage)?;
        taking_back(&mut stage)?;
        tidying(&mut stage)?;
        finding(&mut stage)?;
        inside_the_agent(&mut stage)?;
        going_on(&mut stage)?;
        a_project_that_moves(&mut stage)?;
        what_spans_projects(&mut stage)?;
        two_people_on_a_train(&mut stage)?;
        stage.title("That was a throw-away home; it is gone now.")?;
        let world = stage.into_world();
        let next = world.paint.code("memdir path");
        writeln!(world.stdout, "In a project of yours, start with {next}.")?;
        Ok(Exit::Yes)
    }
}

fn where_memory_lives(stage: &mut Stage<'_>) -> Result<()> {
    stage.heading("Where does this project's memory live, and who decided?")?;
    stage.project("shop")?;
    stage.command("path")?;
    stage.say("A project in git has one memory for all its directories and worktrees.")?;
    Ok(())
}

fn remembering(stage: &mut Stage<'_>) -> Result<()> {
    stage.heading("Memories are Markdown files with an index, exactly as the client keeps them.")?;
    stage.command(
        "add --type feedback --name prices --description \"money is integer cents\" --text \"Never a float for money.\"",
    )?;
    stage.command("add --type project --name freeze --description \"code freeze from 1 March\" --text \"See [[prices]].\"")?;
    stage.command("ls")?;
    stage.command("rename prices money")?;
    stage.say("The link in the other memory and the line in the index went along:")?;
    stage.command("show freeze")?;
    stage.command("load")?;
    stage.say("The last one is what your agent sees at the start of every session.")?;
    Ok(())
}

fn taking_back(stage: &mut Stage<'_>) -> Result<()> {
    stage.heading("Nothing is forgotten without a record.")?;
    stage.command("rm money")?;
    stage.command("log")?;
    stage.command("undo")?;
    stage.command("ls")?;
    Ok(())
}

fn tidying(stage: &mut Stage<'_>) -> Result<()> {
    stage.heading("Notes of the day become memories, and memory becomes tidy; no statement is lost.")?;
    stage.command("today add \"We decided to round prices up, because the bank does.\"")?;
    stage.command(
        "add --type feedback --name cents --description \"cents\" --text \"Never a float for money, please.\"",
    )?;
    stage.command("dream")?;
    stage.command("dream undo")?;
    stage.say("Undone: every byte is as it was.")?;
    Ok(())
}

fn finding(stage: &mut Stage<'_>) -> Result<()> {
    stage.heading("A few words find a memory; no model, no daemon.")?;
    stage.command("search float money")?;
    stage.command("context")?;
    stage.say("The last one is everything that the client gives your agent, in its order.")?;
    Ok(())
}

fn inside_the_agent(stage: &mut Stage<'_>) -> Result<()> {
    stage.heading("One command wires it into your agents, and one takes it out again.")?;
    stage.command("setup --dry-run claude")?;
    stage.say("From then on the agent asks by itself. This is what it gets with a prompt:")?;
    stage.told(r#"{"prompt": "Which type do we use for money?"}"#, "hook UserPromptSubmit")?;
    Ok(())
}

fn going_on(stage: &mut Stage<'_>) -> Result<()> {
    stage.heading(
        "A journal keeps decisions and the state of the work; after a compaction your agent goes on.",
    )?;
    stage.command("journal start")?;
    stage.command("journal task \"Show prices with tax\"")?;
    stage.command(
        "journal decide --title \"Round tax once\" --category implementation --decision \"On the total, never on each line.\"",
    )?;
    stage.command("journal recover")?;
    stage.say("The last one is what an agent is given when its context was compacted: quoted, dated, within a budget.")?;
    Ok(())
}

fn a_project_that_moves(stage: &mut Stage<'_>) -> Result<()> {
    stage.heading("A project is renamed. Its memory is not lost.")?;
    stage.command("project ls")?;
    stage.rename("shop", "webshop")?;
    stage.command("")?;
    stage.command("project adopt")?;
    stage.command("ls")?;
    Ok(())
}

fn what_spans_projects(stage: &mut Stage<'_>) -> Result<()> {
    stage.heading("Agents know your other projects, and you.")?;
    stage.command("workspace add --description \"the web shop\"")?;
    stage.command("workspace")?;
    stage.command("user update preferences --text \"Small commits\" --heading Git")?;
    stage.command("user update communication --observed --text \"Prefers short answers\"")?;
    stage.command("user confirm short answers")?;
    stage.say("What you say is stored at once; what an agent only noticed waits for your yes.")?;
    Ok(())
}

fn two_people_on_a_train(stage: &mut Stage<'_>) -> Result<()> {
    stage.heading(
        "Two people edit the same memory on a train. Back online, both their agents know everything.",
    )?;
    if let Err(error) = make_repository(&stage.shared("team.git")) {
        return stage.say(&format!("This needs git: {error}."));
    }
    stage.at_machine_of("ada")?;
    stage.command("team init /srv/team.git --name Ada")?;
    stage.told(
        "Run the tests.\nTag the commit.\nPush the tag.",
        "add --type project --name release --description \"how we release\" --file -",
    )?;
    stage.quietly("team share release", "team share release")?;
    stage.command("team sync")?;
    let invitation = stage.quietly("team invite", "team invite")?;
    let invitation = invitation.lines().next().unwrap_or_default();
    stage.at_machine_of("bob")?;
    let join = |invitation: &str| format!("team join {invitation} --name Bob --local");
    stage.quietly(&join(invitation), &join("memdir-invitation-1:…"))?;
    stage.say("No network from here on. Both change the memory, here with the tool that agents use.")?;
    let edit = |old: &str, new: &str| {
        format!(
            r#"{{"command": "str_replace", "path": "/memories/team/release.md", "old_str": "{old}", "new_str": "{new}"}}"#
        )
    };
    stage.told(&edit("Run the tests.", "Run the tests twice."), "tool")?;
    stage.at_machine_of("ada")?;
    stage.told(&edit("Push the tag.", "Push the tag and tell everybody."), "tool")?;
    stage.say("Online again:")?;
    for person in ["ada", "bob", "ada"] {
        stage.at_machine_of(person)?;
        stage.command("team sync")?;
    }
    for person in ["ada", "bob"] {
        stage.at_machine_of(person)?;
        stage.command("show release")?;
    }
    stage
        .say("One text from both, signed by whoever wrote it; neither of them has read a merge conflict.")?;
    Ok(())
}
