//! `memdir tool`: the API's memory tool.

use std::io::Read;

use anyhow::Result;
use clap::Parser;
use memdir_core::memory::memory_tool::{Command, MemoryToolAnswer};
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::settings::ClientFlags;
use memdir_lib::memory_tool::run_memory_tool;
use memdir_lib::place::switched_off;
use memdir_lib::usage::note_read;

use super::Run;
use super::memory::{Which, author};
use crate::exit::Exit;
use crate::world::World;

/// A command longer than this is not read.
const MAX_COMMAND: u64 = 4 << 20;

/// Run one command of the API's memory tool
#[derive(Debug, Parser)]
#[command(
    name = "tool",
    after_help = "Reads one memory_20250818 command as JSON from standard input and answers with `content` and `is_error`.
`/memories` is the project's memory directory, or the one that --dir names.
Ask the model in your system prompt to give each file `cues` below `metadata`: three to eight short phrases
that say when it is needed. Recall finds it by them though no other word fits.

Examples:
  echo '{\"command\": \"view\", \"path\": \"/memories\"}' | memdir tool
  echo '{\"command\": \"create\", \"path\": \"/memories/a.md\", \"file_text\": \"x\"}' | memdir tool --dir ./notes"
)]
pub(crate) struct Tool {
    #[command(flatten)]
    which: Which,
}

impl Run for Tool {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut bytes = Vec::new();
        world.stdin.by_ref().take(MAX_COMMAND + 1).read_to_end(&mut bytes)?;
        let flags = ClientFlags::default();
        let answer = match String::from_utf8(bytes) {
            Ok(command) if command.len() as u64 > MAX_COMMAND => {
                MemoryToolAnswer::error(format!("Error: the command is larger than {MAX_COMMAND} bytes"))
            }
            Ok(_) if self.which.is_project() && switched_off(&world.env()?, &flags)?.is_some() => {
                MemoryToolAnswer::error(
                    "Error: memory is off here; `memdir path` says which rule switched it off",
                )
            }
            Ok(command) => {
                let mut memory = self.which.open(world)?;
                let answer = run_memory_tool(&mut memory, &command, &caller(world), world.now);
                if let (Some(path), false) = (viewed_file(&command), answer.is_error) {
                    let session = author(world).session;
                    note_read(&world.env()?, memory.directory().join(path), session.as_deref(), world.now);
                }
                answer
            }
            Err(_) => MemoryToolAnswer::error("Error: the command is not valid UTF-8"),
        };
        world.answer_json(&answer)
    }
}

/// The file that a command shows, below `/memories`; `None` for a folder and for every other command.
fn viewed_file(command: &str) -> Option<String> {
    match Command::parse(command) {
        Ok(Command::View { path, .. }) => {
            path.below().filter(|path| path.is_markdown()).map(ToString::to_string)
        }
        _ => None,
    }
}

/// The caller of this tool is a model, also if no client says so: a person has other commands.
fn caller(world: &World) -> Author {
    let author = author(world);
    match author.kind {
        AuthorKind::Person => {
            Author { kind: AuthorKind::Agent, id: Some("memory-tool".to_owned()), session: None }
        }
        _ => author,
    }
}
