//! What keeps a text from being shared.

use camino::Utf8Path;
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::topic::Topic;
use memdir_core::secrets::{AllowList, scan, scan_except};
use memdir_disk::allow_list;
use memdir_disk::disk_error::DiskError;
use memdir_wire::entry::MAX_TEXT_BYTES;

/// The rules, with what the user declared harmless.
pub(crate) struct PrivateRules {
    allowed: Option<AllowList>,
}

impl PrivateRules {
    pub(crate) fn load(state_dir: &Utf8Path) -> Result<Self, DiskError> {
        Ok(Self { allowed: allow_list::load(state_dir)? })
    }

    /// Why a text stays with its user; never the secret itself.
    pub(crate) fn refusal(&self, text: &str) -> Option<String> {
        if Topic::parse_head_of_whole(text).0.memory_type == Some(MemoryType::User) {
            return Some("its type is `user`, and what is about a person is never shared".to_owned());
        }
        self.refusal_of_own(text)
    }

    /// Why a text stays on this machine, even if the others are its user's own.
    pub(crate) fn refusal_of_own(&self, text: &str) -> Option<String> {
        if text.len() > MAX_TEXT_BYTES {
            return Some(format!("it is larger than {MAX_TEXT_BYTES} bytes"));
        }
        if text.contains('\0') {
            return Some("it is no text".to_owned());
        }
        let found = match &self.allowed {
            Some(allowed) => scan_except(text, allowed),
            None => scan(text),
        };
        let first = found.first()?;
        Some(format!("line {} looks like a secret ({})", first.line, first.rule))
    }
}
