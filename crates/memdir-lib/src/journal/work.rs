use memdir_core::journal::stamp;
use memdir_core::journal::state::{
    ACTIVE_FILE, BLOCKERS_FILE, COMPLETED_FILE, Step, TASK_FILE, add_blocker, add_completed, change_steps,
    current_task, is_other_task, is_placeholder, placeholder, resolve_blockers, set_task, step_lines,
};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;

use super::follow::News;
use super::gate::JournalGate;
use super::write::utf8;
use super::{Journal, JournalError, Writer, Written};

impl Journal {
    /// Sets the task that is under way. Steps of the task before end with it.
    ///
    /// # Errors
    /// The journal is not active, there is nothing to set, or the disk fails.
    pub fn set_task(&self, title: &str, details: &str, writer: &Writer<'_>) -> Result<Written, JournalError> {
        if title.trim().is_empty() {
            return Err(JournalError::Nothing("a task needs words"));
        }
        let mut gate = self.gate(writer)?;
        let (title, details) = (gate.text(title)?, gate.text(details)?);
        let content = set_task(&title, &details, &stamp(writer.now));
        self.change_files(&format!("task: {}", title.trim()), writer, gate, |read| {
            let mut changed = vec![(TASK_FILE, content.clone())];
            if is_other_task(&title, &read(TASK_FILE)?, &read(COMPLETED_FILE)?)
                && has_steps(&read(ACTIVE_FILE)?)
            {
                changed.push((ACTIVE_FILE, placeholder(ACTIVE_FILE).to_owned()));
            }
            Ok(changed)
        })
    }

    /// Adds a blocker.
    ///
    /// # Errors
    /// As [`Journal::set_task`].
    pub fn block(&self, blocker: &str, writer: &Writer<'_>) -> Result<Written, JournalError> {
        if blocker.trim().is_empty() {
            return Err(JournalError::Nothing("a blocker needs words"));
        }
        let mut gate = self.gate(writer)?;
        let blocker = gate.text(blocker)?;
        let reason = format!("block: {}", blocker.trim());
        self.change(BLOCKERS_FILE, &reason, writer, gate, |old| {
            Ok(add_blocker(old, &blocker, &stamp(writer.now)))
        })
    }

    /// Resolves the blockers that contain a text, or all of them; gives back which.
    ///
    /// # Errors
    /// As [`Journal::set_task`], and no blocker contains the text.
    pub fn unblock(
        &self,
        wanted: Option<&str>,
        writer: &Writer<'_>,
    ) -> Result<(Written, Vec<String>), JournalError> {
        let mut gone = Vec::new();
        let written = self.change(BLOCKERS_FILE, "resolve blockers", writer, self.gate(writer)?, |old| {
            let (changed, resolved) = resolve_blockers(old, wanted, &stamp(writer.now));
            if resolved.is_empty() {
                return Err(JournalError::Nothing("no open blocker says that"));
            }
            gone = resolved;
            Ok(changed)
        })?;
        Ok((written, gone))
    }

    /// Changes the list of steps, or says how far the work is.
    ///
    /// # Errors
    /// As [`Journal::set_task`], and there is no such step.
    pub fn progress(&self, steps: &[Step<'_>], writer: &Writer<'_>) -> Result<Written, JournalError> {
        if steps.is_empty() {
            return Err(JournalError::Nothing("there is no step to add or check off"));
        }
        let mut gate = self.gate(writer)?;
        let words = steps.iter().map(|step| match step {
            Step::Add(text) | Step::Check(text) | Step::Set(text) => gate.text(text),
        });
        let words = words.collect::<Result<Vec<String>, JournalError>>()?;
        let steps: Vec<Step<'_>> = steps
            .iter()
            .zip(&words)
            .map(|(step, text)| match step {
                Step::Add(_) => Step::Add(text),
                Step::Check(_) => Step::Check(text),
                Step::Set(_) => Step::Set(text),
            })
            .collect();
        self.change(ACTIVE_FILE, "progress", writer, gate, |old| {
            change_steps(old, &steps, &stamp(writer.now)).ok_or(JournalError::Nothing(
                "there is no such step; `memdir journal show progress/active.md` lists them",
            ))
        })
    }

    /// Replaces the whole list of steps.
    ///
    /// # Errors
    /// As [`Journal::set_task`].
    pub fn set_progress(&self, text: &str, writer: &Writer<'_>) -> Result<Written, JournalError> {
        if text.trim().is_empty() {
            return Err(JournalError::Nothing("there is no progress to write down"));
        }
        let mut gate = self.gate(writer)?;
        let content = format!("{}\n", gate.text(text)?.trim_end());
        self.change(ACTIVE_FILE, "progress", writer, gate, |_| Ok(content.clone()))
    }

    /// Writes down that something is done: what is given, else the current task. If it is the current task, that and
    /// its steps are cleared, and the steps are kept with what is done. Gives back what is done.
    ///
    /// # Errors
    /// As [`Journal::set_task`], and nothing is given while there is no task.
    pub fn done(
        &self,
        what: Option<&str>,
        details: &str,
        writer: &Writer<'_>,
    ) -> Result<(Written, String), JournalError> {
        let root = self.root()?;
        let task = self.text(&root, TASK_FILE)?.unwrap_or_default();
        let completed = self.text(&root, COMPLETED_FILE)?.unwrap_or_default();
        let task = current_task(&task, &completed);
        let mut gate = self.gate(writer)?;
        let details = gate.text(details)?;
        let done = match what.map(str::trim).filter(|what| !what.is_empty()) {
            Some(what) => gate.text(what)?,
            None => {
                task.clone().ok_or(JournalError::Nothing("there is no current task: say what is done"))?
            }
        };
        let ends_task = task.as_ref() == Some(&done);
        let written = self.change_files(&format!("done: {done}"), writer, gate, |read| {
            let mut told: Vec<String> = details.trim().lines().map(str::to_owned).collect();
            let active = read(ACTIVE_FILE)?;
            if ends_task {
                told.extend(step_lines(&active));
            }
            let now = stamp(writer.now);
            let completed = add_completed(&read(COMPLETED_FILE)?, &done, &told.join("\n"), &now);
            let mut changed = vec![(COMPLETED_FILE, completed)];
            if ends_task {
                changed.push((TASK_FILE, placeholder(TASK_FILE).to_owned()));
                if has_steps(&active) {
                    changed.push((ACTIVE_FILE, placeholder(ACTIVE_FILE).to_owned()));
                }
            }
            Ok(changed)
        })?;
        Ok((written, done))
    }

    fn change(
        &self,
        path: &'static str,
        reason: &str,
        writer: &Writer<'_>,
        gate: JournalGate,
        mut change: impl FnMut(&str) -> Result<String, JournalError>,
    ) -> Result<Written, JournalError> {
        self.change_files(reason, writer, gate, |read| Ok(vec![(path, change(&read(path)?)?)]))
    }

    /// Changes files of the state in one operation; `change` reads them and says what they shall hold, the main one
    /// first.
    fn change_files(
        &self,
        reason: &str,
        writer: &Writer<'_>,
        gate: JournalGate,
        mut change: impl FnMut(ReadState<'_>) -> Result<Vec<(&'static str, String)>, JournalError>,
    ) -> Result<Written, JournalError> {
        self.must_be_active()?;
        self.follow_branch(writer)?;
        let mut changed: Vec<(&'static str, String)> = Vec::new();
        let applied = self.apply(writer, |root| {
            changed = change(&|path| Ok(utf8(root, path)?.1))?;
            let mut plan = Plan::new(reason);
            for (path, content) in &changed {
                let (base, _) = utf8(root, path)?;
                let (path, content) = (RelPath::parse(path)?, content.as_str().into());
                plan.changes.push(Change::Write { path, content, base: base.map(Content) });
            }
            Ok(plan)
        })?;
        let news: Vec<News> =
            changed.iter().filter_map(|(path, content)| News::of(path, content, writer)).collect();
        let emptied = changed.iter().filter(|(path, content)| News::of(path, content, writer).is_none());
        let emptied: Vec<&str> = emptied.map(|(path, _)| *path).collect();
        let path = changed.first().map_or(TASK_FILE, |(path, _)| path).to_owned();
        let followed = self.follow(&news, &emptied, writer);
        Ok(Written { path, warnings: [gate.warnings, applied.warnings].concat(), followed })
    }
}

/// Reads a file of the state; an absent one is empty.
type ReadState<'r> = &'r dyn Fn(&str) -> Result<String, JournalError>;

fn has_steps(active: &str) -> bool {
    !active.trim().is_empty() && !is_placeholder(ACTIVE_FILE, active)
}
