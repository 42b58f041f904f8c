//! One entry for each agent that set-up knows. To add an agent, add an entry here, and one in scripts/agents/agents.py.

use crate::env::{CLAUDE_CONFIG_DIR, CODEX_HOME, CONTINUE_GLOBAL_DIR, COPILOT_HOME, PI_CODING_AGENT_DIR};

use super::entry::{Entry, HookForm, Place, ServerForm, Start, Wire};

const SERVERS: &[&str] = &["mcpServers", "memdir"];

/// How a hook of Claude Code's form counts its time limit.
const SECONDS: HookForm = HookForm::Grouped { timeout: 10 };
const MILLISECONDS: HookForm = HookForm::Grouped { timeout: 10_000 };

/// Every agent, in the order in which they are set up.
pub(super) const AGENTS: &[Entry] = &[
    Entry {
        name: "claude",
        title: "Claude Code",
        programs: &["claude"],
        place: Place::Named(CLAUDE_CONFIG_DIR, ".claude"),
        recorded: "claude-code",
        clients: &["claude-code"],
        start: Start::Kept,
        wires: &[Wire::ClaudePlugin],
    },
    Entry {
        name: "codex",
        title: "Codex",
        programs: &["codex"],
        place: Place::Named(CODEX_HOME, ".codex"),
        recorded: "codex",
        clients: &["codex-mcp-client"],
        start: Start::Kept,
        wires: &[
            Wire::Server {
                files: &["config.toml"],
                keys: &["mcp_servers", "memdir"],
                form: ServerForm::Plain,
            },
            Wire::Hooks {
                file: "hooks.json",
                form: SECONDS,
                events: &["SessionStart", "UserPromptSubmit", "Stop", "PostCompact"],
            },
        ],
    },
    Entry {
        name: "gemini",
        title: "Gemini CLI",
        programs: &["gemini"],
        place: Place::Home(".gemini"),
        recorded: "gemini",
        clients: &["gemini-cli-mcp-client"],
        start: Start::AtPrompt,
        wires: &[
            Wire::Server { files: &["settings.json"], keys: SERVERS, form: ServerForm::Plain },
            Wire::Hooks {
                file: "settings.json",
                form: MILLISECONDS,
                // PreCompress comes with every turn, whether or not anything is compressed, so it says nothing.
                events: &["BeforeAgent", "AfterAgent"],
            },
        ],
    },
    Entry {
        name: "qwen",
        title: "Qwen Code",
        programs: &["qwen"],
        place: Place::Home(".qwen"),
        recorded: "qwen",
        clients: &["qwen-cli-mcp-client-memdir", "qwen-code-mcp-client", "qwen-cli-mcp-client"],
        start: Start::AtPrompt,
        wires: &[
            Wire::Server { files: &["settings.json"], keys: SERVERS, form: ServerForm::Plain },
            Wire::Hooks {
                file: "settings.json",
                form: MILLISECONDS,
                events: &["UserPromptSubmit", "Stop", "PostCompact"],
            },
        ],
    },
    Entry {
        name: "copilot",
        title: "GitHub Copilot CLI",
        programs: &["copilot"],
        place: Place::Named(COPILOT_HOME, ".copilot"),
        recorded: "copilot",
        clients: &["copilot-cli", "github-copilot-developer"],
        start: Start::Forgotten,
        wires: &[
            Wire::Server { files: &["mcp-config.json"], keys: SERVERS, form: ServerForm::LocalAllTools },
            Wire::Hooks {
                file: "hooks/memdir.json",
                form: HookForm::Flat { version: 1, timeout: Some(("timeoutSec", 10)) },
                events: &["SessionStart", "userPromptTransformed", "Stop", "PreCompact"],
            },
        ],
    },
    Entry {
        name: "opencode",
        title: "OpenCode",
        programs: &["opencode"],
        place: Place::Config("opencode"),
        recorded: "opencode",
        clients: &["opencode"],
        start: Start::Kept,
        wires: &[
            Wire::Server {
                files: &["opencode.jsonc", "opencode.json"],
                keys: &["mcp", "memdir"],
                form: ServerForm::CommandList,
            },
            Wire::File { file: "plugin/memdir.js", text: OPENCODE_PLUGIN },
        ],
    },
    Entry {
        name: "kilo",
        title: "Kilo Code",
        programs: &["kilo", "kilocode"],
        place: Place::Config("kilo"),
        recorded: "kilo",
        clients: &["kilo", "kilocode"],
        start: Start::Kept,
        wires: &[
            Wire::Server {
                files: &["kilo.jsonc", "opencode.jsonc", "opencode.json", "kilo.json"],
                keys: &["mcp", "memdir"],
                form: ServerForm::CommandList,
            },
            Wire::File { file: "plugin/memdir.js", text: OPENCODE_PLUGIN },
        ],
    },
    Entry {
        name: "pi",
        title: "pi",
        programs: &["pi"],
        place: Place::Named(PI_CODING_AGENT_DIR, ".pi/agent"),
        recorded: "pi",
        clients: &["pi"],
        start: Start::Kept,
        wires: &[Wire::File { file: "extensions/memdir.js", text: PI_EXTENSION }],
    },
    Entry {
        name: "continue",
        title: "Continue",
        programs: &["cn"],
        place: Place::Named(CONTINUE_GLOBAL_DIR, ".continue"),
        recorded: "continue",
        clients: &["continue-cli-client", "continue-client"],
        start: Start::Kept,
        wires: &[
            Wire::Section {
                file: "config.yaml",
                under: "mcpServers",
                text: "- name: memdir\n  command: @PROGRAM@\n  args:\n    - mcp\n",
            },
            Wire::Section { file: "config.yaml", under: "rules", text: CONTINUE_RULE },
        ],
    },
    Entry {
        name: "cline",
        title: "Cline",
        programs: &["cline"],
        place: Place::Home(".cline"),
        recorded: "cline",
        clients: &["cline", "@cline/core"],
        start: Start::Kept,
        wires: &[
            Wire::Server {
                files: &["data/settings/cline_mcp_settings.json"],
                keys: SERVERS,
                form: ServerForm::Plain,
            },
            Wire::File { file: "rules/memdir.md", text: INSTRUCTIONS },
        ],
    },
    Entry {
        name: "cursor",
        title: "Cursor",
        programs: &["cursor", "cursor-agent"],
        place: Place::Home(".cursor"),
        recorded: "cursor",
        clients: &["cursor-vscode", "cursor"],
        start: Start::Forgotten,
        wires: &[
            Wire::Server { files: &["mcp.json"], keys: SERVERS, form: ServerForm::Plain },
            Wire::Hooks {
                file: "hooks.json",
                form: HookForm::Flat { version: 1, timeout: Some(("timeout", 10)) },
                events: &["sessionStart"],
            },
        ],
    },
    Entry {
        name: "crush",
        title: "Crush",
        programs: &["crush"],
        place: Place::Config("crush"),
        recorded: "crush",
        clients: &["crush"],
        start: Start::Kept,
        wires: &[
            Wire::Server { files: &["crush.json"], keys: &["mcp", "memdir"], form: ServerForm::Stdio },
            Wire::Section { file: "CRUSH.md", under: "", text: INSTRUCTIONS },
        ],
    },
    Entry {
        name: "goose",
        title: "Goose",
        programs: &["goose"],
        place: Place::System { linux: "goose", macos: ".config/goose", windows: "Block/goose/config" },
        recorded: "goose",
        clients: &["goose"],
        start: Start::Kept,
        wires: &[
            Wire::Section {
                file: "config.yaml",
                under: "extensions",
                text: "memdir:\n  name: memdir\n  type: stdio\n  enabled: true\n  cmd: @PROGRAM@\n  args:\n    - mcp\n  timeout: 300\n",
            },
            Wire::Section { file: ".goosehints", under: "", text: INSTRUCTIONS },
        ],
    },
    Entry {
        name: "antigravity",
        title: "Antigravity",
        programs: &["agy", "antigravity"],
        place: Place::Home(".gemini/config"),
        recorded: "antigravity",
        clients: &["antigravity-client", "antigravity"],
        start: Start::Kept,
        wires: &[Wire::Server { files: &["mcp_config.json"], keys: SERVERS, form: ServerForm::Plain }],
    },
    Entry {
        name: "windsurf",
        title: "Windsurf",
        programs: &["windsurf"],
        place: Place::Home(".codeium/windsurf"),
        recorded: "windsurf",
        clients: &["windsurf-client", "windsurf"],
        start: Start::Kept,
        wires: &[
            Wire::Server { files: &["mcp_config.json"], keys: SERVERS, form: ServerForm::Plain },
            Wire::Section { file: "memories/global_rules.md", under: "", text: INSTRUCTIONS },
        ],
    },
    Entry {
        name: "vscode",
        title: "Visual Studio Code",
        programs: &["code"],
        place: Place::System {
            linux: "Code/User",
            macos: "Library/Application Support/Code/User",
            windows: "Code/User",
        },
        recorded: "vscode",
        clients: &["Visual Studio Code", "Visual Studio Code - Insiders"],
        start: Start::Kept,
        wires: &[
            Wire::Server { files: &["mcp.json"], keys: &["servers", "memdir"], form: ServerForm::Stdio },
            Wire::File { file: "prompts/memdir.instructions.md", text: VSCODE_INSTRUCTIONS },
        ],
    },
    Entry {
        name: "zed",
        title: "Zed",
        programs: &["zed", "zeditor"],
        place: Place::System { linux: "zed", macos: ".config/zed", windows: "Zed" },
        recorded: "zed",
        clients: &["Zed"],
        start: Start::Kept,
        wires: &[Wire::Server {
            files: &["settings.json"],
            keys: &["context_servers", "memdir"],
            form: ServerForm::Plain,
        }],
    },
];

/// What an agent is told that has no hook by which memdir could bring a memory.
const INSTRUCTIONS: &str = include_str!("plugins/instructions.md");
const VSCODE_INSTRUCTIONS: &str = include_str!("plugins/vscode.instructions.md");
const CONTINUE_RULE: &str = include_str!("plugins/continue.rule.yaml");
/// The plugin for OpenCode and for Kilo Code, which is built on it.
const OPENCODE_PLUGIN: &str = include_str!("plugins/opencode.js");
const PI_EXTENSION: &str = include_str!("plugins/pi.js");
