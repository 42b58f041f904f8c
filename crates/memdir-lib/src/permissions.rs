//! Where an agent's tools may read and write without a question: the places around a project.

use camino::Utf8Path;
use jiff::Timestamp;
use memdir_core::config::{WriteMode, WriteScope};
use memdir_core::env::Env;
use memdir_core::guarded_root::GuardedRoot;
use memdir_core::hook::ToolEdit;
use memdir_core::operation::Author;
use memdir_core::permissions::Places;
use memdir_core::rel_path::RelPath;
use memdir_core::tool_path::below;
use memdir_disk::real_look::RealLook;

use crate::journal::find_journal;
use crate::memory::{Extent, Memory, MemoryError, ToolVerdict, WRITES_OFF};
use crate::place::Place;

/// The places that decide about a path, the journal among them if there is one: from the client's `projects/` on no
/// link is followed.
#[must_use]
pub fn permitted_places(place: &Place, env: &Env) -> Places {
    let journal = find_journal(place, env);
    let config_dir = journal.directory.parent().and_then(|projects| projects.parent());
    let guarded = config_dir.map(|config| GuardedRoot::new(config, format!("projects/{}", journal.key)));
    Places {
        journal: guarded.filter(|_| journal.exists),
        ..Places::new(env, &place.settings, &place.location)
    }
}

/// What the user's rules say about a tool's change in a store beside the project's memory: the journal, the profile, the
/// map of projects, and what agents remember. The rules are those of the commands that write there.
///
/// # Errors
/// The settings or our state cannot be read.
pub fn judge_beside(
    edit: &ToolEdit,
    place: &Place,
    places: &Places,
    env: &Env,
    author: &Author,
    now: Timestamp,
) -> Result<ToolVerdict, MemoryError> {
    let inside = |root: &GuardedRoot| {
        let home = env.home.as_deref();
        let found = below(&edit.path, &root.path(), home);
        found.or_else(|| below(&edit.path, &root.real_path(&RealLook), home))
    };
    if let Some((root, rest)) = places.journal.as_ref().and_then(|root| Some((root, inside(root)?))) {
        return judge_in_journal(edit, &root.path(), &rest, place, env, author);
    }
    for root in &places.agents {
        if let Some((name, rest)) = inside(root).as_deref().and_then(|below| below.split_once('/')) {
            return judge_in(Memory::at_directory(&root.path().join(name), env)?, rest, edit, author, now);
        }
    }
    let config_dir = env.cwd.join(place.settings.config_dir());
    for extent in [Extent::Profile, Extent::User, Extent::Machine, Extent::Workspace] {
        let Some(directory) = extent.directory(&config_dir, env) else { continue };
        let is_ours = |rest: &String| extent != Extent::Workspace || rest == "workspace.md";
        if let Some(rest) = inside(&GuardedRoot::at(&directory)).filter(is_ours) {
            return judge_in(Memory::beside(extent, env)?, &rest, edit, author, now);
        }
    }
    Ok(ToolVerdict::NoObjection)
}

/// In a directory that is kept like a memory.
fn judge_in(
    mut memory: Memory,
    rest: &str,
    edit: &ToolEdit,
    author: &Author,
    now: Timestamp,
) -> Result<ToolVerdict, MemoryError> {
    match RelPath::parse(rest) {
        Ok(path) if path.is_markdown() => memory.judge_tool(&path, edit, author, now),
        // The client asks about any other file.
        _ => Ok(ToolVerdict::NoObjection),
    }
}

/// In the journal, whose changes wait for the user only if its own commands make them.
fn judge_in_journal(
    edit: &ToolEdit,
    directory: &Utf8Path,
    rest: &str,
    place: &Place,
    env: &Env,
    author: &Author,
) -> Result<ToolVerdict, MemoryError> {
    let memory = Memory::at_directory(directory, env)?;
    Ok(match memory.config()?.mode(author.kind, place.look_up.store.as_ref(), WriteScope::Memory) {
        WriteMode::Off => ToolVerdict::Deny(WRITES_OFF.to_owned()),
        WriteMode::Review => ToolVerdict::Deny(
            "The user reviews what agents write here (`writes = \"review\"`). Write it with `memdir journal`: then it waits for `memdir review`."
                .to_owned(),
        ),
        WriteMode::Auto => {
            let plan = RelPath::parse(rest).ok().map(|path| memory.tool_plan(&path, edit)).transpose()?;
            let verdict = plan.flatten().map(|plan| memory.secret_verdict(plan)).transpose()?;
            verdict.flatten().unwrap_or(ToolVerdict::NoObjection)
        }
    })
}
