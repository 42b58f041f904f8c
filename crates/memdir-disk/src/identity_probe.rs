//! Looks at a project's root directory for what identifies it.

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use camino::Utf8Path;
use memdir_core::look::Look;
use memdir_core::project::identity::{Evidence, Inode};
use memdir_core::project::remote::remote_of_config;

use crate::git_query::ask_git;
use crate::platform;
use crate::real_look::RealLook;

/// How much to spend on knowing a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// One system call: what a hook or a look-up can afford.
    Cheap,
    /// Also the repository's remote and root commit, which takes a git process: for commands and detached work.
    Full,
}

/// What identifies the project at `root`, whose repository keeps its data in `common_dir`.
///
/// Whatever cannot be known is left out: no git, a broken repository and one of another user are not errors.
#[must_use]
pub fn probe(root: &Utf8Path, common_dir: Option<&Utf8Path>, depth: Probe) -> Evidence {
    let mut evidence = Evidence { inode: inode_of(root), ..Evidence::default() };
    let (Probe::Full, Some(common_dir)) = (depth, common_dir) else { return evidence };
    evidence.remote = remote_of(common_dir);
    evidence.shallow = fs::symlink_metadata(common_dir.join("shallow")).is_ok();
    if !evidence.shallow && is_ours(common_dir) {
        evidence.root_commit = root_commit(common_dir, TIME_LIMIT);
    }
    evidence
}

/// The normalised remote of the repository that keeps its data in `common_dir`, at the cost of one small file.
#[must_use]
pub fn remote_of(common_dir: &Utf8Path) -> Option<String> {
    let config = RealLook.read(&common_dir.join("config"), CONFIG_LIMIT).unwrap_or_default();
    remote_of_config(&String::from_utf8_lossy(&config))
}

/// The directory as its file system knows it; `None` where no birth time is kept, because numbers are used again.
#[must_use]
pub fn inode_of(directory: &Utf8Path) -> Option<Inode> {
    let metadata = fs::metadata(directory).ok().filter(fs::Metadata::is_dir)?;
    let birth = metadata.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let (device, number) = platform::device_and_number(directory.as_std_path(), &metadata)?;
    Some(Inode {
        device,
        number,
        birth_seconds: i64::try_from(birth.as_secs()).ok()?,
        birth_nanos: birth.subsec_nanos(),
    })
}

const CONFIG_LIMIT: u64 = 256 * 1024;

/// Enough for the history of a large repository, and no longer than a person waits.
const TIME_LIMIT: Duration = Duration::from_secs(3);

/// Git refuses to work in a repository of another process unless told the directory; then we must refuse.
fn is_ours(common_dir: &Utf8Path) -> bool {
    fs::metadata(common_dir).is_ok_and(|metadata| platform::is_own_file(&metadata))
}

/// The commit without a parent to which `HEAD` leads by first parents: there is exactly one, and merges of other
/// histories do not change it.
fn root_commit(common_dir: &Utf8Path, limit: Duration) -> Option<String> {
    let arguments = ["rev-list", "--first-parent", "--max-parents=0", "HEAD"];
    let output = ask_git(common_dir, &arguments, OUTPUT_LIMIT, limit)?;
    let commit = output.lines().last()?;
    let is_hash = matches!(commit.len(), 40 | 64) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| commit.to_owned())
}

const OUTPUT_LIMIT: u64 = 64 * 1024;
