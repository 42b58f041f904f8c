use std::io::{Read, Write};

use anyhow::{Context, Result, bail};
use camino::Utf8Path;
use memdir_core::hygiene::{Reason, flag};
use memdir_core::look::Look;
use memdir_core::user::{Export, MAX_EXPORT_BYTES};
use memdir_disk::real_look::RealLook;
use memdir_disk::settings_file::replace_settings;
use memdir_lib::user::{Profile, ProfileEdit, ProfileError};
use serde_json::json;

use crate::commands::ask::ask;
use crate::commands::made::{Manner, preview, report};
use crate::commands::memory::author;
use crate::commands::plan_diff::print_diff;
use crate::exit::Exit;
use crate::world::World;

/// The whole profile in one file.
pub(super) fn export(profile: &Profile, file: Option<&Utf8Path>, world: &mut World) -> Result<Exit> {
    let export = profile.export(world.now)?;
    let mut text = serde_json::to_string_pretty(&export)?;
    text.push('\n');
    let Some(file) = file else {
        world.stdout.write_all(text.as_bytes())?;
        return Ok(Exit::Yes);
    };
    let path = world.env()?.cwd.join(file);
    if RealLook.kind(&path).is_some() {
        bail!("`{file}` exists already, and an export replaces nothing");
    }
    replace_settings(&path, None, text.as_bytes())?;
    let categories: Vec<&str> = export.files.keys().map(String::as_str).collect();
    writeln!(world.stdout, "Written to {file}: {}.", categories.join(", "))?;
    Ok(Exit::Yes)
}

/// Merges an export, after showing what that changes.
pub(super) fn import(
    mut profile: Profile,
    file: &str,
    yes: bool,
    manner: &Manner,
    world: &mut World,
) -> Result<Exit> {
    let bytes = if file == "-" {
        let mut bytes = Vec::new();
        world.stdin.by_ref().take(MAX_EXPORT_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_EXPORT_BYTES {
            bail!("standard input is larger than {MAX_EXPORT_BYTES} bytes");
        }
        bytes
    } else {
        let path = world.env()?.cwd.join(file);
        RealLook.read(&path, MAX_EXPORT_BYTES).with_context(|| format!("cannot read `{file}`"))?
    };
    let text = String::from_utf8(bytes).with_context(|| format!("`{file}` is not valid UTF-8"))?;
    let export = Export::parse(&text).map_err(ProfileError::from)?;
    let edit = ProfileEdit::Import(&export);
    let mut plan = profile.plan(&edit)?;
    plan.warnings.extend(suspicions(&export));
    let directory = profile.directory().to_owned();
    if manner.dry_run || plan.changes.is_empty() {
        world.warn_all(&plan.warnings)?;
        return preview(&plan, &directory, manner, json!({}), world);
    }
    if !manner.json {
        print_diff(&plan, world)?;
    }
    world.warn_all(&plan.warnings)?;
    // If standard input held the export, there is no terminal left to ask on.
    if !yes && file == "-" {
        bail!("the export came on standard input, so memdir cannot ask: pass --yes to confirm");
    }
    if !yes && !ask("Add this to your profile?", world)? {
        writeln!(world.stdout, "Nothing was imported.")?;
        return Ok(Exit::No);
    }
    let made = profile.change(&edit, &author(world), world.now)?;
    let done = |world: &mut World| {
        for change in &made.plan.changes {
            writeln!(world.stdout, "📝 Noted: {} (from the import)", change.path())?;
        }
        Ok(())
    };
    report(&made, &directory, manner, json!({}), done, world)
}

/// What looks like an attack on its reader.
fn suspicions(export: &Export) -> Vec<String> {
    let flagged = export.categories().filter_map(|(category, text)| {
        let reasons: Vec<&str> = flag(text).iter().copied().map(Reason::describe).collect();
        (!reasons.is_empty()).then(|| format!("look at {} first: {}", category.file(), reasons.join("; ")))
    });
    flagged.collect()
}
