//! Streamable HTTP as values: what a request says, and whether it may be answered.

mod gate;
mod head;
mod mirrored;

pub use gate::{Gate, Refused, is_loopback_host};
pub use head::{Framing, Head, HeadError, MAX_HEAD_BYTES};
pub use mirrored::check_mirrored;
