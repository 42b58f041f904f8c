//! The agents that set-up knows, where their settings lie, and what makes each of them start memdir.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::entry::{Entry, Place, Start, Wire};
use super::table::AGENTS;
use super::{Format, Member, WholeContent, WholeFile};
use crate::env::{APPDATA, CLAUDE_CONFIG_DIR, Env, System, XDG_CONFIG_HOME};
use crate::host_path::PathStyle;
use crate::look::{Kind, Look};

/// An agent whose settings can name memdir.
#[derive(Debug, Clone, Copy)]
pub struct Agent(&'static Entry);

/// What one agent needs in its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The settings file.
    pub path: Utf8PathBuf,
    /// How it is written.
    pub format: Format,
    /// Whether the agent ignores a file that is not strict JSON.
    pub is_strict: bool,
    /// What must be in it.
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

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Agent {}

impl Agent {
    /// Every agent, in the order in which they are set up.
    pub fn all() -> impl Iterator<Item = Self> {
        AGENTS.iter().map(Self)
    }

    /// The agent that is chosen by this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|agent| agent.name() == name)
    }

    /// The agent that calls itself so to a server of the Model Context Protocol.
    #[must_use]
    pub fn of_client(client: &str) -> Option<Self> {
        Self::all().find(|agent| agent.0.clients.contains(&client))
    }

    /// The name by which it is chosen.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The name by which people know it.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// The name under which what it did is recorded.
    #[must_use]
    pub fn recorded(self) -> &'static str {
        self.0.recorded
    }

    /// The agent under whose name this is recorded.
    #[must_use]
    pub fn recorded_as(name: &str) -> Option<Self> {
        Self::all().find(|agent| agent.recorded() == name)
    }

    /// What becomes of what a hook says at the start of a session.
    #[must_use]
    pub fn start(self) -> Start {
        self.0.start
    }

    /// Whether it is Claude Code, which loads a plugin.
    #[must_use]
    pub fn is_claude(self) -> bool {
        self.0.wires.iter().any(|wire| matches!(wire, Wire::ClaudePlugin))
    }

    /// Whether there is a sign of it: its directory, its settings, or its program on the PATH.
    #[must_use]
    pub fn is_installed(self, env: &Env, look: &impl Look) -> bool {
        let on_path = env.program_folders();
        let endings: &[&str] = if cfg!(windows) { &["exe", "cmd"] } else { &[""] };
        let files = |folder: &str| -> Vec<Utf8PathBuf> {
            let of = |program| {
                endings.iter().map(move |ending| Utf8Path::new(folder).join(program).with_extension(ending))
            };
            self.0.programs.iter().flat_map(of).collect()
        };
        self.signs(env).iter().any(|path| look.kind(path).is_some())
            || on_path.flat_map(files).any(|path| matches!(look.kind(&path), Some(Kind::File | Kind::Link)))
    }

    /// The directories and files that say that it is or was used.
    fn signs(self, env: &Env) -> Vec<Utf8PathBuf> {
        let mut signs = Vec::from_iter(self.directory(env));
        if self.is_claude() && env.var(CLAUDE_CONFIG_DIR).is_none() {
            signs.extend(below_home(env, ".claude.json"));
        }
        signs
    }

    /// The directory of its settings; `None` if nothing says where that is.
    fn directory(self, env: &Env) -> Option<Utf8PathBuf> {
        self.directory_on(System::HERE, env)
    }

    pub(super) fn directory_on(self, system: System, env: &Env) -> Option<Utf8PathBuf> {
        let config = |path: &str| {
            let absolute = env.var(XDG_CONFIG_HOME).filter(|value| PathStyle::HERE.is_absolute(value));
            let config = absolute.map(Utf8PathBuf::from).or_else(|| below_home(env, ".config"));
            Some(config?.join(path))
        };
        match self.0.place {
            Place::Home(path) => below_home(env, path),
            Place::Named(variable, path) => {
                let named = env.var(variable).filter(|value| !value.is_empty());
                named.map(|value| env.cwd.join(value)).or_else(|| below_home(env, path))
            }
            Place::Config(path) => config(path),
            Place::System { linux, macos, windows } => match system {
                System::Linux => config(linux),
                System::MacOs => below_home(env, macos),
                System::Windows => {
                    let roaming = env.var(APPDATA).filter(|value| PathStyle::HERE.is_absolute(value));
                    Some(
                        roaming
                            .map(Utf8PathBuf::from)
                            .or_else(|| below_home(env, "AppData/Roaming"))?
                            .join(windows),
                    )
                }
            },
        }
    }

    /// What must be in its settings for it to start `program`, whose plugin for Claude Code is in `plugin_dir`;
    /// nothing if nothing says where they lie.
    #[must_use]
    pub fn wanted(
        self,
        env: &Env,
        look: &impl Look,
        program: &Utf8Path,
        plugin_dir: &Utf8Path,
    ) -> Vec<Wanted> {
        let Some(directory) = self.directory(env) else { return Vec::new() };
        let mut files: Vec<Wanted> = Vec::new();
        let mut want = |name: &str, members: Vec<Member>| {
            let path = directory.join(name);
            match files.iter_mut().find(|wanted| wanted.path == path) {
                Some(wanted) => wanted.members.extend(members),
                None => {
                    let format = Format::of(name);
                    let is_strict = self.is_strict(name);
                    files.push(Wanted { path, format, is_strict, members });
                }
            }
        };
        for wire in self.0.wires {
            match *wire {
                Wire::ClaudePlugin => want("settings.json", claude(env, plugin_dir)),
                Wire::Server { files, keys, form } => {
                    let exists = |name: &&&str| look.kind(&directory.join(name)).is_some();
                    let name = files.iter().find(exists).or(files.last()).copied().unwrap_or_default();
                    want(name, vec![Member::new(keys, form.value(program))]);
                }
                Wire::Hooks { file, form, events } => {
                    want(file, form.members(program, self.0.recorded, events));
                }
                Wire::Section { file, under, text } => {
                    let path: &[&str] = if under.is_empty() { &[] } else { &[under] };
                    want(file, vec![Member::new(path, self.filled(text, program).into())]);
                }
                Wire::File { .. } => {}
            }
        }
        files
    }

    /// Whether it ignores a file that is not strict JSON.
    fn is_strict(self, name: &str) -> bool {
        self.is_claude() || name.ends_with("hooks.json") || name.ends_with("memdir.json")
    }

    /// The files that are ours as a whole.
    #[must_use]
    pub fn whole_files(self, env: &Env, program: &Utf8Path) -> Vec<WholeFile> {
        let Some(directory) = self.directory(env) else { return Vec::new() };
        let file = |wire: &Wire| match *wire {
            Wire::File { file, text } => {
                let content = WholeContent::Text(self.filled(text, program));
                Some(WholeFile { path: directory.join(file), content })
            }
            _ => None,
        };
        self.0.wires.iter().filter_map(file).collect()
    }

    /// A text of the table with what is only known here.
    fn filled(self, text: &str, program: &Utf8Path) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        text.replace("@PROGRAM@", &quoted(program.as_str())).replace("@AGENT@", &quoted(self.0.recorded))
    }
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

/// The plugin for Claude Code, and the rules by which it asks no question.
fn claude(env: &Env, plugin_dir: &Utf8Path) -> Vec<Member> {
    let mut members = vec![
        Member::new(&["extraKnownMarketplaces", NAME], marketplace(plugin_dir)),
        Member::new(&["enabledPlugins", PLUGIN], json!(true)),
    ];
    members.extend(permissions(env));
    members
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
