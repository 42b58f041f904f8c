//! The write gate of a journal: the same rules as for memory, asked before anything is derived from a text.

use memdir_core::config::WriteScope;
use memdir_core::gate::{WriteGate, secrets_policy};
use memdir_core::secrets::AllowList;
use memdir_disk::allow_list;

use super::{Journal, JournalError, Writer};
use crate::memory::{MemoryError, read_config};

/// The rules for one writer, and what was left out of the writer's texts.
pub(super) struct JournalGate {
    rules: WriteGate<'static>,
    allowed: Option<AllowList>,
    pub(super) warnings: Vec<String>,
}

impl Journal {
    /// The gate for a writer.
    ///
    /// # Errors
    /// This writer may not write here, or the settings cannot be understood.
    pub(super) fn gate(&self, writer: &Writer<'_>) -> Result<JournalGate, JournalError> {
        let config = read_config(self.env.config_file().as_deref())?;
        let author = writer.author.kind;
        let rules = WriteGate {
            author,
            is_on: self.is_on && config.features.auto_memory,
            mode: config.mode(author, self.memory_store.as_ref(), WriteScope::Memory),
            secrets: secrets_policy(config.secrets.on_write, author),
            allowed: None,
        };
        rules.may_write().map_err(MemoryError::from)?;
        Ok(JournalGate { rules, allowed: allow_list::load(&self.state_dir()?)?, warnings: Vec::new() })
    }
}

impl JournalGate {
    /// The gate itself.
    pub(super) fn rules(&self) -> WriteGate<'_> {
        WriteGate { allowed: self.allowed.as_ref(), ..self.rules }
    }

    /// A text as it may be written. Titles, names, index lines and reasons are made from this one.
    pub(super) fn text(&mut self, text: &str) -> Result<String, JournalError> {
        let screened = self.rules().screen(text, "the journal")?;
        self.warnings.extend(screened.warnings);
        Ok(screened.text)
    }

    /// The same for a text that may be missing.
    pub(super) fn optional(&mut self, text: Option<&str>) -> Result<Option<String>, JournalError> {
        text.map(|text| self.text(text)).transpose()
    }

    /// The same for sections: heading and text.
    pub(super) fn sections(
        &mut self,
        sections: &[(&'static str, &str)],
    ) -> Result<Vec<(&'static str, String)>, JournalError> {
        sections.iter().map(|(heading, text)| Ok((*heading, self.text(text)?))).collect()
    }
}

/// Sections that borrow from screened ones.
pub(super) fn borrowed<'s>(sections: &'s [(&'static str, String)]) -> Vec<(&'static str, &'s str)> {
    sections.iter().map(|(heading, text)| (*heading, text.as_str())).collect()
}
