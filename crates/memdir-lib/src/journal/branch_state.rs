use memdir_core::content_hash::ContentHash;
use memdir_core::journal::stamp;
use memdir_core::journal::state::{COMPLETED_FILE, PLACEHOLDERS, is_placeholder};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::project::encode_path::encode;
use memdir_core::rel_path::RelPath;

use super::follow::News;
use super::write::utf8;
use super::{Journal, JournalError, Writer};
use crate::features::read_features;

/// The folder of the states that are set aside, a folder for each branch.
const BRANCHES: &str = "branches";
/// How much of a branch's name is in the name of its folder.
const MAX_NAME: usize = 60;

impl Journal {
    /// Where the user wants a state for each branch and another branch was checked out: sets task, steps and blockers of
    /// the branch before aside, and brings those of this one back, in one operation.
    ///
    /// # Errors
    /// The journal cannot be read or written.
    pub(super) fn follow_branch(&self, writer: &Writer<'_>) -> Result<(), JournalError> {
        if self.branch.is_empty() || !self.exists() || !read_features(&self.env).0.branch_journal {
            return Ok(());
        }
        let root = self.root()?;
        let before = self.session(&root)?.branch;
        if before.is_empty() || before == self.branch {
            return Ok(());
        }
        let mut brought = Vec::new();
        self.apply_ours(writer, |root| {
            brought.clear();
            let mut plan = Plan::new(format!("task of branch {}", self.branch));
            // What is done is done on every branch.
            for (path, placeholder) in PLACEHOLDERS.into_iter().filter(|(path, _)| *path != COMPLETED_FILE) {
                let (base, text) = utf8(root, path)?;
                let aside = set_aside(&before, path);
                plan.changes.extend(write(root, &aside, &text)?);
                let (kept, own) = utf8(root, &set_aside(&self.branch, path))?;
                let own = if kept.is_some() { own } else { placeholder.to_owned() };
                if own != text {
                    let (path, content) = (RelPath::parse(path)?, own.as_str().into());
                    plan.changes.push(Change::Write { path, content, base: base.map(Content) });
                }
                brought.push((path, own));
            }
            Ok(plan)
        })?;
        let news: Vec<News> =
            brought.iter().filter_map(|(path, text)| News::of(path, text, writer)).collect();
        let emptied = brought.iter().filter(|(path, text)| is_placeholder(path, text));
        let emptied: Vec<&str> = emptied.map(|(path, _)| *path).collect();
        self.follow(&news, &emptied, writer);
        let branch = self.branch.as_str();
        self.change_session(&root, &mut Vec::new(), |known| {
            known.touch(&stamp(writer.now), branch, writer.author.session.as_deref());
        })
    }
}

/// Where a file of the state lies while another branch is checked out. The hash keeps `a/b` and `a-b` apart.
fn set_aside(branch: &str, path: &str) -> String {
    let name: String = encode(branch).chars().take(MAX_NAME).collect();
    let hash = ContentHash::of(branch.as_bytes()).to_string();
    let hash = hash.get(..8).unwrap_or_default();
    format!("{BRANCHES}/{name}-{hash}/{path}")
}

/// The change that gives a file this text, if it has another.
fn write(
    root: &memdir_disk::memory_root::MemoryRoot,
    path: &str,
    text: &str,
) -> Result<Option<Change>, JournalError> {
    let (base, known) = utf8(root, path)?;
    let is_same = known == text && (base.is_some() || text.is_empty());
    let path = RelPath::parse(path)?;
    Ok((!is_same).then(|| Change::Write { path, content: text.into(), base: base.map(Content) }))
}
