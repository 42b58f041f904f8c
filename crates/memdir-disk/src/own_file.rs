//! Opening files of our own state: something that is called like one and is not a file is refused, never opened.

use std::fs::File;
use std::io::{self, Read};

use camino::Utf8Path;

use crate::platform;

/// Opens a regular file for reading. A pipe, a socket or a device would block or answer with another person's bytes.
///
/// # Errors
/// What the system says, and whatever is not a regular file.
pub fn open_own(path: &Utf8Path) -> io::Result<File> {
    let file = platform::open_file(path.as_std_path(), true)?;
    if platform::is_special(&file.metadata()?) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(file)
}

/// The whole content of a regular file.
///
/// # Errors
/// As [`open_own`].
pub fn read_own(path: &Utf8Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_own(path)?.read_to_end(&mut content)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_and_not_waited_for() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(temporary.path()).unwrap();
        let pipe = folder.join("manifest");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, pipe.as_std_path(), rustix::fs::FileType::Fifo, mode, 0)
            .unwrap();
        assert_eq!(read_own(&pipe).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        std::fs::write(folder.join("file"), "text").unwrap();
        assert_eq!(read_own(&folder.join("file")).unwrap(), b"text");
    }
}
