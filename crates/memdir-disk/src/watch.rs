//! What changed in some directories since the last look, as the kernel saw it.
//!
//! For a process that lives long and is asked often: looking at ten thousand files each time would cost more than
//! the question. Nothing runs in between; the kernel keeps the list until it is read.

use camino::{Utf8Path, Utf8PathBuf};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// The file or directory.
    pub path: Utf8PathBuf,
    /// Whether it came or went, rather than changed.
    pub is_listing: bool,
}

/// What happened since the last look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    /// In the order in which it happened.
    pub happened: Vec<Happened>,
    /// Whether more happened than anybody remembers: look for yourself.
    pub is_incomplete: bool,
}

#[cfg(target_os = "linux")]
pub use linux::DirectoryWatch;
#[cfg(not(target_os = "linux"))]
pub use nothing::DirectoryWatch;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    use camino::{Utf8Path, Utf8PathBuf};
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

    use super::{Happened, Look};

    /// No more directories than this are watched.
    const MAX_DIRECTORIES: usize = 1_024;
    /// No more than this is remembered of one look.
    const MAX_HAPPENED: usize = 4_096;

    /// Directories that the kernel watches for us.
    #[derive(Debug)]
    pub struct DirectoryWatch {
        queue: OwnedFd,
        directories: HashMap<i32, Utf8PathBuf>,
    }

    impl DirectoryWatch {
        /// Watches nothing yet; `None` where the system has no watch to give.
        #[must_use]
        pub fn new() -> Option<Self> {
            let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            Some(Self { queue, directories: HashMap::new() })
        }

        /// Watches a directory and all below it. Returns whether nothing there can change unseen.
        pub fn add_tree(&mut self, root: &Utf8Path) -> bool {
            let mut waiting = vec![root.to_owned()];
            while let Some(directory) = waiting.pop() {
                if self.directories.len() >= MAX_DIRECTORIES || !self.add(&directory) {
                    return false;
                }
                let Ok(entries) = directory.read_dir_utf8() else { return false };
                // Watched first, listed then: what is made in between is seen by one of the two.
                let folders =
                    entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
                waiting.extend(folders.map(|entry| entry.path().to_owned()));
            }
            true
        }

        fn add(&mut self, directory: &Utf8Path) -> bool {
            let wanted = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::MODIFY
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            match inotify::add_watch(&self.queue, directory.as_std_path(), wanted) {
                Ok(number) => {
                    self.directories.insert(number, directory.to_owned());
                    true
                }
                Err(_) => false,
            }
        }

        /// What happened since the last look. Costs one system call where nothing did.
        pub fn look(&mut self) -> Look {
            let mut look = Look::default();
            let mut buffer = [MaybeUninit::uninit(); 8 << 10];
            let mut reader = Reader::new(&self.queue, &mut buffer);
            while let Ok(event) = reader.next() {
                let kind = event.events();
                let gone = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED;
                if kind.intersects(ReadFlags::QUEUE_OVERFLOW | gone) || look.happened.len() >= MAX_HAPPENED {
                    look.is_incomplete = true;
                    continue;
                }
                let (Some(directory), Some(name)) = (self.directories.get(&event.wd()), event.file_name())
                else {
                    continue;
                };
                let Ok(name) = name.to_str() else { continue };
                let listing =
                    ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
                // What is below a new directory was perhaps made before anybody watched it.
                look.is_incomplete |= kind.contains(ReadFlags::ISDIR);
                let happened = Happened { path: directory.join(name), is_listing: kind.intersects(listing) };
                if look.happened.last() != Some(&happened) {
                    look.happened.push(happened);
                }
            }
            look
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod nothing {
    use camino::Utf8Path;

    use super::Look;

    /// There is no watch on this system: a caller that wants to know must look.
    #[derive(Debug)]
    pub struct DirectoryWatch;

    impl DirectoryWatch {
        /// There is none.
        #[must_use]
        pub fn new() -> Option<Self> {
            None
        }

        /// Everything can change unseen.
        pub fn add_tree(&mut self, _: &Utf8Path) -> bool {
            false
        }

        /// Unknown.
        pub fn look(&mut self) -> Look {
            Look { happened: Vec::new(), is_incomplete: true }
        }
    }
}

/// Whether a path is a Markdown file that could be a memory.
#[must_use]
pub fn is_memory_file(path: &Utf8Path) -> bool {
    path.extension() == Some("md") && !path.file_name().is_some_and(|name| name.starts_with('.'))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_happens_below_a_directory_is_seen_once_it_is_watched() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        let mut watch = DirectoryWatch::new().unwrap();
        assert!(!watch.add_tree(&root.join("missing")));
        fs::create_dir(root.join("below")).unwrap();
        fs::write(root.join("below/a.md"), "one").unwrap();
        assert!(watch.add_tree(root));
        assert_eq!(watch.look(), Look::default());

        fs::write(root.join("below/a.md"), "two").unwrap();
        let look = watch.look();
        let changed = Happened { path: root.join("below/a.md"), is_listing: false };
        assert_eq!((look.happened, look.is_incomplete), (vec![changed], false));

        fs::rename(root.join("below/a.md"), root.join("b.md")).unwrap();
        let look = watch.look();
        let moved = ["below/a.md", "b.md"].map(|name| Happened { path: root.join(name), is_listing: true });
        assert_eq!((look.happened, look.is_incomplete), (moved.to_vec(), false));

        fs::create_dir(root.join("new")).unwrap();
        assert!(watch.look().is_incomplete);
        assert!(watch.add_tree(root));
        fs::write(root.join("new/c.md"), "").unwrap();
        assert!(watch.look().happened.iter().any(|happened| happened.path == root.join("new/c.md")));
        assert_eq!(watch.look(), Look::default());
        fs::remove_dir_all(root.join("below")).unwrap();
        assert!(watch.look().is_incomplete);
    }
}
