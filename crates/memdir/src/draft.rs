use camino::Utf8PathBuf;
use memdir_disk::throwaway_dir::ThrowawayDir;

/// A text that the user typed in an editor. It is kept until the command that wanted it has succeeded.
#[derive(Debug)]
pub struct Draft {
    desk: ThrowawayDir,
    file_name: String,
}

impl Draft {
    pub(crate) fn new(desk: ThrowawayDir, file_name: String) -> Self {
        Self { desk, file_name }
    }

    /// Leaves the file where it is, and says where.
    pub(crate) fn keep(self) -> Utf8PathBuf {
        self.desk.keep().join(self.file_name)
    }
}
