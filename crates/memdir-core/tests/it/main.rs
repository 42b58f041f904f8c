//! The core from outside.

mod bent;
mod parsers;
mod replay;
