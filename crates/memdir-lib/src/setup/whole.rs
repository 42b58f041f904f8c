//! Files that are ours as a whole: the nightly timer, and plugins of agents.

use camino::Utf8Path;
use memdir_core::wiring::{Agent, WholeContent, WholeFile, WholeRecord};
use memdir_disk::settings_file::{missing_dirs, remove_settings, replace_settings};
use memdir_disk::settings_link::{make_settings_link, read_settings_link, remove_settings_link};

use super::{FileChange, Mode, Outcome, Setup, SetupError, SetupReport, read_text};

impl Setup {
    /// Writes files that are ours as a whole, recorded under `owner`.
    pub(super) fn install_whole(
        &mut self,
        owner: &str,
        files: &[WholeFile],
        mode: Mode,
    ) -> Result<Outcome, SetupError> {
        let mut changes = Vec::new();
        let mut steps = Vec::new();
        // All or nothing: what cannot be done is found out before anything is.
        for file in files {
            let current = current(file)?;
            if current.as_ref() == Some(&file.content) {
                continue;
            }
            let record = self.manifest.whole.iter().find(|record| record.path == file.path);
            let is_ours = record.is_some_and(|record| current.as_ref() == Some(&record.content))
                || starts_alike(current.as_ref(), &file.content);
            if current.is_some() && !is_ours {
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
                let record = WholeRecord {
                    owner: owner.to_owned(),
                    path: file.path.clone(),
                    content: file.content.clone(),
                    made_dirs,
                };
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

    /// Takes away the files that are ours as a whole; a report for each of their owners.
    pub(super) fn uninstall_whole(&mut self, mode: Mode) -> Vec<SetupReport> {
        let mut reports: Vec<SetupReport> = Vec::new();
        // Backwards: a directory that was made for the first file is empty after the last is gone.
        for record in self.manifest.whole.clone().into_iter().rev() {
            let outcome = take_away(&record, mode).unwrap_or_else(Outcome::Failed);
            if mode == Mode::Do && !matches!(outcome, Outcome::Failed(_)) {
                self.manifest.whole.retain(|known| known.path != record.path);
            }
            match reports.iter_mut().find(|report| report.agent == record.owner) {
                Some(report) => report.add(outcome),
                None => reports.push(SetupReport::new(&record.owner, outcome)),
            }
        }
        reports
    }

    /// The files that an agent has of ours although nothing is written down about them.
    pub(super) fn unrecorded_whole(&self, agent: Agent) -> Vec<WholeRecord> {
        let files = agent.whole_files(&self.env, Utf8Path::new("memdir")).into_iter();
        let record = |file: WholeFile| {
            let found = current(&file).ok()??;
            let is_known = self.manifest.whole.iter().any(|record| record.path == file.path);
            (!is_known && starts_alike(Some(&found), &file.content)).then(|| WholeRecord {
                owner: agent.name().to_owned(),
                path: file.path,
                content: found,
                made_dirs: Vec::new(),
            })
        };
        files.filter_map(record).collect()
    }
}

/// Whether a file begins with the line that says that set-up wrote it.
fn starts_alike(found: Option<&WholeContent>, wanted: &WholeContent) -> bool {
    match (found, wanted) {
        (Some(WholeContent::Text(found)), WholeContent::Text(wanted)) => {
            let first = wanted.lines().next().unwrap_or_default();
            first.contains("memdir setup") && found.lines().next() == Some(first)
        }
        _ => false,
    }
}

pub(super) fn take_away(record: &WholeRecord, mode: Mode) -> Result<Outcome, SetupError> {
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

/// What is in the place of a file.
pub(super) fn current(file: &WholeFile) -> Result<Option<WholeContent>, SetupError> {
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
