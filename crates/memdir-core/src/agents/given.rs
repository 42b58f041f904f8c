//! Agents that are not files of the project or the user: given as JSON, or brought by a plugin.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

use crate::env::Env;
use crate::look::Look;

/// The largest settings file that is read for its agents.
const MAX_BYTES: u64 = 4 << 20;

/// The objects `name -> definition` below `agents` in the settings files of the directory, the nearest first, each with
/// its file.
pub(super) fn in_settings(
    env: &Env,
    config_dir: &Utf8Path,
    look: &dyn Look,
) -> Vec<(Utf8PathBuf, Map<String, Value>)> {
    let files = settings_files(env, config_dir);
    let objects = files.into_iter().rev().filter_map(|path| {
        let agents = read(&path, look)?.get_mut("agents")?.take();
        match agents {
            Value::Object(agents) => Some((path, agents)),
            _ => None,
        }
    });
    objects.collect()
}

/// The plugins that are installed and on: the name of each, and its folder of agents.
pub(super) fn plugins(env: &Env, config_dir: &Utf8Path, look: &dyn Look) -> Vec<(String, Utf8PathBuf)> {
    let installed = read(&env.cwd.join(config_dir).join("plugins/installed_plugins.json"), look);
    let Some(Value::Object(installed)) =
        installed.and_then(|mut whole| Some(whole.get_mut("plugins")?.take()))
    else {
        return Vec::new();
    };
    let mut enabled = Map::new();
    for path in settings_files(env, config_dir) {
        if let Some(Value::Object(named)) =
            read(&path, look).and_then(|mut file| Some(file.get_mut("enabledPlugins")?.take()))
        {
            enabled.extend(named);
        }
    }
    let is_on = |key: &str| enabled.get(key) == Some(&Value::Bool(true));
    let folder = |places: &Value| {
        let place = places.as_array()?.iter().find_map(|place| place.get("installPath")?.as_str())?;
        Some(Utf8Path::new(place).join("agents"))
    };
    let on = installed.iter().filter(|(key, _)| is_on(key));
    on.filter_map(|(key, places)| Some((key.split('@').next()?.to_owned(), folder(places)?))).collect()
}

/// The user's settings, the project's, the local ones: a later one beats an earlier one.
fn settings_files(env: &Env, config_dir: &Utf8Path) -> [Utf8PathBuf; 3] {
    [
        env.cwd.join(config_dir).join("settings.json"),
        env.cwd.join(".claude/settings.json"),
        env.cwd.join(".claude/settings.local.json"),
    ]
}

fn read(path: &Utf8Path, look: &dyn Look) -> Option<Value> {
    serde_json::from_slice(&look.read(path, MAX_BYTES).ok()?).ok()
}
