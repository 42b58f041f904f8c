use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{
    ConfigError, ExtractBy, ProjectConfig, ReadConfig, RecallWhen, SecretsOnWrite, WriteMode, WriteScope,
    keys,
};
use crate::operation::StoreId;
use crate::other_agents::OtherAgent;

/// Reads a whole file.
pub(super) fn read(text: &str) -> Result<ReadConfig, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let table = DeTable::parse(text).map_err(|error| ConfigError {
        line: line_of(text, error.span().unwrap_or_default()),
        message: error.message().lines().next().unwrap_or("not valid TOML").to_owned(),
    })?;
    let mut reader = Reader { text, read: ReadConfig::default() };
    reader.top(table.get_ref())?;
    Ok(reader.read)
}

pub(super) struct Reader<'t> {
    text: &'t str,
    pub(super) read: ReadConfig,
}

pub(super) type Value<'t> = Spanned<DeValue<'t>>;

impl<'t> Reader<'t> {
    fn top(&mut self, table: &DeTable<'t>) -> Result<(), ConfigError> {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "writes" => self.writes(value)?,
                "secrets" => self.secrets(value)?,
                "history" => self.history(value)?,
                "features" => self.features(value)?,
                "projects" => self.projects(value)?,
                "model" => self.model(value),
                "recall" => self.recall(value)?,
                "extract" => self.read.config.extract = Some(self.one_of(value, "extract", &EXTRACT_BY)?),
                "import" => self.import(value)?,
                other => self.unknown(other, key.span()),
            }
        }
        Ok(())
    }

    fn writes(&mut self, value: &Value<'t>) -> Result<(), ConfigError> {
        let Some(table) = value.get_ref().as_table() else {
            self.read.config.writes.default = self.one_of(value, "writes", &MODES)?;
            return Ok(());
        };
        for (key, value) in table {
            let name = format!("writes.{}", key.get_ref());
            let scope = SCOPES.iter().find(|(word, _)| *word == key.get_ref().as_ref());
            match (key.get_ref().as_ref(), scope) {
                ("default", _) => self.read.config.writes.default = self.one_of(value, &name, &MODES)?,
                (_, Some((_, scope))) => {
                    let mode = self.one_of(value, &name, &MODES)?;
                    self.read.config.writes.by_scope.insert(*scope, mode);
                }
                _ => self.unknown(&name, key.span()),
            }
        }
        Ok(())
    }

    fn secrets(&mut self, value: &Value<'t>) -> Result<(), ConfigError> {
        for (key, value) in self.table(value, "secrets")? {
            let name = format!("secrets.{}", key.get_ref());
            match key.get_ref().as_ref() {
                "on_write" => self.read.config.secrets.on_write = self.one_of(value, &name, &ON_WRITE)?,
                _ => self.unknown(&name, key.span()),
            }
        }
        Ok(())
    }

    fn history(&mut self, value: &Value<'t>) -> Result<(), ConfigError> {
        for (key, value) in self.table(value, "history")? {
            let name = format!("history.{}", key.get_ref());
            match key.get_ref().as_ref() {
                "days" => self.read.config.history.days = self.count(value, &name)?,
                "megabytes" => self.read.config.history.megabytes = self.count(value, &name)?,
                _ => self.unknown(&name, key.span()),
            }
        }
        Ok(())
    }

    fn features(&mut self, value: &Value<'t>) -> Result<(), ConfigError> {
        for (key, value) in self.table(value, "features")? {
            let name = format!("features.{}", key.get_ref());
            let features = &mut self.read.config.features;
            let switch = match key.get_ref().as_ref() {
                "auto_memory" => &mut features.auto_memory,
                "session_search" => &mut features.session_search,
                "simple_prompt" => &mut features.simple_prompt,
                "team" => &mut features.team,
                "extract" => &mut features.extract,
                "extract_headless" => &mut features.extract_headless,
                "dream" => &mut features.dream,
                "snapshots" => &mut features.snapshots,
                "daily_logs" => &mut features.daily_logs,
                "usage" => &mut features.usage,
                "warnings" => &mut features.warnings,
                "branch_journal" => &mut features.branch_journal,
                _ => {
                    self.unknown(&name, key.span());
                    continue;
                }
            };
            match value.get_ref().as_bool() {
                Some(on) => *switch = on,
                None => return Err(self.error(value.span(), format!("`{name}` is `true` or `false`"))),
            }
        }
        Ok(())
    }

    fn recall(&mut self, value: &Value<'t>) -> Result<(), ConfigError> {
        let Some(table) = value.get_ref().as_table() else {
            self.read.config.recall.when = self.one_of(value, "recall", &WHEN)?;
            return Ok(());
        };
        for (key, value) in table {
            let name = format!("recall.{}", key.get_ref());
            match key.get_ref().as_ref() {
                "when" => self.read.config.recall.when = self.one_of(value, &name, &WHEN)?,
                "threshold" => {
                    let written = value.get_ref().as_float().map(toml::de::DeFloat::as_str);
                    let number = written.and_then(|written| written.parse::<f64>().ok());
                    let number = number.filter(|number| (0.0..=1.0).contains(number)).ok_or_else(|| {
                        self.error(value.span(), format!("`{name}` is a probability from 0.0 to 1.0"))
                    })?;
                    self.read.config.recall.threshold = Some((number * 1_000.0).round() as u16);
                }
                _ => self.unknown(&name, key.span()),
            }
        }
        Ok(())
    }

    fn import(&mut self, value: &Value<'t>) -> Result<(), ConfigError> {
        for (key, value) in self.table(value, "import")? {
            let name = format!("import.{}", key.get_ref());
            if key.get_ref() != "watch" {
                self.unknown(&name, key.span());
                continue;
            }
            let words = value.get_ref().as_array().map(|array| {
                array
                    .iter()
                    .map(|word| word.get_ref().as_str().map(str::to_owned))
                    .collect::<Option<Vec<_>>>()
            });
            let known = words.flatten().filter(|words| {
                words.iter().all(|word| OtherAgent::named(word).is_some_and(|agent| !agent.only_exports()))
            });
            self.read.config.watched_imports = known.ok_or_else(|| {
                self.error(value.span(), format!("`{name}` is a list of agents, such as [\"codex\"]"))
            })?;
        }
        Ok(())
    }

    fn projects(&mut self, value: &Value<'t>) -> Result<(), ConfigError> {
        for (store, value) in self.table(value, "projects")? {
            let name = format!("projects.{}", store.get_ref());
            if !StoreId::is_valid(store.get_ref()) {
                let line = line_of(self.text, store.span());
                self.read.warnings.push(format!("line {line}: `{name}` names no store, and is ignored"));
                continue;
            }
            let mut project = ProjectConfig::default();
            for (key, value) in self.table(value, &name)? {
                let name = format!("{name}.{}", key.get_ref());
                match key.get_ref().as_ref() {
                    "writes" => project.writes = Some(self.one_of(value, &name, &MODES)?),
                    _ => self.unknown(&name, key.span()),
                }
            }
            self.read.config.projects.insert(store.get_ref().to_string(), project);
        }
        Ok(())
    }

    pub(super) fn table<'v>(&self, value: &'v Value<'t>, name: &str) -> Result<&'v DeTable<'t>, ConfigError> {
        value.get_ref().as_table().ok_or_else(|| self.error(value.span(), format!("`{name}` is a table")))
    }

    /// A whole number from 1 on. Zero would forget everything at once, which no user means.
    fn count(&self, value: &Value<'t>, name: &str) -> Result<u32, ConfigError> {
        let written = value.get_ref().as_integer();
        let number = written.and_then(|written| u32::from_str_radix(written.as_str(), written.radix()).ok());
        number.filter(|number| (1..=MAX_COUNT).contains(number)).ok_or_else(|| {
            self.error(value.span(), format!("`{name}` is a whole number from 1 to {MAX_COUNT}"))
        })
    }

    pub(super) fn one_of<T: Copy>(
        &self,
        value: &Value<'t>,
        name: &str,
        choices: &[(&str, T)],
    ) -> Result<T, ConfigError> {
        let word = value.get_ref().as_str().unwrap_or_default();
        let found = choices.iter().find(|(choice, _)| *choice == word).map(|(_, meaning)| *meaning);
        found.ok_or_else(|| {
            let words: Vec<String> = choices.iter().map(|(choice, _)| format!("\"{choice}\"")).collect();
            self.error(value.span(), format!("`{name}` is one of {}", words.join(", ")))
        })
    }

    pub(super) fn unknown(&mut self, name: &str, span: Range<usize>) {
        let line = line_of(self.text, span);
        let meant = keys::nearest(name).map(|key| format!("; did you mean `{key}`?")).unwrap_or_default();
        self.read.warnings.push(format!("line {line}: unknown key `{name}`{meant}"));
    }

    pub(super) fn error(&self, span: Range<usize>, message: String) -> ConfigError {
        ConfigError { line: line_of(self.text, span), message }
    }
}

const MAX_COUNT: u32 = 1_000_000;

const MODES: [(&str, WriteMode); 3] =
    [("auto", WriteMode::Auto), ("review", WriteMode::Review), ("off", WriteMode::Off)];

const EXTRACT_BY: [(&str, ExtractBy); 4] = [
    ("off", ExtractBy::Off),
    ("rules", ExtractBy::Rules),
    ("ask", ExtractBy::Ask),
    ("model", ExtractBy::Model),
];

const WHEN: [(&str, RecallWhen); 3] =
    [("first", RecallWhen::First), ("every", RecallWhen::Every), ("off", RecallWhen::Off)];

const ON_WRITE: [(&str, SecretsOnWrite); 3] =
    [("warn", SecretsOnWrite::Warn), ("redact", SecretsOnWrite::Redact), ("block", SecretsOnWrite::Block)];

const SCOPES: [(&str, WriteScope); 5] = [
    ("memory", WriteScope::Memory),
    ("user", WriteScope::User),
    ("project", WriteScope::Project),
    ("local", WriteScope::Local),
    ("team", WriteScope::Team),
];

fn line_of(text: &str, span: Range<usize>) -> usize {
    let before = text.as_bytes().get(..span.start.min(text.len())).unwrap_or_default();
    memchr::memchr_iter(b'\n', before).count() + 1
}
