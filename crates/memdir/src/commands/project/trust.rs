//! `memdir project trust` and `forget`.

use std::io::Write;

use anyhow::{Result, anyhow};
use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::env::Env;
use memdir_core::locate::Trust;
use memdir_core::settings::ClientFlags;
use memdir_lib::place::Place;

use crate::commands::ask::confirm;
use crate::exit::Exit;
use crate::report::WithHint;
use crate::world::World;
use memdir_disk::real_path::real_path;

pub(super) fn trust(dir: Option<Utf8PathBuf>, revoke: bool, world: &mut World) -> Result<Exit> {
    let mut env = world.env()?;
    if let Some(dir) = dir {
        env.cwd = existing(&env, &dir)?;
    }
    let place = Place::find(&env, &ClientFlags::default())?;
    let memory_dir = &place.here.memory_dir;
    if let Trust::Never(refused) = &place.location.trust {
        return Err(anyhow!("`{memory_dir}` never qualifies as a memory directory: {refused}"))
            .hint("choose another directory with `autoMemoryDirectory` in your own settings");
    }
    place.projects.set_trusted(&place.here, !revoke, world.now)?;
    let verb = if revoke { "no longer writes" } else { "may write" };
    writeln!(world.stdout, "memdir {verb} the memory of {} in {memory_dir}", place.here.root)?;
    Ok(Exit::Yes)
}

pub(super) fn forget(dir: &Utf8Path, yes: bool, world: &mut World) -> Result<Exit> {
    if !confirm(&format!("Forget what the registry knows about `{dir}`?"), yes, world)? {
        return Ok(Exit::Failed);
    }
    let mut env = world.env()?;
    let place = Place::find(&env, &ClientFlags::default())?;
    let by_name = place.projects.projects_dir().join(dir).join("memory");
    let memory_dir = match place.projects.forget(&by_name)? {
        Some(record) => record.memory_dir,
        None => {
            env.cwd = existing(&env, dir).unwrap_or_else(|_| env.cwd.join(dir));
            let named = Place::find(&env, &ClientFlags::default())?;
            match named.projects.forget(&named.here.memory_dir)? {
                Some(record) => record.memory_dir,
                None => {
                    writeln!(world.stdout, "The registry knows nothing about {dir}.")?;
                    return Ok(Exit::Yes);
                }
            }
        }
    };
    writeln!(world.stdout, "Forgotten: {memory_dir}. No file of yours was touched.")?;
    Ok(Exit::Yes)
}

fn existing(env: &Env, dir: &Utf8Path) -> Result<Utf8PathBuf> {
    let path = env.cwd.join(dir);
    real_path(&path).map_err(|error| anyhow!("cannot use `{dir}` as project: {error}"))
}
