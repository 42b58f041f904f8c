use insta::assert_snapshot;

use super::*;
use crate::env::Env;
use crate::look::MapLook;

fn env() -> Env {
    Env { home: Some("/h".into()), cwd: "/p".into(), vars: [].into() }
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
    assert_snapshot!(proposed(OtherAgent::Codex, &look), @r"
    codex-memory-style [user] Style: tabs </h/.codex/memories/MEMORY.md>
    codex-memory-tests [user] Tests: run them </h/.codex/memories/MEMORY.md>
    ");
    assert_snapshot!(proposed(OtherAgent::Gemini, &look), @r"
    gemini-user [user] Gemini Added Memories: likes tea </h/.gemini/GEMINI.md>
    gemini [feedback] Use make. </p/GEMINI.md>
    ");
    assert_snapshot!(proposed(OtherAgent::AgentsMd, &look), @r"
    agents [feedback] Guide: Intro. </p/AGENTS.md>
    agents-build [feedback] Build </p/AGENTS.md>
    agents-test [feedback] Test: x </p/AGENTS.md>
    ");
    assert_snapshot!(proposed(OtherAgent::Cursor, &look), @"cursor-style [feedback] How we write </p/.cursor/rules/a/style.mdc>");
    assert_snapshot!(proposed(OtherAgent::MemoryBank, &look), @"memory-bank-activecontext [project] Active: working on prices </p/memory-bank/activeContext.md>");
    assert_eq!(proposed(OtherAgent::Copilot, &look), "");
    assert_eq!(proposed(OtherAgent::Windsurf, &look), "");
}

#[test]
fn a_description_is_one_short_clean_line() {
    let long = format!("# T\n\n{} end\n", "word\u{200B} ".repeat(60));
    let look = MapLook::new().file("/p/AGENTS.md", &long);
    let gathered = gather(OtherAgent::AgentsMd, &env(), "/p".into(), &look);
    let proposals = propose(OtherAgent::AgentsMd, &gathered.files);
    let description = &proposals[0].description;
    assert!(description.chars().count() <= 111 && description.ends_with('…'), "{description}");
    assert!(!description.contains('\u{200B}'));
    assert_eq!(proposals[0].body, long.trim(), "the text itself is as it was");
}
