//! A text as the pieces that the model knows: the most likely way to put it together from them (SentencePiece's
//! unigram model).

use unicode_normalization::UnicodeNormalization;

/// What a text begins and ends with, and what no piece fits.
const UNKNOWN: u32 = 0;
const BEGIN: u32 = 1;
const END: u32 = 2;
/// What a space becomes; the first word gets one too.
const SPACE: char = '\u{2581}';
/// How much less likely than the least likely piece an unknown character is, as the original has it.
const UNKNOWN_PENALTY: f32 = 10.0;
/// A sentence is shorter; of a longer text the beginning is read. It bounds the time of a question.
const MAX_BYTES: usize = 768;

/// The pieces, sorted, in one block that is read without parsing: how many, the score of an unknown character, where
/// each starts (and the last ends), their numbers, their scores, their texts.
pub(super) struct Pieces {
    bytes: Vec<u8>,
    count: usize,
}

impl Pieces {
    pub(super) fn new(bytes: Vec<u8>) -> Option<Self> {
        let count = usize::try_from(number(&bytes, 0)?).ok()?;
        let pieces = Self { bytes, count };
        let end = pieces.start(count)?;
        (pieces.texts_at()? + end == pieces.bytes.len()).then_some(pieces)
    }

    /// The numbers of a text's pieces, with those for its beginning and end.
    pub(super) fn of(&self, text: &str) -> Vec<u32> {
        let text = normalized(text);
        let mut numbers = vec![END];
        let best = self.best_ends(&text);
        let mut end = text.len();
        while let Some(Some(step)) = best.get(end).filter(|_| end > 0) {
            numbers.push(step.piece);
            end = step.start;
        }
        if text.is_empty() {
            numbers.push(UNKNOWN);
        }
        numbers.push(BEGIN);
        numbers.reverse();
        numbers
    }

    /// For each position the best last piece of what ends there.
    fn best_ends(&self, text: &str) -> Vec<Option<Step>> {
        let mut best: Vec<Option<Step>> = vec![None; text.len() + 1];
        let unknown = number(&self.bytes, 4).map_or(0.0, f32::from_bits);
        for (start, character) in text.char_indices() {
            let Some(score) = (if start == 0 { Some(0.0) } else { score_at(&best, start) }) else { continue };
            let mut offer = |end: usize, piece: u32, more: f32| {
                let step = Step { start, piece, score: score + more };
                if let Some(place) = best.get_mut(end)
                    && place.as_ref().is_none_or(|known| known.score < step.score)
                {
                    *place = Some(step);
                }
            };
            let mut is_known = false;
            self.each_prefix(text.as_bytes().get(start..).unwrap_or_default(), |length, piece, score| {
                is_known |= length == character.len_utf8();
                offer(start + length, piece, score);
            });
            if !is_known {
                offer(start + character.len_utf8(), UNKNOWN, unknown);
            }
        }
        best
    }

    /// The pieces with which a text begins. They are sorted, so each further byte narrows the range of those that fit.
    fn each_prefix(&self, text: &[u8], mut found: impl FnMut(usize, u32, f32)) {
        let mut range = 0..self.count;
        for (depth, byte) in text.iter().enumerate() {
            let from = self.first_where(range.clone(), |piece| piece.get(depth) >= Some(byte));
            let to = self.first_where(from..range.end, |piece| piece.get(depth) > Some(byte));
            range = from..to;
            if range.is_empty() {
                return;
            }
            if self.piece(range.start).is_some_and(|piece| piece.len() == depth + 1) {
                let (numbers, scores) = (8 + 4 * (self.count + 1), 8 + 4 * (2 * self.count + 1));
                let value = |at: usize| number(&self.bytes, at + 4 * range.start).unwrap_or(0);
                found(depth + 1, value(numbers), f32::from_bits(value(scores)));
            }
        }
    }

    fn first_where(&self, range: std::ops::Range<usize>, is_it: impl Fn(&[u8]) -> bool) -> usize {
        let (mut from, mut to) = (range.start, range.end);
        while from < to {
            let middle = from.midpoint(to);
            if self.piece(middle).is_some_and(&is_it) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        from
    }

    fn texts_at(&self) -> Option<usize> {
        self.count.checked_mul(12)?.checked_add(12)
    }

    fn start(&self, index: usize) -> Option<usize> {
        number(&self.bytes, index.checked_mul(4)?.checked_add(8)?).map(|start| start as usize)
    }

    fn piece(&self, index: usize) -> Option<&[u8]> {
        let texts = self.bytes.get(self.texts_at()?..)?;
        texts.get(self.start(index)?..self.start(index + 1)?)
    }
}

/// The best last piece of a beginning of the text.
#[derive(Clone, Copy)]
struct Step {
    start: usize,
    piece: u32,
    score: f32,
}

fn score_at(best: &[Option<Step>], at: usize) -> Option<f32> {
    best.get(at).copied().flatten().map(|step| step.score)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes))
}

/// The text as the model was taught: compatible characters are one, each word has a mark before it.
fn normalized(text: &str) -> String {
    let text = text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
    let text: String = text.nfkc().filter(|c| !c.is_control() || c.is_whitespace()).collect();
    text.split_whitespace().flat_map(|word| std::iter::once(SPACE).chain(word.chars())).collect()
}

/// The pieces from the original's file (protocol buffers: field 1 is a piece with its text 1 and score 2).
pub(super) fn convert(model: &[u8]) -> Option<Vec<u8>> {
    let mut pieces: Vec<(&[u8], u32, f32)> = Vec::new();
    let mut number = 0;
    for (field, piece) in fields(model)? {
        if field != 1 {
            continue;
        }
        let parts = fields(piece)?;
        let part = |wanted: u64| parts.iter().find(|(field, _)| *field == wanted).map(|(_, bytes)| *bytes);
        let score =
            part(2).and_then(|bytes| bytes.first_chunk()).map_or(0.0, |bytes| f32::from_le_bytes(*bytes));
        // The first three mean what is not text.
        if number > END {
            pieces.push((part(1)?, number, score));
        }
        number += 1;
    }
    pieces.sort_by(|one, other| one.0.cmp(other.0));
    let unknown = pieces.iter().map(|piece| piece.2).fold(0.0, f32::min) - UNKNOWN_PENALTY;
    let mut out = u32::try_from(pieces.len()).ok()?.to_le_bytes().to_vec();
    out.extend(unknown.to_le_bytes());
    let mut start: u32 = 0;
    for (text, _, _) in &pieces {
        out.extend(start.to_le_bytes());
        start += u32::try_from(text.len()).ok()?;
    }
    out.extend(start.to_le_bytes());
    out.extend(pieces.iter().flat_map(|piece| piece.1.to_le_bytes()));
    out.extend(pieces.iter().flat_map(|piece| piece.2.to_le_bytes()));
    out.extend(pieces.iter().flat_map(|piece| piece.0));
    Some(out)
}

/// The fields of a message that hold bytes or a 32-bit number.
fn fields(mut bytes: &[u8]) -> Option<Vec<(u64, &[u8])>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let length = match tag & 7 {
            0 => {
                varint(&mut bytes)?;
                continue;
            }
            1 => 8,
            2 => usize::try_from(varint(&mut bytes)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let (value, rest) = bytes.split_at_checked(length)?;
        found.push((tag >> 3, value));
        bytes = rest;
    }
    Some(found)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model of these pieces, in the original's format.
    fn pieces(known: &[(&str, f32)]) -> Pieces {
        let special = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0)];
        let mut model = Vec::new();
        for (text, score) in special.iter().chain(known) {
            let mut piece = vec![0x0a, text.len() as u8];
            piece.extend(text.as_bytes());
            piece.push(0x15);
            piece.extend(score.to_le_bytes());
            model.extend([0x0a, piece.len() as u8]);
            model.extend(piece);
        }
        Pieces::new(convert(&model).unwrap()).unwrap()
    }

    #[test]
    fn the_most_likely_pieces_are_taken() {
        let known =
            [("▁", -3.0), ("▁re", -2.0), ("▁rest", -6.0), ("start", -2.0), ("art", -4.0), ("s", -5.0)];
        let pieces = pieces(&known);
        assert_eq!(pieces.of("restart"), [1, 4, 6, 2]);
        assert_eq!(pieces.of("  rest\n"), [1, 5, 2]);
        assert_eq!(pieces.of("ｒｅstart"), [1, 4, 6, 2]);
        assert_eq!(pieces.of("ré"), [1, 3, 0, 0, 2]);
        assert_eq!(pieces.of(""), [1, 0, 2]);
    }

    #[test]
    fn damage_is_noticed() {
        assert!(convert(&[0x0a, 0x7f, 1]).is_none());
        assert!(Pieces::new(vec![1, 0, 0, 0, 0]).is_none());
        assert!(Pieces::new(vec![0xff; 64]).is_none());
    }
}
