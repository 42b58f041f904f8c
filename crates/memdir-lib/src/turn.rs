//! What an agent is told at one turn, read from the disk.

use std::cell::RefCell;
use std::collections::HashMap;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::config::Features;
use memdir_core::env::Env;
use memdir_core::hygiene::Owner;
use memdir_core::instructions::{self, Collected, Kind, Reason, Surroundings};
use memdir_core::locate::{LocateError, Location, Trust, locate};
use memdir_core::look::{Kind as Entry, Look};
use memdir_core::memory::entrypoint::{ENTRYPOINT, MAX_BYTES};
use memdir_core::operation::Author;
use memdir_core::prompt::{
    AutoMemory, ComponentId, Form, IndexFile, InstructionText, Journal, MemoryText, PastSessions, Profile,
    Scratchpad, daily_log_section, instruction_files, memory_files, team_section,
};
use memdir_core::settings::{ClientFlags, SettingsError};
use memdir_disk::real_look::RealLook;
use memdir_disk::scratchpad::Scratchpads;

use crate::features::read_features;
use crate::memory::Memory;
use crate::place::{Place, switch_off};
use crate::session_memory::more_memory;
use crate::team::{TEAM_DIR, takes_part};

/// The team's index, below a memory directory.
const TEAM_INDEX: &str = "team/MEMORY.md";

/// Reads the components of a prompt that are ours. The author of an agent asks it for those and fills the slots
/// with their own text:
///
/// ```no_run
/// # use memdir_core::{env::Env, prompt::{ComponentId, Profile, PromptSession}, settings::ClientFlags};
/// # fn example(env: Env) -> Result<(), memdir_core::locate::LocateError> {
/// let source = memdir_lib::turn::TurnSource::open(env, ClientFlags::default(), None, Profile::Current)?;
/// let mut session = PromptSession::new(Profile::Current);
/// let turn = session.turn(|id| match id {
///     ComponentId::Language => Some("Answer in Danish.".to_owned()),
///     ours => source.text(ours),
/// });
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct TurnSource<'a> {
    env: Env,
    flags: ClientFlags,
    form: Form,
    profile: Profile,
    location: Location,
    guidelines: &'a [&'a str],
    add_dirs: Vec<Utf8PathBuf>,
    session: Option<String>,
    features: Features,
    now: Option<Timestamp>,
    /// Reading a component can find something to say.
    warnings: RefCell<Vec<String>>,
}

impl<'a> TurnSource<'a> {
    /// Finds the memory of a directory and the user's switches; nothing else is read yet. Without a form, the
    /// user's settings choose one.
    ///
    /// # Errors
    /// What the client itself would refuse to start with, and a missing home directory.
    pub fn open(
        env: Env,
        flags: ClientFlags,
        form: Option<Form>,
        profile: Profile,
    ) -> Result<Self, LocateError> {
        let mut location = locate(&env, &flags, &RealLook)?;
        // Only our registry knows whether the user agreed, and only then is it asked.
        if location.trust == Trust::NeedsConsent {
            location = Place::find(&env, &flags)?.location;
        }
        let (features, mut warnings) = read_features(&env);
        switch_off(&mut location, features);
        warnings.extend(location.all_warnings());
        let form = form.unwrap_or(if features.simple_prompt { Form::Short } else { Form::Long });
        let session = env.var(memdir_core::env::SESSION_ID).map(str::to_owned);
        Ok(Self {
            env,
            flags,
            form,
            profile,
            location,
            guidelines: &[],
            add_dirs: Vec::new(),
            session,
            features,
            now: None,
            warnings: RefCell::new(warnings),
        })
    }

    /// Adds guidelines of the caller to the memory section, an item each.
    #[must_use]
    pub fn with_guidelines(mut self, guidelines: &'a [&'a str]) -> Self {
        self.guidelines = guidelines;
        self
    }

    /// Says what time it is, so that the age of what is quoted can be told.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    /// Says which session it is, where the environment does not.
    #[must_use]
    pub fn in_session(mut self, session: Option<&str>) -> Self {
        self.session = session.map(str::to_owned).or(self.session);
        self
    }

    /// How to use the team's memory, for an agent whose client says nothing about it; `None` where there is none.
    #[must_use]
    pub fn team_section(&self) -> Option<String> {
        (self.location.enabled && self.has_team()).then(|| team_section(&self.location.memory_dir))
    }

    /// The indexes of memory that the client does not load itself, quoted.
    #[must_use]
    pub fn more_memory_text(&self) -> Option<String> {
        if !self.location.enabled {
            return None;
        }
        let found = more_memory(&self.env, &self.flags, &self.location.memory_dir);
        let files = found.iter().map(|(kind, file)| (*kind, file.path.as_path(), file.text.as_str()));
        Some(self.quoted(files)).filter(|text| !text.is_empty())
    }

    fn quoted<'f>(&self, files: impl Iterator<Item = (Kind, &'f Utf8Path, &'f str)>) -> String {
        let authors = self.last_authors();
        let shown = files.map(|(kind, path, text)| MemoryText {
            path,
            label: kind.label(),
            owner: if kind == Kind::Team { Owner::Team("its members") } else { Owner::User },
            text,
            modified: RealLook.modified(path),
            changed_by: match kind {
                Kind::Team => authors.get(TEAM_INDEX),
                Kind::AutoMemory => authors.get(ENTRYPOINT),
                _ => None,
            },
        });
        memory_files(shown, self.now)
    }

    /// How to keep the daily log, for an agent whose client asks for topic files; `None` while that is off.
    #[must_use]
    pub fn daily_log_section(&self) -> Option<String> {
        let is_on = self.location.enabled && self.features.daily_logs;
        is_on.then(|| daily_log_section(&self.location.memory_dir))
    }

    fn has_team(&self) -> bool {
        let folder = self.env.cwd.join(&self.location.memory_dir).join(TEAM_DIR);
        RealLook.kind(&folder) == Some(Entry::Dir) && takes_part(&self.env, &self.flags)
    }

    /// Where memory is, and whether it is on.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// What a person should know, a line each: about the settings, and about whatever was read so far.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.borrow().clone()
    }

    fn warn(&self, warning: String) {
        let mut warnings = self.warnings.borrow_mut();
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// The text of a component that is ours, as it is now; `None` for the slots and for what there is not.
    #[must_use]
    pub fn text(&self, id: ComponentId) -> Option<String> {
        match id {
            ComponentId::PastSessions => self.past_sessions(),
            ComponentId::AutoMemory => self.auto_memory(),
            ComponentId::Scratchpad if self.location.enabled => self.scratchpad(),
            ComponentId::Instructions => self.instruction_text(),
            ComponentId::Index if self.location.enabled => self.index_text(),
            ComponentId::Journal if self.location.enabled => self.journal(),
            ComponentId::Scratchpad
            | ComponentId::Index
            | ComponentId::Journal
            | ComponentId::ModelOverride
            | ComponentId::Environment
            | ComponentId::Language
            | ComponentId::OutputStyle
            | ComponentId::McpInstructions => None,
        }
    }

    /// The memory section; `None` while memory is off.
    #[must_use]
    pub fn auto_memory(&self) -> Option<String> {
        if !self.location.enabled {
            return None;
        }
        let memory_dir = &self.location.memory_dir;
        let absolute = self.env.cwd.join(memory_dir);
        let index = match self.profile {
            Profile::Seed => self.read_index(&absolute.join(ENTRYPOINT)),
            Profile::Current => None,
        };
        let author = index.as_ref().and_then(|_| self.last_authors().remove(ENTRYPOINT));
        let index = index.as_ref().map(|(content, modified)| IndexFile {
            content,
            modified: *modified,
            changed_by: author.as_ref(),
            now: self.now,
        });
        let section = AutoMemory {
            keeps_daily_logs: self.features.daily_logs,
            has_team: self.has_team(),
            guidelines: self.guidelines,
            index,
            ..AutoMemory::new(memory_dir, self.form, self.profile)
        };
        Some(section.render())
    }

    /// The instruction files, and why others are not among them.
    ///
    /// # Errors
    /// What the client itself would refuse to start with.
    pub fn instructions(&self) -> Result<Collected, SettingsError> {
        let mut surroundings = Surroundings::find(&self.env, &self.flags, &self.add_dirs, &RealLook)?;
        if surroundings.switches.any && self.location.enabled {
            surroundings.more_memory = more_memory(&self.env, &self.flags, &self.location.memory_dir);
        }
        Ok(instructions::collect(&surroundings, &RealLook))
    }

    /// The bytes of an index and when it last changed; what keeps it from being read is a warning.
    fn read_index(&self, path: &Utf8Path) -> Option<(Vec<u8>, Option<Timestamp>)> {
        match RealLook.read(path, MAX_BYTES) {
            Ok(content) => Some((content, RealLook.modified(path))),
            Err(error) => {
                let reason = Reason::of_index(&error);
                if reason != Reason::Missing {
                    self.warn(format!("`{path}`: {reason}: it is not loaded"));
                }
                None
            }
        }
    }

    /// The same as [`Self::instructions`], its warnings kept.
    fn collected(&self) -> Option<Collected> {
        let collected = self.instructions().ok()?;
        for warning in &collected.warnings {
            self.warn(warning.to_string());
        }
        Some(collected)
    }

    fn instruction_text(&self) -> Option<String> {
        let collected = self.collected()?;
        let files = collected.files.iter().filter(|file| !is_memory(file.kind));
        let shown =
            files.map(|file| InstructionText { path: &file.path, label: file.label, text: &file.text });
        Some(instruction_files(shown))
    }

    /// Who changed the files of this memory last.
    fn last_authors(&self) -> HashMap<String, Author> {
        Memory::open(&self.env, &self.flags).map(|memory| memory.last_authors()).unwrap_or_default()
    }

    fn index_text(&self) -> Option<String> {
        let collected = self.collected()?;
        let files = collected.files.iter().filter(|file| is_memory(file.kind));
        Some(self.quoted(files.map(|file| (file.kind, file.path.as_path(), file.text.as_str()))))
    }

    fn past_sessions(&self) -> Option<String> {
        let project_dir = self.env.cwd.join(&self.location.project_dir);
        let is_on = self.location.enabled && self.features.session_search;
        let exists = is_on && RealLook.kind(&project_dir) == Some(Entry::Dir);
        exists.then(|| PastSessions { project_dir: &project_dir }.render())
    }

    /// The section about the journal, while it is kept.
    fn journal(&self) -> Option<String> {
        let journal = crate::journal::Journal::open(&self.env, &self.flags).ok()?;
        let section = Journal { directory: journal.directory(), key: journal.key() };
        journal.is_active().then(|| section.render())
    }

    fn scratchpad(&self) -> Option<String> {
        let directory = Scratchpads::new(&self.env.state_dir()?).path(self.session.as_deref()?).ok()?;
        let exists = RealLook.kind(&directory) == Some(Entry::Dir);
        exists.then(|| Scratchpad { directory: &directory }.render())
    }
}

fn is_memory(kind: Kind) -> bool {
    !matches!(kind, Kind::Managed | Kind::User | Kind::Project | Kind::Local)
}
