//! `memdir add`: a new memory.

use std::io::Read;

use anyhow::{Context, Result, bail};
use camino::Utf8PathBuf;
use clap::Parser;
use memdir_core::look::Look;
use memdir_core::memory::memory_type::MemoryType;
use memdir_disk::real_look::RealLook;
use memdir_lib::memory::{MAX_FILE_BYTES, NewMemory};

use super::memory::{How, author, carry_out_planned};
use super::{Run, editor};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::report::WithHint;
use crate::world::World;

/// Add a memory and its line in the index
#[derive(Debug, Parser)]
#[command(
    name = "add",
    after_help = "Without a text, a terminal opens $EDITOR.

Examples:
  memdir add --type feedback --name tabs --description \"wants tabs\" --text \"Use tabs, never spaces.\"
  memdir add --type project --name freeze --description \"code freeze from 1 March\" --file notes.md \\
    --cue 'deploy, release, hotfix' --cue 'when may this ship'
  git log -1 --format=%B | memdir add --type project --name why-rust --description \"why Rust\" --file -"
)]
pub(crate) struct Add {
    /// user, feedback, project or reference
    #[arg(long = "type", value_name = "TYPE")]
    memory_type: String,
    /// What it is called
    #[arg(long)]
    name: String,
    /// What it is about, in one line
    #[arg(long)]
    description: String,
    /// Take the text from a file, or from standard input with -
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    file: Option<Utf8PathBuf>,
    /// The text
    #[arg(long)]
    text: Option<String>,
    /// A short phrase that says when it will be needed; may be given several times
    #[arg(long = "cue", value_name = "PHRASE")]
    cues: Vec<String>,
    /// Where to put it in the directory, instead of NAME.md
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    global: Global,
}

impl Run for Add {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let memory_type = MemoryType::parse(&self.memory_type);
        if !MemoryType::KNOWN.contains(&memory_type) {
            return Err(anyhow::anyhow!("there is no type `{}`", self.memory_type))
                .hint("the types are user, feedback, project and reference");
        }
        if self.name.trim().is_empty() {
            bail!("a memory needs a name");
        }
        let mut memory = self.how.which.open(world)?;
        let body = self.body(world)?;
        let author = author(world);
        let new = NewMemory {
            name: &self.name,
            description: &self.description,
            memory_type: &memory_type,
            body: &body,
            cues: &self.cues,
            path: self.path.as_deref(),
            session: author.session.as_deref(),
        };
        let now = world.now;
        carry_out_planned(&mut memory, &self.how, world, |memory| Ok(memory.plan_add(&new, now)?))
    }
}

impl Add {
    fn body(&self, world: &mut World) -> Result<String> {
        if let Some(text) = &self.text {
            return Ok(text.clone());
        }
        match &self.file {
            Some(file) if file == "-" => {
                let mut bytes = Vec::new();
                world.stdin.by_ref().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
                if bytes.len() as u64 > MAX_FILE_BYTES {
                    bail!("standard input is larger than {MAX_FILE_BYTES} bytes");
                }
                String::from_utf8(bytes).context("standard input is not valid UTF-8")
            }
            Some(file) => {
                let path = world.env()?.cwd.join(file);
                let bytes =
                    RealLook.read(&path, MAX_FILE_BYTES).with_context(|| format!("cannot read `{file}`"))?;
                String::from_utf8(bytes).with_context(|| format!("`{file}` is not valid UTF-8"))
            }
            None if world.terminal.stdin && world.terminal.stdout => {
                editor::edit(&self.name, "", world).map(|edited| edited.text)
            }
            None => Err(anyhow::anyhow!("there is no text to remember"))
                .hint("give it with --text, with --file FILE, or with --file - on standard input"),
        }
    }
}
