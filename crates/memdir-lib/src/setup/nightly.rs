//! The timer that dreams at night, made and taken away.

use camino::Utf8Path;
use memdir_core::wiring::{Nightly, WholeContent, WholeFile, WholeRecord, nightly};
use memdir_disk::real_look::RealLook;
use memdir_disk::settings_file::{missing_dirs, remove_settings, replace_settings};
use memdir_disk::settings_link::{make_settings_link, read_settings_link, remove_settings_link};

use super::{FileChange, Mode, Outcome, Report, Setup, SetupError, read_text};

/// Under whose name the timer is reported.
const NIGHTLY: &str = "nightly";

/// What became of the wish for a timer.
#[derive(Debug)]
pub enum NightlyReport {
    /// The platform's own timer, and what to type so that it runs from now on.
    Timer(Report, &'static str),
    /// There is none here: a line for the user's own crontab.
    Crontab(String),
    /// The platform's timers are made by a command: what to type.
    Command(String),
}

impl Setup {
    /// Makes a timer that runs `program dream --everywhere` every night. Starts nothing.
    ///
    /// # Errors
    /// Nothing says where the user's settings lie.
    pub fn install_nightly(&mut self, program: &Utf8Path, mode: Mode) -> Result<NightlyReport, SetupError> {
        let wanted = nightly(&self.env, &RealLook, program).ok_or(SetupError::NoSettings)?;
        let (files, start) = match wanted {
            Nightly::Crontab(line) => return Ok(NightlyReport::Crontab(line)),
            Nightly::Command(line) => return Ok(NightlyReport::Command(line)),
            Nightly::Files { files, start } => (files, start),
        };
        let outcome = self.install_whole(&files, mode).unwrap_or_else(Outcome::Failed);
        Ok(NightlyReport::Timer(Report::new(NIGHTLY, outcome), start))
    }

    fn install_whole(&mut self, files: &[WholeFile], mode: Mode) -> Result<Outcome, SetupError> {
        let mut changes = Vec::new();
        let mut steps = Vec::new();
        // All or nothing: what cannot be done is found out before anything is.
        for file in files {
            let current = current(file)?;
            if current.as_ref() == Some(&file.content) {
                continue;
            }
            let ours = self.manifest.whole.iter().find(|record| record.path == file.path);
            if current.is_some() && current.as_ref() != ours.map(|record| &record.content) {
                return Ok(Outcome::Kept(format!(
                    "`{}` is there already and was not made by memdir setup",
                    file.path
                )));
            }
            changes.push(change(&file.path, current.as_ref(), Some(&file.content)));
            steps.push((file, current));
        }
        if changes.is_empty() {
            return Ok(Outcome::Unchanged);
        }
        if mode == Mode::Do {
            for (file, current) in steps {
                let known = self.manifest.whole.iter().position(|record| record.path == file.path);
                let made_dirs = match known {
                    Some(at) => self.manifest.whole.remove(at).made_dirs,
                    None => missing_dirs(&file.path),
                };
                let record =
                    WholeRecord { path: file.path.clone(), content: file.content.clone(), made_dirs };
                self.manifest.whole.push(record);
                self.save_manifest()?;
                match (&file.content, &current) {
                    (WholeContent::Text(text), current) => {
                        let base = match current {
                            Some(WholeContent::Text(base)) => Some(base.as_bytes()),
                            _ => None,
                        };
                        replace_settings(&file.path, base, text.as_bytes())?;
                    }
                    (WholeContent::Link(target), current) => {
                        if let Some(WholeContent::Link(old)) = current {
                            remove_settings_link(&file.path, old, &[])?;
                        }
                        make_settings_link(&file.path, target)?;
                    }
                }
            }
        }
        Ok(Outcome::Changed(changes))
    }

    /// Whether the timer is there as it was made.
    #[must_use]
    pub fn has_nightly(&self) -> bool {
        let is_there = |record: &WholeRecord| {
            let file = WholeFile { path: record.path.clone(), content: record.content.clone() };
            current(&file).is_ok_and(|current| current.as_ref() == Some(&file.content))
        };
        !self.manifest.whole.is_empty() && self.manifest.whole.iter().all(is_there)
    }

    /// Takes the timer away; `None` if there is none of ours.
    pub(super) fn uninstall_nightly(&mut self, mode: Mode) -> Option<Report> {
        if self.manifest.whole.is_empty() {
            return None;
        }
        let mut report = Report::new(NIGHTLY, Outcome::Unchanged);
        // Backwards: a directory that was made for the first file is empty after the last is gone.
        for record in self.manifest.whole.clone().into_iter().rev() {
            let outcome = take_away(&record, mode).unwrap_or_else(Outcome::Failed);
            if mode == Mode::Do && !matches!(outcome, Outcome::Failed(_)) {
                self.manifest.whole.retain(|known| known.path != record.path);
            }
            report.add(outcome);
        }
        Some(report)
    }
}

fn take_away(record: &WholeRecord, mode: Mode) -> Result<Outcome, SetupError> {
    let file = WholeFile { path: record.path.clone(), content: record.content.clone() };
    let current = current(&file)?;
    match &current {
        None => return Ok(Outcome::Unchanged),
        Some(current) if *current != record.content => {
            return Ok(Outcome::Kept(format!(
                "`{}` was changed since memdir setup wrote it, and stays",
                record.path
            )));
        }
        Some(_) => {}
    }
    if mode == Mode::Do {
        match &record.content {
            WholeContent::Text(text) => remove_settings(&record.path, text.as_bytes(), &record.made_dirs)?,
            WholeContent::Link(target) => remove_settings_link(&record.path, target, &record.made_dirs)?,
        }
    }
    Ok(Outcome::Changed(vec![change(&record.path, current.as_ref(), None)]))
}

/// What stands in the place of a file.
fn current(file: &WholeFile) -> Result<Option<WholeContent>, SetupError> {
    Ok(match file.content {
        WholeContent::Text(_) => read_text(&file.path)?.map(WholeContent::Text),
        WholeContent::Link(_) => read_settings_link(&file.path)?.map(WholeContent::Link),
    })
}

fn change(path: &Utf8Path, before: Option<&WholeContent>, after: Option<&WholeContent>) -> FileChange {
    let text = |content: Option<&WholeContent>| {
        content.map(|content| match content {
            WholeContent::Text(text) => text.clone(),
            WholeContent::Link(target) => format!("link to {target}\n"),
        })
    };
    FileChange { path: path.to_owned(), before: text(before), after: text(after), is_folder: false }
}
