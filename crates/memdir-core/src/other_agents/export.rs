//! Memories in a JSON file that another tool exported: a list of objects, whatever they are called there.

use std::collections::HashSet;

use serde_json::Value;

use super::OtherAgent;
use super::propose::{MAX_NAME, MAX_PROPOSALS, Proposal, shortened};
use crate::hygiene::clean;
use crate::memory::memory_type::MemoryType;
use crate::memory::topic::{client_slug, one_line};

/// Why nothing can be read from a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// It is not JSON.
    #[error("not valid JSON: {0}")]
    NotJson(String),
    /// It holds no list of memories.
    #[error("no list of memories in it")]
    NoList,
}

/// Where lists of memories are, if not the whole file is one.
const LISTS: [&str; 7] = ["observations", "memories", "results", "summaries", "items", "data", "memoirs"];
/// What a memory is about.
const TITLES: [&str; 5] = ["title", "name", "summary", "topic", "subject"];
/// What it says.
const TEXTS: [&str; 7] = ["content", "memory", "text", "narrative", "body", "learned", "value"];

/// Makes memories from what a tool exported; `source` says where that is.
///
/// # Errors
/// It is not JSON, or holds no list of memories.
pub fn propose_export(agent: OtherAgent, text: &str, source: &str) -> Result<Vec<Proposal>, ExportError> {
    let whole: Value = serde_json::from_str(text).map_err(|error| ExportError::NotJson(error.to_string()))?;
    let lists: Vec<&Vec<Value>> = match &whole {
        Value::Array(list) => vec![list],
        _ => LISTS.iter().filter_map(|name| whole.get(name)?.as_array()).collect(),
    };
    if lists.is_empty() {
        return Err(ExportError::NoList);
    }
    let mut taken = HashSet::new();
    let mut proposals = Vec::new();
    for record in lists.into_iter().flatten().take(MAX_PROPOSALS) {
        let Some(mut proposal) = proposal(agent, record, source) else { continue };
        let name = proposal.name.clone();
        for number in 2.. {
            if taken.insert(proposal.name.clone()) {
                break;
            }
            proposal.name = format!("{name}-{number}");
        }
        proposals.push(proposal);
    }
    Ok(proposals)
}

fn proposal(agent: OtherAgent, record: &Value, source: &str) -> Option<Proposal> {
    let text = |names: &[&str]| {
        let texts = names.iter().filter_map(|name| record.get(name)?.as_str());
        texts.map(str::trim).find(|text| !text.is_empty())
    };
    let title = text(&TITLES);
    // Some keep facts in a list, or in a text that holds one.
    let facts = match record.get("facts") {
        Some(Value::Array(facts)) => facts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(facts)) => serde_json::from_str::<Vec<String>>(facts).unwrap_or_default(),
        _ => Vec::new(),
    };
    let facts: Vec<String> = facts.iter().map(|fact| format!("- {fact}")).collect();
    let said = text(&TEXTS).map(str::to_owned);
    let parts: Vec<String> = said.into_iter().chain((!facts.is_empty()).then(|| facts.join("\n"))).collect();
    let body = if parts.is_empty() { title?.to_owned() } else { parts.join("\n\n") };
    let description = title.unwrap_or_else(|| body.lines().next().unwrap_or_default());
    let slug = client_slug(description);
    let slug = slug.get(..slug.len().min(MAX_NAME)).unwrap_or_default().trim_matches('-');
    let name = if slug.is_empty() { agent.name().to_owned() } else { format!("{}-{slug}", agent.name()) };
    let memory_type = match text(&["type"]) {
        Some("preference") => MemoryType::Feedback,
        word => word.and_then(MemoryType::known).unwrap_or(MemoryType::Project),
    };
    let description = shortened(&one_line(&clean(description)));
    Some(Proposal { name, memory_type, description, body, source: source.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(agent: &str, text: &str) -> Vec<String> {
        let proposals = propose_export(OtherAgent::named(agent).unwrap(), text, "/x.json").unwrap();
        let line = |proposal: Proposal| {
            format!("{} [{}] {}", proposal.name, proposal.memory_type.as_str(), proposal.body)
        };
        proposals.into_iter().map(line).collect()
    }

    #[test]
    fn every_tool_s_export_is_a_list_of_memories() {
        assert_eq!(
            names("mem0", r#"{"results":[{"id":"1","memory":"Likes tea","created_at":"2026"},{"id":"2"}]}"#),
            ["mem0-likes-tea [project] Likes tea"]
        );
        assert_eq!(
            names(
                "engram",
                r#"{"version":"1","observations":[{"type":"decision","title":"Use tabs","content":"Always."},
                {"type":"preference","title":"Use tabs","content":"Really."}]}"#
            ),
            ["engram-use-tabs [project] Always.", "engram-use-tabs-2 [feedback] Really."]
        );
        assert_eq!(
            names(
                "claude-mem",
                r#"{"observations":[{"title":"Parser","narrative":"It streams.","facts":"[\"a\",\"b\"]"}]}"#
            ),
            ["claude-mem-parser [project] It streams.\n\n- a\n- b"]
        );
        assert_eq!(
            names("icm", r#"[{"topic":"errors","summary":"Retry twice"}]"#),
            ["icm-retry-twice [project] Retry twice"]
        );
    }

    #[test]
    fn what_is_no_export_is_refused() {
        let mem0 = OtherAgent::named("mem0").unwrap();
        assert_eq!(propose_export(mem0, "{}", "x"), Err(ExportError::NoList));
        assert!(matches!(propose_export(mem0, "nope", "x"), Err(ExportError::NotJson(_))));
    }
}
