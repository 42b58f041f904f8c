//! Archives of memories: `.tar.zst` and `.zip`, packed from files in memory and unpacked with every bound checked.
//!
//! An archive comes from elsewhere, so nothing in it is believed: only regular files with plain relative names count, each
//! once, and no archive may grow beyond [`MAX_BYTES`], whatever its headers say.

use std::collections::{BTreeMap, HashSet};
use std::io::{Cursor, Read, Write};

use camino::Utf8Path;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use zip::write::SimpleFileOptions;

/// The files of an archive by their names.
pub(crate) type ArchiveFiles = BTreeMap<String, Vec<u8>>;

/// How an archive is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArchiveFormat {
    /// A tar, compressed with Zstandard.
    TarZst,
    /// A zip.
    Zip,
}

/// Why an archive is not read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    /// It is damaged, or not an archive of this format.
    #[error("cannot read the archive: {0}")]
    Damaged(String),
    /// A name leads out of the archive, is hidden, or cannot be that of a file.
    #[error("the archive holds a file with an invalid name: {0:?}")]
    Name(String),
    /// It holds a link, a device or another entry that is not a file.
    #[error("`{0}` in the archive is not a regular file")]
    NotFile(String),
    /// Two entries have the same name.
    #[error("`{0}` is twice in the archive")]
    Twice(String),
    /// It holds more than anyone's memory.
    #[error("the archive is too large: at most {MAX_FILES} files and {MAX_BYTES} bytes are read")]
    TooLarge,
}

/// No archive holds more files.
pub(crate) const MAX_FILES: usize = 100_000;
/// No archive holds more bytes, unpacked.
pub(crate) const MAX_BYTES: u64 = 512 << 20;

impl ArchiveFormat {
    /// The format that a file's name says; `None` if it names neither.
    #[must_use]
    pub(crate) fn of(path: &Utf8Path) -> Option<Self> {
        let name = path.file_name()?.to_lowercase();
        match () {
            () if name.ends_with(".tar.zst") => Some(Self::TarZst),
            () if name.ends_with(".zip") => Some(Self::Zip),
            () => None,
        }
    }

    /// Packs files. The same files give the same bytes: no times and no owners are kept.
    ///
    /// # Errors
    /// A name is too long for the format.
    pub(crate) fn pack(self, files: &ArchiveFiles) -> Result<Vec<u8>, ArchiveError> {
        match self {
            Self::TarZst => {
                let mut tar = tar::Builder::new(Vec::new());
                for (name, content) in files {
                    let mut header = tar::Header::new_gnu();
                    header.set_size(content.len() as u64);
                    header.set_mode(0o600);
                    header.set_mtime(0);
                    tar.append_data(&mut header, name, content.as_slice()).map_err(damaged)?;
                }
                let tar = tar.into_inner().map_err(damaged)?;
                Ok(compress_to_vec(tar.as_slice(), CompressionLevel::Fastest))
            }
            Self::Zip => {
                let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
                let options = SimpleFileOptions::default()
                    .compression_method(zip::CompressionMethod::Deflated)
                    .last_modified_time(zip::DateTime::default())
                    .unix_permissions(0o600);
                for (name, content) in files {
                    zip.start_file(name.as_str(), options).map_err(damaged)?;
                    zip.write_all(content).map_err(damaged)?;
                }
                Ok(zip.finish().map_err(damaged)?.into_inner())
            }
        }
    }

    /// Unpacks an archive, or refuses all of it.
    ///
    /// # Errors
    /// It is damaged, too large, or holds something other than plain files.
    pub(crate) fn unpack(self, bytes: &[u8]) -> Result<ArchiveFiles, ArchiveError> {
        let mut unpacked = Unpacked { files: ArchiveFiles::new(), bytes: 0 };
        match self {
            Self::TarZst => {
                let decoder = StreamingDecoder::new(bytes).map_err(damaged)?;
                let mut tar = tar::Archive::new(decoder.take(MAX_BYTES * 2));
                for entry in tar.entries().map_err(damaged)? {
                    let mut entry = entry.map_err(damaged)?;
                    let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
                    match entry.header().entry_type() {
                        tar::EntryType::Regular => unpacked.add(name, &mut entry)?,
                        tar::EntryType::Directory => {}
                        _ => return Err(ArchiveError::NotFile(name)),
                    }
                }
            }
            Self::Zip => {
                let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
                if let Some(name) = twice_in_zip(bytes, zip.central_directory_start()) {
                    return Err(ArchiveError::Twice(name));
                }
                for number in 0..zip.len() {
                    let mut entry = zip.by_index(number).map_err(damaged)?;
                    let name = entry.name().map_err(damaged)?.into_owned();
                    let is_special =
                        entry.unix_mode().is_some_and(|mode| !matches!(mode >> 12, 0 | 0o4 | 0o10));
                    if is_special || entry.encrypted() {
                        return Err(ArchiveError::NotFile(name));
                    }
                    if !entry.is_dir() {
                        unpacked.add(name, &mut entry)?;
                    }
                }
            }
        }
        Ok(unpacked.files)
    }
}

struct Unpacked {
    files: ArchiveFiles,
    bytes: u64,
}

impl Unpacked {
    fn add(&mut self, name: String, content: &mut impl Read) -> Result<(), ArchiveError> {
        let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.');
        let hides = |c: char| c == '\\' || c == ':' || c.is_control() || c == '\u{fffd}';
        if !name.split('/').all(is_plain) || name.contains(hides) || name.len() > 1024 {
            return Err(ArchiveError::Name(name));
        }
        let mut bytes = Vec::new();
        // One more than fits: what a header says about the size is not believed.
        content.take(MAX_BYTES - self.bytes + 1).read_to_end(&mut bytes).map_err(damaged)?;
        self.bytes += bytes.len() as u64;
        if self.bytes > MAX_BYTES || self.files.len() >= MAX_FILES {
            return Err(ArchiveError::TooLarge);
        }
        match self.files.insert(name.clone(), bytes) {
            None => Ok(()),
            Some(_) => Err(ArchiveError::Twice(name)),
        }
    }
}

/// A name that the list at the end of a zip has twice: its reader knows the last of such entries alone.
fn twice_in_zip(bytes: &[u8], start: u64) -> Option<String> {
    let mut rest = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
    let mut names = HashSet::new();
    // An entry: 46 bytes, then a name, further fields and a comment, whose lengths are at 28, 30 and 32.
    while rest.starts_with(b"PK\x01\x02") {
        let length = |at: usize| {
            let length = rest.get(at..).and_then(|rest| rest.first_chunk::<2>());
            length.map_or(0, |length| usize::from(u16::from_le_bytes(*length)))
        };
        let (name, behind) = (46 + length(28), 46 + length(28) + length(30) + length(32));
        let name = rest.get(46..name)?;
        if !names.insert(name) {
            return Some(String::from_utf8_lossy(name).into_owned());
        }
        rest = rest.get(behind..)?;
    }
    None
}

fn damaged(error: impl std::fmt::Display) -> ArchiveError {
    ArchiveError::Damaged(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [ArchiveFormat; 2] = [ArchiveFormat::TarZst, ArchiveFormat::Zip];

    #[test]
    fn a_round_trip_keeps_every_byte_and_packs_the_same_bytes_again() {
        let long = format!("memory/{}/{}.md", "d".repeat(90), "f".repeat(120));
        let files = ArchiveFiles::from([
            ("memory/a.md".to_owned(), b"a\r\n\0\xff".to_vec()),
            ("memory/empty.md".to_owned(), Vec::new()),
            ("memory/\u{e9}\u{65e5}.md".to_owned(), vec![b'x'; 300_000]),
            (long, b"deep".to_vec()),
        ]);
        for format in BOTH {
            let packed = format.pack(&files).unwrap();
            assert_eq!(format.unpack(&packed).unwrap(), files, "{format:?}");
            assert_eq!(format.pack(&files).unwrap(), packed);
            assert!(packed.len() < 20_000, "{}", packed.len());
        }
    }

    #[test]
    fn hostile_names_are_refused() {
        for name in [
            "../x.md",
            "/etc/x.md",
            "a/../../x.md",
            "a//b.md",
            ".git/config",
            "a/.x",
            "C:x",
            "a\\b.md",
            "a\nb",
        ] {
            let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(b"x").unwrap();
            let zip = zip.finish().unwrap().into_inner();
            assert!(ArchiveFormat::Zip.unpack(&zip).is_err(), "{name:?} in a zip");
            let tar = compress_to_vec(
                raw_tar(name, tar::EntryType::Regular, b"x").as_slice(),
                CompressionLevel::Fastest,
            );
            assert!(ArchiveFormat::TarZst.unpack(&tar).is_err(), "{name:?} in a tar");
        }
    }

    /// A tar whose only entry has any name and type.
    fn raw_tar(name: &str, kind: tar::EntryType, content: &[u8]) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o600);
        header.set_cksum();
        let mut tar = tar::Builder::new(Vec::new());
        tar.append(&header, content).unwrap();
        tar.into_inner().unwrap()
    }

    #[test]
    fn links_duplicates_bombs_and_damage_are_refused() {
        let pack = |tar: &[u8]| compress_to_vec(tar, CompressionLevel::Fastest);
        for kind in
            [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Char, tar::EntryType::Fifo]
        {
            let tar = pack(&raw_tar("a.md", kind, b""));
            assert!(matches!(ArchiveFormat::TarZst.unpack(&tar), Err(ArchiveError::NotFile(_))), "{kind:?}");
        }
        for mode in [0o120_777, 0o020_666, 0o010_644, 0o140_755] {
            let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
            zip.start_file("a.md", SimpleFileOptions::default()).unwrap();
            let mut zip = zip.finish().unwrap().into_inner();
            // The upper half of the attributes in the list of entries.
            let list = zip.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
            zip[list + 40..list + 42].copy_from_slice(&u16::to_le_bytes(mode));
            assert!(matches!(ArchiveFormat::Zip.unpack(&zip), Err(ArchiveError::NotFile(_))), "{mode:o}");
        }
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for name in ["a.md", "b.md"] {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
        }
        let mut zip = zip.finish().unwrap().into_inner();
        for at in 0..zip.len() - 4 {
            if zip[at..].starts_with(b"b.md") {
                zip[at] = b'a';
            }
        }
        assert!(matches!(ArchiveFormat::Zip.unpack(&zip), Err(ArchiveError::Twice(_))));
        let one = raw_tar("a.md", tar::EntryType::Regular, b"x");
        let twice = [&one[..1024], &one[..]].concat();
        assert!(matches!(ArchiveFormat::TarZst.unpack(&pack(&twice)), Err(ArchiveError::Twice(_))));
        let mut header = tar::Header::new_gnu();
        header.set_path("big.md").unwrap();
        header.set_size(u64::MAX / 4);
        header.set_cksum();
        assert!(ArchiveFormat::TarZst.unpack(&pack(header.as_bytes())).is_err(), "a size that is not there");
        let files = ArchiveFiles::from([("a.md".to_owned(), vec![b'a'; 5_000])]);
        for format in BOTH {
            let packed = format.pack(&files).unwrap();
            for end in 0..packed.len() {
                let cut = format.unpack(&packed[..end]);
                assert!(cut.is_err() || cut.unwrap().len() < 2, "{format:?} cut at {end}");
            }
            let mut changed = packed.clone();
            for place in 0..changed.len() {
                changed[place] ^= 0x55;
                let _ = format.unpack(&changed);
                changed[place] ^= 0x55;
            }
            assert!(format.unpack(b"").is_err() && format.unpack(b"plain text").is_err());
        }
    }
}
