//! The sessions of a project, of whichever agent.

use memdir_core::env::Env;
use memdir_disk::real_look::RealLook;
use memdir_search::transcript::{SessionFile, session_files, sessions_of_others};

use crate::place::Place;

/// The transcripts of a project: those of Claude Code in the project's directory, and those that other agents keep
/// elsewhere.
#[must_use]
pub fn project_sessions(env: &Env, place: &Place) -> Vec<SessionFile> {
    let mut files = session_files(&RealLook, &env.cwd.join(&place.location.project_dir));
    files.extend(sessions_of_others(env, &place.location.root, &RealLook));
    files
}
