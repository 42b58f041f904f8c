//! What an operator does to teams, straight in the database: the server may run or not.

use std::io::Write;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use memdir_wire::signing::PublicKey;
use serde::Serialize;

use super::{Database, World};
use crate::limits::DAY;
use crate::random::{random, random_id};
use crate::remove_member::{Removed, removal, remove_member};
use crate::rosters::Rosters;
use crate::store::{self, Event, OPERATOR, Store};
use crate::token::{NO_LABEL, Scope, Token, is_label};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  memdir-server init crew
  memdir-server init crew --address https://memory.example.com")]
pub(super) struct Init {
    /// The team's name in addresses: small letters, digits and hyphens
    team: String,
    /// Where members reach the server
    #[arg(long, default_value = "http://127.0.0.1:8787")]
    address: String,
    /// How many days the first token lasts
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(i64).range(1..=3650))]
    days: i64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: Database,
}

impl Init {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        if !is_team_name(&self.team) {
            bail!("`{}` cannot be a team's name: small letters, digits and hyphens, at most 40", self.team);
        }
        let now = (world.clock)().as_second();
        let token = Token::from_random(&random()?);
        let address = with_token(&self.address, &token, &self.team)?;
        let store = self.database.open_or_make(world).await?;
        let new = new_token(&token, Scope::Admin, "first", now + self.days * DAY);
        let event = by_operator(&self.team, "team made", token.id(), now)?;
        if !store.create_team(&self.team, &new, &event).await? {
            bail!("there is a team `{}` already", self.team);
        }
        if self.json {
            #[derive(Serialize)]
            struct Made {
                v: u32,
                team: String,
                token: String,
                address: String,
            }
            let made = Made { v: 1, team: self.team, token: token.reveal(), address };
            writeln!(world.stdout, "{}", serde_json::to_string(&made)?)?;
            return Ok(());
        }
        writeln!(
            world.stderr,
            "The team `{}` is there. This sets it up, in the project that shares its memory:",
            self.team
        )?;
        writeln!(world.stdout, "memdir team init '{address}'")?;
        writeln!(
            world.stderr,
            "The address opens everything: keep it to yourself. The others come with `memdir team invite`."
        )?;
        Ok(())
    }
}

fn with_token(address: &str, token: &Token, team: &str) -> Result<String> {
    let (scheme, rest) = address
        .split_once("://")
        .filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
        .ok_or_else(|| anyhow!("an address begins with http:// or https://"))?;
    Ok(format!("{scheme}://{}@{}/{team}", token.reveal(), rest.trim_end_matches('/')))
}

fn is_team_name(name: &str) -> bool {
    (1..=40).contains(&name.len())
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        && !name.starts_with('-')
}

#[derive(Debug, Args)]
#[command(
    after_help = "One line a team: its name, how many files and bytes it has, how many bytes its old texts have, how many versions there were.

Examples:
  memdir-server teams --db sqlite:/srv/memdir/team.db"
)]
pub(super) struct Teams {
    #[command(flatten)]
    database: Database,
}

impl Teams {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        let store = self.database.open(world).await?;
        for name in store.teams().await? {
            let Some(team) = store.team(&name).await? else { continue };
            let (files, bytes, old, versions) = (team.files, team.bytes, team.old_bytes, team.sequence);
            writeln!(world.stdout, "{name}\t{files}\t{bytes}\t{old}\t{versions}")?;
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Everything goes: what the team shares, its versions, tokens and audit log. What its members have on their machines stays,
and so does what old backups hold.

Examples:
  memdir-server remove-team crew --yes"
)]
pub(super) struct RemoveTeam {
    /// The team
    team: String,
    /// Really
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    database: Database,
}

impl RemoveTeam {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        let store = self.database.open(world).await?;
        check_team(&store, &self.team).await?;
        if !self.yes {
            bail!("this removes everything that the team `{}` shares: say `--yes`", self.team);
        }
        store.remove_team(&self.team).await?;
        store.storage().finish().await?;
        writeln!(world.stdout, "the team `{}` is gone", self.team)?;
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(super) struct Tokens {
    /// The team
    team: String,
    #[command(flatten)]
    database: Database,
}

impl Tokens {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        let store = self.database.open(world).await?;
        check_team(&store, &self.team).await?;
        let now = (world.clock)().as_second();
        for line in store.tokens(&self.team).await? {
            let member = line.member.map(|key| key.to_string()).unwrap_or_default();
            let state = if line.revoked.is_some() {
                "ended".to_owned()
            } else if line.expires <= now {
                "expired".to_owned()
            } else if line.used_for.is_some() {
                "used".to_owned()
            } else {
                format!("until {}", jiff::Timestamp::from_second(line.expires)?)
            };
            writeln!(
                world.stdout,
                "{}\t{}\t{state}\t{member}\t{}",
                line.id,
                line.scope.as_str(),
                line.label
            )?;
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(super) struct NewToken {
    /// The team
    team: String,
    /// What it may do: read, write or admin
    #[arg(long, default_value = "read")]
    scope: String,
    /// What you call it
    #[arg(long, default_value = "")]
    label: String,
    /// How many days it lasts
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(i64).range(1..=3650))]
    days: i64,
    #[command(flatten)]
    database: Database,
}

impl NewToken {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        let scope = Scope::of_token(&self.scope);
        let scope = scope.ok_or_else(|| anyhow!("a scope is `read`, `write` or `admin`"))?;
        if !is_label(&self.label) {
            bail!(NO_LABEL);
        }
        let store = self.database.open(world).await?;
        check_team(&store, &self.team).await?;
        let now = (world.clock)().as_second();
        let token = Token::from_random(&random()?);
        let new = new_token(&token, scope, &self.label, now + self.days * DAY);
        let event = by_operator(&self.team, "token made", token.id(), now)?;
        if !store.add_token(&self.team, &new, &event).await? {
            bail!("the same number came up twice; try again");
        }
        writeln!(world.stdout, "{}", token.reveal())?;
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(super) struct Revoke {
    /// The team
    team: String,
    /// The id of the token, which `memdir-server tokens` shows
    id: String,
    #[command(flatten)]
    database: Database,
}

impl Revoke {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        let store = self.database.open(world).await?;
        let event = by_operator(&self.team, "token ended", &self.id, (world.clock)().as_second())?;
        if !store.revoke_token(&self.team, &self.id, &event).await? {
            bail!("the team `{}` has no token `{}`", self.team, self.id);
        }
        writeln!(world.stdout, "{} has ended", self.id)?;
        Ok(())
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Their tokens end, and whatever those made, unless it belongs to another member. Texts of theirs that others have replaced are
erased, and so is their name in the list of versions. With `--with-data` the texts that they wrote last are erased, too. The
server can sign nothing, so members whose machines still have those texts send them again, as their own: `memdir team members
--revoke NAME --with-data` by a member has every machine forget them first. What stays is their record (name and public
key), without which what they vouched for could not be checked, and whatever old backups hold.

Examples:
  memdir-server remove-member crew 3f5a90c1…
  memdir-server remove-member crew 3f5a90c1… --with-data"
)]
pub(super) struct RemoveMember {
    /// The team
    team: String,
    /// Their key, which `memdir team members --json` shows in full
    key: String,
    /// Erase what they wrote even if it was not replaced
    #[arg(long)]
    with_data: bool,
    #[command(flatten)]
    database: Database,
}

impl RemoveMember {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        let key = PublicKey::from_hex(&self.key).ok_or_else(|| anyhow!("a key is 64 hexadecimal digits"))?;
        let store = self.database.open(world).await?;
        check_team(&store, &self.team).await?;
        let (short, now) = (key.short(), (world.clock)().as_second());
        let event = by_operator(&self.team, removal(self.with_data), &short, now)?;
        let removed = remove_member(&store, &Rosters::default(), &key, self.with_data, &event).await?;
        let Some(Removed { tokens, memories }) = removed else {
            bail!("no member of the team `{}` has that key", self.team);
        };
        writeln!(world.stdout, "{tokens} tokens ended, {memories} memories erased")?;
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(super) struct Audit {
    /// The team
    team: String,
    /// How many lines
    #[arg(short = 'n', default_value_t = 100)]
    count: usize,
    #[command(flatten)]
    database: Database,
}

impl Audit {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        let store = self.database.open(world).await?;
        check_team(&store, &self.team).await?;
        for (time, actor, event, subject) in store.audit(&self.team, self.count).await? {
            let time = jiff::Timestamp::from_second(time)?;
            writeln!(world.stdout, "{time}\t{actor}\t{event}\t{subject}")?;
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(super) struct Prune {
    /// The team
    team: String,
    /// Forget what was replaced longer ago than this
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(i64).range(0..=36500))]
    days: i64,
    #[command(flatten)]
    database: Database,
}

impl Prune {
    pub(super) async fn run(self, world: &mut World) -> Result<()> {
        let store = self.database.open(world).await?;
        check_team(&store, &self.team).await?;
        let now = (world.clock)().as_second();
        let before = store.team(&self.team).await?.map_or(0, |team| team.old_bytes);
        store.prune(&self.team, now - self.days * DAY).await?;
        store.record(&by_operator(&self.team, "pruned", &format!("{} days", self.days), now)?).await?;
        let after = store.team(&self.team).await?.map_or(0, |team| team.old_bytes);
        let forgotten = before.saturating_sub(after);
        writeln!(world.stdout, "{forgotten} bytes of old texts are forgotten, {after} are left")?;
        Ok(())
    }
}

async fn check_team(store: &Store, team: &str) -> Result<()> {
    match store.team(team).await? {
        Some(_) => Ok(()),
        None => bail!("there is no team `{team}`"),
    }
}

fn new_token(token: &Token, scope: Scope, label: &str, expires: i64) -> store::NewToken {
    store::NewToken {
        id: token.id().to_owned(),
        scope,
        hash: token.hash(),
        label: label.to_owned(),
        member: None,
        made_by: OPERATOR.to_owned(),
        expires,
    }
}

fn by_operator<'e>(team: &'e str, event: &'e str, subject: &'e str, time: i64) -> Result<Event<'e>> {
    Ok(Event { id: random_id()?, time, team, actor: OPERATOR, event, subject })
}
