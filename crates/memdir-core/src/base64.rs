//! Standard base64 with padding, for bytes inside JSON.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text for some bytes.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0u32, |sum, &byte| sum << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for position in 0..4 {
            if position <= chunk.len() {
                text.push(char::from(ALPHABET[(group >> (18 - 6 * position)) as usize & 63]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

/// The bytes of a text; `None` unless it is base64 as [`encode`] writes it.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    if padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in digits.as_bytes().chunks(4) {
        let mut group = 0u32;
        for &digit in chunk {
            let value = ALPHABET.iter().position(|&letter| letter == digit)?;
            group = group << 6 | u32::try_from(value).ok()?;
        }
        group <<= 6 * (4 - chunk.len());
        bytes.extend_from_slice(&group.to_be_bytes()[1..chunk.len()]);
    }
    (encode(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_pairs() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        for bad in ["Z", "Zg=", "Zh==", "Zg==Zg==", "====", "Z g=", "Zm9v=", "é==="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_byte_string_reads_back(bytes: Vec<u8>) {
            proptest::prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
