use camino::Utf8Path;

use super::document::{self, Document, Void};
use super::{Layer, Level, SettingsError, SettingsWarning, trim};
use crate::look::{Look, LookError};

/// Collects what settings files say, lowest level first.
pub(super) struct Reader<'a> {
    look: &'a dyn Look,
    pub(super) layers: Vec<Layer>,
    pub(super) warnings: Vec<SettingsWarning>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(look: &'a dyn Look) -> Self {
        Self { look, layers: Vec::new(), warnings: Vec::new() }
    }

    /// A file that need not be there.
    pub(super) fn file(&mut self, level: Level, path: &Utf8Path) {
        match self.look.read(path, LIMIT) {
            Ok(bytes) => {
                let parsed = document::parse(&bytes);
                self.take(level, Some(path), parsed);
            }
            Err(LookError::NotFound) => {}
            Err(error) => self.warn(Some(path), None, error.to_string(), FILE_IGNORED),
        }
    }

    /// The value of `--settings`: an object if it looks like one, else the path of a file.
    pub(super) fn flag(&mut self, flag: Option<&str>, cwd: &Utf8Path) -> Result<(), SettingsError> {
        let Some(text) = flag.filter(|text| !text.is_empty()).map(trim) else { return Ok(()) };
        if text.starts_with('{') && text.ends_with('}') {
            let parsed = match document::parse(text.as_bytes()) {
                Err(Void::NotObject(problem)) => {
                    return Err(SettingsError::FlagNotJson { line: problem.line, problem: problem.what });
                }
                parsed => parsed,
            };
            self.take(Level::Flag, None, parsed);
            return Ok(());
        }
        let path = cwd.join(text);
        match self.look.read(&path, LIMIT) {
            Ok(bytes) => self.take(Level::Flag, Some(&path), document::parse(&bytes)),
            Err(source) => return Err(SettingsError::FlagFile { path, source }),
        }
        Ok(())
    }

    /// The main file of the administrator, then its parts in the order of their names.
    pub(super) fn managed(&mut self, directory: &Utf8Path) {
        self.file(Level::Managed, &directory.join("managed-settings.json"));
        let parts = directory.join("managed-settings.d");
        let mut names: Vec<String> = self.look.list(&parts).into_iter().map(|entry| entry.name).collect();
        names.retain(|name| name.ends_with(".json") && !name.starts_with('.'));
        names.sort_unstable();
        for name in names {
            self.file(Level::Managed, &parts.join(name));
        }
    }

    /// Files of the administrator fail the other way round: one wrong value leaves the rest in force, and what is
    /// no object at all keeps the client from starting.
    fn take(&mut self, level: Level, path: Option<&Utf8Path>, parsed: Result<Document, Void>) {
        let managed = level == Level::Managed;
        let document = match parsed {
            Ok(document) => document,
            Err(Void::NotObject(problem)) => {
                let consequence =
                    if managed { "the client does not start until it is fixed" } else { FILE_IGNORED };
                return self.warn(path, Some(problem.line), problem.what, consequence);
            }
            Err(Void::WrongTypes(problems, rest)) => {
                let consequence = if managed { "the client ignores this key" } else { FILE_IGNORED };
                for problem in problems {
                    self.warn(path, Some(problem.line), problem.what, consequence);
                }
                if !managed {
                    return;
                }
                *rest
            }
        };
        self.layers.push(Layer { level, document });
    }

    fn warn(
        &mut self,
        path: Option<&Utf8Path>,
        line: Option<usize>,
        problem: String,
        consequence: &'static str,
    ) {
        self.warnings.push(SettingsWarning {
            path: path.map(Utf8Path::to_owned),
            line,
            problem,
            consequence,
        });
    }
}

/// No settings file that a person wrote is longer.
const LIMIT: u64 = 4 * 1024 * 1024;
/// The client's answer to a file that it does not accept.
const FILE_IGNORED: &str = "the client ignores the whole file";
