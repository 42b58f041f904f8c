//! The databases that everything is tried on.

use std::sync::Arc;

use camino::Utf8PathBuf;
use memdir_server::storage::Storage;
use memdir_server::storage::postgres::Postgres;
use memdir_server::storage::sqlite::Sqlite;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A database that is gone afterwards.
pub(crate) trait Engine {
    /// Opens it: each time another handle, as another process would have.
    fn open(&self, runtime: &Runtime) -> Arc<dyn Storage>;
}

pub(crate) struct InFile {
    directory: TempDir,
}

impl InFile {
    pub(crate) fn new() -> Self {
        Self { directory: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self) -> Utf8PathBuf {
        Utf8PathBuf::try_from(self.directory.path().join("team.db")).unwrap()
    }
}

impl Engine for InFile {
    fn open(&self, _: &Runtime) -> Arc<dyn Storage> {
        Arc::new(Sqlite::open(&self.path()).unwrap())
    }
}

/// A database of a cluster, by its address.
pub(crate) struct InCluster(pub(crate) String);

impl Engine for InCluster {
    fn open(&self, runtime: &Runtime) -> Arc<dyn Storage> {
        Arc::new(runtime.block_on(Postgres::connect(&self.0, None)).unwrap())
    }
}
