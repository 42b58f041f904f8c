//! `memdir import FILE`: what `memdir export` wrote, taken over byte for byte.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context, Result, anyhow, bail};
use camino::Utf8PathBuf;
use memdir_core::hygiene::{Reason, flag};
use memdir_core::memory::topic::decode;
use memdir_core::operation::OperationId;
use memdir_core::rel_path::RelPath;
use memdir_core::settings::ClientFlags;
use memdir_disk::settings_file::read_settings;
use memdir_lib::journal::{Journal, Writer};
use memdir_lib::memory::{Extent, MAX_FILE_BYTES, Memory, Submitted, Wish};
use memdir_lib::place::Place;
use serde::Serialize;

use super::export::{ArchivedFile, MANIFEST, Manifest};
use super::memory::{How, author};
use crate::archive::{ArchiveFiles, ArchiveFormat, MAX_BYTES};
use crate::exit::Exit;
use crate::output::printable;
use crate::report::WithHint;
use crate::world::World;

#[derive(Default, Serialize)]
struct ArchiveReport {
    op: Option<OperationId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    staged: Vec<String>,
    paths: Vec<Utf8PathBuf>,
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

/// Checks and plans all of an archive before anything is written, then takes it over, one operation a directory.
pub(super) fn import(
    file: &str,
    format: ArchiveFormat,
    how: &How,
    all: bool,
    world: &mut World,
) -> Result<Exit> {
    let path = world.env()?.cwd.join(file);
    let bytes = read_settings(&path, MAX_BYTES)?.ok_or_else(|| anyhow!("`{file}` does not exist"))?;
    let (files, team) =
        checked(format.unpack(&bytes)?)?.into_iter().partition(|(name, _)| !is_of_a_team(name));
    let mut report = ArchiveReport { dry_run: how.is_dry_run(), ..ArchiveReport::default() };
    let team: ArchiveFiles = team;
    report.warnings.extend(
        team.keys().map(|name| format!("`{name}` belongs to a team and comes with `memdir team sync`")),
    );
    let (mut planned, mut shown) = (Vec::new(), Vec::new());
    for (folder, part) in by_folder(files, all)? {
        let memory = open(&folder, world)?;
        let plan = memory.plan_unpack(&part.files, false)?;
        planned.push((folder, part, memory, plan));
    }
    for (folder, part, mut memory, mut plan) in planned {
        if folder == JOURNAL && !how.is_dry_run() && start_journal(world)? {
            memory = open(&folder, world)?;
            plan = memory.plan_unpack(&part.files, true)?;
        }
        report.warnings.extend(plan.warnings.iter().cloned());
        report.warnings.extend(part.files.iter().filter_map(|(path, content)| suspicion(path, content)));
        let directory = memory.directory().to_owned();
        report.paths.extend(plan.changes.iter().map(|change| directory.join(change.path().as_path())));
        if how.is_dry_run() || plan.changes.is_empty() {
            continue;
        }
        if let Some(history) = &part.history
            && !memory.take_history(history, world.now)?
        {
            report
                .warnings
                .push(format!("the history of `{folder}/` stays out: `{directory}` has one already"));
        }
        // With a history that says what was here, the directory must not be looked through before the files are.
        let author = author(world);
        let wish = Wish { look: part.history.is_none(), ..Wish::of(&author) };
        match memory.submit(&plan, &wish, world.now)? {
            Submitted::Applied(applied) => {
                report.op = report.op.or(applied.operation.map(|operation| operation.id));
                let added = applied.warnings.into_iter().filter(|added| !plan.warnings.contains(added));
                report.warnings.extend(added);
            }
            Submitted::Staged { id, .. } => {
                shown.push(memory.short_waiting_id(&id).to_owned());
                report.staged.push(id);
            }
            Submitted::Rejected => bail!("the user rejected this change before, so it is not proposed again"),
        }
    }
    print(&report, &shown, how.json, world)
}

/// What an archive holds for one directory.
#[derive(Default)]
struct Part {
    files: BTreeMap<RelPath, Vec<u8>>,
    history: Option<Vec<u8>>,
}

/// Whether a file lies in the folder of a team's memory, whose entries are signed and come from the team alone.
fn is_of_a_team(name: &str) -> bool {
    let below = match name.strip_prefix("projects/") {
        Some(rest) => rest.split_once('/').map(|(_, below)| below),
        None => name.strip_prefix("memory/"),
    };
    below.and_then(|below| below.split_once('/')).is_some_and(|(folder, _)| folder.eq_ignore_ascii_case(TEAM))
}

/// The folder of the journal in an archive.
const JOURNAL: &str = "journal";
/// The folder of a team's memory in a memory directory.
pub(super) const TEAM: &str = "team";
/// No list of files is longer: a hundred thousand names of three hundred bytes.
const MAX_MANIFEST: usize = 48 << 20;
/// No name of a project's directory is longer.
const MAX_SLUG: usize = 255;

/// Starts the project's journal if there is none, so that its directory is known as this project's.
fn start_journal(world: &World) -> Result<bool> {
    let mut journal = Journal::open(&world.env()?, &ClientFlags::default())?;
    if journal.exists() {
        return Ok(false);
    }
    journal.start(&Writer { author: &author(world), now: world.now })?;
    Ok(true)
}

fn print(report: &ArchiveReport, staged: &[String], json: bool, world: &mut World) -> Result<Exit> {
    if json {
        return world.answer_json(report);
    }
    let verb = if report.dry_run { "would add" } else { "added" };
    for path in &report.paths {
        writeln!(world.stdout, "{verb}  {}", printable(path.as_str()))?;
    }
    if report.paths.is_empty() {
        writeln!(world.stdout, "Nothing to add: all of it is here.")?;
    }
    for id in staged {
        writeln!(world.stdout, "Nothing is changed yet: the change waits for `memdir review` as {id}.")?;
    }
    world.warn_all(&report.warnings)?;
    Ok(Exit::Yes)
}

/// The files of an archive whose list names exactly these, with these bytes.
fn checked(mut files: ArchiveFiles) -> Result<ArchiveFiles> {
    let manifest = files.remove(MANIFEST).ok_or_else(|| anyhow!("the archive has no {MANIFEST}"))?;
    if manifest.len() > MAX_MANIFEST {
        bail!("{MANIFEST} has {} bytes; at most {MAX_MANIFEST} are read", manifest.len());
    }
    let manifest: Manifest =
        serde_json::from_slice(&manifest).with_context(|| format!("{MANIFEST} cannot be understood"))?;
    if manifest.v != 1 {
        bail!("the archive has version {}, and this memdir reads version 1", manifest.v);
    }
    if let Some(missing) = manifest.files.keys().find(|name| !files.contains_key(*name)) {
        bail!("`{missing}` is missing in the archive");
    }
    for (name, content) in &files {
        match manifest.files.get(name) {
            None => bail!("`{name}` is not in the archive's {MANIFEST}"),
            Some(listed) if *listed != ArchivedFile::of(content) => {
                bail!("`{name}` in the archive differs from its hash")
            }
            Some(_) => {}
        }
    }
    Ok(files)
}

/// What an archive holds by the folder that names a directory. A name that no memory could have is refused with the whole
/// archive, and so is what belongs to other projects unless the user asked for it.
fn by_folder(files: ArchiveFiles, all: bool) -> Result<BTreeMap<String, Part>> {
    let mut parts: BTreeMap<String, Part> = BTreeMap::new();
    for (name, content) in files {
        let unknown = || anyhow!("`{name}` in the archive belongs to no memory");
        if let Some(folder) = name.strip_prefix("history/").and_then(|rest| rest.strip_suffix(".jsonl")) {
            parts.entry(folder.to_owned()).or_default().history = Some(content);
            continue;
        }
        let (mut folder, mut rest) = name.split_once('/').ok_or_else(unknown)?;
        if folder == "projects" {
            let (slug, below) = rest.split_once('/').ok_or_else(unknown)?;
            let is_plain = slug.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            if !is_plain || slug.len() > MAX_SLUG {
                return Err(unknown());
            }
            folder = name.get(..folder.len() + 1 + slug.len()).unwrap_or_default();
            rest = below;
        }
        if !all && !["memory", JOURNAL, "profile"].contains(&folder) {
            return Err(anyhow!("the archive holds memory of other projects: `{name}`"))
                .hint("`--all` takes it over; `--dry-run --all` shows what that adds");
        }
        let path = RelPath::parse(rest).with_context(|| format!("`{name}` in the archive is refused"))?;
        if !path.is_markdown() {
            return Err(unknown());
        }
        if content.len() as u64 > MAX_FILE_BYTES {
            bail!(
                "`{name}` in the archive has {} bytes; a memory has at most {MAX_FILE_BYTES}",
                content.len()
            );
        }
        parts.entry(folder.to_owned()).or_default().files.insert(path, content);
    }
    // A history without files has no directory that it belongs to.
    parts.retain(|_, part| !part.files.is_empty());
    Ok(parts)
}

/// The directory that takes over a folder of an archive.
fn open(folder: &str, world: &World) -> Result<Memory> {
    let (env, flags) = (world.env()?, ClientFlags::default());
    Ok(match folder {
        "memory" => Memory::open(&env, &flags)?,
        JOURNAL => Memory::at_directory(Journal::open(&env, &flags)?.directory(), &env)?,
        "profile" => Memory::beside(Extent::Profile, &env)?,
        "user-memory" => Memory::beside(Extent::User, &env)?,
        _ => match folder.strip_prefix("projects/") {
            Some(slug) => {
                let projects = Place::find(&env, &flags)?.projects.projects_dir();
                Memory::at_directory(&projects.join(slug).join("memory"), &env)?
            }
            None => bail!("`{folder}/` in the archive belongs to no memory"),
        },
    })
}

fn suspicion(path: &RelPath, content: &[u8]) -> Option<String> {
    let reasons: Vec<&str> = flag(&decode(content).0).iter().copied().map(Reason::describe).collect();
    (!reasons.is_empty()).then(|| format!("look at `{path}` first: {}", reasons.join("; ")))
}
