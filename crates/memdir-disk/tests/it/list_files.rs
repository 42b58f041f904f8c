//! Listing: what is found, what is left out and why.

use std::fs;
use std::os::unix::fs::symlink;

use camino::Utf8Path;
use memdir_disk::memory_root::MemoryRoot;

#[test]
fn markdown_is_listed_and_the_rest_is_explained() {
    let temp = tempfile::tempdir().unwrap();
    let dir = Utf8Path::from_path(temp.path()).unwrap();
    for path in [
        "b.md",
        "a/deep/c.md",
        "MEMORY.md",
        "notes.txt",
        ".hidden.md",
        ".git/x.md",
        "cafe\u{301}.md",
        "bad\u{202E}.md",
    ] {
        fs::create_dir_all(dir.join(path).parent().unwrap()).unwrap();
        fs::write(dir.join(path), "0123456789").unwrap();
    }
    symlink("b.md", dir.join("link.md")).unwrap();
    symlink("a", dir.join("linkdir")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, dir.join("pipe.md").as_str(), rustix::fs::Mode::RUSR).unwrap();
    fs::create_dir_all(dir.join(vec!["d"; 20].join("/"))).unwrap();

    let listing = MemoryRoot::open(dir).unwrap().list_files(4).unwrap();
    let names: Vec<_> = listing.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, ["MEMORY.md", "a/deep/c.md", "b.md"]);
    assert!(
        listing.files.iter().all(|file| file.head == b"0123" && file.stat.size == 10 && file.stat.inode > 0)
    );
    let mut left_out: Vec<_> = listing.left_out.iter().map(|left| (left.path.as_str(), left.rule)).collect();
    left_out.sort_unstable();
    let deep = vec!["d"; 16].join("/");
    assert_eq!(
        left_out,
        [
            ("bad\\u{202e}.md", "holds an invisible or direction-changing character"),
            ("cafe\u{301}.md", "name is not in NFC"),
            (deep.as_str(), "too deep, or too many directories"),
            ("link.md", "a link"),
            ("linkdir", "a link"),
            ("pipe.md", "not a regular file"),
        ]
    );
    let heads = MemoryRoot::open(dir).unwrap().list_files(0).unwrap();
    assert!(heads.files.iter().all(|file| file.head.is_empty() && file.stat.size == 10));
}

/// In a file system that keeps a directory's entries in the order of their making, a file that is swapped while the
/// directory is listed comes twice, or not at all.
#[test]
fn files_that_are_swapped_meanwhile_are_listed_once() {
    const FILES: usize = 40;
    let temp = tempfile::tempdir_in("/dev/shm").unwrap();
    let dir = Utf8Path::from_path(temp.path()).unwrap();
    (0..FILES).for_each(|number| fs::write(dir.join(format!("{number:02}.md")), "x").unwrap());
    let expected: Vec<String> = (0..FILES).map(|number| format!("{number:02}.md")).collect();
    fs::write(dir.join(".new"), "x").unwrap();
    let root = MemoryRoot::open(dir).unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in (0..FILES).cycle() {
                if done.load(std::sync::atomic::Ordering::Relaxed) {
                    return;
                }
                let (new, old) = (dir.join(".new"), dir.join(format!("{number:02}.md")));
                let (here, flags) = (rustix::fs::CWD, rustix::fs::RenameFlags::EXCHANGE);
                rustix::fs::renameat_with(here, new.as_str(), here, old.as_str(), flags).unwrap();
                // As often as a crowd of writers does it.
                std::thread::sleep(std::time::Duration::from_micros(50));
            }
        });
        let listings: Vec<Vec<String>> = (0..600)
            .map(|_| {
                root.list_files(0).unwrap().files.into_iter().map(|file| file.path.to_string()).collect()
            })
            .collect();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        for listing in listings {
            assert_eq!(listing, expected);
        }
    });
}
