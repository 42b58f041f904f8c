//! Random bits from the system, for ids.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

/// 128 random bits.
///
/// # Errors
/// The system has none to give.
pub fn random_bits() -> io::Result<u128> {
    let mut bytes = [0; 16];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        filled += getrandom(rest, GetRandomFlags::empty())?;
    }
    Ok(u128::from_ne_bytes(bytes))
}
