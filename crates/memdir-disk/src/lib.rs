//! The one door to the disk.
//!
//! Confined handles, atomic writes and everything else that touches a file for writing lives here, and nowhere
//! else. Reading for the core's rules goes through [`real_look::RealLook`].

pub mod real_look;
