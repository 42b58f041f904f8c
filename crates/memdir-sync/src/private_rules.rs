//! What keeps a text from being shared.

use camino::Utf8Path;
use memdir_core::content_hash::ContentHash;
use memdir_core::memory::frontmatter::Frontmatter;
use memdir_core::memory::topic::Topic;
use memdir_core::secrets::{AllowList, Finding, scan, scan_except};
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

    /// What changes whenever the user declares something else harmless.
    pub(crate) fn print(&self) -> String {
        ContentHash::of(format!("{:?}", self.allowed).as_bytes()).to_string()
    }

    /// Why a text stays with its user; never the secret itself.
    pub(crate) fn refusal(&self, key: &str, text: &str) -> Option<String> {
        if is_about_a_person(text) {
            return Some("its type is `user`, and what is about a person is never shared".to_owned());
        }
        self.refusal_of_own(key, text)
    }

    /// Why a text stays on this machine, even if the others are its user's own.
    pub(crate) fn refusal_of_own(&self, key: &str, text: &str) -> Option<String> {
        if text.len() > MAX_TEXT_BYTES {
            return Some(format!("it is larger than {MAX_TEXT_BYTES} bytes"));
        }
        if text.contains('\0') {
            return Some("it is not UTF-8 text".to_owned());
        }
        self.secret_in_name(key).or_else(|| self.secret_in(text))
    }

    /// Whether a file's name is a secret; the rule alone is named.
    pub(crate) fn secret_in_name(&self, key: &str) -> Option<String> {
        let found = self.secrets(key);
        Some(format!("its name looks like a secret ({})", found.first()?.rule))
    }

    /// Where a secret is in a text; never the secret itself.
    pub(crate) fn secret_in(&self, text: &str) -> Option<String> {
        let found = self.secrets(text);
        let first = found.first()?;
        Some(format!("line {} looks like a secret ({})", first.line, first.rule))
    }

    fn secrets(&self, text: &str) -> Vec<Finding> {
        match &self.allowed {
            Some(allowed) => scan_except(text, allowed),
            None => scan(text),
        }
    }
}

/// Whether a type `user` is anywhere among the fields: in capitals, in quotes, in a list, at the top or below
/// `metadata`. The sync asks more widely than a reader of the memory would, because what went out is out.
fn is_about_a_person(text: &str) -> bool {
    let is_user = |word: &str| word.trim().eq_ignore_ascii_case("user");
    if Topic::parse_head_of_whole(text).0.memory_type.is_some_and(|found| is_user(found.as_str())) {
        return true;
    }
    let Some(fields) = Frontmatter::parse(text).0 else { return false };
    let head = text.get(..fields.body_start()).unwrap_or_default();
    let mut is_open = false;
    for line in head.lines() {
        let starts_field = line.contains(':');
        let mut values = if is_open && !starts_field { vec![line] } else { Vec::new() };
        is_open &= !starts_field;
        // Fields are on lines of their own, or in braces after commas.
        for (at, part) in line.split(['{', ',']).enumerate() {
            let Some((name, value)) = part.split_once(':') else {
                if at > 0 && is_open {
                    values.push(part);
                }
                continue;
            };
            is_open = name.trim_matches(is_around_a_word).eq_ignore_ascii_case("type");
            if is_open {
                values.push(value);
            }
        }
        if values.iter().any(|value| value.split(is_around_a_word).any(is_user)) {
            return true;
        }
    }
    false
}

fn is_around_a_word(letter: char) -> bool {
    !letter.is_alphanumeric() && !matches!(letter, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fields: &str, expected: bool) {
        assert_eq!(is_about_a_person(&format!("---\n{fields}\n---\n\nbody\n")), expected, "{fields}");
    }

    #[test]
    fn a_person_is_private_however_the_type_is_written() {
        for fields in [
            "type: user",
            "type: User",
            "Type: USER",
            "\"type\": \"user\"",
            "type: [user]",
            "type: [feedback, user]",
            "type:\n  - user",
            "type:\n  - feedback\n  - User",
            "metadata:\n  type: user",
            "metadata: {node_type: memory, type: user}",
            "type: user\nmetadata:\n  type: project",
            "metadata:\n  type: project\ntype: user",
            "type: user # who we are",
        ] {
            check(fields, true);
        }
        for fields in [
            "type: project",
            "name: user",
            "description: what a user sees",
            "node_type: user",
            "type: project\ntags:\n  - user",
            "type: user-guide",
            "metadata: {type: project, owner: user}",
        ] {
            check(fields, false);
        }
        assert!(!is_about_a_person("type: user\n"));
    }
}
