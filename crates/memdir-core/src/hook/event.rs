use serde::Deserialize;
use serde_json::Value;

/// An event longer than this is not read further.
pub const MAX_EVENT_BYTES: u64 = 16 << 20;

/// What the client says when it calls a hook. Every field may be missing or of another form: then it is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// `hook_event_name`.
    pub name: String,
    /// The session.
    pub session: Option<String>,
    /// The working directory at this moment; it follows `cd`.
    pub cwd: Option<String>,
    /// The session's transcript.
    pub transcript: Option<String>,
    /// Why a session starts: `startup`, `resume`, `clear`, `compact` or `fork`.
    pub source: Option<String>,
    /// Why the session ended.
    pub reason: Option<String>,
    /// What the user has just sent.
    pub prompt: Option<String>,
    /// What the agent would send instead of the prompt, with what it adds itself.
    pub transformed_prompt: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// What the tool is given.
    pub tool_input: Value,
    /// The sub-agent of this event.
    pub agent: Option<String>,
    /// The kind of that sub-agent.
    pub agent_type: Option<String>,
    /// The sub-agent's own transcript.
    pub agent_transcript: Option<String>,
    /// The last words of a sub-agent or of the agent.
    pub last_message: Option<String>,
    /// Whether the agent goes on because a hook asked it to.
    pub stop_hook_active: bool,
    /// The summary that a compaction made.
    pub summary: Option<String>,
    /// What the user asked of a compaction.
    pub instructions: Option<String>,
    /// The conversation so far, from a plugin of ours in an agent that writes no transcript.
    pub conversation: Vec<Value>,
}

/// The fields by their names; what else there is, however large, is skipped and not kept.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Fields {
    hook_event_name: Value,
    session_id: Value,
    cwd: Value,
    transcript_path: Value,
    source: Value,
    reason: Value,
    prompt: Value,
    #[serde(rename = "sessionId")]
    session_in_camels: Value,
    conversation_id: Value,
    workspace_roots: Value,
    #[serde(rename = "transformedPrompt")]
    transformed_prompt: Value,
    tool_name: Value,
    tool_input: Value,
    agent_id: Value,
    agent_type: Value,
    agent_transcript_path: Value,
    last_assistant_message: Value,
    stop_hook_active: Value,
    compact_summary: Value,
    custom_instructions: Value,
    conversation: Value,
}

impl Event {
    /// Reads an event. Anything but a JSON object becomes an event without a name, which gets no answer.
    #[must_use]
    pub fn parse(input: &[u8]) -> Self {
        let fields: Fields = serde_json::from_slice(input).unwrap_or_default();
        Self {
            name: text(fields.hook_event_name).unwrap_or_default(),
            // Copilot and Cursor have names of their own for the session, and Cursor for the directory.
            session: text(fields.session_id)
                .or_else(|| text(fields.session_in_camels))
                .or_else(|| text(fields.conversation_id)),
            cwd: text(fields.cwd).or_else(|| text(fields.workspace_roots.get(0)?.clone())),
            transcript: text(fields.transcript_path),
            source: text(fields.source),
            reason: text(fields.reason),
            prompt: text(fields.prompt),
            transformed_prompt: text(fields.transformed_prompt),
            tool: text(fields.tool_name),
            tool_input: fields.tool_input,
            agent: text(fields.agent_id),
            agent_type: text(fields.agent_type),
            agent_transcript: text(fields.agent_transcript_path),
            last_message: text(fields.last_assistant_message),
            stop_hook_active: fields.stop_hook_active == Value::Bool(true),
            summary: text(fields.compact_summary),
            instructions: text(fields.custom_instructions),
            conversation: match fields.conversation {
                Value::Array(turns) => turns,
                _ => Vec::new(),
            },
        }
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_another_form_are_not_there() {
        let event = Event::parse(br#"{"hook_event_name":"Stop","cwd":7,"prompt":"","later":{"x":[1]}}"#);
        assert_eq!(event, Event { name: "Stop".to_owned(), ..Event::default() });
    }

    #[test]
    fn an_invalid_event_has_no_name() {
        for input in
            [&b""[..], b"{", b"[]", b"null", b"\xff", b"{\"hook_event_name\":\"x\"", &[b'['; 100_000]]
        {
            assert_eq!(Event::parse(input), Event::default());
        }
    }
}
