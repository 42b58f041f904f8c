//! `memdir search`: the right memory for a few words.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use camino::Utf8PathBuf;
use clap::Parser;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use memdir_lib::semantic::installed_model;
use memdir_lib::sources;
use memdir_search::analyze::Analyzer;
use memdir_search::{
    Freshness, Hit, Limits, NothingAsked, Options, Query, Scope, Searcher, SecondOpinion, Source,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Run;
use crate::arguments::ClientOptions;
use crate::exit::Exit;
use crate::json_lines;
use crate::output::{Paint, human_age, printable, short_path};
use crate::progress::Progress;
use crate::query_warnings::{PLACES, query_warnings};
use crate::world::World;
use memdir_disk::real_path::real_path;

/// Search memories, journal and past sessions
#[derive(Debug, Parser)]
#[command(
    name = "search",
    after_help = "Words may be in any form; a phrase in quotation marks must occur exactly, and
-word must not. type:, project:, in:, since:, until:, before:, on:, path:, branch: and role:
narrow the answer. Times are understood: yesterday, last week, in May, 2026-10.
Past sessions are looked into with --in sessions or --in all.

Examples:
  memdir search retry policy of the billing job
  memdir search 'type:feedback since:2026-10 tests'
  memdir search --in sessions '\"connection reset\" -redis'
  memdir search --dir ~/notes --json -n 5 backup
  memdir search --transcripts ~/.claude/projects/-home-me-app --jsonl < questions.jsonl"
)]
pub(crate) struct Search {
    /// What to look for
    query: Vec<String>,
    /// How many hits
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Where to look: memories, team, agents, logs, journal, instructions, sessions or all; all but sessions by default
    #[arg(long = "in", value_name = "WHERE", value_delimiter = ',')]
    within: Vec<String>,
    /// Search any folder of Markdown instead
    #[arg(long, value_name = "DIR", conflicts_with = "transcripts")]
    dir: Option<Utf8PathBuf>,
    /// Search any folder of session transcripts instead
    #[arg(long, value_name = "DIR")]
    transcripts: Option<Utf8PathBuf>,
    /// Take the index as it is, without a look at what changed
    #[arg(long)]
    no_scan: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "jsonl")]
    json: bool,
    /// Answer one JSON object a line from standard input
    #[arg(long, conflicts_with = "query")]
    jsonl: bool,
    #[command(flatten)]
    client: ClientOptions,
}

/// How long a search without a terminal waits for a first indexing before it answers with what it has.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long an installed model reads what was found.
const MODEL_PATIENCE: Duration = Duration::from_millis(400);

impl Run for Search {
    fn run(self, world: &mut World) -> Result<Exit> {
        let text = self.query.join(" ");
        if text.trim().is_empty() && !self.jsonl {
            bail!("nothing to search for");
        }
        let mut searcher = self.open(world, &text)?;
        let mut partial = searcher.is_partial();
        if !self.no_scan {
            let deadline =
                if self.jsonl || world.terminal.stderr { None } else { Some(Instant::now() + PATIENCE) };
            partial = refresh(&mut searcher, world, deadline)?.waiting > 0;
        }
        if self.jsonl {
            return self.answer_lines(&mut searcher, world);
        }
        let found = self.find(&mut searcher, &text, world.now, true)?;
        let query = searcher.parse(&text, today(world.now));
        let warnings = query_warnings(&query, found.hits.is_empty());
        world.warn_all(&warnings)?;
        if self.json {
            let now = world.now;
            let hits = found.hits.iter().map(|hit| Shown::of(hit, now)).collect();
            let nearest =
                found.hits.is_empty().then(|| found.nearest.iter().map(|hit| Shown::of(hit, now)).collect());
            world.print_json(&SearchAnswer {
                hits,
                nearest,
                partial,
                corrected: &found.corrected,
                warnings,
            })?;
        } else {
            if !found.nearest.is_empty() {
                writeln!(world.stderr, "nothing found; nearest:")?;
            }
            print(&found.hits, world)?;
            print(&found.nearest, world)?;
            for (typed, meant) in &found.corrected {
                writeln!(world.stderr, "No `{}`; looked for `{}`.", printable(typed), printable(meant))?;
            }
        }
        if found.hits.is_empty() && found.nearest.is_empty() && !self.json {
            let why = match found.nothing_asked {
                Some(NothingAsked::CommonWords) => "every word of the query is too common to search for",
                Some(NothingAsked::OnlyExcluded) => "only excluded words: add one to search for",
                Some(NothingAsked::NoWords) => "no word to look for",
                None if self.is_everywhere_but_sessions(&query) => {
                    "nothing found; past sessions were not looked into: add `--in sessions`"
                }
                None => "nothing found",
            };
            writeln!(world.stderr, "{why}")?;
        }
        if partial {
            world.warn("the index is not complete yet: ask again for more")?;
        }
        Ok(if found.hits.is_empty() { Exit::No } else { Exit::Yes })
    }
}

impl Search {
    fn open(&self, world: &World, text: &str) -> Result<Searcher> {
        let env = world.env()?;
        let cache =
            sources::index_folder(&env).context("no place for the search index: set HOME or MEMDIR_HOME")?;
        let real = |folder: &Utf8PathBuf| {
            let absolute = env.cwd.join(folder);
            real_path(&absolute).with_context(|| format!("cannot search `{folder}`"))
        };
        let sources = if let Some(folder) = &self.dir {
            vec![sources::folder(&real(folder)?)]
        } else if let Some(folder) = &self.transcripts {
            vec![Source::transcripts(real(folder)?)]
        } else {
            let query = Query::parse(text, today(world.now), &mut Analyzer::new());
            let scopes = self.scopes(&query)?;
            let flags = self.client.flags();
            let named: Vec<&str> = query.projects().iter().map(String::as_str).collect();
            if named.is_empty() {
                sources::project_sources(&env, &flags, &scopes)?
            } else {
                sources::other_projects(&env, &flags, &scopes, &named)?
            }
        };
        // Many questions at once are answered without a limit of time: a script waits for all of them anyway.
        let patience = (!self.jsonl).then_some(MODEL_PATIENCE);
        let second = installed_model(&env).map(|model| SecondOpinion { model, patience });
        Ok(Searcher::open(&cache, sources).with_usage(sources::usage(&env)).with_second_opinion(second))
    }

    /// Whether no option says where to look.
    fn is_everywhere_but_sessions(&self, query: &Query) -> bool {
        let is_folder = self.dir.is_some() || self.transcripts.is_some();
        !is_folder && self.within.is_empty() && query.scopes().is_empty()
    }

    /// What `--in` and `in:` ask for. Filters of the query narrow it further.
    fn scopes(&self, query: &Query) -> Result<Vec<Scope>> {
        let mut scopes = query.scopes().to_vec();
        for word in &self.within {
            match Scope::named(word) {
                _ if word == "all" => scopes.extend(Scope::ALL),
                Some(scope) => scopes.push(scope),
                None => bail!("unknown search location `{word}`: it is one of {PLACES}"),
            }
        }
        if scopes.is_empty() {
            scopes.extend(sources::WRITTEN_DOWN);
        }
        Ok(scopes)
    }

    fn find(
        &self,
        searcher: &mut Searcher,
        text: &str,
        now: Timestamp,
        snippets: bool,
    ) -> Result<memdir_search::SearchResults> {
        let mut query = searcher.parse(text, today(now));
        if !self.within.is_empty() && self.dir.is_none() && self.transcripts.is_none() {
            query.restrict(&self.scopes(&query)?);
        }
        let options = Options { limit: self.limit, now, snippets };
        if self.no_scan {
            return Ok(searcher.search(&query, &options)?);
        }
        let mut limits = Limits { now, deadline: None, progress: &mut |_, _| {} };
        Ok(searcher.search_repairing(&query, &options, &mut limits)?)
    }

    /// `{qid, query, date?}` a line; hits are turns if transcripts are searched, else files.
    fn answer_lines(&self, searcher: &mut Searcher, world: &mut World) -> Result<Exit> {
        let now = world.now;
        json_lines::answer_each(world, "qid", |question| {
            let text = json_lines::text(question, "query")?;
            let date =
                question.get("date").and_then(Value::as_str).and_then(|date| date.parse::<Date>().ok());
            let now = date
                .and_then(|date| date.to_zoned(TimeZone::UTC).ok())
                .map_or(now, |zoned| zoned.timestamp());
            let found = self.find(searcher, text, now, false)?;
            let name = |hit: &Hit| if hit.uuid.is_empty() { hit.path.to_string() } else { hit.uuid.clone() };
            let ranked: Vec<Value> = found.hits.iter().map(|hit| name(hit).into()).collect();
            Ok(Map::from_iter([("ranked".to_owned(), Value::Array(ranked))]))
        })?;
        Ok(Exit::Yes)
    }
}

fn today(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::system()).date()
}

/// Brings the indexes up to date, with a line on the terminal that says so if it takes long.
fn refresh(searcher: &mut Searcher, world: &mut World, deadline: Option<Instant>) -> Result<Freshness> {
    let mut bar = Progress::new("indexing", world.terminal.stderr, world.stderr.as_mut());
    let mut progress = |done: usize, total: usize| bar.step(done, total);
    let mut limits = Limits { now: world.now, deadline, progress: &mut progress };
    Ok(searcher.refresh(&mut limits)?)
}

#[derive(Serialize)]
struct SearchAnswer<'a> {
    hits: Vec<Shown<'a>>,
    /// Only if nothing was found; empty if nothing is near either.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<Vec<Shown<'a>>>,
    partial: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    corrected: &'a [(String, String)],
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Shown<'a> {
    path: &'a Utf8PathBuf,
    line: u64,
    title: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    score: f32,
    snippet: &'a str,
    age_days: Option<i64>,
    #[serde(rename = "in")]
    scope: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    uuid: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    agent: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    project: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    superseded_by: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    weak: bool,
}

impl<'a> Shown<'a> {
    fn of(hit: &'a Hit, now: Timestamp) -> Self {
        Self {
            path: &hit.path,
            line: hit.line,
            title: &hit.title,
            kind: &hit.kind,
            score: hit.score,
            snippet: &hit.snippet,
            age_days: hit.time.map(|time| (now.as_second() - time.as_second()).max(0) / 86_400),
            scope: hit.scope.as_str(),
            uuid: &hit.uuid,
            agent: &hit.client,
            project: &hit.project,
            superseded_by: &hit.superseded_by,
            share: hit.share,
            weak: hit.is_weak,
        }
    }
}

/// The agent whose sessions need no name.
const CLAUDE_CODE: &str = "claude-code";

fn print(hits: &[Hit], world: &mut World) -> Result<()> {
    let paint = world.paint;
    for hit in hits {
        let age =
            hit.time.map(|time| human_age(world.now.as_second() - time.as_second())).unwrap_or_default();
        let kind = if hit.kind.is_empty() { hit.scope.as_str() } else { &hit.kind };
        let kind = match hit.client.as_str() {
            "" | CLAUDE_CODE => kind.to_owned(),
            agent => format!("{kind} of {agent}"),
        };
        let title = paint.strong(&printable(&hit.title));
        let weak = if hit.is_weak { "  weak" } else { "" };
        let replaced = match hit.superseded_by.as_str() {
            "" => String::new(),
            by => format!("  replaced by {}", printable(by)),
        };
        writeln!(
            world.stdout,
            "{title}  {}  {}{replaced}{weak}",
            paint.code(&printable(&kind)),
            paint.quiet(&age)
        )?;
        writeln!(
            world.stdout,
            "  {}",
            paint.quiet(&format!("{}:{}", short_path(&hit.path, world), hit.line))
        )?;
        if !hit.snippet.is_empty() {
            writeln!(world.stdout, "  {}", highlighted(hit, paint))?;
        }
    }
    Ok(())
}

/// The snippet with the words that were asked for.
fn highlighted(hit: &Hit, paint: Paint) -> String {
    let mut shown = String::new();
    let mut from = 0;
    let part = |range: std::ops::Range<usize>| printable(hit.snippet.get(range).unwrap_or_default());
    for mark in &hit.marks {
        shown.push_str(&part(from..mark.start));
        shown.push_str(&paint.warn(&part(mark.clone())));
        from = mark.end;
    }
    shown.push_str(&part(from..hit.snippet.len()));
    shown
}
