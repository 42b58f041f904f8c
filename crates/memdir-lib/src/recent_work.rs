//! What was worked on last: the files of the newest commits, written down by background work for the first prompt of a
//! session, which has no time to ask git.

use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;
use memdir_core::env::Env;
use memdir_disk::cache_dir::CacheDir;
use memdir_disk::git_query::ask_git;
use memdir_disk::own_file::read_own;
use memdir_search::RecentWork;

use crate::memory::Memory;
use crate::place::Checkout;

/// The files of so many commits count.
const COMMITS: &str = "--max-count=5";
const MAX_FILES: usize = 50;
const MAX_BYTES: u64 = 64 << 10;
const TIME_LIMIT: Duration = Duration::from_secs(3);
/// Shorter words say nothing.
const SHORTEST_WORD: usize = 4;
/// Words of branch names that say nothing.
const KINDS: [&str; 14] = [
    "main", "master", "develop", "trunk", "head", "feature", "feat", "bugfix", "hotfix", "release", "chore",
    "refactor", "branch", "work",
];

impl Memory {
    /// Writes down which files the newest commits of the branch changed.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn note_recent_work(&self, env: &Env) -> io::Result<()> {
        match (self.common_dir(), Checkout::of(env).branch) {
            (Some(common_dir), Some(branch)) => note(env, common_dir, &branch),
            _ => Ok(()),
        }
    }
}

fn note(env: &Env, common_dir: &Utf8Path, branch: &str) -> io::Result<()> {
    let Some(folder) = folder(env) else { return Ok(()) };
    let revision = format!("refs/heads/{branch}");
    let arguments = ["log", "--format=", "--name-only", "-z", COMMITS, &revision, "--"];
    let Some(names) = ask_git(common_dir, &arguments, MAX_BYTES, TIME_LIMIT) else { return Ok(()) };
    let mut files: Vec<&str> = Vec::new();
    for name in names.split(['\0', '\n']).filter(|name| !name.is_empty()) {
        if files.len() < MAX_FILES && !files.contains(&name) {
            files.push(name);
        }
    }
    let Some(writer) = CacheDir::new(folder).try_write()? else { return Ok(()) };
    writer.write(&name_of(common_dir, branch), |out| out.write_all(files.join("\n").as_bytes()))
}

/// What was worked on last on a branch, as far as it is known.
pub(crate) fn recent_work(env: &Env, common_dir: Option<&Utf8Path>, branch: Option<&str>) -> RecentWork {
    let Some(branch) = branch else { return RecentWork::default() };
    let path =
        common_dir.zip(folder(env)).map(|(common_dir, folder)| folder.join(name_of(common_dir, branch)));
    let known = path.and_then(|path| read_own(&path).ok()).unwrap_or_default();
    let files = String::from_utf8_lossy(&known).lines().map(str::to_owned).collect();
    let words = branch.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let says = |word: &String| {
        word.chars().count() >= SHORTEST_WORD
            && !word.chars().all(char::is_numeric)
            && !KINDS.contains(&word.as_str())
    };
    RecentWork { files, branch_words: words.filter(says).collect() }
}

fn folder(env: &Env) -> Option<Utf8PathBuf> {
    env.state_dir().map(|state| state.join("cache/recent"))
}

/// A name for the file of a branch, whatever the branch is called.
fn name_of(common_dir: &Utf8Path, branch: &str) -> String {
    ContentHash::of(format!("{common_dir}\0{branch}").as_bytes()).to_string()
}
