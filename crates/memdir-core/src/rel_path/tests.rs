use super::*;

/// The cases of the corpus that names alone decide.
fn corpus(surface: &str) -> Vec<serde_json::Value> {
    let corpus: serde_json::Value =
        serde_json::from_str(include_str!("../testdata/hostile_paths.json")).unwrap();
    let cases = corpus["cases"].as_array().unwrap().iter();
    cases
        .filter(|case| case["surface"] == surface && case.get("setup").is_none() && case["input"].is_string())
        .cloned()
        .collect()
}

#[test]
fn every_local_case_of_the_corpus() {
    let cases = corpus("local");
    assert!(cases.len() > 70);
    for case in cases {
        let answer = RelPath::parse(case["input"].as_str().unwrap());
        assert_eq!(answer.is_ok(), case["expected"] == "allow", "{case} {answer:?}");
        if let (Ok(path), Some(normalized)) = (answer, case["normalized"].as_str()) {
            assert_eq!(path.as_str(), normalized);
        }
    }
}

#[test]
fn every_tool_path_case_of_the_corpus() {
    let cases = corpus("tool_path");
    assert!(cases.len() > 20);
    for case in cases {
        let root = Utf8Path::new("/home/u/.claude/projects/-x/memory/");
        let answer = crate::tool_path::ToolPath::parse(case["input"].as_str().unwrap(), root, None);
        assert_eq!(answer.is_ok(), case["expected"] == "allow", "{case} {answer:?}");
    }
}

#[test]
fn rules_beyond_the_corpus() {
    let check = |input: &str, expected: Result<&str, &str>| {
        let answer = RelPath::parse(input);
        let answer = answer.as_ref().map(RelPath::as_str).map_err(|refused| refused.rule);
        assert_eq!(answer, expected, "{input:?}");
    };
    let looks_like_index = Err("looks like MEMORY.md but is another name");
    check("sub//x.md", Ok("sub/x.md"));
    check("sub/../x.md", Ok("x.md"));
    check("/x.md", Err("not relative to the memory directory"));
    check("sub/", Err("names a directory, not a file"));
    check("sub/.", Err("names a directory, not a file"));
    check("memory.md", Ok("memory.md"));
    check("MEM0RY.md", looks_like_index);
    check("team/MЕMORY.md", looks_like_index);
    check("MEMORY.md ", looks_like_index);
    check("MEMORY.rnd", looks_like_index);
    check("ｍｅｍｏｒｙ.ｍｄ", looks_like_index);
    check("ｎｏｔｅｓ.md", Ok("ｎｏｔｅｓ.md"));
    check("…/x.md", Ok("…/x.md"));
    check(". ./x.md", Err("looks like `.` or `..`"));
    check("日本語/メモ.md", Ok("日本語/メモ.md"));
    check("مذكرة.md", Ok("مذكرة.md"));
    check("notes/.Claude/x.md", Err("lies in a directory that tools act on (.git, .claude, .vscode, .idea)"));
    check(".gitignore", Ok(".gitignore"));
    check(".memdir-1-2.tmp", Err("has the name of a temporary file of memdir"));
    check(&"é".repeat(121), Ok(&"é".repeat(121)));
    check(&"é".repeat(122), Err("a name is longer than 243 bytes"));
    check(&["d"; 16].join("/"), Ok(&["d"; 16].join("/")));
    check(&["d"; 17].join("/"), Err("deeper than 16 levels"));
}

proptest::proptest! {
    #[test]
    fn whatever_is_accepted_stays_inside_and_is_stable(input in ".{0,40}") {
        if let Ok(path) = RelPath::parse(&input) {
            proptest::prop_assert!(!path.as_str().starts_with('/'));
            proptest::prop_assert!(path.as_str().split('/').all(|name| !matches!(name, "" | "." | "..")));
            proptest::prop_assert_eq!(RelPath::parse(path.as_str()).unwrap(), path);
        }
    }

    #[test]
    fn dots_and_slashes_never_lead_out(input in "[./\\\\a．․‥∕ ]{0,24}") {
        if let Ok(path) = RelPath::parse(&input) {
            proptest::prop_assert!(path.as_str().split('/').all(|name| !matches!(name, "" | "." | "..")));
        }
    }

    #[test]
    fn a_plain_name_is_judged_as_any_other(input in "[A-Za-z0-9._-]{0,12}|M[EO0]MORY[.]r?n?m?d|[a-z]{242,244}") {
        if is_plain(&input) {
            proptest::prop_assert_eq!(RelPath::parse_any(&input), RelPath::parse(&input));
            proptest::prop_assert_eq!(check_any_component(&input), Ok(()));
        }
    }
}
