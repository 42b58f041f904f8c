//! A record: a title, fields in bold, sections under the protocol's headings.

use std::fmt;

use super::text::code_lines;

mod kinds;
#[cfg(test)]
mod tests;

pub use kinds::{AnalysisType, DecisionCategory, DecisionStatus, Kind, ProjectType, UnknownWord};

/// A file of the journal, taken apart. Nothing in it is lost: unknown fields and sections keep their places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// The first heading; empty if there is none.
    pub title: String,
    /// The lines `**Name**: value` before the first section.
    pub fields: Vec<(String, String)>,
    /// Text before the first section that is not a field.
    pub preamble: String,
    /// The sections: heading and text.
    pub sections: Vec<(String, String)>,
}

impl Record {
    /// Takes a text apart. Headings inside blocks of code are text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut record = Self::default();
        let mut preamble: Vec<&str> = Vec::new();
        let mut bodies: Vec<(String, Vec<&str>)> = Vec::new();
        for (line, is_code) in text.lines().zip(code_lines(text)) {
            if !is_code {
                if let Some(heading) = line.strip_prefix("## ") {
                    bodies.push((heading.trim().to_owned(), Vec::new()));
                    continue;
                }
                if bodies.is_empty()
                    && record.title.is_empty()
                    && preamble.iter().all(|line| line.trim().is_empty())
                    && let Some(title) = line.strip_prefix("# ")
                {
                    title.trim().clone_into(&mut record.title);
                    continue;
                }
                if bodies.is_empty()
                    && let Some(field) = field(line)
                {
                    record.fields.push(field);
                    continue;
                }
            }
            match bodies.last_mut() {
                Some((_, body)) => body.push(line),
                None => preamble.push(line),
            }
        }
        record.preamble = joined(&preamble);
        record.sections = bodies.into_iter().map(|(heading, body)| (heading, joined(&body))).collect();
        record
    }

    /// The value of a field.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The text of a section that says something.
    #[must_use]
    pub fn section(&self, heading: &str) -> Option<&str> {
        let found = self.sections.iter().find(|(known, _)| known.eq_ignore_ascii_case(heading));
        found.map(|(_, body)| body.as_str()).filter(|body| !body.trim().is_empty())
    }

    /// Gives a field a value.
    pub fn set_field(&mut self, name: &str, value: &str) {
        let value = super::text::one_line(value, 2_000);
        match self.fields.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, old)) => *old = value,
            None => self.fields.push((name.to_owned(), value)),
        }
    }

    /// Gives a section its text.
    pub fn set_section(&mut self, heading: &str, text: &str) {
        let text = text.trim_matches('\n').to_owned();
        match self.sections.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(heading)) {
            Some((_, body)) => *body = text,
            None => self.sections.push((heading.to_owned(), text)),
        }
    }

    /// Brings fields and sections into a kind's order; missing sections are added empty, unknown ones follow.
    pub fn arrange(&mut self, kind: Kind) {
        let place = |order: &[&str], name: &str| {
            order.iter().position(|known| known.eq_ignore_ascii_case(name)).unwrap_or(order.len())
        };
        self.fields.sort_by_key(|(name, _)| place(kind.fields(), name));
        for heading in kind.sections() {
            if !self.sections.iter().any(|(known, _)| known.eq_ignore_ascii_case(heading)) {
                self.sections.push(((*heading).to_owned(), String::new()));
            }
        }
        self.sections.sort_by_key(|(heading, _)| place(kind.sections(), heading));
    }

    /// What it says in one line: the section that a kind puts first in importance, else the title.
    #[must_use]
    pub fn summary(&self, kind: Kind) -> String {
        let told = kind.telling_section().and_then(|heading| self.section(heading));
        let told = told.or_else(|| (!self.preamble.trim().is_empty()).then_some(self.preamble.as_str()));
        let line = told.and_then(first_sentence).unwrap_or_default();
        if line.is_empty() { self.title.clone() } else { line }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "# {}", self.title)?;
        if !self.fields.is_empty() {
            writeln!(formatter)?;
        }
        for (name, value) in &self.fields {
            writeln!(formatter, "**{name}**: {value}")?;
        }
        if !self.preamble.is_empty() {
            writeln!(formatter, "\n{}", self.preamble)?;
        }
        for (heading, body) in &self.sections {
            writeln!(formatter, "\n## {heading}")?;
            if !body.is_empty() {
                writeln!(formatter, "{body}")?;
            }
        }
        Ok(())
    }
}

/// Gives a field of a file another value and changes nothing else; a new field comes after `after`.
#[must_use]
pub fn edit_field(text: &str, name: &str, value: &str, after: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let head = lines.iter().position(|line| line.starts_with("## ")).unwrap_or(lines.len());
    let find = |lines: &[String], wanted: &str| {
        let named =
            |line: &String| field(line.trim_end()).is_some_and(|(name, _)| name.eq_ignore_ascii_case(wanted));
        lines.iter().take(head).position(named)
    };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = format!("**{name}**: {value}{end}");
    match (find(&lines, name), find(&lines, after)) {
        (Some(at), _) => {
            if let Some(old) = lines.get_mut(at) {
                *old = line;
            }
        }
        (None, Some(at)) => lines.insert(at + 1, line),
        (None, None) => lines.insert(head.min(1), format!("{end}{line}")),
    }
    lines.concat()
}

/// `**Name**: value`.
fn field(line: &str) -> Option<(String, String)> {
    let (name, value) = line.strip_prefix("**")?.split_once("**:")?;
    let is_name = !name.is_empty() && name.len() <= 40 && !name.contains('*');
    is_name.then(|| (name.to_owned(), value.trim().to_owned()))
}

/// The lines without empty ones before and after.
fn joined(lines: &[&str]) -> String {
    let is_text = |line: &&str| !line.trim().is_empty();
    let start = lines.iter().position(is_text).unwrap_or(lines.len());
    let end = lines.iter().rposition(is_text).map_or(start, |last| last + 1);
    lines.get(start..end).unwrap_or_default().join("\n")
}

/// The first line that says something, without marks of lists and quotes.
fn first_sentence(text: &str) -> Option<String> {
    let mut lines = text.lines().map(|line| line.trim().trim_start_matches(['-', '*', '>', '#', ' ']).trim());
    let line = lines.find(|line| !line.is_empty() && !line.starts_with("```"))?;
    let end = line.match_indices(". ").map(|(at, _)| at).find(|at| *at >= 12).unwrap_or(line.len());
    Some(line.get(..end).unwrap_or(line).trim_end_matches('.').to_owned())
}
