//! `workspace.md`: which projects there are, how they relate, what spans them.
//!
//! The file is the user's: people and agents edit it by hand. So it is read for what it says, in whatever order and
//! with whatever else is in it, and an edit changes the line that it is about.

mod edit;
mod manifest;
mod problem;
mod read;
mod relation;
mod sections;
mod suggest;
#[cfg(test)]
mod tests;

pub use edit::{EditRefused, NewInitiative, NewProject, NewRelation, WorkspaceEdit};
pub use manifest::{Dependency, MANIFESTS, MAX_MANIFEST_BYTES, Manifest, read_manifest};
pub use problem::WorkspaceProblem;
pub use read::{Initiative, Project, WorkspaceMap};
pub use relation::{Relation, RelationKind};
pub use suggest::{KnownAs, Suggestion, suggest};

/// The file's name in the configuration directory.
pub const FILE: &str = "workspace.md";

/// The largest file that is read.
pub const MAX_BYTES: u64 = 4 << 20;

/// The status of a project or an initiative without one.
pub const ACTIVE: &str = "active";
