//! Whether a directory may be a memory root for our writes. Stricter than the client, on purpose.
//!
//! Memory directories are written without asking, so a directory that holds anything else of weight must never
//! become one: not by a slip in a variable, and not because a repository says so.

use camino::{Utf8Path, Utf8PathBuf};

use crate::hidden_char::is_hidden;
use crate::host_path::{HostPath, PathStyle};
use crate::locate::normalise::normalise;
use crate::look::{Kind, Look, LookError};
use crate::settings::nfc;
use crate::state_place::MACHINE_MEMORY;

mod places;
#[cfg(test)]
mod tests;

/// Judges the value of a setting or variable that is to name a memory directory.
///
/// # Errors
/// The first rule that it breaks.
pub fn judge_root(
    value: &str,
    home: Option<&Utf8Path>,
    surface: RootSurface,
) -> Result<Utf8PathBuf, RootRefused> {
    judge_root_in(value, home, surface, PathStyle::HERE)
}

fn judge_root_in(
    value: &str,
    home: Option<&Utf8Path>,
    surface: RootSurface,
    style: PathStyle,
) -> Result<Utf8PathBuf, RootRefused> {
    if surface == RootSurface::ProjectSettings {
        return Err(RootRefused::FromRepository);
    }
    if value.starts_with("//") || value.starts_with("\\\\") {
        return Err(RootRefused::NetworkPath);
    }
    let path = match (value.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || style.slashed(rest).starts_with('/') => {
            let below = normalise(style.slashed(rest).trim_start_matches('/'));
            if below == ".." || below.starts_with("../") {
                return Err(RootRefused::LeavesHome);
            }
            home.join(below)
        }
        (Some(_), _) => return Err(RootRefused::OtherHome),
        (None, _) => Utf8PathBuf::from(value),
    };
    if !style.is_absolute(path.as_str()) {
        return Err(RootRefused::Relative);
    }
    if path.as_str().contains('\0') {
        return Err(RootRefused::HiddenCharacter);
    }
    let normal = HostPath::parse(path.as_str(), style).ok_or(RootRefused::Unclear)?.text();
    let path = Utf8PathBuf::from(nfc(&normal).into_owned());
    let config_dir = home.map(|home| home.join(".claude"));
    judge_directory(&path, home, config_dir.as_deref().unwrap_or(Utf8Path::new("/")))?;
    Ok(path)
}

/// Judges an absolute, normalised directory by its name.
///
/// # Errors
/// The first rule that it breaks.
pub fn judge_directory(
    path: &Utf8Path,
    home: Option<&Utf8Path>,
    config_dir: &Utf8Path,
) -> Result<(), RootRefused> {
    if path.as_str().len() > MAX_LENGTH {
        return Err(RootRefused::TooLong);
    }
    if PathStyle::of_absolute(path.as_str()) == PathStyle::Windows {
        return judge_windows(path, home, config_dir);
    }
    if path.as_str().encode_utf16().count() < 3 {
        return Err(RootRefused::NearRoot);
    }
    let config_dir = Utf8PathBuf::from(normalise(config_dir.as_str()));
    let home = home.map(|home| Utf8PathBuf::from(normalise(home.as_str())));
    // How the home directory itself is called is not the user's choice.
    let chosen = home.as_deref().and_then(|home| path.strip_prefix(home).ok()).unwrap_or(path);
    if chosen.as_str().chars().any(is_hidden) {
        return Err(RootRefused::HiddenCharacter);
    }
    if let Some(home) = &home {
        if path == home {
            return Err(RootRefused::Home);
        }
        if home.starts_with(path) {
            return Err(RootRefused::AboveHome);
        }
    }
    if places::is_system(path, home.as_deref()) {
        return Err(RootRefused::System);
    }
    if places::is_some_home(path) {
        return Err(RootRefused::Home);
    }
    if places::holds_credentials(path, home.as_deref()) {
        return Err(RootRefused::Credentials);
    }
    if places::runs_by_itself(path, home.as_deref()) {
        return Err(RootRefused::RunsByItself);
    }
    if config_dir.starts_with(path) || places::steers_the_client(path, &config_dir) {
        return Err(RootRefused::ClientConfig);
    }
    Ok(())
}

/// Judges a Windows directory by the same lists: its names in lower case, as if its drive were the whole disk.
fn judge_windows(path: &Utf8Path, home: Option<&Utf8Path>, config_dir: &Utf8Path) -> Result<(), RootRefused> {
    fn parse(path: &str) -> Option<HostPath<'_>> {
        HostPath::parse(path, PathStyle::Windows)
    }
    let judged = parse(path.as_str()).filter(|path| !path.has_short_name()).ok_or(RootRefused::Unclear)?;
    if judged.names().is_empty() {
        return Err(RootRefused::NearRoot);
    }
    // Paths of another drive have nothing to do with each other; one that is not understood protects nothing.
    let drive = judged.posix_form().split('/').take(2).collect::<Vec<_>>().join("/");
    let on_this_drive = |other: &Utf8Path| -> Result<Option<Utf8PathBuf>, RootRefused> {
        let other = parse(other.as_str()).ok_or(RootRefused::Unclear)?;
        let form = other.posix_form();
        let same = form.strip_prefix(&drive).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        Ok(same.then(|| other.on_its_drive().into()))
    };
    let home = home.map(on_this_drive).transpose()?.flatten();
    let config_dir = if config_dir == "/" { None } else { on_this_drive(config_dir)? };
    let config_dir = config_dir.unwrap_or_else(|| "/memdir-no-such-directory".into());
    judge_directory(Utf8Path::new(&judged.on_its_drive()), home.as_deref(), &config_dir)
}

/// Whether the repository itself carries the local settings file of a directory: then it is not more the user's own than
/// the shared one. Read from git's index, without a git process. An index that cannot be read counts as a yes.
pub(crate) fn is_tracked(root: &Utf8Path, look: &dyn Look) -> bool {
    let git = root.join(".git");
    let index = match look.kind(&git) {
        None => return false,
        Some(Kind::Dir) => git.join("index"),
        Some(_) => {
            let Ok(pointer) = look.read(&git, MAX_POINTER) else { return true };
            let pointer = String::from_utf8_lossy(&pointer);
            let Some(directory) = pointer.trim().strip_prefix("gitdir:") else { return true };
            root.join(directory.trim()).join("index")
        }
    };
    let bytes = match look.read(&index, MAX_INDEX) {
        Ok(bytes) => bytes,
        Err(LookError::NotFound) => return false,
        Err(_) => return true,
    };
    // Version 4 stores only what differs from the name before, so its names are whole nowhere.
    let name: &[u8] = if bytes.get(4..8) == Some(&[0, 0, 0, 4]) {
        b"local.json\0"
    } else {
        b".claude/settings.local.json\0"
    };
    memchr::memmem::find(&bytes, name).is_some()
}

/// The largest index of git that is read.
const MAX_INDEX: u64 = 256 << 20;
/// The largest `.git` file that is read.
const MAX_POINTER: u64 = 4096;

/// Whether a directory holds, or is among, what memdir keeps for itself below `state_dir`.
pub(crate) fn holds_own_state(path: &Utf8Path, state_dir: &Utf8Path) -> bool {
    let parts = ["cache", "history", "locks", MACHINE_MEMORY, "registry", "staged"];
    state_dir.starts_with(path) || parts.iter().any(|part| path.starts_with(state_dir.join(part)))
}

/// Who names a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootSurface {
    /// The user or administrator: a variable, a flag, the user's or local settings.
    User,
    /// A settings file that comes with the repository.
    ProjectSettings,
}

/// Why a directory does not qualify as a memory root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum RootRefused {
    /// A repository must not choose where writes go.
    #[error("a repository's settings file chose it")]
    FromRepository,
    /// What is there is run, or read at login or when a program starts.
    #[error("programs are run from it, or read what lies there when they start")]
    RunsByItself,
    /// A repository must not write to the memory of another project.
    #[error("it is the memory of another project, and a repository's settings file chose it")]
    OtherProject,
    /// A short name, a device, a stream: where it leads cannot be told from it.
    #[error("it is not a plain path, so where it leads is unclear")]
    Unclear,
    /// It depends on where one is.
    #[error("it is not an absolute path")]
    Relative,
    /// A share on another machine.
    #[error("it is a network path")]
    NetworkPath,
    /// `~name`, or `~` where no home is known.
    #[error("it is in the home directory of another user, or of none")]
    OtherHome,
    /// `~/..` and the like.
    #[error("it starts at the home directory and leaves it")]
    LeavesHome,
    /// Longer than any path that can be opened.
    #[error("it is too long for a path")]
    TooLong,
    /// Such a path cannot be shown or typed as it is.
    #[error("it contains a control or invisible character")]
    HiddenCharacter,
    /// The root of the file system, or almost.
    #[error("it is the root of the file system or next to it")]
    NearRoot,
    /// A home directory itself.
    #[error("it is a home directory itself")]
    Home,
    /// A directory that contains the home directory.
    #[error("the home directory lies below it")]
    AboveHome,
    /// It belongs to the operating system.
    #[error("it belongs to the operating system")]
    System,
    /// Keys, tokens, passwords, cookies.
    #[error("it is a place for credentials")]
    Credentials,
    /// Nothing of our own state is in a memory directory.
    #[error("memdir keeps its own state there")]
    OwnState,
    /// A link that may be made to lead anywhere.
    #[error("a link on the way to it leads nowhere")]
    BrokenLink,
    /// The client's configuration, or a part that the client takes orders from.
    #[error("the client takes its own settings or orders from there")]
    ClientConfig,
}

/// The longest path that Linux opens.
const MAX_LENGTH: usize = 4096;
