//! The pages: which rows each has, and what a row says in full.

use anyhow::{Result, bail};
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::topic::{Topic, decode};
use memdir_core::operation::{Author, AuthorKind, Operation};
use memdir_core::rel_path::RelPath;
use memdir_core::review::StagedPlan;
use memdir_disk::real_look::RealLook;
use memdir_lib::memory::{Entry, Log};
use memdir_lib::sources;
use memdir_search::transcript::session_files;
use memdir_search::{SessionChoice, SessionSummary, choose_session, list_sessions};

use super::super::diff::changes_of;
use super::super::plan_diff;
use super::pane::Row;
use super::shelf::Shelf;
use super::text::{Line, Tone, diff, markdown};
use crate::output::{human_bytes, printable};
use crate::world::World;

/// What is on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Page {
    Memories,
    Timeline,
    Review,
    Sessions,
    /// The operations on one memory.
    History(RelPath),
}

impl Page {
    pub(super) const TABS: [(Self, &'static str); 4] = [
        (Self::Memories, "Memories"),
        (Self::Timeline, "Timeline"),
        (Self::Review, "Review"),
        (Self::Sessions, "Sessions"),
    ];

    /// What to say where there is nothing.
    pub(super) fn empty(&self, is_searched: bool) -> &'static str {
        match self {
            _ if is_searched => "Nothing matches.",
            Self::Memories => "No memories yet. Agents write them while they work; `memdir add` writes one.",
            Self::Timeline | Self::History(_) => "No change is recorded yet.",
            Self::Review => {
                "Nothing waits. With `memdir config set writes review`, changes of agents wait here."
            }
            Self::Sessions => "No sessions yet.",
        }
    }

    pub(super) fn rows(&self, query: &str, shelf: &mut Shelf, world: &World) -> Result<Vec<Row>> {
        match self {
            Self::Memories if query.trim().is_empty() => {
                Ok(shelf.catalogue.entries.iter().map(|entry| memory_row(entry, world)).collect())
            }
            Self::Memories => found_memories(query, shelf, world),
            Self::Timeline => {
                let log = shelf.log(world)?;
                let mentions = |operation: &Operation| {
                    let words = query.to_lowercase();
                    operation.reason.to_lowercase().contains(&words)
                        || operation.changes.iter().any(|change| change.path.as_str().contains(&words))
                };
                Ok(operation_rows(log.operations.iter().filter(|each| mentions(each)), &log, world))
            }
            Self::History(path) => {
                let (path, log) = shelf.memory().log_about(path.as_str())?;
                Ok(operation_rows(shelf.memory().log_of(&path, &log).into_iter(), &log, world))
            }
            Self::Review => {
                let plans = shelf.memory().waiting()?.plans;
                Ok(plans.iter().map(|staged| staged_row(staged, world)).collect())
            }
            Self::Sessions if query.trim().is_empty() => {
                let mut sessions = list_sessions(&RealLook, &shelf.project_dir);
                sessions.sort_by(|one, other| {
                    other.modified.cmp(&one.modified).then_with(|| one.id.cmp(&other.id))
                });
                Ok(sessions.iter().map(|session| session_row(session, world)).collect())
            }
            Self::Sessions => found_sessions(query, shelf, world),
        }
    }

    /// What a row says in full.
    pub(super) fn text(&self, row: &Row, shelf: &Shelf, world: &World) -> Result<Vec<Line>> {
        match self {
            Self::Memories => memory_text(row, shelf, world),
            Self::Timeline | Self::History(_) => {
                let log = match self {
                    Self::History(path) => shelf.memory().log_about(path.as_str())?.1,
                    _ => shelf.memory().log(super::shelf::LISTED)?,
                };
                let only = if let Self::History(path) = self { Some(path) } else { None };
                operation_text(log.find(&row.id)?, only, shelf)
            }
            Self::Review => Ok(staged_text(&shelf.memory().waiting_plan(&row.id)?, world)),
            Self::Sessions => session_text(row, shelf, world),
        }
    }
}

fn memory_row(entry: &Entry, world: &World) -> Row {
    let mark = match &entry.memory_type {
        Some(MemoryType::User) => ("user", Tone::Good),
        Some(MemoryType::Feedback) => ("feed", Tone::Warn),
        Some(MemoryType::Project) => ("proj", Tone::Accent),
        Some(MemoryType::Reference) => ("ref", Tone::Quiet),
        _ => ("-", Tone::Quiet),
    };
    Row {
        id: entry.path.to_string(),
        mark,
        title: printable(entry.title()),
        side: age(world.now.as_second() - entry.modified.as_second()),
        is_past: entry.is_archived(),
        hit: None,
    }
}

fn found_memories(query: &str, shelf: &mut Shelf, world: &World) -> Result<Vec<Row>> {
    let hits = shelf.search(query, world)?;
    let directory = shelf.memory().directory();
    let row = |hit: memdir_search::Hit| {
        let path = hit.path.strip_prefix(directory).ok()?;
        let entry = shelf.entry(path.as_str())?;
        Some(Row { hit: Some(hit.line), ..memory_row(entry, world) })
    };
    Ok(hits.into_iter().filter_map(row).collect())
}

fn memory_text(row: &Row, shelf: &Shelf, world: &World) -> Result<Vec<Line>> {
    let Some(entry) = shelf.entry(&row.id) else { bail!("`{}` is not here any more", row.id) };
    let content = shelf.memory().read(&entry.path)?.unwrap_or_default();
    let recalled = sources::usage(&world.env()?).count(&shelf.memory().directory().join(&row.id));
    let mut facts = vec![
        entry.memory_type.as_ref().map_or("untyped", MemoryType::as_str).to_owned(),
        row.id.clone(),
        human_bytes(entry.bytes),
        row.side.clone(),
    ];
    if recalled > 0 {
        facts.push(format!("recalled {recalled}×"));
    }
    let mut lines = vec![Line::new(entry.title(), Tone::Strong), Line::new(&facts.join(" · "), Tone::Quiet)];
    lines.extend(entry.problems.iter().map(|problem| Line::new(&problem.to_string(), Tone::Warn)));
    let text = decode(&content).0;
    let body = Topic::parse(&text).0.body;
    let header = text.get(..body.start).unwrap_or_default();
    let lines_before = header.lines().count() as u64;
    let hit = row.hit.filter(|line| *line > lines_before);
    if let Some(description) = &entry.description {
        let is_hit = row.hit.is_some() && hit.is_none();
        lines.push(Line::new(description, if is_hit { Tone::Hit } else { Tone::Accent }));
    }
    lines.push(Line::empty());
    let body = text.get(body).unwrap_or_default();
    let blank = body.lines().take_while(|line| line.trim().is_empty()).count();
    lines.extend(markdown(body, hit.map(|line| line - lines_before)).into_iter().skip(blank));
    Ok(lines)
}

fn operation_rows<'o>(operations: impl Iterator<Item = &'o Operation>, log: &Log, world: &World) -> Vec<Row> {
    let undone = log.undone();
    let row = |operation: &Operation| Row {
        id: operation.id.0.clone(),
        mark: author_mark(&operation.author),
        title: printable(&operation.reason),
        side: age(world.now.as_second() - operation.time.as_second()),
        is_past: undone.contains_key(&operation.id),
        hit: None,
    };
    operations.map(row).collect()
}

fn author_mark(author: &Author) -> (&'static str, Tone) {
    match author.kind {
        AuthorKind::Person => ("you", Tone::Accent),
        AuthorKind::Agent => ("agent", Tone::Good),
        AuthorKind::Extract => ("extr", Tone::Good),
        AuthorKind::Dream => ("dream", Tone::Good),
        AuthorKind::Team => ("team", Tone::Warn),
        AuthorKind::Foreign => ("other", Tone::Quiet),
    }
}

fn operation_text(operation: &Operation, only: Option<&RelPath>, shelf: &Shelf) -> Result<Vec<Line>> {
    let mut facts = vec![author_mark(&operation.author).0.to_owned(), local(operation.time)];
    facts.extend(operation.author.session.as_ref().map(|session| format!("session {session}")));
    facts.push(operation.id.0.clone());
    if let Some(of) = &operation.undo_of {
        facts.push(format!("undoes {}", of.0));
    }
    let mut lines = vec![
        Line::new(&operation.reason, Tone::Strong),
        Line::new(&facts.join(" · "), Tone::Quiet),
        Line::empty(),
    ];
    let is_it = |path: &RelPath| only.is_none_or(|only| path == only);
    // A memory that was renamed had another name then.
    let is_there = operation.changes.iter().any(|change| is_it(&change.path));
    match changes_of(shelf.memory(), operation, |change| !is_there || is_it(&change.path)) {
        Ok(changes) if changes.is_empty() => lines.push(Line::new("It changed no file.", Tone::Quiet)),
        Ok(changes) => lines.extend(changes.iter().flat_map(|change| diff(&change.diff))),
        Err(error) => lines.push(Line::new(&error.to_string(), Tone::Warn)),
    }
    Ok(lines)
}

fn staged_row(staged: &StagedPlan, world: &World) -> Row {
    Row {
        id: staged.id.clone(),
        mark: author_mark(&staged.author),
        title: printable(&staged.plan.reason),
        side: age(world.now.as_second() - staged.time.as_second()),
        is_past: false,
        hit: None,
    }
}

fn staged_text(staged: &StagedPlan, world: &World) -> Vec<Line> {
    let age = age(world.now.as_second() - staged.time.as_second());
    let mut facts = vec![author_mark(&staged.author).0.to_owned(), age];
    facts.extend(staged.author.session.as_ref().map(|session| format!("session {session}")));
    let mut lines = vec![
        Line::new(&staged.plan.reason, Tone::Strong),
        Line::new(&facts.join(" · "), Tone::Quiet),
        Line::empty(),
    ];
    lines.extend(staged.plan.warnings.iter().map(|warning| Line::new(warning, Tone::Warn)));
    lines.extend(diff(&plan_diff::diff(&staged.plan)));
    lines
}

fn session_row(session: &SessionSummary, world: &World) -> Row {
    let seconds = |time: jiff::Timestamp| world.now.as_second() - time.as_second();
    Row {
        id: session.id.clone(),
        mark: ("", Tone::Quiet),
        title: printable(&session.first_prompt),
        side: session.modified.map(|time| age(seconds(time))).unwrap_or_default(),
        is_past: false,
        hit: None,
    }
}

fn found_sessions(query: &str, shelf: &mut Shelf, world: &World) -> Result<Vec<Row>> {
    let row = |hit: memdir_search::Hit| {
        let time = hit.time.map(|time| age(world.now.as_second() - time.as_second()));
        Some(Row {
            id: hit.path.file_stem()?.to_owned(),
            mark: ("", Tone::Quiet),
            title: printable(&hit.snippet),
            side: time.unwrap_or_default(),
            is_past: false,
            hit: Some(hit.line),
        })
    };
    Ok(shelf.search_sessions(query, world)?.into_iter().filter_map(row).collect())
}

fn session_text(row: &Row, shelf: &Shelf, world: &World) -> Result<Vec<Line>> {
    let files = session_files(&RealLook, &shelf.project_dir);
    let SessionChoice::One(chosen) = choose_session(&files, &row.id) else {
        bail!("this session is not here any more")
    };
    let reading = chosen.read(None)?;
    let log = shelf.memory().log(super::shelf::LISTED)?;
    let mut lines = vec![Line::new(&format!("Session {}", chosen.id), Tone::Strong)];
    let count = format!("{} turns", reading.turns.len());
    lines.push(Line::new(&count, Tone::Quiet));
    let written = log.operations.iter().filter(|each| each.author.session.as_ref() == Some(&chosen.id));
    lines.extend(written.map(|each| Line::new(&format!("wrote: {}", each.reason), Tone::Good)));
    let folder = sources::recall_folder(&world.env()?);
    let shown = folder.map(|folder| memdir_search::ShownMemories::load(&folder, &chosen.id));
    for path in shown.iter().flat_map(memdir_search::ShownMemories::paths) {
        let name = camino::Utf8Path::new(path).file_name().unwrap_or_default();
        lines.push(Line::new(&format!("recalled: {name}"), Tone::Accent));
    }
    for turn in &reading.turns {
        lines.push(Line::empty());
        let who = turn.role.map_or("compaction", |role| role.as_str());
        let when = turn.time.map(local).unwrap_or_default();
        lines.push(Line::new(&format!("{who}  {when}"), Tone::Strong));
        let is_hit = row.hit == Some(turn.line);
        let tone = if is_hit { Tone::Hit } else { Tone::Plain };
        lines.extend(turn.text.lines().map(|line| Line::new(line, tone)));
        lines.extend(turn.actions.iter().map(|action| Line::new(&format!("  {action}"), Tone::Quiet)));
    }
    Ok(lines)
}

fn local(time: jiff::Timestamp) -> String {
    time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// How long ago something was, as short as a list needs it.
fn age(seconds: i64) -> String {
    match seconds {
        ..60 => "now".to_owned(),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        86_400..5_184_000 => format!("{} d", seconds / 86_400),
        _ => format!("{} mo", seconds / 2_629_800),
    }
}
