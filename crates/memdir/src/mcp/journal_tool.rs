use anyhow::Result;
use memdir_core::journal::recovery::DEFAULT_BUDGET;
use memdir_core::journal::state::Step;
use memdir_core::mcp::JournalAction;
use memdir_core::settings::ClientFlags;
use memdir_lib::journal::{
    Filter, Journal, JournalError, NewAnalysis, NewDecision, RecoveryOptions, Status, Writer, Written,
};

use super::change_tools::with_warnings;
use super::read_tool::quote;
use super::tool_answer::{ToolAnswer, line_of};
use super::workplace::Asked;

/// No more records are listed at once.
const MOST_LISTED: usize = 100;

/// Does something with the journal.
pub(super) fn act(asked: &Asked<'_>, action: &JournalAction) -> Result<ToolAnswer> {
    match carry_out(asked, action) {
        Err(error) => match error.downcast_ref::<JournalError>() {
            Some(waits @ JournalError::Staged { .. }) => Ok(ToolAnswer::text(waits.to_string())),
            _ => Err(error),
        },
        done => done,
    }
}

fn carry_out(asked: &Asked<'_>, action: &JournalAction) -> Result<ToolAnswer> {
    let mut journal = Journal::open(asked.env, &ClientFlags::default())?;
    let writer = Writer { author: asked.author, now: asked.now };
    let written = match action {
        JournalAction::Status => return Ok(status(&journal.status()?)),
        JournalAction::Recover => {
            let options = RecoveryOptions { transcript: None, payload: None, budget: DEFAULT_BUDGET };
            return Ok(ToolAnswer::text(journal.recover(&options, asked.now)?.recovered.text));
        }
        JournalAction::Start => {
            let started = journal.start(&writer)?;
            let goes_on = if started.resumed { "goes on" } else { "is kept from now on" };
            let mut text = format!("The journal of {} {goes_on}.", line_of(journal.key()));
            if !started.background.is_empty() {
                text.push_str(&format!("\n\n{}", started.background));
            }
            return Ok(ToolAnswer::text(with_warnings(text, &started.problems)));
        }
        JournalAction::Stop => {
            let stopped = journal.stop(&writer)?;
            let text = "The journal is stopped. Its files stay.".to_owned();
            return Ok(ToolAnswer::text(with_warnings(text, &stopped.problems)));
        }
        JournalAction::Rebuild => {
            let report = journal.rebuild(&writer)?;
            let counts = serde_json::to_string(&report.counts)?;
            let text = format!("Made anew: {} rows, {} archived, {counts}.", report.entries, report.archived);
            return Ok(ToolAnswer::text(with_warnings(text, &report.problems)));
        }
        JournalAction::List { category } => return list(&journal, category.as_deref()),
        JournalAction::Show { name } => {
            let (path, text) = journal.show(name)?;
            return Ok(ToolAnswer::text(quote(asked, &path, None, &text)));
        }
        JournalAction::Task { title, text } => journal.set_task(title, text, &writer)?,
        JournalAction::Progress { words, steps, check } => {
            let add = steps.iter().map(|step| Step::Add(step));
            let check = check.iter().map(|step| Step::Check(step));
            let steps: Vec<Step<'_>> = add.chain(check).chain(words.as_deref().map(Step::Set)).collect();
            journal.progress(&steps, &writer)?
        }
        JournalAction::Block { title } => journal.block(title, &writer)?,
        JournalAction::Unblock { title } => journal.unblock(title.as_deref(), &writer)?.0,
        JournalAction::Done { title, text } => journal.done(title.as_deref(), text, &writer)?.0,
        JournalAction::Note { title, text } => journal.note(title, text, &writer)?,
        JournalAction::Decide { title, text, category, status } => {
            let new = NewDecision {
                title: Some(title),
                category: category.as_deref(),
                status: status.as_deref(),
                text,
                sections: Vec::new(),
                supersedes: None,
            };
            journal.decide(&new, &writer)?
        }
        JournalAction::Analyze { path, text } => {
            let new = NewAnalysis { path: Some(path), analysis_type: None, text, sections: Vec::new() };
            journal.analyze(&new, &writer)?
        }
    };
    Ok(said(&written, &journal))
}

fn said(written: &Written, journal: &Journal) -> ToolAnswer {
    let warnings: Vec<String> = written.warnings.iter().chain(&written.followed.problems).cloned().collect();
    let mut text = format!("Written to {}.", line_of(&written.path));
    if let Some(before) = &written.followed.branch_before {
        text.push_str(&format!("\nThe branch changed: {} → {}.", line_of(before), line_of(journal.branch())));
    }
    ToolAnswer::text(with_warnings(text, &warnings))
}

fn status(status: &Status) -> ToolAnswer {
    ToolAnswer::text(status_text(status))
}

/// The state of the journal, in a few lines.
pub(super) fn status_text(status: &Status) -> String {
    let state = if status.active { "is being kept" } else { "is not being kept" };
    let mut lines = vec![format!("The journal of {} {state}.", line_of(&status.project_key))];
    for (name, value) in [
        ("task", &status.state.task),
        ("progress", &status.state.progress),
        ("blocked by", &status.state.blocker),
    ] {
        if !value.is_empty() {
            lines.push(format!("{name}: {}", line_of(value)));
        }
    }
    lines.extend(status.branch.as_ref().map(|branch| format!("branch: {}", line_of(branch))));
    lines.extend(status.last_activity.as_ref().map(|time| format!("last write: {}", line_of(time))));
    let counts = &status.counts;
    lines.push(format!(
        "files: {} decisions, {} analyses, {} context, {} progress, {} sub-agent",
        counts.decisions, counts.analyses, counts.context, counts.progress, counts.subagent
    ));
    if status.index.waiting > 0 {
        lines.push(format!("{} outputs of sub-agents wait", status.index.waiting));
    }
    with_warnings(lines.join("\n"), &status.problems)
}

fn list(journal: &Journal, category: Option<&str>) -> Result<ToolAnswer> {
    let mut listed = journal.list(&Filter { category, since: None, status: None })?;
    let more = listed.len().saturating_sub(MOST_LISTED);
    listed.truncate(MOST_LISTED);
    let mut text = if listed.is_empty() { "No records.".to_owned() } else { String::new() };
    for one in &listed {
        let (file, title) = (line_of(&one.row.file), line_of(&one.title));
        let (updated, summary) = (line_of(&one.row.updated), line_of(&one.row.summary));
        text.push_str(&format!("{file} ({updated}) {title}\n   | {summary}\n"));
    }
    if more > 0 {
        text.push_str(&format!("{more} more are not listed; `search` in the journal finds them.\n"));
    }
    Ok(ToolAnswer::text(text.trim_end()))
}
