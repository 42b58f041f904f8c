use camino::Utf8Path;

use super::*;
use crate::look::MapLook;
use crate::memory::links::LinkTargets;

fn cited(text: &str) -> String {
    let shown = citations(text)
        .into_iter()
        .map(|found| format!("{} {} {}", found.line, found.cited.kind(), found.cited));
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_can_be_looked_up_is_found() {
    let text = "Money: `src/money.rs:12`, see [[tabs]] and `parse_cents`.\nRun `make check`; docs in docs/money.md.\n\
                `Ledger::add()` since `v1.2`, `main`, https://example.org/a/b.html, `origin/main`, and/or.\n\
                ```\n`src/example.rs`\n```\n`npm run build` `ls -la` `Node.js` `./scripts/test --quick` `Cargo.toml`\n";
    insta::assert_snapshot!(cited(text), @r"
    1 path src/money.rs:12
    1 symbol parse_cents
    1 link [[tabs]]
    2 command make check
    2 path docs/money.md
    3 symbol Ledger::add()
    3 path origin/main
    7 command npm run build
    7 command ./scripts/test --quick
    7 path Cargo.toml
    ");
}

fn verified(text: &str) -> String {
    let look = MapLook::new()
        .file("/p/src/money.rs", "fn parse_cents() {}\n// two\n")
        .file("/p/crates/a/src/lib.rs", "pub struct Ledger;\n")
        .file("/p/Makefile", "check: a\n\techo\n")
        .file("/p/package.json", r#"{"scripts": {"build": "x"}}"#)
        .file("/p/node_modules/x/index.js", "hiddenWord");
    let targets = LinkTargets::new([(Some("tabs"), "tabs.md")]);
    let verifier = Verifier::new(Some(Utf8Path::new("/p")), &look, &targets);
    let shown = verifier.verify(&citations(text)).into_iter().map(|found| {
        let why = found.why.map(|why| format!(" ({why})")).unwrap_or_default();
        format!("{} {}{why}", found.freshness.as_str(), found.citation.cited)
    });
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn paths_and_lines_are_looked_up() {
    insta::assert_snapshot!(
        verified("`src/money.rs:2` `src/money.rs:3` `money.rs` `src/lib.rs` `src/gone.rs` `/p/src/money.rs` `/etc/hosts.conf`"),
        @r"
    fresh src/money.rs:2
    changed src/money.rs:3 (the file ends at line 2)
    fresh money.rs
    fresh src/lib.rs
    gone src/gone.rs (the project has no such file)
    fresh /p/src/money.rs
    "
    );
    insta::assert_snapshot!(verified("`origin/main` `src/other` `tabs.md` `gone.md`"), @r"
    gone src/other (the project has no such file)
    gone gone.md (the project has no such file)
    ");
}

#[test]
fn symbols_commands_and_links_are_looked_up() {
    insta::assert_snapshot!(
        verified("`parse_cents` `money::parse_cents()` `formatCents` `hiddenWord`\n`Ledger::new_one`\n`parse_cents()` in `src/lib.rs`"),
        @r"
    fresh parse_cents
    fresh money::parse_cents()
    gone formatCents (the word is nowhere in the project)
    gone hiddenWord (the word is nowhere in the project)
    gone Ledger::new_one (the word is nowhere in the project)
    changed parse_cents() (it is in another file now)
    fresh src/lib.rs
    "
    );
    insta::assert_snapshot!(
        verified("`make check` `make release` `npm run build` `npm run lint` `just x` [[tabs]] [[spaces]]"),
        @r"
    fresh make check
    gone make release (`release` is not defined any more)
    fresh npm run build
    gone npm run lint (`lint` is not defined any more)
    gone just x (the project has no `justfile`)
    fresh [[tabs]]
    gone [[spaces]] (no memory has that name)
    "
    );
}

#[test]
fn without_a_project_only_links_are_looked_up() {
    let (look, targets) = (MapLook::new(), LinkTargets::default());
    let verifier = Verifier::new(None, &look, &targets);
    assert_eq!(verifier.verify(&citations("`src/a.rs` `make x` `a_b`")), []);
    assert_eq!(verifier.verify(&citations("[[x]]")).len(), 1);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_within_bounds(text in "(?s)(`|\\[\\[|\\]\\]|/|\\.rs|:1|make |#L|\n|.){0,80}") {
        proptest::prop_assert!(citations(&text).len() <= MAX_CITATIONS);
    }
}
