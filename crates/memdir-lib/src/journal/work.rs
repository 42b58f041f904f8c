use memdir_core::journal::stamp;
use memdir_core::journal::state::{
    ACTIVE_FILE, BLOCKERS_FILE, COMPLETED_FILE, Step, TASK_FILE, add_blocker, add_completed, change_steps,
    current_task, resolve_blockers, set_task,
};

use super::follow::News;
use super::{Journal, JournalError, Writer, Written};

impl Journal {
    /// Sets the task that is under way.
    ///
    /// # Errors
    /// The journal is not active, there is nothing to set, or the disk fails.
    pub fn set_task(&self, title: &str, details: &str, writer: &Writer<'_>) -> Result<Written, JournalError> {
        if title.trim().is_empty() {
            return Err(JournalError::Nothing("a task needs words"));
        }
        let content = set_task(title, details, &stamp(writer.now));
        self.change(TASK_FILE, &format!("task: {}", title.trim()), writer, |_| Ok(content.clone()))
    }

    /// Adds a blocker.
    ///
    /// # Errors
    /// As [`Journal::set_task`].
    pub fn block(&self, blocker: &str, writer: &Writer<'_>) -> Result<Written, JournalError> {
        if blocker.trim().is_empty() {
            return Err(JournalError::Nothing("a blocker needs words"));
        }
        let reason = format!("block: {}", blocker.trim());
        self.change(BLOCKERS_FILE, &reason, writer, |old| Ok(add_blocker(old, blocker, &stamp(writer.now))))
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
        let written = self.change(BLOCKERS_FILE, "resolve blockers", writer, |old| {
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
        self.change(ACTIVE_FILE, "progress", writer, |old| {
            change_steps(old, steps, &stamp(writer.now)).ok_or(JournalError::Nothing(
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
        let content = format!("{}\n", text.trim_end());
        self.change(ACTIVE_FILE, "progress", writer, |_| Ok(content.clone()))
    }

    /// Writes down that something is done: what is given, else the current task. Gives back what.
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
        let done = match what.map(str::trim).filter(|what| !what.is_empty()) {
            Some(what) => what.to_owned(),
            None => current_task(&task, &completed)
                .ok_or(JournalError::Nothing("there is no current task: say what is done"))?,
        };
        let written = self.change(COMPLETED_FILE, &format!("done: {done}"), writer, |old| {
            Ok(add_completed(old, &done, details, &stamp(writer.now)))
        })?;
        Ok((written, done))
    }

    fn change(
        &self,
        path: &str,
        reason: &str,
        writer: &Writer<'_>,
        mut change: impl FnMut(&str) -> Result<String, JournalError>,
    ) -> Result<Written, JournalError> {
        self.must_be_active()?;
        let mut content = String::new();
        let applied = self.update(writer, reason, path, |old| {
            content = change(old)?;
            Ok(content.clone())
        })?;
        let news = News::of(path, &content, writer);
        Ok(self.written(path.to_owned(), applied.warnings, news.as_slice(), writer))
    }
}
