//! The one door to the disk.
//!
//! Confined handles, atomic writes and everything else that touches a file for writing lives here, and nowhere
//! else. Reading for the core's rules goes through [`real_look::RealLook`]; memory directories are reached through
//! [`memory_root::MemoryRoot`] alone.

pub mod access_token;
pub mod allow_list;
mod append;
pub mod apply;
pub mod browse;
pub mod cache_dir;
pub mod check_path;
pub mod claim;
pub mod consolidate_lock;
mod derived;
pub mod disk_error;
pub mod dream_state;
pub mod extraction_state;
pub mod failure_log;
pub mod file_table;
pub mod forget;
pub mod git_query;
pub mod history;
pub mod hook_seen;
pub mod identity_probe;
pub mod inventory;
pub mod kept_before;
pub mod list_files;
pub mod memory_root;
pub mod model_ledger;
pub mod notice;
pub mod own_file;
pub mod pauses;
mod place;
pub mod platform;
mod process_mark;
pub mod program_file;
pub mod project_dirs;
pub mod random;
pub mod real_look;
pub mod real_path;
pub mod recorded_session;
pub mod registry;
pub mod relocate;
pub mod remove_state;
pub mod rolling_log;
pub mod scratchpad;
pub mod sentence_model;
pub mod settings_file;
pub mod settings_link;
pub mod setup_dir;
pub mod staged;
mod state_file;
pub mod store_lock;
mod swap_file;
pub mod sync_dir;
pub mod temporary;
pub mod throwaway_dir;
pub mod untold;
pub mod watch;
pub mod work_lease;
