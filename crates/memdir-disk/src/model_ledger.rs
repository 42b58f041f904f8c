//! What a model has cost so far, kept durably and changed by one process at a time, so that many of them together spend
//! no more than one may.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::civil::Date;
use memdir_core::model::budget::{Budget, Ledger, OverBudget, Reservation, Spent};

use crate::state_file;

/// The ledger of this user.
#[derive(Debug, Clone)]
pub struct ModelLedger {
    path: Utf8PathBuf,
}

/// Why nothing can be spent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// It would be too much.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The ledger cannot be read or written. Without it it is unknown what may be spent.
    #[error("what was spent on the model cannot be known, so it is not asked: cannot use `{path}`: {source}")]
    Unknown {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        source: io::Error,
    },
}

/// A ledger has a line for each of some months' days.
const MAX_BYTES: usize = 64 << 10;

impl ModelLedger {
    /// The ledger below our state.
    #[must_use]
    pub fn of(state_dir: &Utf8Path) -> Self {
        Self { path: state_dir.join("model/spent.json") }
    }

    /// What was spent so far.
    ///
    /// # Errors
    /// The file is there and cannot be understood.
    pub fn read(&self) -> Result<Ledger, LedgerError> {
        let content = state_file::read(&self.path, MAX_BYTES).map_err(|error| self.unknown(error))?;
        let Some(content) = content else { return Ok(Ledger::default()) };
        let ledger: Ledger = serde_json::from_slice(&content).map_err(|error| self.unknown(error.into()))?;
        if ledger.v > Ledger::VERSION {
            return Err(self.unknown(io::Error::other("a newer memdir wrote it")));
        }
        Ok(ledger)
    }

    /// Sets aside what a call can cost at most; durable before this returns, so that a crash counts as spent.
    ///
    /// # Errors
    /// The budget does not allow it, or it is unknown whether it does.
    pub fn reserve(&self, budget: &Budget, most: Spent, today: Date) -> Result<Reservation, LedgerError> {
        self.change(|ledger| Ok(ledger.reserve(budget, most, today)?))
    }

    /// Puts what a call really cost in the place of what was set aside.
    ///
    /// # Errors
    /// The ledger cannot be written; then what was set aside stays spent.
    pub fn settle(&self, reservation: &Reservation, actual: Spent) -> Result<(), LedgerError> {
        self.change(|ledger| {
            ledger.settle(reservation, actual);
            Ok(())
        })
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&mut Ledger) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let lock_path = Utf8PathBuf::from(format!("{}.lock", self.path));
        let lock = state_file::lock(&lock_path).map_err(|error| self.unknown(error))?;
        let Some(_lock) = lock else {
            return Err(self.unknown(io::Error::other("another process holds its lock")));
        };
        let mut ledger = self.read()?;
        let changed = change(&mut ledger)?;
        let content = serde_json::to_vec(&ledger).map_err(|error| self.unknown(error.into()))?;
        state_file::replace(&self.path, &content).map_err(|error| self.unknown(error))?;
        Ok(changed)
    }

    fn unknown(&self, source: io::Error) -> LedgerError {
        LedgerError::Unknown { path: self.path.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use memdir_core::model::budget::Tokens;

    use super::*;

    const DAY: Date = Date::constant(2026, 11, 16);

    #[test]
    fn many_at_once_spend_no_more_than_one_may() {
        let folder = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(folder.path()).unwrap();
        let budget = Budget { tokens_per_day: 1_000, ..Budget::default() };
        let cost = budget.cost(Tokens { input: 90, output: 10 });
        let allowed: usize = std::thread::scope(|scope| {
            let spend = || {
                let ledger = ModelLedger::of(state);
                (0..4).filter(|_| ledger.reserve(&budget, cost, DAY).is_ok()).count()
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(spend)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(allowed, 10);
        assert_eq!(ModelLedger::of(state).read().unwrap().day(DAY).tokens, 1_000);
    }

    #[test]
    fn a_ledger_that_cannot_be_read_lets_nothing_be_spent() {
        let folder = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(folder.path()).unwrap();
        let ledger = ModelLedger::of(state);
        let budget = Budget::default();
        let cost = budget.cost(Tokens { input: 1, output: 1 });
        let reservation = ledger.reserve(&budget, cost, DAY).unwrap();
        ledger.settle(&reservation, Spent::default()).unwrap();
        assert_eq!(ledger.read().unwrap().month(DAY), Spent::default());
        for broken in ["", "{\"v\":9,\"days\":{}}", "[]", "{\"v\":1,\"days\":{\"2026-99-01\":{}}}"] {
            std::fs::write(state.join("model/spent.json"), broken).unwrap();
            let error = ledger.reserve(&budget, cost, DAY).unwrap_err().to_string();
            assert!(error.starts_with("what was spent on the model cannot be known"), "{broken}: {error}");
        }
    }
}
