use super::*;

#[test]
fn every_team_key_case_of_the_corpus() {
    let corpus: serde_json::Value =
        serde_json::from_str(include_str!("../testdata/hostile_paths.json")).unwrap();
    let cases = corpus["cases"].as_array().unwrap().iter().filter(|case| case["surface"] == "team_key");
    let mut seen = 0;
    for case in cases {
        let answer = TeamKey::parse(case["input"].as_str().unwrap());
        assert_eq!(answer.is_ok(), case["expected"] == "allow", "{case} {answer:?}");
        seen += 1;
    }
    assert!(seen > 30);
}

#[test]
fn ordinary_keys_travel_and_aliases_do_not() {
    for good in [
        "testing.md",
        "a/b/c.md",
        "café.md",
        "日本語.md",
        "console.md",
        "com10.md",
        "50% off.md",
        "a~b.md",
        "null.md",
        "md/a.md",
        "notes.mdx/a.md",
        "a.md.d/b.md",
        "a.md.md",
    ] {
        assert_eq!(TeamKey::parse(good).as_ref().map(TeamKey::as_str), Ok(good));
    }
    for bad in [
        "MEMORY.md",
        "x/memory.MD",
        "./a.md",
        "a//b.md",
        "b/../a.md",
        ".x.md",
        "a/.b/c.md",
        "a.txt",
        "a.MD",
        ".md",
        "a%2Fb.md",
        "%252e.md",
        "%c0%ae.md",
        "a%00.md",
        "LPT³.md",
        "com1.x.md",
        "GIT~12/a.md",
        "a /b.md",
        " a.md",
        "a./b.md",
        "x<y.md",
    ] {
        assert!(TeamKey::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_folder_is_not_named_like_a_memory() {
    for bad in ["n.md/evil.md", "a/n.md/b.md", "n.md/b/c.md", "n.MD/a.md", "a/N.Md/b.md", "n.ｍｄ/a.md"] {
        let refused = TeamKey::parse(bad).unwrap_err();
        assert!(refused.rule.contains("a folder named like a memory"), "{bad}: {refused}");
    }
}

#[test]
fn a_file_that_agents_take_for_instructions_is_not_an_entry() {
    for name in ["CLAUDE.md", "a/claude.md", "CLAUDE.local.md", "AGENTS.md", "x/Gemini.MD"] {
        assert!(TeamKey::parse(name).is_err(), "{name}");
    }
    assert!(TeamKey::parse("claude-tips.md").is_ok());
}
