use std::collections::HashMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use super::WorkspaceMap;
use super::manifest::Manifest;
use super::relation::{RelationKind, same};
use crate::locate::normalise::normalise;

/// A relation that a manifest speaks of and the workspace does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// The project whose manifest it is.
    pub from: String,
    /// The project that it needs.
    pub to: String,
    /// The manifest, by its file's name.
    pub manifest: String,
    /// What the manifest calls the other.
    pub dependency: String,
}

/// What a registered project is called elsewhere, and where it is.
#[derive(Debug, Clone, Default)]
pub struct KnownAs {
    /// Its key in the workspace.
    pub key: String,
    /// Its directory, links resolved.
    pub directory: Utf8PathBuf,
    /// The names that its own manifests give it.
    pub names: Vec<String>,
}

/// The registered projects that a project's manifests name as something that they need.
///
/// A path decides; else the name, as the other's manifest or its key has it.
#[must_use]
pub fn suggest(
    key: &str,
    directory: &Utf8Path,
    manifests: &[(&str, Manifest)],
    others: &[KnownAs],
    map: &WorkspaceMap,
) -> Vec<Suggestion> {
    let others: Vec<&KnownAs> = others.iter().filter(|other| !same(&other.key, key)).collect();
    let mut by_name = HashMap::new();
    for other in &others {
        for name in std::iter::once(&other.key).chain(&other.names) {
            by_name.entry(folded(name)).or_insert(*other);
        }
    }
    let mut found: Vec<Suggestion> = Vec::new();
    for (file, manifest) in manifests {
        for dependency in &manifest.dependencies {
            let other = match &dependency.path {
                Some(path) => {
                    let at = Utf8PathBuf::from(normalise(directory.join(path).as_str()));
                    let holds = |other: &&&KnownAs| {
                        at.starts_with(&other.directory) && !directory.starts_with(&other.directory)
                    };
                    others.iter().find(holds).copied()
                }
                None => by_name.get(&folded(&dependency.name)).copied(),
            };
            let Some(other) = other else { continue };
            let is_known = map.relations.iter().any(|relation| {
                relation.kind == RelationKind::DependsOn
                    && same(&relation.from, key)
                    && same(&relation.to, &other.key)
            });
            if !is_known && !found.iter().any(|known| known.to == other.key) {
                found.push(Suggestion {
                    from: key.to_owned(),
                    to: other.key.clone(),
                    manifest: (*file).to_owned(),
                    dependency: dependency.name.clone(),
                });
            }
        }
    }
    found
}

/// Names that packagers take for the same.
fn folded(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}
