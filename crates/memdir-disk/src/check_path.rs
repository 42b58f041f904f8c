//! May this path be written? One answer for every surface.

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::rel_path::{ENTRYPOINT, RelPath};
use memdir_core::team_key::TeamKey;
use memdir_core::tool_path::ToolPath;

use crate::disk_error::DiskError;
use crate::memory_root::MemoryRoot;
use crate::place::{link_error, regular};
use crate::platform::{self, Errno, FileKind, Target, open_beneath};
use crate::real_path::real_path;

/// Where a path comes from; each surface has its own rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// A path relative to the root: an argument of the library, a command or an MCP tool.
    Local,
    /// An absolute path that an agent's own tool is about to write.
    ToolPath,
    /// The key of an entry that comes from, or goes to, the team.
    TeamKey,
}

/// The answer: `Ok` names the file below the root, `Err` says why not.
pub type Verdict = Result<RelPath, String>;

/// Judges paths against one memory directory, which it holds open from the start.
#[derive(Debug)]
pub struct PathJudge {
    root_path: Utf8PathBuf,
    real_path: Option<Utf8PathBuf>,
    root: Option<MemoryRoot>,
    home: Option<Utf8PathBuf>,
}

impl PathJudge {
    /// Opens the directory. One that does not exist yet is judged by name alone.
    ///
    /// # Errors
    /// Something is there that is not a directory, or it may not be opened.
    pub fn open(root_path: &Utf8Path, home: Option<&Utf8Path>) -> Result<Self, DiskError> {
        let root = match MemoryRoot::open(root_path) {
            Ok(root) => Some(root),
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(error),
        };
        Ok(Self {
            root_path: root_path.to_owned(),
            real_path: real_path(root_path).ok(),
            root,
            home: home.map(ToOwned::to_owned),
        })
    }

    /// Lets a link that is in the place of MEMORY.md pass, because the user said so.
    #[must_use]
    pub fn following_entrypoint_link(mut self) -> Self {
        self.root = self.root.map(MemoryRoot::following_entrypoint_link);
        self
    }

    /// Judges one path, given as the bytes that arrived.
    ///
    /// # Errors
    /// The rule that it breaks, as text.
    pub fn judge(&self, surface: Surface, input: &[u8]) -> Verdict {
        let input = std::str::from_utf8(input).map_err(|_| "not UTF-8".to_owned())?;
        let rule = |refused: memdir_core::rel_path::PathRefused| refused.rule.to_owned();
        match surface {
            Surface::TeamKey => TeamKey::parse(input).map(|key| key.as_path().clone()).map_err(rule),
            Surface::Local => {
                let path = RelPath::parse(input).map_err(rule)?;
                self.look(path.as_str())?;
                Ok(path)
            }
            Surface::ToolPath => {
                let tool = self.tool_path(input).map_err(rule)?;
                for dir in &tool.left_again {
                    let link =
                        platform::stat_link(dir.as_ref()).is_ok_and(|stat| stat.kind == FileKind::Link);
                    if link {
                        return Err("`..` follows a link".into());
                    }
                }
                self.look(&tool.spelled)?;
                if tool.spelled != tool.path.as_str() {
                    self.look(tool.path.as_str())?;
                }
                Ok(tool.path)
            }
        }
    }

    /// A path counts as inside under the root's own name and under its real one, never by its letters alone.
    fn tool_path(&self, input: &str) -> Result<ToolPath, memdir_core::rel_path::PathRefused> {
        let home = self.home.as_deref();
        let by_name = ToolPath::parse(input, &self.root_path, home);
        match (by_name, &self.real_path) {
            (Err(_), Some(real)) if *real != self.root_path => ToolPath::parse(input, real, home),
            (answer, _) => answer,
        }
    }

    /// Looks at what is at the path: below the held directory, through no link, a plain file of the user's.
    fn look(&self, path: &str) -> Result<(), String> {
        let Some(root) = &self.root else { return Ok(()) };
        if let Some(rule) = root.write_refusal().map_err(|error| error.to_string())? {
            return Err(rule.into());
        }
        let full = self.root_path.join(path);
        let say = |error: DiskError| match error {
            DiskError::Refused { rule, .. } => rule.to_owned(),
            other => other.to_string(),
        };
        let (parent, name) = path.rsplit_once('/').unwrap_or((".", path));
        let dir = match open_beneath(root.dir(), parent, Target::Directory) {
            Ok(dir) => dir,
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(say(link_error(error, &full))),
        };
        let stat = match platform::stat_at(&dir, name) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(say(link_error(error, &full))),
        };
        let is_link = stat.kind == FileKind::Link;
        if is_link && path == ENTRYPOINT && root.follows_entrypoint_link() {
            return Ok(());
        }
        regular(&stat, &full).map_err(say)?;
        let stat = stat.file;
        // Bits, not an attempt: for the superuser every attempt succeeds.
        if stat.links > 1 {
            Err("has another name elsewhere (hard link)".into())
        } else if stat.mode & 0o400 == 0 {
            Err("its owner may not read it".into())
        } else if stat.mode & 0o200 == 0 {
            Err("its owner may not write it".into())
        } else {
            Ok(())
        }
    }
}
