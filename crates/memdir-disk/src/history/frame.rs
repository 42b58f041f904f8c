//! The frames that a history segment consists of.

use memchr::memmem;

/// What begins every frame. Its control characters cannot be in a JSON header, and a body is masked until it
/// does not hold it either: a search for it finds the beginnings of frames and nothing else.
pub(crate) const MAGIC: [u8; 8] = [0x89, b'M', b'D', b'H', 0x0D, 0x0A, 0x1A, 0x01];

/// Magic, kind, mask, two zero bytes, header length, body length, header checksum, body checksum.
pub(crate) const FIXED_BYTES: usize = 8 + 4 + 4 + 4 + 8 + 8;
/// Longer headers and bodies are not ours.
const MAX_HEADER_BYTES: usize = 16 << 20;
pub(crate) const MAX_BODY_BYTES: usize = 512 << 20;

/// What a frame says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// An operation is about to happen: its record and the contents that it needs.
    Operation,
    /// An operation met another person's change and went on from there: more records and contents.
    Amendment,
    /// An operation ended.
    Outcome,
    /// Written by a later version.
    Unknown(u8),
}

impl FrameKind {
    fn to_byte(self) -> u8 {
        match self {
            Self::Operation => 1,
            Self::Amendment => 2,
            Self::Outcome => 3,
            Self::Unknown(byte) => byte,
        }
    }

    fn from_byte(byte: u8) -> Self {
        match byte {
            1 => Self::Operation,
            2 => Self::Amendment,
            3 => Self::Outcome,
            other => Self::Unknown(other),
        }
    }
}

/// A frame inside the bytes of a segment; its header is verified, its body not yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    pub(crate) kind: FrameKind,
    pub(crate) header: &'a [u8],
    masked_body: &'a [u8],
    mask: u8,
    body_checksum: u64,
}

impl<'a> Frame<'a> {
    /// The frame that begins with the given bytes; `None` if they are torn, changed or something else.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (fixed, rest) = bytes.split_at_checked(FIXED_BYTES)?;
        let (kind, mask, header_length, body_length, header_checksum, body_checksum) = parse_fixed(fixed)?;
        let (header, rest) = rest.split_at_checked(header_length)?;
        let (masked_body, _) = rest.split_at_checked(body_length)?;
        (checksum(&[fixed.get(8..20)?, header]) == header_checksum).then_some(Self {
            kind,
            header,
            masked_body,
            mask,
            body_checksum,
        })
    }

    /// How many bytes the frame takes.
    pub(crate) fn length(&self) -> usize {
        FIXED_BYTES + self.header.len() + self.masked_body.len()
    }

    /// Whether the body is as it was written.
    pub(crate) fn is_whole(&self) -> bool {
        checksum(&[self.masked_body]) == self.body_checksum
    }

    /// The verified body; `None` if it was changed.
    pub(crate) fn body(&self) -> Option<Vec<u8>> {
        self.is_whole().then(|| mask_body(self.mask, self.header, self.masked_body))
    }
}

/// How long the whole frame is whose fixed part this is, and where its header ends.
pub(crate) fn frame_lengths(fixed: &[u8]) -> Option<(usize, usize)> {
    let (_, _, header, body, ..) = parse_fixed(fixed)?;
    Some((FIXED_BYTES + header, FIXED_BYTES + header + body))
}

fn parse_fixed(fixed: &[u8]) -> Option<(FrameKind, u8, usize, usize, u64, u64)> {
    let number = |from: usize| Some(u32::from_le_bytes(fixed.get(from..from + 4)?.try_into().ok()?) as usize);
    let long = |from: usize| Some(u64::from_le_bytes(fixed.get(from..from + 8)?.try_into().ok()?));
    let (header, body) = (number(12)?, number(16)?);
    if !fixed.starts_with(&MAGIC) || header > MAX_HEADER_BYTES || body > MAX_BODY_BYTES {
        return None;
    }
    Some((FrameKind::from_byte(*fixed.get(8)?), *fixed.get(9)?, header, body, long(20)?, long(28)?))
}

/// Writes a frame; `None` if it would be too large.
pub(crate) fn encode_frame(kind: FrameKind, header: &[u8], body: &[u8]) -> Option<Vec<u8>> {
    if header.len() > MAX_HEADER_BYTES || body.len() > MAX_BODY_BYTES {
        return None;
    }
    // The first one nearly always does; content made to hold the magic cannot foresee the second.
    let (mask, masked) = (0..=u8::MAX)
        .map(|mask| (mask, mask_body(mask, header, body)))
        .find(|(_, masked)| memmem::find(masked, &MAGIC).is_none())?;
    let mut bytes = Vec::with_capacity(FIXED_BYTES + header.len() + body.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&[kind.to_byte(), mask, 0, 0]);
    bytes.extend_from_slice(&u32::try_from(header.len()).ok()?.to_le_bytes());
    bytes.extend_from_slice(&u32::try_from(body.len()).ok()?.to_le_bytes());
    let header_checksum = checksum(&[bytes.get(8..20)?, header]);
    bytes.extend_from_slice(&header_checksum.to_le_bytes());
    bytes.extend_from_slice(&checksum(&[&masked]).to_le_bytes());
    bytes.extend_from_slice(header);
    bytes.extend_from_slice(&masked);
    Some(bytes)
}

/// Combines a body with a stream of bytes that only a holder of the header can foresee; mask 0 leaves it alone.
fn mask_body(mask: u8, header: &[u8], body: &[u8]) -> Vec<u8> {
    if mask == 0 {
        return body.to_vec();
    }
    let mut stream = vec![0; body.len()];
    blake3::Hasher::new().update(header).update(&[mask]).finalize_xof().fill(&mut stream);
    body.iter().zip(stream).map(|(byte, other)| byte ^ other).collect()
}

fn checksum(parts: &[&[u8]]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    parts.iter().for_each(|part| {
        hasher.update(part);
    });
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// Bytes of a segment that do not form a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Damage {
    pub(crate) offset: usize,
    pub(crate) length: usize,
}

/// Whether another frame begins inside the body. No body holds the magic: this one was torn off there, and what was
/// written later is in its place.
fn is_torn(frame: &Frame<'_>, bytes: &[u8]) -> bool {
    let (start, end) = (FIXED_BYTES + frame.header.len(), frame.length());
    let reach = bytes.len().min(end + MAGIC.len() - 1);
    memmem::find(bytes.get(start..reach).unwrap_or_default(), &MAGIC).is_some_and(|found| start + found < end)
}

/// All frames of a segment with their offsets, and what is between them.
pub(crate) fn scan(segment: &[u8]) -> (Vec<(usize, Frame<'_>)>, Vec<Damage>) {
    let (mut frames, mut damages) = (Vec::new(), Vec::new());
    let mut position = 0;
    while let Some(rest) = segment.get(position..).filter(|rest| !rest.is_empty()) {
        if let Some(frame) = Frame::parse(rest).filter(|frame| !is_torn(frame, rest)) {
            frames.push((position, frame));
            position += frame.length();
            continue;
        }
        let next =
            memmem::find(rest.get(1..).unwrap_or_default(), &MAGIC).map_or(rest.len(), |found| found + 1);
        match damages.last_mut() {
            Some(Damage { offset, length }) if *offset + *length == position => *length += next,
            _ => damages.push(Damage { offset: position, length: next }),
        }
        position += next;
    }
    (frames, damages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment() -> (Vec<u8>, Vec<usize>) {
        let mut bytes = Vec::new();
        let mut starts = Vec::new();
        for number in 0..5u8 {
            starts.push(bytes.len());
            // A body that holds a whole forged frame must not be taken for one.
            let forged = encode_frame(FrameKind::Outcome, b"{\"forged\":1}", b"").unwrap();
            bytes.extend(encode_frame(FrameKind::Operation, &[b'0' + number], &forged).unwrap());
        }
        (bytes, starts)
    }

    fn headers(bytes: &[u8]) -> String {
        scan(bytes).0.iter().map(|(_, frame)| String::from_utf8_lossy(frame.header).into_owned()).collect()
    }

    #[test]
    fn frames_read_back() {
        let (bytes, _) = segment();
        assert_eq!(headers(&bytes), "01234");
        assert_eq!(scan(&bytes).1, []);
        let (_, first) = scan(&bytes).0[0];
        assert_eq!(Frame::parse(&first.body().unwrap()).unwrap().header, b"{\"forged\":1}");
    }

    #[test]
    fn every_changed_byte_loses_at_most_its_own_frame() {
        let (bytes, starts) = segment();
        for position in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[position] ^= 0x20;
            let own = starts.iter().filter(|&&start| start <= position).count() - 1;
            let (frames, _) = scan(&changed);
            let rest: String =
                "01234".chars().filter(|&digit| digit as usize - '0' as usize != own).collect();
            let kept: String = headers(&changed);
            assert!(kept == rest || kept == "01234", "{position}: {kept}");
            if kept == "01234" {
                assert!(frames[own].1.body().is_none() || position < starts[own] + 12, "{position}");
            }
        }
    }

    #[test]
    fn what_follows_a_torn_frame_is_not_taken_for_its_body() {
        let (bytes, starts) = segment();
        let torn = &bytes[starts[1]..starts[2]];
        for length in 1..torn.len() {
            let mut log = bytes[..starts[1]].to_vec();
            log.extend(&torn[..length]);
            log.extend(&bytes[starts[2]..]);
            assert_eq!(headers(&log), "0234", "{length}");
            assert_eq!(scan(&log).1, [Damage { offset: starts[1], length }]);
        }
    }

    #[test]
    fn truncated_and_foreign_bytes_lose_only_themselves() {
        let (bytes, starts) = segment();
        for end in 0..bytes.len() {
            let whole = starts.iter().skip(1).chain([&bytes.len()]).filter(|&&start| start <= end).count();
            assert_eq!(headers(&bytes[..end]), "01234"[..whole]);
        }
        let mut mixed = b"foreign".to_vec();
        mixed.extend(&bytes[..starts[2]]);
        mixed.extend(b"more\x89MDH");
        mixed.extend(&bytes[starts[2]..]);
        assert_eq!(headers(&mixed), "01234");
        assert_eq!(scan(&mixed).1.len(), 2);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_scanned_to_the_end(bytes: Vec<u8>) {
            let (frames, damages) = scan(&bytes);
            let framed: usize = frames.iter().map(|(_, frame)| frame.length()).sum();
            let damaged: usize = damages.iter().map(|damage| damage.length).sum();
            proptest::prop_assert_eq!(framed + damaged, bytes.len());
        }
    }
}
