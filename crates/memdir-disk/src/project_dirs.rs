//! A quick look over every directory below `projects/`: counts, sizes, and the path that its sessions name.
//!
//! A thousand directories with ten thousand files are ordinary here, so everything is opened relative to the
//! directory that holds it, a name is looked up once, and of a transcript only the head is read.

use std::ffi::CStr;
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::project::relocate::is_set_aside;
use memdir_core::project::reverse::{path_in_head, path_of_journal};

use crate::platform::{self, EntryBuffer, FileKind, Handle, for_each_entry, open_directory_at};

/// What a look found in one directory below `projects/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectDir {
    /// The directory's name.
    pub slug: String,
    /// Topic files in its memory, without the index, logs and the team's.
    pub memories: u64,
    /// Transcripts of sessions.
    pub sessions: u64,
    /// The size of all its files.
    pub bytes: u64,
    /// When one of its files last changed.
    pub last_used: Option<Timestamp>,
    /// The path that its newest transcripts, its list of sessions or its journal name, if that fits the name.
    pub path: Option<Utf8PathBuf>,
}

/// Looks at every directory below `projects`, in the order of their names. Sessions are read only where
/// `path_is_known` says no.
#[must_use]
pub fn scan(projects: &Utf8Path, path_is_known: &(dyn Fn(&str) -> bool + Sync)) -> Vec<ProjectDir> {
    let Ok(folder) = platform::open_directory(projects.as_std_path()) else { return Vec::new() };
    let mut slugs = Vec::new();
    for_each_entry(&folder, &mut EntryBuffer::default(), |name, kind, _| {
        if !matches!(kind, FileKind::Directory | FileKind::Link | FileKind::Unknown) {
            return;
        }
        slugs.extend(name.to_str().ok().filter(|name| !is_set_aside(name)).map(str::to_owned));
    });
    slugs.sort_unstable();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut buffer = EntryBuffer::default();
        let mut found = Vec::new();
        while let Some(slug) = slugs.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.extend(look_at(&folder, slug, path_is_known(slug), &mut buffer));
        }
        found
    };
    if slugs.len() < WORTH_A_THREAD {
        return work();
    }
    let mut found = thread::scope(|scope| {
        let helper = scope.spawn(work);
        let mut found = work();
        found.extend(helper.join().unwrap_or_default());
        found
    });
    found.sort_unstable_by(|one, other| one.slug.cmp(&other.slug));
    found
}

/// Looks at one directory below `projects`; `None` if there is none, or the name is more than a name.
#[must_use]
pub fn look_at_one(projects: &Utf8Path, slug: &str) -> Option<ProjectDir> {
    if slug == ".." || slug.contains('/') {
        return None;
    }
    let folder = platform::open_directory(projects.as_std_path()).ok()?;
    look_at(&folder, slug, false, &mut EntryBuffer::default())
}

/// Below this a second thread costs more than it does.
const WORTH_A_THREAD: usize = 32;

fn look_at(
    projects: &Handle,
    slug: &str,
    path_is_known: bool,
    buffer: &mut EntryBuffer,
) -> Option<ProjectDir> {
    let folder = open_directory_at(projects, slug, true).ok()?;
    let mut found = ProjectDir { slug: slug.to_owned(), ..ProjectDir::default() };
    let mut totals = Totals::default();
    let mut newest = Newest::default();
    let mut below = Vec::new();
    let mut has_index = false;
    let mut has_journal = false;
    for_each_entry(&folder, buffer, |name, kind, _| match kind {
        FileKind::Directory => below.push(name.to_owned()),
        // The memory directory may be a link to where the user wants it; the client follows that.
        FileKind::Link if name == MEMORY => below.push(name.to_owned()),
        FileKind::File => {
            let modified = totals.add(&folder, name);
            let bytes = name.to_bytes();
            if bytes.ends_with(b".jsonl") {
                found.sessions += 1;
                newest.offer(modified, name);
            }
            has_index |= bytes == b"sessions-index.json";
            has_journal |= bytes == b"_session.json";
        }
        _ => {}
    });
    for name in below {
        let follow = name.as_c_str() == MEMORY;
        let Ok(child) = open_directory_at(&folder, name.as_c_str(), follow) else { continue };
        let part = if name.as_c_str() == MEMORY { Part::Memory } else { Part::Other };
        add_tree(child, part, MAX_DEPTH, buffer, &mut totals);
    }
    if !path_is_known {
        let heads = newest.0.iter().flatten().map(|(_, name)| name.as_c_str());
        let lists = has_index.then_some(c"sessions-index.json");
        found.path = heads.chain(lists).find_map(|name| path_in_file(&folder, name, slug)).or_else(|| {
            let session =
                has_journal.then(|| read_head(&folder, c"_session.json", HEAD_LIMIT, |_| None::<()>));
            path_of_journal(&session?.0)
        });
    }
    found.memories = totals.memories;
    found.bytes = totals.bytes;
    found.last_used = totals.modified.and_then(|nanos| Timestamp::from_nanosecond(nanos).ok());
    Some(found)
}

const MEMORY: &CStr = c"memory";

/// A memory directory is a few levels deep; a loop made of mounts is endless.
const MAX_DEPTH: usize = 16;

/// How much of a transcript is read for the directory that it names.
const HEAD_LIMIT: usize = 64 * 1024;

/// Usually the first lines name it.
const FIRST_READ: usize = 4 * 1024;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Memory,
    Other,
}

#[derive(Default)]
struct Totals {
    memories: u64,
    bytes: u64,
    modified: Option<i128>,
}

impl Totals {
    fn add(&mut self, folder: &Handle, name: &CStr) -> Option<i128> {
        let file = platform::stat_at(folder, name).ok()?.file;
        self.bytes += file.size;
        let modified = file.modified;
        self.modified = self.modified.max(Some(modified));
        Some(modified)
    }
}

/// The names of the transcripts that changed last, the newest first. More than one, because a session that never
/// got an answer may not name its directory.
#[derive(Default)]
struct Newest([Option<(i128, std::ffi::CString)>; 3]);

impl Newest {
    fn offer(&mut self, modified: Option<i128>, name: &CStr) {
        let Some(modified) = modified else { return };
        let Some(place) = self.0.iter().position(|kept| kept.as_ref().is_none_or(|kept| kept.0 < modified))
        else {
            return;
        };
        if let Some(later) = self.0.get_mut(place..) {
            later.rotate_right(1);
            if let Some(free) = later.first_mut() {
                *free = Some((modified, name.to_owned()));
            }
        }
    }
}

fn add_tree(folder: Handle, part: Part, depth: usize, buffer: &mut EntryBuffer, totals: &mut Totals) {
    let mut below = Vec::new();
    for_each_entry(&folder, buffer, |name, kind, _| match kind {
        FileKind::Directory => below.push(name.to_owned()),
        FileKind::File => {
            totals.add(&folder, name);
            let bytes = name.to_bytes();
            let counts = part == Part::Memory && !bytes.starts_with(b".") && bytes.ends_with(b".md");
            totals.memories += u64::from(counts && bytes != b"MEMORY.md");
        }
        _ => {}
    });
    if depth == 0 {
        return;
    }
    for name in below {
        let Ok(child) = open_directory_at(&folder, name.as_c_str(), false) else {
            continue;
        };
        let bytes = name.to_bytes();
        let kept_apart = bytes.starts_with(b".") || bytes == b"logs" || bytes == b"team";
        add_tree(child, if kept_apart { Part::Other } else { part }, depth - 1, buffer, totals);
    }
}

fn path_in_file(folder: &Handle, name: &CStr, slug: &str) -> Option<Utf8PathBuf> {
    read_head(folder, name, HEAD_LIMIT, |head| path_in_head(head, slug)).1
}

/// Reads the head of a file piece by piece until the question is answered.
fn read_head<Answer>(
    folder: &Handle,
    name: &CStr,
    limit: usize,
    question: impl Fn(&[u8]) -> Option<Answer>,
) -> (Vec<u8>, Option<Answer>) {
    let Ok(mut file) = platform::open_at(folder, name) else { return (Vec::new(), None) };
    let mut head = vec![0; FIRST_READ];
    let mut filled = 0;
    loop {
        let room = head.get_mut(filled..).unwrap_or_default();
        let wanted = room.len();
        let got = file.read(room).unwrap_or(0);
        filled += got;
        let answer = question(head.get(..filled).unwrap_or_default());
        if answer.is_some() || got < wanted || filled >= limit {
            head.truncate(filled);
            return (head, answer);
        }
        head.resize((filled * 4).min(limit), 0);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    fn write(root: &Utf8Path, path: &str, content: &str, second: u64) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(second)).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_is_counted_measured_and_traced_to_its_path() {
        let directory = tempfile::tempdir().unwrap();
        let projects = Utf8Path::from_path(directory.path()).unwrap();
        write(projects, "-p-a/old.jsonl", "{\"cwd\":\"/p/a/sub\"}\n", 1);
        write(projects, "-p-a/new.jsonl", "{\"type\":\"x\"}\n{\"cwd\":\"/p.a\"}\n", 9);
        write(projects, "-p-a/new/subagents/agent-1.jsonl", "12345", 2);
        write(projects, "-p-a/memory/MEMORY.md", "", 3);
        write(projects, "-p-a/memory/one.md", "1", 4);
        write(projects, "-p-a/memory/deep/two.md", "22", 5);
        write(projects, "-p-a/memory/logs/2026/01/2026-01-01.md", "", 5);
        write(projects, "-p-a/memory/.hidden.md", "", 5);
        write(projects, "-q/sessions-index.json", r#"{"entries":[{"projectPath":"/q"}]}"#, 1);
        write(projects, "my-app/_session.json", r#"{"projectPath":"/w/my_app"}"#, 1);
        write(projects, "-gone.moved-to.-p-a/memory/x.md", "", 1);
        write(projects, "a file", "", 1);
        std::os::unix::fs::symlink("/", projects.join("-p-a/loop")).unwrap();
        fs::create_dir(projects.join("-empty")).unwrap();

        let found = scan(projects, &|slug| slug == "-q");
        let slugs: Vec<&str> = found.iter().map(|found| found.slug.as_str()).collect();
        assert_eq!(slugs, ["-empty", "-p-a", "-q", "my-app"]);
        let project = &found[1];
        assert_eq!((project.memories, project.sessions, project.bytes), (2, 2, 55));
        assert_eq!(project.last_used.unwrap().as_second(), 9);
        assert_eq!(project.path.as_deref(), Some(Utf8Path::new("/p.a")));
        assert_eq!(found[2].path, None, "what is known already is not read again");
        assert_eq!(scan(projects, &|_| false)[2].path.as_deref(), Some(Utf8Path::new("/q")));
        assert_eq!(found[3].path.as_deref(), Some(Utf8Path::new("/w/my_app")));
        assert_eq!(found[0], ProjectDir { slug: "-empty".into(), ..ProjectDir::default() });
    }

    #[test]
    fn only_the_head_of_a_transcript_is_read_and_older_ones_stand_in() {
        let directory = tempfile::tempdir().unwrap();
        let projects = Utf8Path::from_path(directory.path()).unwrap();
        let late = format!("{{\"text\":\"{}\",\"cwd\":\"{DRIVE}/p\"}}\n", "x".repeat(HEAD_LIMIT));
        write(projects, "-p/late.jsonl", &late, 9);
        assert_eq!(scan(projects, &|_| false)[0].path, None);
        write(projects, "-p/older.jsonl", &format!("{}{{\"cwd\":\"{DRIVE}/p\"}}", "{}\n".repeat(9_000)), 8);
        assert_eq!(scan(projects, &|_| false)[0].path.as_deref(), Some(Utf8Path::new(&format!("{DRIVE}/p"))));
    }

    #[test]
    fn many_directories_come_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let projects = Utf8Path::from_path(directory.path()).unwrap();
        for number in 0..200 {
            write(
                projects,
                &format!("-p-{number:03}/s.jsonl"),
                &format!("{{\"cwd\":\"{DRIVE}/p/{number:03}\"}}"),
                1,
            );
        }
        let found = scan(projects, &|_| false);
        assert_eq!(found.len(), 200);
        for (number, found) in found.iter().enumerate() {
            assert_eq!(found.path.as_deref(), Some(Utf8Path::new(&format!("{DRIVE}/p/{number:03}"))));
        }
        assert!(scan(&projects.join("nowhere"), &|_| false).is_empty());
    }

    /// What an absolute path begins with.
    const DRIVE: &str = if cfg!(windows) { "C:" } else { "" };
}
