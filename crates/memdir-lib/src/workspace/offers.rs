use camino::Utf8Path;
use memdir_core::look::Look;
use memdir_core::workspace::{
    KnownAs, MANIFESTS, MAX_MANIFEST_BYTES, Manifest, Suggestion, WorkspaceMap, read_manifest, suggest,
};
use memdir_disk::real_look::RealLook;

use super::Workspace;

/// The most projects whose manifests are read to know what they are called.
const MAX_PROJECTS: usize = 200;

impl Workspace {
    /// The registered projects that a project's manifests name, and that the map does not relate to it yet.
    #[must_use]
    pub fn offers(&self, key: &str, root: &Utf8Path, map: &WorkspaceMap) -> Vec<Suggestion> {
        let own = manifests(root);
        if own.iter().all(|(_, manifest)| manifest.dependencies.is_empty()) {
            return Vec::new();
        }
        let others: Vec<KnownAs> = map
            .projects
            .iter()
            .take(MAX_PROJECTS)
            .map(|project| {
                let directory = project.directory(self.home.as_deref());
                let directory = RealLook.real_path(&directory).unwrap_or(directory);
                let names = manifests(&directory).into_iter().filter_map(|(_, manifest)| manifest.name);
                KnownAs { key: project.key.clone(), names: names.collect(), directory }
            })
            .collect();
        suggest(key, root, &own, &others, map)
    }

    /// What a project says that it is, in its manifest.
    #[must_use]
    pub fn description_of(&self, root: &Utf8Path) -> Option<String> {
        manifests(root).into_iter().find_map(|(_, manifest)| manifest.description)
    }
}

/// The manifests of a directory. Without an absolute path there are none.
fn manifests(root: &Utf8Path) -> Vec<(&'static str, Manifest)> {
    if !root.is_absolute() {
        return Vec::new();
    }
    let found = MANIFESTS.into_iter().filter_map(|name| {
        let bytes = RealLook.read(&root.join(name), MAX_MANIFEST_BYTES).ok()?;
        Some((name, read_manifest(name, &String::from_utf8_lossy(&bytes))))
    });
    found.collect()
}
