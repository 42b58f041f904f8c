//! The documentation: generated pages are up to date, links lead somewhere, every page is in the book.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::Sandbox;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn the_page_of_commands_is_the_help() {
    let made = Sandbox::new().run(["help", "markdown"]).stdout;
    let kept = fs::read_to_string(root().join("docs/COMMANDS.md")).unwrap();
    assert!(made == kept, "docs/COMMANDS.md is old: memdir help markdown > docs/COMMANDS.md");
}

/// The anchors of a page's headings, as GitHub and mdBook name them.
fn anchors(page: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(page).unwrap();
    let prose: String = text.split("```").step_by(2).collect();
    let headings = prose.lines().filter_map(|line| line.strip_prefix('#'));
    let anchor = |heading: &str| -> String {
        let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        heading.chars().filter(kept).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let root = root();
    let mut pages: Vec<PathBuf> =
        fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    for name in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md"] {
        pages.push(root.join(name));
    }
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    let mut broken = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        // Code is not a link.
        let prose: String = text.split("```").step_by(2).collect();
        let prose: String = prose.split('`').step_by(2).collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            let is_elsewhere = target.is_empty() || target.contains("://") || target.contains(' ');
            let file = page.parent().unwrap().join(target);
            if !is_elsewhere && !file.exists() {
                broken.push(format!("{}: {link}", page.display()));
            }
            let Some((_, anchor)) = link.split_once('#').filter(|_| !link.contains("://")) else { continue };
            let of = if target.is_empty() { page } else { &file };
            if of.extension().is_some_and(|extension| extension == "md") && !anchors(of).contains(anchor) {
                broken.push(format!("{}: {link}: no such heading", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_page_is_in_the_book() {
    let root = root();
    let summary = fs::read_to_string(root.join("docs/SUMMARY.md")).unwrap();
    for entry in fs::read_dir(root.join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_page = name.ends_with(".md") && name != "SUMMARY.md";
        assert!(!is_page || summary.contains(&format!("({name})")), "{name} is not in docs/SUMMARY.md");
    }
}

#[test]
fn the_readme_is_short() {
    let lines = fs::read_to_string(root().join("README.md")).unwrap().lines().count();
    assert!(lines <= 150, "README.md has {lines} lines");
}
