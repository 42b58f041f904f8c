//! The options that every command takes.

use std::ffi::OsString;

use anyhow::{Context, Result, anyhow};
use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};
use jiff::Timestamp;
use memdir_core::look::{Kind, Look};
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;

use crate::output::Paint;
use crate::world::World;

// Options that are before or after the command's name. Three slashes would make this the help of every command.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Global {
    /// Act as if started in this directory
    #[arg(long, value_name = "DIR", global = true, help_heading = "Global options")]
    cwd: Option<OsString>,
    /// Colours: auto, always or never
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_possible_values = true,
        help_heading = "Global options"
    )]
    color: Color,
    /// Do not page long output
    #[arg(long, global = true, help_heading = "Global options")]
    no_pager: bool,
    /// Take this instant as now
    #[arg(long, value_name = "RFC3339", global = true, hide = true)]
    now: Option<Timestamp>,
}

/// The client's own options that change what it loads and where.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ClientOptions {
    /// As with the client's --bare: nothing but the model
    #[arg(long, help_heading = "Options of the client")]
    bare: bool,
    /// As with the client's --safe-mode
    #[arg(long, help_heading = "Options of the client")]
    safe_mode: bool,
    /// As with the client's --settings: an object, or a file that holds one
    #[arg(long, value_name = "JSON-OR-FILE", help_heading = "Options of the client")]
    settings: Option<String>,
    /// As with the client's --setting-sources: which of user, project and local count
    #[arg(long, value_name = "LIST", help_heading = "Options of the client")]
    setting_sources: Option<String>,
    /// As with the client's --agents: agents of one session, a JSON object by name
    #[arg(long, value_name = "JSON", help_heading = "Options of the client")]
    agents: Option<String>,
}

impl ClientOptions {
    /// The options as the core takes them.
    pub(crate) fn flags(&self) -> ClientFlags {
        ClientFlags {
            bare: self.bare,
            safe_mode: self.safe_mode,
            settings: self.settings.clone(),
            setting_sources: self.setting_sources.clone(),
            agents: self.agents.clone(),
            ..ClientFlags::default()
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Global {
    /// Puts what the options say into the world.
    pub(crate) fn apply(&self, world: &mut World) -> Result<()> {
        if let Some(now) = self.now {
            world.now = now;
            world.fixed_now = Some(now);
        }
        if let Some(directory) = &self.cwd {
            world.cwd = Ok(resolve_directory(directory, world)?);
        }
        match self.color {
            Color::Auto => {}
            Color::Always => world.paint = Paint::always(),
            Color::Never => world.paint = Paint::never(),
        }
        if self.no_pager {
            world.paging.set(false);
        }
        Ok(())
    }

    /// How many words a leading global option takes, or `None` if this is none.
    pub(crate) fn words(argument: &OsString) -> Option<usize> {
        let text = argument.to_str()?;
        let is = |name: &str| text == name;
        let carries = |name: &str| text.strip_prefix(name).is_some_and(|rest| rest.starts_with('='));
        if is("--no-pager") {
            return Some(1);
        }
        let names = ["--cwd", "--color", "--now"];
        if names.into_iter().any(is) { Some(2) } else { names.into_iter().any(carries).then_some(1) }
    }
}

fn resolve_directory(directory: &OsString, world: &World) -> Result<Utf8PathBuf> {
    let given = directory
        .to_str()
        .map(Utf8PathBuf::from)
        .ok_or_else(|| anyhow!("the directory `{}` is not valid UTF-8", directory.display()))?;
    let absolute = if given.is_absolute() { given.clone() } else { world.env()?.cwd.join(&given) };
    let real = RealLook.real_path(&absolute).with_context(|| {
        format!("cannot use `{given}` as working directory: it does not exist or is a loop of links")
    })?;
    match RealLook.kind(&real) {
        Some(Kind::Dir) => Ok(real),
        _ => Err(anyhow!("cannot use `{given}` as working directory: it is not a directory")),
    }
}
