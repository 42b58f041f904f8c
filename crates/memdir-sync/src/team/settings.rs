use memdir_wire::member::Member;
use memdir_wire::team_id::TeamId;
use serde::{Deserialize, Serialize};

/// What a project remembers about its team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamSettings {
    v: u32,
    /// The team.
    pub team: TeamId,
    /// Where its memory is kept.
    pub remote: String,
    /// The branch there.
    pub branch: String,
    /// This machine's own record.
    pub(super) member: Member,
}

impl TeamSettings {
    pub(super) fn new(team: TeamId, remote: &str, branch: &str, member: Member) -> Self {
        Self { v: 1, team, remote: remote.to_owned(), branch: branch.to_owned(), member }
    }

    /// What the others call this machine's user.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.member.name
    }

    pub(super) fn render(&self) -> Vec<u8> {
        serde_json::to_vec_pretty(self).unwrap_or_default()
    }

    pub(super) fn parse(content: &[u8]) -> Option<Self> {
        serde_json::from_slice(content).ok().filter(|settings: &Self| settings.v == 1)
    }
}
