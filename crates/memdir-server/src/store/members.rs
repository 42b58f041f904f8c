//! What is kept about one member, and how it goes.

use std::collections::HashSet;

use memdir_core::content_hash::ContentHash;
use memdir_wire::server_api::{PutFile, version_id};
use memdir_wire::signing::PublicKey;

use super::{Event, Store, Team, TokenLine, recorded};
use crate::storage::{Step, StorageError, Value, Written};

/// A member whose traces go.
#[derive(Debug, Clone, Copy)]
pub struct Leaving<'l> {
    /// The team, as it was when it was looked at.
    pub team: &'l Team,
    /// The member.
    pub member: &'l PublicKey,
    /// What they are called.
    pub name: &'l str,
    /// Tokens that end: theirs, and those that they made.
    pub tokens: &'l [String],
    /// How many the team had when that was found out.
    pub known_tokens: usize,
    /// Whether what they wrote goes even if it was not replaced.
    pub with_data: bool,
}

/// The tokens that end with members: their own, and what those made, unless it belongs to a remaining member.
#[must_use]
pub fn ended_with(
    tokens: &[TokenLine],
    gone: &[PublicKey],
    stays: impl Fn(&PublicKey) -> bool,
) -> Vec<String> {
    let mut ended: HashSet<&str> = HashSet::new();
    loop {
        let known = ended.len();
        for token in tokens {
            let is_theirs = token.member.is_some_and(|key| gone.contains(&key));
            let is_made = token.made_by.as_deref().is_some_and(|maker| ended.contains(maker));
            if is_theirs || is_made && !token.member.is_some_and(|key| stays(&key)) {
                ended.insert(&token.id);
            }
        }
        if ended.len() == known {
            break;
        }
    }
    let lasting = tokens.iter().filter(|token| token.revoked.is_none());
    lasting.filter(|token| ended.contains(token.id.as_str())).map(|token| token.id.clone()).collect()
}

/// The step that goes on only while a team has the expected number of tokens. What comes in meanwhile may have to
/// end, too.
pub(super) fn no_more_tokens(team: &str, known: usize) -> Step {
    Step::exactly_one(
        "UPDATE teams SET name = name WHERE name = $1 AND (SELECT count(*) FROM tokens WHERE team = $1) = $2",
        vec![team.into(), known.into()],
    )
}

/// The step that ends tokens.
pub(super) fn ended(team: &str, tokens: &[String], now: i64) -> Step {
    let run = |id: &String| vec![now.into(), team.into(), id.as_str().into()];
    Step::many(
        "UPDATE tokens SET revoked = $1 WHERE team = $2 AND id = $3 AND revoked IS NULL",
        tokens.iter().map(run).collect(),
    )
}

impl Store {
    /// Ends tokens, forgets what a member wrote that others have replaced since, and takes their name from the list of
    /// versions. With their data, what they wrote last goes, too: in an unsigned version, so a member that has it
    /// still may say it again as their own. Gives back how many memories went; `None` if something else was published
    /// meanwhile, or a member came in.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_member(
        &self,
        leaving: &Leaving<'_>,
        event: &Event<'_>,
    ) -> Result<Option<usize>, StorageError> {
        let team = || Value::from(leaving.team.name.as_str());
        let key = || Value::from(leaving.member.to_string());
        // Who stays, and what there is of theirs, was found out from this version.
        let unmoved = Step::exactly_one(
            "UPDATE teams SET name = name WHERE name = $1 AND sequence = $2",
            vec![team(), leaving.team.sequence.into()],
        );
        let mut steps = vec![unmoved, no_more_tokens(&leaving.team.name, leaving.known_tokens)];
        let erased = if leaving.with_data { self.newest_of_member(leaving).await? } else { Vec::new() };
        if !erased.is_empty() {
            steps.extend(erasing(leaving, &erased, event.time));
        }
        steps.push(ended(&leaving.team.name, leaving.tokens, event.time));
        steps.push(Step::once(
            "UPDATE tokens SET label = '' WHERE team = $1 AND member = $2",
            vec![team(), key()],
        ));
        steps.push(Step::once(
            "DELETE FROM contents WHERE team = $1 AND author = $2 AND replaced IS NOT NULL",
            vec![team(), key()],
        ));
        // Versions of before keys were kept with them go by the name.
        steps.push(Step::once(
            "UPDATE versions SET author = '', subject = '', member = NULL \
             WHERE team = $1 AND (member = $2 OR member IS NULL AND author = $3)",
            vec![team(), key(), leaving.name.into()],
        ));
        // Until parts are published their sender is unknown: every member sends theirs again.
        steps.push(Step::once("DELETE FROM parts WHERE team = $1", vec![team()]));
        steps.push(super::old_contents::counted(&leaving.team.name));
        steps.push(recorded(event));
        Ok(match self.write(steps).await? {
            Written::All => Some(erased.len()),
            Written::Unmet(_) => None,
        })
    }

    /// Forgets a team and everything about it.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_team(&self, team: &str) -> Result<(), StorageError> {
        let mut steps = vec![Step::once("DELETE FROM teams WHERE name = $1", vec![team.into()])];
        steps.extend(BELONGINGS.map(|sql| Step::once(sql, vec![team.into()])));
        self.write(steps).await.map(drop)
    }

    /// The memories whose newest text is a member's: path, content and size.
    async fn newest_of_member(
        &self,
        leaving: &Leaving<'_>,
    ) -> Result<Vec<(String, String, u64)>, StorageError> {
        const SQL: &str = "SELECT file.path, file.content, file.size FROM contents content \
                           JOIN files file ON file.team = content.team AND file.content = content.id \
                           WHERE content.team = $1 AND content.author = $2 \
                           AND file.path >= 'entries/' AND file.path < 'entries0' ORDER BY file.path";
        let values = vec![leaving.team.name.as_str().into(), leaving.member.to_string().into()];
        let rows = self.rows(SQL, values).await?;
        rows.iter().map(|row| Ok((row.text(0)?, row.text(1)?, row.count(2)?))).collect()
    }
}

/// The steps that take memories away in a version of their own.
fn erasing(leaving: &Leaving<'_>, erased: &[(String, String, u64)], now: i64) -> Vec<Step> {
    let known = leaving.team;
    let team = || Value::from(known.name.as_str());
    let sequence = known.sequence + 1;
    let gone = |(path, _, _): &(String, String, u64)| PutFile { path: path.clone(), content: None };
    let gone: Vec<PutFile> = erased.iter().map(gone).collect();
    let head = known.wire_team.as_ref().map(|id| version_id(id, known.head.as_ref(), &gone));
    let head = || Value::from(head.map(|head: ContentHash| head.to_string()));
    let bytes: u64 = erased.iter().map(|(_, _, size)| size).sum();
    vec![
        Step::once(
            "UPDATE teams SET head = $1, sequence = $2, bytes = $3 WHERE name = $4",
            vec![head(), sequence.into(), known.bytes.saturating_sub(bytes).into(), team()],
        ),
        Step::once(
            "INSERT INTO versions (team, sequence, version, author, subject, time) VALUES ($1, $2, $3, '', $4, $5)",
            vec![team(), sequence.into(), head(), "Erase what a former member wrote".into(), now.into()],
        ),
        Step::many(
            "UPDATE files SET folded = NULL, content = NULL, size = 0, sequence = $1, is_deletion = 0 \
             WHERE team = $2 AND path = $3",
            erased.iter().map(|(path, _, _)| vec![sequence.into(), team(), path.as_str().into()]).collect(),
        ),
        Step::many(
            "UPDATE contents SET replaced = $1 WHERE team = $2 AND id = $3",
            erased.iter().map(|(_, id, _)| vec![now.into(), team(), id.as_str().into()]).collect(),
        ),
    ]
}

/// What takes away everything that is a team's.
pub(super) const BELONGINGS: [&str; 6] = [
    "DELETE FROM tokens WHERE team = $1",
    "DELETE FROM audit WHERE team = $1",
    "DELETE FROM versions WHERE team = $1",
    "DELETE FROM files WHERE team = $1",
    "DELETE FROM contents WHERE team = $1",
    "DELETE FROM parts WHERE team = $1",
];

#[cfg(test)]
mod tests {
    use memdir_wire::signing::SecretKey;

    use super::*;
    use crate::token::Scope;

    fn token(id: &str, member: Option<u8>, made_by: &str) -> TokenLine {
        TokenLine {
            id: id.to_owned(),
            scope: Scope::Write,
            label: String::new(),
            member: member.map(key),
            created: 0,
            expires: 1,
            revoked: (id == "ended").then_some(1),
            made_by: Some(made_by.to_owned()),
            used_for: None,
        }
    }

    fn key(number: u8) -> PublicKey {
        SecretKey::from_seed([number; 32]).public()
    }

    #[test]
    fn a_removed_member_takes_their_tokens_along_but_no_remaining_member() {
        let tokens = [
            token("ada", Some(1), "operator"),
            token("invites-bob", None, "ada"),
            token("bob", Some(2), "invites-bob"),
            token("invites-carol", None, "bob"),
            token("carol", Some(3), "invites-carol"),
            token("invites-dan", None, "carol"),
            token("invites-nobody", None, "bob"),
            token("ghost-made-it", None, "ghost"),
            token("ghost", Some(9), "invites-nobody"),
            token("ended", Some(2), "bob"),
            token("mirror", None, "operator"),
        ];
        let stays = |member: &PublicKey| [key(1), key(3)].contains(member);
        assert_eq!(
            ended_with(&tokens, &[key(2)], stays),
            ["bob", "invites-carol", "invites-nobody", "ghost-made-it", "ghost"]
        );
        assert!(ended_with(&tokens, &[], stays).is_empty());
    }
}
