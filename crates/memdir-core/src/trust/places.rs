//! Names of directories that must never become a memory root.

use camino::Utf8Path;

/// Whether a directory belongs to the operating system. Some accounts have their home in such a place: below
/// that home is theirs.
pub(super) fn is_system(path: &Utf8Path, home: Option<&Utf8Path>) -> bool {
    let lower = path.as_str().to_ascii_lowercase();
    // On macOS `/etc`, `/tmp` and `/var` are links into `/private`.
    let lower = lower
        .strip_prefix("/private")
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        .unwrap_or(&lower);
    let lower = Utf8Path::new(if lower.is_empty() { "/" } else { lower });
    if lower == "/" || ITSELF.iter().any(|place| lower == *place) {
        return true;
    }
    // Some systems have `/lib32`, `/lib64`, `/libx32`.
    let first = lower.components().nth(1).map(|component| component.as_str()).unwrap_or_default();
    if first.starts_with("lib")
        && (first == "lib" || first.bytes().any(|byte| byte.is_ascii_digit()) || first == "library")
    {
        return true;
    }
    if WITH_ALL_BELOW.iter().any(|place| lower.starts_with(place)) && !lower.starts_with(SHARED_MEMORY) {
        return true;
    }
    let is_own = home.is_some_and(|home| home.components().count() > 1 && path.starts_with(home));
    !is_own
        && UNLESS_HOME.iter().any(|place| lower.starts_with(place))
        && !OPEN_BELOW_VAR.iter().any(|place| lower.starts_with(place))
}

/// Whether it is where home directories are, of any user.
pub(super) fn is_some_home(path: &Utf8Path) -> bool {
    let parent = path.parent().map(|parent| parent.as_str().to_ascii_lowercase());
    matches!(parent.as_deref(), Some("/home" | "/users" | "/var/home"))
}

/// Whether it is, is in, or in this home contains a place where programs keep keys, tokens, passwords or cookies.
pub(super) fn holds_credentials(path: &Utf8Path, home: Option<&Utf8Path>) -> bool {
    let lower = format!("{}/", path.as_str().to_ascii_lowercase());
    let lies_in = |place: &&str| {
        lower.match_indices(*place).any(|(start, _)| lower.as_bytes().get(start + place.len()) == Some(&b'/'))
    };
    let below_home =
        home.and_then(|home| path.strip_prefix(home).ok()).map(|rest| rest.as_str().to_ascii_lowercase());
    let contains = |place: &&str| {
        below_home
            .as_deref()
            .is_some_and(|below| Utf8Path::new(place.trim_start_matches('/')).starts_with(below))
    };
    CREDENTIALS.iter().any(|place| lies_in(place) || contains(place))
}

/// Whether files there are run, or read by a shell, an editor or an agent when it starts.
pub(super) fn runs_by_itself(path: &Utf8Path, home: Option<&Utf8Path>) -> bool {
    let lower = format!("{}/", path.as_str().to_ascii_lowercase());
    let lies_in = |place: &&str| {
        lower.match_indices(*place).any(|(start, _)| lower.as_bytes().get(start + place.len()) == Some(&b'/'))
    };
    let below_home = home.and_then(|home| path.strip_prefix(home).ok());
    let first = below_home.and_then(|rest| rest.components().next()).map(|first| first.as_str());
    RUN_OR_READ.iter().any(lies_in) || first.is_some_and(|first| first == "bin" || first == "sbin")
}

/// Whether a file there would be taken by the client as an order: an agent, a command, a hook, a rule.
pub(super) fn steers_the_client(path: &Utf8Path, config_dir: &Utf8Path) -> bool {
    if path == config_dir.join("projects") {
        return true;
    }
    STEERING.iter().any(|name| path.starts_with(config_dir.join(name)))
        || has_pair(path, ".claude", STEERING)
        || path.file_name() == Some(".claude")
        || path.components().any(|component| component.as_str().eq_ignore_ascii_case(".git"))
}

fn has_pair(path: &Utf8Path, first: &str, seconds: &[&str]) -> bool {
    let names: Vec<_> = path.components().map(|component| component.as_str()).collect();
    names.windows(2).any(|pair| matches!(pair, [a, b] if *a == first && seconds.contains(b)))
}

/// Shared or collective directories: not themselves, but anything below.
const ITSELF: &[&str] = &[
    "/home",
    "/users",
    "/users/shared",
    "/tmp",
    "/var/tmp",
    "/var/folders",
    "/var/home",
    "/mnt",
    "/media",
    "/srv",
    "/opt",
    "/volumes",
    "/private",
    "/net",
    "/nfs",
    "/export",
];

/// The system's own, all the way down.
const WITH_ALL_BELOW: &[&str] = &[
    "/etc",
    "/usr",
    "/bin",
    "/sbin",
    "/boot",
    "/dev",
    "/proc",
    "/sys",
    "/efi",
    "/lost+found",
    "/nix",
    "/gnu",
    "/snap",
    "/cores",
    "/system",
    "/applications",
    "/xbin",
    "/vendor",
    "/ostree",
    "/sysroot",
    "/opt/homebrew",
    "/windows",
    "/program files",
    "/program files (x86)",
    "/programdata",
    "/recovery",
    "/perflogs",
    "/$recycle.bin",
    "/system volume information",
];

/// The system's own, but for the homes of some accounts.
const UNLESS_HOME: &[&str] = &["/root", "/var", "/run", SHARED_MEMORY];

/// A file system in memory that every user may write to: some sandboxes and tests have their home there.
const SHARED_MEMORY: &str = "/dev/shm";

/// Where temporary directories and, on some systems, homes are.
const OPEN_BELOW_VAR: &[&str] = &["/var/tmp", "/var/folders", "/var/home"];

/// Each begins at the start of a component and ends at the end of one. Lower case.
const CREDENTIALS: &[&str] = &[
    "/appdata/roaming/microsoft/credentials",
    "/appdata/roaming/microsoft/protect",
    "/appdata/roaming/microsoft/crypto",
    "/appdata/roaming/microsoft/systemcertificates",
    "/appdata/roaming/gnupg",
    "/appdata/roaming/github cli",
    "/appdata/roaming/gcloud",
    "/appdata/roaming/bitwarden",
    "/appdata/roaming/mozilla",
    "/appdata/roaming/thunderbird",
    "/appdata/local/microsoft/credentials",
    "/appdata/local/microsoft/vault",
    "/appdata/local/microsoft/edge",
    "/appdata/local/google/chrome",
    "/appdata/local/bravesoftware",
    "/appdata/local/1password",
    "/.ssh",
    "/.gnupg",
    "/.gpg",
    "/.pki",
    "/.aws",
    "/.azure",
    "/.oci",
    "/.gcloud",
    "/.config/gcloud",
    "/.kube",
    "/.docker",
    "/.minikube",
    "/.helm",
    "/.terraform.d",
    "/.vault-token",
    "/.netrc",
    "/.password-store",
    "/.local/share/keyrings",
    "/.gnome2/keyrings",
    "/.kde/share/apps/kwallet",
    "/.local/share/kwalletd",
    "/.local/share/pass",
    "/.config/gh",
    "/.config/glab-cli",
    "/.config/hub",
    "/.config/op",
    "/.op",
    "/.config/1password",
    "/.config/bitwarden",
    "/.config/bitwarden cli",
    "/.config/keepassxc",
    "/.config/doctl",
    "/.config/sops",
    "/.config/age",
    "/.config/rclone",
    "/.config/heroku",
    "/.cargo/credentials.toml",
    "/.m2",
    "/.npmrc",
    "/.pypirc",
    "/.gem/credentials",
    "/.krb5",
    "/.putty",
    "/.mozilla",
    "/.thunderbird",
    "/.librewolf",
    "/.config/google-chrome",
    "/.config/google-chrome-beta",
    "/.config/chromium",
    "/.config/bravesoftware",
    "/.config/microsoft-edge",
    "/.config/vivaldi",
    "/.config/opera",
    "/.config/signal",
    "/.config/slack",
    "/.var/app",
    "/library/keychains",
    "/library/cookies",
    "/library/application support/google/chrome",
    "/library/application support/firefox",
    "/library/application support/bravesoftware",
    "/library/application support/microsoft edge",
    "/library/application support/1password",
    "/library/application support/com.apple.tcc",
    "/library/safari",
    "/library/messages",
    "/library/mail",
    "/.bitcoin",
    "/.ethereum",
    "/.electrum",
    "/.config/solana",
];

/// Directories whose files are run or read without anybody asking for it. Lower case.
const RUN_OR_READ: &[&str] = &[
    "/start menu/programs/startup",
    "/documents/powershell",
    "/documents/windowspowershell",
    "/appdata/local/microsoft/windowsapps",
    "/appdata/roaming/npm",
    "/scoop/shims",
    "/.config/autostart",
    "/.config/systemd",
    "/.config/environment.d",
    "/.config/plasma-workspace",
    "/.config/fish",
    "/.config/zsh",
    "/.config/bash",
    "/.config/git",
    "/.config/nvim",
    "/.config/code",
    "/.config/cron",
    "/.config/opencode",
    "/.local/bin",
    "/.local/share/applications",
    "/.local/share/autostart",
    "/.local/share/systemd",
    "/.local/share/dbus-1",
    "/.local/share/fish",
    "/.bashrc.d",
    "/.bash_profile.d",
    "/.profile.d",
    "/.zshrc.d",
    "/.zsh",
    "/.oh-my-zsh",
    "/.cargo/bin",
    "/go/bin",
    "/.deno/bin",
    "/.bun/bin",
    "/.npm-global",
    "/.rbenv",
    "/.pyenv",
    "/.asdf",
    "/.nvm",
    "/.vim",
    "/.emacs.d",
    "/.vscode",
    "/.vscode-server",
    "/.idea",
    "/.cursor",
    "/.codex",
    "/.gemini",
    "/.codeium",
    "/.windsurf",
    "/.continue",
    "/.githooks",
    "/.husky",
    "/.direnv",
    "/library/launchagents",
    "/library/launchdaemons",
    "/library/application support/code",
    "/appdata/roaming/microsoft/windows/start menu",
];

/// Below the client's configuration directory.
const STEERING: &[&str] = &[
    "CLAUDE.md",
    ".credentials.json",
    "agents",
    "commands",
    "hooks",
    "output-styles",
    "plugins",
    "rules",
    "settings.json",
    "settings.local.json",
    "skills",
    "workflows",
];
