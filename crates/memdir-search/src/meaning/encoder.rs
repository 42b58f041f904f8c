use std::fs::File;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_disk::own_file::open_own;
use memdir_disk::platform::FileExt;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate};

use super::model_file::{CHUNKS, MAGIC, ROWS, TABLE_BYTES, layers_bytes, list_at, matrix_at};
use super::pieces::Pieces;
use super::vector::{DIMENSIONS, Vector};

/// A model that has been installed, ready to be asked.
pub struct Encoder {
    path: Utf8PathBuf,
    file: File,
    layers: Vec<u8>,
    pieces: Pieces,
}

/// The three convolutions: their names, how many pieces each looks at, and how many of those are before.
const CONVOLUTIONS: [(&str, usize, usize); 3] = [("2", 2, 0), ("3", 3, 1), ("5", 5, 2)];
/// How many numbers each makes of a piece.
const WIDTH: usize = 256;
/// The embedding of a piece and what the convolutions make of it.
const FEATURES: usize = DIMENSIONS + CONVOLUTIONS.len() * WIDTH;
/// Pieces that are worked on together. It is a bound for memory; a larger one is not faster.
const BATCH: usize = 384;
/// Keeps a division by a spread of 0 from happening.
const TINY: f32 = 1e-12;

impl Encoder {
    /// Opens the file that an installation has made.
    ///
    /// # Errors
    /// It cannot be read, or is not whole.
    pub fn open(path: &Utf8Path) -> io::Result<Self> {
        let file = open_own(path)?;
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the installed model is damaged");
        let mut start = vec![0; MAGIC.len() + layers_bytes()];
        file.read_exact_at(&mut start, 0)?;
        let layers = start.split_off(MAGIC.len());
        let pieces_at = table_at() + TABLE_BYTES as u64;
        let length = file.metadata()?.len().checked_sub(pieces_at).ok_or_else(damaged)?;
        let mut pieces = vec![0; usize::try_from(length).map_err(|_| damaged())?];
        file.read_exact_at(&mut pieces, pieces_at)?;
        let pieces = Pieces::new(pieces).filter(|_| start == MAGIC).ok_or_else(damaged)?;
        Ok(Self { path: path.to_owned(), file, layers, pieces })
    }

    /// Where its file is.
    pub(crate) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The meaning of each text; of a long one, of its beginning.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn encode(&self, texts: &[&str]) -> io::Result<Vec<Vector>> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut batch = Vec::new();
        let mut pieces = 0;
        for text in texts {
            let sentence = self.pieces.of(text);
            if !batch.is_empty() && pieces + sentence.len() > BATCH {
                vectors.append(&mut self.encode_batch(&batch)?);
                batch.clear();
                pieces = 0;
            }
            pieces += sentence.len();
            batch.push(sentence);
        }
        vectors.append(&mut self.encode_batch(&batch)?);
        Ok(vectors)
    }

    /// The layers of the model, in their order, for some sentences at once.
    fn encode_batch(&self, sentences: &[Vec<u32>]) -> io::Result<Vec<Vector>> {
        if sentences.is_empty() {
            return Ok(Vec::new());
        }
        let mut layers = Layers { bytes: &self.layers, scratch: Vec::new() };
        let embedded = self.embed(sentences)?;
        let convolved = convolve(&embedded, sentences, &mut layers);
        let mut features = concatenate![Axis(1), embedded, convolved];
        normalize(&mut features, &layers.list("ln_g"), &layers.list("ln_b"));
        let mut sums = Array2::<f32>::zeros((sentences.len(), FEATURES));
        for (mut sum, range) in sums.rows_mut().into_iter().zip(ranges(sentences)) {
            sum.assign(&features.slice_axis(Axis(0), range.into()).sum_axis(Axis(0)));
        }
        let lengths: Array1<f32> = sentences.iter().map(|sentence| sentence.len() as f32).collect();
        let lengths = lengths.insert_axis(Axis(1));
        let mut means = layers.times(&sums, "cnn_W") + &lengths * &layers.list("cnn_b");
        means /= &lengths.sqrt();
        let first = relu(layers.times(&means, "d0"));
        let first = relu(layers.times(&first, "d1") + layers.times(&means, "p1"));
        let second = relu(layers.times(&first, "d2"));
        let last = (layers.times(&second, "d3") + layers.times(&first, "p3")).tanh();
        Ok(last.rows().into_iter().map(|row| Vector::new(&row.to_vec())).collect())
    }

    /// The embedding of each piece: a row of the table, which is read where it is.
    fn embed(&self, sentences: &[Vec<u32>]) -> io::Result<Array2<f32>> {
        let layers = Layers { bytes: &self.layers, scratch: Vec::new() };
        let (scale, low) = (layers.list("scale"), layers.list("lo"));
        let pieces: Vec<usize> = sentences.concat().into_iter().map(|piece| piece as usize % ROWS).collect();
        let mut embedded = Array2::<f32>::zeros((pieces.len(), DIMENSIONS));
        let mut bytes = [0; DIMENSIONS];
        for (mut row, piece) in embedded.rows_mut().into_iter().zip(pieces) {
            self.file.read_exact_at(&mut bytes, table_at() + (piece * DIMENSIONS) as u64)?;
            let (scale, low) = (scale[piece % CHUNKS], low[piece % CHUNKS]);
            row.iter_mut().zip(bytes).for_each(|(value, byte)| *value = f32::from(byte) * scale + low);
        }
        Ok(embedded)
    }
}

fn table_at() -> u64 {
    (MAGIC.len() + layers_bytes()) as u64
}

/// What the neighbours of each piece add to it.
fn convolve(embedded: &Array2<f32>, sentences: &[Vec<u32>], layers: &mut Layers<'_>) -> Array2<f32> {
    let all = |layers: &Layers<'_>, name: &str| {
        let lists = CONVOLUTIONS.map(|(order, _, _)| layers.list(&format!("{name}{order}")));
        concatenate![Axis(0), lists[0], lists[1], lists[2]]
    };
    let mut projected = Array2::<f32>::zeros((embedded.nrows(), CONVOLUTIONS.len() * WIDTH));
    for (number, (order, _, _)) in CONVOLUTIONS.iter().enumerate() {
        let columns = number * WIDTH..(number + 1) * WIDTH;
        projected
            .slice_axis_mut(Axis(1), columns.into())
            .assign(&layers.times(embedded, &format!("proj{order}")));
    }
    projected += &all(layers, "proj_b");
    normalize(&mut projected, &all(layers, "ln_g"), &all(layers, "ln_b"));
    for (number, (order, count, before)) in CONVOLUTIONS.into_iter().enumerate() {
        let columns = number * WIDTH..(number + 1) * WIDTH;
        let mut values = projected.slice_axis(Axis(1), columns.clone().into()).to_owned();
        for step in ["1", "2"] {
            let near = neighbours(values.view(), sentences, count, before);
            let name = |what: &str| format!("{what}{step}_{order}");
            values += &relu(layers.times(&near, &name("w")) + &layers.list(&name("b")));
        }
        projected.slice_axis_mut(Axis(1), columns.into()).assign(&values);
    }
    projected
}

/// For each piece the values of some pieces around it in a row, 0 beyond its sentence.
fn neighbours(
    values: ArrayView2<'_, f32>,
    sentences: &[Vec<u32>],
    count: usize,
    before: usize,
) -> Array2<f32> {
    let mut near = Array2::<f32>::zeros((values.nrows(), count * WIDTH));
    for range in ranges(sentences) {
        for piece in range.clone() {
            for slot in 0..count {
                let other = (piece + slot).checked_sub(before).filter(|other| range.contains(other));
                if let Some(other) = other {
                    let places = slot * WIDTH..(slot + 1) * WIDTH;
                    near.row_mut(piece).slice_axis_mut(Axis(0), places.into()).assign(&values.row(other));
                }
            }
        }
    }
    near
}

/// Which rows belong to each sentence.
fn ranges(sentences: &[Vec<u32>]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut start = 0;
    sentences.iter().map(move |sentence| {
        let range = start..start + sentence.len();
        start = range.end;
        range
    })
}

/// Gives every row the mean 0 and the spread 1, and then what the layer has learned.
fn normalize(rows: &mut Array2<f32>, gain: &Array1<f32>, bias: &Array1<f32>) {
    for mut row in rows.rows_mut() {
        let mean = row.mean().unwrap_or(0.0);
        row -= mean;
        let spread = (row.dot(&row) / row.len() as f32 + TINY).sqrt();
        row /= spread;
        row *= gain;
        row += bias;
    }
}

fn relu(values: Array2<f32>) -> Array2<f32> {
    values.mapv_into(|value| value.max(0.0))
}

/// The numbers of the layers. A matrix is unpacked when it is needed, into room that all share: its bytes are a quarter
/// of its values, and reading them is most of the time that a short question takes.
struct Layers<'l> {
    bytes: &'l [u8],
    scratch: Vec<f32>,
}

impl Layers<'_> {
    fn list(&self, name: &str) -> Array1<f32> {
        let (at, length) = list_at(name).unwrap_or_default();
        let bytes = self.bytes.get(at..at + 4 * length).unwrap_or_default();
        bytes.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect()
    }

    fn times(&mut self, values: &Array2<f32>, name: &str) -> Array2<f32> {
        let (at, inputs, outputs) = matrix_at(name).unwrap_or_default();
        let bytes = self.bytes.get(at..at + 8 + inputs * outputs).unwrap_or_default();
        let factor = |at: usize| {
            bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0.0, |b| f32::from_le_bytes(*b))
        };
        let (low, step) = (factor(0), factor(4));
        self.scratch.clear();
        self.scratch.extend(bytes.iter().skip(8).map(|byte| f32::from(*byte) * step + low));
        match ArrayView1::from(&self.scratch).into_shape_with_order((inputs, outputs)) {
            Ok(matrix) => values.dot(&matrix),
            Err(_) => Array2::zeros((values.nrows(), outputs)),
        }
    }
}
