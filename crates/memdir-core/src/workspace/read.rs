use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use super::problem::WorkspaceProblem;
use super::relation::{Relation, RelationKind, same};
use super::sections::{KnownTable, Part};
use crate::outline::{LineKind, Outline, plain};

/// What `workspace.md` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceMap {
    /// The registered projects, in the order of the file.
    pub projects: Vec<Project>,
    /// How they relate.
    pub relations: Vec<Relation>,
    /// What spans several of them.
    pub initiatives: Vec<Initiative>,
    /// The lines of the quick reference.
    pub quick_reference: Vec<String>,
    /// What was not understood, or only by guessing.
    pub problems: Vec<WorkspaceProblem>,
}

/// A registered project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Project {
    /// The key under which its journal is.
    pub key: String,
    /// Where it is, as it is written.
    pub path: String,
    /// What it is.
    pub description: String,
    /// How it is doing.
    pub status: String,
}

/// Work that spans several projects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Initiative {
    /// What it is called.
    pub name: String,
    /// The projects that take part.
    pub projects: Vec<String>,
    /// How it is doing.
    pub status: String,
    /// When it was last changed, as it is written.
    pub updated: String,
    /// What else is said about it.
    pub notes: String,
}

impl Project {
    /// Where it is, `~` read as the user's home.
    #[must_use]
    pub fn directory(&self, home: Option<&Utf8Path>) -> Utf8PathBuf {
        match (self.path.strip_prefix("~/"), home) {
            (Some(below), Some(home)) => home.join(below),
            _ => Utf8PathBuf::from(self.path.trim_end_matches('/')),
        }
    }
}

impl WorkspaceMap {
    /// Reads the file. Whatever it holds, this returns what it understood.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let outline = Outline::of(text);
        let mut map = Self::default();
        map.problems.extend(outline.obstacle().map(WorkspaceProblem::Obstacle));
        map.read_projects(&outline);
        map.read_relations(&outline);
        map.read_initiatives(&outline);
        if let Some(section) = Part::QuickReference.find(&outline) {
            map.quick_reference = items(&outline, section.body).map(ToOwned::to_owned).collect();
        }
        map
    }

    /// Reads bytes, also those that are not UTF-8.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse(text),
            Err(_) => {
                let mut map = Self::parse(&String::from_utf8_lossy(bytes));
                map.problems.insert(0, WorkspaceProblem::NotUtf8);
                map
            }
        }
    }

    /// The project with a key.
    #[must_use]
    pub fn project(&self, key: &str) -> Option<&Project> {
        let exact = self.projects.iter().find(|project| project.key == key);
        exact.or_else(|| self.projects.iter().find(|project| same(&project.key, key)))
    }

    /// The project at a path.
    #[must_use]
    pub fn project_at(&self, path: &Utf8Path, home: Option<&Utf8Path>) -> Option<&Project> {
        self.projects.iter().find(|project| project.directory(home) == path)
    }

    /// The relations of a project, from both ends.
    #[must_use]
    pub fn relations_of(&self, key: &str) -> Vec<&Relation> {
        self.relations.iter().filter(|relation| relation.concerns(key)).collect()
    }

    /// The initiatives in which a project takes part.
    #[must_use]
    pub fn initiatives_of(&self, key: &str) -> Vec<&Initiative> {
        let takes_part =
            |initiative: &&Initiative| initiative.projects.iter().any(|project| same(project, key));
        self.initiatives.iter().filter(takes_part).collect()
    }

    fn read_projects(&mut self, outline: &Outline<'_>) {
        let mut seen = HashSet::new();
        for table in self.tables(outline, Part::Projects) {
            for row in &table.table.rows {
                let line = row.line + 1;
                let key = plain(&table.value(row, 0)).to_owned();
                if key.is_empty() {
                    self.problems.push(WorkspaceProblem::NoName { line, what: "project" });
                    continue;
                }
                if !seen.insert(key.clone()) {
                    self.problems.push(WorkspaceProblem::Twice { line, key });
                    continue;
                }
                self.projects.push(Project {
                    key,
                    path: plain(&table.value(row, 1)).to_owned(),
                    description: table.value(row, 2),
                    status: plain(&table.value(row, 3)).to_owned(),
                });
            }
        }
    }

    fn read_relations(&mut self, outline: &Outline<'_>) {
        for table in self.tables(outline, Part::Relations) {
            for row in &table.table.rows {
                let (from, to) = (table.value(row, 0), table.value(row, 2));
                let (from, to) = (plain(&from), plain(&to));
                if from.is_empty() || to.is_empty() {
                    self.problems.push(WorkspaceProblem::NoName { line: row.line + 1, what: "project" });
                    continue;
                }
                let kind = match table.value(row, 1) {
                    words if words.is_empty() => RelationKind::RelatedTo,
                    words => RelationKind::parse(&words),
                };
                self.relations.push(Relation {
                    from: from.to_owned(),
                    kind,
                    to: to.to_owned(),
                    note: table.value(row, 3),
                });
            }
        }
        if let Some(section) = Part::Relations.find(outline) {
            self.relations.extend(items(outline, section.body).filter_map(Relation::from_item));
        }
    }

    fn read_initiatives(&mut self, outline: &Outline<'_>) {
        for table in self.tables(outline, Part::Initiatives) {
            for row in &table.table.rows {
                let name = plain(&table.value(row, 0)).to_owned();
                if name.is_empty() {
                    self.problems.push(WorkspaceProblem::NoName { line: row.line + 1, what: "initiative" });
                    continue;
                }
                let projects = table.value(row, 1);
                let projects = projects.split(',').map(plain).filter(|name| !name.is_empty());
                self.initiatives.push(Initiative {
                    name,
                    projects: projects.map(ToOwned::to_owned).collect(),
                    status: table.value(row, 2),
                    updated: table.value(row, 3),
                    notes: table.value(row, 4),
                });
            }
        }
    }

    /// The tables of a section whose columns we know.
    fn tables(&mut self, outline: &Outline<'_>, part: Part) -> Vec<KnownTable> {
        let Some(section) = part.find(outline) else { return Vec::new() };
        let mut known = Vec::new();
        for table in outline.tables(section.body) {
            let (header, columns) = (table.header, table.columns.len());
            for row in &table.rows {
                let line = row.line + 1;
                if row.cells.len() < columns {
                    self.problems.push(WorkspaceProblem::ShortRow { line });
                } else if row.cells.len() > columns {
                    self.problems.push(WorkspaceProblem::LongRow { line });
                }
            }
            match KnownTable::of(part, table) {
                Ok(table) => known.push(table),
                Err(missing) => {
                    self.problems.push(WorkspaceProblem::UnknownTable { line: header + 1, missing });
                }
            }
        }
        known
    }
}

/// The list items among some lines, without their marks.
fn items<'o, 't>(
    outline: &'o Outline<'t>,
    range: std::ops::Range<usize>,
) -> impl Iterator<Item = &'t str> + use<'o, 't> {
    let lines = outline.lines.get(range).unwrap_or_default();
    lines.iter().filter(|line| line.kind == LineKind::Text).filter_map(|line| {
        let item = line.text.trim_start();
        ["- ", "* ", "+ "].into_iter().find_map(|mark| item.strip_prefix(mark)).map(str::trim)
    })
}
