use anyhow::Result;
use memdir_core::look::{Look, LookError};
use memdir_core::mcp::{Prompt, RpcError};
use memdir_core::settings::ClientFlags;
use memdir_core::text_diff::unified_plan;
use memdir_disk::real_look::RealLook;
use memdir_lib::journal::Journal;
use memdir_lib::user::Profile;
use memdir_lib::workspace::Workspace;
use serde_json::{Map, Value, json};

use super::journal_tool::status_text;
use super::read_tool::quote;
use super::tool_answer::rpc_error;
use super::workplace::Asked;

/// How many tokens the profile may take.
const PROFILE_TOKENS: usize = 2_000;
/// No more of the map is read.
const MAX_MAP_BYTES: u64 = 1 << 20;

/// One prompt, with the facts that it is about.
pub(super) fn get(asked: &Asked<'_>, name: &str) -> Result<Map<String, Value>, RpcError> {
    let Some(prompt) = Prompt::named(name) else {
        return Err(RpcError::invalid_params("there is no such prompt"));
    };
    let facts = facts(asked, prompt).map_err(|error| rpc_error(&error))?;
    let text = match facts {
        Some(facts) => format!("{}\n\n{facts}", prompt.request()),
        None => prompt.request().to_owned(),
    };
    let messages = json!([{"role": "user", "content": {"type": "text", "text": text}}]);
    Ok(Map::from_iter([
        ("description".to_owned(), prompt.description().into()),
        ("messages".to_owned(), messages),
    ]))
}

fn facts(asked: &Asked<'_>, prompt: Prompt) -> Result<Option<String>> {
    Ok(match prompt {
        Prompt::Start | Prompt::Stop | Prompt::Rebuild => None,
        Prompt::Status => {
            let journal = Journal::open(asked.env, &ClientFlags::default())?;
            Some(quote(asked, "the journal's state", None, &status_text(&journal.status()?)))
        }
        Prompt::Workspace => Some(workspace(asked)?),
        Prompt::User => {
            let text = Profile::open(asked.env)?.render(PROFILE_TOKENS, asked.now).text;
            Some(if text.is_empty() { "Nothing is known yet.".to_owned() } else { text })
        }
        Prompt::Review => Some(waiting(asked)?),
    })
}

fn workspace(asked: &Asked<'_>) -> Result<String> {
    let file = Workspace::open(asked.env)?.file();
    match RealLook.read(&file, MAX_MAP_BYTES) {
        Ok(bytes) => Ok(quote(asked, "workspace.md", None, &String::from_utf8_lossy(&bytes))),
        Err(LookError::NotFound) => {
            Ok("There is no map yet: `memdir workspace register` begins one.".to_owned())
        }
        Err(error) => Err(anyhow::anyhow!("cannot read `{file}`: {error}")),
    }
}

fn waiting(asked: &Asked<'_>) -> Result<String> {
    let (memory, _) = asked.memory()?;
    let waiting = memory.waiting()?;
    if waiting.plans.is_empty() {
        return Ok("Nothing waits.".to_owned());
    }
    let shown = waiting.plans.iter().map(|staged| {
        let who = staged.author.id.as_deref().unwrap_or("an unnamed author");
        let text = format!("{} wants: {}\n{}", who, staged.plan.reason, unified_plan(&staged.plan));
        quote(asked, &format!("change {}", staged.id), Some(staged.time), &text)
    });
    Ok(shown.collect::<Vec<_>>().join("\n"))
}
