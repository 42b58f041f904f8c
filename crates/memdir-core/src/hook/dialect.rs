//! Answers in the forms of agents that read them elsewhere than Claude Code does.

use serde_json::{Value, json};

use super::{Event, HookAnswer};

/// The JSON object by which `answer` reaches `agent`; `None` where the best answer is silence.
#[must_use]
pub fn render_for(agent: &str, answer: &HookAnswer, event: &Event) -> Option<Value> {
    let rendered = answer.render(&event.name)?;
    let Some(context) = rendered.pointer("/hookSpecificOutput/additionalContext").and_then(Value::as_str)
    else {
        return Some(rendered);
    };
    Some(match (agent, event.name.as_str()) {
        // Copilot drops what a hook says about a prompt, but lets one rewrite what the model reads.
        ("copilot", "userPromptTransformed") => {
            let prompt = event.transformed_prompt.as_deref().or(event.prompt.as_deref())?;
            json!({ "modifiedTransformedPrompt": format!("{prompt}\n\n{context}") })
        }
        ("copilot", _) => json!({ "additionalContext": context }),
        ("cursor", _) => json!({ "additional_context": context }),
        _ => rendered,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_reads_context_where_it_looks_for_it() {
        let check = |agent: &str, event: &str, expected: &str| {
            let event = Event::parse(event.as_bytes());
            let said = render_for(agent, &HookAnswer::Context("fact".to_owned()), &event).unwrap();
            assert_eq!(said.to_string(), expected);
        };
        check(
            "codex",
            r#"{"hook_event_name":"SessionStart"}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"fact"}}"#,
        );
        check("copilot", r#"{"hook_event_name":"SessionStart"}"#, r#"{"additionalContext":"fact"}"#);
        check(
            "copilot",
            r#"{"hook_event_name":"userPromptTransformed","prompt":"a","transformedPrompt":"b a"}"#,
            r#"{"modifiedTransformedPrompt":"b a\n\nfact"}"#,
        );
        check("cursor", r#"{"hook_event_name":"sessionStart"}"#, r#"{"additional_context":"fact"}"#);
    }

    #[test]
    fn the_session_has_other_names_elsewhere() {
        let event = Event::parse(br#"{"sessionId":"s","cwd":"/p"}"#);
        assert_eq!((event.session.as_deref(), event.cwd.as_deref()), (Some("s"), Some("/p")));
        let event = Event::parse(br#"{"conversation_id":"c","workspace_roots":["/p","/q"]}"#);
        assert_eq!((event.session.as_deref(), event.cwd.as_deref()), (Some("c"), Some("/p")));
    }
}
