//! The memories that matter for a prompt, or none. Nothing is scanned: the index is taken as it is.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::config::RecallWhen;
use memdir_core::env::Env;
use memdir_core::locate::LocateError;
use memdir_core::operation::Author;
use memdir_core::settings::ClientFlags;
use memdir_search::{
    MAX_NAMED, ModelUse, QUOTED_FROM, RecallOptions, Recalled, RecalledMemory, RecentWork, Scope, Searcher,
    ShownMemories,
};

use crate::features::read_recall_settings;
use crate::memory::{Memory, memories_in_use};
use crate::place::{Checkout, Place, switched_off};
use crate::recent_work::recent_work;
use crate::semantic::installed_model;
use crate::sources;
use crate::usage::note_recalled;

/// What the caller wants to be reminded of.
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
    /// A person or agent asks for it.
    Asked,
    /// A prompt of a session, without a request: the user's setting says how much is said.
    Prompt,
}

/// After the first prompt of a session, only what is needed with at least this probability is added.
const LATER_FROM: f32 = 0.75;

/// How long a prompt waits for an installed model: with everything else, a hook stays below 60 ms.
const MODEL_PATIENCE: Duration = Duration::from_millis(30);
/// The same for `memdir recall`.
const ASKED_PATIENCE: Duration = Duration::from_secs(2);

/// How often another process of the same session may be faster before nothing is recalled.
const MAX_CLAIMS: usize = 16;

/// Recalls at most a handful of memories of the project in which `env.cwd` is, as quoted data.
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
    let (mut named, mut is_first) = (MAX_NAMED, false);
    if wanted.occasion == Occasion::Prompt {
        is_first = shown.as_ref().is_none_or(|shown| !shown.is_briefed());
        match settings.when {
            RecallWhen::Off => return Ok(Recalled::default()),
            RecallWhen::First if !is_first => threshold = threshold.max(LATER_FROM),
            RecallWhen::First | RecallWhen::Every => {}
        }
        named = if is_first { MAX_NAMED } else { 0 };
    }
    let checkout = Checkout::of(env);
    let (branch, worktree) = (checkout.branch.as_deref(), checkout.worktree.as_deref());
    let recent = if is_first { recent_work_of(env, flags, branch) } else { RecentWork::default() };
    let model = installed_model(env);
    let patience = if wanted.occasion == Occasion::Prompt { MODEL_PATIENCE } else { ASKED_PATIENCE };
    let until = Instant::now() + patience;
    let model = model.as_deref().map(|path| ModelUse { path, until });
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
            recent: &recent,
            model,
        };
        let mut recalled = searcher.recall(wanted.prompt, &options).unwrap_or_default();
        if is_first {
            add_pinned(&mut recalled, &pinned_memories(env, flags, &checkout, now), paths, budget);
        }
        let chosen: Vec<_> = recalled.memories.iter().map(|memory| memory.path.clone()).collect();
        if shown.as_mut().is_none_or(|shown| shown.claim(&chosen)) {
            if let Some(session) = wanted.session {
                note_recalled(env, &recalled, wanted.prompt, session, now);
            }
            return Ok(recalled);
        }
    }
    Ok(Recalled::default())
}

/// What the user works on, at the beginning of a session.
fn recent_work_of(env: &Env, flags: &ClientFlags, branch: Option<&str>) -> RecentWork {
    let place = Place::find(env, flags).ok();
    recent_work(env, place.as_ref().and_then(|place| place.here.common_dir.as_deref()), branch)
}

/// What the user pinned: in the project, for all projects, and for this machine.
fn pinned_memories(env: &Env, flags: &ClientFlags, here: &Checkout, now: Timestamp) -> Vec<RecalledMemory> {
    let memories = Place::find(env, flags).ok().and_then(|place| memories_in_use(place, env).ok());
    memories.into_iter().flatten().flat_map(|memory| memory.pinned(here, now)).collect()
}

/// Adds what is pinned and was not given yet, as far as the budget goes.
fn add_pinned(
    recalled: &mut Recalled,
    pinned: &[RecalledMemory],
    shown: &HashSet<Utf8PathBuf>,
    budget: usize,
) {
    for memory in pinned {
        let is_known =
            shown.contains(&memory.path) || recalled.memories.iter().any(|given| given.path == memory.path);
        let tokens = memory.text.chars().count().div_ceil(4);
        if is_known {
            continue;
        }
        if recalled.tokens + tokens > budget {
            recalled.left_out += 1;
            continue;
        }
        recalled.tokens += tokens;
        recalled.named.retain(|named| named.path != memory.path);
        recalled.memories.push(memory.clone());
    }
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
