//! The core from outside.

mod parsers;
mod replay;
