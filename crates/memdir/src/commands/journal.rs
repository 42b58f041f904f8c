//! `memdir journal`: decisions, findings and progress of a project, kept so that an agent can go on after a compaction.

use anyhow::Result;
use clap::{Parser, Subcommand};
use memdir_lib::journal::{Journal as Kept, Writer};

use super::Run;
use super::memory::author;
use crate::arguments::ClientOptions;
use crate::exit::Exit;
use crate::world::World;

mod input;
pub(super) use input::read as read_text;
mod life;
mod migrate;
mod outcome;
mod read;
mod records;
mod recover;
mod subagent;
mod work;

/// Keep decisions and progress across compactions
#[derive(Debug, Parser)]
#[command(
    name = "journal",
    arg_required_else_help = true,
    after_help = "The journal is below the client's `projects/`, in a directory named after the project, in plain Markdown.

Examples:
  memdir journal start
  memdir journal task \"Move sessions to cookies\"
  memdir journal decide --title \"Use httpOnly cookies\" --category architecture --decision \"Scripts cannot read them.\"
  memdir journal recover
  memdir journal stop"
)]
pub(crate) struct Journal {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Start the journal of this project, or go on with it
    #[command(
        after_help = "Makes what is missing and leaves what is there.\n\nExamples:\n  memdir journal start\n  memdir journal start --json"
    )]
    Start(life::Life),
    /// Stop the journal; every file stays
    #[command(after_help = "Examples:\n  memdir journal stop")]
    Stop(life::Life),
    /// Say whether the journal is kept, and what it holds
    #[command(after_help = "Examples:\n  memdir journal status\n  memdir journal status --json")]
    Status(life::Life),
    /// Make index, archive and statistics anew from the records
    #[command(
        after_help = "What could not be understood is set aside, not overwritten; your own lines in the index stay.\n\nExamples:\n  memdir journal rebuild"
    )]
    Rebuild(life::Life),
    /// Bring a journal that an older protocol kept in the project to its place
    Migrate(migrate::Migrate),
    /// Describe the project, or show its description
    Project(records::Project),
    /// Write a decision down
    Decide(records::Decide),
    /// Write down what was found out about a file or component
    Analyze(records::Analyze),
    /// Say what is being done now
    Task(work::Task),
    /// Say what keeps the work from going on, or that it no longer does
    Block(work::Block),
    /// Add steps, check them off, or say how far the work is
    Progress(work::Progress),
    /// Say that something is done: the current task, if nothing else is named
    Done(work::Done),
    /// Write a note down
    Note(records::Note),
    /// Print the index: the state of the work, the last twenty files, where to look for what
    #[command(after_help = "Examples:\n  memdir journal index\n  memdir journal index --json")]
    Index(read::Index),
    /// Print one file of the journal
    Show(read::Show),
    /// List the records, newest first
    List(read::List),
    /// What sub-agents are told, and what they leave
    Subagent(subagent::Subagent),
    /// Take the outputs of sub-agents over into the index
    Consolidate(subagent::Consolidate),
    /// Print the comment by which an agent notices a compaction
    #[command(after_help = "Examples:\n  memdir journal breadcrumb")]
    Breadcrumb,
    /// Print what an agent needs to go on after a compaction
    Recover(recover::Recover),
}

impl Run for Journal {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut journal = Kept::open(&world.env()?, &ClientOptions::default().flags())?;
        match self.action {
            Action::Start(life) => life.start(&mut journal, world),
            Action::Stop(life) => life.stop(&mut journal, world),
            Action::Status(life) => life.status(&journal, world),
            Action::Rebuild(life) => life.rebuild(&journal, world),
            Action::Migrate(migrate) => migrate.run(&mut journal, world),
            Action::Project(project) => project.run(&journal, world),
            Action::Decide(decide) => decide.run(&journal, world),
            Action::Analyze(analyze) => analyze.run(&journal, world),
            Action::Task(task) => task.run(&journal, world),
            Action::Block(block) => block.run(&journal, world),
            Action::Progress(progress) => progress.run(&journal, world),
            Action::Done(done) => done.run(&journal, world),
            Action::Note(note) => note.run(&journal, world),
            Action::Index(index) => index.run(&journal, world),
            Action::Show(show) => show.run(&journal, world),
            Action::List(list) => list.run(&journal, world),
            Action::Subagent(subagent) => subagent.run(&journal, world),
            Action::Consolidate(consolidate) => consolidate.run(&journal, world),
            Action::Breadcrumb => recover::breadcrumb(&journal, world),
            Action::Recover(recover) => recover.run(&journal, world),
        }
    }
}

/// Does something as the author who runs the command, now.
fn as_writer<T>(world: &World, act: impl FnOnce(&Writer<'_>) -> T) -> T {
    let author = author(world);
    act(&Writer { author: &author, now: world.now })
}
