//! Naming a value without showing it: the allow-list.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Domain of the hash, so that a fingerprint equals no other hash of ours.
const CONTEXT: &[u8] = b"memdir secret fingerprint v1\0";

/// The name of a value in an allow-list.
///
/// A plain hash of a short password can be reversed by trying passwords, and allow-lists are meant to be shared
/// and kept in repositories. So the hash is keyed with random bytes that stay in the user's own state: a reader who has
/// the list but not the key can neither test a guess nor tell that two lists allow the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// The fingerprint of a value under a key.
    #[must_use]
    pub fn of(value: &str, key: &FingerprintKey) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(&key.0);
        hasher.update(CONTEXT).update(value.as_bytes());
        let mut bytes = [0; 16];
        hasher.finalize_xof().fill(&mut bytes);
        Self(bytes)
    }

    /// Reads the written form: 32 hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 32 {
            return None;
        }
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digit =
                |letter: &u8| char::from(*letter).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            let [high, low] = pair else { return None };
            *byte = digit(high)? << 4 | digit(low)?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_hex(&text)
            .ok_or_else(|| serde::de::Error::custom("a fingerprint is 32 hexadecimal digits"))
    }
}

/// Random bytes that make fingerprints useless to anybody else; drawn once by the caller and kept private.
#[derive(Clone)]
pub struct FingerprintKey([u8; 32]);

impl FingerprintKey {
    /// A key from 32 random bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for FingerprintKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("FingerprintKey(..)")
    }
}

/// Values that the user looked at and declared harmless.
#[derive(Clone, Debug)]
pub struct AllowList {
    key: FingerprintKey,
    allowed: BTreeSet<Fingerprint>,
}

impl AllowList {
    /// A list of fingerprints made with this key.
    #[must_use]
    pub fn new(key: FingerprintKey, allowed: impl IntoIterator<Item = Fingerprint>) -> Self {
        Self { key, allowed: allowed.into_iter().collect() }
    }

    /// Reads a list: one fingerprint a line, `#` begins a comment. Also returns the lines it did not understand.
    #[must_use]
    pub fn parse(key: FingerprintKey, text: &str) -> (Self, Vec<usize>) {
        let mut allowed = BTreeSet::new();
        let mut problems = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let entry = line.split('#').next().unwrap_or_default().trim();
            match Fingerprint::from_hex(entry) {
                Some(fingerprint) => {
                    allowed.insert(fingerprint);
                }
                None if entry.is_empty() => {}
                None => problems.push(index + 1),
            }
        }
        (Self { key, allowed }, problems)
    }

    /// Whether this value was declared harmless.
    #[must_use]
    pub fn allows(&self, value: &str) -> bool {
        !self.allowed.is_empty() && self.allowed.contains(&Fingerprint::of(value, &self.key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_allows_its_values_under_its_key_only() {
        let key = FingerprintKey::new([7; 32]);
        let fingerprint = Fingerprint::of("tarte-au-citron-77", &key);
        let text = format!("# staging, expired\n{fingerprint}  # old\n\nnot a fingerprint\n");
        let (list, problems) = AllowList::parse(key, &text);
        assert_eq!(problems, [4]);
        assert!(list.allows("tarte-au-citron-77"));
        assert!(!list.allows("tarte-au-citron-78"));
        let (elsewhere, _) = AllowList::parse(FingerprintKey::new([8; 32]), &text);
        assert!(!elsewhere.allows("tarte-au-citron-77"));
        assert_eq!(serde_json::to_string(&fingerprint).unwrap(), format!("\"{fingerprint}\""));
        assert!(!format!("{list:?}").contains("7, 7"), "the key is not shown");
    }
}
