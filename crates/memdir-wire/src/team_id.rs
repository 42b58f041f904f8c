//! The name of a team, which names its founder too.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::signing::PublicKey;

/// The id of a team: a hash of its founder's key and a random text, so that the id tells whose word counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TeamId(String);

impl TeamId {
    /// The id of a new team.
    #[must_use]
    pub fn founded_by(founder: &PublicKey, nonce: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("memdir v1 team id");
        hasher.update(founder.as_bytes());
        hasher.update(nonce.as_bytes());
        Self(hasher.finalize().to_hex().chars().take(DIGITS).collect())
    }

    /// Reads the written form; `None` unless it is one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_one =
            text.len() == DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_one.then(|| Self(text.to_owned()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TeamId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// 160 bits: no second founder can be found for an id.
const DIGITS: usize = 40;
