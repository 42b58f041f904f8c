use super::{Index, LOOKUP};

/// A line of the quick look-up: `- Auth decisions → decisions/2026-01-19_001_*.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupLine {
    /// What one looks for.
    pub label: String,
    /// Where it is: a path below the journal, perhaps with a pattern.
    pub target: String,
}

impl LookupLine {
    /// A line for a record.
    #[must_use]
    pub fn new(title: &str, path: &str) -> Self {
        let label = crate::journal::text::one_line(title, 100).replace('→', "->");
        Self { label, target: path.to_owned() }
    }

    /// Reads a line; an arrow may be `->`.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("- ")?;
        let (label, target) = rest.rsplit_once('→').or_else(|| rest.rsplit_once("->"))?;
        Some(Self { label: label.trim().to_owned(), target: target.trim().to_owned() })
    }

    /// The line.
    #[must_use]
    pub fn line(&self) -> String {
        format!("- {} → {}", self.label, self.target)
    }
}

/// The lines that every index has.
#[must_use]
pub fn fixed_lookups() -> [LookupLine; 3] {
    let line = |label: &str, target: &str| LookupLine { label: label.to_owned(), target: target.to_owned() };
    [
        line("Current task", "context/current-task.md"),
        line("Blockers", "context/blockers.md"),
        line("Sub-agent outputs", "subagent/"),
    ]
}

impl Index {
    /// The lines of the quick look-up as they stand, empty ones and the closing note left out.
    #[must_use]
    pub fn lookup_lines(&self) -> Vec<String> {
        let Some(section) = self.document.section(LOOKUP) else { return Vec::new() };
        let lines = section.map(|at| self.document.line(at).to_owned());
        lines.filter(|line| !line.trim().is_empty() && line != super::NOTE).collect()
    }

    /// Adds a line on top of the look-up, instead of one that named the file by its former title. A line of the user's
    /// for that file is left as it is, and then none is added.
    pub fn put_lookup(&mut self, lookup: &LookupLine, former_title: Option<&str>) {
        let former = former_title.map(|title| LookupLine::new(title, &lookup.target));
        let Some(section) = self.document.section(LOOKUP) else { return };
        let start = section.start;
        let known = section
            .filter_map(|at| Some((at, LookupLine::parse(self.document.line(at))?)))
            .find(|(_, line)| line.target == lookup.target);
        match known {
            Some((at, line)) if Some(&line) == former.as_ref() => self.document.set(at, lookup.line()),
            Some(_) => {}
            None => self.document.insert(start, lookup.line()),
        }
    }

    /// Removes our line for a file whose row left the index; the user's own stay.
    pub fn remove_lookup(&mut self, ours: &LookupLine) {
        let Some(mut section) = self.document.section(LOOKUP) else { return };
        if let Some(at) = section.find(|at| LookupLine::parse(self.document.line(*at)).as_ref() == Some(ours))
        {
            self.document.remove(at);
        }
    }
}
