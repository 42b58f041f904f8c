//! Opening files of our own state: something that is called like one and is not a file is refused, never opened.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;

use camino::Utf8Path;
use rustix::fs::{Mode, OFlags};

/// Opens a regular file for reading. A pipe, a socket or a device would block or answer with somebody else's bytes.
///
/// # Errors
/// What the system says, and whatever is not a regular file.
pub fn open_own(path: &Utf8Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path.as_std_path(), flags, Mode::empty())?);
    let kind = file.metadata()?.file_type();
    if kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device() {
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

    #[test]
    fn a_pipe_is_refused_and_not_waited_for() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(temporary.path()).unwrap();
        let pipe = folder.join("manifest");
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, pipe.as_std_path(), rustix::fs::FileType::Fifo, mode, 0)
            .unwrap();
        assert_eq!(read_own(&pipe).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        std::fs::write(folder.join("file"), "text").unwrap();
        assert_eq!(read_own(&folder.join("file")).unwrap(), b"text");
    }
}
