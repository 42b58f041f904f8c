//! What is known about a file and about a place in it.

use super::encode::{push_text, push_varint, take_text, take_varint};

/// What the index remembers about a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GroupRecord {
    /// The path below the root of its collection.
    pub(crate) path: String,
    /// The title, name or first prompt.
    pub(crate) title: String,
    /// The type that its frontmatter names; for a transcript the branch.
    pub(crate) kind: String,
    /// When it was last changed, in seconds since 1970.
    pub(crate) modified: i64,
    /// The memory that replaced it, by name or file stem; empty if none did.
    pub(crate) superseded_by: String,
}

impl GroupRecord {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        push_text(out, &self.path);
        push_text(out, &self.title);
        push_text(out, &self.kind);
        push_varint(out, self.modified.cast_unsigned());
        push_text(out, &self.superseded_by);
    }

    pub(super) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        Some(Self {
            path: take_text(bytes)?,
            title: take_text(bytes)?,
            kind: take_text(bytes)?,
            modified: take_varint(bytes)?.cast_signed(),
            superseded_by: take_text(bytes)?,
        })
    }
}

/// Where a unit is in its file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UnitRecord {
    /// Bytes before it.
    pub(crate) offset: u64,
    /// Its length in bytes.
    pub(crate) length: u64,
    /// Its line, from 1.
    pub(crate) line: u64,
    /// The identity of the turn; empty for Markdown.
    pub(crate) uuid: String,
}

impl UnitRecord {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        push_varint(out, self.offset);
        push_varint(out, self.length);
        push_varint(out, self.line);
        push_text(out, &self.uuid);
    }

    pub(super) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        Some(Self {
            offset: take_varint(bytes)?,
            length: take_varint(bytes)?,
            line: take_varint(bytes)?,
            uuid: take_text(bytes)?,
        })
    }
}

/// What the ranker wants to know about every unit, in one byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct UnitFlags(pub(crate) u8);

impl UnitFlags {
    /// A person's own words, in a conversation whose turns carry no names.
    pub(crate) const USER: u8 = 1;
    /// An agent's words.
    pub(crate) const ASSISTANT: u8 = 2;
    /// Names a day, a week, a time.
    pub(crate) const TIME: u8 = 4;
    /// Begins with the speaker's name.
    pub(crate) const NAMED: u8 = 8;
    const QUESTION_SHIFT: u8 = 4;

    /// Adds how much of the unit asks rather than says, from 0 to 1.
    pub(crate) fn with_question_share(self, share: f32) -> Self {
        Self(self.0 | (((share.clamp(0.0, 1.0) * 15.0) as u8) << Self::QUESTION_SHIFT))
    }

    /// How much of it asks rather than says.
    pub(crate) fn question_share(self) -> f32 {
        f32::from(self.0 >> Self::QUESTION_SHIFT) / 15.0
    }

    pub(crate) fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }
}
