use std::fmt;

/// The scheme and the part of every address that names where in the project it lies.
const MEMORIES: &str = "memory://memories/";
const JOURNAL: &str = "memory://journal/";

/// The address of a memory or of a file of the journal: `memory://memories/topics/tabs.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryUri {
    /// A file of the memory directory, by its path there.
    Memory(String),
    /// A file of the journal, by its path there.
    Journal(String),
}

impl MemoryUri {
    /// Every address that a client may make up itself: what it is called, what it is, and its form.
    pub const TEMPLATES: [(&str, &str, &str); 2] = [
        ("memory", "A memory of this project, by its path", "memory://memories/{+path}"),
        ("journal", "A file of this project's journal, by its path", "memory://journal/{+path}"),
    ];

    /// Reads an address. The path may be hostile: the code that opens it confines it.
    #[must_use]
    pub fn parse(uri: &str) -> Option<Self> {
        let make = |path: &str| percent_decode(path).filter(|path| !path.is_empty() && !path.contains('\0'));
        if let Some(path) = uri.strip_prefix(MEMORIES) {
            return make(path).map(Self::Memory);
        }
        uri.strip_prefix(JOURNAL).and_then(make).map(Self::Journal)
    }

    /// The address of a memory.
    #[must_use]
    pub fn of_memory(path: &str) -> String {
        Self::Memory(path.to_owned()).to_string()
    }
}

impl fmt::Display for MemoryUri {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, path) = match self {
            Self::Memory(path) => (MEMORIES, path),
            Self::Journal(path) => (JOURNAL, path),
        };
        formatter.write_str(start)?;
        for byte in path.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                write!(formatter, "{}", char::from(byte))?;
            } else {
                write!(formatter, "%{byte:02X}")?;
            }
        }
        Ok(())
    }
}

/// The text that percent signs hide; `None` unless it is text.
pub(super) fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(behind.get(..2)?).ok()?;
            if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = behind.get(2..)?;
        } else {
            bytes.push(byte);
            rest = behind;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_its_path() {
        let check = |path: &str, uri: &str| {
            assert_eq!(MemoryUri::of_memory(path), uri);
            assert_eq!(MemoryUri::parse(uri), Some(MemoryUri::Memory(path.to_owned())));
        };
        check("tabs.md", "memory://memories/tabs.md");
        check("topics/größe 1%.md", "memory://memories/topics/gr%C3%B6%C3%9Fe%201%25.md");
        check("../x", "memory://memories/../x");
    }

    #[test]
    fn nothing_else_is_an_address() {
        let wrong = ["memory://memories/", "memory://other/x.md", "file:///x", "", "memory://memories/%00"];
        for uri in wrong.into_iter().chain(["memory://memories/%+1", "memory://memories/%e"]) {
            assert_eq!(MemoryUri::parse(uri), None, "{uri}");
        }
        assert_eq!(MemoryUri::parse("memory://journal/a.md"), Some(MemoryUri::Journal("a.md".to_owned())));
    }
}
