//! Where a command works: the memory of the project in which it was started.

use anyhow::Result;
use memdir_core::locate::{Location, locate};
use memdir_disk::real_look::RealLook;
use memdir_lib::projects::{Here, LookUp, Projects};

use crate::arguments::ClientOptions;
use crate::report::WithHint;
use crate::world::World;

/// The memory of this project, and what our registry knows about it at little cost.
pub(crate) struct Found {
    pub(crate) location: Location,
    pub(crate) here: Here,
    pub(crate) look_up: LookUp,
}
