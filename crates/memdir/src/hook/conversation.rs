//! A session of an agent that keeps its own in a database, handed over by our plugin at the end of a turn.

use anyhow::Result;
use memdir_core::project::encode_path::encode;
use memdir_core::secrets::redact;
use memdir_core::settings::ClientFlags;
use memdir_disk::recorded_session::record_session;
use memdir_lib::place::Place;
use serde_json::{Value, json};

use super::Hook;

/// Writes down what was said, without secrets, as a transcript that search, `sessions` and extraction read.
pub(super) fn record(hook: &Hook<'_>) -> Result<()> {
    let (Some(session), Some(state_dir)) = (hook.event.session.as_deref(), hook.env.state_dir()) else {
        return Ok(());
    };
    if hook.event.conversation.is_empty() {
        return Ok(());
    }
    let root = Place::find(&hook.env, &ClientFlags::default())?.location.root;
    let mut content = String::new();
    for turn in &hook.event.conversation {
        let text = |key: &str| redact(turn.get(key).and_then(Value::as_str).unwrap_or_default()).0;
        // The first key says to a reader what the line is.
        let head = json!(hook.agent);
        let rest = json!({
            "id": text("id"),
            "role": text("role"),
            "time": text("time"),
            "cwd": hook.env.cwd,
            "text": text("text"),
            "calls": turn.get("calls").map(without_secrets).unwrap_or_default(),
        });
        let rest = rest.to_string();
        content.push_str(&format!(
            "{{\"recorded_from\":{head},{}\n",
            rest.strip_prefix('{').unwrap_or_default()
        ));
    }
    record_session(&state_dir, [hook.agent, &encode(root.as_str()), session], content.as_bytes())?;
    Ok(())
}

/// Calls of tools with every text in them redacted.
fn without_secrets(value: &Value) -> Value {
    match value {
        Value::String(text) => redact(text).0.into(),
        Value::Array(items) => items.iter().map(without_secrets).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.clone(), without_secrets(value))).collect()
        }
        other => other.clone(),
    }
}
