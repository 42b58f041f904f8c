use memdir_core::journal::names::{analysis, decision_stem, next_number, slug, timed};
use memdir_core::journal::record::{
    AnalysisType, DecisionCategory, DecisionStatus, Kind, ProjectType, Record, edit_field,
};
use memdir_core::journal::stamp;
use memdir_core::plan::{Change, Content};
use memdir_core::rel_path::RelPath;

use super::follow::News;
use super::gate::borrowed;
use super::{Followed, Journal, JournalError, MAX_FILE_BYTES, Writer, Written, absent_if_missing};

/// A decision to be written down. `text` is a whole record, some of its sections, or plain words.
#[derive(Debug, Clone, Default)]
pub struct NewDecision<'d> {
    /// What it is called; else the text's own title.
    pub title: Option<&'d str>,
    /// One of [`DecisionCategory::WORDS`]; else the text's own.
    pub category: Option<&'d str>,
    /// One of [`DecisionStatus::WORDS`]; else the text's own, else `decided`.
    pub status: Option<&'d str>,
    /// The text.
    pub text: &'d str,
    /// Sections given one by one: heading and text.
    pub sections: Vec<(&'static str, &'d str)>,
    /// The decision that this one replaces.
    pub supersedes: Option<&'d str>,
}

/// An analysis to be written down.
#[derive(Debug, Clone, Default)]
pub struct NewAnalysis<'a> {
    /// The file or component.
    pub path: Option<&'a str>,
    /// One of [`AnalysisType::WORDS`]; else the text's own, else `file`.
    pub analysis_type: Option<&'a str>,
    /// The text.
    pub text: &'a str,
    /// Sections given one by one.
    pub sections: Vec<(&'static str, &'a str)>,
}

/// What shall be changed on the project's own page.
#[derive(Debug, Clone, Default)]
pub struct NewProject<'p> {
    /// One of [`ProjectType::WORDS`].
    pub project_type: Option<&'p str>,
    /// A text with sections; those that it has replace the old ones.
    pub text: &'p str,
    /// Sections given one by one.
    pub sections: Vec<(&'static str, &'p str)>,
}

impl Journal {
    /// Writes a decision down under the next number of the day.
    ///
    /// # Errors
    /// The journal is not active, a word is not one of the protocol's, there is nothing to write, or the disk fails.
    pub fn decide(&self, new: &NewDecision<'_>, writer: &Writer<'_>) -> Result<Written, JournalError> {
        self.must_be_active()?;
        let mut gate = self.gate(writer)?;
        let sections = gate.sections(&new.sections)?;
        let mut record = self.taken_apart(&gate.text(new.text)?, &borrowed(&sections), Kind::Decision);
        if let Some(title) = gate.optional(new.title)? {
            title.trim().clone_into(&mut record.title);
        }
        if record.title.is_empty() {
            return Err(JournalError::Nothing("a decision needs a title"));
        }
        if record.sections.iter().all(|(_, body)| body.trim().is_empty()) && record.preamble.is_empty() {
            return Err(JournalError::Nothing("a decision needs to say what was decided"));
        }
        let word = |given: Option<&str>, name: &str| given.or(record.field(name)).map(str::to_owned);
        let category =
            word(new.category, "Category").ok_or(JournalError::Nothing("a decision needs a category"))?;
        let category: DecisionCategory = category.parse()?;
        let status: DecisionStatus = word(new.status, "Status").as_deref().unwrap_or("decided").parse()?;
        let supersedes = new.supersedes.map(|name| self.find(name)).transpose()?;
        if let Some(old) = &supersedes
            && !old.starts_with("decisions/")
        {
            return Err(JournalError::Nothing("only a decision can be superseded by a decision"));
        }
        record.set_field("Date", &stamp(writer.now));
        record.set_field("Category", category.as_str());
        record.set_field("Status", status.as_str());
        if let Some(old) = &supersedes {
            record.set_field("Supersedes", old);
        }
        record.arrange(Kind::Decision);
        let content = record.to_string();
        let slug = slug(&record.title);
        let folder = RelPath::parse("decisions")?;
        let mut old_text = None;
        let name = |root: &memdir_disk::memory_root::MemoryRoot, attempt: u32| {
            let names = root.names(Some(&folder));
            let number =
                next_number(names.iter().map(String::as_str), writer.now).saturating_add(attempt - 1);
            let stem = decision_stem(writer.now, number);
            Ok((format!("decisions/{stem}_{slug}.md"), format!("decisions/{stem}")))
        };
        let also = |root: &memdir_disk::memory_root::MemoryRoot, chosen: &str| {
            let Some(old) = &supersedes else { return Ok(Vec::new()) };
            let path = RelPath::parse(old)?;
            let Some(base) = absent_if_missing(root.read(&path, MAX_FILE_BYTES))? else {
                return Ok(Vec::new());
            };
            let text = String::from_utf8_lossy(&base);
            let changed = edit_field(&text, "Status", "superseded", "Category");
            let changed = edit_field(&changed, "Superseded by", chosen, "Status");
            old_text = Some(changed.clone());
            Ok(vec![Change::Write { path, content: changed.into(), base: Some(Content(base)) }])
        };
        let reason = format!("decide: {}", record.title);
        let (path, applied) = self.create(writer, &reason, name, &content, also)?;
        let mut news: Vec<News> = Vec::new();
        if let (Some(old), Some(text)) = (&supersedes, &old_text) {
            news.extend(News::of(old, text, writer));
        }
        news.extend(News::of(&path, &content, writer));
        Ok(self.written(path, [gate.warnings, applied.warnings].concat(), &news, writer))
    }

    /// Writes an analysis down; one of the same path before is replaced and stays in history.
    ///
    /// # Errors
    /// As [`Journal::decide`].
    pub fn analyze(&self, new: &NewAnalysis<'_>, writer: &Writer<'_>) -> Result<Written, JournalError> {
        self.must_be_active()?;
        let mut gate = self.gate(writer)?;
        let sections = gate.sections(&new.sections)?;
        let mut record = self.taken_apart(&gate.text(new.text)?, &borrowed(&sections), Kind::Analysis);
        let subject = gate.optional(new.path)?.or_else(|| record.field("Path").map(str::to_owned));
        let subject = subject
            .ok_or(JournalError::Nothing("an analysis needs the path or component that it is about"))?;
        let subject = subject.trim();
        if subject.is_empty() {
            return Err(JournalError::Nothing("an analysis needs the path or component that it is about"));
        }
        if record.sections.iter().all(|(_, body)| body.trim().is_empty()) && record.preamble.is_empty() {
            return Err(JournalError::Nothing("an analysis needs to say what was found"));
        }
        let kind = new.analysis_type.or(record.field("Type")).unwrap_or("file");
        let kind: AnalysisType = kind.parse()?;
        if record.title.is_empty() {
            record.title = format!("Analysis: {subject}");
        }
        record.set_field("Analyzed", &stamp(writer.now));
        record.set_field("Path", subject);
        record.set_field("Type", kind.as_str());
        record.arrange(Kind::Analysis);
        let content = record.to_string();
        let reason = format!("analyze {subject}");
        let mut chosen = String::new();
        let applied = self.apply(writer, |root| {
            for attempt in 1..=100 {
                let path = RelPath::parse(&analysis(subject, attempt))?;
                let base = absent_if_missing(root.read(&path, MAX_FILE_BYTES))?;
                let old = base.as_ref().map(|base| Record::parse(&String::from_utf8_lossy(base)));
                // Another path may lead to the same name: `a_b.rs` and `a/b.rs`.
                if old.as_ref().is_some_and(|old| old.field("Path").is_some_and(|path| path != subject)) {
                    continue;
                }
                path.as_str().clone_into(&mut chosen);
                let mut plan = memdir_core::plan::Plan::new(&reason);
                plan.changes.push(Change::Write {
                    path,
                    content: content.as_str().into(),
                    base: base.map(Content),
                });
                return Ok(plan);
            }
            Err(JournalError::Crowded { wanted: analysis(subject, 1) })
        })?;
        let news = News::of(&chosen, &content, writer);
        Ok(self.written(chosen, [gate.warnings, applied.warnings].concat(), news.as_slice(), writer))
    }

    /// Writes a note down, a file of its own.
    ///
    /// # Errors
    /// As [`Journal::decide`].
    pub fn note(&self, title: &str, text: &str, writer: &Writer<'_>) -> Result<Written, JournalError> {
        self.must_be_active()?;
        let mut gate = self.gate(writer)?;
        let title = gate.text(title)?;
        let mut record = Record::parse(&gate.text(text)?);
        if !title.trim().is_empty() {
            title.trim().clone_into(&mut record.title);
        }
        if record.title.is_empty() {
            record.title = record.summary(Kind::Note);
        }
        if record.title.is_empty() {
            return Err(JournalError::Nothing("a note needs words"));
        }
        record.set_field("Date", &stamp(writer.now));
        record.arrange(Kind::Note);
        let content = record.to_string();
        let name = |_: &memdir_disk::memory_root::MemoryRoot, attempt: u32| {
            let path = timed("context", writer.now, &record.title, attempt);
            Ok((path.clone(), path.trim_end_matches(".md").to_owned()))
        };
        let reason = format!("note: {}", record.title);
        let (path, applied) = self.create(writer, &reason, name, &content, |_, _| Ok(Vec::new()))?;
        let news = News::of(&path, &content, writer);
        Ok(self.written(path, [gate.warnings, applied.warnings].concat(), news.as_slice(), writer))
    }

    /// Fills the project's own page: what is given replaces what was there, the rest stays.
    ///
    /// # Errors
    /// As [`Journal::decide`].
    pub fn describe_project(
        &self,
        new: &NewProject<'_>,
        writer: &Writer<'_>,
    ) -> Result<Written, JournalError> {
        self.must_be_active()?;
        let mut gate = self.gate(writer)?;
        let sections = gate.sections(&new.sections)?;
        let given = self.taken_apart(&gate.text(new.text)?, &borrowed(&sections), Kind::Project);
        let project_type =
            new.project_type.or(given.field("Type")).map(str::parse::<ProjectType>).transpose()?;
        let applied = self.update(writer, "describe the project", PROJECT_FILE, |old| {
            let mut record = Record::parse(old);
            record.title = format!("Project: {}", self.key());
            record.set_field("Path", self.here.root.as_str());
            let kept = record.field("Type").unwrap_or("application").to_owned();
            record.set_field("Type", &project_type.map_or(kept, |known| known.to_string()));
            record.set_field("Last Updated", &stamp(writer.now));
            for (heading, body) in given.sections.iter().filter(|(_, body)| !body.trim().is_empty()) {
                record.set_section(heading, body);
            }
            record.arrange(Kind::Project);
            Ok(record.to_string())
        })?;
        Ok(self.written(PROJECT_FILE.to_owned(), [gate.warnings, applied.warnings].concat(), &[], writer))
    }

    /// A text as a record: its own sections, or all of it as the section that matters most, and those given singly.
    fn taken_apart(&self, text: &str, sections: &[(&'static str, &str)], kind: Kind) -> Record {
        let mut record = Record::parse(text);
        let main = kind.main_section().unwrap_or_default();
        if record.section(main).is_none() && !record.preamble.is_empty() {
            let preamble = std::mem::take(&mut record.preamble);
            record.set_section(main, &preamble);
        }
        for (heading, body) in sections {
            record.set_section(heading, body);
        }
        record
    }

    pub(super) fn written(
        &self,
        path: String,
        warnings: Vec<String>,
        news: &[News],
        writer: &Writer<'_>,
    ) -> Written {
        let followed: Followed = self.follow(news, &[], writer);
        Written { path, warnings, followed }
    }
}

/// The project's own page.
pub(super) const PROJECT_FILE: &str = "project.md";
