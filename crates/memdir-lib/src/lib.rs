//! Memory as a library: what the author of an agent uses. This is the one crate to depend on.
//!
//! # In ten minutes
//!
//! ```
//! use memdir_lib::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let home = Utf8PathBuf::from_path_buf(directory.path().canonicalize()?).map_err(|_| "not UTF-8")?;
//! # let env = Env { home: Some(home.clone()), cwd: home, vars: Default::default() };
//! # #[cfg(any())]
//! let env = Env::from_process()?;
//! let mut memory = Memory::open(&env, &ClientFlags::default())?;
//!
//! let new = NewMemory {
//!     name: "tabs",
//!     description: "wants tabs",
//!     memory_type: &MemoryType::Feedback,
//!     body: "Use tabs, never spaces.",
//!     cues: &["format the code".to_owned()],
//!     validity: &Validity::NONE,
//!     path: None,
//!     session: None,
//! };
//! let plan = memory.plan_add(&new, clock())?;
//! memory.apply(&plan, &Author::person(), clock())?;
//!
//! assert_eq!(memory.load(Profile::Current)?.text, "- [tabs](tabs.md) — wants tabs");
//! assert!(prompt_section(&env, clock())?.is_some_and(|section| section.contains("wants tabs")));
//! assert_eq!(recall(&env, "Should I use tabs or spaces in this file?", 500, clock())?.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # What to call when
//!
//! | your agent | call |
//! |---|---|
//! | starts | [`Env::from_process`](process::FromProcess), then [`Memory::open`](memory::Memory::open): finds the directory, creates nothing |
//! | builds its system prompt | [`prompt_section`](embed::prompt_section); for every component, [`TurnSource`](turn::TurnSource) |
//! | starts a custom agent | [`agent_prompt`](embed::agent_prompt), [`injected_tools`](embed::injected_tools), [`snapshots`](embed::snapshots) |
//! | gets a prompt | [`recall`](embed::recall): quoted memories within a budget; builds a missing index itself |
//! | wants to write a file | [`may_write`](embed::may_write): whether the user must be asked |
//! | changes a memory | a plan ([`Memory::plan_add`](memory::Memory::plan_add), …), then [`Memory::apply`](memory::Memory::apply): atomic, recorded, can be undone |
//! | offers the API's memory tool | [`run_memory_tool`](memory_tool::run_memory_tool) |
//! | keeps a daily log | [`daily_log_path`](embed::daily_log_path), [`Memory::add_to_daily_log`](memory::Memory::add_to_daily_log) |
//! | keeps a journal, and goes on after a compaction | [`journal`](embed::journal), [`Journal::recover`](journal::Journal::recover) |
//!
//! Every function takes the environment and the time as values, so that tests need neither a home directory nor a
//! clock. While memory is off, sections are `None` and nothing is recalled. Four short programs in `examples/` show an
//! agent loop, recall, the memory tool and a journal.

pub mod agents;
pub mod audit;
pub mod dream;
pub mod embed;
pub mod extract;
pub mod features;
pub mod freshness;
pub mod journal;
pub mod memory;
pub mod memory_tool;
pub mod model;
pub mod permissions;
pub mod phase;
pub mod place;
pub mod prelude;
pub mod process;
pub mod projects;
pub mod recall;
mod recent_work;
pub mod semantic;
pub mod session_memory;
pub mod sessions;
pub mod setup;
pub mod sources;
pub mod team;
pub mod turn;
pub mod usage;
pub mod user;
pub mod work;
pub mod workspace;
pub mod written_places;
