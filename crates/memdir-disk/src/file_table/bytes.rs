//! Numbers and texts in a row of bytes.

pub(super) fn checksum(parts: &[&[u8]]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    first
}

pub(super) fn push_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(0).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

pub(super) fn take_text<'b>(input: &mut &'b [u8]) -> Option<&'b str> {
    let length = usize::try_from(u32::from_le_bytes(take(input)?)).ok()?;
    let (text, rest) = input.split_at_checked(length)?;
    *input = rest;
    std::str::from_utf8(text).ok()
}

pub(super) fn push_optional(bytes: &mut Vec<u8>, text: Option<&str>) {
    bytes.push(text.is_some().into());
    if let Some(text) = text {
        push_text(bytes, text);
    }
}

pub(super) fn take_optional(input: &mut &[u8]) -> Option<Option<String>> {
    match take::<1>(input)? {
        [0] => Some(None),
        _ => Some(Some(take_text(input)?.to_owned())),
    }
}

pub(super) fn take<const N: usize>(input: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = input.split_first_chunk::<N>()?;
    *input = rest;
    Some(*first)
}
