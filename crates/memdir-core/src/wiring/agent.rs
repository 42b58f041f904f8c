//! The agents that set-up knows, where their settings lie, and what makes each of them start memdir.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::{Format, Member};
use crate::env::{CLAUDE_CONFIG_DIR, CODEX_HOME, Env, XDG_CONFIG_HOME};
use crate::host_path::PathStyle;
use crate::look::{Kind, Look};

/// An agent whose settings can name memdir.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code: the plugin, with hooks, tools, commands and a skill.
    Claude,
    /// Codex: tools and hooks.
    Codex,
    /// Gemini CLI: tools and hooks.
    Gemini,
    /// Cursor: tools.
    Cursor,
    /// OpenCode: tools.
    OpenCode,
    /// Windsurf: tools.
    Windsurf,
    /// GitHub Copilot on the command line: tools.
    Copilot,
    /// Visual Studio Code, for Copilot and others: tools.
    VsCode,
}

/// What one agent needs in its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The settings file.
    pub path: Utf8PathBuf,
    /// How it is written.
    pub format: Format,
    /// Whether the agent ignores a file that is not strict JSON.
    pub is_strict: bool,
    /// What must stand in it.
    pub members: Vec<Member>,
}

/// The plugin's name, and that of the marketplace it comes from.
const NAME: &str = "memdir";

/// The plugin's name for the client.
const PLUGIN: &str = "memdir@memdir";

/// Where the client keeps the rules of what needs no question.
const PERMISSIONS: &[&str] = &["permissions", "allow"];

impl Wanted {
    /// The same without rules about permissions.
    #[must_use]
    pub fn without_permissions(mut self) -> Self {
        self.members.retain(|member| member.path != PERMISSIONS);
        self
    }
}

impl Agent {
    /// Every agent, in the order in which they are set up.
    pub const ALL: [Self; 8] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::OpenCode,
        Self::Windsurf,
        Self::Copilot,
        Self::VsCode,
    ];

    /// The name by which it is chosen.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::OpenCode => "opencode",
            Self::Windsurf => "windsurf",
            Self::Copilot => "copilot",
            Self::VsCode => "vscode",
        }
    }

    /// The name by which people know it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::OpenCode => "OpenCode",
            Self::Windsurf => "Windsurf",
            Self::Copilot => "GitHub Copilot CLI",
            Self::VsCode => "Visual Studio Code",
        }
    }

    /// Whether there is a sign of it: its directory, its settings, or its program on the PATH.
    #[must_use]
    pub fn is_installed(self, env: &Env, look: &impl Look) -> bool {
        let on_path = env.program_folders();
        let endings: &[&str] = if cfg!(windows) { &["exe", "cmd"] } else { &[""] };
        let programs = self.programs();
        let files = |folder: &str| -> Vec<Utf8PathBuf> {
            let of = |program| {
                endings.iter().map(move |ending| Utf8Path::new(folder).join(program).with_extension(ending))
            };
            programs.iter().flat_map(of).collect()
        };
        self.signs(env).iter().any(|path| look.kind(path).is_some())
            || on_path.flat_map(files).any(|path| matches!(look.kind(&path), Some(Kind::File | Kind::Link)))
    }

    fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["claude"],
            Self::Codex => &["codex"],
            Self::Gemini => &["gemini"],
            Self::Cursor => &["cursor", "cursor-agent"],
            Self::OpenCode => &["opencode"],
            Self::Windsurf => &["windsurf"],
            Self::Copilot => &["copilot"],
            Self::VsCode => &["code"],
        }
    }

    /// The directories and files that say that it is or was used.
    fn signs(self, env: &Env) -> Vec<Utf8PathBuf> {
        let mut signs = Vec::from_iter(self.directory(env));
        if self == Self::Claude && env.var(CLAUDE_CONFIG_DIR).is_none() {
            signs.extend(below_home(env, ".claude.json"));
        }
        signs
    }

    /// The directory of its settings; `None` if nothing says where that is.
    fn directory(self, env: &Env) -> Option<Utf8PathBuf> {
        let named =
            |name: &str| env.var(name).filter(|value| !value.is_empty()).map(|value| env.cwd.join(value));
        let config = || {
            let absolute = env
                .var(XDG_CONFIG_HOME)
                .filter(|value| PathStyle::HERE.is_absolute(value))
                .map(Utf8PathBuf::from);
            absolute.or_else(|| below_home(env, ".config"))
        };
        match self {
            Self::Claude => named(CLAUDE_CONFIG_DIR).or_else(|| below_home(env, ".claude")),
            Self::Codex => named(CODEX_HOME).or_else(|| below_home(env, ".codex")),
            Self::Gemini => below_home(env, ".gemini"),
            Self::Cursor => below_home(env, ".cursor"),
            Self::OpenCode => Some(config()?.join("opencode")),
            Self::Windsurf => below_home(env, ".codeium/windsurf"),
            Self::Copilot => below_home(env, ".copilot"),
            Self::VsCode => Some(config()?.join("Code/User")),
        }
    }

    /// What must stand in its settings for it to start `program`, whose plugin for Claude Code lies in `plugin_dir`: a
    /// file or two; none if nothing says where they lie.
    #[must_use]
    pub fn wanted(
        self,
        env: &Env,
        look: &impl Look,
        program: &Utf8Path,
        plugin_dir: &Utf8Path,
    ) -> Vec<Wanted> {
        let mut files = Vec::from_iter(self.main_file(env, look, program, plugin_dir));
        if let (Self::Claude, Some(main)) = (self, files.first_mut()) {
            main.members.extend(permissions(env));
        }
        if let (Self::Codex, Some(directory)) = (self, self.directory(env)) {
            let members = hooks(program, "codex", ["SessionStart", "UserPromptSubmit"], json!(10));
            files.push(Wanted {
                path: directory.join("hooks.json"),
                format: Format::Json,
                is_strict: true,
                members,
            });
        }
        files
    }

    fn main_file(
        self,
        env: &Env,
        look: &impl Look,
        program: &Utf8Path,
        plugin_dir: &Utf8Path,
    ) -> Option<Wanted> {
        let directory = self.directory(env)?;
        let file = |name: &str, members: Vec<Member>| Wanted {
            path: directory.join(name),
            format: if name.ends_with(".toml") { Format::Toml } else { Format::Json },
            is_strict: self == Self::Claude,
            members,
        };
        let server = |path: &[&str], value: Value| vec![Member::new(path, value)];
        let plain = json!({"command": program, "args": ["mcp"]});
        Some(match self {
            Self::Claude => {
                let members = vec![
                    Member::new(&["extraKnownMarketplaces", NAME], marketplace(plugin_dir)),
                    Member::new(&["enabledPlugins", PLUGIN], json!(true)),
                ];
                file("settings.json", members)
            }
            Self::Codex => file("config.toml", server(&["mcp_servers", NAME], plain)),
            Self::Gemini => {
                let mut members = server(&["mcpServers", NAME], plain);
                // This one counts milliseconds.
                members.extend(hooks(program, "gemini", ["SessionStart", "BeforeAgent"], json!(10_000)));
                file("settings.json", members)
            }
            Self::Cursor => file("mcp.json", server(&["mcpServers", NAME], plain)),
            Self::Windsurf => file("mcp_config.json", server(&["mcpServers", NAME], plain)),
            Self::OpenCode => {
                let value = json!({"type": "local", "command": [program, "mcp"], "enabled": true});
                let commented = look.kind(&directory.join("opencode.jsonc")).is_some();
                let name = if commented { "opencode.jsonc" } else { "opencode.json" };
                file(name, server(&["mcp", NAME], value))
            }
            Self::Copilot => {
                let value = json!({"type": "local", "command": program, "args": ["mcp"], "tools": ["*"]});
                file("mcp-config.json", server(&["mcpServers", NAME], value))
            }
            Self::VsCode => {
                let value = json!({"type": "stdio", "command": program, "args": ["mcp"]});
                file("mcp.json", server(&["servers", NAME], value))
            }
        })
    }
}

/// The hooks at the start of a session and at every prompt. They name the agent: unlike the client, it reads neither
/// MEMORY.md nor its topic files by itself, so the first hook brings the index.
fn hooks(program: &Utf8Path, agent: &str, [start, prompt]: [&str; 2], timeout: Value) -> Vec<Member> {
    let hook = |event: &str| {
        let command = format!("{} hook {event} --agent={agent}", shell_word(program));
        let hook = json!({"type": "command", "command": command, "timeout": timeout});
        Member::item(&["hooks", event], json!({"hooks": [hook]}))
    };
    vec![hook(start), hook(prompt)]
}

/// A path as one word of a shell.
#[must_use]
pub fn shell_word(path: &Utf8Path) -> String {
    shell_word_for(path, PathStyle::HERE)
}

/// On Windows the client runs hooks through Git's `sh` or through `cmd`: quoted so, and with slashes, both understand it.
pub(super) fn shell_word_for(path: &Utf8Path, style: PathStyle) -> String {
    if style == PathStyle::Windows {
        return format!("\"{}\"", style.slashed(path.as_str()));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if path.as_str().chars().all(plain) {
        return path.to_string();
    }
    format!("'{}'", path.as_str().replace('\'', r"'\''"))
}

/// What the client itself notes beside its settings once it has loaded the plugin, to be taken out with it. Each
/// counts only if those before it are ours.
#[must_use]
pub fn noted_beside(settings: &Utf8Path, plugin_dir: &Utf8Path) -> [(Utf8PathBuf, Member); 2] {
    let plugins = settings.with_file_name("plugins");
    [
        (plugins.join("known_marketplaces.json"), Member::new(&[NAME], marketplace(plugin_dir))),
        (plugins.join("installed_plugins.json"), Member::new(&["plugins", PLUGIN], json!([]))),
    ]
}

fn marketplace(plugin_dir: &Utf8Path) -> Value {
    json!({"source": {"source": "directory", "path": plugin_dir}})
}

fn below_home(env: &Env, path: &str) -> Option<Utf8PathBuf> {
    env.home.as_deref().map(|home| home.join(path))
}

/// The rules by which Claude Code asks no question about journal, profile and workspace, be it a command or a file.
fn permissions(env: &Env) -> Vec<Member> {
    let commands = ["journal", "user", "workspace", "search", "show"];
    let commands = commands.map(|command| format!("Bash(memdir {command}:*)"));
    let base = match env.var(CLAUDE_CONFIG_DIR).filter(|value| !value.is_empty()) {
        // An absolute path has two slashes in front.
        Some(value) => format!("/{}", env.cwd.join(value)),
        None => "~/.claude".to_owned(),
    };
    // The client's own directories begin with a dash, journals with a letter or digit.
    let journal = [("Read", "projects/[a-z0-9]*/**/*.md"), ("Edit", "projects/[a-z0-9]*/*/*.md")];
    let shared = ["workspace.md", "user/*.md"].map(|file| [("Read", file), ("Edit", file)]);
    let files = shared.into_iter().flatten().chain(journal);
    let files = files.map(|(tool, file)| format!("{tool}({base}/{file})"));
    let rules = commands.into_iter().chain(files);
    rules.map(|rule| Member::item(PERMISSIONS, json!(rule))).collect()
}
