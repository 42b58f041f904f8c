//! Every row of the client's table of roots, on repositories that git made.

use camino::Utf8Path;
use memdir_core::project::git_root::find_git_root;
use memdir_disk::real_look::RealLook;

use crate::real_git::{Place, commit, git};

fn check(place: &Place, cwd: &str, expected: Option<&str>) {
    let cwd = place.root.join(cwd).canonicalize_utf8().unwrap();
    let found = find_git_root(&cwd, &RealLook).map(|found| found.root);
    assert_eq!(found, expected.map(|path| place.root.join(path)), "{cwd}");
}

#[test]
fn a_repository_is_the_root_of_what_is_below_it() {
    let place = Place::new();
    place.repository("repo");
    place.dir("repo/sub/deep");
    place.dir("plain/sub");
    std::os::unix::fs::symlink(place.root.join("repo/sub"), place.root.join("link")).unwrap();
    check(&place, "repo", Some("repo"));
    check(&place, "repo/sub/deep", Some("repo"));
    check(&place, "link", Some("repo"));
    check(&place, "plain/sub", None);
    assert_eq!(find_git_root(Utf8Path::new("/"), &RealLook), None);
}

#[test]
fn a_linked_worktree_shares_the_main_repository() {
    let place = Place::new();
    let repository = place.repository("repo");
    git(&repository, &["worktree", "add", "-q", "../wt"]);
    git(&repository, &["worktree", "add", "-q", "trees/inside"]);
    place.dir("wt/sub");
    check(&place, "wt", Some("repo"));
    check(&place, "wt/sub", Some("repo"));
    check(&place, "repo/trees/inside", Some("repo"));
    check(&place, "repo/trees", Some("repo"));
}

#[test]
fn submodules_and_nested_repositories_stand_alone() {
    let place = Place::new();
    place.repository("part");
    let repository = place.repository("repo");
    git(&repository, &["submodule", "--quiet", "add", "../part", "sub"]);
    place.repository("repo/nested");
    place.dir("repo/sub/deep");
    check(&place, "repo/sub", Some("repo/sub"));
    check(&place, "repo/sub/deep", Some("repo/sub"));
    check(&place, "repo/nested", Some("repo/nested"));
}

#[test]
fn worktrees_of_a_bare_repository_share_the_bare_directory() {
    let place = Place::new();
    place.repository("repo");
    git(&place.root, &["clone", "-q", "--bare", "repo", "bare.git"]);
    git(&place.root.join("bare.git"), &["worktree", "add", "-q", "../bare_wt"]);
    place.dir("hidden");
    git(&place.root, &["clone", "-q", "--bare", "repo", "hidden/.bare"]);
    git(&place.root.join("hidden/.bare"), &["worktree", "add", "-q", "../wt"]);
    check(&place, "bare_wt", Some("bare.git"));
    check(&place, "bare.git", None);
    check(&place, "bare.git/refs", None);
    check(&place, "hidden/wt", Some("hidden/.bare"));
    place.file("hidden/.git", "gitdir: ./.bare\n");
    check(&place, "hidden", Some("hidden"));
    check(&place, "hidden/wt", Some("hidden/.bare"));
}

#[test]
fn a_separate_git_directory_does_not_move_the_root() {
    let place = Place::new();
    place.dir("sep");
    git(&place.root, &["init", "-q", "--separate-git-dir", "elsewhere.git", "sep"]);
    check(&place, "sep", Some("sep"));
}

#[test]
fn worktrees_of_unusual_repositories_share_the_place_of_the_data() {
    let place = Place::new();
    place.repository("part");
    let repository = place.repository("repo");
    git(&repository, &["submodule", "--quiet", "add", "../part", "sub"]);
    git(&repository.join("sub"), &["worktree", "add", "-q", "../../sub_wt"]);
    check(&place, "sub_wt", Some("repo/.git/modules/sub"));
    place.dir("sep");
    git(&place.root, &["init", "-q", "--separate-git-dir", "elsewhere.git", "sep"]);
    commit(&place.root.join("sep"));
    git(&place.root.join("sep"), &["worktree", "add", "-q", "../sep_wt"]);
    check(&place, "sep_wt", Some("elsewhere.git"));
}

#[test]
fn a_link_or_pipe_called_git_is_what_it_leads_to() {
    let place = Place::new();
    let repository = place.repository("repo");
    for directory in ["linked/sub", "dangling/sub", "pipe/sub"] {
        place.dir(directory);
    }
    std::os::unix::fs::symlink(repository.join(".git"), place.root.join("linked/.git")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.root.join("dangling/.git")).unwrap();
    let pipe = place.root.join("pipe/.git");
    rustix::fs::mkfifoat(rustix::fs::CWD, pipe.as_std_path(), rustix::fs::Mode::RUSR).unwrap();
    check(&place, "linked/sub", Some("linked"));
    check(&place, "dangling/sub", None);
    check(&place, "pipe/sub", None);
}

#[test]
fn broken_and_forged_entries_name_their_own_directory() {
    let place = Place::new();
    let repository = place.repository("repo");
    git(&repository, &["worktree", "add", "-q", "../wt"]);
    let entry = repository.join(".git/worktrees/wt");
    place.file("forged/.git", &format!("gitdir: {entry}\n"));
    place.file("missing/.git", &format!("gitdir: {}/gone\n", repository.join(".git/worktrees")));
    place.file("garbage/.git", "garbage\n");
    place.dir("garbage/sub");
    place.dir("empty/.git");
    place.dir("empty/sub");
    check(&place, "forged", Some("forged"));
    check(&place, "missing", Some("missing"));
    check(&place, "garbage/sub", Some("garbage"));
    check(&place, "empty/sub", Some("empty"));
    // A worktree that was moved by hand is not known to its repository any more.
    std::fs::rename(place.root.join("wt"), place.root.join("moved")).unwrap();
    check(&place, "moved", Some("moved"));
}
