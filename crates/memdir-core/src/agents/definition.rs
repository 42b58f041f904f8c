//! An agent's own file: Markdown with frontmatter, the body its prompt.

use camino::Utf8PathBuf;
use serde_json::Value;

use super::name::AgentName;
use super::tools::{ToolList, split};
use super::{Scope, Tools};
use crate::memory::frontmatter::Frontmatter;
use crate::memory::js_text;

/// What the file of an agent says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDefinition {
    /// The file.
    pub path: Utf8PathBuf,
    /// The name that it is called by.
    pub name: AgentName,
    /// What it is for.
    pub description: String,
    /// The scope of its memory, if it has one.
    pub memory: Option<Scope>,
    /// The tools that it asks for.
    pub tools: ToolList,
    /// The tools that it must not have.
    pub denied_tools: Vec<String>,
    /// Its prompt.
    pub body: String,
}

impl AgentDefinition {
    /// Reads a definition, with what is wrong about it; `None` if no agent comes of it, as with the client.
    #[must_use]
    pub fn parse(path: Utf8PathBuf, text: &str) -> (Option<Self>, Vec<String>) {
        let mut problems = Vec::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (frontmatter, mut broken) = Frontmatter::parse(text);
        let Some(frontmatter) = frontmatter else {
            problems.extend(broken.iter().map(ToString::to_string));
            if problems.is_empty() {
                problems.push("it has no frontmatter, so it names no agent".to_owned());
            }
            return (None, problems);
        };
        let name = frontmatter.text("name", &mut broken).unwrap_or_default();
        let description = frontmatter.text("description", &mut broken).unwrap_or_default();
        let memory = frontmatter.text("memory", &mut broken);
        problems.extend(broken.iter().map(ToString::to_string));
        let name = match AgentName::parse(js_text::trim(&name)) {
            Ok(name) if name.as_str().contains(':') => {
                problems.push("a name with `:` is kept for plugins".to_owned());
                return (None, problems);
            }
            Ok(name) => name,
            Err(refused) => {
                problems.push(format!("`name`: {refused}"));
                return (None, problems);
            }
        };
        problems.extend(name.warning());
        if description.trim().is_empty() {
            problems.push("it has no `description`, so no agent will choose it".to_owned());
        }
        let memory = memory.and_then(|word| match word.parse() {
            Ok(scope) => Some(scope),
            Err(unknown) => {
                problems.push(format!("`memory: {}` is ignored: {unknown}", word.escape_debug()));
                None
            }
        });
        let list = |key: &str| frontmatter.value(key).map(|(value, _)| tool_list(&value));
        let tools = list("tools").unwrap_or_default();
        let denied = match list("disallowedTools") {
            Some(ToolList::These(tools)) => tools,
            _ => Vec::new(),
        };
        let body = js_text::trim(text.get(frontmatter.body_start()..).unwrap_or_default()).to_owned();
        let definition = Self { path, name, description, memory, tools, denied_tools: denied, body };
        (Some(definition), problems)
    }

    /// Reads a definition that is given as JSON: `prompt` takes the place of the body.
    #[must_use]
    pub fn from_json(path: Utf8PathBuf, name: &str, value: &Value) -> (Option<Self>, Vec<String>) {
        let mut problems = Vec::new();
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let name = match AgentName::parse(js_text::trim(name)) {
            Ok(name) if value.is_object() => name,
            Ok(_) => return (None, vec!["it is not an object".to_owned()]),
            Err(refused) => return (None, vec![refused.to_string()]),
        };
        problems.extend(name.warning());
        let memory = match text("memory") {
            word if word.is_empty() => None,
            word => {
                word.parse().map_err(|unknown| problems.push(format!("`memory` is ignored: {unknown}"))).ok()
            }
        };
        let list = |key: &str| value.get(key).map(tool_list);
        let denied_tools = match list("disallowedTools") {
            Some(ToolList::These(tools)) => tools,
            _ => Vec::new(),
        };
        let definition = Self {
            path,
            name,
            description: text("description"),
            memory,
            tools: list("tools").unwrap_or_default(),
            denied_tools,
            body: js_text::trim(&text("prompt")).to_owned(),
        };
        (Some(definition), problems)
    }

    /// The scope of its memory while memory is on.
    #[must_use]
    pub fn memory_while(&self, is_enabled: bool) -> Option<Scope> {
        self.memory.filter(|_| is_enabled)
    }

    /// The tools that it gets while memory is on or off.
    #[must_use]
    pub fn resolve_tools(&self, is_enabled: bool) -> Tools {
        Tools::resolve(&self.tools, &self.denied_tools, self.memory_while(is_enabled).is_some())
    }
}

fn tool_list(value: &Value) -> ToolList {
    let tools: Vec<String> = match value {
        Value::String(text) => split(text),
        Value::Array(items) => items.iter().filter_map(Value::as_str).flat_map(split).collect(),
        _ => return ToolList::Inherited,
    };
    if tools.iter().any(|tool| tool == "*") { ToolList::Inherited } else { ToolList::These(tools) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let (definition, problems) = AgentDefinition::parse("/p/.claude/agents/x.md".into(), text);
        let shown = match definition {
            Some(definition) => format!(
                "{} ({}) memory={} tools={:?} denied={:?} body={:?}",
                definition.name,
                definition.description,
                definition.memory.map_or("none", Scope::as_str),
                definition.tools,
                definition.denied_tools,
                definition.body
            ),
            None => "no agent".to_owned(),
        };
        assert_eq!([vec![shown], problems].concat().join(" | "), expected);
    }

    #[test]
    fn a_definition_says_what_the_client_would_understand() {
        check(
            "---\nname: rev\ndescription: Reviews\nmemory: user\ntools: Read, Grep\n---\n\nYou review.\n",
            r#"rev (Reviews) memory=user tools=These(["Read", "Grep"]) denied=[] body="You review.""#,
        );
        check(
            "---\nname: rev\ndescription: R\ntools:\n  - Read\n  - Bash(ls, cat)\ndisallowedTools: [Write, Edit]\n---\n",
            r#"rev (R) memory=none tools=These(["Read", "Bash(ls, cat)"]) denied=["Write", "Edit"] body="""#,
        );
        check(
            "---\nname: ..\ndescription: d\nmemory: global\ntools: '*'\n---\nx",
            r#".. (d) memory=none tools=Inherited denied=[] body="x" | the agent `..` keeps its memory under the name `--`; an agent of that name would share it | `memory: global` is ignored: a scope is `user`, `project` or `local`"#,
        );
        check("---\nname: a:b\ndescription: d\n---\nx", "no agent | a name with `:` is kept for plugins");
        check("---\ndescription: d\n---\nx", "no agent | `name`: an agent has a name");
        let bomb = format!("---\nname: x\na: {}\n---\nx", "y".repeat(70_000));
        let (definition, problems) = AgentDefinition::parse("/p/.claude/agents/x.md".into(), &bomb);
        assert!(definition.is_none() && !problems.iter().any(|problem| problem.contains("no frontmatter")));
        check("# Notes", "no agent | it has no frontmatter, so it names no agent");
    }
}
