//! The token by which a program proves that it may read what its user may read.

use std::fs;
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};

use crate::platform::{self, OpenOwn};
use crate::random::random_bits;
use crate::state_file::{make_directory, read};

/// Where the token is below a state directory.
#[must_use]
pub fn token_file(state_dir: &Utf8Path) -> Utf8PathBuf {
    state_dir.join("mcp-token")
}

/// The token of this user: 64 hexadecimal digits, made at the first use and readable by this user alone.
///
/// # Errors
/// It cannot be read or made, or others can read it.
pub fn token(state_dir: &Utf8Path) -> io::Result<String> {
    let path = token_file(state_dir);
    for _ in 0..2 {
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() || platform::is_open_to_others(&found) => {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "others can read it: remove it, and a new token is made",
                ));
            }
            Ok(_) => {
                let text = String::from_utf8_lossy(&read(&path, 256)?.unwrap_or_default()).trim().to_owned();
                if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return Ok(text);
                }
                return Err(io::Error::new(io::ErrorKind::InvalidData, "it holds no token: remove it"));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        make_directory(state_dir)?;
        let made = format!("{:032x}{:032x}", random_bits()?, random_bits()?);
        match fs::OpenOptions::new().write(true).create_new(true).private().open(&path) {
            Ok(mut file) => {
                file.write_all(format!("{made}\n").as_bytes())?;
                file.sync_all()?;
                return Ok(made);
            }
            // Another process made one at the same time: that one counts.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "another process keeps making and removing it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_token_is_made_once_and_only_for_its_user() {
        use std::os::unix::fs::PermissionsExt;
        let temp = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(temp.path()).unwrap().join("state");
        let made = token(&state).unwrap();
        assert_eq!(made.len(), 64);
        assert_eq!(token(&state).unwrap(), made);
        let path = token_file(&state);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(token(&state).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        fs::remove_file(&path).unwrap();
        assert_ne!(token(&state).unwrap(), made);
        fs::write(&path, "short").unwrap();
        assert_eq!(token(&state).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
