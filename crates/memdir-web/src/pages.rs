//! The pages, a file each.

pub(crate) mod context;
pub(crate) mod edit;
pub(crate) mod graph;
pub(crate) mod home;
pub(crate) mod journal;
pub(crate) mod memories;
pub(crate) mod memory;
pub(crate) mod overview;
pub(crate) mod review;
pub(crate) mod sessions;
pub(crate) mod team;
pub(crate) mod timeline;
