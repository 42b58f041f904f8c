//! Which branch is checked out, read from the repository's own files: no git process at a write.

use camino::{Utf8Path, Utf8PathBuf};

use crate::look::{Kind, Look};

/// The branch of the checkout in which a directory is: `HEAD` if none is checked out, `None` outside a repository.
#[must_use]
pub fn current_branch(cwd: &Utf8Path, look: &dyn Look) -> Option<String> {
    let git_dir = cwd.ancestors().find_map(|directory| git_dir(directory, look))?;
    let head = look.read(&git_dir.join("HEAD"), MAX_BYTES).ok()?;
    let head = String::from_utf8(head).ok()?;
    let line = head.lines().next().unwrap_or_default().trim();
    let branch = line.strip_prefix("ref:").map(|reference| {
        let reference = reference.trim();
        reference.strip_prefix("refs/heads/").unwrap_or(reference)
    });
    let is_plain = |branch: &&str| !branch.is_empty() && !crate::hidden_char::holds_hidden(branch);
    Some(branch.filter(is_plain).unwrap_or("HEAD").to_owned())
}

fn git_dir(directory: &Utf8Path, look: &dyn Look) -> Option<Utf8PathBuf> {
    let entry = directory.join(".git");
    match look.kind(&entry)? {
        Kind::Dir | Kind::Link => Some(entry),
        Kind::File => {
            let text = String::from_utf8(look.read(&entry, MAX_BYTES).ok()?).ok()?;
            let named = text.lines().next()?.strip_prefix("gitdir:")?.trim();
            Some(directory.join(named))
        }
        Kind::Other => None,
    }
}

const MAX_BYTES: u64 = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::MapLook;

    #[test]
    fn branches_of_checkouts_and_worktrees() {
        let look = MapLook::new()
            .file("/p/.git/HEAD", "ref: refs/heads/feature/x\n")
            .file("/p/.git/worktrees/w/HEAD", "ref: refs/heads/fix\n")
            .file("/w/.git", "gitdir: /p/.git/worktrees/w\n")
            .file("/d/.git/HEAD", "0123456789abcdef\n")
            .file("/plain/x", "");
        let branch = |path: &str| current_branch(path.into(), &look);
        assert_eq!(branch("/p/src/deep").as_deref(), Some("feature/x"));
        assert_eq!(branch("/w").as_deref(), Some("fix"));
        assert_eq!(branch("/d").as_deref(), Some("HEAD"));
        assert_eq!(branch("/plain"), None);
    }
}
