//! Whatever kind of remote an address leads to.

use std::time::Duration;

use super::git::{Commit, GitRemote};
use super::http::HttpRemote;
use super::{Listed, Prepared, Published, Put, Remote, RemoteError, Version};

/// A repository or a server.
#[derive(Debug)]
pub enum EitherRemote {
    /// A git repository.
    Git(Box<GitRemote>),
    /// A team server.
    Server(Box<HttpRemote>),
}

impl EitherRemote {
    /// The same, with no call taking longer than this.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        match self {
            Self::Git(remote) => Self::Git(Box::new(remote.within(limit))),
            Self::Server(remote) => Self::Server(Box::new(remote.within(limit))),
        }
    }

    /// The same, for a caller that only reads some files.
    #[must_use]
    pub fn looking(self) -> Self {
        match self {
            Self::Git(remote) => Self::Git(remote),
            Self::Server(remote) => Self::Server(Box::new(remote.looking())),
        }
    }

    /// How many requests went out so far.
    #[must_use]
    pub fn requests(&self) -> u32 {
        match self {
            Self::Git(remote) => remote.requests(),
            Self::Server(remote) => remote.requests(),
        }
    }

    /// The newest syncs up to a version.
    ///
    /// # Errors
    /// The remote fails.
    pub fn log(&mut self, version: &Version, count: usize) -> Result<Vec<Commit>, RemoteError> {
        match self {
            Self::Git(remote) => remote.log(version, count),
            Self::Server(remote) => remote.log(count),
        }
    }

    fn inner(&mut self) -> &mut dyn Remote {
        match self {
            Self::Git(remote) => remote.as_mut(),
            Self::Server(remote) => remote.as_mut(),
        }
    }
}

impl Remote for EitherRemote {
    fn head(&mut self) -> Result<Option<Version>, RemoteError> {
        self.inner().head()
    }

    fn view(&mut self, version: &Version) -> Result<Vec<Listed>, RemoteError> {
        self.inner().view(version)
    }

    fn read(&mut self, ids: &[&str], limit: usize) -> Result<Vec<Option<Vec<u8>>>, RemoteError> {
        self.inner().read(ids, limit)
    }

    fn prepare(
        &mut self,
        onto: Option<&Version>,
        puts: &[Put],
        message: &str,
    ) -> Result<Prepared, RemoteError> {
        self.inner().prepare(onto, puts, message)
    }

    fn publish(&mut self, onto: Option<&Version>, next: &Version) -> Result<Published, RemoteError> {
        self.inner().publish(onto, next)
    }

    fn descends(&mut self, newer: &Version, older: &Version) -> Result<bool, RemoteError> {
        self.inner().descends(newer, older)
    }

    fn ever_held(&mut self, version: &Version, path: &str, id: &str) -> Result<bool, RemoteError> {
        self.inner().ever_held(version, path, id)
    }

    fn past_of(&mut self, version: &Version, path: &str) -> Result<Vec<String>, RemoteError> {
        self.inner().past_of(version, path)
    }

    fn pasts_of(&mut self, version: &Version, paths: &[String]) -> Result<Vec<Vec<String>>, RemoteError> {
        self.inner().pasts_of(version, paths)
    }
}
