//! `memdir config`: the settings, where each value comes from, and how to change one.

use std::io::Write;

use anyhow::{Context, Result, anyhow, bail};
use camino::Utf8PathBuf;
use clap::{Parser, Subcommand};
use memdir_core::config::keys::{ConfigKey, KEYS, find, nearest};
use memdir_core::config::{Config as Settings, MAX_BYTES};
use memdir_disk::settings_file::{read_settings, replace_settings};
use serde::Serialize;
use serde_json::json;
use toml_edit::{DocumentMut, Item, Table, Value};

use super::Run;
use crate::exit::Exit;
use crate::output::{pad, printable, short_path};
use crate::report::WithHint;
use crate::world::World;

/// List, get, set and explain settings
#[derive(Debug, Parser)]
#[command(
    name = "config",
    after_help = "The settings are in one file, `~/.config/memdir/config.toml`. Nothing in a repository is ever a setting of memdir.
Comments and order of the file stay when a setting is changed.

Examples:
  memdir config
  memdir config get writes
  memdir config set writes review
  memdir config set extract ask
  memdir config unset extract
  memdir config explain secrets.on_write"
)]
pub(crate) struct Config {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the settings and where each value comes from, as without a subcommand
    #[command(alias = "ls", after_help = "Examples:\n  memdir config list")]
    List,
    /// Print one value; exits with 1 if it is not set and has no default
    #[command(after_help = "Examples:\n  memdir config get history.days")]
    Get {
        /// The key, such as features.team
        key: String,
    },
    /// Set one value
    #[command(
        after_help = "Examples:\n  memdir config set writes review\n  memdir config set history.days 365"
    )]
    Set {
        /// The key, such as features.team
        key: String,
        /// The value
        value: String,
    },
    /// Remove a value, so that the default counts
    #[command(after_help = "Examples:\n  memdir config unset writes")]
    Unset {
        /// The key, such as features.team
        key: String,
    },
    /// Say what a setting does and what it accepts
    #[command(after_help = "Examples:\n  memdir config explain\n  memdir config explain features.team")]
    Explain {
        /// The key; without one, all of them
        key: Option<String>,
    },
    /// Print the path of the file
    #[command(after_help = "Examples:\n  memdir config path")]
    Path,
}

/// A setting with its value.
#[derive(Debug, Serialize)]
struct Setting {
    key: String,
    value: Option<String>,
    /// `default`, or the line of the file.
    origin: String,
}

pub(super) struct ConfigFile {
    path: Utf8PathBuf,
    bytes: Option<Vec<u8>>,
    document: DocumentMut,
}

impl Run for Config {
    fn run(self, world: &mut World) -> Result<Exit> {
        let file = ConfigFile::read(world)?;
        match &self.action {
            None | Some(Action::List) => self.list(&file, world),
            Some(Action::Path) => {
                writeln!(world.stdout, "{}", file.path)?;
                Ok(Exit::Yes)
            }
            Some(Action::Get { key }) => self.get(key, &file, world),
            Some(Action::Explain { key }) => explain(key.as_deref(), world),
            Some(Action::Set { key, value }) => {
                known(key)?;
                let value = typed(key, value)?;
                file.change(key, Some(value), world)
            }
            Some(Action::Unset { key }) => {
                known(key)?;
                file.change(key, None, world)
            }
        }
    }
}

impl Config {
    fn list(&self, file: &ConfigFile, world: &mut World) -> Result<Exit> {
        let mut items: Vec<Setting> = KEYS.iter().map(|key| file.setting(key.name, Some(key))).collect();
        items.retain(|setting| setting.value.is_some());
        for store in file.stores() {
            items.push(file.setting(&format!("projects.{store}.writes"), None));
        }
        if self.json {
            return world.answer_json(&json!({"path": file.path, "items": items}));
        }
        let paint = world.paint;
        for setting in &items {
            let value = setting.value.as_deref().unwrap_or_default();
            let line = pad(&format!("{} = {}", printable(&setting.key), printable(value)), 40);
            let line = if setting.origin == "default" { line } else { paint.strong(&line) };
            writeln!(world.stdout, "{line}  {}", paint.quiet(&setting.origin))?;
        }
        let place = short_path(&file.path, world);
        let state = if file.bytes.is_some() { "" } else { " (does not exist yet)" };
        writeln!(
            world.stderr,
            "{place}{state}; {} says what each key does",
            paint.code("memdir config explain")
        )?;
        Ok(Exit::Yes)
    }

    fn get(&self, key: &str, file: &ConfigFile, world: &mut World) -> Result<Exit> {
        known(key)?;
        let setting = file.setting(key, find(key));
        let exit = if setting.value.is_some() { Exit::Yes } else { Exit::No };
        if self.json {
            world.print_json(&setting)?;
        } else if let Some(value) = &setting.value {
            writeln!(world.stdout, "{}", printable(value))?;
        }
        Ok(exit)
    }
}

fn explain(key: Option<&str>, world: &mut World) -> Result<Exit> {
    let paint = world.paint;
    if let Some(key) = key {
        known(key)?;
    }
    for known in KEYS.iter().filter(|known| key.is_none_or(|key| key == known.name)) {
        let default =
            if known.default.is_empty() { String::new() } else { format!("; default {}", known.default) };
        writeln!(world.stdout, "{}", paint.strong(known.name))?;
        writeln!(world.stdout, "  {}", known.meaning)?;
        writeln!(world.stdout, "  {}", paint.quiet(&format!("{}{default}", known.accepts)))?;
    }
    Ok(Exit::Yes)
}

/// Refuses a key that means nothing, with the one that was meant.
fn known(key: &str) -> Result<()> {
    let is_project = key.starts_with("projects.") && key.ends_with(".writes");
    if find(key).is_some() || is_project {
        return Ok(());
    }
    let error = Err(anyhow!("unknown key `{key}`"));
    match nearest(key) {
        Some(meant) => error.hint(format!("did you mean `{meant}`?")),
        None => error.hint("`memdir config explain` lists the keys"),
    }
}

/// The value as TOML has it: numbers, switches and lists as such, everything else as text.
fn typed(key: &str, value: &str) -> Result<Value> {
    let is_text = find(key).is_none_or(|key| {
        !matches!(key.accepts, "true or false" | "a list of words" | "a number" | "an amount")
            && !key.accepts.contains(" to ")
    });
    if is_text {
        return Ok(Value::from(value));
    }
    let accepts = find(key).map_or("", |key| key.accepts);
    value
        .parse::<Value>()
        .map_err(|_| anyhow!("`{value}` is not a value for `{key}`"))
        .hint(format!("it accepts {accepts}"))
}

impl ConfigFile {
    pub(super) fn read(world: &World) -> Result<Self> {
        let path =
            world.env()?.config_file().context("there is no home directory, so there is no config.toml")?;
        let bytes = read_settings(&path, MAX_BYTES)?;
        let text = String::from_utf8(bytes.clone().unwrap_or_default())
            .with_context(|| format!("`{path}` is not valid UTF-8"))?;
        let document = text.parse::<DocumentMut>().with_context(|| format!("`{path}` is not valid TOML"))?;
        Ok(Self { path, bytes, document })
    }

    fn stores(&self) -> Vec<String> {
        let projects = self.document.get("projects").and_then(Item::as_table_like);
        projects.map(|table| table.iter().map(|(store, _)| store.to_owned()).collect()).unwrap_or_default()
    }

    fn item(&self, key: &str) -> Option<&Item> {
        let mut item = self.document.as_item();
        for part in key.split('.') {
            item = item.as_table_like()?.get(part)?;
        }
        item.is_value().then_some(item)
    }

    fn setting(&self, key: &str, known: Option<&ConfigKey>) -> Setting {
        let text = String::from_utf8_lossy(self.bytes.as_deref().unwrap_or_default());
        let written = self.item(key).and_then(Item::as_value);
        match written {
            Some(value) => {
                let last = key.rsplit('.').next().unwrap_or(key);
                let line =
                    text.lines().position(|line| line.trim_start().starts_with(last)).map(|line| line + 1);
                let origin = line.map_or("config.toml".to_owned(), |line| format!("config.toml:{line}"));
                let shown = value.as_str().map_or_else(|| value.to_string().trim().to_owned(), str::to_owned);
                Setting { key: key.to_owned(), value: Some(shown), origin }
            }
            None => {
                let default = known.map(|known| known.default).filter(|default| !default.is_empty());
                Setting {
                    key: key.to_owned(),
                    value: default.map(str::to_owned),
                    origin: "default".to_owned(),
                }
            }
        }
    }

    /// Changes one value, if what comes out is a configuration that memdir accepts.
    fn change(mut self, key: &str, value: Option<Value>, world: &mut World) -> Result<Exit> {
        if !self.put(key, value)? {
            writeln!(world.stdout, "Nothing to change.")?;
            return Ok(Exit::Yes);
        }
        let place = short_path(&self.path, world);
        writeln!(world.stdout, "{} {}", world.paint.quiet("changed "), place)?;
        Ok(Exit::Yes)
    }

    /// The texts of a list; none if the file does not name the key.
    pub(super) fn words(&self, key: &str) -> Vec<String> {
        let list = self.item(key).and_then(Item::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Writes one value, or removes it; says whether that changed anything.
    pub(super) fn put(&mut self, key: &str, value: Option<Value>) -> Result<bool> {
        let parts: Vec<&str> = key.split('.').collect();
        let Some((last, tables)) = parts.split_last() else { bail!("a key is missing") };
        let mut table: &mut Table = self.document.as_table_mut();
        for part in tables {
            let entry = table.entry(part).or_insert_with(|| {
                let mut new = Table::new();
                new.set_implicit(true);
                Item::Table(new)
            });
            table =
                entry.as_table_mut().ok_or_else(|| anyhow!("`{part}` in `{}` is not a table", self.path))?;
        }
        match value {
            Some(value) => {
                let decor = table.get(last).and_then(Item::as_value).map(|old| old.decor().clone());
                let mut value = value;
                if let Some(decor) = decor {
                    *value.decor_mut() = decor;
                }
                table.insert(last, Item::Value(value));
            }
            None => {
                table.remove(last);
            }
        }
        let text = self.document.to_string();
        Settings::parse(&text).map_err(|error| anyhow!("{}", error.message))?;
        if Some(text.as_bytes()) == self.bytes.as_deref() || (self.bytes.is_none() && text.is_empty()) {
            return Ok(false);
        }
        replace_settings(&self.path, self.bytes.as_deref(), text.as_bytes())?;
        Ok(true)
    }
}
