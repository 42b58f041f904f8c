//! The timer that dreams at night, made and taken away.

use camino::Utf8Path;
use memdir_core::wiring::{NIGHTLY, Nightly, WholeFile, WholeRecord, nightly};
use memdir_disk::real_look::RealLook;

use super::whole::current;
use super::{Mode, Outcome, Setup, SetupError, SetupReport};

/// What became of the wish for a timer.
#[derive(Debug)]
pub enum NightlyReport {
    /// The platform's own timer, and what to type so that it runs from now on.
    Timer(SetupReport, &'static str),
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
        let outcome = self.install_whole(NIGHTLY, &files, mode).unwrap_or_else(Outcome::Failed);
        Ok(NightlyReport::Timer(SetupReport::new(NIGHTLY, outcome), start))
    }

    /// Whether the timer is there as it was made.
    #[must_use]
    pub fn has_nightly(&self) -> bool {
        let is_there = |record: &WholeRecord| {
            let file = WholeFile { path: record.path.clone(), content: record.content.clone() };
            current(&file).is_ok_and(|current| current.as_ref() == Some(&file.content))
        };
        let mut files = self.manifest.whole.iter().filter(|record| record.owner == NIGHTLY).peekable();
        files.peek().is_some() && files.all(is_there)
    }
}
