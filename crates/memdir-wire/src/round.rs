//! How far a remote has come.

use serde::{Deserialize, Serialize};

use crate::member::MAX_RECORD_BYTES;
use crate::signing::{PublicKey, SecretKey, Signature, Statement};
use crate::team_id::TeamId;

/// The count of everything that was ever sent to a remote, signed by the last sender. It takes the place of a clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    v: u32,
    team: TeamId,
    /// How often something was sent.
    pub round: u64,
    /// Deletions up to this round are no longer named one by one.
    pub floor: u64,
    /// Who sent last.
    pub author: PublicKey,
    signature: Signature,
}

impl Round {
    /// Signs a count.
    #[must_use]
    pub fn new(team: &TeamId, round: u64, floor: u64, key: &SecretKey) -> Self {
        let signature = key.sign(&statement(team, round, floor));
        Self { v: 1, team: team.clone(), round, floor, author: key.public(), signature }
    }

    /// Reads the count of this team; `None` if it is none. Whether its author is a member is for the roster.
    #[must_use]
    pub fn parse(bytes: &[u8], team: &TeamId) -> Option<Self> {
        let found: Self = (bytes.len() <= MAX_RECORD_BYTES).then(|| serde_json::from_slice(bytes).ok())??;
        let fits =
            found.v == 1 && found.team == *team && found.floor <= found.round && found.render() == bytes;
        (fits && found.author.verifies(&statement(team, found.round, found.floor), &found.signature))
            .then_some(found)
    }

    /// The record as the remote keeps it.
    #[must_use]
    pub fn render(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

fn statement(team: &TeamId, round: u64, floor: u64) -> Statement {
    Statement::about("round").text(team.as_str()).number(round).number(floor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_refused() {
        let key = SecretKey::from_seed([1; 32]);
        let team = TeamId::founded_by(&key.public(), "n");
        let bytes = Round::new(&team, 12, 3, &key).render();
        assert_eq!(Round::parse(&bytes, &team).map(|found| (found.round, found.floor)), Some((12, 3)));
        for at in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            assert_eq!(Round::parse(&flipped, &team), None, "bit {at}");
        }
    }
}
