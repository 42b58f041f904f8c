//! Keys, and what is signed with them.

use std::fmt;

use ed25519_dalek::Signer;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The private half of a member's key. It never leaves the machine that made it.
pub struct SecretKey(ed25519_dalek::SigningKey);

impl SecretKey {
    /// The key that belongs to 32 random bytes.
    #[must_use]
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(&seed))
    }

    /// Reads the written form; `None` unless it is exactly 64 hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        from_hex(text).map(Self::from_seed)
    }

    /// The random bytes that it came from, written as digits: for the file that keeps it and for invitations.
    #[must_use]
    pub fn to_hex(&self) -> String {
        to_hex(self.0.as_bytes())
    }

    /// The half that everybody may know.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// Signs a statement.
    #[must_use]
    pub fn sign(&self, statement: &Statement) -> Signature {
        Signature(self.0.sign(&statement.0).to_bytes())
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SecretKey({})", self.public().short())
    }
}

/// The identity of a member: 32 bytes, written as 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Reads the written form; `None` unless it is exactly 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        from_hex(text).map(Self)
    }

    /// The raw bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first digits, enough for people to tell keys apart.
    #[must_use]
    pub fn short(&self) -> String {
        to_hex(self.0.get(..4).unwrap_or_default())
    }

    /// Whether this key signed exactly that. Keys and signatures that have two forms are refused in both.
    #[must_use]
    pub fn verifies(&self, statement: &Statement, signature: &Signature) -> bool {
        let Ok(key) = ed25519_dalek::VerifyingKey::from_bytes(&self.0) else { return false };
        key.verify_strict(&statement.0, &ed25519_dalek::Signature::from_bytes(&signature.0)).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&to_hex(&self.0))
    }
}

/// A detached signature: 64 bytes, written as 128 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature([u8; 64]);

/// What is signed: a purpose, then fields, each with its length in front, so that no two statements share their bytes.
#[derive(Debug, Clone)]
pub struct Statement(Vec<u8>);

impl Statement {
    /// Begins a statement for one purpose. A signature for another purpose never fits.
    #[must_use]
    pub fn about(purpose: &str) -> Self {
        Self(Vec::with_capacity(512)).text("memdir v1").text(purpose)
    }

    /// Adds bytes.
    #[must_use]
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.0.extend_from_slice(bytes);
        self
    }

    /// Adds a text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    /// Adds a number.
    #[must_use]
    pub fn number(self, number: u64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    /// Adds something that may be missing, which is not the same as empty.
    #[must_use]
    pub fn optional(self, bytes: Option<&[u8]>) -> Self {
        match bytes {
            Some(bytes) => self.number(1).bytes(bytes),
            None => self.number(0),
        }
    }
}

macro_rules! written_as_hex {
    ($kind:ident) => {
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&to_hex(&self.0))
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                from_hex(&text)
                    .map(Self)
                    .ok_or_else(|| serde::de::Error::custom("not the hexadecimal digits of a key"))
            }
        }
    };
}
written_as_hex!(PublicKey);
written_as_hex!(Signature);

fn to_hex(bytes: &[u8]) -> String {
    use fmt::Write;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != N * 2 {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let [high, low] = *pair else { return None };
        *byte = digit(high)? << 4 | digit(low)?;
    }
    Some(bytes)
}

/// One way to write a key: capitals would be a second.
fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_fits_one_key_one_purpose_and_one_text() {
        let (ada, bob) = (SecretKey::from_seed([1; 32]), SecretKey::from_seed([2; 32]));
        let statement = Statement::about("entry").text("ab").text("c");
        let signature = ada.sign(&statement);
        assert!(ada.public().verifies(&statement, &signature));
        assert!(!bob.public().verifies(&statement, &signature));
        for other in [
            Statement::about("round").text("ab").text("c"),
            Statement::about("entry").text("a").text("bc"),
            Statement::about("entry").text("abc"),
            Statement::about("entry").text("ab").text("c").optional(None),
        ] {
            assert!(!ada.public().verifies(&other, &signature));
        }
    }

    #[test]
    fn keys_have_one_written_form() {
        let key = SecretKey::from_seed([7; 32]).public();
        let text = key.to_string();
        assert_eq!(PublicKey::from_hex(&text), Some(key));
        for bad in [text.to_uppercase(), format!("{text} "), text[1..].to_owned(), "é".repeat(32)] {
            assert_eq!(PublicKey::from_hex(&bad), None, "{bad}");
        }
        assert!(
            !PublicKey::from_hex(&"0".repeat(64))
                .unwrap()
                .verifies(&Statement::about("x"), &Signature([0; 64]))
        );
    }
}
