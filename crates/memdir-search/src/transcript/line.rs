//! One line of a transcript, as the client writes it.

use std::borrow::Cow;

use jiff::Timestamp;
use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::text::{Flag, Text};
use super::{Compaction, Entry, Position, Role, Turn, block};

/// The fields that we use; every other one is passed over without being understood.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    subtype: Text<'a>,
    #[serde(borrow)]
    uuid: Text<'a>,
    #[serde(borrow)]
    parent_uuid: Text<'a>,
    #[serde(borrow)]
    session_id: Text<'a>,
    #[serde(borrow)]
    agent_id: Text<'a>,
    #[serde(borrow)]
    timestamp: Text<'a>,
    #[serde(borrow)]
    cwd: Text<'a>,
    #[serde(borrow)]
    git_branch: Text<'a>,
    is_sidechain: Flag,
    is_meta: Flag,
    is_compact_summary: Flag,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    compact_metadata: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    role: Text<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CompactMetadata<'a> {
    #[serde(borrow)]
    trigger: Text<'a>,
}

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
    let line: Line<'_> = serde_json::from_str(line)?;
    let time = line.timestamp.0.parse::<Timestamp>().ok();
    let role = match line.kind.0.as_ref() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" if line.subtype.0 == "compact_boundary" => {
            let metadata = line.compact_metadata.and_then(lenient::<CompactMetadata<'_>>);
            return Ok(Some(Entry::Compaction(Compaction {
                position,
                uuid: line.uuid.0,
                session: line.session_id.0,
                time,
                trigger: metadata.map(|metadata| metadata.trigger.0).unwrap_or_default(),
            })));
        }
        _ => return Ok(None),
    };
    let Some(message) = line.message.and_then(lenient::<Message<'_>>) else { return Ok(None) };
    let mut turn = Turn {
        position,
        uuid: line.uuid.0,
        parent: line.parent_uuid.0,
        session: line.session_id.0,
        agent: line.agent_id.0,
        role: if message.role.0 == "assistant" { Role::Assistant } else { role },
        time,
        cwd: line.cwd.0,
        branch: line.git_branch.0,
        sidechain: line.is_sidechain.0,
        meta: line.is_meta.0,
        summary: line.is_compact_summary.0,
        text: Cow::default(),
        calls: Vec::new(),
        results: Vec::new(),
    };
    if let Some(content) = message.content {
        block::read_content(content, &mut turn);
    }
    Ok(Some(Entry::Turn(turn)))
}

/// The value, or nothing if it has another shape than ours.
pub(super) fn lenient<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}
