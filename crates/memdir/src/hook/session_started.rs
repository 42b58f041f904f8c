//! SessionStart: what the agent should know about its memory and cannot know from what the client loads.

use anyhow::Result;
use memdir_core::hook::HookAnswer;
use memdir_core::hygiene::{model_line, model_remark};
use memdir_core::prompt::Journal as Section;
use memdir_core::settings::ClientFlags;
use memdir_core::wiring::Start;
use memdir_disk::hook_seen::note_hook;
use memdir_lib::journal::{Journal, Writer};
use memdir_lib::memory::Memory;
use memdir_lib::place::Place;
use memdir_sync::team::{News, not_shared, take_news};

use super::journal::state;
use super::{Hook, index, note, scratchpad, sections, snapshots};
use crate::job::Job;

pub(super) fn answer(hook: &Hook<'_>) -> Result<HookAnswer> {
    if let Some(state_dir) = hook.env.state_dir() {
        // Only `memdir status` misses it.
        let _ = note_hook(&state_dir, hook.agent, hook.world.now);
    }
    // A session works without one, so a failure is not an answer.
    if let Err(error) = scratchpad::begin(hook) {
        note(hook.event, &error, hook.world);
    }
    if matches!(hook.event.source.as_deref(), Some("compact" | "clear")) {
        hook.forget_shown();
    }
    let place = Place::find(&hook.env, &ClientFlags::default())?;
    let mut facts: Vec<String> =
        place.look_up.warnings().iter().map(|warning| model_remark(warning)).collect();
    let journal = Journal::at_place(&place, &hook.env);
    facts.extend(joined(hook, &journal));
    let mut memory = Memory::at_place(place, &hook.env)?;
    // The client makes it, too; where neither may, nothing is lost yet.
    let _ = memory.make_directory();
    facts.extend(named(
        memory.take_extracted().into_iter().map(|name| format!("`{name}`")).collect(),
        "📝 Noted from what the user said in earlier turns (`memdir log` shows it): ",
    ));
    let changed = memory.take_changed_by_others();
    if !changed.is_empty() {
        facts.push(changed_by_others(&changed));
    }
    facts.extend(from_team(hook, &memory));
    // Most agents keep what they were told in the conversation that they resume.
    let is_resumed = hook.event.source.as_deref() == Some("resume");
    let forgets = || hook.told_at_start() == Start::Forgotten;
    if hook.wants_index() && (!is_resumed || forgets()) {
        facts.extend(index::quoted(hook)?);
    }
    facts.extend(state(hook, &journal)?);
    hook.start(Job::Work);
    match memory.waiting_count() {
        0 => {}
        1 => facts.push("One change of memory waits for the user: `memdir review` shows it.".to_owned()),
        count => {
            facts.push(format!("{count} changes of memory wait for the user: `memdir review` shows them."));
        }
    }
    // What costs most room and is needed least is last: a long answer is cut at its end.
    for more in [snapshots::offered(hook), sections::told(hook)] {
        match more {
            Ok(more) => facts.extend(more),
            Err(error) => note(hook.event, &error, hook.world),
        }
    }
    Ok(HookAnswer::facts(&facts))
}

/// How to use a journal that is kept, for a session that begins; one that was resumed or compacted has been told.
fn joined(hook: &Hook<'_>, journal: &Journal) -> Option<String> {
    if !journal.is_active() {
        return None;
    }
    let author = hook.author();
    // Who works with it is good to know, and no reason to say nothing.
    let _ = journal.join(&Writer { author: &author, now: hook.world.now });
    let is_told = matches!(hook.event.source.as_deref(), Some("compact" | "resume"));
    (!is_told).then(|| Section { directory: journal.directory(), key: journal.key() }.render())
}

/// What arrived from team mates since a session was last told, and what a background sync sent.
fn from_team(hook: &Hook<'_>, memory: &Memory) -> Option<String> {
    let (state_dir, store) = (hook.env.state_dir()?, memory.known_id()?);
    let news = take_news(&state_dir, store);
    let (came, went): (Vec<News>, Vec<News>) = news.into_iter().partition(|news| news.by.is_some());
    let came = came.iter().map(|news| {
        let by = news.by.as_deref().unwrap_or_default();
        format!("`team/{}` (`{}`)", in_code(&news.path), in_code(by))
    });
    let went = went.iter().map(|news| format!("`team/{}`", in_code(&news.path)));
    let told = [
        named(came.collect(), "Team mates changed these shared memories since the last session: "),
        named(went.collect(), "These memories were sent to the team since then: "),
        stayed(not_shared(&state_dir, store)),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// What is in the team's folder and did not go.
fn stayed(count: usize) -> Option<String> {
    let (memories, were) = if count == 1 { ("memory", "was") } else { ("memories", "were") };
    let sentence = || {
        format!(
            "{count} {memories} in `team/` {were} not shared with the team: `memdir team status` says why."
        )
    };
    (count > 0).then(sentence)
}

/// A sentence about the first of many; `None` if there are none.
fn named(items: Vec<String>, sentence: &str) -> Option<String> {
    const NAMED: usize = 10;
    let more = match items.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let first: Vec<String> = items.into_iter().take(NAMED).collect();
    (!first.is_empty()).then(|| format!("{sentence}{}{more}.", first.join(", ")))
}

/// A name from elsewhere, fit to be between two back quotes.
fn in_code(name: &str) -> String {
    model_line(name).replace('`', "'")
}

fn changed_by_others(paths: &[String]) -> String {
    const NAMED: usize = 10;
    let mut named =
        paths.iter().take(NAMED).map(|path| format!("`{}`", in_code(path))).collect::<Vec<_>>().join(", ");
    if paths.len() > NAMED {
        named.push_str(&format!(" and {} more", paths.len() - NAMED));
    }
    format!(
        "Since the last session these memories were changed outside of it: {named}. `memdir log` shows how."
    )
}
