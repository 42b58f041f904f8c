//! The plugin for Claude Code, as it is in `plugin/`, and as set-up installs it.
//!
//! The one in the repository finds the program on the PATH. The installed one names it by its absolute path, and puts
//! it on the PATH of the commands that the agent runs.

use anyhow::{Context, Result};
use camino::Utf8Path;
use memdir_core::wiring::shell_word;
use memdir_lib::setup::{PluginContent, PluginFile};
use serde_json::{Value, json};

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../plugin/", $path)))),*]
    };
}

/// Every file of the plugin that is installed.
const FILES: &[(&str, &str)] = files![
    ".claude-plugin/marketplace.json",
    ".claude-plugin/plugin.json",
    ".mcp.json",
    "README.md",
    "commands/cues.md",
    "commands/dream.md",
    "commands/rebuild.md",
    "commands/review.md",
    "commands/start.md",
    "commands/status.md",
    "commands/stop.md",
    "commands/user.md",
    "commands/workspace.md",
    "hooks/hooks.json",
    "skills/memory/SKILL.md",
];

/// The plugin that starts this program.
///
/// # Errors
/// The embedded files are not what they should be, which a test excludes.
pub(crate) fn installed(program: &Utf8Path) -> Result<Vec<PluginFile>> {
    let mut files = Vec::new();
    for (path, text) in FILES {
        let text = match *path {
            "hooks/hooks.json" => with_hooks_of(program, text)?,
            ".mcp.json" => with_server_of(program, text)?,
            _ => (*text).to_owned(),
        };
        files.push(PluginFile { path, content: PluginContent::Text(text) });
    }
    files.extend(on_the_path(program));
    Ok(files)
}

/// What makes `memdir` this program in the commands that the agent runs. Links are a privilege on Windows, so there two
/// scripts start the program: one for `cmd`, one for Git's `sh`.
fn on_the_path(program: &Utf8Path) -> Vec<PluginFile> {
    if !cfg!(windows) {
        return vec![PluginFile { path: "bin/memdir", content: PluginContent::Link(program.to_owned()) }];
    }
    let word = shell_word(program);
    let text = |path, text| PluginFile { path, content: PluginContent::Text(text) };
    vec![
        text("bin/memdir.cmd", format!("@{} %*\r\n", word.replace('/', "\\"))),
        text("bin/memdir", format!("#!/bin/sh\nexec {word} \"$@\"\n")),
    ]
}

fn with_hooks_of(program: &Utf8Path, text: &str) -> Result<String> {
    let mut whole: Value = serde_json::from_str(text)?;
    let events = whole.get_mut("hooks").and_then(Value::as_object_mut).context("the plugin has no hooks")?;
    for (event, groups) in events {
        let groups = groups.as_array_mut().into_iter().flatten();
        for hook in groups.filter_map(|group| group.get_mut("hooks")?.as_array_mut()).flatten() {
            if let Some(command) = hook.get_mut("command") {
                *command = json!(format!("{} hook {event}", shell_word(program)));
            }
        }
    }
    Ok(pretty(&whole)?)
}

fn with_server_of(program: &Utf8Path, text: &str) -> Result<String> {
    let mut whole: Value = serde_json::from_str(text)?;
    *whole.pointer_mut("/mcpServers/memdir/command").context("the plugin has no server")? = json!(program);
    Ok(pretty(&whole)?)
}

fn pretty(value: &Value) -> Result<String, serde_json::Error> {
    Ok(format!("{value:#}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_installed_plugin_names_the_program_everywhere() {
        let files = installed(Utf8Path::new("/opt/a b/memdir")).unwrap();
        let text = |wanted: &str| {
            let file = files.iter().find(|file| file.path == wanted).unwrap();
            match &file.content {
                PluginContent::Text(text) => text.clone(),
                PluginContent::Link(target) => target.to_string(),
            }
        };
        let hooks = text("hooks/hooks.json");
        assert!(hooks.contains("\"'/opt/a b/memdir' hook SessionStart\""), "{hooks}");
        assert!(!hooks.contains("CLAUDE_PLUGIN_ROOT"), "{hooks}");
        assert!(text(".mcp.json").contains("\"/opt/a b/memdir\""));
        assert_eq!(text("bin/memdir"), "/opt/a b/memdir");
    }
}
