//! Which memory a link means.

use std::collections::HashMap;

use crate::memory::topic::client_slug;

/// The memories of a directory, as links see them.
#[derive(Debug, Default)]
pub struct LinkTargets {
    names: HashMap<String, Vec<usize>>,
    stems: HashMap<String, Vec<usize>>,
    paths: HashMap<String, Vec<usize>>,
    slugs: HashMap<String, Vec<usize>>,
}

impl LinkTargets {
    /// Takes every memory's name (if it has one) and path; links resolve to positions in this order.
    #[must_use]
    pub fn new<'m>(memories: impl IntoIterator<Item = (Option<&'m str>, &'m str)>) -> Self {
        let mut targets = Self::default();
        for (position, (name, path)) in memories.into_iter().enumerate() {
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                targets.names.entry(name.to_owned()).or_default().push(position);
                targets.slugs.entry(client_slug(name)).or_default().push(position);
            }
            targets.stems.entry(stem(path).to_owned()).or_default().push(position);
            targets.paths.entry(path.to_owned()).or_default().push(position);
        }
        targets
    }

    /// The memories that a target means: by name, then by file stem, then by path, then by the client's slug of it.
    /// More than one: it is ambiguous.
    #[must_use]
    pub fn resolve(&self, target: &str) -> &[usize] {
        let with_extension = format!("{target}.md");
        let slug = client_slug(target);
        [
            self.names.get(target),
            self.stems.get(target),
            self.paths.get(target),
            self.paths.get(&with_extension),
            self.slugs.get(&slug).filter(|_| !slug.is_empty()),
        ]
        .into_iter()
        .flatten()
        .next()
        .map(Vec::as_slice)
        .unwrap_or_default()
    }
}

/// A file's name without directories and without `.md`.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}
