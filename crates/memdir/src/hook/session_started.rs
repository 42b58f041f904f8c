//! SessionStart: what the agent should know about its memory and cannot know from what the client loads.

use anyhow::Result;
use memdir_core::hook::Answer;
use memdir_core::prompt::Journal as Section;
use memdir_core::settings::ClientFlags;
use memdir_lib::journal::{Journal, Writer};
use memdir_lib::memory::Memory;
use memdir_lib::place::Place;
use memdir_sync::team::take_news;

use super::journal::state;
use super::{Hook, index};

pub(super) fn answer(hook: &Hook<'_>) -> Result<Answer> {
    let place = Place::find(&hook.env, &ClientFlags::default())?;
    let mut facts = place.look_up.warnings();
    let journal = Journal::at_place(&place, &hook.env);
    facts.extend(joined(hook, &journal));
    let memory = Memory::at_place(place, &hook.env)?;
    let changed = memory.take_changed_by_others();
    if !changed.is_empty() {
        facts.push(changed_by_others(&changed));
    }
    facts.extend(from_team(hook, &memory));
    if hook.wants_index() {
        facts.extend(index::quoted(hook)?);
    }
    facts.extend(state(hook, &journal)?);
    hook.start_work();
    match memory.waiting_count() {
        0 => {}
        1 => facts.push("One change of memory waits for the user: `memdir review` shows it.".to_owned()),
        count => {
            facts.push(format!("{count} changes of memory wait for the user: `memdir review` shows them."));
        }
    }
    Ok(Answer::facts(&facts))
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

/// What came from team mates since a session was last told.
fn from_team(hook: &Hook<'_>, memory: &Memory) -> Option<String> {
    const NAMED: usize = 10;
    let news = take_news(&hook.env.state_dir()?, memory.known_id()?);
    if news.is_empty() {
        return None;
    }
    let named: Vec<String> = news
        .iter()
        .take(NAMED)
        .map(|news| format!("`team/{}` (`{}`)", news.path, news.by.replace('`', "'")))
        .collect();
    let more = match news.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "Team mates changed these shared memories since the last session: {}{more}.",
        named.join(", ")
    ))
}

fn changed_by_others(paths: &[String]) -> String {
    const NAMED: usize = 10;
    let mut named = paths.iter().take(NAMED).map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    if paths.len() > NAMED {
        named.push_str(&format!(" and {} more", paths.len() - NAMED));
    }
    format!("Since the last session somebody else changed these memories: {named}. `memdir log` shows how.")
}
