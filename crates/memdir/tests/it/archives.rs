//! Export and import: archives byte for byte, hostile ones refused, a vault, and decisions from git.

use std::collections::BTreeMap;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_testkit::Git;
use serde_json::{Value, json};

use crate::harness::Sandbox;

fn add(sandbox: &Sandbox, name: &str, text: &str, more: &[&str]) {
    let line = ["add", "-t", "project", "-n", name, "-d", &format!("about {name}"), "--text", text];
    let added = sandbox.run(line.iter().chain(more).copied());
    assert_eq!(added.code, 0, "{}", added.stderr);
}

/// All Markdown files below a directory with their bytes.
fn tree(directory: &Utf8Path) -> BTreeMap<Utf8PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
            let path = entry.path().to_owned();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension() == Some("md") {
                files.insert(path.strip_prefix(directory).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn memory_of(sandbox: &Sandbox) -> Utf8PathBuf {
    sandbox.run(["path"]).stdout.trim_end().into()
}

#[test]
fn an_archive_is_taken_over_byte_for_byte_in_both_formats() {
    let source = Sandbox::new();
    add(&source, "tabs", "Use tabs.\r\nAlways.", &[]);
    add(&source, "deploy", "On Tuesdays, see [[tabs]].", &["--path", "topics/deploy.md"]);
    add(&source, "secret-proxy", "Only here.", &["--scope", "machine"]);
    source.run(["user", "update", "preferences", "--text", "likes tests"]);
    source.run(["journal", "start"]);
    source.run(["journal", "task", "port the parser"]);
    let memory = memory_of(&source);
    let journal = |sandbox: &Sandbox| {
        let projects = tree(&sandbox.home.home().join(".claude/projects")).into_iter();
        let below: BTreeMap<String, Vec<u8>> = projects
            .filter(|(path, _)| !path.as_str().contains("/memory/"))
            .map(|(path, content)| (path.as_str().split_once('/').unwrap().1.to_owned(), content))
            .collect();
        below
    };
    for name in ["memory.tar.zst", "memory.zip"] {
        let exported = source.run(["export", name, "--json"]);
        assert_eq!(exported.code, 0, "{}", exported.stderr);
        let again = source.run(["export", name]);
        assert_eq!(again.code, 2, "an export replaces nothing");
        let bytes = fs::read(source.cwd.join(name)).unwrap();

        let target = Sandbox::new();
        fs::write(target.cwd.join(name), &bytes).unwrap();
        let dry = target.run(["import", name, "--dry-run"]);
        assert!(dry.stdout.contains("would add") && tree(&memory_of(&target)).is_empty(), "{}", dry.stderr);
        let imported = target.run(["import", name, "--json"]);
        assert_eq!(imported.code, 0, "{}", imported.stderr);
        let imported: Value = serde_json::from_str(&imported.stdout).unwrap();
        assert!(imported["op"].is_string() && imported["paths"].as_array().unwrap().len() > 3, "{imported}");
        assert_eq!(tree(&memory_of(&target)), tree(&memory), "{name}");
        let profile = |sandbox: &Sandbox| tree(&sandbox.home.home().join(".claude/user"));
        assert_eq!(profile(&target), profile(&source), "{name}");
        assert_eq!(journal(&target), journal(&source), "{name}");
        assert!(target.run(["journal", "status", "--json"]).stdout.contains("\"active\":true"));
        assert!(!target.home.home().join(".local/share/memdir/machine-memory").exists());
        let twice = target.run(["import", name]);
        assert_eq!(twice.stdout, "Nothing to add: all of it is here.\n");
        assert_eq!(target.run(["show", "tabs"]).code, 0);
    }
}

#[test]
fn an_import_keeps_what_is_here_and_can_be_undone() {
    let source = Sandbox::new();
    add(&source, "tabs", "Use tabs.", &[]);
    add(&source, "quotes", "Use single quotes.", &[]);
    source.run(["export", "a.zip"]);
    let target = Sandbox::new();
    add(&target, "tabs", "Use spaces.", &[]);
    fs::copy(source.cwd.join("a.zip"), target.cwd.join("a.zip")).unwrap();
    let memory = memory_of(&target);
    let before = tree(&memory);
    let imported = target.run(["import", "a.zip"]);
    assert!(
        imported.stderr.contains("`tabs.md` is here with another text, and stays"),
        "{}",
        imported.stderr
    );
    let after = tree(&memory);
    assert_eq!(after[Utf8Path::new("tabs.md")], before[Utf8Path::new("tabs.md")]);
    let index = String::from_utf8(after[Utf8Path::new("MEMORY.md")].clone()).unwrap();
    assert!(index.contains("tabs.md") && index.contains("quotes.md"), "{index}");
    assert_eq!(target.run(["undo"]).code, 0);
    assert_eq!(tree(&memory), before);
}

#[test]
fn every_project_is_exported_with_all() {
    let mut source = Sandbox::new();
    add(&source, "one", "First.", &[]);
    add(&source, "english", "In English.", &["--scope", "user"]);
    let first = source.cwd.clone();
    source.cwd = source.home.home().join("other");
    fs::create_dir_all(&source.cwd).unwrap();
    add(&source, "two", "Second.", &[]);
    assert_eq!(source.run(["export", "--all", "all.tar.zst"]).code, 0);
    let projects = tree(&source.home.home().join(".claude/projects"));
    for project in projects.keys() {
        fs::remove_file(source.home.home().join(".claude/projects").join(project)).unwrap();
    }
    let user = tree(&source.home.home().join(".claude/memory"));
    fs::remove_dir_all(source.home.home().join(".claude/memory")).unwrap();
    let refused = source.run(["import", "all.tar.zst"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("hint: `--all` takes it over"), "{}", refused.stderr);
    assert!(tree(&source.home.home().join(".claude/projects")).is_empty());
    assert_eq!(source.run(["import", "--all", "all.tar.zst"]).code, 0);
    assert_eq!(tree(&source.home.home().join(".claude/projects")), projects);
    assert_eq!(tree(&source.home.home().join(".claude/memory")), user);
    source.cwd = first;
    assert!(source.run(["show", "one"]).stdout.contains("First."));
}

#[test]
fn a_hostile_archive_changes_nothing() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.", &[]);
    sandbox.run(["export", "good.zip"]);
    let good = fs::read(sandbox.cwd.join("good.zip")).unwrap();
    let before = tree(&sandbox.home.home());
    let refused = |name: &str, bytes: &[u8]| {
        fs::write(sandbox.cwd.join(name), bytes).unwrap();
        let imported = sandbox.run(["import", name]);
        assert_eq!(imported.code, 2, "{name}: {}", imported.stdout);
        assert_eq!(tree(&sandbox.home.home()), before, "{name}");
    };
    refused("empty.zip", b"");
    refused("text.tar.zst", b"not an archive");
    refused("cut.zip", &good[..good.len() / 2]);
    // Another text under the same hash: the names in a zip are stored as they are.
    let renamed = |from: &[u8], to: &[u8]| {
        let mut bytes = good.clone();
        for at in 0..bytes.len() - from.len() {
            if bytes[at..].starts_with(from) {
                bytes[at..at + from.len()].copy_from_slice(to);
            }
        }
        bytes
    };
    refused("outside.zip", &renamed(b"memory/tabs.md", b"../../../ab.md"));
    refused("unlisted.zip", &renamed(b"memory/tabs.md", b"memory/tibs.md"));
    refused("elsewhere.zip", &renamed(b"memory/tabs.md", b"memoxy/tabs.md"));
    refused("no-list.zip", &renamed(b"manifest.json", b"memory/abc.md"));
}

#[test]
fn a_folder_opens_as_an_obsidian_vault() {
    let sandbox = Sandbox::new();
    add(&sandbox, "use tabs", "Always.", &[]);
    add(&sandbox, "deploy", "See [[use tabs]].", &[]);
    assert_eq!(sandbox.run(["export", "vault"]).code, 0);
    let vault = tree(&sandbox.cwd.join("vault"));
    let text = |name: &str| String::from_utf8(vault[Utf8Path::new(name)].clone()).unwrap();
    let deploy = text("deploy.md");
    assert!(deploy.contains("\ntype: project\n") && !deploy.contains("metadata:"), "{deploy}");
    assert!(vault.contains_key(Utf8Path::new("MEMORY.md")));
    assert_eq!(sandbox.run(["export", "vault"]).code, 2);
}

#[test]
fn decisions_in_commits_wait_for_review_with_their_commit() {
    let sandbox = Sandbox::new();
    Git::init(&sandbox.cwd, "first");
    let message =
        "Use SQLite for the queue\n\nA broker was one more thing to run, so that a file is enough.\n";
    Git::run(&sandbox.cwd, &["commit", "-q", "--allow-empty", "-m", message]);
    Git::run(&sandbox.cwd, &["commit", "-q", "--allow-empty", "-m", "Fix a typo"]);
    Git::run(&sandbox.cwd, &["commit", "-q", "--allow-empty", "-m", "feat!: drop the old API"]);
    let hash = Git::run(&sandbox.cwd, &["rev-parse", "--short=12", "HEAD~2"]);
    let dry = sandbox.run(["import", "git", "--dry-run", "--json"]);
    let dry: Value = serde_json::from_str(&dry.stdout).unwrap();
    assert_eq!((dry["memories"].as_array().unwrap().len(), &dry["staged"]), (2, &json!([])), "{dry}");
    assert_eq!(sandbox.run(["review"]).code, 1);
    let imported = sandbox.run(["import", "git"]);
    assert!(imported.stdout.contains("2 wait for `memdir review`, 0 known already."), "{}", imported.stdout);
    assert!(sandbox.run(["import", "git"]).stdout.contains("0 wait for `memdir review`, 2 known already."));
    let accepted = sandbox.run(["review", "accept", "--all"]);
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
    let texts: Vec<String> =
        tree(&memory_of(&sandbox)).into_values().map(|content| String::from_utf8(content).unwrap()).collect();
    let cited = format!("From commit `{}` of 2026-01-01.", hash.trim());
    assert!(texts.iter().any(|text| text.contains(&cited) && text.contains("one more thing")), "{texts:?}");
    assert!(sandbox.run(["import", "git"]).stdout.contains("0 wait for `memdir review`, 2 known already."));
    assert_eq!(sandbox.run(["import", "git", "--since", "2027-01-01", "--json"]).code, 0);
    assert_eq!(sandbox.run(["import", "nothing"]).code, 2);
    assert_eq!(Sandbox::new().run(["import", "git"]).code, 2, "no repository");
}

/// An archive in a list of files whose hashes are right.
fn pack(sandbox: &Sandbox, name: &str, files: &[(&str, &[u8])]) {
    let listed = files.iter().map(|(name, content)| {
        let hash = memdir_core::content_hash::ContentHash::of(content).to_string();
        ((*name).to_owned(), json!({"bytes": content.len(), "blake3": hash}))
    });
    let manifest = json!({"v": 1, "files": listed.collect::<serde_json::Map<_, _>>()}).to_string();
    let mut zip = zip::ZipWriter::new(fs::File::create(sandbox.cwd.join(name)).unwrap());
    for (name, content) in files.iter().copied().chain([("manifest.json", manifest.as_bytes())]) {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut zip, content).unwrap();
    }
    zip.finish().unwrap();
}

#[test]
fn an_archive_is_checked_as_a_whole_before_any_of_it_is_written() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.", &[]);
    let before = tree(&sandbox.home.home());
    let long = format!("projects/{}/a.md", "x".repeat(300));
    let large = vec![b'a'; (16 << 20) + 1];
    let cases: [(&str, &[u8], &[&str]); 5] = [
        ("profile/large.md", &large, &[]),
        (&long, b"a", &["--all"]),
        ("projects/-other/a.md", b"a", &[]),
        ("user-memory/a.md", b"a", &[]),
        ("zzz/a.md", b"a", &["--all"]),
    ];
    for (bad, content, more) in cases {
        pack(&sandbox, "a.zip", &[("memory/good.md", b"Good."), (bad, content)]);
        let imported = sandbox.run(["import", "a.zip"].iter().chain(more));
        assert_eq!(imported.code, 2, "{bad}: {}", imported.stdout);
        assert_eq!(tree(&sandbox.home.home()), before, "{bad}");
    }
}

#[test]
fn an_archive_brings_no_team_memory_and_no_lines_for_what_is_archived() {
    let sandbox = Sandbox::new();
    add(&sandbox, "tabs", "Use tabs.", &[]);
    pack(&sandbox, "a.zip", &[("memory/team/plan.md", b"Forged."), ("memory/archive/old.md", b"Old.")]);
    let imported = sandbox.run(["import", "a.zip"]);
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    assert!(imported.stderr.contains("`memory/team/plan.md` belongs to a team"), "{}", imported.stderr);
    let after = tree(&memory_of(&sandbox));
    assert!(
        after.contains_key(Utf8Path::new("archive/old.md"))
            && !after.contains_key(Utf8Path::new("team/plan.md"))
    );
    let index = String::from_utf8(after[Utf8Path::new("MEMORY.md")].clone()).unwrap();
    assert!(index.contains("tabs.md") && !index.contains("old.md"), "{index}");
}

#[test]
fn a_history_travels_only_if_asked_and_consent_never_does() {
    let source = Sandbox::new();
    add(&source, "tabs", "Use tabs.", &[]);
    source.run(["set", "tabs", "description", "indentation"]);
    source.run(["export", "plain.zip"]);
    assert_eq!(source.run(["export", "--history", "full.tar.zst"]).code, 0);
    assert_eq!(source.run(["export", "--history", "folder"]).code, 2);
    let log = |sandbox: &Sandbox| {
        let log: Value = serde_json::from_str(&sandbox.run(["log", "--json"]).stdout).unwrap();
        let items = log["items"].as_array().unwrap().iter();
        items.map(|item| item["reason"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let target = Sandbox::new();
    fs::copy(source.cwd.join("full.tar.zst"), target.cwd.join("full.tar.zst")).unwrap();
    let imported = target.run(["import", "full.tar.zst"]);
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    assert_eq!(tree(&memory_of(&target)), tree(&memory_of(&source)));
    assert_eq!(log(&target), ["import an archive", "set description of tabs.md", "add tabs.md"]);
    let first = target.run(["log", "tabs", "--json"]).stdout;
    let first: Value = serde_json::from_str(&first).unwrap();
    let oldest = first["items"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    let shown = target.run(["show", "tabs", "--at", &oldest]);
    assert!(shown.stdout.contains("about tabs"), "{} {}", shown.stdout, shown.stderr);
    assert_eq!(target.run(["work"]).code, 0);
    assert_eq!(log(&target).len(), 3, "nothing looks like a change by others");

    let other = Sandbox::new();
    add(&other, "own", "Own.", &[]);
    fs::copy(source.cwd.join("full.tar.zst"), other.cwd.join("full.tar.zst")).unwrap();
    let imported = other.run(["import", "full.tar.zst"]);
    assert!(imported.stderr.contains("the history of `memory/` stays out"), "{}", imported.stderr);
    assert_eq!(log(&other), ["import an archive", "add own.md"]);
}
