//! What decides about keys and texts of a folder: nothing here reads a file.

use memdir_core::config::WriteMode;
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::index;
use memdir_core::memory::text_merge::merge_text;
use memdir_core::team_key::TeamKey;
use memdir_lib::memory::ReviewDecision;

use super::{Folder, Kind};
use crate::local::{Rules, SentFrom};

impl Rules for Folder<'_> {
    fn refuses_key(&self, key: &str) -> Option<String> {
        // The index of a person's memory is a file like any other; that of a team is made from the files.
        let name = key.rsplit('/').next().unwrap_or_default();
        let checked = match self.kind {
            Kind::Personal if name == ENTRYPOINT => key.replace(ENTRYPOINT, "index.md"),
            _ => key.to_owned(),
        };
        TeamKey::parse(&checked).err().map(|refused| refused.to_string())
    }

    fn wants(&self, key: &str) -> bool {
        self.root_of(key).is_some()
    }

    fn folder_of(&self, key: &str) -> &str {
        self.root_of(key).map_or("", |root| root.prefix.as_str())
    }

    fn refuses_to_share(&self, key: &str, text: &str, has_earlier_text: bool) -> Option<String> {
        match self.kind {
            Kind::Team if has_earlier_text => {
                let why = self.rules.refusal(key, text)?;
                let name = key.strip_suffix(".md").unwrap_or(key);
                Some(format!(
                    "{why}; the team has an earlier text of it, which `memdir team unshare {name}` removes"
                ))
            }
            Kind::Team => self.rules.refusal(key, text),
            Kind::Personal => self.rules.refusal_of_own(key, text),
        }
    }

    fn refuses_to_take(&self, key: &str, text: &str) -> Option<String> {
        match self.kind {
            Kind::Team => self.rules.secret_in_name(key).or_else(|| self.rules.secret_in(text)),
            Kind::Personal => None,
        }
    }

    fn merge(&self, key: &str, base: &str, mine: &str, theirs: &str) -> Option<String> {
        if self.is_own_index(key) {
            return Some(index::merge(base, mine, theirs).text);
        }
        merge_text(base, mine, theirs).ok()
    }

    fn is_list(&self, key: &str) -> bool {
        self.is_own_index(key)
    }

    fn reviews(&self) -> bool {
        self.mode != WriteMode::Auto
    }

    fn sent_from(&self, key: &str) -> Option<SentFrom> {
        self.questions.sent_from.get(key).cloned()
    }

    fn rejects(&self, key: &str, id: &str) -> bool {
        let answer = self.questions.answers.get(key);
        answer.is_some_and(|(asked, answer)| *answer == ReviewDecision::Rejected && asked.entry.id == id)
    }
}
