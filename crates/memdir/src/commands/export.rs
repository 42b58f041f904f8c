//! `memdir export`: memories as an archive, or as a folder that Obsidian opens.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use clap::Parser;
use memdir_core::content_hash::ContentHash;
use memdir_core::look::Look;
use memdir_core::memory::vault::vault;
use memdir_core::rel_path::RelPath;
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;
use memdir_disk::settings_file::replace_settings;
use memdir_lib::journal::Journal;
use memdir_lib::memory::{Extent, Memory};
use memdir_lib::place::Place;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Run;
use super::import_archive::TEAM;
use crate::archive::{ArchiveFiles, ArchiveFormat};
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Write memories to an archive, or to a folder for Obsidian
#[derive(Debug, Parser)]
#[command(
    name = "export",
    after_help = "A name that ends in .tar.zst or .zip becomes an archive, which `memdir import FILE` takes over byte for byte: the project's
memory, its journal and your profile, with the hash of every file. With --all, the memory of every project, your memory for
all projects and your profile. What belongs to this machine alone or to a team
stays here, and so does the history without --history. Any other name becomes a
folder that opens as an Obsidian vault. Nothing that exists is replaced.

Examples:
  memdir export memory.tar.zst
  memdir export --all everything.zip
  memdir export vault"
)]
pub(crate) struct Export {
    /// The archive (.tar.zst or .zip), or a folder
    file: Utf8PathBuf,
    /// This project: its memory, its journal and your profile (the default)
    #[arg(long, conflicts_with = "all")]
    project: bool,
    /// Every project, your memory for all projects and your profile
    #[arg(long)]
    all: bool,
    /// Also the history of each memory directory, with every version
    #[arg(long)]
    history: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The name of the list of files in an archive.
pub(super) const MANIFEST: &str = "manifest.json";

/// What an archive holds.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) v: u32,
    pub(super) files: BTreeMap<String, ArchivedFile>,
}

/// One file in an archive.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(super) struct ArchivedFile {
    bytes: usize,
    blake3: String,
}

impl ArchivedFile {
    pub(super) fn of(content: &[u8]) -> Self {
        Self { bytes: content.len(), blake3: ContentHash::of(content).to_string() }
    }
}

impl Run for Export {
    fn run(self, world: &mut World) -> Result<Exit> {
        let path = world.env()?.cwd.join(&self.file);
        if RealLook.kind(&path).is_some() {
            bail!("`{}` exists already, and an export replaces nothing", self.file);
        }
        let format = ArchiveFormat::of(&path);
        let files = gather(self.all, self.history, world)?;
        if self.history && format.is_none() {
            bail!("--history needs an archive: a name that ends in .tar.zst or .zip");
        }
        let count = files.len();
        match format {
            Some(format) => replace_settings(&path, None, &format.pack(&with_manifest(files)?)?)?,
            None => write_vault(&path, world, self.all)?,
        }
        if self.json {
            return world.answer_json(&json!({"op": null, "paths": [path], "files": count}));
        }
        writeln!(world.stdout, "Written to {}: {count} files.", printable(self.file.as_str()))?;
        Ok(Exit::Yes)
    }
}

/// The directories that are exported, each with the folder that it gets.
fn stores(all: bool, world: &World) -> Result<Vec<(String, Memory)>> {
    let (env, flags) = (world.env()?, ClientFlags::default());
    let mut stores = vec![("profile".to_owned(), Memory::beside(Extent::Profile, &env)?)];
    if !all {
        stores.push(("memory".to_owned(), Memory::open(&env, &flags)?));
        let journal = Journal::open(&env, &flags)?;
        stores.push(("journal".to_owned(), Memory::at_directory(journal.directory(), &env)?));
        return Ok(stores);
    }
    stores.push(("user-memory".to_owned(), Memory::beside(Extent::User, &env)?));
    let projects = Place::find(&env, &flags)?.projects.projects_dir();
    for entry in RealLook.list(&projects) {
        let memory = projects.join(&entry.name).join("memory");
        if RealLook.kind(&memory) == Some(memdir_core::look::Kind::Dir) {
            stores.push((format!("projects/{}", entry.name), Memory::at_directory(&memory, &env)?));
        }
    }
    Ok(stores)
}

fn gather(all: bool, with_history: bool, world: &World) -> Result<ArchiveFiles> {
    let mut files = ArchiveFiles::new();
    for (folder, memory) in stores(all, world)? {
        let own = |path: &RelPath| {
            !path.as_str().split('/').next().is_some_and(|part| part.eq_ignore_ascii_case(TEAM))
        };
        let found = memory.all_files()?.into_iter().filter(|(path, _)| own(path));
        files.extend(found.map(|(path, content)| (format!("{folder}/{path}"), content)));
        if with_history && let Some(history) = memory.history_lines()? {
            files.insert(format!("history/{folder}.jsonl"), history);
        }
    }
    Ok(files)
}

fn with_manifest(mut files: ArchiveFiles) -> Result<ArchiveFiles> {
    let listed = files.iter().map(|(name, content)| (name.clone(), ArchivedFile::of(content)));
    let manifest = Manifest { v: 1, files: listed.collect() };
    files.insert(MANIFEST.to_owned(), serde_json::to_vec_pretty(&manifest)?);
    Ok(files)
}

/// Writes each directory as a folder of the vault; that of a single project is the vault itself.
fn write_vault(path: &Utf8Path, world: &World, all: bool) -> Result<()> {
    for (folder, memory) in stores(all, world)? {
        let folder = if folder == "memory" { path.to_owned() } else { path.join(folder) };
        for (name, content) in vault(&memory.all_files()?) {
            replace_settings(&folder.join(name.as_path()), None, &content)?;
        }
    }
    Ok(())
}
