use std::collections::BTreeMap;
use std::time::Duration;

use camino::Utf8Path;
use jiff::{Timestamp, ToSpan};
use memdir_core::memory::auto_index::ARCHIVE;
use memdir_core::memory::change::{self, ChangeRefused, FoundFile};
use memdir_core::memory::topic::validity::{self, Expiry, day};
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::plan::Plan;
use memdir_core::project::git_root::worktrees;
use memdir_core::rel_path::RelPath;
use memdir_disk::file_table::Limit;
use memdir_disk::git_query::ask_git;
use memdir_disk::real_look::RealLook;

use super::{Entry, Memory, MemoryError, Wish};

/// A memory whose end has come, or that waits for an event.
#[derive(Debug, Clone)]
pub struct Due {
    /// The memory.
    pub entry: Entry,
    /// The end, as its header has it.
    pub expires: Expiry,
    /// Whether its last day is over; `false` if only a person knows.
    pub has_expired: bool,
}

/// What git says about the branch of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchFate {
    /// It is there, and its work is not in the default branch yet.
    Open,
    /// Its work is in the default branch.
    Merged,
    /// It is gone.
    Deleted,
}

/// An expired memory stays so many days for the user to look at before it moves to the archive by itself.
const GRACE_DAYS: i64 = 7;
/// No question to git takes longer.
const GIT_LIMIT: Duration = Duration::from_secs(3);
const GIT_BYTES: u64 = 64 << 10;

impl Memory {
    /// The memories that ended, and those that end with an event; what is in the archive already is not due.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn due(&self, now: Timestamp) -> Result<Vec<Due>, MemoryError> {
        let ending = self.limited(Limit::Expires)?.into_iter().filter(|entry| !entry.is_archived());
        let due = ending.filter_map(|entry| {
            let expires = entry.validity.expires.clone()?;
            let has_expired = entry.validity.has_expired(entry.modified, now);
            let is_event = matches!(expires, Expiry::Event(_));
            (has_expired || is_event).then_some(Due { entry, expires, has_expired })
        });
        Ok(due.collect())
    }

    /// Plans to move a memory to `archive/`, out of index and recall.
    ///
    /// # Errors
    /// A file cannot be read, or the index is not valid UTF-8.
    pub fn plan_archive(&self, entry: &Entry, why: &str) -> Result<Plan, MemoryError> {
        let content = self.content(&entry.path)?;
        let stem = entry.path.as_path().file_stem().unwrap_or_default();
        let mut to = RelPath::parse(&format!("{ARCHIVE}/{stem}.md"))?;
        let mut number = 2;
        while self.read(&to)?.is_some() {
            to = RelPath::parse(&format!("{ARCHIVE}/{stem}-{number}.md"))?;
            number += 1;
        }
        let found = self.indexes()?;
        let file = FoundFile { path: &entry.path, content: &content };
        Ok(change::archive(file, &to, format!("archive {}: {why}", entry.path), &found.with(None))?)
    }

    /// Plans to take over a file of another memory directory as it is, with its line in the index.
    ///
    /// # Errors
    /// Its name is taken here.
    pub fn plan_receive(&self, path: &RelPath, content: &[u8], reason: String) -> Result<Plan, MemoryError> {
        if self.read(path)?.is_some() {
            return Err(ChangeRefused::Exists { path: path.clone() }.into());
        }
        let found = self.indexes()?;
        let mut plan = change::restore(FoundFile { path, content }, None, &found.with(None))?;
        plan.reason = reason;
        Ok(plan)
    }

    /// Plans to have a memory count in the whole project again, not on one branch or in one worktree.
    ///
    /// # Errors
    /// The file cannot be changed without touching something else.
    pub fn plan_everywhere(&self, entry: &Entry, reason: String) -> Result<Plan, MemoryError> {
        let content = self.content(&entry.path)?;
        let mut text = String::from_utf8_lossy(&content).into_owned();
        for key in [validity::BRANCH, validity::WORKTREE] {
            let edited = memdir_core::memory::topic::unset(&text, key);
            text = edited.map_err(|reason| ChangeRefused::Field { path: entry.path.clone(), reason })?;
        }
        let found = self.indexes()?;
        let file = FoundFile { path: &entry.path, content: &content };
        Ok(change::replace(file, &text, reason, &found.with(None))?)
    }

    /// Archives what expired a week ago, offers what belongs to a merged branch to the project, and archives what belongs
    /// to a branch or worktree that is gone. Says what it did, a line each.
    ///
    /// # Errors
    /// The directory cannot be read or written.
    pub(crate) fn settle_limits(&mut self, now: Timestamp) -> Result<Vec<String>, MemoryError> {
        let author = Author { kind: AuthorKind::Agent, id: Some("memdir".to_owned()), session: None };
        let wish = Wish { look: false, ..Wish::of(&author) };
        let mut done = Vec::new();
        for due in self.due(now)? {
            let last = due.expires.last_day(due.entry.modified);
            let is_over = last.and_then(|last| last.checked_add(GRACE_DAYS.days()).ok());
            if due.entry.validity.pinned || is_over.is_none_or(|over| over >= day(now)) {
                continue;
            }
            let plan = self.plan_archive(&due.entry, &format!("expired {}", due.expires))?;
            self.submit(&plan, &wish, now)?;
            done.push(plan.reason);
        }
        let Some(common_dir) = self.here.common_dir.clone() else { return Ok(done) };
        let mut fates: BTreeMap<String, BranchFate> = BTreeMap::new();
        for entry in self.limited(Limit::Local)?.into_iter().filter(|entry| !entry.is_archived()) {
            let gone = entry.validity.worktree.as_ref().filter(|name| !self.has_worktree(name, &common_dir));
            let gone = gone.map(|name| format!("worktree `{name}` is gone"));
            let branch = entry.validity.branch.clone();
            let fate = branch.as_ref().map_or(BranchFate::Open, |branch| {
                *fates.entry(branch.clone()).or_insert_with(|| branch_fate(&common_dir, branch))
            });
            let branch = branch.unwrap_or_default();
            let plan = match (gone, fate) {
                (Some(why), _) => self.plan_archive(&entry, &why)?,
                (None, BranchFate::Deleted) => {
                    self.plan_archive(&entry, &format!("branch `{branch}` was deleted"))?
                }
                (None, BranchFate::Merged) => {
                    let reason = format!("branch `{branch}` was merged: keep {} everywhere", entry.path);
                    let plan = self.plan_everywhere(&entry, reason)?;
                    self.hold(&plan, &wish, now)?;
                    continue;
                }
                (None, BranchFate::Open) => continue,
            };
            self.submit(&plan, &wish, now)?;
            done.push(plan.reason);
        }
        Ok(done)
    }

    fn has_worktree(&self, name: &str, common_dir: &Utf8Path) -> bool {
        let is_it = |path: &Utf8Path| path.file_name() == Some(name) && path.is_dir();
        is_it(&self.here.root) || worktrees(common_dir, &RealLook).iter().any(|path| is_it(path))
    }
}

/// What became of a branch, as git tells. A branch on which nothing was committed yet counts as open.
fn branch_fate(common_dir: &Utf8Path, branch: &str) -> BranchFate {
    let git = |arguments: &[&str]| ask_git(common_dir, arguments, GIT_BYTES, GIT_LIMIT);
    // A repository that does not answer says nothing about its branches.
    if branch.starts_with('-') || git(&["rev-parse", "--verify", "--quiet", "HEAD"]).is_none() {
        return BranchFate::Open;
    }
    let name = format!("refs/heads/{branch}");
    if git(&["rev-parse", "--verify", "--quiet", &name]).is_none() {
        return BranchFate::Deleted;
    }
    let defaults = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];
    let holds_it =
        |default: &&str| **default != name && git(&["merge-base", "--is-ancestor", &name, default]).is_some();
    let moved = git(&["rev-list", "--walk-reflogs", "--count", &name]);
    let has_work = moved.and_then(|count| count.trim().parse::<usize>().ok()).is_some_and(|count| count > 1);
    if has_work && defaults.iter().any(holds_it) { BranchFate::Merged } else { BranchFate::Open }
}
