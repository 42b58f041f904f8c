//! Making agents' settings as if memdir had never been there.

use camino::Utf8Path;
use memdir_core::content_hash::ContentHash;
use memdir_core::wiring::{Agent, FileRecord, Format, Member, Wanted, find_foreign, noted_beside, unwire};
use memdir_disk::disk_error::DiskError;
use memdir_disk::real_look::RealLook;
use memdir_disk::settings_file::{remove_settings, replace_settings};

use super::collision::PROJECT;
use super::{FileChange, Mode, Outcome, Setup, SetupError, SetupReport, TRIES, at, read_text};

/// The name of the agent that loads our plugin.
const CLAUDE: &str = "claude";

impl Setup {
    /// Takes memdir out of every agent's settings that it is in, written down or not.
    pub fn uninstall(&mut self, mode: Mode) -> Vec<SetupReport> {
        let mut reports = Vec::new();
        // Backwards: a directory that was made for the first file of an agent is empty after the last is gone.
        for record in self.manifest.files.clone().into_iter().rev() {
            let outcome = self.take_out(&record, mode).unwrap_or_else(Outcome::Failed);
            if mode == Mode::Do && !matches!(outcome, Outcome::Failed(_)) {
                self.manifest.files.retain(|file| file.path != record.path);
            }
            let is_reversed = matches!(outcome, Outcome::Changed(_));
            push(&mut reports, &record.agent, outcome);
            if let (true, Some(apart), Some(report)) = (is_reversed, apart(&record), reports.last_mut()) {
                report.warnings.push(apart);
            }
        }
        reports.reverse();
        for agent in Agent::all() {
            self.manifest.whole.extend(self.unrecorded_whole(agent));
            for record in self.unrecorded(agent) {
                let outcome = self.take_out(&record, mode).unwrap_or_else(Outcome::Failed);
                push(&mut reports, agent.name(), outcome);
            }
        }
        for report in self.uninstall_whole(mode) {
            push(&mut reports, &report.agent, report.outcome);
        }
        if let Err(error) = self.finish(&mut reports, mode) {
            push(&mut reports, CLAUDE, Outcome::Failed(error));
        }
        if let Some(report) = reports.first_mut() {
            report.warnings.append(&mut self.warnings);
        }
        reports
    }

    /// Writes down what is left, and removes the plugin once no settings name it.
    fn finish(&self, reports: &mut Vec<SetupReport>, mode: Mode) -> Result<(), SetupError> {
        let plugin_dir = self.dir.plugin_dir();
        let failed = reports
            .iter()
            .any(|report| report.agent == CLAUDE && matches!(report.outcome, Outcome::Failed(_)));
        if plugin_dir.exists() && !failed {
            if mode == Mode::Do {
                self.dir.remove_plugin()?;
            }
            let change = FileChange { path: plugin_dir, before: None, after: None, is_folder: true };
            push(reports, CLAUDE, Outcome::Changed(vec![change]));
        }
        if mode == Mode::Do { self.save_manifest() } else { Ok(()) }
    }

    /// What an agent's settings hold of ours although nothing is written down about it.
    fn unrecorded(&self, agent: Agent) -> Vec<FileRecord> {
        let program = Utf8Path::new("memdir");
        let files = agent.wanted(&self.env, &RealLook, program, &self.dir.plugin_dir());
        files.into_iter().filter_map(|wanted| self.unrecorded_file(agent, wanted)).collect()
    }

    fn unrecorded_file(&self, agent: Agent, wanted: Wanted) -> Option<FileRecord> {
        if self.manifest.file(&wanted.path).is_some() {
            return None;
        }
        let text = read_text(&wanted.path).ok()??;
        // A plugin that is only switched on could come from anywhere; its marketplace says from where.
        if find_foreign(wanted.format, Some(&text), &wanted.members, &[]).ok()?.is_some() {
            return None;
        }
        let without_ours = unwire(wanted.format, &text, Some(&text), &wanted.members).ok()?;
        let noted = agent.is_claude() && !self.noted(&wanted.path).unwrap_or_default().is_empty();
        if without_ours.as_deref() == Some(&text) && !noted {
            return None;
        }
        Some(FileRecord {
            agent: agent.name().to_owned(),
            path: wanted.path,
            format: wanted.format,
            backup: None,
            after: ContentHash::of(b""),
            members: wanted.members,
            made_dirs: Vec::new(),
        })
    }

    fn take_out(&self, record: &FileRecord, mode: Mode) -> Result<Outcome, SetupError> {
        let mut changes = Vec::from_iter(self.take_out_file(record, mode)?);
        if record.agent == CLAUDE {
            changes.extend(self.take_out_noted(&record.path, mode)?);
        }
        Ok(if changes.is_empty() { Outcome::Unchanged } else { Outcome::Changed(changes) })
    }

    fn take_out_file(&self, record: &FileRecord, mode: Mode) -> Result<Option<FileChange>, SetupError> {
        for _ in 0..TRIES {
            let current = read_text(&record.path)?;
            let target = self.target(record, current.as_deref())?;
            if target == current {
                return Ok(None);
            }
            if mode == Mode::Do {
                // A user who added to our entry finds it among the backups.
                if let Some(current) = current.as_deref().filter(|text| !is_untouched(record, text)) {
                    self.dir.keep_backup(&record.path, current.as_bytes())?;
                }
                match put_back(record, current.as_deref(), target.as_deref()) {
                    Err(DiskError::Conflict { .. } | DiskError::Restless { .. }) => continue,
                    other => other?,
                }
            }
            let path = record.path.clone();
            return Ok(Some(FileChange { path, before: current, after: target, is_folder: false }));
        }
        Err(DiskError::Restless { path: record.path.clone() }.into())
    }

    /// What the file should hold: to the byte what it held, if no other program wrote since.
    fn target(&self, record: &FileRecord, current: Option<&str>) -> Result<Option<String>, SetupError> {
        let Some(current) = current else { return Ok(None) };
        let before = self.backup(record.backup.as_deref());
        if is_untouched(record, current) && (record.backup.is_none() || before.is_some()) {
            return Ok(before);
        }
        // A file that was there before us stays, even if its backup is gone.
        let was_there = record.backup.is_some() || record.after == ContentHash::of(b"");
        let kept = before.or_else(|| was_there.then(String::new));
        unwire(record.format, current, kept.as_deref(), &record.members).map_err(at(&record.path))
    }

    /// The entries by which the client itself remembers the plugin.
    fn noted(&self, settings: &Utf8Path) -> Result<Vec<FileChange>, SetupError> {
        let mut changes = Vec::new();
        for (path, member) in noted_beside(settings, &self.dir.plugin_dir()) {
            let Some(current) = read_text(&path)? else { break };
            let members: [Member; 1] = [member];
            let after = unwire(Format::Json, &current, Some(&current), &members).map_err(at(&path))?;
            if after.as_ref() == Some(&current) {
                break;
            }
            changes.push(FileChange { path, before: Some(current), after, is_folder: false });
        }
        Ok(changes)
    }

    fn take_out_noted(&self, settings: &Utf8Path, mode: Mode) -> Result<Vec<FileChange>, SetupError> {
        let changes = self.noted(settings)?;
        if mode == Mode::Do {
            for change in &changes {
                let after = change.after.as_deref().unwrap_or_default();
                replace_settings(
                    &change.path,
                    change.before.as_deref().map(str::as_bytes),
                    after.as_bytes(),
                )?;
            }
        }
        Ok(changes)
    }
}

/// Whether a file is as set-up left it.
fn is_untouched(record: &FileRecord, current: &str) -> bool {
    ContentHash::of(current.as_bytes()) == record.after
}

fn put_back(record: &FileRecord, current: Option<&str>, target: Option<&str>) -> Result<(), DiskError> {
    match (current, target) {
        (Some(current), None) => remove_settings(&record.path, current.as_bytes(), &record.made_dirs),
        (current, Some(target)) => {
            replace_settings(&record.path, current.map(str::as_bytes), target.as_bytes())
        }
        (None, None) => Ok(()),
    }
}

/// What becomes of the memory of a project that had been put apart.
fn apart(record: &FileRecord) -> Option<String> {
    let directory = record.members.first().filter(|_| record.agent == PROJECT)?.value.as_str()?;
    Some(format!("the memory in `{directory}` stays there, but the client no longer looks for it there"))
}

/// Adds to what is said about an agent already; every project is said for itself.
fn push(reports: &mut Vec<SetupReport>, agent: &str, outcome: Outcome) {
    match reports.iter_mut().find(|report| report.agent == agent && agent != PROJECT) {
        Some(report) => report.add(outcome),
        None => reports.push(SetupReport::new(agent, outcome)),
    }
}
