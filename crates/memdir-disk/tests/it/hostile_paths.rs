//! The corpus of hostile paths, with the file systems that its cases describe.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::rel_path::RelPath;
use memdir_disk::check_path::{PathJudge, Surface};
use memdir_disk::memory_root::MemoryRoot;
use rustix::fs::{CWD, FileType, Mode, RenameFlags};
use serde_json::Value;

const HOME: &str = "/home/u";

struct Home {
    _temp: tempfile::TempDir,
    path: Utf8PathBuf,
    root: Utf8PathBuf,
}

impl Home {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        let root = path.join(".claude/projects/-x/memory");
        fs::create_dir_all(&root).unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o700)).unwrap();
        fs::create_dir_all(path.join(".ssh")).unwrap();
        fs::write(path.join(".ssh/id_ed25519"), "secret").unwrap();
        fs::write(path.join(".ssh/x.md"), "secret").unwrap();
        fs::write(path.join(".claude/settings.json"), "{}").unwrap();
        fs::write(path.join("CLAUDE.md"), "secret").unwrap();
        Self { _temp: temp, path, root }
    }

    fn real(&self, path: &str) -> String {
        path.strip_prefix(HOME).map_or_else(|| path.to_owned(), |rest| format!("{}{rest}", self.path))
    }

    fn set_up(&self, step: &[Value]) {
        let text = |index: usize| step[index].as_str().unwrap();
        let at = self.root.join(text(1));
        match text(0) {
            "symlink" => symlink(self.real(text(2)), at).unwrap(),
            "hardlink" => fs::hard_link(self.real(text(2)), at).unwrap(),
            "dir" => fs::create_dir(at).unwrap(),
            "file" => fs::write(at, text(2)).unwrap(),
            "chmod" => {
                let mode = u32::from_str_radix(text(2), 8).unwrap();
                fs::set_permissions(at, fs::Permissions::from_mode(mode)).unwrap();
            }
            "device" => {
                // Only the superuser makes devices; for everybody else a pipe is as little a regular file.
                let device = rustix::fs::makedev(1, 5);
                let made =
                    rustix::fs::mknodat(CWD, at.as_str(), FileType::CharacterDevice, Mode::RUSR, device);
                if made.is_err() {
                    rustix::fs::mkfifoat(CWD, at.as_str(), Mode::RUSR).unwrap();
                }
            }
            "race_exchange" => symlink(self.real(text(2)), at).unwrap(),
            "swap_root_symlink" => {
                fs::rename(&self.root, self.root.with_file_name("aside")).unwrap();
                symlink(text(2), &self.root).unwrap();
            }
            other => unreachable!("unknown set-up {other}"),
        }
    }
}

#[test]
fn every_case_for_paths_below_a_root() {
    let corpus: Value = serde_json::from_str(include_str!("../data/hostile_paths.json")).unwrap();
    let mut with_setup = 0;
    for case in corpus["cases"].as_array().unwrap() {
        let surface = match case["surface"].as_str().unwrap() {
            "local" => Surface::Local,
            "tool_path" => Surface::ToolPath,
            "team_key" => Surface::TeamKey,
            _ => continue,
        };
        let home = Home::new();
        let judge = PathJudge::open(&home.root, Some(&home.path)).unwrap();
        for step in case["setup"].as_array().into_iter().flatten() {
            home.set_up(step.as_array().unwrap());
            with_setup += 1;
        }
        let input = match case["input_b64"].as_str() {
            Some(encoded) => memdir_core::base64::decode(encoded).unwrap(),
            None => home.real(case["input"].as_str().unwrap()).into_bytes(),
        };
        let expected = case["expected"] == "allow";
        let verdict = judge.judge(surface, &input);
        assert_eq!(verdict.is_ok(), expected, "{case} {verdict:?}");
        // A process that starts after the set-up must say the same.
        let verdict = PathJudge::open(&home.root, None).unwrap().judge(surface, &input);
        assert_eq!(verdict.is_ok(), expected, "started later: {case} {verdict:?}");
    }
    assert!(with_setup > 10);
}

#[test]
fn a_linked_index_is_followed_only_when_the_user_says_so() {
    let home = Home::new();
    symlink(home.path.join("CLAUDE.md"), home.root.join("MEMORY.md")).unwrap();
    let index = RelPath::parse("MEMORY.md").unwrap();
    let root = MemoryRoot::open(&home.root).unwrap();
    assert_eq!(
        root.read(&index, 100).unwrap_err().to_string().split(": ").last(),
        Some("a link is in the way")
    );
    let root = root.following_entrypoint_link();
    assert_eq!(root.read(&index, 100).unwrap().unwrap(), b"secret");
    let judge = PathJudge::open(&home.root, None).unwrap().following_entrypoint_link();
    assert_eq!(judge.judge(Surface::Local, b"MEMORY.md"), Ok(index));
    symlink(home.path.join("CLAUDE.md"), home.root.join("other.md")).unwrap();
    assert!(judge.judge(Surface::Local, b"other.md").is_err());
}

#[test]
fn a_tool_path_whose_dots_follow_a_link_is_denied() {
    let home = Home::new();
    symlink(home.path.join(".ssh"), home.root.join("topics")).unwrap();
    let judge = PathJudge::open(&home.root, None).unwrap();
    let input = home.root.join("topics/../a.md");
    assert_eq!(judge.judge(Surface::ToolPath, input.as_str().as_bytes()), Err("`..` follows a link".into()));
    fs::remove_file(home.root.join("topics")).unwrap();
    assert!(judge.judge(Surface::ToolPath, input.as_str().as_bytes()).is_ok());
}

#[test]
fn a_directory_that_does_not_exist_yet_is_judged_by_name_and_not_created() {
    let home = Home::new();
    let root = home.path.join("new/memory");
    let judge = PathJudge::open(&root, None).unwrap();
    assert!(judge.judge(Surface::Local, b"a.md").is_ok());
    assert!(judge.judge(Surface::Local, b"../a.md").is_err());
    assert!(!root.exists());
}

/// A directory and a link to the outside change places as fast as they can while we read.
#[test]
fn a_racing_link_never_leads_a_read_out() {
    let home = Home::new();
    let root = MemoryRoot::open(&home.root).unwrap();
    fs::create_dir(home.root.join("race")).unwrap();
    fs::write(home.root.join("race/x.md"), "inside").unwrap();
    symlink(home.path.join(".ssh"), home.root.join("other")).unwrap();
    let stop = AtomicBool::new(false);
    let path = RelPath::parse("race/x.md").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                exchange(&home.root, "race", "other");
            }
        });
        let (mut inside, mut refused) = (0, 0);
        for _ in 0..50_000 {
            match root.read(&path, 100) {
                Ok(Some(content)) => {
                    assert_eq!(content, b"inside");
                    inside += 1;
                }
                Ok(None) => panic!("the directory always exists"),
                Err(_) => refused += 1,
            }
        }
        stop.store(true, Ordering::Relaxed);
        assert!(inside > 0 && refused > 0, "the race did not happen: {inside} inside, {refused} refused");
    });
}

fn exchange(root: &Utf8Path, one: &str, other: &str) {
    let (one, other) = (root.join(one), root.join(other));
    rustix::fs::renameat_with(CWD, one.as_str(), CWD, other.as_str(), RenameFlags::EXCHANGE).unwrap();
}
