//! The user's named switches, for what only asks whether something is on.

use memdir_core::config::{self, Config, ExtractBy, Features, RecallSettings};
use memdir_core::env::Env;
use memdir_core::look::{Look, LookError};
use memdir_disk::real_look::RealLook;

/// Reads the switches, with what is wrong with the file; a file that cannot be used leaves them as they are by
/// default, since an agent should start all the same.
#[must_use]
pub fn read_features(env: &Env) -> (Features, Vec<String>) {
    let (config, problems) = read_config(env);
    (config.features, problems)
}

/// When memories are recalled unasked. A file that cannot be used leaves it as it is by default.
#[must_use]
pub fn read_recall_settings(env: &Env) -> RecallSettings {
    read_config(env).0.recall
}

/// Who writes down what was said in a turn that has ended.
#[must_use]
pub fn read_extract_by(env: &Env) -> ExtractBy {
    read_config(env).0.extract_by()
}

fn read_config(env: &Env) -> (Config, Vec<String>) {
    let Some(path) = env.config_file() else { return (Config::default(), Vec::new()) };
    let unusable = |problem: String| {
        (Config::default(), vec![format!("cannot use `{path}`, so the defaults count: {problem}")])
    };
    match RealLook.read(&path, config::MAX_BYTES) {
        Ok(bytes) => match Config::parse(&String::from_utf8_lossy(&bytes)) {
            Ok(read) => (read.config, Vec::new()),
            Err(error) => unusable(error.to_string()),
        },
        Err(LookError::NotFound) => (Config::default(), Vec::new()),
        Err(error) => unusable(error.to_string()),
    }
}
