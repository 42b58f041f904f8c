//! The file that a package becomes at installation: fixed sizes first, so that everything is where the code expects it.
//!
//! A mark · the layers · the table of embeddings, a row of bytes for each piece of text · the pieces.

use super::vector::DIMENSIONS;

/// The first bytes; another format gets another number.
pub(super) const MAGIC: [u8; 8] = *b"memdirE1";

/// A matrix of a layer: its name in the package, its inputs and its outputs.
pub(super) const MATRICES: [(&str, usize, usize); 16] = [
    ("proj2", 512, 256),
    ("proj3", 512, 256),
    ("proj5", 512, 256),
    ("w1_2", 512, 256),
    ("w1_3", 768, 256),
    ("w1_5", 1280, 256),
    ("w2_2", 512, 256),
    ("w2_3", 768, 256),
    ("w2_5", 1280, 256),
    ("cnn_W", 1280, 512),
    ("d0", 512, 320),
    ("d1", 320, 320),
    ("p1", 512, 320),
    ("d2", 320, 512),
    ("p3", 320, 512),
    ("d3", 512, 512),
];

/// The other numbers of the layers.
pub(super) const LISTS: [(&str, usize); 20] = [
    ("proj_b2", 256),
    ("proj_b3", 256),
    ("proj_b5", 256),
    ("ln_g2", 256),
    ("ln_g3", 256),
    ("ln_g5", 256),
    ("ln_b2", 256),
    ("ln_b3", 256),
    ("ln_b5", 256),
    ("b1_2", 256),
    ("b1_3", 256),
    ("b1_5", 256),
    ("b2_2", 256),
    ("b2_3", 256),
    ("b2_5", 256),
    ("ln_g", 1280),
    ("ln_b", 1280),
    ("cnn_b", 512),
    ("scale", CHUNKS),
    ("lo", CHUNKS),
];

/// The table of embeddings is dealt out to so many arrays of the package, like cards.
pub(super) const CHUNKS: usize = 17;
/// The rows of each.
pub(super) const CHUNK_ROWS: usize = 7530;
/// All rows.
pub(super) const ROWS: usize = CHUNKS * CHUNK_ROWS;
/// The bytes of the table.
pub(super) const TABLE_BYTES: usize = ROWS * DIMENSIONS;

/// Where a matrix is in the layers: two numbers that turn a byte into a value, then a byte for each value.
pub(super) fn matrix_at(name: &str) -> Option<(usize, usize, usize)> {
    let mut at = 0;
    for (known, inputs, outputs) in MATRICES {
        if known == name {
            return Some((at, inputs, outputs));
        }
        at += 8 + inputs * outputs;
    }
    None
}

/// Where a list is in the layers.
pub(super) fn list_at(name: &str) -> Option<(usize, usize)> {
    let mut at: usize = MATRICES.iter().map(|(_, inputs, outputs)| 8 + inputs * outputs).sum();
    for (known, length) in LISTS {
        if known == name {
            return Some((at, length));
        }
        at += 4 * length;
    }
    None
}

/// The bytes of all layers.
pub(super) fn layers_bytes() -> usize {
    list_at("lo").map_or(0, |(at, length)| at + 4 * length)
}
