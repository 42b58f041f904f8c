//! Random bits from the system, for ids.

use std::io;

use crate::platform::fill_random;

/// 128 random bits.
///
/// # Errors
/// The system has none to give.
pub fn random_bits() -> io::Result<u128> {
    let mut bytes = [0; 16];
    fill_random(&mut bytes)?;
    Ok(u128::from_ne_bytes(bytes))
}
