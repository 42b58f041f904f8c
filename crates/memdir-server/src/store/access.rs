//! Teams and tokens.

use memdir_wire::signing::PublicKey;
use memdir_wire::team_id::TeamId;

use super::members::BELONGINGS;
use super::{Caller, Event, KeptToken, NewToken, Store, Team, hash_in, key_in, recorded};
use crate::storage::{Row, Step, StorageError, Value, Written};
use crate::token::Scope;

/// Who does what is done on the server's own machine.
pub const OPERATOR: &str = "operator";

/// A token as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenLine {
    /// The half by which it is found, which is not a secret.
    pub id: String,
    /// What it may do.
    pub scope: Scope,
    /// What people call it.
    pub label: String,
    /// The member whose it is.
    pub member: Option<PublicKey>,
    /// When it was made.
    pub created: i64,
    /// When it ends.
    pub expires: i64,
    /// When it was ended before.
    pub revoked: Option<i64>,
    /// The token that asked for it, or `operator`.
    pub made_by: Option<String>,
    /// The token for which it was exchanged, if it was an invitation.
    pub used_for: Option<String>,
}

/// How many tokens a team may have.
#[derive(Debug, Clone, Copy)]
pub struct MostTokens {
    /// Invitations that wait.
    pub waiting: u64,
    /// All that open something, those included.
    pub in_all: u64,
}

/// What became of a requested token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is valid from now on.
    Yes,
    /// The caller has no access any more.
    No,
    /// As many invitations wait as may.
    TooManyWait,
    /// There are as many as may be.
    TooMany,
}

/// What became of an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redeemed {
    /// The token is valid from now on.
    Yes,
    /// It was used before, or it has ended.
    No,
    /// The key is that of another token.
    Taken,
}

impl Store {
    /// Makes a team and the token of its operator; `false` if the name is taken.
    ///
    /// # Errors
    /// The database fails.
    pub async fn create_team(
        &self,
        name: &str,
        admin: &NewToken,
        event: &Event<'_>,
    ) -> Result<bool, StorageError> {
        let made = Step::exactly_one(
            "INSERT INTO teams (name, sequence, files, bytes, created) VALUES ($1, 0, 0, 0, $2) \
             ON CONFLICT (name) DO NOTHING",
            vec![name.into(), event.time.into()],
        );
        // A copy that was cut off may have left something of a team of that name.
        let left = BELONGINGS.map(|sql| Step::once(sql, vec![name.into()]));
        let mut steps = vec![made];
        steps.extend(left);
        steps.extend([kept(name, admin, event.time), recorded(event)]);
        Ok(self.write(steps).await? == Written::All)
    }

    /// The team of that name.
    ///
    /// # Errors
    /// The database fails.
    pub async fn team(&self, name: &str) -> Result<Option<Team>, StorageError> {
        const SQL: &str = "SELECT team.name, team.wire_team, team.head, team.sequence, team.files, team.bytes, \
                           team.old_bytes, team.forgotten FROM teams team WHERE team.name = $1";
        self.row(SQL, vec![name.into()]).await?.map(|row| team_in(&row, 0)).transpose()
    }

    /// The names of all teams.
    ///
    /// # Errors
    /// The database fails.
    pub async fn teams(&self) -> Result<Vec<String>, StorageError> {
        let rows = self.rows("SELECT name FROM teams ORDER BY name", vec![]).await?;
        rows.iter().map(|row| row.text(0)).collect()
    }

    /// The token with an id, and its team: all that most requests need, in one question.
    ///
    /// # Errors
    /// The database fails.
    pub async fn caller(&self, token: &str) -> Result<Option<Caller>, StorageError> {
        const SQL: &str = "SELECT team.name, team.wire_team, team.head, team.sequence, team.files, team.bytes, team.old_bytes, \
                           team.forgotten, token.id, token.scope, token.hash, token.member, token.expires, token.revoked \
                           FROM tokens token JOIN teams team ON team.name = token.team WHERE token.id = $1";
        let Some(row) = self.row(SQL, vec![token.into()]).await? else { return Ok(None) };
        let token = KeptToken {
            id: row.text(8)?,
            scope: scope_in(&row, 9)?,
            hash: row.bytes(10)?,
            member: key_in(&row, 11)?,
            expires: row.number(12)?,
            revoked: row.optional_number(13)?,
        };
        Ok(Some(Caller { token, team: team_in(&row, 0)? }))
    }

    /// Keeps a token that the operator made; `false` if its id is taken.
    ///
    /// # Errors
    /// The database fails.
    pub async fn add_token(
        &self,
        team: &str,
        token: &NewToken,
        event: &Event<'_>,
    ) -> Result<bool, StorageError> {
        Ok(self.write(vec![kept(team, token, event.time), recorded(event)]).await? == Written::All)
    }

    /// Keeps a token that another one asked for. Where many ask at once, each is counted.
    ///
    /// # Errors
    /// The database fails.
    pub async fn add_token_by(
        &self,
        team: &str,
        token: &NewToken,
        most: &MostTokens,
        event: &Event<'_>,
    ) -> Result<Added, StorageError> {
        // Each of them changes only the caller's own row: others go on meanwhile.
        const WAITING: &str = "UPDATE tokens SET id = id WHERE id = $1 AND (SELECT count(*) FROM tokens other \
                               WHERE other.team = $2 AND other.scope = 'invitation' AND other.revoked IS NULL \
                               AND other.used_for IS NULL AND other.expires > $3) < $4";
        const ALL: &str = "UPDATE tokens SET id = id WHERE id = $1 AND (SELECT count(*) FROM tokens other \
                           WHERE other.team = $2 AND other.revoked IS NULL AND other.used_for IS NULL \
                           AND other.expires > $3) < $4";
        let (maker, now) = (token.made_by.as_str(), event.time);
        let fewer =
            |sql, most: u64| Step::exactly_one(sql, vec![maker.into(), team.into(), now.into(), most.into()]);
        let waiting = match token.scope {
            Scope::Invitation => fewer(WAITING, most.waiting),
            _ => Step::many(WAITING, vec![]),
        };
        let all = fewer(ALL, most.in_all);
        let steps = vec![lasting(maker, now), waiting, all, kept(team, token, now), recorded(event)];
        Ok(match self.write(steps).await? {
            Written::All => Added::Yes,
            Written::Unmet(1) => Added::TooManyWait,
            Written::Unmet(2) => Added::TooMany,
            Written::Unmet(_) => Added::No,
        })
    }

    /// Forgets invitations that were not used in time.
    ///
    /// # Errors
    /// The database fails.
    pub async fn forget_invitations(&self, ended_before: i64) -> Result<(), StorageError> {
        let unused = "DELETE FROM tokens WHERE scope = 'invitation' AND used_for IS NULL AND expires < $1";
        self.write(vec![Step::once(unused, vec![ended_before.into()])]).await.map(drop)
    }

    /// Ends all invitations that wait; gives back how many. Of a copy it is unknown which were used since.
    ///
    /// # Errors
    /// The database fails.
    pub async fn end_invitations(&self, now: i64) -> Result<u64, StorageError> {
        const COUNT: &str = "SELECT count(*) FROM tokens WHERE scope = 'invitation' AND used_for IS NULL \
                             AND revoked IS NULL AND expires > $1";
        const END: &str = "UPDATE tokens SET revoked = $1 WHERE scope = 'invitation' AND used_for IS NULL \
                           AND revoked IS NULL AND expires > $1";
        let count = self.row(COUNT, vec![now.into()]).await?.map_or(Ok(0), |row| row.count(0))?;
        self.write(vec![Step::once(END, vec![now.into()])]).await?;
        Ok(count)
    }

    /// Ends a token; `false` if the team has none of that id.
    ///
    /// # Errors
    /// The database fails.
    pub async fn revoke_token(&self, team: &str, id: &str, event: &Event<'_>) -> Result<bool, StorageError> {
        let ended = Step::exactly_one(
            "UPDATE tokens SET revoked = coalesce(revoked, $1) WHERE team = $2 AND id = $3",
            vec![event.time.into(), team.into(), id.into()],
        );
        Ok(self.write(vec![ended, recorded(event)]).await? == Written::All)
    }

    /// The tokens of a team, oldest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn tokens(&self, team: &str) -> Result<Vec<TokenLine>, StorageError> {
        const SQL: &str = "SELECT id, scope, label, member, created, expires, revoked, made_by, used_for FROM tokens \
                           WHERE team = $1 ORDER BY created, id";
        let rows = self.rows(SQL, vec![team.into()]).await?;
        let line = |row: &Row| {
            Ok(TokenLine {
                id: row.text(0)?,
                scope: scope_in(row, 1)?,
                label: row.text(2)?,
                member: key_in(row, 3)?,
                created: row.number(4)?,
                expires: row.number(5)?,
                revoked: row.optional_number(6)?,
                made_by: row.optional_text(7)?,
                used_for: row.optional_text(8)?,
            })
        };
        rows.iter().map(line).collect()
    }

    /// Exchanges an invitation for a token, if no other one has its key.
    ///
    /// # Errors
    /// The database fails.
    pub async fn redeem(
        &self,
        team: &str,
        invitation: &str,
        token: &NewToken,
        event: &Event<'_>,
    ) -> Result<Redeemed, StorageError> {
        let used = Step::exactly_one(
            "UPDATE tokens SET used_for = $1 WHERE team = $2 AND id = $3 AND used_for IS NULL \
             AND revoked IS NULL AND expires > $4 AND NOT EXISTS (SELECT 1 FROM tokens maker \
             WHERE maker.id = tokens.made_by AND maker.revoked IS NOT NULL)",
            vec![token.id.as_str().into(), team.into(), invitation.into(), event.time.into()],
        );
        let own_key = Step::exactly_one(
            "UPDATE tokens SET id = id WHERE id = $1 \
             AND NOT EXISTS (SELECT 1 FROM tokens other WHERE other.team = $2 AND other.member = $3)",
            vec![invitation.into(), team.into(), token.member.map(|key| key.to_string()).into()],
        );
        let steps = vec![used, own_key, kept(team, token, event.time), recorded(event)];
        Ok(match self.write(steps).await? {
            Written::All => Redeemed::Yes,
            Written::Unmet(1) => Redeemed::Taken,
            Written::Unmet(_) => Redeemed::No,
        })
    }

    /// The hash of a token, if an invitation was used for that one.
    ///
    /// # Errors
    /// The database fails.
    pub async fn redeemed(
        &self,
        team: &str,
        invitation: &str,
        token: &str,
    ) -> Result<Option<Vec<u8>>, StorageError> {
        const SQL: &str = "SELECT made.hash FROM tokens invitation JOIN tokens made ON made.id = invitation.used_for \
                           WHERE invitation.team = $1 AND invitation.id = $2 AND made.id = $3";
        let values: Vec<Value> = vec![team.into(), invitation.into(), token.into()];
        self.row(SQL, values).await?.map(|row| row.bytes(0)).transpose()
    }

    /// What was done to the access to a team, newest first: time, actor, event, subject.
    ///
    /// # Errors
    /// The database fails.
    pub async fn audit(
        &self,
        team: &str,
        count: usize,
    ) -> Result<Vec<(i64, String, String, String)>, StorageError> {
        const SQL: &str = "SELECT time, actor, event, subject FROM audit WHERE team = $1 \
                           ORDER BY time DESC, id LIMIT $2";
        let rows = self.rows(SQL, vec![team.into(), count.into()]).await?;
        rows.iter().map(|row| Ok((row.number(0)?, row.text(1)?, row.text(2)?, row.text(3)?))).collect()
    }

    /// Records something that changes no token.
    ///
    /// # Errors
    /// The database fails.
    pub async fn record(&self, event: &Event<'_>) -> Result<(), StorageError> {
        self.write(vec![recorded(event)]).await.map(drop)
    }
}

/// The step that goes on only while a token lasts.
pub(super) fn lasting(token: &str, now: i64) -> Step {
    Step::exactly_one(
        "UPDATE tokens SET id = id WHERE id = $1 AND revoked IS NULL AND expires > $2",
        vec![token.into(), now.into()],
    )
}

/// The step that keeps a token, if its id is free.
fn kept(team: &str, token: &NewToken, now: i64) -> Step {
    Step::exactly_one(
        "INSERT INTO tokens (id, team, scope, hash, label, member, created, expires, made_by) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING",
        vec![
            token.id.as_str().into(),
            team.into(),
            token.scope.as_str().into(),
            token.hash.clone().into(),
            token.label.as_str().into(),
            token.member.map(|key| key.to_string()).into(),
            now.into(),
            token.expires.into(),
            token.made_by.as_str().into(),
        ],
    )
}

fn team_in(row: &Row, first: usize) -> Result<Team, StorageError> {
    let wire_team = row.optional_text(first + 1)?.and_then(|text| TeamId::parse(&text));
    Ok(Team {
        name: row.text(first)?,
        wire_team,
        head: hash_in(row, first + 2)?,
        sequence: row.count(first + 3)?,
        files: row.count(first + 4)?,
        bytes: row.count(first + 5)?,
        old_bytes: row.count(first + 6)?,
        forgotten: row.count(first + 7)?,
    })
}

fn scope_in(row: &Row, column: usize) -> Result<Scope, StorageError> {
    let text = row.text(column)?;
    Scope::parse(&text).ok_or_else(|| StorageError::Failed(format!("`{text}` is not a scope")))
}
