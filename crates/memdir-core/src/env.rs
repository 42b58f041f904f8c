//! The environment as a value, and the name of every variable that we read.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use crate::host_path::PathStyle;

/// What a process is told from outside, read once by the binary and passed down.
///
/// Rules take this instead of asking the system, so that every command can run in process in a test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Env {
    /// The user's home directory, if there is one.
    pub home: Option<Utf8PathBuf>,
    /// The working directory, absolute, links resolved.
    pub cwd: Utf8PathBuf,
    /// The environment variables. Values that are not UTF-8 are converted lossily, as the client does.
    pub vars: BTreeMap<String, String>,
}

impl Env {
    /// The value of a variable; an empty one counts as set.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str)
    }

    /// The value of a variable that must be an absolute path to count, as the XDG rules ask.
    fn absolute(&self, name: &str) -> Option<Utf8PathBuf> {
        self.var(name).filter(|value| PathStyle::HERE.is_absolute(value)).map(Utf8PathBuf::from)
    }

    /// The folder that holds our own durable state: history, registry, staged changes, locks, caches.
    ///
    /// `None` when neither `$MEMDIR_HOME`, `$XDG_DATA_HOME` nor a home directory says where.
    #[must_use]
    pub fn state_dir(&self) -> Option<Utf8PathBuf> {
        self.state_dir_on(System::HERE)
    }

    fn state_dir_on(&self, system: System) -> Option<Utf8PathBuf> {
        if let Some(own) = self.own_home() {
            return Some(own);
        }
        let platforms = || match system {
            System::Linux => self.below_home(".local/share"),
            System::MacOs => self.below_home("Library/Application Support"),
            System::Windows => self.absolute(LOCALAPPDATA).or_else(|| self.below_home("AppData/Local")),
        };
        Some(self.absolute(XDG_DATA_HOME).or_else(platforms)?.join("memdir"))
    }

    /// The user's settings of memdir itself. On macOS they lie where other programs of the command line have theirs.
    #[must_use]
    pub fn config_file(&self) -> Option<Utf8PathBuf> {
        self.config_file_on(System::HERE)
    }

    fn config_file_on(&self, system: System) -> Option<Utf8PathBuf> {
        if let Some(own) = self.own_home() {
            return Some(own.join("config.toml"));
        }
        let platforms = || match system {
            System::Linux | System::MacOs => self.below_home(".config"),
            System::Windows => self.absolute(APPDATA).or_else(|| self.below_home("AppData/Roaming")),
        };
        Some(self.absolute(XDG_CONFIG_HOME).or_else(platforms)?.join("memdir").join("config.toml"))
    }

    /// The absolute folders in which programs are looked for.
    pub fn program_folders(&self) -> impl Iterator<Item = &str> {
        let separator = if System::HERE == System::Windows { ';' } else { ':' };
        let folders = self.var("PATH").unwrap_or_default().split(separator);
        folders.filter(|folder| PathStyle::HERE.is_absolute(folder))
    }

    /// What `$MEMDIR_HOME` names; a relative path counts from the working directory, as with any other program.
    fn own_home(&self) -> Option<Utf8PathBuf> {
        self.var(MEMDIR_HOME).filter(|value| !value.is_empty()).map(|value| self.cwd.join(value))
    }

    fn below_home(&self, path: &str) -> Option<Utf8PathBuf> {
        self.home.as_deref().map(|home: &Utf8Path| home.join(path))
    }
}

/// The systems that keep a program's files in different places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux, and whatever is like it.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl System {
    /// The system that runs this program.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Linux
    };
}

/// The variables of a process by name. Windows ignores case in names, so there all are in capitals.
pub fn variables(all: impl Iterator<Item = (String, String)>) -> BTreeMap<String, String> {
    all.map(|(name, value)| (if cfg!(windows) { name.to_uppercase() } else { name }, value)).collect()
}

/// The user's home directory. On Windows `%USERPROFILE%` comes first, as it does for the client.
#[must_use]
pub fn home_directory(vars: &BTreeMap<String, String>) -> Option<Utf8PathBuf> {
    let names: &[&str] = if cfg!(windows) { &["USERPROFILE", "HOME"] } else { &["HOME"] };
    names.iter().filter_map(|name| vars.get(*name)).find(|home| !home.is_empty()).map(Utf8PathBuf::from)
}

/// Where temporary files lie.
#[must_use]
pub fn temporary_directory(vars: &BTreeMap<String, String>) -> &Utf8Path {
    let (names, otherwise): (&[&str], _) =
        if cfg!(windows) { (&["TEMP", "TMP"], r"C:\Windows\Temp") } else { (&["TMPDIR"], "/tmp") };
    let mut named = names.iter().filter_map(|name| vars.get(*name));
    named.find(|path| PathStyle::HERE.is_absolute(path)).map_or(otherwise, String::as_str).into()
}

/// Puts all of memdir's own state and settings below one folder.
pub const MEMDIR_HOME: &str = "MEMDIR_HOME";
/// Where the platform keeps data; `memdir` is the folder below it.
pub const XDG_DATA_HOME: &str = "XDG_DATA_HOME";
/// Where the platform keeps settings; `memdir/config.toml` is below it.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// Where Windows keeps a user's data that stays on this machine.
pub const LOCALAPPDATA: &str = "LOCALAPPDATA";
/// Where Windows keeps a user's settings.
pub const APPDATA: &str = "APPDATA";
/// The client's configuration directory, used as it is; without it, `~/.claude`.
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// Three states: on (`0 false no off`), off (`1 true yes on`), or as if unset.
pub const DISABLE_AUTO_MEMORY: &str = "CLAUDE_CODE_DISABLE_AUTO_MEMORY";
/// Removes every instruction file and the index from what the client loads.
pub const DISABLE_CLAUDE_MDS: &str = "CLAUDE_CODE_DISABLE_CLAUDE_MDS";
/// Makes the client look for instructions in the directories of `--add-dir` too.
pub const ADDITIONAL_DIRECTORIES: &str = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD";
/// The same as the client's `--bare`.
pub const SIMPLE: &str = "CLAUDE_CODE_SIMPLE";
/// The same as the client's `--safe-mode`.
pub const SAFE_MODE: &str = "CLAUDE_CODE_SAFE_MODE";
/// A session in the cloud: memory is off unless something persistent is named.
pub const REMOTE: &str = "CLAUDE_CODE_REMOTE";
/// The persistent directory of a session in the cloud.
pub const REMOTE_MEMORY_DIR: &str = "CLAUDE_CODE_REMOTE_MEMORY_DIR";
/// A memory directory that beats every setting.
pub const MEMORY_PATH_OVERRIDE: &str = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE";
/// The session in which the client runs a hook or a command.
pub const SESSION_ID: &str = "CLAUDE_CODE_SESSION_ID";
/// Pins the project directory's name; counts only beside [`CLAUDE_CONFIG_DIR`].
pub const PROJECT_DIR_NAME: &str = "CLAUDE_CODE_PROJECT_DIR_NAME";
/// Set for the program that answers as a model: hooks that it starts do nothing, so that no call causes another.
pub const MEMDIR_MODEL_CALL: &str = "MEMDIR_MODEL_CALL";
/// A token that lets a session which is thrown away afterwards take part in a team: `memdir team token` makes it.
pub const MEMDIR_TEAM_TOKEN: &str = "MEMDIR_TEAM_TOKEN";
/// Where Codex keeps its state; without it, `~/.codex`.
pub const CODEX_HOME: &str = "CODEX_HOME";
/// Where Copilot's command line keeps its state; without it, `~/.copilot`.
pub const COPILOT_HOME: &str = "COPILOT_HOME";
/// Where pi keeps its state; without it, `~/.pi/agent`.
pub const PI_CODING_AGENT_DIR: &str = "PI_CODING_AGENT_DIR";
/// Where Continue keeps its state; without it, `~/.continue`.
pub const CONTINUE_GLOBAL_DIR: &str = "CONTINUE_GLOBAL_DIR";

#[cfg(test)]
mod tests {
    use super::*;

    fn env(vars: &[(&str, &str)]) -> Env {
        Env {
            home: Some("/home/u".into()),
            cwd: "/home/u/p".into(),
            vars: vars.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        }
    }

    #[test]
    fn our_state_is_where_the_platform_or_the_user_says() {
        let check = |vars: &[(&str, &str)], state: &str, config: &str| {
            assert_eq!(env(vars).state_dir_on(System::Linux), Some(state.into()));
            assert_eq!(env(vars).config_file_on(System::Linux), Some(config.into()));
        };
        check(&[], "/home/u/.local/share/memdir", "/home/u/.config/memdir/config.toml");
        check(&[("MEMDIR_HOME", "/m")], "/m", "/m/config.toml");
        let (data, config) = if cfg!(windows) { ("D:/d", "C:/c") } else { ("/d", "/c") };
        check(
            &[("XDG_DATA_HOME", data), ("XDG_CONFIG_HOME", config)],
            &format!("{data}/memdir"),
            &format!("{config}/memdir/config.toml"),
        );
        check(
            &[("MEMDIR_HOME", ""), ("XDG_DATA_HOME", "rel")],
            "/home/u/.local/share/memdir",
            "/home/u/.config/memdir/config.toml",
        );
        check(&[("MEMDIR_HOME", "rel")], "/home/u/p/rel", "/home/u/p/rel/config.toml");
        for (system, state, config) in [
            (
                System::MacOs,
                "/home/u/Library/Application Support/memdir",
                "/home/u/.config/memdir/config.toml",
            ),
            (System::Windows, "/home/u/AppData/Local/memdir", "/home/u/AppData/Roaming/memdir/config.toml"),
        ] {
            let slashed = |path: Option<Utf8PathBuf>| path.unwrap().as_str().replace('\\', "/");
            assert_eq!(slashed(env(&[]).state_dir_on(system)), state);
            assert_eq!(slashed(env(&[]).config_file_on(system)), config);
        }
    }
}
