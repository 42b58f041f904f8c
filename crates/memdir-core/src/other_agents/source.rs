use super::table::SOURCES;

/// What an entry of the table says.
#[derive(Debug)]
pub(super) struct Entry {
    /// The word for it, with which the names of what comes from it begin.
    pub(super) name: &'static str,
    /// What is read.
    pub(super) help: &'static str,
    /// Whether what it keeps in a project are rules, rather than what was found out.
    pub(super) keeps_rules: bool,
    /// What it keeps where; nothing if all that can be read is a file that it exports.
    pub(super) places: &'static [Place],
}

/// A file, or the files of a folder.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) base: Base,
    pub(super) path: &'static str,
    /// How the names of a folder's files end; none for a file.
    pub(super) endings: &'static [&'static str],
}

/// Where a path begins. What lies outside a project is about the user in all projects, but for one that says it is not.
#[derive(Debug)]
pub(super) enum Base {
    /// The home directory.
    Home,
    /// Where a variable says, or else below the home directory.
    Named(&'static str, &'static str),
    /// The directory for settings of the user's programs.
    Config,
    /// The home directory, for what is about the project.
    HomeOfProject,
    /// The project.
    Project,
}

/// An agent or a tool whose memory can be imported, or a convention that several agents follow.
#[derive(Debug, Clone, Copy)]
pub struct OtherAgent(pub(super) &'static Entry);

impl PartialEq for OtherAgent {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for OtherAgent {}

impl OtherAgent {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        SOURCES.iter().map(Self)
    }

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "cline" { "memory-bank" } else { name };
        Self::all().find(|agent| agent.name().eq_ignore_ascii_case(name))
    }

    /// The word for it, with which the names of what comes from it begin.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What is read.
    #[must_use]
    pub fn help(self) -> &'static str {
        self.0.help
    }

    /// Whether all that can be read is a file that it exports.
    #[must_use]
    pub fn only_exports(self) -> bool {
        self.0.places.is_empty()
    }
}
