use camino::Utf8PathBuf;

/// What a person would give the client on its command line, and where its administrator's settings are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientFlags {
    /// `--bare`: nothing but the model.
    pub bare: bool,
    /// `--safe-mode`: nothing of the user's own.
    pub safe_mode: bool,
    /// `--settings`: an object as text, or the path of a file.
    pub settings: Option<String>,
    /// `--setting-sources`: which of `user`, `project` and `local` count, between commas.
    pub setting_sources: Option<String>,
    /// `--agents`: agents of one session, a JSON object by name.
    pub agents: Option<String>,
    /// The directory of `managed-settings.json`; a field so that a test can have its own.
    pub managed_dir: Utf8PathBuf,
}

impl Default for ClientFlags {
    fn default() -> Self {
        let managed_dir = if cfg!(target_os = "macos") {
            "/Library/Application Support/ClaudeCode"
        } else if cfg!(windows) {
            r"C:\Program Files\ClaudeCode"
        } else {
            "/etc/claude-code"
        };
        Self {
            bare: false,
            safe_mode: false,
            settings: None,
            setting_sources: None,
            agents: None,
            managed_dir: managed_dir.into(),
        }
    }
}
