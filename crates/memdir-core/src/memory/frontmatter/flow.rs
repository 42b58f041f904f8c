//! The fields of a mapping written on one line: `{type: user, tags: [a, b]}`.

use std::ops::Range;

use super::fields::{BLANKS, Field, Shape, field_at};

/// The fields of the flow mapping that fills the range; none if it is broken.
pub(super) fn fields(text: &str, range: Range<usize>) -> Vec<Field> {
    let Some(inner) = text.get(range.clone()).and_then(|raw| raw.strip_prefix('{')?.strip_suffix('}')) else {
        return Vec::new();
    };
    pieces(inner).into_iter().filter_map(|piece| field(text, range.start + 1, inner, &piece)).collect()
}

fn field(text: &str, offset: usize, inner: &str, piece: &Range<usize>) -> Option<Field> {
    let raw = inner.get(piece.clone())?;
    let start = offset + piece.start + (raw.len() - raw.trim_start_matches(BLANKS).len());
    let field = field_at(text, start..start + raw.trim_matches(BLANKS).len())?;
    Some(Field { shape: Shape::InFlow, ..field })
}

/// The ranges between the commas that separate fields.
fn pieces(inner: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut depth = 0usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, character) in inner.char_indices() {
        match (quote, character) {
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), _) if character == open && !escaped => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                pieces.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
        escaped = false;
    }
    pieces.push(start..inner.len());
    pieces
}
