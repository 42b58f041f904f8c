//! Versions: parts, publishing, what came before.

use std::collections::HashSet;

use memdir_core::content_hash::ContentHash;
use memdir_wire::server_api::VersionLine;
use memdir_wire::signing::PublicKey;
use memdir_wire::team_id::TeamId;

use super::access::lasting;
use super::{Event, Store, Team, hash_in, members, recorded};
use crate::check_put::CheckedPut;
use crate::storage::{Step, StorageError, Value, Written};

/// A version that was checked in every way and may become the newest.
#[derive(Debug)]
pub struct NewVersion<'v> {
    /// The team, as it was when everything was checked: only if it still is so does anything happen.
    pub team: &'v Team,
    /// The id that its entries are signed for.
    pub wire_team: &'v TeamId,
    /// The version.
    pub version: ContentHash,
    /// The token that sends it.
    pub token: &'v str,
    /// The member who signed it.
    pub member: PublicKey,
    /// The name of that member.
    pub author: &'v str,
    /// One line that says what it is about.
    pub subject: &'v str,
    /// What it changes.
    pub puts: &'v [CheckedPut],
    /// The contents that are then no file's any more.
    pub replaced: Vec<ContentHash>,
    /// How many bytes those have.
    pub replaced_bytes: u64,
    /// Tokens that end with it, because whose they are is put out, and how many the team had when that was found out.
    pub ended: Option<(Vec<String>, usize)>,
    /// What is to be recorded about that.
    pub event: Option<Event<'v>>,
    /// How many lines there are more then.
    pub more_files: u64,
    /// How many bytes they have then.
    pub bytes: u64,
    /// When.
    pub now: i64,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Publication {
    /// It is the newest version.
    Done,
    /// Another one was faster, or the token has ended.
    Moved,
    /// A member came in: who leaves must be computed again.
    Joined,
}

/// What became of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    /// It waits to be published.
    Yes,
    /// The token has ended.
    Ended,
    /// Too much waits already.
    NoRoom,
}

impl Store {
    /// Keeps a part of a version that will be published, if so many bytes may wait and the token lasts.
    ///
    /// # Errors
    /// The database fails.
    pub async fn add_part(
        &self,
        (team, token): (&str, &str),
        (version, part): (&ContentHash, u32),
        body: Vec<u8>,
        most_bytes: u64,
        now: i64,
    ) -> Result<Waits, StorageError> {
        const ROOM: &str = "UPDATE tokens SET id = id WHERE id = $1 \
                            AND (SELECT coalesce(sum(length(body)), 0) FROM parts WHERE parts.team = $2) <= $3";
        const KEEP: &str = "INSERT INTO parts (team, version, part, body, created) VALUES ($1, $2, $3, $4, $5) \
                           ON CONFLICT (team, version, part) DO UPDATE SET body = excluded.body, created = excluded.created";
        let Some(others) = most_bytes.checked_sub(body.len() as u64) else { return Ok(Waits::NoRoom) };
        let values: Vec<Value> =
            vec![team.into(), version.to_string().into(), i64::from(part).into(), body.into(), now.into()];
        let room = Step::exactly_one(ROOM, vec![token.into(), team.into(), others.into()]);
        Ok(match self.write(vec![lasting(token, now), room, Step::once(KEEP, values)]).await? {
            Written::All => Waits::Yes,
            Written::Unmet(0) => Waits::Ended,
            Written::Unmet(_) => Waits::NoRoom,
        })
    }

    /// Forgets unpublished parts.
    ///
    /// # Errors
    /// The database fails.
    pub async fn drop_parts_before(&self, time: i64) -> Result<(), StorageError> {
        let old = Step::once("DELETE FROM parts WHERE created < $1", vec![time.into()]);
        self.write(vec![old]).await.map(drop)
    }

    /// The numbers of the parts of a version that are here, in order.
    ///
    /// # Errors
    /// The database fails.
    pub async fn parts(&self, team: &str, version: &ContentHash) -> Result<Vec<i64>, StorageError> {
        const SQL: &str = "SELECT part FROM parts WHERE team = $1 AND version = $2 ORDER BY part";
        let rows = self.rows(SQL, vec![team.into(), version.to_string().into()]).await?;
        rows.iter().map(|row| row.number(0)).collect()
    }

    /// Some parts of a version.
    ///
    /// # Errors
    /// The database fails.
    pub async fn bodies_of(
        &self,
        team: &str,
        version: &ContentHash,
        parts: &[i64],
    ) -> Result<Vec<Vec<u8>>, StorageError> {
        const SQL: &str = "SELECT body FROM parts WHERE team = $1 AND version = $2 AND part = $3";
        let run = |part: &i64| vec![team.into(), version.to_string().into(), (*part).into()];
        let found = self.storage.look_up(SQL, parts.iter().map(run).collect()).await?;
        found.iter().flatten().map(|row| row.bytes(0)).collect()
    }

    /// Makes a version the newest, if the one that it was made from still is, and its sender may still speak: a body
    /// may come long after its head.
    ///
    /// # Errors
    /// The database fails; then nothing happened, or it happened and the answer was lost.
    pub async fn publish(&self, new: &NewVersion<'_>) -> Result<Publication, StorageError> {
        let team = || Value::from(new.team.name.as_str());
        let version = || Value::from(new.version.to_string());
        let sequence = new.team.sequence + 1;
        let moved = Step::exactly_one(
            "UPDATE teams SET head = $1, sequence = $2, files = files + $3, bytes = $4, wire_team = $5, \
             old_bytes = old_bytes + $9 WHERE name = $6 AND sequence = $7 AND head IS NOT DISTINCT FROM $8 \
             AND EXISTS (SELECT 1 FROM tokens WHERE id = $10 AND revoked IS NULL AND expires > $11)",
            vec![
                version(),
                sequence.into(),
                new.more_files.into(),
                new.bytes.into(),
                new.wire_team.as_str().into(),
                team(),
                new.team.sequence.into(),
                new.team.head.map(|head| head.to_string()).into(),
                new.replaced_bytes.into(),
                new.token.into(),
                new.now.into(),
            ],
        );
        let remembered = Step::once(
            "INSERT INTO versions (team, sequence, version, author, subject, time, member) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            vec![
                team(),
                sequence.into(),
                version(),
                new.author.into(),
                new.subject.into(),
                new.now.into(),
                new.member.to_string().into(),
            ],
        );
        let replaced = new.replaced.iter().map(|id| vec![new.now.into(), team(), id.to_string().into()]);
        let replaced =
            Step::many("UPDATE contents SET replaced = $1 WHERE team = $2 AND id = $3", replaced.collect());
        let mut kept = HashSet::new();
        let content = |put: &CheckedPut| {
            let content = put.content.as_ref()?;
            let author = put.author().map(|key| key.to_string()).unwrap_or_default();
            let id = ContentHash::of(content.as_bytes());
            let values =
                || vec![team(), id.to_string().into(), author.into(), content.clone().into_bytes().into()];
            kept.insert(id).then(values)
        };
        let contents = Step::many(
            "INSERT INTO contents (team, id, author, content) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (team, id) DO UPDATE SET replaced = NULL",
            new.puts.iter().filter_map(content).collect(),
        );
        // A name becomes free before another one that differs in capitals only takes its place.
        let mut puts: Vec<&CheckedPut> = new.puts.iter().collect();
        puts.sort_by_key(|put| put.folded().is_some());
        let file = |put: &&CheckedPut| {
            vec![
                team(),
                put.path.as_str().into(),
                put.folded().into(),
                put.content.as_ref().map(|content| ContentHash::of(content.as_bytes()).to_string()).into(),
                put.size().into(),
                sequence.into(),
                put.entry_version().into(),
                put.entry_round().into(),
                put.is_deletion().into(),
                new.member.to_string().into(),
            ]
        };
        let files = Step::many(
            "INSERT INTO files (team, path, folded, content, size, sequence, entry_version, entry_round, is_deletion, put_by) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (team, path) DO UPDATE SET \
             folded = excluded.folded, content = excluded.content, size = excluded.size, \
             sequence = excluded.sequence, entry_version = excluded.entry_version, \
             entry_round = excluded.entry_round, is_deletion = excluded.is_deletion, \
             put_by = excluded.put_by",
            puts.iter().map(file).collect(),
        );
        // Whatever else was made from the version before can never be published any more.
        let parts = Step::once("DELETE FROM parts WHERE team = $1", vec![team()]);
        let whose = Step::once(
            "UPDATE tokens SET member = $1 WHERE id = $2 AND member IS NULL",
            vec![new.member.to_string().into(), new.token.into()],
        );
        let mut steps = vec![moved];
        if let Some((tokens, known)) = &new.ended {
            steps.push(members::no_more_tokens(&new.team.name, *known));
            steps.push(members::ended(&new.team.name, tokens, new.now));
        }
        steps.extend([remembered, replaced, contents, files, parts, whose]);
        steps.extend(new.event.as_ref().map(recorded));
        Ok(match self.write(steps).await? {
            Written::All => Publication::Done,
            Written::Unmet(0) => Publication::Moved,
            Written::Unmet(_) => Publication::Joined,
        })
    }

    /// The number of a version; `None` if it never was the newest.
    ///
    /// # Errors
    /// The database fails.
    pub async fn sequence_of(&self, team: &str, version: &ContentHash) -> Result<Option<u64>, StorageError> {
        Ok(self.newest_of(team, &[*version]).await?.map(|(_, sequence)| sequence))
    }

    /// The newest of some versions, as far as they ever were the newest of all.
    ///
    /// # Errors
    /// The database fails.
    pub async fn newest_of(
        &self,
        team: &str,
        versions: &[ContentHash],
    ) -> Result<Option<(ContentHash, u64)>, StorageError> {
        const SQL: &str = "SELECT version, sequence FROM versions WHERE team = $1 AND version = $2";
        let runs = versions.iter().map(|version| vec![team.into(), version.to_string().into()]).collect();
        let rows = self.storage.look_up(SQL, runs).await?;
        let mut newest = None;
        for row in rows.iter().flatten() {
            let (Some(version), sequence) = (hash_in(row, 0)?, row.count(1)?) else { continue };
            if newest.is_none_or(|(_, known)| sequence > known) {
                newest = Some((version, sequence));
            }
        }
        Ok(newest)
    }

    /// The newest versions, newest first.
    ///
    /// # Errors
    /// The database fails.
    pub async fn versions(&self, team: &str, count: usize) -> Result<Vec<VersionLine>, StorageError> {
        const SQL: &str = "SELECT version, sequence, time, author, subject FROM versions WHERE team = $1 \
                           ORDER BY sequence DESC LIMIT $2";
        let mut lines = Vec::new();
        for row in self.rows(SQL, vec![team.into(), count.into()]).await? {
            let Some(version) = hash_in(&row, 0)? else { continue };
            let (sequence, time) = (row.count(1)?, row.number(2)?);
            lines.push(VersionLine { version, sequence, time, author: row.text(3)?, subject: row.text(4)? });
        }
        Ok(lines)
    }
}
