//! What tells one shared memory from every other, whatever its name and its text become.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::team_id::TeamId;

/// The id of a shared memory: random, made by the member who sends it first, and part of every signed entry of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId([u8; 16]);

impl MemoryId {
    /// The id of a memory that is sent for the first time under a name, from 128 random bits for each sync.
    #[must_use]
    pub fn new(random: u128, path: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("memdir v2 memory id");
        hasher.update(&random.to_le_bytes());
        hasher.update(path.as_bytes());
        Self::first_half(&hasher)
    }

    /// The id of what can only be told by its path: an entry of format 1, which names no id, and an index of memories,
    /// which is the same file on every machine.
    #[must_use]
    pub fn of_path(team: &TeamId, path: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("memdir v2 memory id of a path");
        hasher.update(team.as_str().as_bytes());
        hasher.update(path.as_bytes());
        Self::first_half(&hasher)
    }

    fn first_half(hasher: &blake3::Hasher) -> Self {
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        Self(id)
    }

    /// Reads the written form; `None` unless it is exactly 32 hexadecimal digits, small letters.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_one = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let id = u128::from_str_radix(text, 16).ok().filter(|_| is_one)?;
        Some(Self(id.to_be_bytes()))
    }

    /// The id as bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl Serialize for MemoryId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MemoryId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not the id of a memory"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_and_nothing_else_does() {
        let id = MemoryId::new(7, "a.md");
        assert_ne!(id, MemoryId::new(8, "a.md"));
        assert_ne!(id, MemoryId::new(7, "b.md"));
        let text = id.to_string();
        assert_eq!(MemoryId::parse(&text), Some(id));
        for bad in ["", &text[1..], &text.to_uppercase(), &format!("+{}", &text[1..]), &format!("{text}0")] {
            assert_eq!(MemoryId::parse(bad).filter(|_| *bad != *text), None, "{bad}");
        }
    }
}
