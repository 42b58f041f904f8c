use insta::assert_snapshot;

use super::*;
use crate::env::Env;
use crate::look::MapLook;

fn env() -> Env {
    Env { home: Some("/h".into()), cwd: "/p".into(), vars: [].into() }
}

fn agent(name: &str) -> OtherAgent {
    OtherAgent::named(name).unwrap()
}

fn proposed(agent: OtherAgent, look: &MapLook) -> String {
    let gathered = gather(agent, &env(), "/p".into(), look);
    let lines = propose(agent, &gathered.files).into_iter().map(|proposal| {
        format!(
            "{} [{}] {} <{}>",
            proposal.name,
            proposal.memory_type.as_str(),
            proposal.description,
            proposal.source
        )
    });
    lines
        .chain(gathered.problems.into_iter().map(|problem| format!("! {problem}")))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn every_agent_is_read_where_it_keeps_things() {
    let look = MapLook::new()
        .file(
            "/h/.codex/memories/MEMORY.md",
            "# Memory\n\n## Style\n- tabs\n\n## Empty\n\n## Tests\nrun them\n",
        )
        .file("/h/.codex/memories/raw_memories.md", "noise\n")
        .file("/h/.gemini/GEMINI.md", "## Gemini Added Memories\n- likes tea\n")
        .file("/p/GEMINI.md", "Use make.\n")
        .file("/p/AGENTS.md", "# Guide\nIntro.\n## Build\n```\n## not a heading\n```\n## Test\nx\n")
        .file(
            "/p/.cursor/rules/a/style.mdc",
            "---\ndescription: How we write\nglobs: *.rs\n---\nShort lines.\n",
        )
        .file("/p/.cursor/rules/readme.txt", "no\n")
        .file("/p/memory-bank/activeContext.md", "# Active\nworking on prices\n")
        .file("/p/.github/copilot-instructions.md", "");
    assert_snapshot!(proposed(agent("codex"), &look), @r"
    codex-memory-style [user] Style: tabs </h/.codex/memories/MEMORY.md>
    codex-memory-tests [user] Tests: run them </h/.codex/memories/MEMORY.md>
    ");
    assert_snapshot!(proposed(agent("gemini"), &look), @r"
    gemini-user [user] Gemini Added Memories: likes tea </h/.gemini/GEMINI.md>
    gemini [feedback] Use make. </p/GEMINI.md>
    ");
    assert_snapshot!(proposed(agent("agents"), &look), @r"
    agents [feedback] Guide: Intro. </p/AGENTS.md>
    agents-build [feedback] Build </p/AGENTS.md>
    agents-test [feedback] Test: x </p/AGENTS.md>
    ");
    assert_snapshot!(proposed(agent("cursor"), &look), @"cursor-style [feedback] How we write </p/.cursor/rules/a/style.mdc>");
    assert_snapshot!(proposed(agent("memory-bank"), &look), @"memory-bank-activecontext [project] Active: working on prices </p/memory-bank/activeContext.md>");
    assert_eq!(proposed(agent("copilot"), &look), "");
    assert_eq!(proposed(agent("windsurf"), &look), "");
}

#[test]
fn what_an_agent_keeps_for_a_project_outside_of_it_is_found() {
    let look = MapLook::new()
        .file("/h/.qwen/QWEN.md", "Be brief.\n")
        .file("/h/.qwen/projects/-p/memory/build.md", "# Build\nuse make\n")
        .file("/h/.gemini/projects.json", r#"{"projects":{"/p":"price-list","/q":"../x"}}"#)
        .file("/h/.gemini/tmp/price-list/memory/notes.md", "# Notes\nround up\n")
        .file("/h/.openclaw/workspace/MEMORY.md", "# Me\nlikes tea\n")
        .file(
            "/h/.codeium/windsurf/memories/global_rules.md",
            "Mine.\n<!-- memdir: written by `memdir setup` -->\nours\n<!-- memdir: end of the section -->\n",
        );
    assert_snapshot!(proposed(agent("qwen"), &look), @r"
    qwen-user [user] Be brief. </h/.qwen/QWEN.md>
    qwen-build [feedback] Build: use make </h/.qwen/projects/-p/memory/build.md>
    ");
    assert_snapshot!(proposed(agent("gemini"), &look), @"gemini-notes [feedback] Notes: round up </h/.gemini/tmp/price-list/memory/notes.md>");
    assert_snapshot!(proposed(agent("openclaw"), &look), @"openclaw-memory [user] Me: likes tea </h/.openclaw/workspace/MEMORY.md>");
    assert_snapshot!(proposed(agent("windsurf"), &look), @"windsurf-global-rules [user] Mine. </h/.codeium/windsurf/memories/global_rules.md>");
}

#[test]
fn a_description_is_one_short_clean_line() {
    let long = format!("# T\n\n{} end\n", "word\u{200B} ".repeat(60));
    let look = MapLook::new().file("/p/AGENTS.md", &long);
    let gathered = gather(agent("agents"), &env(), "/p".into(), &look);
    let proposals = propose(agent("agents"), &gathered.files);
    let description = &proposals[0].description;
    assert!(description.chars().count() <= 111 && description.ends_with('…'), "{description}");
    assert!(!description.contains('\u{200B}'));
    assert_eq!(proposals[0].body, long.trim(), "the text itself is as it was");
}
