//! `memdir prompt`.

use memdir_testkit::Git;
use serde_json::Value;

use crate::harness::Sandbox;

fn headings(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with('#')).collect()
}

fn stdout(sandbox: &Sandbox, line: &str) -> String {
    let block = sandbox.run(line.split_whitespace());
    assert_eq!((block.code, block.stderr.as_str()), (0, ""), "{line}");
    block.stdout
}

fn json(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&stdout(sandbox, line)).unwrap()
}

fn memory_dir(sandbox: &Sandbox) -> String {
    stdout(sandbox, "path --json").parse::<Value>().unwrap()["memory_dir"].as_str().unwrap().to_owned()
}

#[test]
fn the_section_names_the_directory_and_creates_nothing() {
    let sandbox = Sandbox::new();
    let dir = memory_dir(&sandbox);
    for line in ["prompt", "prompt --long", "prompt --short", "prompt --profile seed", "prompt --assemble"] {
        assert!(stdout(&sandbox, line).contains(&format!("`{dir}/`")), "{line}");
    }
    assert_eq!(stdout(&sandbox, "prompt"), stdout(&sandbox, "prompt --long"));
    assert_eq!(headings(&stdout(&sandbox, "prompt --short")), ["# Memory"]);
    assert_eq!(headings(&stdout(&sandbox, "prompt"))[0], "# auto memory");
    assert_eq!(sandbox.home.tree("home"), "", "looking creates nothing");
}

#[test]
fn the_index_is_where_the_profile_says() {
    let sandbox = Sandbox::new();
    sandbox.home.write("home/project/CLAUDE.md", "Use tabs.\n");
    let dir = memory_dir(&sandbox);
    sandbox.home.write(format!("{dir}/MEMORY.md"), "- [Tabs](tabs.md) — always\n");
    assert!(!stdout(&sandbox, "prompt").contains("tabs.md"));
    let seed = stdout(&sandbox, "prompt --profile seed");
    assert!(seed.contains("## MEMORY.md\n\n<memory-quote id="), "{seed}");
    assert!(seed.contains("\n| - [Tabs](tabs.md) — always\n</memory-quote id="), "{seed}");
    assert!(!seed.contains("age=\"unknown\""), "{seed}");
    let current = stdout(&sandbox, "prompt --assemble");
    assert!(current.contains("\n| - [Tabs](tabs.md) — always\n</memory-quote id="), "{current}");
    let ids = |line: &str| -> Vec<String> {
        let parts = json(&sandbox, line)["parts"].as_array().unwrap().clone();
        parts.iter().map(|part| part["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("prompt --assemble --json"), ["auto_memory", "instructions", "index"]);
    assert_eq!(ids("prompt --assemble --profile seed --json"), ["auto_memory", "instructions"]);
}

#[test]
fn an_assembled_turn_tells_everything_with_its_size() {
    let sandbox = Sandbox::new();
    sandbox.home.write("home/project/CLAUDE.md", "Use tabs.\n");
    let answer = json(&sandbox, "prompt --assemble --short --json");
    let parts = answer["parts"].as_array().unwrap();
    let mut characters = 0;
    for part in parts {
        let length = part["text"].as_str().unwrap().chars().count();
        assert_eq!(part["characters"], length);
        assert_eq!(part["tokens"], length / 4);
        assert!(!part["reason"].as_str().unwrap().is_empty());
        characters += length;
    }
    assert_eq!((&answer["v"], &answer["characters"]), (&Value::from(1), &Value::from(characters)));
    let last = &parts.last().unwrap()["text"];
    let path = sandbox.cwd.join("CLAUDE.md");
    assert_eq!(
        last.as_str().unwrap(),
        format!("Contents of {path} (project instructions, checked into the codebase):\n\nUse tabs.")
    );
    let text = stdout(&sandbox, "prompt --assemble --short");
    let rules: Vec<&str> = text.lines().filter(|line| line.starts_with("────")).collect();
    assert_eq!(rules.len(), parts.len() + 1);
    assert!(rules[0].starts_with("──── auto_memory: static, "), "{}", rules[0]);
    assert_eq!(
        rules[parts.len()],
        format!("──── total: {characters} characters, about {} tokens", characters / 4)
    );
}

#[test]
fn nothing_is_told_while_memory_is_off() {
    let sandbox = Sandbox::new().var("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1");
    insta::assert_snapshot!(sandbox.show("prompt"), @"
    exit 0
    --- stderr
    warning: memory is off (env:CLAUDE_CODE_DISABLE_AUTO_MEMORY), so an agent is told nothing about it
    ");
    insta::assert_snapshot!(sandbox.show("prompt --json"), @r#"
    exit 0
    --- stdout
    {"v":1,"enabled":false,"decided_by":"env:CLAUDE_CODE_DISABLE_AUTO_MEMORY","text":"","characters":0,"tokens":0}
    "#);
    assert_eq!(sandbox.run(["prompt", "--agent", "x", "--scope", "user"]).stdout, "");
    let sandbox = Sandbox::new();
    sandbox.home.write("home/project/CLAUDE.md", "Use tabs.\n");
    insta::assert_snapshot!(sandbox.show("prompt --assemble --bare"), @"
    exit 0
    --- stdout
    ──── total: 0 characters, about 0 tokens
    ");
}

#[test]
fn a_team_directory_adds_the_rules_of_the_team() {
    let sandbox = Sandbox::new();
    let dir = memory_dir(&sandbox);
    sandbox.home.dir(format!("{dir}/team"));
    assert!(
        !stdout(&sandbox, "prompt").contains("## Team memory"),
        "nothing is shared that was not asked for"
    );
    features(&sandbox, "team = true");
    assert!(
        stdout(&sandbox, "prompt --short").contains(&format!("## Team memory\n\n`{dir}/team/` is shared"))
    );
}

/// The user's own settings.
fn features(sandbox: &Sandbox, switches: &str) {
    sandbox.home.write("home/.config/memdir/config.toml", format!("[features]\n{switches}\n"));
}

#[test]
fn switches_choose_what_is_told() {
    let sandbox = Sandbox::new();
    let dir = memory_dir(&sandbox);
    sandbox.home.dir(&dir);
    features(&sandbox, "simple_prompt = true\nsession_search = true\ndaily_logs = true");
    assert_eq!(headings(&stdout(&sandbox, "prompt")), ["# Memory", "## How to save"]);
    assert!(stdout(&sandbox, "prompt").contains(&format!("`{dir}/logs/YYYY/MM/YYYY-MM-DD.md`")));
    assert_eq!(headings(&stdout(&sandbox, "prompt --long"))[0], "# auto memory");
    assert_eq!(json(&sandbox, "prompt --assemble --json")["parts"][0]["id"], "past_sessions");
    sandbox.home.write(format!("{dir}/MEMORY.md"), "- [A](a.md)\n");
    features(&sandbox, "auto_memory = false");
    assert_eq!(json(&sandbox, "prompt --assemble --json")["parts"], serde_json::json!([]));
    insta::assert_snapshot!(sandbox.show("prompt"), @"
    exit 0
    --- stderr
    warning: memory is off (config:features.auto_memory), so an agent is told nothing about it
    ");
    features(&sandbox, "auto_memory = maybe");
    let block = sandbox.run(["prompt"]);
    assert_eq!((block.code, headings(&block.stdout)[0]), (0, "# auto memory"));
    assert!(block.stderr.contains("so the defaults count"), "{}", block.stderr);
}

#[test]
fn a_directory_of_a_repository_is_told_of_the_repositorys_memory() {
    let mut sandbox = Sandbox::new();
    Git::init(&sandbox.home.root().join("home/repo"), "repo");
    sandbox.cwd = sandbox.home.dir("home/repo/sub");
    let dir = memory_dir(&sandbox);
    assert!(dir.ends_with("-home-repo/memory"), "{dir}");
    assert!(stdout(&sandbox, "prompt").contains(&format!("`{dir}/`")));
}

#[test]
fn an_agents_section_holds_its_index_and_its_scope() {
    let sandbox = Sandbox::new();
    let root = sandbox.home.root().to_owned();
    for (scope, dir) in [
        ("user", "home/.claude/agent-memory/rev"),
        ("project", "home/project/.claude/agent-memory/rev"),
        ("local", "home/project/.claude/agent-memory-local/rev"),
    ] {
        let line = format!("prompt --agent rev --scope {scope}");
        assert!(stdout(&sandbox, &line).ends_with("## MEMORY.md\n\nNothing is saved yet.\n"));
        sandbox.home.write(format!("{dir}/MEMORY.md"), format!("- {scope}\n"));
        let text = stdout(&sandbox, &line);
        assert!(text.starts_with(&format!("# Persistent Agent Memory\n\n`{root}/{dir}/` is")), "{text}");
        assert!(text.contains(&format!("\n- Scope `{scope}`: ")));
        assert!(text.contains(&format!("\n| - {scope}\n</memory-quote id=")), "{text}");
    }
    insta::assert_snapshot!(sandbox.show("prompt --agent rev"), @"
    exit 2
    --- stderr
    error: no agent is called `rev` here
    hint: `memdir agent ls` lists the agents; with `--scope`, memory of any name can be asked for
    ");
    insta::assert_snapshot!(sandbox.show("prompt --scope user").lines().take(4).collect::<Vec<_>>().join("\n"), @"
    exit 2
    --- stderr
    error: missing: `--agent <NAME>`
    usage: memdir prompt --agent <NAME> --scope <SCOPE>
    ");
}
