use memdir_core::off_the_record::{Reach, wish};
use std::io::Read;
use std::ops::ControlFlow;

use super::{FileId, shorten, signs};
use crate::segment::UnitFlags;
use crate::segment::{SegmentBuilder, UnitDraft, UnitRecord, Weight, minutes};
use crate::transcript::{Entry, Position, Reader, Role, Turn, without_reminders};

/// As much of a command, an error or a purpose as is indexed.
const NAME_BYTES: usize = 240;

/// What was read of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SessionPart {
    /// Where reading can be resumed.
    pub(crate) end: Position,
    /// Whether the deadline or the source ended it early.
    pub(crate) whole: bool,
}

/// Adds the turns of a transcript from a position on: what was said, and the names of files and commands, not the
/// bulk of what tools answered.
pub(crate) fn add_session(
    builder: &mut SegmentBuilder,
    file: &FileId<'_>,
    source: impl Read,
    from: Position,
    mut go_on: impl FnMut() -> bool,
) -> SessionPart {
    let mut reader = Reader::resume(source, from);
    let mut group_is_open = false;
    let mut stopped = false;
    let read = reader.read(|entry| {
        let Entry::Turn(turn) = entry else { return ControlFlow::Continue(()) };
        if turn.meta || turn.summary {
            return ControlFlow::Continue(());
        }
        if !group_is_open {
            group_is_open = true;
            let title = if turn.role == Role::User { without_reminders(&turn.text) } else { "".into() };
            let title = signs::without_secrets(shorten(&title, NAME_BYTES).into());
            builder.group(file.key, &file.record(&title, &turn.branch));
        }
        add_turn(builder, &turn);
        if go_on() {
            ControlFlow::Continue(())
        } else {
            stopped = true;
            ControlFlow::Break(())
        }
    });
    SessionPart { end: reader.position(), whole: read.is_ok() && !stopped }
}

fn add_turn(builder: &mut SegmentBuilder, turn: &Turn<'_>) {
    let said = without_reminders(&turn.text);
    // What the user wants off the record is not found again.
    let is_off = turn.role == Role::User && matches!(wish(&said), Some(Reach::Turn | Reach::Session));
    let text = if is_off { "".into() } else { signs::without_secrets(said) };
    let mut flags = signs::flags(&text);
    let label = signs::speaker_label(&text);
    let speaker = label.and_then(|label| signs::speaker_term(builder, label));
    flags.0 |= match (turn.role, label) {
        (_, Some(_)) => UnitFlags::NAMED,
        (Role::User, None) => UnitFlags::USER,
        (_, None) => UnitFlags::ASSISTANT,
    };
    builder.text(&text, Weight::BODY);
    for call in &turn.calls {
        for name in [&call.file, &call.command, &call.purpose].into_iter().flatten() {
            builder.text(&signs::without_secrets(shorten(name, NAME_BYTES).into()), Weight::CONTEXT);
        }
    }
    for error in turn.errors() {
        builder.text(&signs::without_secrets(shorten(error, NAME_BYTES).into()), Weight::CONTEXT);
    }
    for commit in turn.commits() {
        builder.text(commit.hash, Weight::CONTEXT);
        builder.text(shorten(commit.subject, NAME_BYTES), Weight::BODY);
    }
    let record = UnitRecord {
        offset: turn.position.offset,
        length: 0,
        line: turn.position.line + 1,
        uuid: turn.uuid.clone().into_owned(),
    };
    let time = turn.time.map_or(0, |time| minutes(time.as_second()));
    builder.end_unit(&UnitDraft { record, flags, time, speaker }, &[]);
}

/// The first thing that a person typed in a session, if it is near its beginning.
pub(crate) fn first_prompt(source: impl Read) -> Option<String> {
    let mut found = None;
    let mut seen = 0;
    let _ = Reader::new(source).read(|entry| {
        seen += 1;
        if let Entry::Turn(turn) = entry
            && turn.is_prompt()
        {
            let text = without_reminders(&turn.text);
            if !text.trim().is_empty() {
                let title = signs::without_secrets(shorten(&text, super::MAX_TITLE).into());
                found = Some(title.into_owned());
                return ControlFlow::Break(());
            }
        }
        if seen < 50 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    found
}
