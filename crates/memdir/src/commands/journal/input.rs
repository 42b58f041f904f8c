use std::io::Read;

use anyhow::{Context, Result, bail};
use camino::Utf8PathBuf;
use clap::Args;
use memdir_core::journal::record::{Kind, Record};
use memdir_core::look::Look;
use memdir_disk::real_look::RealLook;
use memdir_lib::journal::MAX_FILE_BYTES;

use super::super::editor;
use crate::report::WithHint;
use crate::world::World;

/// Where the text of a record comes from.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Input {
    /// Take the text from a file, or from standard input with -
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub(super) file: Option<Utf8PathBuf>,
    /// The text
    #[arg(long)]
    pub(super) text: Option<String>,
}

impl Input {
    /// The text, if one was given.
    pub(super) fn given(&self, world: &mut World) -> Result<Option<String>> {
        match (&self.text, &self.file) {
            (Some(text), _) => Ok(Some(text.clone())),
            (None, Some(file)) => read(file, world).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The text; where none was given, a terminal opens the editor on a template.
    pub(super) fn text(&self, template: &Template<'_>, world: &mut World) -> Result<String> {
        if let Some(text) = self.given(world)? {
            return Ok(text);
        }
        if world.terminal.stdin && world.terminal.stdout {
            return editor::write_new(template.name, &template.text(), world);
        }
        Err(anyhow::anyhow!("there is nothing to write down"))
            .hint("give it with flags, with --text, with --file FILE, or with --file - on standard input")
    }
}

/// What the editor shows first.
pub(super) struct Template<'t> {
    pub(super) name: &'t str,
    pub(super) title: &'t str,
    pub(super) kind: Kind,
    pub(super) fields: &'t [(&'t str, &'t str)],
}

impl Template<'_> {
    fn text(&self) -> String {
        let mut record = Record { title: self.title.to_owned(), ..Record::default() };
        for (name, value) in self.fields {
            record.set_field(name, value);
        }
        record.arrange(self.kind);
        record.to_string()
    }
}

/// Reads a file or standard input as text.
pub(in crate::commands) fn read(file: &Utf8PathBuf, world: &mut World) -> Result<String> {
    if file == "-" {
        let mut bytes = Vec::new();
        world.stdin.by_ref().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            bail!("standard input is larger than {MAX_FILE_BYTES} bytes");
        }
        return String::from_utf8(bytes).context("standard input is not valid UTF-8");
    }
    let path = world.env()?.cwd.join(file);
    let bytes = RealLook.read(&path, MAX_FILE_BYTES).with_context(|| format!("cannot read `{file}`"))?;
    String::from_utf8(bytes).with_context(|| format!("`{file}` is not valid UTF-8"))
}
