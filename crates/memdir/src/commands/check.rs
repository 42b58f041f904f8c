//! `memdir check`: questions that agents and scripts ask, answered yes or no.

use anyhow::Result;
use clap::{Parser, Subcommand};

use super::Run;
use crate::exit::Exit;
use crate::world::World;

mod memory;
mod path;
mod secrets;
mod verdict;
mod write;

/// Answer a question of an agent or a script with yes or no
#[derive(Debug, Parser)]
#[command(name = "check")]
pub(crate) struct Check {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, Subcommand)]
enum Question {
    Path(path::CheckPath),
    Write(write::CheckWrite),
    Memory(memory::CheckMemory),
    Secrets(secrets::CheckSecrets),
}

impl Run for Check {
    fn run(self, world: &mut World) -> Result<Exit> {
        match self.question {
            Question::Path(question) => question.run(world),
            Question::Write(question) => question.run(world),
            Question::Memory(question) => question.run(world),
            Question::Secrets(question) => question.run(world),
        }
    }
}
