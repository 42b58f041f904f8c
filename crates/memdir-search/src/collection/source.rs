use camino::Utf8PathBuf;

use crate::segment::checksum;

/// A folder that is indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Absolute.
    pub root: Utf8PathBuf,
    /// What its files are.
    pub kind: Kind,
    /// Only these files, relative to the root or absolute, rather than all that it holds.
    pub files: Option<Vec<Utf8PathBuf>>,
    /// What it is to the user.
    pub scope: Scope,
    /// The project that it belongs to, as the user would name it; empty if it belongs to none.
    pub project: String,
}

/// What the files of a folder are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Markdown; a hit is a file.
    Markdown,
    /// Session transcripts; a hit is a turn.
    Transcripts,
}

/// What a file is to the user: the words of `in:` and `--in`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// MEMORY.md and topic files.
    Memories,
    /// What the team shares.
    Team,
    /// Memory of custom agents.
    Agents,
    /// Daily logs.
    Logs,
    /// The journal of infinite memory mode.
    Journal,
    /// CLAUDE.md and its like.
    Instructions,
    /// Session transcripts.
    Sessions,
    /// Any folder that was named.
    Folder,
}

impl Scope {
    /// All that can be named.
    pub const ALL: [Self; 7] = [
        Self::Memories,
        Self::Team,
        Self::Agents,
        Self::Logs,
        Self::Journal,
        Self::Instructions,
        Self::Sessions,
    ];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memories => "memories",
            Self::Team => "team",
            Self::Agents => "agents",
            Self::Logs => "logs",
            Self::Journal => "journal",
            Self::Instructions => "instructions",
            Self::Sessions => "sessions",
            Self::Folder => "folder",
        }
    }

    /// The scope with this name, singular or plural.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let same = |scope: &Self| {
            let word = scope.as_str();
            word == name || word.strip_suffix('s') == Some(name) || (word == "memories" && name == "memory")
        };
        Self::ALL.into_iter().find(same)
    }
}

impl Source {
    /// A folder of Markdown.
    #[must_use]
    pub fn markdown(root: Utf8PathBuf, scope: Scope) -> Self {
        Self { root, kind: Kind::Markdown, files: None, scope, project: String::new() }
    }

    /// A folder of transcripts.
    #[must_use]
    pub fn transcripts(root: Utf8PathBuf) -> Self {
        let scope = Scope::Sessions;
        Self { root, kind: Kind::Transcripts, files: None, scope, project: String::new() }
    }

    /// What a file of it is to the user: a memory directory holds the team's memory and the daily logs too.
    #[must_use]
    pub fn scope_of(&self, path: &str) -> Scope {
        match (self.scope, path.split_once('/')) {
            (Scope::Memories, Some(("team", _))) => Scope::Team,
            (Scope::Memories, Some(("logs", _))) => Scope::Logs,
            (scope, _) => scope,
        }
    }

    /// The name of the folder that holds its index: the same for the same folder and kind.
    pub(super) fn folder_name(&self) -> String {
        let kind = match self.kind {
            Kind::Markdown => "markdown",
            Kind::Transcripts => "transcripts",
        };
        // A list of files may change; it is then the same index with other files.
        let whole = format!("{}\0{}", self.root, if self.files.is_some() { "listed" } else { "" });
        format!("{kind}-{:08x}{:08x}", checksum(whole.as_bytes()), checksum(format!("{whole}\0").as_bytes()))
    }
}

impl Kind {
    pub(super) fn wants_file(self, name: &str) -> bool {
        match self {
            Self::Markdown => name.ends_with(".md") || name.ends_with(".markdown"),
            Self::Transcripts => name.ends_with(".jsonl"),
        }
    }

    pub(super) fn wants_directory(self, name: &str) -> bool {
        match self {
            Self::Markdown => name != "node_modules",
            Self::Transcripts => name != "memory",
        }
    }
}
