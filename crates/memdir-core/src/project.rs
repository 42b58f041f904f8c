//! Which project a directory belongs to, and under which name its memory lies.

pub mod encode_path;
pub mod git_root;
