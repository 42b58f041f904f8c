/// A commit as git reports it when it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commit<'a> {
    /// The branch, or `detached HEAD`.
    pub branch: &'a str,
    /// The abbreviated hash.
    pub hash: &'a str,
    /// The first line of the message.
    pub subject: &'a str,
}

/// The commits in what a command printed: lines like `[main 1a2b3c4] Subject`.
pub(super) fn commits(text: &str) -> impl Iterator<Item = Commit<'_>> {
    text.lines().filter_map(|line| {
        let (head, subject) = line.trim_start().strip_prefix('[')?.split_once("] ")?;
        let (branch, hash) = head.rsplit_once(' ')?;
        let is_hash = (7..=64).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let branch = branch.strip_suffix("(root-commit)").unwrap_or(branch).trim_end();
        (is_hash && !branch.is_empty()).then_some(Commit { branch, hash, subject })
    })
}
