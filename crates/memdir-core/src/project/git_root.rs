//! Which repository a directory belongs to, read from `.git` itself without a git process.

use camino::{Utf8Path, Utf8PathBuf};

use crate::look::{Kind, Look};

/// Finds the repository of a directory, whose links are resolved already.
///
/// Any `.git` file or directory makes its directory a root, even an empty or broken one. Only a linked worktree
/// leads elsewhere: to the main repository, and only if that repository knows the worktree. A `.git` file is
/// content that anybody may have written, so a link that is not confirmed from the other side gains nothing.
#[must_use]
pub fn find_git_root(cwd: &Utf8Path, look: &dyn Look) -> Option<GitRoot> {
    for directory in cwd.ancestors() {
        let entry = directory.join(".git");
        match look.kind(&entry) {
            Some(Kind::Dir) => return Some(own_root(directory, Some(entry))),
            Some(Kind::File) => return Some(follow_file(directory, &entry, look)),
            Some(Kind::Link) => match look.real_path(&entry).and_then(|real| look.kind(&real)) {
                Some(Kind::Dir) => return Some(own_root(directory, Some(entry))),
                // No listing can lead back to a link.
                Some(Kind::File) => return Some(own_root(directory, None)),
                _ => {}
            },
            Some(Kind::Other) | None => {}
        }
    }
    None
}

/// The directories of a repository's linked worktrees, as far as their entries name them; they may be gone.
#[must_use]
pub fn worktrees(common_dir: &Utf8Path, look: &dyn Look) -> Vec<Utf8PathBuf> {
    let listing = common_dir.join("worktrees");
    let entries = look.list(&listing).into_iter().filter(|entry| entry.kind == Kind::Dir).take(MAX_WORKTREES);
    let mut found: Vec<Utf8PathBuf> = entries
        .filter_map(|entry| {
            let git_dir = listing.join(entry.name);
            let back = resolve(&git_dir, &read_line(&git_dir.join("gitdir"), look)?);
            (back.file_name() == Some(".git")).then(|| back.parent().map(Utf8Path::to_owned)).flatten()
        })
        .collect();
    found.sort_unstable();
    found
}

/// More worktrees than anybody keeps.
const MAX_WORKTREES: usize = 256;

/// Where a repository is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitRoot {
    /// The directory that names the project: of the main repository if this is one of its worktrees.
    pub root: Utf8PathBuf,
    /// The directory that holds the `.git` entry, which is another one in a worktree.
    pub checkout: Utf8PathBuf,
    /// Where `config`, `objects` and `worktrees` of the repository are, if the `.git` entry leads anywhere. It
    /// is a claim of the repository's own files: good for looking, not for writing.
    pub common_dir: Option<Utf8PathBuf>,
}

/// The longest `.git`, `commondir` or `gitdir` file that can hold a path, with room to spare.
const LIMIT: u64 = 16 * 1024;

fn own_root(checkout: &Utf8Path, common_dir: Option<Utf8PathBuf>) -> GitRoot {
    GitRoot { root: checkout.to_owned(), checkout: checkout.to_owned(), common_dir }
}

fn follow_file(checkout: &Utf8Path, entry: &Utf8Path, look: &dyn Look) -> GitRoot {
    let line = read_line(entry, look);
    let Some(named) = line.as_deref().and_then(|line| line.strip_prefix("gitdir:")) else {
        return own_root(checkout, None);
    };
    let git_dir = resolve(checkout, named.trim());
    // Submodules and separate git directories have no `commondir`: they are repositories of their own.
    let Some(common) = read_line(&git_dir.join("commondir"), look) else {
        return own_root(checkout, Some(git_dir));
    };
    let common_dir = resolve(&git_dir, &common);
    if !is_confirmed(entry, &git_dir, &common_dir, look) {
        return own_root(checkout, None);
    }
    let root = match (common_dir.file_name(), common_dir.parent()) {
        (Some(".git"), Some(parent)) => parent.to_owned(),
        _ => common_dir.clone(),
    };
    GitRoot { root, checkout: checkout.to_owned(), common_dir: Some(common_dir) }
}

/// Whether the shared directory lists this worktree and the listing leads back to `entry`.
///
/// As the client does, the listing is compared as text and only the way back may go through links. What git wrote
/// is equal as text, so that the disk is rarely asked.
fn is_confirmed(entry: &Utf8Path, git_dir: &Utf8Path, common_dir: &Utf8Path, look: &dyn Look) -> bool {
    if git_dir.parent() != Some(&common_dir.join("worktrees")) {
        return false;
    }
    let Some(back) = read_line(&git_dir.join("gitdir"), look) else { return false };
    let back = resolve(git_dir, &back);
    back == entry || look.real_path(&back).is_some_and(|back| back == entry)
}

/// The one line of a small file, without blanks around it.
fn read_line(path: &Utf8Path, look: &dyn Look) -> Option<String> {
    let text = String::from_utf8(look.read(path, LIMIT).ok()?).ok()?;
    let line = text.trim();
    (!line.is_empty() && !line.contains(['\n', '\0'])).then(|| line.to_owned())
}

/// Joins a path that a file names to the directory that it is relative to, and takes `.` and `..` out by name.
fn resolve(base: &Utf8Path, named: &str) -> Utf8PathBuf {
    let mut resolved = Utf8PathBuf::new();
    for component in base.join(named).components() {
        match component.as_str() {
            ".." => {
                resolved.pop();
            }
            "." => {}
            name => resolved.push(name),
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::MapLook;

    fn check(look: &MapLook, cwd: &str, expected: Option<&str>) {
        let found = find_git_root(cwd.into(), look).map(|found| found.root);
        assert_eq!(found.as_deref(), expected.map(Utf8Path::new), "{cwd}");
    }

    /// A main repository at `/r` with one worktree at `wt`.
    fn worktree(wt: &str) -> MapLook {
        MapLook::new()
            .file("/r/.git/config", "")
            .file("/r/.git/worktrees/w/commondir", "../..\n")
            .file("/r/.git/worktrees/w/gitdir", format!("{wt}/.git\n"))
            .file(&format!("{wt}/.git"), "gitdir: /r/.git/worktrees/w\n")
            .dir(&format!("{wt}/sub"))
    }

    #[test]
    fn any_git_entry_makes_a_root() {
        let look = MapLook::new()
            .dir("/empty/.git")
            .dir("/empty/a/b")
            .file("/garbage/.git", "not a link")
            .dir("/garbage/a")
            .file("/blank/.git", "")
            .file("/binary/.git", [0xff, 0xfe])
            .denied("/denied/.git")
            .link("/dangling/.git", "nowhere")
            .link("/linked/.git", "/empty/.git")
            .dir("/none");
        check(&look, "/empty/a/b", Some("/empty"));
        check(&look, "/garbage/a", Some("/garbage"));
        check(&look, "/blank", Some("/blank"));
        check(&look, "/binary", Some("/binary"));
        check(&look, "/denied", Some("/denied"));
        check(&look, "/linked", Some("/linked"));
        check(&look, "/dangling", None);
        check(&look, "/none", None);
        check(&look, "/", None);
        check(&look, "/gone/away", None);
    }

    #[test]
    fn a_worktree_belongs_to_its_main_repository() {
        check(&worktree("/wt"), "/wt/sub", Some("/r"));
        check(&worktree("/r/inside"), "/r/inside/sub", Some("/r"));
        let found = find_git_root("/wt".into(), &worktree("/wt")).unwrap();
        assert_eq!(found.checkout, "/wt");
        assert_eq!(found.common_dir.unwrap(), "/r/.git");
    }

    #[test]
    fn a_repository_names_its_worktrees() {
        let look = worktree("/wt")
            .file("/r/.git/worktrees/x/gitdir", "../../../x/.git\n")
            .file("/r/.git/worktrees/broken/gitdir", "nothing\n")
            .dir("/r/.git/worktrees/empty");
        assert_eq!(worktrees("/r/.git".into(), &look), ["/r/x", "/wt"]);
        assert!(worktrees("/none".into(), &look).is_empty());
    }

    #[test]
    fn relative_links_and_links_on_the_way_lead_to_the_same_root() {
        let relative = worktree("/wt")
            .file("/wt/.git", "gitdir: ../r/.git/worktrees/w\n")
            .file("/r/.git/worktrees/w/gitdir", "../../../../wt/.git\n");
        check(&relative, "/wt", Some("/r"));
        let back_through_link =
            worktree("/wt").link("/l", "/").file("/r/.git/worktrees/w/gitdir", "/l/wt/.git\n");
        check(&back_through_link, "/wt", Some("/r"));
        let blanks = worktree("/wt")
            .file("/wt/.git", "  gitdir:/r/.git/worktrees/w/  \n\n")
            .file("/r/.git/worktrees/w/commondir", " ../.. \n")
            .file("/r/.git/worktrees/w/gitdir", "  /wt/x/../.git/\n");
        check(&blanks, "/wt", Some("/r"));
    }

    #[test]
    fn the_way_there_is_read_as_text() {
        let through_link =
            worktree("/wt").link("/l", "/").file("/wt/.git", "gitdir: /l/r/.git/worktrees/w\n");
        check(&through_link, "/wt", Some("/l/r"));
        let other_text = worktree("/wt").link("/l", "/").file("/r/.git/worktrees/w/commondir", "/l/r/.git\n");
        check(&other_text, "/wt", Some("/wt"));
        let linked_file =
            worktree("/wt").file("/wt/dotgit", "gitdir: /r/.git/worktrees/w\n").link("/wt/.git", "dotgit");
        check(&linked_file, "/wt", Some("/wt"));
        let two_lines = worktree("/wt").file("/wt/.git", "gitdir: /r/.git/worktrees/w\nmore\n");
        check(&two_lines, "/wt", Some("/wt"));
        let upper = worktree("/wt").file("/wt/.git", "GITDIR: /r/.git/worktrees/w\n");
        check(&upper, "/wt", Some("/wt"));
        let back_to_directory = worktree("/wt").file("/r/.git/worktrees/w/gitdir", "/wt\n");
        check(&back_to_directory, "/wt", Some("/wt"));
    }

    #[test]
    fn a_bare_repository_is_the_root_of_its_worktrees() {
        let look = MapLook::new()
            .file("/p/.bare/worktrees/w/commondir", "../..")
            .file("/p/.bare/worktrees/w/gitdir", "/p/w/.git")
            .file("/p/w/.git", "gitdir: /p/.bare/worktrees/w")
            .file("/p/.git", "gitdir: ./.bare");
        check(&look, "/p/w", Some("/p/.bare"));
        check(&look, "/p", Some("/p"));
        check(&look, "/p/.bare/worktrees", Some("/p"));
    }

    #[test]
    fn a_forged_link_gains_nothing() {
        // The victim's entry leads back to its own worktree.
        check(&worktree("/wt").file("/evil/.git", "gitdir: /r/.git/worktrees/w"), "/evil", Some("/evil"));
        check(
            &worktree("/wt").file("/evil/.git", "gitdir: /r/.git/worktrees/missing"),
            "/evil",
            Some("/evil"),
        );
        // A whole forged entry that claims the victim's shared directory.
        let forged = worktree("/wt")
            .file("/evil/.git", "gitdir: /evil/g/worktrees/w")
            .file("/evil/g/worktrees/w/gitdir", "/evil/.git")
            .file("/evil/g/worktrees/w/commondir", "/r/.git");
        check(&forged, "/evil", Some("/evil"));
        // The same through a link that makes the texts agree.
        let linked =
            worktree("/wt").link("/evil/g", "/r/.git").file("/evil/.git", "gitdir: /evil/g/worktrees/w");
        check(&linked, "/evil", Some("/evil"));
        let climbing = worktree("/wt")
            .file("/evil/.git", "gitdir: /r/.git/worktrees/../../../evil/x")
            .file("/evil/x/gitdir", "/evil/.git")
            .file("/evil/x/commondir", "/r/.git");
        check(&climbing, "/evil", Some("/evil"));
    }

    #[test]
    fn a_submodule_is_a_root_of_its_own() {
        let look = MapLook::new()
            .file("/r/.git/modules/s/config", "")
            .file("/r/s/.git", "gitdir: ../.git/modules/s\n")
            .dir("/r/s/deep");
        let found = find_git_root("/r/s/deep".into(), &look).unwrap();
        assert_eq!(found.root, "/r/s");
        assert_eq!(found.common_dir.unwrap(), "/r/.git/modules/s");
    }
}
