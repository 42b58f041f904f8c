//! A frontmatter taken apart without losing a byte, for merging.

use std::ops::Range;

use super::fields::{Field, Shape};
use super::{Frontmatter, METADATA};

/// Some whole lines of a frontmatter: a field, or what is between two.
#[derive(Debug, Clone)]
pub(in crate::memory) struct Piece<'t> {
    /// The field's name, with `metadata.` before a nested one; `None` for comments, blank and broken lines.
    pub key: Option<String>,
    /// The lines.
    pub raw: &'t str,
    /// The pieces that `metadata` consists of, its own line the first of them.
    pub children: Vec<Piece<'t>>,
}

impl<'t> Frontmatter<'t> {
    /// All lines between the fences, in order.
    pub(in crate::memory) fn pieces(&self) -> Vec<Piece<'t>> {
        pieces(self.text, self.fences.inner.clone(), &self.fields, "")
    }

    /// The lines up to and with the opening fence, and the closing one.
    pub(in crate::memory) fn fence_lines(&self) -> (&'t str, &'t str) {
        let inner = &self.fences.inner;
        (
            self.text.get(..inner.start).unwrap_or_default(),
            self.text.get(inner.end..self.fences.body).unwrap_or_default(),
        )
    }
}

fn pieces<'t>(text: &'t str, range: Range<usize>, fields: &[Field], prefix: &str) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    let mut at = range.start;
    let between = |from: usize, to: usize, pieces: &mut Vec<Piece<'t>>| {
        for raw in text.get(from..to).unwrap_or_default().split_inclusive('\n') {
            pieces.push(Piece { key: None, raw, children: Vec::new() });
        }
    };
    for field in fields {
        between(at, field.lines.start, &mut pieces);
        let is_block = field.key == METADATA && field.shape == Shape::ManyLines && prefix.is_empty();
        pieces.push(Piece {
            key: Some(format!("{prefix}{}", field.key)),
            raw: text.get(field.lines.clone()).unwrap_or_default(),
            children: if is_block {
                self::pieces(text, field.lines.clone(), &field.children, "metadata.")
            } else {
                Vec::new()
            },
        });
        at = field.lines.end;
    }
    between(at, range.end, &mut pieces);
    pieces
}
