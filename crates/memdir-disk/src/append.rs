//! Adding to the end of a file, so that no addition is lost and none is torn.

use std::fs::File;
use std::io::Write;

use memdir_core::gate::Admitted;
use memdir_core::rel_path::RelPath;

use crate::disk_error::{DiskError, IoContext};
use crate::memory_root::MemoryRoot;
use crate::place::{link_error, regular};
use crate::platform::{self, FileExt, Writing};

impl MemoryRoot {
    /// Appends a record in one write, and returns once it is durable. The file and its folders are made if they are
    /// missing. An unfinished last line is ended first.
    ///
    /// # Errors
    /// A link or something other than a regular file is there, or the system fails.
    pub fn append(&self, path: &RelPath, record: &Admitted<String>) -> Result<(), DiskError> {
        let (place, created) = self.place_for_writing(path)?;
        let mut file = platform::create(&place.dir, place.name.as_str(), Writing::Append)
            .map_err(|error| link_error(error, &place.path))?;
        let stat = platform::stat_open(&file).during("look at", &place.path)?;
        regular(&stat, &place.path)?;
        let is_new = stat.file.size == 0;
        let start = if is_new || ends_a_line(&file, stat.file.size) { "" } else { "\n" };
        file.write_all(format!("{start}{}", record.get()).as_bytes()).during("append to", &place.path)?;
        file.sync_all().during("sync", &place.path)?;
        if is_new {
            platform::sync_directory(&place.dir).during("sync the directory of", &place.path)?;
        }
        for dir in created {
            platform::sync_directory(&dir.parent).during("sync", &dir.parent_path)?;
        }
        Ok(())
    }
}

fn ends_a_line(file: &File, size: u64) -> bool {
    let mut last = [0; 1];
    file.read_at(&mut last, size.saturating_sub(1)).is_ok_and(|read| read == 1 && last == *b"\n")
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use memdir_core::config::{SecretsOnWrite, WriteMode};
    use memdir_core::gate::WriteGate;
    use memdir_core::operation::AuthorKind;

    use super::*;

    fn admitted(text: &str) -> Admitted<String> {
        let (author, mode, secrets) = (AuthorKind::Person, WriteMode::Auto, SecretsOnWrite::Warn);
        WriteGate { author, is_on: true, mode, secrets, allowed: None }.admit_text(text, "a log").unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn records_stand_one_after_the_other_and_links_are_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(temporary.path()).unwrap();
        let root = MemoryRoot::open(path).unwrap();
        let log = RelPath::parse("logs/2026/03/2026-03-11.md").unwrap();
        root.append(&log, &admitted("- one\n")).unwrap();
        root.append(&log, &admitted("- two\n")).unwrap();
        std::fs::write(path.join("half.md"), "no end").unwrap();
        root.append(&RelPath::parse("half.md").unwrap(), &admitted("- three\n")).unwrap();
        assert_eq!(std::fs::read_to_string(path.join(log.as_str())).unwrap(), "- one\n- two\n");
        assert_eq!(std::fs::read_to_string(path.join("half.md")).unwrap(), "no end\n- three\n");
        std::os::unix::fs::symlink("/etc/hostname", path.join("link.md")).unwrap();
        assert!(root.append(&RelPath::parse("link.md").unwrap(), &admitted("x")).is_err());
    }
}
