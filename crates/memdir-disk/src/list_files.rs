//! Listing the Markdown files of a memory directory, fast and bounded.

use std::ffi::CString;
use std::io::Read;

use memdir_core::rel_path::{MAX_DEPTH, RelPath};

use crate::disk_error::{DiskError, IoContext};
use crate::memory_root::MemoryRoot;
use crate::place::FileStat;
use crate::platform::{self, Errno, FileKind, Handle, Target, open_beneath};

/// How many files are listed at most; more is not a memory directory.
pub const MAX_FILES: usize = 100_000;

/// How many directories are listed at most.
const MAX_DIRECTORIES: usize = 10_000;

/// One file of a memory directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    /// Its path below the root.
    pub path: RelPath,
    /// What the system knows about it.
    pub stat: FileStat,
    /// Its first bytes, as many as were asked for.
    pub head: Vec<u8>,
}

/// The files of a memory directory, and what was left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files, sorted by path.
    pub files: Vec<ListedFile>,
    /// Every directory that was listed, the root as the empty path, with when its entries last changed before that,
    /// in nanoseconds.
    pub directories: Vec<(String, i64)>,
    /// Entries that were not followed or not listed, each with the reason.
    pub left_out: Vec<LeftOut>,
}

/// An entry that is not listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path below the root, made printable.
    pub path: String,
    /// Why.
    pub rule: &'static str,
    /// Whether the system failed, so that a memory may be missing from the list; else a rule says that it is none.
    pub failed: bool,
}

impl MemoryRoot {
    /// Lists the `.md` files in the directory and below, with the first `head_bytes` bytes of each (0: none).
    ///
    /// Hidden names are skipped, links are not followed, what cannot be a memory is named in
    /// [`Listing::left_out`]. A file that disappears meanwhile is not listed.
    ///
    /// # Errors
    /// The root itself cannot be listed.
    pub fn list_files(&self, head_bytes: usize) -> Result<Listing, DiskError> {
        let mut walk = Walk { head_bytes, listing: Listing::default() };
        let mut pending = vec![(String::from("."), 1)];
        let mut listed = 0;
        while let Some((path, depth)) = pending.pop() {
            let dir = match open_beneath(self.dir(), &path, Target::Directory) {
                Ok(dir) => dir,
                Err(error) if depth == 1 => return Err(error).during("list", self.path()),
                Err(_) => {
                    walk.miss(path, "cannot be opened");
                    continue;
                }
            };
            listed += 1;
            let prefix = if depth == 1 { String::new() } else { format!("{path}/") };
            match walk.directory(&prefix, &dir) {
                Ok(below) if depth < MAX_DEPTH && listed + pending.len() + below.len() <= MAX_DIRECTORIES => {
                    pending.extend(below.into_iter().map(|path| (path, depth + 1)));
                }
                Ok(below) => below
                    .into_iter()
                    .for_each(|path| walk.leave_out(path, "too deep, or too many directories")),
                Err(error) if depth == 1 => return Err(error).during("list", self.path()),
                Err(_) => walk.miss(path, "cannot be listed"),
            }
        }
        walk.listing.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(walk.listing)
    }
}

/// The entries of a directory by name.
///
/// Some file systems give a file that is swapped for another one a new place in the list. Then a listing under way
/// meets it twice, or not at all; so a directory that changes meanwhile is listed again, and whatever was seen once
/// counts.
fn entries(dir: &Handle) -> Result<(Vec<(CString, FileKind)>, i128), Errno> {
    let mut seen = Vec::new();
    let mut before = 0;
    for _ in 0..MAX_LISTINGS {
        before = last_change(dir)?;
        seen.extend(platform::read_names(dir)?);
        if last_change(dir)? == before {
            break;
        }
    }
    // What was seen last is what it is.
    seen.reverse();
    seen.sort_by(|(one, _), (other, _)| one.cmp(other));
    seen.dedup_by(|(one, _), (other, _)| one == other);
    Ok((seen, before))
}

/// How often a directory that never rests is listed.
const MAX_LISTINGS: u32 = 8;

fn last_change(dir: &Handle) -> Result<i128, Errno> {
    Ok(platform::stat_open(dir)?.file.modified)
}

struct Walk {
    head_bytes: usize,
    listing: Listing,
}

impl Walk {
    /// Takes in the files of one directory and returns its subdirectories.
    fn directory(&mut self, prefix: &str, dir: &Handle) -> Result<Vec<String>, Errno> {
        let mut directories = Vec::new();
        let (entries, modified) = entries(dir)?;
        let path = prefix.trim_end_matches('/').to_owned();
        self.listing.directories.push((path, i64::try_from(modified).unwrap_or(i64::MAX)));
        for (name, kind) in entries {
            let Ok(name) = name.to_str() else {
                let lossy = name.to_string_lossy();
                self.leave_out(format!("{prefix}{lossy}").escape_debug().to_string(), "name is not UTF-8");
                continue;
            };
            if name.starts_with('.') {
                continue;
            }
            let path = format!("{prefix}{name}");
            let kind = match kind {
                FileKind::Unknown => platform::stat_at(dir, name).map_or(FileKind::Unknown, |stat| stat.kind),
                known => known,
            };
            match kind {
                FileKind::Directory => directories.push(path),
                FileKind::File if name.ends_with(".md") => self.file(dir, name, path),
                FileKind::File | FileKind::Unknown => {}
                FileKind::Link => self.leave_out(path, "a link"),
                _ => self.leave_out(path, "not a regular file"),
            }
        }
        Ok(directories)
    }

    fn file(&mut self, dir: &Handle, name: &str, path: String) {
        if self.listing.files.len() >= MAX_FILES {
            return self.leave_out(path, "too many files");
        }
        let path = match RelPath::parse(&path) {
            // Stored in another normal form: it would be opened under another name than it has.
            Ok(parsed) if parsed.as_str() != path => return self.leave_out(path, "name is not in NFC"),
            Ok(parsed) => parsed,
            Err(refused) => return self.leave_out(path.escape_debug().to_string(), refused.rule),
        };
        match self.stat_and_head(dir, name) {
            Ok((stat, head)) => self.listing.files.push(ListedFile { path, stat, head }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(_) => self.miss(path.to_string(), "cannot be read"),
        }
    }

    fn stat_and_head(&self, dir: &Handle, name: &str) -> Result<(FileStat, Vec<u8>), std::io::Error> {
        if self.head_bytes == 0 {
            return Ok((platform::stat_at(dir, name)?.file, Vec::new()));
        }
        // One component and no link: plain openat is confined here, and cheaper than openat2.
        let mut file = platform::open_at(dir, name)?;
        let stat = platform::stat_open(&file)?;
        if stat.kind != FileKind::File {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        let stat = stat.file;
        let wanted = usize::try_from(stat.size).unwrap_or(usize::MAX).min(self.head_bytes);
        let mut head = vec![0; wanted];
        let length = file.read(&mut head[..])?;
        head.truncate(length);
        Ok((stat, head))
    }

    fn leave_out(&mut self, path: String, rule: &'static str) {
        self.note(LeftOut { path, rule, failed: false });
    }

    fn miss(&mut self, path: String, rule: &'static str) {
        self.note(LeftOut { path, rule, failed: true });
    }

    fn note(&mut self, left_out: LeftOut) {
        if self.listing.left_out.len() < MAX_FILES {
            self.listing.left_out.push(left_out);
        }
    }
}
