//! Which project a directory belongs to, under which name its memory is, and how to find it again.

pub mod encode_path;
pub mod findings;
pub mod git_root;
pub mod identity;
pub mod registry;
pub mod relocate;
pub mod remote;
pub mod reverse;
