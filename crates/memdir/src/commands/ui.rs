//! `memdir ui`: the viewer in a browser.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use memdir_web::{Ended, ViewerOptions, serve};

use super::Run;
use super::memory::only_a_person;
use crate::exit::Exit;
use crate::world::{World, clock};

/// Show and edit memory in the browser
#[derive(Debug, Parser)]
#[command(
    name = "ui",
    after_help = "Listens on this machine alone and opens the browser with a link that works once. Ends with Ctrl-C, or after an
hour without a request. Every change goes through the same history as the commands: `memdir undo` undoes it.

Examples:
  memdir ui
  memdir ui --no-open
  memdir ui --port 4700"
)]
pub(crate) struct Ui {
    /// Print the link, and open no browser
    #[arg(long)]
    no_open: bool,
    /// Listen on this port instead of a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
}

/// After so long without a request the viewer ends.
const IDLE: Duration = Duration::from_secs(3_600);

impl Run for Ui {
    fn run(self, world: &mut World) -> Result<Exit> {
        only_a_person(world)?;
        let options = ViewerOptions { env: world.env()?, clock, port: self.port, idle: IDLE };
        let browser = if self.no_open { None } else { Some(world.vars.get("BROWSER").cloned()) };
        let is_first = AtomicBool::new(true);
        let tell = move |link: &str| {
            // The viewer works without a terminal, so a closed one is not an error.
            let _ = if is_first.swap(false, Ordering::Relaxed) {
                let opened = browser.as_ref().is_some_and(|browser| open(browser.as_deref(), link));
                let how = if opened { "Opened in your browser" } else { "Open this link; it works once" };
                writeln!(io::stdout(), "{how}: {link}")
                    .and_then(|()| writeln!(io::stderr(), "Ctrl-C ends the viewer."))
            } else {
                writeln!(io::stdout(), "For another browser: {link}")
            };
        };
        world.flush()?;
        let ended = serve(options, tell).with_context(|| match self.port {
            0 => "cannot start the viewer".to_owned(),
            port => format!("cannot listen on port {port} of this machine"),
        })?;
        if ended == Ended::Idle {
            writeln!(world.stdout, "The viewer stopped after an hour without a request.")?;
        }
        Ok(Exit::Yes)
    }
}

/// Opens a link with the first program that this system has for it.
fn open(browser: Option<&str>, link: &str) -> bool {
    let known = browser.filter(|browser| !browser.is_empty()).into_iter();
    known.chain(["xdg-open", "open", "wslview"]).any(|program| {
        let mut words = program.split_whitespace();
        let Some(name) = words.next() else { return false };
        let mut command = Command::new(name);
        command.args(words).arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    })
}
