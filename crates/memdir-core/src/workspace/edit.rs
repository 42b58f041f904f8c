use super::ACTIVE;
use super::relation::{RelationKind, same};
use super::sections::{KnownTable, Part, row};
use crate::outline::{Obstacle, Outline, Row, escape_cell, plain};

/// Why the file is not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditRefused {
    /// Bytes that are not UTF-8.
    #[error("it is not valid UTF-8")]
    NotUtf8,
    /// Something in it would swallow what is written, or be torn by it.
    #[error(transparent)]
    Obstacle(#[from] Obstacle),
    /// A row whose cells cannot be told apart.
    #[error("line {line} has more cells than its table has columns")]
    LongRow {
        /// Counted from 1.
        line: usize,
    },
    /// The table has no such column.
    #[error("the table of line {line} has no column for the {column}")]
    NoColumn {
        /// Counted from 1.
        line: usize,
        /// The column.
        column: &'static str,
    },
    /// It is not registered.
    #[error("no project `{key}` is registered")]
    UnknownProject {
        /// The key as given.
        key: String,
    },
    /// Text that cannot be a name.
    #[error("`{name}` cannot be a name: {rule}")]
    BadName {
        /// The text as given.
        name: String,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// A project cannot be related to itself.
    #[error("`{key}` cannot be related to itself")]
    Itself {
        /// The project.
        key: String,
    },
}

/// A project to register.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewProject<'a> {
    /// The key under which its journal is.
    pub key: &'a str,
    /// Where it is.
    pub path: &'a str,
    /// What it is; `None` leaves what is there.
    pub description: Option<&'a str>,
    /// Its status; `None` leaves what is there, and is `active` for a new one.
    pub status: Option<&'a str>,
}

/// A relation to record.
#[derive(Debug, Clone, Copy)]
pub struct NewRelation<'a> {
    /// The project that it starts from.
    pub from: &'a str,
    /// What it is.
    pub kind: &'a RelationKind,
    /// The project that it leads to.
    pub to: &'a str,
    /// What else is to be said.
    pub note: &'a str,
}

/// An initiative to begin or to bring up to date.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewInitiative<'a> {
    /// What it is called.
    pub name: &'a str,
    /// The projects that take part; none given leaves what is there.
    pub projects: &'a [String],
    /// Its status; `None` leaves what is there, and is `active` for a new one.
    pub status: Option<&'a str>,
    /// What else is to be said; `None` leaves what is there.
    pub notes: Option<&'a str>,
    /// The day of the change.
    pub date: &'a str,
}

/// One change of the file.
#[derive(Debug, Clone, Copy)]
pub enum WorkspaceEdit<'a> {
    /// Register a project, or bring its row up to date.
    Register(NewProject<'a>),
    /// Record how one project relates to another.
    Relate(NewRelation<'a>),
    /// Begin an initiative or bring it up to date.
    Initiative(NewInitiative<'a>),
    /// Say how a project is doing.
    Status {
        /// The project.
        key: &'a str,
        /// How it is doing.
        status: &'a str,
    },
}

impl WorkspaceEdit<'_> {
    /// The file with the change made and every other line as it was; `None` if it says that already. An empty text
    /// becomes a new file.
    ///
    /// # Errors
    /// The change makes no sense, or cannot be made without touching what was not understood.
    pub fn apply(&self, text: &str) -> Result<Option<String>, EditRefused> {
        match self {
            Self::Register(new) => register(text, new),
            Self::Relate(new) => relate(text, new),
            Self::Initiative(new) => add_initiative(text, new),
            Self::Status { key, status } => set_status(text, key, status),
        }
    }

    /// Why, for the log.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Register(new) => format!("register {}", new.key),
            Self::Relate(new) => format!("relate {} to {}", new.from, new.to),
            Self::Initiative(new) => format!("initiative {}", new.name),
            Self::Status { key, status } => format!("{key} is {status}"),
        }
    }
}

/// Registers a project, or brings its row up to date; `None` if nothing is to be changed.
///
/// A project whose key is known has moved if its path is another one. A path that is known keeps the key that it has.
fn register(text: &str, new: &NewProject<'_>) -> Result<Option<String>, EditRefused> {
    name(new.key)?;
    let mut changed = prepared(text)?;
    let found = find(&changed, Part::Projects, |table, row| same(plain(&table.value(row, 0)), new.key))?;
    match found {
        Some(_) => {
            let cells = [(1, Some(new.path)), (2, new.description), (3, new.status)];
            for (column, value) in cells {
                let Some(value) = value else { continue };
                changed = set(&changed, Part::Projects, new.key, column, value)?.unwrap_or(changed);
            }
        }
        None => {
            let at_path =
                |table: &KnownTable, row: &Row| plain(&table.value(row, 1)).trim_end_matches('/') == new.path;
            if let Some((table, row)) = find(&changed, Part::Projects, at_path)? {
                let key = plain(&table.value(&row, 0)).to_owned();
                for (column, value) in [(2, new.description), (3, new.status)] {
                    let Some(value) = value else { continue };
                    changed = set(&changed, Part::Projects, &key, column, value)?.unwrap_or(changed);
                }
                return Ok((changed != text).then_some(changed));
            }
            let values =
                [new.key, new.path, new.description.unwrap_or_default(), new.status.unwrap_or(ACTIVE)];
            changed = add_row(&changed, Part::Projects, &values);
            changed = add_quick_reference(&changed, new.key);
        }
    }
    Ok((changed != text).then_some(changed))
}

/// Records how one project relates to another; `None` if that is known.
fn relate(text: &str, new: &NewRelation<'_>) -> Result<Option<String>, EditRefused> {
    let changed = prepared(text)?;
    let map = super::WorkspaceMap::parse(&changed);
    let known = |key: &str| match map.project(key) {
        Some(project) => Ok(project.key.clone()),
        None => Err(EditRefused::UnknownProject { key: key.to_owned() }),
    };
    let (from, to) = (known(new.from)?, known(new.to)?);
    if from == to {
        return Err(EditRefused::Itself { key: from });
    }
    let is_it = |relation: &super::Relation| {
        same(&relation.from, &from) && same(&relation.to, &to) && relation.kind == *new.kind
    };
    if map.relations.iter().any(is_it) {
        return Ok(None);
    }
    Ok(Some(add_row(&changed, Part::Relations, &[&from, new.kind.as_str(), &to, new.note])))
}

/// Begins an initiative or brings it up to date; `None` if nothing is to be changed.
fn add_initiative(text: &str, new: &NewInitiative<'_>) -> Result<Option<String>, EditRefused> {
    name(new.name)?;
    let mut changed = prepared(text)?;
    let map = super::WorkspaceMap::parse(&changed);
    let mut projects = Vec::new();
    for key in new.projects {
        match map.project(key) {
            Some(project) => projects.push(project.key.clone()),
            None => return Err(EditRefused::UnknownProject { key: key.clone() }),
        }
    }
    let projects = projects.join(", ");
    let found = find(&changed, Part::Initiatives, |table, row| same(plain(&table.value(row, 0)), new.name))?;
    if found.is_none() {
        let status = new.status.unwrap_or(ACTIVE);
        let values = [new.name, &projects, status, new.date, new.notes.unwrap_or_default()];
        return Ok(Some(add_row(&changed, Part::Initiatives, &values)));
    }
    let before = changed.clone();
    let given = (!projects.is_empty()).then_some(projects.as_str());
    for (column, value) in [(1, given), (2, new.status), (4, new.notes)] {
        let Some(value) = value else { continue };
        changed = set(&changed, Part::Initiatives, new.name, column, value)?.unwrap_or(changed);
    }
    if changed == before {
        return Ok(None);
    }
    // A table without a date loses nothing by not getting one.
    match set(&changed, Part::Initiatives, new.name, 3, new.date) {
        Ok(dated) => Ok(Some(dated.unwrap_or(changed))),
        Err(_) => Ok(Some(changed)),
    }
}

/// Says how a project is doing; `None` if that is known.
fn set_status(text: &str, key: &str, status: &str) -> Result<Option<String>, EditRefused> {
    let text = prepared(text)?;
    set(&text, Part::Projects, key, 3, status)
}

/// The text in which an edit is made: a new file with all its headings where there is none.
fn prepared(text: &str) -> Result<String, EditRefused> {
    if let Some(obstacle) = Outline::of(text).obstacle() {
        return Err(obstacle.into());
    }
    if !text.trim_start_matches('\u{FEFF}').trim().is_empty() {
        return Ok(text.to_owned());
    }
    let sections = Part::ALL.map(|part| {
        let table = new_table(part);
        let body = if table.is_empty() { String::new() } else { format!("{}\n\n", table.join("\n")) };
        format!("## {}\n\n{body}", part.title())
    });
    Ok(format!("# Workspace\n\n{}", sections.concat().trim_end().to_owned() + "\n"))
}

/// The row of which something holds, with its table.
fn find(
    text: &str,
    part: Part,
    is_it: impl Fn(&KnownTable, &Row) -> bool,
) -> Result<Option<(KnownTable, Row)>, EditRefused> {
    let outline = Outline::of(text);
    let Some(section) = part.find(&outline) else { return Ok(None) };
    for table in outline.tables(section.body).into_iter().filter_map(|table| KnownTable::of(part, table).ok())
    {
        if let Some(row) = table.table.rows.iter().find(|row| is_it(&table, row)).cloned() {
            return Ok(Some((table, row)));
        }
    }
    Ok(None)
}

/// Changes one cell of the row that a name leads to; `None` if it says that already.
fn set(text: &str, part: Part, key: &str, column: usize, value: &str) -> Result<Option<String>, EditRefused> {
    let found = find(text, part, |table, row| same(plain(&table.value(row, 0)), key))?;
    let Some((table, row)) = found else {
        return Err(EditRefused::UnknownProject { key: key.to_owned() });
    };
    let says = table.value(&row, column);
    if escape_cell(value) == escape_cell(&says) || escape_cell(value) == escape_cell(plain(&says)) {
        return Ok(None);
    }
    if row.cells.len() > table.table.columns.len() {
        return Err(EditRefused::LongRow { line: row.line + 1 });
    }
    let Some(place) = table.place(column) else {
        let column = part.columns().get(column).copied().unwrap_or_default();
        return Err(EditRefused::NoColumn { line: table.table.header + 1, column });
    };
    Ok(Some(Outline::of(text).set_cell(&row, place, value)))
}

/// Puts a row at the end of a section's table. What is missing of section and table is made.
fn add_row(text: &str, part: Part, values: &[&str]) -> String {
    let outline = Outline::of(text);
    let cells: Vec<String> = values.iter().map(|value| escape_cell(value)).collect();
    let Some(section) = part.find(&outline) else {
        let mut block = vec![String::new(), format!("## {}", part.title()), String::new()];
        block.extend(new_table(part));
        block.push(row(&cells));
        return outline.insert_after(outline.lines.len().checked_sub(1), &block);
    };
    let tables = outline.tables(section.body.clone());
    if let Some(table) = tables.into_iter().find_map(|table| KnownTable::of(part, table).ok()) {
        return outline.insert_after(Some(table.table.last), &[table.new_row(values)]);
    }
    let mut block = vec![String::new()];
    block.extend(new_table(part));
    block.push(row(&cells));
    outline.insert_after(Some(end_of(&outline, section.heading, section.body)), &block)
}

/// A line that leads to the journal of a project, unless one does.
fn add_quick_reference(text: &str, key: &str) -> String {
    let outline = Outline::of(text);
    let target = format!("projects/{key}/");
    let Some(section) = Part::QuickReference.find(&outline) else { return text.to_owned() };
    let lines = outline.lines.get(section.body.clone()).unwrap_or_default();
    if lines.iter().any(|line| line.text.contains(&target)) {
        return text.to_owned();
    }
    let item = format!("- {} → {target}_index.md", escape_cell(key));
    let last = end_of(&outline, section.heading, section.body);
    let block = if last == section.heading { vec![String::new(), item] } else { vec![item] };
    outline.insert_after(Some(last), &block)
}

/// The line behind which a section goes on: the last one of its own, before any section within it.
fn end_of(outline: &Outline<'_>, heading: usize, body: std::ops::Range<usize>) -> usize {
    let is_heading = |index: &usize| {
        outline
            .lines
            .get(*index)
            .is_some_and(|line| matches!(line.kind, crate::outline::LineKind::Heading { .. }))
    };
    let end = body.clone().find(is_heading).unwrap_or(body.end);
    outline.last_filled(body.start..end).unwrap_or(heading)
}

fn new_table(part: Part) -> Vec<String> {
    let columns = part.columns();
    if columns.is_empty() {
        return Vec::new();
    }
    let dashes: Vec<String> = columns.iter().map(|column| "-".repeat(column.len() + 2)).collect();
    vec![row(columns), format!("|{}|", dashes.join("|"))]
}

fn name(text: &str) -> Result<(), EditRefused> {
    let refused = |rule| Err(EditRefused::BadName { name: text.to_owned(), rule });
    if text.trim().is_empty() {
        return refused("it is empty");
    }
    if text.chars().count() > 120 {
        return refused("it is longer than 120 characters");
    }
    if text.trim() != text || text.contains("  ") {
        return refused("it has blanks that would be lost");
    }
    if crate::hidden_char::holds_hidden(text) {
        return refused("it holds an invisible or control character");
    }
    Ok(())
}
