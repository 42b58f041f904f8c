//! What a sub-agent is told about the journal, and what it gives back.

use camino::Utf8Path;
use jiff::Timestamp;

use super::Problem;
use super::record::{Kind, Record};

/// The output of a sub-agent, checked and completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The file to store.
    pub record: Record,
    /// What was missing and was filled in.
    pub notes: Vec<String>,
}

/// Who ran, for what; fills in what an output does not say itself.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The task's name.
    pub task: &'a str,
    /// What the agent was asked, if that is known; else its name is used.
    pub asked: Option<&'a str>,
    /// The type of the agent, if it is known.
    pub agent: Option<&'a str>,
    /// What the parent was doing.
    pub parent: Option<&'a str>,
    /// When, as the journal writes it.
    pub now: &'a str,
}

/// Reads an output, in the long form or the short one. A text without any heading becomes the details.
///
/// # Errors
/// What is wrong with it, all at once: it says nothing, its summary is missing, its date is none.
pub fn accept(text: &str, run: &Run<'_>) -> Result<Output, Vec<Problem>> {
    let mut record = Record::parse(text);
    let mut notes = Vec::new();
    let mut problems = Vec::new();
    let has_form =
        record.sections.iter().any(|(heading, _)| Kind::SubAgent.sections().contains(&heading.as_str()));
    if !has_form {
        let body = without_title(text, &record.title);
        if body.trim().is_empty() {
            return Err(vec![Problem::new(0, "the output is empty")]);
        }
        let title = if run.asked.is_some() { String::new() } else { record.title };
        record = Record { title, ..Record::default() };
        record.set_section("Summary", &summary_of(&body).unwrap_or_else(|| run.task.to_owned()));
        record.set_section("Details", &below_sections(&body));
        notes.push("the text had no headings, so it became the details".to_owned());
    } else if record.section("Summary").is_none() {
        problems.push(Problem::new(0, "the section `Summary` is missing or empty"));
    } else if record.section("Details").is_none()
        && !record.sections.iter().any(|(heading, _)| heading == "Details")
    {
        problems.push(Problem::new(0, "the section `Details` is missing"));
    }
    if let Some(date) = record.field("Date")
        && date.parse::<Timestamp>().is_err()
    {
        problems.push(Problem::new(0, format!("`{date}` is not a date like 2026-01-19T22:30:00Z")));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    if record.title.is_empty() {
        run.task.clone_into(&mut record.title);
    }
    for (name, value) in [
        ("Agent", Some(run.agent.unwrap_or("unknown"))),
        ("Date", Some(run.now)),
        ("Task", Some(run.asked.unwrap_or(run.task))),
        ("Parent Context", run.parent),
    ] {
        if let Some(value) = value.filter(|_| record.field(name).is_none()) {
            if has_form && name != "Parent Context" {
                notes.push(format!("`{name}` was missing and is `{value}` now"));
            }
            record.set_field(name, value);
        }
    }
    // A text that explains itself before its first heading keeps it; optional sections are not invented.
    let order = |heading: &String| Kind::SubAgent.sections().iter().position(|known| known == heading);
    record.sections.sort_by_key(|(heading, _)| order(heading).unwrap_or(usize::MAX));
    record.fields.sort_by_key(|(name, _)| {
        Kind::SubAgent.fields().iter().position(|known| known == name).unwrap_or(usize::MAX)
    });
    Ok(Output { record, notes })
}

/// The name of a task: the first sentence of what an agent was asked, without what it was told about the journal.
#[must_use]
pub fn task_name(asked: &str) -> Option<String> {
    let plain = asked.lines().map(|line| line.trim().trim_start_matches(['#', '-', '*', '>', ' ']));
    let line = plain.filter(|line| !line.is_empty()).find(|line| !is_about_journal(line))?;
    let end = line.match_indices([':', '.', '?', '!']).map(|(at, _)| at);
    let end = end.filter(|at| *at >= 12).find(|at| ends_sentence(line, *at)).unwrap_or(line.len());
    Some(super::text::one_line(line.get(..end).unwrap_or(line), 80))
}

/// What an agent was asked, in one line, without what it was told about the journal.
#[must_use]
pub fn request(asked: &str) -> String {
    let told = asked.lines().take_while(|line| !is_about_journal(line.trim()));
    super::text::one_line(&told.collect::<Vec<_>>().join("\n"), 300)
}

/// Whether a line begins the block about the journal in a sub-agent's prompt, ours or the protocol's.
fn is_about_journal(line: &str) -> bool {
    ["JOURNAL", "MEMORY:", "MEMORY SYSTEM"].iter().any(|begin| line.starts_with(begin))
}

fn ends_sentence(line: &str, at: usize) -> bool {
    line.get(at + 1..).is_none_or(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// The first two sentences that are neither heading nor code, at most three hundred characters.
fn summary_of(body: &str) -> Option<String> {
    let code = super::text::code_lines(body);
    let lines = body.lines().zip(code).filter(|(_, is_code)| !is_code).map(|(line, _)| line.trim());
    let mut text =
        lines.skip_while(|line| line.is_empty() || line.starts_with('#') || line.starts_with("**"));
    let first = text.next()?.trim_start_matches(['-', '*', '>', ' ']);
    let paragraph = std::iter::once(first).chain(text.take_while(|line| !line.is_empty()));
    let paragraph = super::text::one_line(&paragraph.collect::<Vec<_>>().join(" "), 300);
    let mut ends = paragraph.match_indices(['.', '!', '?']).map(|(at, _)| at);
    let second = ends.by_ref().filter(|at| ends_sentence(&paragraph, *at)).nth(1);
    let summary = second.and_then(|at| paragraph.get(..=at)).unwrap_or(&paragraph);
    Some(summary.to_owned()).filter(|summary| !summary.is_empty())
}

/// A text whose headings are below those of a record's sections.
fn below_sections(body: &str) -> String {
    let code = super::text::code_lines(body);
    let lines = body.lines().zip(code).map(|(line, is_code)| {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = !is_code && (1..=4).contains(&level) && line.as_bytes().get(level) == Some(&b' ');
        if is_heading { format!("##{line}") } else { line.to_owned() }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn without_title(text: &str, title: &str) -> String {
    let text = text.trim_start();
    let rest = text.strip_prefix("# ").and_then(|rest| rest.trim_start().strip_prefix(title));
    rest.filter(|_| !title.is_empty()).unwrap_or(text).trim().to_owned()
}

/// The block that goes into a sub-agent's prompt.
#[must_use]
pub fn instructions(journal: &Utf8Path, task: &str, full: bool) -> String {
    let slug = super::names::slug(task);
    let journal = crate::hygiene::model_remark(journal.as_str());
    let command = format!("memdir journal subagent write --task {slug} --file -");
    if !full {
        return format!(
            "JOURNAL: for context read {journal}/_index.md. Leave your result with `{command}` (it goes to {journal}/subagent/), and write nothing else there."
        );
    }
    format!(
        "\
JOURNAL
- Context: {journal}/_index.md has the state of the work; decisions/ and analysis/ beside it hold the details. Read what your task needs, not everything.
- Result: pass it to `{command}`. It is stored under {journal}/subagent/ under a unique name.
- Form: `# Title`, then `**Agent**: your type`, `**Date**: like 2026-01-19T22:30:00Z`, `**Task**: what you were asked`, then the sections `## Summary` (two or three sentences), `## Details`, `## Files Analyzed` if you read files, `## Recommendations` if there are any.
- Leave every other file of the journal alone, _index.md above all: the agent that started you takes over your result."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Run<'_> = Run {
        task: "security-scan",
        asked: None,
        agent: Some("Explore"),
        parent: None,
        now: "2026-01-19T22:30:00Z",
    };

    #[test]
    fn both_forms_are_read() {
        let long = "# Scan\n\n**Agent**: Explore\n**Date**: 2026-01-19T22:30:00Z\n**Task**: scan it\n**Parent Context**: login\n\n## Summary\nFine.\n\n## Details\nAll.\n\n## Files Analyzed\n- a.rs\n\n## Recommendations\nNone.\n";
        let output = accept(long, &RUN).unwrap();
        assert_eq!((output.record.to_string().as_str(), output.notes.len()), (long, 0));
        let short = "# Scan\n\n**Agent**: Explore\n**Date**: 2026-01-19T22:30:00Z\n\n## Summary\nFine.\n\n## Details\nAll.\n\n## Recommendations\nNone.\n";
        let output = accept(short, &RUN).unwrap();
        assert_eq!(output.notes, ["`Task` was missing and is `security-scan` now"]);
        assert_eq!(output.record.field("Task"), Some("security-scan"));
    }

    #[test]
    fn a_plain_text_becomes_the_details_and_nothing_is_refused() {
        let output = accept("Found two holes. They are small.\n\nMore.", &RUN).unwrap();
        insta::assert_snapshot!(output.record, @r"
        # security-scan

        **Agent**: Explore
        **Date**: 2026-01-19T22:30:00Z
        **Task**: security-scan

        ## Summary
        Found two holes. They are small.

        ## Details
        Found two holes. They are small.

        More.
        ");
        assert!(accept(" \n", &RUN).is_err());
        assert!(accept("# Only a title\n", &RUN).is_err());
    }

    #[test]
    fn an_output_is_named_after_what_was_asked() {
        let asked = "Find every caller of parse() and say which ignore its error. Look in src/ only.\n\nJOURNAL: for context read x";
        let name = task_name(asked).unwrap();
        assert_eq!(name, "Find every caller of parse() and say which ignore its error");
        let request = request(asked);
        let run = Run { task: &name, asked: Some(&request), ..RUN };
        let text = "# Results\n\n## Findings\n\nThree callers ignore it. Two log it. More below.\n\n- a.rs\n\n## Next\nFix them.\n";
        insta::assert_snapshot!(accept(text, &run).unwrap().record, @r"
        # Find every caller of parse() and say which ignore its error

        **Agent**: Explore
        **Date**: 2026-01-19T22:30:00Z
        **Task**: Find every caller of parse() and say which ignore its error. Look in src/ only.

        ## Summary
        Three callers ignore it. Two log it.

        ## Details
        #### Findings

        Three callers ignore it. Two log it. More below.

        - a.rs

        #### Next
        Fix them.
        ");
        assert_eq!(task_name("## Explore\n"), Some("Explore".to_owned()));
        assert_eq!(task_name("MEMORY: read x"), None);
    }

    #[test]
    fn what_is_wrong_is_said_all_at_once() {
        let problems = accept("**Date**: yesterday\n\n## Details\nx\n", &RUN).unwrap_err();
        let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "the section `Summary` is missing or empty",
                "`yesterday` is not a date like 2026-01-19T22:30:00Z"
            ]
        );
    }

    #[test]
    fn instructions_name_the_command_and_the_form() {
        let short = instructions("/c/projects/app".into(), "Security scan", false);
        assert_eq!(short.lines().count(), 1);
        let full = instructions("/c/projects/app".into(), "Security scan", true);
        for word in [
            "--task security-scan",
            "/c/projects/app/_index.md",
            "## Summary",
            "## Details",
            "## Recommendations",
            "**Agent**",
        ] {
            assert!(full.contains(word), "{word}");
        }
    }
}
