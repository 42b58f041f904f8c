//! Which agents are defined for a directory.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde_json::{Map, Value};

use super::definition::AgentDefinition;
use super::given::{in_settings, plugins};
use super::name::AgentName;
use crate::env::Env;
use crate::look::{Kind, Look};

/// Larger files define no agent.
const MAX_BYTES: u64 = 1 << 20;
/// More files than that are not looked at.
const MAX_FILES: usize = 2_000;
/// How deep folders of definitions go.
const MAX_DEPTH: usize = 8;

/// Where a definition comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Home {
    /// The repository.
    Project,
    /// The user.
    User,
    /// The client's option `--agents`, for one session.
    Option,
    /// A settings file.
    Settings,
    /// A plugin that is on.
    Plugin,
}

/// The agents of a directory, and what is wrong with their files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundAgents {
    /// The agents by name. Of two with one name, the project's wins, and the nearer directory.
    pub agents: Vec<(Home, AgentDefinition)>,
    /// What a person should know, with the file.
    pub warnings: Vec<String>,
}

impl FoundAgents {
    /// The agent of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&(Home, AgentDefinition)> {
        self.agents.iter().find(|(_, agent)| agent.name.as_str() == name)
    }
}

/// Reads the definitions below `.claude/agents` of the working directory and of those above it, up to the root of
/// the checkout, and those of the user below `agents` in the configuration directory. `option` is the JSON of the
/// client's `--agents`, which beats all; then settings files, files of the project, of the user, and of plugins.
#[must_use]
pub fn find(env: &Env, config_dir: &Utf8Path, option: Option<&str>, look: &dyn Look) -> FoundAgents {
    let user = env.cwd.join(config_dir).join("agents");
    let mut search =
        Search { look, plugin: None, files_left: MAX_FILES, agents: BTreeMap::new(), warnings: Vec::new() };
    if let Some(option) = option {
        match serde_json::from_str::<Map<String, Value>>(option) {
            Ok(agents) => search.objects(Home::Option, Utf8Path::new("--agents"), &agents),
            Err(error) => {
                search.warnings.push(format!("`--agents` is ignored: it is not a JSON object: {error}"));
            }
        }
    }
    for (path, agents) in in_settings(env, config_dir, look) {
        search.objects(Home::Settings, &path, &agents);
    }
    for dir in checkout_dirs(&env.cwd, look) {
        let folder = dir.join(".claude/agents");
        // In the home directory the user's own folder looks like a project's.
        if folder != user {
            search.folder(Home::Project, &folder);
        }
    }
    search.folder(Home::User, &user);
    for (plugin, folder) in plugins(env, config_dir, look) {
        search.plugin = Some(plugin);
        search.folder(Home::Plugin, &folder);
    }
    FoundAgents { agents: search.agents.into_values().collect(), warnings: search.warnings }
}

/// The working directory and those above it up to the one with a `.git`; without one the working directory alone.
fn checkout_dirs<'a>(cwd: &'a Utf8Path, look: &dyn Look) -> impl Iterator<Item = &'a Utf8Path> {
    let depth = cwd.ancestors().position(|dir| look.kind(&dir.join(".git")).is_some()).unwrap_or(0);
    cwd.ancestors().take(depth + 1)
}

struct Search<'a> {
    look: &'a dyn Look,
    /// The plugin whose files are read: its name precedes the names of its agents.
    plugin: Option<String>,
    files_left: usize,
    agents: BTreeMap<String, (Home, AgentDefinition)>,
    warnings: Vec<String>,
}

impl Search<'_> {
    fn folder(&mut self, home: Home, folder: &Utf8Path) {
        let mut pending = vec![(folder.to_owned(), 0)];
        let mut files: Vec<Utf8PathBuf> = Vec::new();
        while let Some((dir, depth)) = pending.pop() {
            for entry in self.look.list(&dir) {
                let path = dir.join(&entry.name);
                match entry.kind {
                    Kind::Dir if depth < MAX_DEPTH && pending.len() < MAX_FILES => {
                        pending.push((path, depth + 1));
                    }
                    Kind::File | Kind::Link if entry.name.ends_with(".md") => {
                        if self.files_left == 0 {
                            self.warnings
                                .push(format!("`{folder}` holds too many files; some were not read"));
                            return;
                        }
                        self.files_left -= 1;
                        files.push(path);
                    }
                    _ => {}
                }
            }
        }
        // The order of the disk is chance.
        files.sort();
        files.into_iter().for_each(|path| self.file(home, path));
    }

    fn file(&mut self, home: Home, path: Utf8PathBuf) {
        let bytes = match self.look.read(&path, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => return self.warnings.push(format!("cannot read `{path}`: {error}")),
        };
        let (mut definition, problems) =
            AgentDefinition::parse(path.clone(), &String::from_utf8_lossy(&bytes));
        self.warnings.extend(problems.iter().map(|problem| format!("`{path}`: {problem}")));
        if let (Some(plugin), Some(definition)) = (&self.plugin, &mut definition)
            && let Ok(name) = AgentName::parse(&format!("{plugin}:{}", definition.name))
        {
            definition.name = name;
        }
        if let Some(definition) = definition {
            self.add(home, &path, definition);
        }
    }

    /// The agents of a JSON object: `name -> {description, prompt, tools, disallowedTools, memory}`.
    fn objects(&mut self, home: Home, path: &Utf8Path, agents: &Map<String, Value>) {
        for (name, value) in agents {
            let (definition, problems) = AgentDefinition::from_json(path.to_owned(), name, value);
            self.warnings
                .extend(problems.iter().map(|problem| format!("`{path}`, agent `{name}`: {problem}")));
            if let Some(definition) = definition {
                self.add(home, path, definition);
            }
        }
    }

    fn add(&mut self, home: Home, path: &Utf8Path, definition: AgentDefinition) {
        match self.agents.get(definition.name.as_str()) {
            Some((_, other)) => self
                .warnings
                .push(format!("`{path}` is not used: `{}` defines an agent of the same name", other.path)),
            None => {
                self.agents.insert(definition.name.as_str().to_owned(), (home, definition));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::MapLook;

    fn agent(name: &str, body: &str) -> String {
        format!("---\nname: {name}\ndescription: d\n---\n{body}")
    }

    fn check(look: &MapLook, cwd: &str, expected: &[&str]) {
        let env = Env { home: Some("/h".into()), cwd: cwd.into(), vars: [].into() };
        let found = find(&env, "/h/.claude".into(), None, look);
        let shown =
            found.agents.iter().map(|(home, agent)| format!("{} {home:?} {}", agent.name, agent.body));
        let shown: Vec<String> = shown.chain(found.warnings).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_nearest_definition_wins_and_the_project_beats_the_user() {
        let look = MapLook::new()
            .dir("/h/p/.git")
            .file("/h/p/sub/.claude/agents/deep/a.md", agent("a", "near"))
            .file("/h/p/.claude/agents/a.md", agent("a", "far"))
            .file("/h/p/.claude/agents/b.md", agent("b", "far"))
            .file("/h/.claude/agents/b.md", agent("b", "user"))
            .file("/h/.claude/agents/c.md", agent("c", "user"))
            .file("/h/.claude/agents/c.txt", agent("d", "no Markdown"))
            .link("/h/.claude/agents/loop.md", "/h/.claude/agents/loop.md");
        check(
            &look,
            "/h/p/sub",
            &[
                "a Project near",
                "b Project far",
                "c User user",
                "`/h/p/.claude/agents/a.md` is not used: `/h/p/sub/.claude/agents/deep/a.md` defines an agent of the same name",
                "`/h/.claude/agents/b.md` is not used: `/h/p/.claude/agents/b.md` defines an agent of the same name",
                "cannot read `/h/.claude/agents/loop.md`: no such file",
            ],
        );
    }

    #[test]
    fn outside_a_repository_only_the_directory_itself_counts() {
        let look = MapLook::new()
            .file("/h/p/.claude/agents/a.md", agent("a", "above"))
            .file("/h/.claude/agents/b.md", agent("b", "user"))
            .dir("/h/p/sub");
        check(&look, "/h/p/sub", &["b User user"]);
        check(&look, "/h", &["b User user"]);
    }

    #[test]
    fn agents_come_from_json_and_from_plugins_that_are_on() {
        let look = MapLook::new()
            .file("/h/p/.claude/settings.json", r#"{"agents": {"b": {"description": "d", "prompt": "settings", "memory": "local"}, "x": 1}}"#)
            .file("/h/p/.claude/agents/a.md", agent("a", "file"))
            .file("/h/.claude/settings.json", r#"{"enabledPlugins": {"tools@m": true, "off@m": false}}"#)
            .file(
                "/h/.claude/plugins/installed_plugins.json",
                r#"{"plugins": {"tools@m": [{"installPath": "/plugins/tools"}], "off@m": [{"installPath": "/plugins/off"}]}}"#,
            )
            .file("/plugins/tools/agents/c.md", "---\nname: c\ndescription: d\nmemory: user\n---\nplugin")
            .file("/plugins/off/agents/d.md", agent("d", "off"));
        let env = Env { home: Some("/h".into()), cwd: "/h/p".into(), vars: [].into() };
        let option =
            r#"{"a": {"description": "d", "prompt": "option", "tools": ["Read"], "memory": "project"}}"#;
        let found = find(&env, "/h/.claude".into(), Some(option), &look);
        let shown = found.agents.iter().map(|(home, agent)| {
            format!(
                "{} {home:?} {} {}",
                agent.name,
                agent.memory.map_or("-", crate::agents::Scope::as_str),
                agent.body
            )
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            ["a Option project option", "b Settings local settings", "tools:c Plugin user plugin"]
        );
        assert_eq!(found.warnings.len(), 2, "{:?}", found.warnings);
        let bad = find(&env, "/h/.claude".into(), Some("[1]"), &look);
        assert!(bad.warnings[0].starts_with("`--agents` is ignored"), "{:?}", bad.warnings);
    }
}
