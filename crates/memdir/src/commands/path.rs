//! `memdir path`: where this project's memory is, which rule decided, and whether we would write there.

use std::ffi::OsString;
use std::io::Write;

use anyhow::Result;
use camino::Utf8Path;
use clap::{Parser, Subcommand};
use memdir_core::project::encode_path::{Scheme, encode_with};
use serde::Serialize;

use super::Run;
use crate::arguments::{ClientOptions, Global};
use crate::exit::Exit;
use crate::world::World;

/// Say where this project's memory is, and which rule decided
#[derive(Debug, Parser)]
#[command(
    name = "path",
    args_conflicts_with_subcommands = true,
    after_help = "Standard output is the directory alone; the reasons go to standard error.

Examples:
  memdir path
  cd \"$(memdir path)\"
  memdir path --json
  memdir path encode /home/me/my_project"
)]
pub(crate) struct Path {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    client: ClientOptions,
    #[command(flatten)]
    global: Global,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the name of the directory that a path gets below `projects/`
    #[command(after_help = "Examples:
  memdir path encode /home/me/my_project
  memdir path encode --scheme observed-89 /home/me/my.project")]
    Encode {
        /// How versions of the client have encoded: current, cwd or observed-89
        #[arg(long, default_value = "current")]
        scheme: Scheme,
        /// The path, taken as it stands
        path: OsString,
    },
}
