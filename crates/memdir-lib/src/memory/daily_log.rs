use jiff::Timestamp;
use jiff::tz::TimeZone;
use memdir_core::config::WriteMode;
use memdir_core::operation::Author;
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_disk::memory_root::MemoryRoot;

use super::{Memory, MemoryError, Submitted, Wish};

/// What became of an addition to the daily log.
#[derive(Debug)]
pub enum Logged {
    /// It is in this file, durable.
    Added {
        /// The file.
        path: RelPath,
        /// What its author should know about what was written.
        warnings: Vec<String>,
    },
    /// It waits for the user, as the settings say.
    Submitted(Submitted),
}

impl Memory {
    /// The file of the daily log on the local day of a time.
    ///
    /// # Errors
    /// The day has no name that can be one of a file.
    pub fn daily_log(now: Timestamp, zone: &TimeZone) -> Result<RelPath, MemoryError> {
        let day = now.to_zoned(zone.clone()).date();
        Ok(RelPath::parse(&format!("logs/{:04}/{:02}/{day}.md", day.year(), day.month()))?)
    }

    /// Appends one record to today's log: durable when it returns. What others append at the same time stays.
    ///
    /// # Errors
    /// The settings or a rule forbid it, it holds a secret, or the system fails.
    pub fn add_to_daily_log(
        &mut self,
        text: &str,
        author: &Author,
        zone: &TimeZone,
        now: Timestamp,
    ) -> Result<Logged, MemoryError> {
        let path = Self::daily_log(now, zone)?;
        let before = self.read(&path)?;
        let wish = Wish::of(author);
        let reason = format!("add to the log of {}", now.to_zoned(zone.clone()).date());
        self.may_write()?;
        // The rule for secrets is about what this adds, not about the day so far.
        let (mode, screened, record) = self.gate(author, |gate| {
            gate.may_write()?;
            let screened = gate.screen(&record(text, now, zone), &format!("`{path}`"))?;
            let record = gate.admit_text(&screened.text, &format!("`{path}`"))?;
            Ok((gate.mode, screened, record))
        })?;
        if mode != WriteMode::Review {
            self.look(now)?;
            let root = MemoryRoot::open_or_create(self.directory())?;
            root.append(&path, &record)?;
            self.reopen();
            // The record is safe. What follows only says whose it is, before a look takes it for a stranger's.
            let mut warnings = screened.warnings;
            let recorded = self.read(&path).and_then(|after| {
                self.record_tool_write(&path, before.as_deref(), after.as_deref(), author.clone(), now)
            });
            if let Err(error) = recorded {
                warnings.push(format!("it is saved, but the history does not say by whom: {error}"));
            }
            return Ok(Logged::Added { path, warnings });
        }
        let record = record.into_inner();
        let whole = [before.clone().unwrap_or_default(), record.into_bytes()].concat();
        let mut plan = Plan::new(reason);
        plan.changes.push(Change::Write { path, content: Content(whole), base: before.map(Content) });
        Ok(Logged::Submitted(self.submit(&plan, &wish, now)?))
    }
}

/// One list item with its time; further lines belong to it.
fn record(text: &str, now: Timestamp, zone: &TimeZone) -> String {
    let time = now.to_zoned(zone.clone()).strftime("%H:%M").to_string();
    let mut lines = text.trim().lines().map(str::trim_end);
    let mut record = format!("- {time} {}\n", lines.next().unwrap_or_default());
    for line in lines {
        record.push_str(if line.is_empty() { "" } else { "  " });
        record.push_str(line);
        record.push('\n');
    }
    record
}
