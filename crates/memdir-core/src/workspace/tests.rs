use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::outline::Obstacle;

fn shop() -> WorkspaceEdit<'static> {
    WorkspaceEdit::Register(NewProject {
        key: "shop",
        path: "/w/shop",
        description: Some("sells | things"),
        status: None,
    })
}

fn prices() -> WorkspaceEdit<'static> {
    WorkspaceEdit::Register(NewProject { key: "prices", path: "/w/prices", ..NewProject::default() })
}

fn after(text: &str, edits: &[WorkspaceEdit<'_>]) -> String {
    edits.iter().fold(text.to_owned(), |text, edit| edit.apply(&text).unwrap().unwrap_or(text))
}

#[test]
fn a_new_file_has_all_its_sections_and_reads_back() {
    let projects = ["shop".to_owned(), "prices".to_owned()];
    let text = after(
        "",
        &[
            shop(),
            prices(),
            WorkspaceEdit::Relate(NewRelation {
                from: "shop",
                kind: &RelationKind::DependsOn,
                to: "prices",
                note: "",
            }),
            WorkspaceEdit::Initiative(NewInitiative {
                name: "2.0",
                projects: &projects,
                date: "2026-01-02",
                ..NewInitiative::default()
            }),
            WorkspaceEdit::Status { key: "prices", status: "paused" },
        ],
    );
    assert_snapshot!(text, @r"
    # Workspace

    ## Projects

    | Project | Path | Description | Status |
    |---------|------|-------------|--------|
    | shop | /w/shop | sells \| things | active |
    | prices | /w/prices |  | paused |

    ## Relationships

    | Project | Relation | Related | Notes |
    |---------|----------|---------|-------|
    | shop | depends on | prices |  |

    ## Current Initiatives

    | Initiative | Projects | Status | Updated | Notes |
    |------------|----------|--------|---------|-------|
    | 2.0 | shop, prices | active | 2026-01-02 |  |

    ## Quick Reference

    - shop → projects/shop/_index.md
    - prices → projects/prices/_index.md
    ");
    let map = WorkspaceMap::parse(&text);
    assert_eq!(map.problems, []);
    assert_eq!(map.project("shop").unwrap().description, "sells | things");
    assert_eq!(map.project("PRICES").unwrap().status, "paused");
    assert_eq!(map.relations_of("prices")[0].seen_from("prices"), ("shop", "is needed by"));
    assert_eq!(map.initiatives_of("shop")[0].name, "2.0");
    assert_eq!(after(&text, &[shop(), prices()]), text, "a second time changes nothing");
}

#[test]
fn a_hand_made_file_keeps_its_form() {
    let text = "My repos\n\n## Repositories <3\n\nStatus | Name | Owner | Location\n--|:--|--|--\nok | `shop` | me | /w/shop\n\n\
                ## Notes\nmine | not a table\n\n## Dependencies\n- shop depends on prices\n- see the wiki → nowhere at all\n";
    let map = WorkspaceMap::parse(text);
    assert_eq!(map.project("shop").unwrap().path, "/w/shop");
    assert_eq!(map.relations.len(), 1);
    let text = after(
        text,
        &[
            prices(),
            WorkspaceEdit::Status { key: "shop", status: "paused" },
            WorkspaceEdit::Relate(NewRelation {
                from: "prices",
                kind: &RelationKind::ForkOf,
                to: "shop",
                note: "old",
            }),
        ],
    );
    assert_snapshot!(text, @r"
    My repos

    ## Repositories <3

    Status | Name | Owner | Location
    --|:--|--|--
    paused | `shop` | me | /w/shop
    | active | prices |  | /w/prices |

    ## Notes
    mine | not a table

    ## Dependencies
    - shop depends on prices
    - see the wiki → nowhere at all

    | Project | Relation | Related | Notes |
    |---------|----------|---------|-------|
    | prices | fork of | shop | old |
    ");
}

#[test]
fn what_is_broken_is_named_and_the_rest_is_read() {
    let text = "## Projects\n\n| Project | Path | Description | Status |\n|--|--|--|--|\n| a | /a | x | y | ok |\n| b | /b\n\
                | | /c | | |\n| a | /d | | |\n\n## Initiatives\n\n| What | Who |\n|--|--|\n| x | y |\n";
    let map = WorkspaceMap::parse(text);
    let found: Vec<(&str, &str, &str)> = map
        .projects
        .iter()
        .map(|project| (project.key.as_str(), project.description.as_str(), project.status.as_str()))
        .collect();
    assert_eq!(found, [("a", "x | y", "ok"), ("b", "", "")]);
    let problems: Vec<String> = map.problems.iter().map(ToString::to_string).collect();
    assert_snapshot!(problems.join("\n"), @r"
    line 5: the row has more cells than the table has columns; a bar within a cell is written `\|`
    line 6: the row has fewer cells than the table has columns
    line 7: the row names no project
    line 8: `a` is registered a second time
    line 12: this table has no column for the initiative
    ");
    let status = |key| WorkspaceEdit::Status { key, status: "off" }.apply(text);
    assert_eq!(status("a"), Err(EditRefused::LongRow { line: 5 }));
    assert!(status("b").unwrap().unwrap().contains("\n| b | /b |  | off |\n"));
    assert_eq!(status("z"), Err(EditRefused::UnknownProject { key: "z".into() }));
}

#[test]
fn an_unfinished_merge_is_read_and_never_changed() {
    let text = "## Projects\n\n| Project | Path | Status |\n|--|--|--|\n<<<<<<< HEAD\n| a | /a | ok |\n=======\n| b | /b | ok |\n>>>>>>> x\n";
    let map = WorkspaceMap::parse(text);
    assert_eq!(map.projects.len(), 2);
    assert_eq!(map.problems, [WorkspaceProblem::Obstacle(Obstacle::Conflict { line: 5 })]);
    assert_eq!(shop().apply(text), Err(EditRefused::Obstacle(Obstacle::Conflict { line: 5 })));
    assert_eq!(WorkspaceMap::from_bytes(b"\xff\n").problems, [WorkspaceProblem::NotUtf8]);
}

#[test]
fn a_project_that_moved_keeps_its_row() {
    let text = after("", &[shop(), WorkspaceEdit::Status { key: "shop", status: "paused" }]);
    let moved = NewProject { key: "shop", path: "/elsewhere/shop", description: None, status: None };
    let moved = after(&text, &[WorkspaceEdit::Register(moved)]);
    assert_eq!(moved, text.replace("/w/shop", "/elsewhere/shop"));
    let same_path = NewProject { key: "other", path: "/w/shop", description: None, status: None };
    assert_eq!(WorkspaceEdit::Register(same_path).apply(&text), Ok(None));
}

#[test]
fn names_that_would_not_read_back_are_refused() {
    for key in ["", " ", "a  b", "a\nb", "a\u{200B}"] {
        let new = NewProject { key, path: "/x", ..NewProject::default() };
        assert!(
            matches!(WorkspaceEdit::Register(new).apply(""), Err(EditRefused::BadName { .. })),
            "{key:?}"
        );
    }
}

#[test]
fn relations_are_read_from_lists() {
    let check = |item: &str, expected: Option<&str>| {
        let text = format!("## Relationships\n- {item}\n");
        let map = WorkspaceMap::parse(&text);
        let found = map
            .relations
            .first()
            .map(|found| format!("{} {} {} {}", found.from, found.kind, found.to, found.note));
        assert_eq!(found.as_deref().map(str::trim_end), expected, "{item}");
    };
    check("`a` depends on `b`", Some("a depends on b"));
    check("**a** → b: fork", Some("a fork of b"));
    check("a -> b (shares the schema)", Some("a related to b shares the schema"));
    check("a is part of b, since 2020", Some("a part of b since 2020"));
    check("the shop depends on the prices", None);
}

#[test]
fn manifests_say_what_they_need() {
    let check = |file: &str, text: &str, expected: &str| {
        let manifest = read_manifest(file, text);
        let needs: Vec<String> = manifest
            .dependencies
            .iter()
            .map(|found| match &found.path {
                Some(path) => format!("{}@{path}", found.name),
                None => found.name.clone(),
            })
            .collect();
        assert_eq!(format!("{}: {}", manifest.name.unwrap_or_default(), needs.join(" ")), expected, "{file}");
    };
    check(
        "Cargo.toml",
        "[package]\nname='shop'\n[dependencies]\nserde='1'\np={package='prices',path='../prices'}\n[target.'cfg(unix)'.dev-dependencies]\nx='1'",
        "shop: prices@../prices serde x",
    );
    check(
        "package.json",
        r#"{"name":"@me/shop","dependencies":{"prices":"file:../prices","react":"^1"},"devDependencies":{"x":1}}"#,
        "@me/shop: prices@../prices react x",
    );
    check(
        "pyproject.toml",
        "[project]\nname='shop'\ndependencies=['prices[all]>=1 ; x','b']\n[tool.uv.sources]\nprices={path='../prices'}",
        "shop: prices b prices@../prices",
    );
    check(
        "go.mod",
        "module example.org/shop\nrequire (\n\texample.org/prices v1 // indirect\n)\nrequire example.org/b v2\nreplace example.org/prices => ../prices\n",
        "example.org/shop: example.org/prices example.org/b example.org/prices@../prices",
    );
    check("requirements.txt", "# no\nprices==1\n-e ./x\n", ": prices");
    check("composer.json", r#"{"require":{"me/prices":"1"}}"#, ": me/prices");
    check("Cargo.toml", "[[[", ": ");
    check("package.json", "[1]", ": ");
}

#[test]
fn a_dependency_on_a_registered_project_is_offered_once() {
    let map = WorkspaceMap::parse(&after("", &[shop(), prices()]));
    let known = |key: &str, names: &[&str]| KnownAs {
        key: key.into(),
        directory: format!("/w/{key}").into(),
        names: names.iter().map(|name| (*name).into()).collect(),
    };
    let others = [known("shop", &["shop"]), known("prices", &["@me/price_list"])];
    let offered = |text: &str, map: &WorkspaceMap| {
        let manifests = [("package.json", read_manifest("package.json", text))];
        let found = suggest("shop", "/w/shop".into(), &manifests, &others, map);
        found.into_iter().map(|offer| offer.to).collect::<Vec<_>>()
    };
    assert_eq!(offered(r#"{"dependencies":{"@me/price-list":"1","shop":"1"}}"#, &map), ["prices"]);
    assert_eq!(offered(r#"{"dependencies":{"x":"file:../prices/pkg"}}"#, &map), ["prices"]);
    assert!(offered(r#"{"dependencies":{"x":"file:../other"}}"#, &map).is_empty());
    let mut related = map;
    related.relations.push(Relation {
        from: "shop".into(),
        kind: RelationKind::DependsOn,
        to: "prices".into(),
        note: String::new(),
    });
    assert!(offered(r#"{"dependencies":{"x":"file:../prices"}}"#, &related).is_empty());
}

fn any_workspace() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("## Projects".to_owned()),
        Just("## Relationships".to_owned()),
        Just("## Quick Reference".to_owned()),
        Just("| Project | Path | Status |".to_owned()),
        Just("|---|---|---|".to_owned()),
        Just("| shop | /w/old | ok |".to_owned()),
        Just("```".to_owned()),
        Just(String::new()),
        "[ -~]{0,20}",
    ];
    let ending = prop_oneof![4 => Just("\n"), 1 => Just("\r\n")];
    prop::collection::vec((line, ending), 0..16)
        .prop_map(|lines| lines.into_iter().map(|(line, ending)| line + ending).collect())
}

proptest! {
    /// Registering changes at most the project's own row and adds lines; all others stay, in their order.
    #[test]
    fn every_other_line_survives_an_edit(text in any_workspace()) {
        // Blank lines alone are not worth a file.
        prop_assume!(!text.trim().is_empty());
        let Ok(Some(changed)) = shop().apply(&text) else { return Ok(()) };
        let lines: Vec<&str> = changed.split_inclusive('\n').collect();
        let mut at = 0;
        let mut lost = Vec::new();
        for line in text.split_inclusive('\n') {
            match lines.iter().skip(at).position(|kept| *kept == line) {
                Some(found) => at += found + 1,
                None => lost.push(line),
            }
        }
        prop_assert!(lost.iter().all(|line| line.contains("shop")), "{lost:?} in {changed}");
        prop_assert!(lost.len() <= 1, "{lost:?}");
        let map = WorkspaceMap::parse(&changed);
        prop_assert_eq!(&map.project("shop").unwrap().path, "/w/shop");
        prop_assert_eq!(shop().apply(&changed).unwrap_or(None), None, "twice: {}", changed);
    }
}
