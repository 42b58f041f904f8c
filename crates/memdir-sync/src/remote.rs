//! The place that a team shares: names and bytes, in versions that follow each other.

mod budget;
pub mod either;
pub mod git;
pub mod http;
pub mod in_process;

/// One version of everything that a remote holds. What is inside is the remote's own business.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version(pub String);

/// One file of a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name there, hostile until checked.
    pub path: String,
    /// What its content is known by to the remote: equal ids, equal bytes.
    pub id: String,
    /// Whether it is an ordinary file; a link or anything else is never read.
    pub is_file: bool,
}

/// A file that is to be put there, or removed where there is no content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    /// Its name.
    pub path: String,
    /// Its bytes; `None`: it goes.
    pub content: Option<Vec<u8>>,
}

/// A version that is ready to be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The version.
    pub version: Version,
    /// The ids of the files that were put, by name.
    pub ids: std::collections::BTreeMap<String, String>,
}

/// What became of a version that was to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Published {
    /// It is the newest version now.
    Done,
    /// Another member was faster: it must be made anew from their version.
    Moved,
}

/// What kind of refusal it is, by the code or the form of the answer: what to do next depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalCause {
    /// A rule of the host: a protected branch, a missing right.
    Rule,
    /// The host could not store what was sent.
    Storage,
    /// The token opens nothing there, or not this.
    Token,
    /// The team server, for a reason of its own.
    Server,
}

/// Why a remote did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// It cannot be reached, or stopped answering. What was being published may or may not have arrived.
    #[error("cannot reach the remote: {message}")]
    Unreachable {
        /// What the other side, or the program that speaks to it, said.
        message: String,
    },
    /// It was reached and does not want what was sent: a rule of its host, a protected branch, a missing right.
    #[error("the remote refused: {message}")]
    Refused {
        /// What the host said.
        message: String,
        /// What kind of refusal that is.
        cause: RefusalCause,
    },
    /// It was reached and does not want some of the files; without them it would take the rest. Nothing was taken.
    #[error("the remote refused {}", .files.iter().map(|(path, why)| format!("`{path}`: {why}")).collect::<Vec<_>>().join("; "))]
    RefusedFiles {
        /// Their names, and what the host said about each.
        files: Vec<(String, String)>,
    },
    /// What it sent cannot be what it should be.
    #[error("the remote sent an invalid team memory: {message}")]
    Malformed {
        /// What is wrong.
        message: String,
    },
    /// Something on this machine is missing or failed.
    #[error("{message}")]
    Here {
        /// What.
        message: String,
    },
}

/// A remote. Every call that needs the network is one request; the others are answered from what is here.
pub trait Remote {
    /// The newest version; `None` while nothing was ever published. One request.
    ///
    /// # Errors
    /// As [`RemoteError`] says, here and below.
    fn head(&mut self) -> Result<Option<Version>, RemoteError>;

    /// Every file of a version. At most one request.
    ///
    /// # Errors
    /// See [`Remote::head`].
    fn view(&mut self, version: &Version) -> Result<Vec<Listed>, RemoteError>;

    /// The contents of ids, of any version that was viewed or published from here; `None` where one is
    /// larger than `limit`, or not there any more.
    ///
    /// # Errors
    /// See [`Remote::head`].
    fn read(&mut self, ids: &[&str], limit: usize) -> Result<Vec<Option<Vec<u8>>>, RemoteError>;

    /// Makes the version that follows `onto`. No other member sees it yet.
    ///
    /// # Errors
    /// See [`Remote::head`].
    fn prepare(
        &mut self,
        onto: Option<&Version>,
        puts: &[Put],
        message: &str,
    ) -> Result<Prepared, RemoteError>;

    /// Makes a prepared version the newest, if `onto` still is. One request.
    ///
    /// # Errors
    /// See [`Remote::head`]; after [`RemoteError::Unreachable`] it may have happened all the same.
    fn publish(&mut self, onto: Option<&Version>, next: &Version) -> Result<Published, RemoteError>;

    /// Whether a version came out of another one, or is it. One that is unknown here is not an ancestor of any.
    ///
    /// # Errors
    /// See [`Remote::head`].
    fn descends(&mut self, newer: &Version, older: &Version) -> Result<bool, RemoteError>;

    /// Whether a file was at a path in a version or in any that it came out of; `false` where that is not known.
    ///
    /// # Errors
    /// See [`Remote::head`].
    fn ever_held(&mut self, version: &Version, path: &str, id: &str) -> Result<bool, RemoteError>;

    /// The ids of the files that were at a path in a version and in those that it came out of, newest first, some dozens
    /// at most; none where the past is not known.
    ///
    /// # Errors
    /// See [`Remote::head`].
    fn past_of(&mut self, version: &Version, path: &str) -> Result<Vec<String>, RemoteError> {
        let _ = (version, path);
        Ok(Vec::new())
    }

    /// The same for many paths, in their order.
    ///
    /// # Errors
    /// See [`Remote::head`].
    fn pasts_of(&mut self, version: &Version, paths: &[String]) -> Result<Vec<Vec<String>>, RemoteError> {
        paths.iter().map(|path| self.past_of(version, path)).collect()
    }
}

/// How far back [`Remote::past_of`] looks.
pub(crate) const MAX_PAST: usize = 50;
