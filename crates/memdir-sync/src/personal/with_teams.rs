//! Memories that another machine of the user gave to a team: here they are gone until this machine joins it, too.

use memdir_core::env::Env;
use memdir_core::rel_path::RelPath;
use memdir_lib::memory::Memory;
use memdir_lib::team::TEAM_DIR;

use super::{LeftOut, Places};
use crate::membership::Membership;
use crate::team_error::TeamError;

/// Those among the deleted memories that were shared, unless the project has a team here.
pub(super) fn shared_with_teams(
    membership: &Membership,
    env: &Env,
    places: &Places,
    is_asked: impl Fn(&str) -> bool,
) -> Result<Vec<LeftOut>, TeamError> {
    let state = membership.state()?;
    let deleted = state.agreed.iter().filter(|(key, agreed)| agreed.content.is_none() && is_asked(key));
    let (keys, ids): (Vec<&String>, Vec<&str>) =
        deleted.map(|(key, agreed)| (key, agreed.id.as_str())).unzip();
    let mut shared = Vec::new();
    for (key, went_to) in keys.into_iter().zip(membership.went_to(&ids)?) {
        let place = places.memories.iter().find(|(prefix, _)| key.starts_with(prefix.as_str()));
        // A name that it had before begins with that of a place.
        let went_to = went_to.filter(|path| path.starts_with(TEAM_DIR));
        let (Some((prefix, memory)), Some(went_to)) = (place, went_to) else { continue };
        if !is_here(memory, env, &went_to)? {
            let path = memory.directory().join(key.strip_prefix(prefix.as_str()).unwrap_or(key));
            let why = "was shared with a team from another of your machines; \
                       `memdir team invite` there and `memdir team join` in this project bring it here";
            shared.push(LeftOut { path, why: why.to_owned() });
        }
    }
    Ok(shared)
}

/// Whether what a team has is here, or comes with the next sync of the team.
fn is_here(memory: &Memory, env: &Env, path: &str) -> Result<bool, TeamError> {
    let has_team = match memory.known_id() {
        Some(store) => Membership::open(env, &store.0)?.is_some(),
        None => false,
    };
    let Ok(path) = RelPath::parse(path) else { return Ok(true) };
    Ok(has_team || memory.read(&path)?.is_some())
}
