use crate::outline::{Outline, Row, Section, Table};

/// The sections that we know, by what their titles speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Projects,
    Relations,
    Initiatives,
    QuickReference,
}

impl Part {
    pub(super) const ALL: [Self; 4] =
        [Self::Projects, Self::Relations, Self::Initiatives, Self::QuickReference];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Projects => "Projects",
            Self::Relations => "Relationships",
            Self::Initiatives => "Current Initiatives",
            Self::QuickReference => "Quick Reference",
        }
    }

    /// The columns of a table that we begin.
    pub(super) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Projects => &["Project", "Path", "Description", "Status"],
            Self::Relations => &["Project", "Relation", "Related", "Notes"],
            Self::Initiatives => &["Initiative", "Projects", "Status", "Updated", "Notes"],
            Self::QuickReference => &[],
        }
    }

    /// The names that a column goes by, for each of [`Part::columns`].
    fn names(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Projects => &[
                &["project", "repo", "repository", "name", "key"],
                &["path", "location", "directory"],
                &["description", "purpose", "about", "notes"],
                &["status", "state"],
            ],
            Self::Relations => &[
                &["project", "from", "source", "repo"],
                &["relation", "relationship", "type", "kind"],
                &["related", "related project", "to", "target"],
                &["notes", "note", "description", "why"],
            ],
            Self::Initiatives => &[
                &["initiative", "name", "title"],
                &["projects", "repos", "repositories"],
                &["status", "state"],
                &["updated", "date", "last updated"],
                &["notes", "note", "description"],
            ],
            Self::QuickReference => &[],
        }
    }

    /// The column into which an unescaped bar most likely fell.
    fn free_text(self) -> usize {
        match self {
            Self::Projects => 2,
            Self::Relations => 3,
            Self::Initiatives => 4,
            Self::QuickReference => 0,
        }
    }

    fn of_title(title: &str) -> Option<Self> {
        let title = title.to_lowercase();
        let speaks_of = |words: &[&str]| words.iter().any(|word| title.contains(word));
        if speaks_of(&["quick reference", "quick lookup", "quick look-up"]) {
            Some(Self::QuickReference)
        } else if speaks_of(&["initiative"]) {
            Some(Self::Initiatives)
        } else if speaks_of(&["relation", "dependenc"]) {
            Some(Self::Relations)
        } else if speaks_of(&["project", "repo", "registry"]) {
            Some(Self::Projects)
        } else {
            None
        }
    }

    /// The first section of the file that this is.
    pub(super) fn find<'t>(self, outline: &Outline<'t>) -> Option<Section<'t>> {
        outline
            .sections()
            .into_iter()
            .find(|section| section.level > 1 && Self::of_title(section.title) == Some(self))
    }
}

/// A table whose columns we know, wherever they are.
#[derive(Debug)]
pub(super) struct KnownTable {
    part: Part,
    pub(super) table: Table,
    /// For each of [`Part::columns`] the place that it has here.
    places: Vec<Option<usize>>,
}

impl KnownTable {
    /// Finds the columns of a table; `Err` names the one without which it says nothing.
    pub(super) fn of(part: Part, table: Table) -> Result<Self, &'static str> {
        let folded: Vec<String> =
            table.columns.iter().map(|column| crate::outline::plain(column).to_lowercase()).collect();
        let mut taken = vec![false; folded.len()];
        let mut places = Vec::new();
        for names in part.names() {
            let place = names.iter().find_map(|name| {
                folded
                    .iter()
                    .enumerate()
                    .position(|(at, column)| column == name && !taken.get(at).copied().unwrap_or(true))
            });
            if let Some(taken) = place.and_then(|place| taken.get_mut(place)) {
                *taken = true;
            }
            places.push(place);
        }
        let needed: &[(usize, &'static str)] = match part {
            Part::Projects => &[(0, "project"), (1, "path")],
            Part::Relations => &[(0, "project"), (2, "related project")],
            Part::Initiatives => &[(0, "initiative")],
            Part::QuickReference => &[],
        };
        match needed.iter().find(|(column, _)| places.get(*column).copied().flatten().is_none()) {
            Some((_, missing)) => Err(missing),
            None => Ok(Self { part, table, places }),
        }
    }

    /// The place of one of [`Part::columns`] in this table.
    pub(super) fn place(&self, column: usize) -> Option<usize> {
        self.places.get(column).copied().flatten()
    }

    /// What a row says in one of [`Part::columns`]. Surplus cells belong to the free text.
    pub(super) fn value(&self, row: &Row, column: usize) -> String {
        let Some(place) = self.place(column) else { return String::new() };
        let surplus = row.cells.len().saturating_sub(self.table.columns.len());
        let text = |at: usize| row.cells.get(at).map(|cell| cell.text.as_str());
        match self.place(self.part.free_text()).filter(|_| surplus > 0) {
            Some(free) if free == place => {
                (free..=free + surplus).filter_map(text).collect::<Vec<_>>().join(" | ")
            }
            Some(free) if place > free => text(place + surplus).unwrap_or_default().to_owned(),
            _ => text(place).unwrap_or_default().to_owned(),
        }
    }

    /// A new row for this table: what is given where the columns are here, nothing in columns that we do not know.
    pub(super) fn new_row(&self, values: &[&str]) -> String {
        let mut cells = vec![String::new(); self.table.columns.len()];
        for (column, value) in values.iter().enumerate() {
            if let Some(cell) = self.place(column).and_then(|place| cells.get_mut(place)) {
                *cell = crate::outline::escape_cell(value);
            }
        }
        row(&cells)
    }
}

/// A row of cells that are escaped already.
pub(super) fn row<Text: AsRef<str>>(cells: &[Text]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| format!(" {} ", cell.as_ref())).collect();
    format!("|{}|", cells.join("|"))
}
