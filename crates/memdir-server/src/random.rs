//! Randomness from the system.

use std::io;

/// Random bytes.
///
/// # Errors
/// The system has none.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes)
}

#[cfg(target_os = "linux")]
fn fill(bytes: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        filled += rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn fill(bytes: &mut [u8]) -> io::Result<()> {
    io::Read::read_exact(&mut std::fs::File::open("/dev/urandom")?, bytes)
}

/// A random id of 16 digits.
///
/// # Errors
/// The system has no randomness.
pub fn random_id() -> io::Result<String> {
    Ok(random::<8>()?.iter().map(|byte| format!("{byte:02x}")).collect())
}
