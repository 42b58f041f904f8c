//! Similarity of meaning, for users who have installed a model: a sentence becomes 512 numbers, and sentences that mean
//! the same, in whichever of sixteen languages, become similar numbers.
//!
//! The model is Google's Universal Sentence Encoder, multilingual, version 3. Its package is converted once, at
//! installation, to a file of our own (`model_file.rs`): a question then reads six megabytes of it instead of seventy,
//! and nothing has to be parsed. That is what keeps a question below ten milliseconds.

mod encoder;
mod meaning_file;
mod model_file;
mod package;
mod pieces;
mod vector;

pub use encoder::Encoder;
pub use meaning_file::NAME;
pub(crate) use meaning_file::{MeaningFile, Parts, ReadMemory, TextVersion, version_of, write};
pub use package::{PackageError, SentenceModel};
pub use vector::Vector;
