//! The memories that matter for a prompt, or none. Nothing is scanned: the index is taken as it is.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::config::RecallWhen;
use memdir_core::env::Env;
use memdir_core::journal::branch::current_branch;
use memdir_core::locate::LocateError;
use memdir_core::operation::Author;
use memdir_core::project::git_root::find_git_root;
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;
use memdir_search::{MAX_NAMED, QUOTED_FROM, RecallOptions, Recalled, Scope, Searcher, ShownMemories};

use crate::features::read_recall_settings;
use crate::memory::Memory;
use crate::place::switched_off;
use crate::sources;

/// What somebody wants to be reminded of.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'w> {
    /// What the user said.
    pub prompt: &'w str,
    /// The session: what it was shown before is not shown again.
    pub session: Option<&'w str>,
    /// How many tokens the memories may take, at four characters each.
    pub budget: usize,
    /// The tools that the agent is using: notes on their use are left out, warnings are kept.
    pub tools: &'w [String],
    /// Why it happens.
    pub occasion: Occasion,
}

/// Why memories are recalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// Somebody asks for it.
    Asked,
    /// A prompt of a session, and nobody asks: the user's setting says how much is said.
    Prompt,
}

/// After the first prompt of a session, only what is needed with at least this probability is added.
const LATER_FROM: f32 = 0.75;

/// How often another process of the same session may be faster before nothing is recalled.
const MAX_CLAIMS: usize = 16;

/// Recalls at most a handful of memories of the project in which `env.cwd` lies, as quoted data.
///
/// A damaged index costs a memory, not the agent's turn. Without a place for our state, and while
/// memory is off, nothing is recalled.
///
/// # Errors
/// What the client itself would refuse to start with, and a missing home directory.
pub fn recall(
    env: &Env,
    flags: &ClientFlags,
    wanted: &Wanted<'_>,
    now: Timestamp,
) -> Result<Recalled, LocateError> {
    if switched_off(env, flags)?.is_some() {
        return Ok(Recalled::default());
    }
    let (Some(folder), Some(cache)) = (sources::recall_folder(env), sources::index_folder(env)) else {
        return Ok(Recalled::default());
    };
    let scopes = [Scope::Memories, Scope::Team];
    let mut searcher = Searcher::open(&cache, sources::project_sources(env, flags, &scopes)?)
        .with_usage(sources::usage(env));
    let mut shown = wanted.session.map(|id| ShownMemories::load(&folder, id));
    let settings = read_recall_settings(env);
    let mut threshold =
        settings.threshold.map_or(QUOTED_FROM, |thousandths| f32::from(thousandths) / 1_000.0);
    let mut named = MAX_NAMED;
    if wanted.occasion == Occasion::Prompt {
        let is_first = shown.as_ref().is_none_or(|shown| !shown.is_briefed());
        match settings.when {
            RecallWhen::Off => return Ok(Recalled::default()),
            RecallWhen::First if !is_first => threshold = threshold.max(LATER_FROM),
            RecallWhen::First | RecallWhen::Every => {}
        }
        named = if is_first { MAX_NAMED } else { 0 };
    }
    let branch = current_branch(&env.cwd, &RealLook);
    let worktree = find_git_root(&env.cwd, &RealLook).map(|found| found.checkout);
    let (branch, worktree) = (branch.as_deref(), worktree.as_deref().and_then(Utf8Path::file_name));
    let authors = OnceCell::new();
    let author_of = |path: &Utf8Path| authors.get_or_init(|| Authors::of(env, flags)).last_of(path);
    for _ in 0..MAX_CLAIMS {
        let none = HashSet::new();
        let paths = shown.as_ref().map_or(&none, ShownMemories::paths);
        let Wanted { budget, tools, .. } = *wanted;
        let options = RecallOptions {
            now,
            budget,
            threshold,
            named,
            tools,
            shown: paths,
            branch,
            worktree,
            author_of: &author_of,
        };
        let recalled = searcher.recall(wanted.prompt, &options).unwrap_or_default();
        let chosen: Vec<_> = recalled.memories.iter().map(|memory| memory.path.clone()).collect();
        if shown.as_mut().is_none_or(|shown| shown.claim(&chosen)) {
            return Ok(recalled);
        }
    }
    Ok(Recalled::default())
}

/// Who changed the files of a project's memory last.
#[derive(Default)]
struct Authors {
    directory: Utf8PathBuf,
    by_path: HashMap<String, Author>,
}

impl Authors {
    fn of(env: &Env, flags: &ClientFlags) -> Self {
        let Ok(memory) = Memory::open(env, flags) else { return Self::default() };
        Self { directory: memory.directory().to_owned(), by_path: memory.last_authors() }
    }

    fn last_of(&self, path: &Utf8Path) -> Option<Author> {
        self.by_path.get(path.strip_prefix(&self.directory).ok()?.as_str()).cloned()
    }
}

/// Forgets what a session was shown: it was compacted, so its next prompt counts as the first.
pub fn forget_session(env: &Env, session: &str) {
    if let Some(folder) = sources::recall_folder(env) {
        ShownMemories::load(&folder, session).forget();
    }
}
