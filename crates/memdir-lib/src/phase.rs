//! The parts of long work, by name.

/// What long work is at, so that a waiting user can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Files or transcripts are read.
    Reading,
    /// What was read is compared with what is known, and a plan is made.
    Planning,
    /// A model is asked.
    Asking,
    /// The plan is carried out.
    Writing,
}
