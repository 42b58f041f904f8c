//! The user's model, as far as it needs the world: a program, a server on this machine, a server somewhere.
//!
//! Nothing here runs unless `[model]` in the user's own settings names one.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use memdir_core::env::{Env, MEMDIR_MODEL_CALL};
use memdir_core::model::{Call, ModelChoice, ModelSettings};
use memdir_lib::memory::MemoryError;
use memdir_lib::model::{Model, TransportError, model_choice};

mod by_command;
mod http;
mod key;

/// What can be asked: nothing, a model, or nothing because the settings are wrong.
pub(crate) enum Askable {
    /// No model is named, or this process was started by one.
    Nothing,
    /// This one.
    Model(Box<ModelSettings>),
    /// One is named in a way that cannot be used, and why.
    Unusable(String),
}

/// What the user's settings allow to be asked from here.
///
/// # Errors
/// The settings cannot be understood at all.
pub(crate) fn askable(env: &Env) -> Result<Askable, MemoryError> {
    Ok(match model_choice(env)? {
        // A model's own session must not ask a model: that would never end.
        _ if env.var(MEMDIR_MODEL_CALL).is_some() => Askable::Nothing,
        ModelChoice::Unset => Askable::Nothing,
        ModelChoice::Model(settings) => Askable::Model(settings),
        ModelChoice::Unusable(why) => Askable::Unusable(why),
    })
}

/// Does something with a model that can be asked.
///
/// # Errors
/// There is no place for our state, or what is done fails.
pub(crate) fn with_model<T>(
    settings: ModelSettings,
    env: &Env,
    now: Timestamp,
    act: impl FnOnce(&Model<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
    let today = now.to_zoned(TimeZone::system()).date();
    let transport = |call: &Call, settings: &ModelSettings| send(call, settings, env);
    act(&Model::new(settings, &state_dir, today, &transport))
}

fn send(call: &Call, settings: &ModelSettings, env: &Env) -> Result<Vec<u8>, TransportError> {
    let limit = std::time::Duration::from_secs(settings.timeout_seconds.into());
    match call {
        Call::Command { arguments, input } => by_command::ask(arguments, input, env, limit),
        Call::Post { url, headers, key, body } => {
            let mut all: Vec<(String, String)> =
                headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            if let Some(place) = key {
                all.push(key::header(place, url, env)?);
            }
            http::post(url, &all, body, limit)
        }
    }
}

/// Nothing was counted: the provider was not reached, or did not take the call.
fn free(message: impl Into<String>) -> TransportError {
    TransportError { message: message.into(), is_free: true }
}

/// The call was made, and it is unknown what became of it.
fn made(message: impl Into<String>) -> TransportError {
    TransportError { message: message.into(), is_free: false }
}

/// The model took longer than the user allows.
fn timed_out(limit: std::time::Duration) -> TransportError {
    made(format!("the model did not answer within {} s", limit.as_secs()))
}

/// The model answered more than anybody reads.
fn too_long() -> TransportError {
    let most = memdir_core::model::answer::MAX_BYTES >> 20;
    made(format!("the model answered more than {most} MB"))
}
