//! May an agent's tool touch this path without asking its user?

use camino::{Utf8Path, Utf8PathBuf};

use crate::agents::{AgentDirs, AgentName, Scope};
use crate::env::Env;
use crate::guarded_root::GuardedRoot;
use crate::host_path::{PathStyle, normal_form};
use crate::locate::{Location, Source};
use crate::look::{Kind, Look};
use crate::settings::Settings;
use crate::tool_path::ToolPath;

mod deny_rules;
#[cfg(test)]
mod tests;

pub use deny_rules::DenyRules;

/// A tool of an agent that opens files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Reads a file.
    Read,
    /// Replaces or creates a file.
    Write,
    /// Changes part of a file.
    Edit,
}

impl Tool {
    /// The tool of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "Read" => Some(Self::Read),
            "Write" => Some(Self::Write),
            "Edit" => Some(Self::Edit),
            _ => None,
        }
    }
}

/// The answer, and the rule behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether no question is needed.
    pub allow: bool,
    /// Why.
    pub why: String,
}

impl Verdict {
    fn allow(why: impl Into<String>) -> Self {
        Self { allow: true, why: why.into() }
    }

    fn deny(why: impl Into<String>) -> Self {
        Self { allow: false, why: why.into() }
    }
}

/// The directories that decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The working directory, absolute, links resolved.
    pub cwd: Utf8PathBuf,
    /// The user's home directory, for `~/`.
    pub home: Option<Utf8PathBuf>,
    /// The memory directory.
    pub memory: GuardedRoot,
    /// Whether tools may write there: not where an override variable chose it.
    pub memory_is_writable: bool,
    /// The directory of the project's sessions.
    pub project: GuardedRoot,
    /// The directories below which agents have their memory.
    pub agents: Vec<GuardedRoot>,
    /// The journal, in which sub-agents have a directory to leave their findings.
    pub journal: Option<GuardedRoot>,
    /// The client's configuration directory, for the map of projects, the user's profile and the journals of other
    /// projects; `None` where they are in no place of ours.
    pub config: Option<GuardedRoot>,
    /// What the user's settings forbid, or want to be asked about.
    pub deny: DenyRules,
}

impl Places {
    /// The places around a directory whose memory has been located.
    #[must_use]
    pub fn new(env: &Env, settings: &Settings, location: &Location) -> Self {
        let config_dir = env.cwd.join(settings.config_dir());
        let guarded = |path: &Utf8Path| {
            let path = env.cwd.join(path);
            let anchors = [&config_dir, &env.cwd];
            match anchors.iter().find_map(|anchor| Some((anchor, path.strip_prefix(anchor).ok()?))) {
                Some((anchor, below)) => GuardedRoot::new(anchor, below),
                None => GuardedRoot::at(&path),
            }
        };
        let agents = AgentDirs::new(env, settings, &location.root);
        Self {
            cwd: env.cwd.clone(),
            home: env.home.clone(),
            memory: guarded(&location.memory_dir),
            memory_is_writable: location.source != Source::Override,
            project: guarded(&location.project_dir),
            agents: Scope::ALL.iter().map(|scope| guarded(agents.root(*scope))).collect(),
            journal: None,
            config: Some(GuardedRoot::at(&config_dir)),
            deny: DenyRules::new(settings, &env.cwd, &location.root, env.home.as_deref()),
        }
    }
}

/// Answers for one tool, path and agent; `agent` is `None` for the main loop.
///
/// Agents write Markdown in memory directories and nothing else. A sub-agent writes in its own, and in the
/// journal's directory for sub-agents. Everything is judged by names first and then by what is on the disk.
#[must_use]
pub fn may_touch(tool: Tool, path: &str, agent: Option<&str>, places: &Places, look: &dyn Look) -> Verdict {
    if path.contains('\0') {
        return Verdict::deny("holds a NUL");
    }
    let style = PathStyle::of_absolute(places.cwd.as_str());
    let absolute = if style.is_absolute(path) || style.slashed(path).starts_with("~/") {
        path.to_owned()
    } else {
        format!("{}/{path}", places.cwd)
    };
    let verdict = match tool {
        Tool::Read => may_read(&absolute, places, look),
        Tool::Write | Tool::Edit => may_write(&absolute, agent, places, look),
    };
    if !verdict.allow {
        return verdict;
    }
    match denied_by(tool, &absolute, places, look) {
        Some(rule) => Verdict::deny(format!("the settings forbid it or want to be asked: `{rule}`")),
        None => verdict,
    }
}

/// The rule of the user's settings against this, whether the file is named by its own path or through a link.
fn denied_by<'a>(tool: Tool, path: &str, places: &'a Places, look: &dyn Look) -> Option<&'a str> {
    let named = by_name(&expand_home(path, places));
    let real = real_target(&named, look);
    let paths: Vec<&Utf8Path> = [Some(named.as_path()), real.as_deref()].into_iter().flatten().collect();
    places.deny.against(tool, &paths)
}

fn expand_home(path: &str, places: &Places) -> Utf8PathBuf {
    let style = PathStyle::of_absolute(places.cwd.as_str());
    let rest =
        path.strip_prefix("~/").or_else(|| path.strip_prefix("~\\").filter(|_| style == PathStyle::Windows));
    match (rest, &places.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => Utf8PathBuf::from(path),
    }
}

fn may_write(path: &str, agent: Option<&str>, places: &Places, look: &dyn Look) -> Verdict {
    let mut refused = None;
    for (root, name) in writable(agent, places) {
        match judge_name(path, &root, places, look) {
            Ok(found) if name == SHARED && !is_shared(&found) => {}
            Ok(found) if name == JOURNAL && found.path.as_str().starts_with('_') => {
                refused = Some("the journal's own index and archive are written by `memdir journal` alone");
            }
            Ok(found) => {
                return match judge_on_disk(&found, &root, look) {
                    Ok(()) => Verdict::allow(format!("inside {name}")),
                    Err(why) => Verdict::deny(why),
                };
            }
            Err("outside the memory directory") => {}
            Err(rule) => refused = refused.or(Some(rule)),
        }
    }
    let elsewhere = match agent {
        Some(_) => "outside this sub-agent's own memory",
        None => "outside every memory directory",
    };
    Verdict::deny(refused.unwrap_or(elsewhere))
}

/// Where writing needs no question, and what each place is called.
fn writable(agent: Option<&str>, places: &Places) -> Vec<(GuardedRoot, &'static str)> {
    let Some(agent) = agent else {
        let memory = places.memory_is_writable.then(|| (places.memory.clone(), "the memory directory"));
        let agents = places.agents.iter().map(|root| (root.clone(), "the memory of agents"));
        let journal = places.journal.iter().map(|root| (root.clone(), JOURNAL));
        let shared = places.config.iter().map(|root| (root.clone(), SHARED));
        return memory.into_iter().chain(agents).chain(journal).chain(shared).collect();
    };
    let own = AgentName::parse(agent).ok().map(|name| name.directory().to_owned());
    let own = own.iter().flat_map(|name| places.agents.iter().map(move |root| root.join(name)));
    let journal = places.journal.as_ref().map(|journal| journal.join("subagent"));
    own.map(|root| (root, "this agent's own memory"))
        .chain(journal.map(|root| (root, "the journal's directory for sub-agents")))
        .collect()
}

/// What the journal is called.
const JOURNAL: &str = "the journal";

/// What the map of projects and the user's profile are called together.
const SHARED: &str = "the workspace or the profile";

/// Whether a file of the configuration directory is the map of projects or belongs to the user's profile.
fn is_shared(found: &ToolPath) -> bool {
    match found.path.as_str().split_once('/') {
        None => found.path.as_str() == "workspace.md",
        Some((folder, file)) => folder == "user" && !file.contains('/'),
    }
}

/// Judges a path by name, against the root as it is named and as its anchor really is.
fn judge_name(
    path: &str,
    root: &GuardedRoot,
    places: &Places,
    look: &dyn Look,
) -> Result<ToolPath, &'static str> {
    let home = places.home.as_deref();
    let named = ToolPath::parse(path, &root.path(), home).map_err(|refused| refused.rule);
    if named != Err("outside the memory directory") {
        return named.and_then(without_code_directories);
    }
    let real = ToolPath::parse(path, &root.real_path(look), home).map_err(|refused| refused.rule);
    real.and_then(without_code_directories)
}

/// Directories whose content other programs run, beside those that no memory path may enter.
fn without_code_directories(found: ToolPath) -> Result<ToolPath, &'static str> {
    let is_code =
        |component: &str| [".husky", ".devcontainer"].iter().any(|name| component.eq_ignore_ascii_case(name));
    if found.path.as_str().split('/').any(is_code) {
        return Err("lies in a directory that tools act on (.husky, .devcontainer)");
    }
    Ok(found)
}

/// No link on the way, and nothing but a file or nothing at its end.
fn judge_on_disk(found: &ToolPath, root: &GuardedRoot, look: &dyn Look) -> Result<(), &'static str> {
    if found.left_again.iter().any(|directory| look.kind(Utf8Path::new(directory)) == Some(Kind::Link)) {
        return Err("leaves a link by `..`");
    }
    let real_root = root.real_path(look);
    let guarded = root.below().components().count();
    let mut anchor = real_root.as_path();
    for _ in 0..guarded {
        anchor = anchor.parent().unwrap_or(anchor);
    }
    let mut path = anchor.to_owned();
    let components: Vec<&str> = root
        .below()
        .as_str()
        .split('/')
        .chain(found.spelled.split('/'))
        .filter(|name| !name.is_empty())
        .collect();
    for (position, component) in components.iter().enumerate() {
        path.push(component);
        let is_last = position + 1 == components.len();
        match look.kind(&path) {
            None => return Ok(()),
            Some(Kind::Link) => return Err("leads through a link"),
            Some(Kind::Dir) if !is_last => {}
            Some(Kind::File) if is_last => {}
            Some(_) => return Err("not a regular file"),
        }
    }
    Ok(())
}

fn may_read(path: &str, places: &Places, look: &dyn Look) -> Verdict {
    let named = expand_home(path, places);
    let Some(real) = real_target(&named, look) else { return Verdict::deny("leads through a broken link") };
    let mut readable = vec![(places.cwd.clone(), "the working directory")];
    let guarded =
        [(&places.memory, "the memory directory"), (&places.project, "the project's own directory")]
            .into_iter()
            .chain(places.agents.iter().map(|root| (root, "the memory of agents")))
            .chain(places.journal.as_ref().map(|journal| (journal, "the journal")));
    readable.extend(guarded.map(|(root, name)| (root.real_path(look), name)));
    if let Some(config) = places.config.as_ref().map(|config| config.real_path(look)) {
        readable.push((config.join("workspace.md"), "the workspace"));
        readable.push((config.join("user"), "the profile"));
        // The client's own directories begin with the dash of an absolute path or with a drive, journals with a name.
        let projects = config.join("projects");
        let mut below = real.strip_prefix(&projects).ok().into_iter().flat_map(Utf8Path::components);
        let (key, next) = (below.next(), below.next().map(|next| next.as_str()));
        let key = key.map(|key| key.as_str()).filter(|key| !is_client_slug(key) && next != Some("memory"));
        readable.extend(key.map(|key| (projects.join(key), "the journal of a project")));
    }
    match readable.iter().find(|(root, _)| real.starts_with(root)) {
        Some((_, name)) => Verdict::allow(format!("inside {name}")),
        None => Verdict::deny("outside the working directory and every memory directory"),
    }
}

/// Where a path leads that may not exist: links resolved as far as it does, the rest by name. `None` if a link on
/// the way leads nowhere, or if the rest would climb.
fn real_target(path: &Utf8Path, look: &dyn Look) -> Option<Utf8PathBuf> {
    let named = by_name(path);
    for existing in named.ancestors() {
        if let Some(real) = look.real_path(existing) {
            let rest = named.strip_prefix(existing).ok()?;
            return Some(if rest.as_str().is_empty() { real } else { real.join(rest) });
        }
        if look.kind(existing).is_some() {
            return None;
        }
    }
    None
}

/// Whether a directory below `projects/` is called as the client calls those of a path: `-home-me`, `C--Users-me`.
fn is_client_slug(name: &str) -> bool {
    let mut start = name.chars();
    match start.next() {
        Some('-') => true,
        Some(drive) => drive.is_ascii_alphabetic() && start.as_str().starts_with("--"),
        None => false,
    }
}

/// The path without `.` and `..`, which a tool resolves by name before it opens anything.
fn by_name(path: &Utf8Path) -> Utf8PathBuf {
    normal_form(path.as_str()).into()
}
