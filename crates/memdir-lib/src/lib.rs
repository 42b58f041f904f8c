//! Memory as a library: what the author of an agent uses.
//!
//! ```
//! use jiff::Timestamp;
//! use memdir_core::env::Env;
//! use memdir_core::memory::entrypoint::Profile;
//! use memdir_core::memory::memory_type::MemoryType;
//! use memdir_core::operation::Author;
//! use memdir_core::settings::ClientFlags;
//! use memdir_lib::memory::{Memory, NewMemory};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let home = camino::Utf8PathBuf::from_path_buf(directory.path().canonicalize()?).map_err(|_| "not UTF-8")?;
//! let env = Env { home: Some(home.clone()), cwd: home, vars: Default::default() };
//! let mut memory = Memory::open(&env, &ClientFlags::default())?;
//!
//! let new = NewMemory {
//!     name: "tabs",
//!     description: "wants tabs",
//!     memory_type: &MemoryType::Feedback,
//!     body: "Use tabs, never spaces.",
//!     path: None,
//!     session: None,
//! };
//! let plan = memory.plan_add(&new, Timestamp::UNIX_EPOCH)?;
//! memory.apply(&plan, &Author::person(), Timestamp::UNIX_EPOCH)?;
//!
//! assert_eq!(memory.load(Profile::Current)?.text, "- [tabs](tabs.md) — wants tabs");
//! # Ok(())
//! # }
//! ```

pub mod agents;
pub mod audit;
pub mod dream;
pub mod extract;
pub mod features;
pub mod freshness;
pub mod journal;
pub mod memory;
pub mod memory_tool;
pub mod model;
pub mod phase;
pub mod place;
pub mod projects;
pub mod recall;
pub mod setup;
pub mod sources;
pub mod team;
pub mod turn;
pub mod user;
pub mod work;
pub mod workspace;
