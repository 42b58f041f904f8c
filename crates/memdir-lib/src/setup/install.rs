//! Making one agent's settings name memdir.

use camino::Utf8Path;
use memdir_core::content_hash::ContentHash;
use memdir_core::wiring::{
    Agent, FileRecord, Member, Wanted, find_foreign, is_wired, strict_problem, unwire, wire,
};
use memdir_disk::disk_error::DiskError;
use memdir_disk::real_look::RealLook;
use memdir_disk::settings_file::{missing_dirs, refuse_dangling, replace_settings};

use super::{FileChange, Mode, Outcome, PluginFile, Setup, SetupError, SetupReport, TRIES, at, read_text};

/// What a settings file needs.
enum Step {
    Nothing,
    Keep(String),
    Write { current: Option<String>, base: Option<String>, new: String },
}

impl Setup {
    /// Makes one agent start `program`; `plugin` are the files of the plugin for Claude Code.
    pub fn install(
        &mut self,
        agent: Agent,
        program: &Utf8Path,
        plugin: &[PluginFile],
        mode: Mode,
    ) -> SetupReport {
        let plugin_dir = self.dir.plugin_dir();
        let mut files = agent.wanted(&self.env, &RealLook, program, &plugin_dir);
        if !self.grants {
            files = files.into_iter().map(Wanted::without_permissions).collect();
        }
        let plugin = if agent.is_claude() { plugin } else { &[] };
        let mut report = SetupReport::new(agent.name(), Outcome::Unchanged);
        report.warnings.append(&mut self.warnings);
        let whole = agent.whole_files(&self.env, program);
        if files.is_empty() && whole.is_empty() {
            report.add(Outcome::Failed(SetupError::NoSettings));
        }
        // All or nothing: what cannot be done is found out before anything is.
        for wanted in &files {
            match self.install_file(agent.name(), wanted, plugin, Mode::DryRun) {
                Ok(Outcome::Unchanged | Outcome::Changed(_)) => {}
                outcome => {
                    report.add(outcome.unwrap_or_else(Outcome::Failed));
                    return report;
                }
            }
        }
        match self.install_whole(agent.name(), &whole, Mode::DryRun) {
            Ok(Outcome::Unchanged | Outcome::Changed(_)) => {}
            outcome => {
                report.add(outcome.unwrap_or_else(Outcome::Failed));
                return report;
            }
        }
        for wanted in &files {
            let outcome = self.install_file(agent.name(), wanted, plugin, mode);
            report.add(outcome.unwrap_or_else(Outcome::Failed));
            report.without_effect = report.without_effect.or_else(|| why_ignored(wanted));
        }
        report.add(self.install_whole(agent.name(), &whole, mode).unwrap_or_else(Outcome::Failed));
        report
    }

    /// Makes a settings file hold what it should, recorded under `owner`.
    pub(super) fn install_file(
        &mut self,
        owner: &str,
        wanted: &Wanted,
        plugin: &[PluginFile],
        mode: Mode,
    ) -> Result<Outcome, SetupError> {
        let mut changes = Vec::new();
        for _ in 0..TRIES {
            let step = self.step(wanted)?;
            if let Step::Keep(why) = step {
                return Ok(Outcome::Kept(why));
            }
            if !plugin.is_empty() && !self.dir.holds_plugin(plugin) {
                let path = self.dir.plugin_dir();
                changes.push(FileChange { path, before: None, after: None, is_folder: true });
                if mode == Mode::Do {
                    self.dir.write_plugin(plugin)?;
                }
            }
            let Step::Write { current, base, new } = step else { break };
            if mode == Mode::Do {
                match self.write(owner, wanted, current.as_deref(), base.as_deref(), &new) {
                    Ok(()) => {}
                    Err(SetupError::Disk(DiskError::Conflict { .. } | DiskError::Restless { .. })) => {
                        continue;
                    }
                    Err(error) => {
                        if !plugin.is_empty() && self.manifest.file(&wanted.path).is_none() {
                            self.dir.remove_plugin()?;
                        }
                        return Err(error);
                    }
                }
            }
            let path = wanted.path.clone();
            changes.push(FileChange { path, before: current, after: Some(new), is_folder: false });
            return Ok(Outcome::Changed(changes));
        }
        match self.step(wanted)? {
            Step::Nothing if changes.is_empty() => Ok(Outcome::Unchanged),
            Step::Nothing => Ok(Outcome::Changed(changes)),
            _ => Err(DiskError::Restless { path: wanted.path.clone() }.into()),
        }
    }

    fn step(&self, wanted: &Wanted) -> Result<Step, SetupError> {
        let Wanted { path, format, members, .. } = wanted;
        let current = read_text(path)?;
        if current.is_none() {
            refuse_dangling(path)?;
        }
        let record = self.manifest.file(path);
        let written = record.map_or(&[][..], |record| &record.members);
        let is_wired = |members: &[Member]| is_wired(*format, current.as_deref(), members).map_err(at(path));
        // What an earlier set-up wrote and this one does not want goes.
        let mut has_unwanted = false;
        for member in written.iter().filter(|member| !members.contains(member)) {
            has_unwanted |= is_wired(std::slice::from_ref(member))?;
        }
        if is_wired(members)? && !has_unwanted {
            return Ok(Step::Nothing);
        }
        if let Some(foreign) =
            find_foreign(*format, current.as_deref(), members, written).map_err(at(path))?
        {
            let why = match record {
                None => "is there already and was not made by memdir setup",
                Some(_) => "was changed since memdir setup wrote it, and stays as it is",
            };
            return Ok(Step::Keep(format!("`{}` in `{path}` {why}", foreign.name())));
        }
        let base = self.base_of(wanted, current.as_deref())?;
        let new = wire(*format, base.as_deref(), members).map_err(at(path))?;
        Ok(Step::Write { current, base, new })
    }

    /// What the file would hold if memdir had never been there.
    fn base_of(&self, wanted: &Wanted, current: Option<&str>) -> Result<Option<String>, SetupError> {
        let Some(current) = current else { return Ok(None) };
        let record = self.manifest.file(&wanted.path);
        let before = record.and_then(|record| self.backup(record.backup.as_deref()));
        if let Some(record) = record
            && record.after == ContentHash::of(current.as_bytes())
            && (record.backup.is_none() || before.is_some())
        {
            return Ok(before);
        }
        let members: &[Member] = record.map_or(&wanted.members, |record| &record.members);
        // Without a record the file as it is, is what its owner has; only what is ours is not.
        let before = before.or_else(|| record.is_none().then(|| current.to_owned()));
        unwire(wanted.format, current, before.as_deref(), members).map_err(at(&wanted.path))
    }

    fn write(
        &mut self,
        owner: &str,
        wanted: &Wanted,
        current: Option<&str>,
        base: Option<&str>,
        new: &str,
    ) -> Result<(), SetupError> {
        let path = &wanted.path;
        let known = self.manifest.file(path).cloned();
        let backup = base.map(|base| self.dir.keep_backup(path, base.as_bytes())).transpose()?;
        let made_dirs = known.as_ref().map_or_else(|| missing_dirs(path), |known| known.made_dirs.clone());
        self.manifest.put(FileRecord {
            agent: owner.to_owned(),
            path: path.clone(),
            format: wanted.format,
            backup,
            after: ContentHash::of(new.as_bytes()),
            members: wanted.members.clone(),
            made_dirs,
        });
        self.save_manifest()?;
        let written = replace_settings(path, current.map(str::as_bytes), new.as_bytes());
        if written.is_err() {
            match known {
                Some(known) => self.manifest.put(known),
                None => self.manifest.files.retain(|file| file.path != *path),
            }
            self.save_manifest()?;
        }
        Ok(written?)
    }
}

/// Why the agent ignores the file as it is, if it does.
pub(super) fn why_ignored(wanted: &Wanted) -> Option<String> {
    let text = if wanted.is_strict { read_text(&wanted.path).ok().flatten() } else { None };
    let problem = strict_problem(text.as_deref()?)?;
    Some(format!("{problem} in `{}`", wanted.path))
}
