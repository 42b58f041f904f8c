//! The disk layer against real processes: killed, and in a crowd.

#![expect(clippy::unwrap_used, reason = "tests build their own directories")]

mod crowd;
mod kill;
mod writer;
