//! Randomness from the system.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

/// Random bytes.
///
/// # Errors
/// The system has none.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let mut filled = 0;
    while filled < N {
        let rest = bytes.get_mut(filled..).unwrap_or_default();
        filled += getrandom(rest, GetRandomFlags::empty())?;
    }
    Ok(bytes)
}

/// A random id of 16 digits.
///
/// # Errors
/// The system has no randomness.
pub fn random_id() -> io::Result<String> {
    Ok(random::<8>()?.iter().map(|byte| format!("{byte:02x}")).collect())
}
