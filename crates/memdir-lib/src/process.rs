//! The environment and the clock of the running process, for the author of an agent.
//!
//! Nothing else in this crate reads them: everything takes an [`Env`] and a time, so that it can be tested.

use std::io;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::env::{Env, home_directory, variables};
use memdir_disk::real_path::real_path;

/// Reads the running process once. Brought into scope by [`crate::prelude`].
pub trait FromProcess: Sized {
    /// The environment, the home directory and the working directory of this process.
    ///
    /// # Errors
    /// There is no working directory, or its path is not valid UTF-8.
    fn from_process() -> io::Result<Self>;
}

impl FromProcess for Env {
    #[expect(clippy::disallowed_methods, reason = "the one place of the library that reads the environment")]
    fn from_process() -> io::Result<Self> {
        let lossy = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        let vars = variables(std::env::vars_os().map(|(name, value)| (lossy(name), lossy(value))));
        let home = home_directory(&vars);
        let cwd = Utf8PathBuf::from_path_buf(std::env::current_dir()?).map_err(|path| {
            let what = format!("the working directory `{}` is not valid UTF-8", path.display());
            io::Error::new(io::ErrorKind::InvalidData, what)
        })?;
        let cwd = real_path(&cwd)?;
        Ok(Self { home, cwd, vars })
    }
}

/// The time by the system's clock.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place of the library that reads the clock")]
pub fn clock() -> Timestamp {
    Timestamp::now()
}
