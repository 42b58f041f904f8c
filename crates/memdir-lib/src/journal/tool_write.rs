//! An agent's own tool writes a file of the journal: judged before, taken into the index after.

use camino::Utf8Path;
use memdir_core::journal::row::Category;
use memdir_core::rel_path::RelPath;
use memdir_core::tool_path::below;

use super::follow::News;
use super::{Followed, Journal, JournalError, Writer};

impl Journal {
    /// Why a sub-agent may not write a file with its own tools; `None` if it may, or if the file is not of the journal.
    #[must_use]
    pub fn refuse_subagent(&self, path: &str, home: Option<&Utf8Path>) -> Option<String> {
        let path = below(path, self.directory(), home)?;
        let is_own = path.starts_with("subagent/") && path.ends_with(".md");
        (!is_own).then(|| {
            format!(
                "A sub-agent writes only below `subagent/` of the journal, so `{}` stays as it is: the agent that started you updates it with `memdir journal consolidate`. Leave your result with `memdir journal subagent write --task NAME --file -`.",
                memdir_core::hygiene::quote_line(&path)
            )
        })
    }

    /// Gives a record that a tool wrote its row in the index. `None` if the file is not a record that has one; outputs
    /// of sub-agents get theirs when they are consolidated.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn after_tool(
        &self,
        path: &str,
        home: Option<&Utf8Path>,
        writer: &Writer<'_>,
    ) -> Result<Option<Followed>, JournalError> {
        let Some(path) = below(path, self.directory(), home) else { return Ok(None) };
        let category = Category::of_path(&path).filter(|category| *category != Category::SubAgent);
        if category.is_none() || RelPath::parse(&path).is_err() || !self.is_active() {
            return Ok(None);
        }
        let Some(text) = self.text(&self.root()?, &path)? else { return Ok(None) };
        let news = News::of(&path, &text, writer);
        let emptied: &[&str] = if news.is_none() { &[&path] } else { &[] };
        Ok(Some(self.follow(news.as_slice(), emptied, writer)))
    }
}
