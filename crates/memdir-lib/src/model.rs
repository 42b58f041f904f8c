//! Asking the model that the user named: within its budget, once, and without believing the answer.

use camino::Utf8PathBuf;
use jiff::civil::Date;
use memdir_core::env::Env;
use memdir_core::model::answer::{self, AnswerError};
use memdir_core::model::budget::{Ledger, Spent, Tokens};
use memdir_core::model::{Call, ModelChoice, ModelSettings, Question};
use memdir_disk::model_ledger::{LedgerError, ModelLedger};
use serde_json::Value;

use crate::memory::{MemoryError, read_config};

/// Brings a call to where it goes and the answer back. The library itself has no network.
pub type Transport<'t> = dyn Fn(&Call, &ModelSettings) -> Result<Vec<u8>, TransportError> + 't;

/// Why no answer came back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TransportError {
    /// What went wrong, without any key in it.
    pub message: String,
    /// Whether the provider cannot have counted anything: it was not reached, or refused the call.
    pub is_free: bool,
}

/// A model that may be asked.
pub struct Model<'m> {
    settings: ModelSettings,
    ledger: ModelLedger,
    today: Date,
    transport: &'m Transport<'m>,
}

/// Why there is no answer. The caller goes on by rules.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The budget does not allow the call, or it is not known whether it does.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// No answer came back.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// What came back is not an answer.
    #[error(transparent)]
    Answer(#[from] AnswerError),
}

/// Tokens have about so many bytes, if no count is given.
const BYTES_A_TOKEN: u64 = 3;

impl<'m> Model<'m> {
    /// The user's model, to be asked on `today` by the local calendar.
    #[must_use]
    pub fn new(
        settings: ModelSettings,
        state_dir: &camino::Utf8Path,
        today: Date,
        transport: &'m Transport<'m>,
    ) -> Self {
        Self { settings, ledger: ModelLedger::of(state_dir), today, transport }
    }

    /// What to call it.
    #[must_use]
    pub fn label(&self) -> &str {
        self.settings.label()
    }

    /// Asks once. What the call can cost is set aside before, and corrected after by what the provider counted.
    ///
    /// # Errors
    /// There is no answer, for one of the reasons of [`ModelError`]. It is never asked again by itself.
    pub fn ask(&self, question: &Question) -> Result<Value, ModelError> {
        let budget = &self.settings.budget;
        let most = question.most_tokens(&self.settings);
        let reservation = self.ledger.reserve(budget, budget.cost(most), self.today)?;
        let call = question.call(&self.settings);
        let bytes = match (self.transport)(&call, &self.settings) {
            Ok(bytes) => bytes,
            Err(error) => {
                // Who knows what a call cost that was made and not answered: it stays counted.
                if error.is_free {
                    self.ledger.settle(&reservation, Spent::default())?;
                }
                return Err(error.into());
            }
        };
        let counted = match (&call, answer::tokens(self.settings.provider, &bytes)) {
            // Who counts more than twice what the call can take has counted something else.
            (_, Some(tokens)) => Some(Tokens {
                input: tokens.input.min(most.input.saturating_mul(2)),
                output: tokens.output.min(most.output.saturating_mul(2)),
            }),
            (Call::Command { input, .. }, None) => Some(Tokens {
                input: input.len() as u64 / BYTES_A_TOKEN,
                output: bytes.len() as u64 / BYTES_A_TOKEN,
            }),
            (Call::Post { .. }, None) => None,
        };
        if let Some(tokens) = counted {
            self.ledger.settle(&reservation, budget.cost(tokens))?;
        }
        Ok(answer::read(self.settings.provider, &bytes)?.value)
    }
}

/// The state of the user's model, for a person to read.
#[derive(Debug)]
pub struct ModelStatus {
    /// What the settings say.
    pub choice: ModelChoice,
    /// What was spent, or why that is not known.
    pub spent: Result<Ledger, LedgerError>,
}

/// What the settings say about a model, and what it has cost.
///
/// # Errors
/// The settings cannot be understood at all.
pub fn model_status(env: &Env) -> Result<ModelStatus, MemoryError> {
    let choice = model_choice(env)?;
    let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
    Ok(ModelStatus { choice, spent: ModelLedger::of(&state_dir).read() })
}

/// The model that the user's own settings name. Nothing in a repository can.
///
/// # Errors
/// The settings cannot be understood at all.
pub fn model_choice(env: &Env) -> Result<ModelChoice, MemoryError> {
    let path: Option<Utf8PathBuf> = env.config_file();
    Ok(read_config(path.as_deref())?.model)
}
