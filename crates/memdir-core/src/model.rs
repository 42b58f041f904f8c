//! A language model that the user named, as values: what it is asked, what its answer means, and what it may cost.
//!
//! Nothing here has a network. The binary carries a [`Call`] to where it goes and brings back bytes; [`answer`] reads
//! them as hostile text, and the [`budget`] says beforehand whether the call may be made at all.

pub mod answer;
pub mod budget;
mod request;
mod settings;

pub use request::{Call, KeyPlace, Question};
pub use settings::{ModelChoice, ModelSettings, Provider};
