use std::fs::File;
use std::io::Read;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::memory::auto_index::ARCHIVE;
use memdir_core::memory::topic::validity::Validity;

use super::{Features, RecallOptions, RecentWork};
use crate::collection::{Scope, open_file};
use crate::document::{front_and_body, without_secrets};

/// A memory that is being considered.
pub(super) struct MemoryFile {
    pub(super) path: Utf8PathBuf,
    pub(super) scope: Scope,
    pub(super) modified: Option<Timestamp>,
    pub(super) text: String,
    pub(super) body: String,
    name: String,
    pub(super) description: String,
    pub(super) kind: String,
    /// Phrases that say when it will be needed.
    pub(super) cues: Vec<String>,
    /// How long and where it counts.
    pub(super) validity: Validity,
    pub(super) features: Features,
    /// How likely it is that the agent needs it.
    pub(super) probability: f32,
}

/// No memory is longer.
const MAX_BYTES: u64 = 256 << 10;

/// Words by which a note about a tool is more than a manual.
static WARNINGS: &[&str] = &[
    "avoid",
    "beware",
    "break",
    "breaks",
    "broken",
    "bug",
    "careful",
    "caution",
    "danger",
    "do not",
    "don't",
    "fails",
    "flaky",
    "gotcha",
    "instead of",
    "issue",
    "never",
    "pitfall",
    "trap",
    "warning",
    "workaround",
];

impl MemoryFile {
    pub(super) fn read(file: File, path: Utf8PathBuf, scope: Scope) -> Option<Self> {
        let modified = file.metadata().ok()?.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (front, body) = front_and_body(&text);
        Some(Self {
            name: front.name.to_owned(),
            description: front.description.to_owned(),
            kind: front.kind.to_owned(),
            cues: front.cues.iter().map(|cue| (*cue).to_owned()).collect(),
            body: body.to_owned(),
            validity: Validity::of(&text),
            text,
            path,
            scope,
            modified,
            features: Features::default(),
            probability: 0.0,
        })
    }

    /// Whether it counts now, on this branch and in this worktree.
    pub(super) fn counts(&self, options: &RecallOptions<'_>) -> bool {
        let is_archived = self.path.parent().and_then(Utf8Path::file_name) == Some(ARCHIVE);
        let written = self.modified.unwrap_or(options.now);
        !is_archived
            && self.validity.is_here(options.branch, options.worktree)
            && !self.validity.has_expired(written, options.now)
    }

    /// The memory that replaced it, at the end of a chain of replacements; itself if none did or it is gone.
    pub(super) fn newest(self) -> Self {
        const MOST: usize = 8;
        let mut newest = self;
        for _ in 0..MOST {
            let Some(by) = newest.validity.superseded_by.as_deref() else { break };
            let path = newest.path.with_file_name(format!("{by}.md"));
            let is_name = path.file_stem() == Some(by);
            let Some(next) = is_name.then(|| open_file(&path).ok()).flatten() else { break };
            let Some(next) = Self::read(next, path, newest.scope) else { break };
            newest = next;
        }
        newest
    }

    /// What a model needs of it: the description, unless the text says it too, and the text.
    pub(super) fn essence(&self) -> String {
        let body = self.body.trim();
        if self.description.is_empty() || body.contains(&self.description) {
            return body.to_owned();
        }
        format!("{}\n\n{body}", self.description).trim_end().to_owned()
    }

    /// What it is about, in one line that is safe to show.
    pub(super) fn one_line(&self, most: usize) -> String {
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let description = line(&self.description);
        let text = if description.is_empty() {
            line(self.body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default())
        } else {
            description
        };
        let (text, _) = memdir_core::secrets::redact(&text);
        let text = without_secrets(text.into());
        let shown = text
            .chars()
            .filter(|c| !memdir_core::hidden_char::is_hidden(*c) && !matches!(c, '<' | '>' | '`'));
        shown.take(most).collect()
    }

    /// The sentences and lines of its text; what is beyond the first ones is not looked at.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &str> {
        const MOST: usize = 64;
        self.body.lines().flat_map(sentences).take(MOST)
    }

    /// Its name, or the file's.
    pub(super) fn name(&self) -> String {
        let stem = || self.path.file_stem().unwrap_or_default().to_owned();
        if self.name.is_empty() { stem() } else { self.name.clone() }
    }

    /// What is above the text.
    pub(super) fn title(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default();
        let heading = self.body.lines().find(|line| line.starts_with("# ")).unwrap_or_default();
        format!("{} {stem} {} {heading}", self.name, self.description)
    }

    /// Whether it mentions a file that changed last, or is titled with a word of the branch's name.
    pub(super) fn is_recent(&self, recent: &RecentWork) -> bool {
        let mentions = |file: &String| {
            let name = file.rsplit('/').next().unwrap_or_default();
            self.text.contains(file.as_str()) || name.contains('.') && self.text.contains(name)
        };
        let title = self.title().to_lowercase();
        let mut words = title.split(|c: char| !c.is_alphanumeric());
        recent.files.iter().any(mentions)
            || words.any(|word| recent.branch_words.iter().any(|own| own == word))
    }

    /// Whether it only says how to use one of these tools: an agent that uses it knows, unless it warns.
    pub(super) fn is_usage_note_of(&self, tools: &[String]) -> bool {
        let title = self.title().to_lowercase();
        let names_tool = tools.iter().any(|tool| {
            let tool = tool.to_lowercase();
            !tool.is_empty() && title.split(|c: char| !c.is_alphanumeric()).any(|word| word == tool)
        });
        let text = self.text.to_lowercase();
        names_tool && self.kind == "reference" && !WARNINGS.iter().any(|warning| text.contains(warning))
    }
}

/// The sentences of a line. A mark ends one only before a space, so file names and numbers stay whole.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = |(at, c): (usize, char)| {
            let after = at + c.len_utf8();
            let is_end = match c {
                '.' | '!' | '?' | ';' | ':' => rest.get(after..)?.starts_with(char::is_whitespace),
                '。' | '！' | '？' => true,
                _ => false,
            };
            is_end.then_some(after)
        };
        let end = rest.char_indices().find_map(ends).unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(sentence)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_file_name_does_not_end_a_sentence() {
        let sentences = |line| super::sentences(line).collect::<Vec<_>>();
        assert_eq!(
            sentences("Load data/tides.csv by hand. Version 3.0 does not."),
            ["Load data/tides.csv by hand.", "Version 3.0 does not."]
        );
        assert_eq!(sentences("毎週月曜。手で読む"), ["毎週月曜。", "手で読む"]);
        assert_eq!(sentences("  "), Vec::<&str>::new());
    }
}
