//! The name of an agent, and the one directory component that it becomes.

use std::fmt;

/// The longest directory name that every file system takes.
const MAX_BYTES: usize = 255;

/// The name of an agent, with the directory it means. The name is anything; the directory is always one
/// component of `[A-Za-z0-9_-]`, so a name cannot lead anywhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentName {
    name: String,
    directory: String,
}

/// Why a name is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameRefused {
    /// No directory comes of it.
    #[error("an agent has a name")]
    Empty,
    /// No file system takes its directory.
    #[error("the name of an agent has at most {MAX_BYTES} characters")]
    TooLong,
}

impl AgentName {
    /// Makes the client's directory name: every UTF-16 unit outside `[A-Za-z0-9_-]` becomes a dash.
    ///
    /// # Errors
    /// The name is empty or too long.
    pub fn parse(name: &str) -> Result<Self, NameRefused> {
        if name.is_empty() {
            return Err(NameRefused::Empty);
        }
        // Every unit becomes one byte, and no character has more units than bytes.
        if name.len() > 3 * MAX_BYTES {
            return Err(NameRefused::TooLong);
        }
        let kept = |unit: u16| {
            let letter = u8::try_from(unit).ok().map(char::from);
            letter.filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
        };
        let directory: String = name.encode_utf16().map(|unit| kept(unit).unwrap_or('-')).collect();
        if directory.len() > MAX_BYTES {
            return Err(NameRefused::TooLong);
        }
        Ok(Self { name: name.to_owned(), directory })
    }

    /// The name as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The directory's name.
    #[must_use]
    pub fn directory(&self) -> &str {
        &self.directory
    }

    /// What a person should know if the directory is called otherwise: another agent may get the same one.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let changed = self.name != self.directory;
        changed.then(|| {
            format!(
                "the agent `{}` keeps its memory under the name `{}`; an agent of that name would share it",
                self.name.escape_debug(),
                self.directory
            )
        })
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_become_directories_as_in_the_client() {
        let check = |name: &str, directory: &str| {
            let parsed = AgentName::parse(name).unwrap();
            assert_eq!(parsed.directory(), directory, "{name}");
            assert_eq!(parsed.warning().is_some(), name != directory, "{name}");
        };
        check("reviewer", "reviewer");
        check("a/b", "a-b");
        check("..", "--");
        check("../../etc", "------etc");
        check("Upper_Case.x", "Upper_Case-x");
        check("日本é", "---");
        check("😀", "--");
        check("plugin:agent", "plugin-agent");
        check("a\0b\n", "a-b-");
        assert_eq!(AgentName::parse(""), Err(NameRefused::Empty));
        assert_eq!(AgentName::parse(&"x".repeat(256)), Err(NameRefused::TooLong));
        assert_eq!(AgentName::parse(&"日".repeat(255)).unwrap().directory().len(), 255);
    }

    proptest! {
        #[test]
        fn a_directory_is_one_harmless_component(name in any::<String>()) {
            if let Ok(parsed) = AgentName::parse(&name) {
                let directory = parsed.directory();
                prop_assert!(!directory.is_empty());
                prop_assert!(directory.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
            }
        }
    }
}
