//! Every place below memdir's state directory, in one list: `audit` searches it, `purge` cleans it, and the table in
//! docs/FORMAT.md is compared with it.

/// One file or folder below the state directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatePlace {
    /// Its name below the state directory; a folder ends in `/`.
    pub name: &'static str,
    /// How it keeps text of memories.
    pub text: KeptText,
}

/// How a place keeps the text of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptText {
    /// Not at all: ids, hashes, counts, our own settings.
    Never,
    /// Derived from memories: a purge removes all of it, and it comes back.
    Derived,
    /// In files that can be removed one by one.
    Files,
    /// In history, whose segments are written anew.
    History,
    /// In files that are needed: a purge names those that still hold the text.
    Needed,
    /// As memories of the user, which no uninstall removes.
    Memories,
}

/// The memory of this machine: among our own state, so that nothing that is synced or published holds it.
pub const MACHINE_MEMORY: &str = "machine-memory";

/// Every place below the state directory.
pub const STATE_PLACES: [StatePlace; 25] = [
    place("mcp-token", KeptText::Never),
    place("registry/", KeptText::Needed),
    place("registry/snapshots/", KeptText::Files),
    place("history/", KeptText::History),
    place("staged/", KeptText::Files),
    place("kept/", KeptText::Files),
    place("model/", KeptText::Never),
    place("dream/", KeptText::Files),
    place("extract/", KeptText::Needed),
    place("scratch/", KeptText::Files),
    place("moves/", KeptText::Needed),
    place("sync/", KeptText::Needed),
    place("setup/", KeptText::Needed),
    place("claude-plugin/", KeptText::Never),
    place("sessions/", KeptText::Files),
    place("log/", KeptText::Files),
    place("paused/", KeptText::Never),
    place("paused-before/", KeptText::Never),
    place("work/", KeptText::Never),
    place("untold/", KeptText::Never),
    place("secrets/", KeptText::Never),
    place("semantic/", KeptText::Never),
    place("locks/", KeptText::Never),
    place("cache/", KeptText::Derived),
    place("machine-memory/", KeptText::Memories),
];

const fn place(name: &'static str, text: KeptText) -> StatePlace {
    StatePlace { name, text }
}

impl StatePlace {
    /// The place of a file, by its path below the state directory; the most exact one.
    #[must_use]
    pub fn of(path: &str) -> Option<&'static Self> {
        let holds = |place: &&Self| match place.name.strip_suffix('/') {
            Some(folder) => path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
            None => path == place.name,
        };
        STATE_PLACES.iter().filter(holds).max_by_key(|place| place.name.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_most_exact_place() {
        let name = |path: &str| StatePlace::of(path).map(|place| place.name);
        assert_eq!(name("registry/snapshots/x.json"), Some("registry/snapshots/"));
        assert_eq!(name("registry/projects/x.json"), Some("registry/"));
        assert_eq!(name("kept/store/hash"), Some("kept/"));
        assert_eq!(name("elsewhere/x"), None);
    }
}
