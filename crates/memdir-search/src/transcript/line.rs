//! One line of a transcript, as the client writes it.

use std::borrow::Cow;

use jiff::Timestamp;
use memchr::memmem;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::block::Content;
use super::text::{Flag, Text, lenient_struct, otherwise_default};
use super::{Compaction, Entry, Position, Role, Turn};

lenient_struct! {
    /// The fields that we use; every other one is passed over without being understood.
    struct Line {
        kind: Text<'a> = "type",
        subtype: Text<'a> = "subtype",
        uuid: Text<'a> = "uuid",
        parent_uuid: Text<'a> = "parentUuid",
        session_id: Text<'a> = "sessionId",
        agent_id: Text<'a> = "agentId",
        timestamp: Text<'a> = "timestamp",
        cwd: Text<'a> = "cwd",
        git_branch: Text<'a> = "gitBranch",
        is_sidechain: Flag = "isSidechain",
        is_meta: Flag = "isMeta",
        is_compact_summary: Flag = "isCompactSummary",
        is_shown_only: Flag = "isVisibleInTranscriptOnly",
        turn_origin: Text<'a> = "turnOrigin",
        prompt_source: Text<'a> = "promptSource",
        entrypoint: Text<'a> = "entrypoint",
        message: Option<Message<'a>> = "message",
        compact_metadata: CompactMetadata<'a> = "compactMetadata",
    }
}

lenient_struct! {
    /// What was said.
    struct Message {
        role: Text<'a> = "role",
        content: Content<'a> = "content",
    }
}

lenient_struct! {
    /// What is known about a compaction.
    struct CompactMetadata {
        trigger: Text<'a> = "trigger",
    }
}

/// The name under which what Claude Code does is recorded.
pub(super) const CLAUDE_CODE: &str = "claude-code";

/// Whether a line can be a turn or a boundary at all, judged without parsing it.
///
/// Most bytes of a transcript are the client's own bookkeeping; those lines name their type first.
pub(super) fn may_matter(line: &[u8]) -> bool {
    match leading_type(line) {
        Some(kind) => matches!(kind, b"user" | b"assistant" | b"system"),
        None => {
            memmem::find(line, b"\"user\"").is_some()
                || memmem::find(line, b"\"assistant\"").is_some()
                || memmem::find(line, b"\"compact_boundary\"").is_some()
        }
    }
}

/// The value of `type` where it is the first field.
fn leading_type(line: &[u8]) -> Option<&[u8]> {
    let rest = line.trim_ascii_start().strip_prefix(b"{")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"type\"")?;
    let rest = rest.trim_ascii_start().strip_prefix(b":")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
    let end = memchr::memchr(b'"', rest)?;
    rest.get(..end)
}

/// Reads one line. `Ok(None)` is a line that means nothing to us.
pub(super) fn parse(line: &str, position: Position) -> serde_json::Result<Option<Entry<'_>>> {
    if !line.trim_start().starts_with('{') {
        return Err(serde::de::Error::custom("a line is not an object"));
    }
    let line: Line<'_> = serde_json::from_str(line)?;
    let time = line.timestamp.0.parse::<Timestamp>().ok();
    let role = match line.kind.0.as_ref() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" if line.subtype.0 == "compact_boundary" => {
            return Ok(Some(Entry::Compaction(Compaction {
                position,
                client: CLAUDE_CODE.into(),
                uuid: line.uuid.0,
                session: line.session_id.0,
                time,
                trigger: line.compact_metadata.trigger.0,
            })));
        }
        _ => return Ok(None),
    };
    let Some(message) = line.message.filter(Message::says_something) else { return Ok(None) };
    let mut turn = Turn {
        position,
        client: CLAUDE_CODE.into(),
        uuid: line.uuid.0,
        parent: line.parent_uuid.0,
        session: line.session_id.0,
        agent: line.agent_id.0,
        role: if message.role.0 == "assistant" { Role::Assistant } else { role },
        time,
        cwd: line.cwd.0,
        branch: line.git_branch.0,
        sidechain: line.is_sidechain.0,
        // What a hook or a notice put there was not typed by anybody.
        meta: line.is_meta.0
            || line.is_shown_only.0
            || [&line.turn_origin, &line.prompt_source]
                .iter()
                .any(|origin| origin.0.contains("hook") || origin.0.contains("notification")),
        summary: line.is_compact_summary.0,
        headless: line.entrypoint.0.starts_with("sdk")
            || line.turn_origin.0 == "sdk"
            || line.prompt_source.0 == "sdk",
        text: Cow::default(),
        calls: Vec::new(),
        results: Vec::new(),
    };
    message.content.add_to(&mut turn);
    Ok(Some(Entry::Turn(turn)))
}

impl Message<'_> {
    /// Whether it is a message at all, and not something else under that name.
    fn says_something(&self) -> bool {
        !self.role.0.is_empty() || !matches!(self.content, Content::Other)
    }
}
