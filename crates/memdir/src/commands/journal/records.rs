use std::io::Write;

use anyhow::Result;
use clap::Args;
use memdir_core::journal::record::{AnalysisType, DecisionCategory, DecisionStatus, Kind, ProjectType};
use memdir_core::journal::stamp;
use memdir_lib::journal::{Journal, JournalError, NewAnalysis, NewDecision, NewProject};

use super::input::{Input, Template};
use super::{as_writer, outcome};
use crate::exit::Exit;
use crate::world::World;

/// A decision.
#[derive(Debug, Args)]
#[command(
    after_help = "The text may be a whole record with its headings, some sections, or plain words: those become the section `Decision`.
Without any text, a terminal opens $EDITOR on the form.

Examples:
  memdir journal decide \"Prices are integer cents\"
  memdir journal decide --title \"Use httpOnly cookies\" --category architecture --decision \"Scripts cannot read them.\"
  memdir journal decide --title \"PostgreSQL\" --category dependency --status pending --file notes.md
  memdir journal decide --title \"Tokens after all\" --category architecture --supersedes 2026-01-19_001 --file - < notes.md"
)]
pub(super) struct Decide {
    /// What was decided, in a sentence; it is the title, too
    #[arg(conflicts_with = "title")]
    words: Vec<String>,
    /// What it is called
    #[arg(long)]
    title: Option<String>,
    /// architecture, implementation, configuration, dependency or process
    #[arg(long)]
    category: Option<String>,
    /// decided (the default), pending or superseded
    #[arg(long)]
    status: Option<String>,
    /// Why it was needed
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// What was decided
    #[arg(long, value_name = "TEXT")]
    decision: Option<String>,
    /// What else was considered, and why it lost
    #[arg(long, value_name = "TEXT")]
    alternatives: Option<String>,
    /// What follows from it
    #[arg(long, value_name = "TEXT")]
    consequences: Option<String>,
    /// The decision that this one replaces: its path, its name or a part of it
    #[arg(long, value_name = "NAME")]
    supersedes: Option<String>,
    #[command(flatten)]
    input: Input,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Decide {
    pub(super) fn run(mut self, journal: &Journal, world: &mut World) -> Result<Exit> {
        if !self.words.is_empty() {
            let words = self.words.join(" ");
            self.category.get_or_insert_with(|| "implementation".to_owned());
            if self.decision.is_none() && self.input.file.is_none() && self.input.text.is_none() {
                self.decision = Some(words.clone());
            }
            self.title = Some(words);
        }
        check_word::<DecisionCategory>(self.category.as_deref())?;
        check_word::<DecisionStatus>(self.status.as_deref())?;
        let sections = given([
            ("Context", &self.context),
            ("Decision", &self.decision),
            ("Alternatives Considered", &self.alternatives),
            ("Consequences", &self.consequences),
        ]);
        let now = stamp(world.now);
        let text = match self.input.given(world)? {
            Some(text) => text,
            None if !sections.is_empty() => String::new(),
            None => {
                let template = Template {
                    name: "decision",
                    title: self.title.as_deref().unwrap_or_default(),
                    kind: Kind::Decision,
                    fields: &[
                        ("Date", &now),
                        ("Category", self.category.as_deref().unwrap_or("architecture")),
                        ("Status", self.status.as_deref().unwrap_or("decided")),
                    ],
                };
                self.input.text(&template, world)?
            }
        };
        let new = NewDecision {
            title: self.title.as_deref(),
            category: self.category.as_deref(),
            status: self.status.as_deref(),
            text: &text,
            sections,
            supersedes: self.supersedes.as_deref(),
        };
        let written = as_writer(world, |writer| journal.decide(&new, writer))?;
        outcome::report(&written, "decided", journal, self.json, world)
    }
}

/// An analysis.
#[derive(Debug, Args)]
#[command(after_help = "Analysing the same path again replaces the file; `memdir log` has the old one.

Examples:
  memdir journal analyze src/services/AuthService.ts --summary \"Three holes.\" --findings \"- no rate limit\"
  memdir journal analyze \"the login flow\" --type component --file notes.md
  memdir journal analyze src/db.rs --file - < findings.md")]
pub(super) struct Analyze {
    /// The file or component
    path: Option<String>,
    /// file (the default), component, module or service
    #[arg(long = "type", value_name = "TYPE")]
    analysis_type: Option<String>,
    /// What it is, in two or three sentences
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// What was found
    #[arg(long, value_name = "TEXT")]
    findings: Option<String>,
    /// What is wrong with it
    #[arg(long, value_name = "TEXT")]
    issues: Option<String>,
    /// What to do about it
    #[arg(long, value_name = "TEXT")]
    recommendations: Option<String>,
    #[command(flatten)]
    input: Input,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Analyze {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        check_word::<AnalysisType>(self.analysis_type.as_deref())?;
        let sections = given([
            ("Summary", &self.summary),
            ("Key Findings", &self.findings),
            ("Issues Found", &self.issues),
            ("Recommendations", &self.recommendations),
        ]);
        let now = stamp(world.now);
        let path = self.path.as_deref().unwrap_or_default();
        let text = match self.input.given(world)? {
            Some(text) => text,
            None if !sections.is_empty() => String::new(),
            None => {
                let template = Template {
                    name: "analysis",
                    title: &format!("Analysis: {path}"),
                    kind: Kind::Analysis,
                    fields: &[
                        ("Analyzed", &now),
                        ("Path", path),
                        ("Type", self.analysis_type.as_deref().unwrap_or("file")),
                    ],
                };
                self.input.text(&template, world)?
            }
        };
        let new = NewAnalysis {
            path: self.path.as_deref(),
            analysis_type: self.analysis_type.as_deref(),
            text: &text,
            sections,
        };
        let written = as_writer(world, |writer| journal.analyze(&new, writer))?;
        outcome::report(&written, "analysed", journal, self.json, world)
    }
}

/// A note.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  memdir journal note \"The staging database is reset at midnight\"
  memdir journal note \"Deploy window\" --text \"Tuesdays only.\"
  memdir journal note --file - < notes.md")]
pub(super) struct Note {
    /// What it is about, in one line
    title: Option<String>,
    #[command(flatten)]
    input: Input,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Note {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        let text = match (self.input.given(world)?, &self.title) {
            (Some(text), _) => text,
            (None, Some(_)) => String::new(),
            (None, None) => {
                let template = Template { name: "note", title: "", kind: Kind::Note, fields: &[] };
                self.input.text(&template, world)?
            }
        };
        let title = self.title.as_deref().unwrap_or_default();
        let written = as_writer(world, |writer| journal.note(title, &text, writer))?;
        outcome::report(&written, "noted", journal, self.json, world)
    }
}

/// The project's own page.
#[derive(Debug, Args)]
#[command(
    after_help = "Without anything to change, what is there is printed. What is given replaces that section; the others stay.

Examples:
  memdir journal project
  memdir journal project --type library --overview \"Parses dates.\" --stack \"Rust\"
  memdir journal project --file about.md"
)]
pub(super) struct Project {
    /// application, library, fork or config
    #[arg(long = "type", value_name = "TYPE")]
    project_type: Option<String>,
    /// What it is and what for
    #[arg(long, value_name = "TEXT")]
    overview: Option<String>,
    /// Your role in it
    #[arg(long, value_name = "TEXT")]
    role: Option<String>,
    /// Languages, frameworks, services
    #[arg(long, value_name = "TEXT")]
    stack: Option<String>,
    /// Projects that it has to do with
    #[arg(long, value_name = "TEXT")]
    related: Option<String>,
    /// Whatever else every session should know
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
    /// Open $EDITOR on it
    #[arg(long)]
    edit: bool,
    #[command(flatten)]
    input: Input,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Project {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        check_word::<ProjectType>(self.project_type.as_deref())?;
        let sections = given([
            ("Overview", &self.overview),
            ("Role", &self.role),
            ("Tech Stack", &self.stack),
            ("Related Projects", &self.related),
            ("Notes", &self.notes),
        ]);
        let current = match journal.show("project.md") {
            Ok((_, text)) => Some(text),
            Err(JournalError::NotFound { .. } | JournalError::Ambiguous { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let mut text = self.input.given(world)?.unwrap_or_default();
        let nothing_given = sections.is_empty() && text.is_empty() && self.project_type.is_none();
        if nothing_given && !self.edit && (current.is_some() || !world.terminal.stdin) {
            return show(current, journal, self.json, world);
        }
        if self.edit || nothing_given {
            let title = format!("Project: {}", journal.key());
            let template = Template {
                name: "project",
                title: &title,
                kind: Kind::Project,
                fields: &[("Type", "application")],
            };
            text = match current {
                Some(current) => super::super::editor::edit("project", &current, world)?,
                None => self.input.text(&template, world)?,
            };
        }
        let new = NewProject { project_type: self.project_type.as_deref(), text: &text, sections };
        let written = as_writer(world, |writer| journal.describe_project(&new, writer))?;
        outcome::report(&written, "described", journal, self.json, world)
    }
}

fn show(current: Option<String>, journal: &Journal, json: bool, world: &mut World) -> Result<Exit> {
    if json {
        world.print_json(
            &serde_json::json!({"path": journal.directory().join("project.md"), "text": current}),
        )?;
    } else if let Some(text) = &current {
        world.stdout.write_all(text.as_bytes())?;
    } else {
        writeln!(world.stderr, "the project is not described yet: memdir journal project --overview TEXT")?;
    }
    Ok(if current.is_some() { Exit::Yes } else { Exit::No })
}

fn given<'g, const N: usize>(
    sections: [(&'static str, &'g Option<String>); N],
) -> Vec<(&'static str, &'g str)> {
    sections.into_iter().filter_map(|(heading, text)| Some((heading, text.as_deref()?))).collect()
}

/// Refuses a wrong word before an editor opens.
fn check_word<W: std::str::FromStr<Err = memdir_core::journal::record::UnknownWord>>(
    word: Option<&str>,
) -> Result<()> {
    if let Some(word) = word {
        word.parse::<W>()?;
    }
    Ok(())
}
