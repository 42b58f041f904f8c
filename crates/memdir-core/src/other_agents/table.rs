//! One entry for each agent or tool whose memory can be imported.

use super::source::{Base, Entry, Place};
use crate::env::{CODEX_HOME, COPILOT_HOME};

const MARKDOWN: &[&str] = &["md"];

const fn file(base: Base, path: &'static str) -> Place {
    Place { base, path, endings: &[] }
}

const fn folder(base: Base, path: &'static str, endings: &'static [&'static str]) -> Place {
    Place { base, path, endings }
}

/// `{key}` in a path is the project's encoded path, `{gemini}` the name that Gemini CLI gave the project.
pub(super) const SOURCES: &[Entry] = &[
    Entry {
        name: "codex",
        help: "Codex: MEMORY.md and AGENTS.md in ~/.codex",
        keeps_rules: true,
        places: &[
            file(Base::Named(CODEX_HOME, ".codex"), "memories/MEMORY.md"),
            file(Base::Named(CODEX_HOME, ".codex"), "AGENTS.md"),
        ],
    },
    Entry {
        name: "gemini",
        help: "Gemini CLI and Antigravity: GEMINI.md in ~/.gemini and in the project, and its own memory of the project",
        keeps_rules: true,
        places: &[
            file(Base::Home, ".gemini/GEMINI.md"),
            file(Base::Project, "GEMINI.md"),
            folder(Base::HomeOfProject, ".gemini/tmp/{gemini}/memory", MARKDOWN),
        ],
    },
    Entry {
        name: "qwen",
        help: "Qwen Code: QWEN.md in ~/.qwen and in the project, and its own memories",
        keeps_rules: true,
        places: &[
            file(Base::Home, ".qwen/QWEN.md"),
            folder(Base::Home, ".qwen/memories", MARKDOWN),
            file(Base::Project, "QWEN.md"),
            folder(Base::HomeOfProject, ".qwen/projects/{key}/memory", MARKDOWN),
        ],
    },
    Entry {
        name: "agents",
        help: "AGENTS.md in the project",
        keeps_rules: true,
        places: &[file(Base::Project, "AGENTS.md")],
    },
    Entry {
        name: "cursor",
        help: "Cursor: .cursor/rules and .cursorrules in the project",
        keeps_rules: true,
        places: &[
            folder(Base::Project, ".cursor/rules", &["mdc", "md"]),
            file(Base::Project, ".cursorrules"),
        ],
    },
    Entry {
        name: "memory-bank",
        help: "Cline and others: memory-bank/ in the project",
        keeps_rules: false,
        places: &[folder(Base::Project, "memory-bank", MARKDOWN)],
    },
    Entry {
        name: "windsurf",
        help: "Windsurf: its global rules, and .windsurf/rules in the project",
        keeps_rules: true,
        places: &[
            file(Base::Home, ".codeium/windsurf/memories/global_rules.md"),
            folder(Base::Project, ".windsurf/rules", MARKDOWN),
            file(Base::Project, ".windsurfrules"),
        ],
    },
    Entry {
        name: "copilot",
        help: "Copilot and VS Code: the memory tool's files, and copilot-instructions.md of the user and the project",
        keeps_rules: true,
        places: &[
            folder(
                Base::Config,
                "Code/User/globalStorage/github.copilot-chat/memory-tool/memories",
                MARKDOWN,
            ),
            file(Base::Named(COPILOT_HOME, ".copilot"), "copilot-instructions.md"),
            file(Base::Project, ".github/copilot-instructions.md"),
        ],
    },
    Entry {
        name: "openclaw",
        help: "OpenClaw: MEMORY.md and USER.md in ~/.openclaw/workspace",
        keeps_rules: false,
        places: &[
            file(Base::Home, ".openclaw/workspace/MEMORY.md"),
            file(Base::Home, ".openclaw/workspace/USER.md"),
        ],
    },
    Entry {
        name: "basic-memory",
        help: "basic-memory: the notes in ~/basic-memory",
        keeps_rules: false,
        places: &[folder(Base::HomeOfProject, "basic-memory", MARKDOWN)],
    },
    Entry {
        name: "claude-mem",
        help: "claude-mem: the JSON file that it exports",
        keeps_rules: false,
        places: &[],
    },
    Entry { name: "engram", help: "engram: the JSON file that it exports", keeps_rules: false, places: &[] },
    Entry { name: "icm", help: "ICM: the JSON file that it exports", keeps_rules: false, places: &[] },
    Entry { name: "mem0", help: "mem0: the JSON file that it exports", keeps_rules: false, places: &[] },
];
