use std::collections::HashSet;
use std::time::Duration;

use camino::Utf8Path;
use memdir_core::journal::archive::Archive;
use memdir_core::journal::index::Index;
use memdir_core::journal::key::{ARCHIVE_FILE, INDEX_FILE};
use memdir_core::journal::names::{slug, timed};
use memdir_core::journal::record::{Kind, Record};
use memdir_core::journal::stamp;
use memdir_core::journal::subagent::{Run, accept, instructions};
use memdir_core::rel_path::RelPath;
use memdir_disk::memory_root::MemoryRoot;
use serde::Serialize;

use super::follow::News;
use super::{Followed, Journal, JournalError, MAX_FILE_BYTES, Writer, absent_if_missing};

/// The output of a sub-agent.
#[derive(Debug, Clone, Copy)]
pub struct NewOutput<'o> {
    /// The task's name.
    pub task: &'o str,
    /// What the agent was asked, if that is known.
    pub asked: Option<&'o str>,
    /// The type of the agent.
    pub agent: Option<&'o str>,
    /// What the parent was doing.
    pub parent: Option<&'o str>,
    /// The output: the long form, the short one, or plain words.
    pub text: &'o str,
}

/// What a consolidation did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Consolidated {
    /// Outputs that have a row in the index now, with their summaries.
    pub filed: Vec<(String, String)>,
    /// Outputs that say nothing, and have none.
    pub empty: Vec<String>,
    /// Tasks that were named and have left no output in time.
    pub missing: Vec<String>,
    /// What the user should be told.
    #[serde(skip)]
    pub followed: Followed,
}

impl Journal {
    /// The block that goes into a sub-agent's prompt.
    #[must_use]
    pub fn subagent_prompt(&self, task: &str, full: bool) -> String {
        instructions(self.directory(), task, full)
    }

    /// Stores the output of a sub-agent under a name of its own. The index is left to the parent, which consolidates, so any
    /// number may do this at once.
    ///
    /// # Errors
    /// There is no journal, the output says nothing or has a wrong form, or the disk fails.
    pub fn write_output(
        &self,
        output: &NewOutput<'_>,
        writer: &Writer<'_>,
    ) -> Result<(String, Vec<String>), JournalError> {
        self.root()?;
        if output.task.trim().is_empty() {
            return Err(JournalError::Nothing("an output needs the name of its task"));
        }
        let now = stamp(writer.now);
        let mut gate = self.gate(writer)?;
        let (task, text) = (gate.text(output.task.trim())?, gate.text(output.text)?);
        let asked = gate.optional(output.asked)?;
        let (agent, parent) = (gate.optional(output.agent)?, gate.optional(output.parent)?);
        let (asked, agent, parent) = (asked.as_deref(), agent.as_deref(), parent.as_deref());
        let run = Run { task: &task, asked, agent, parent, now: &now };
        let accepted = accept(&text, &run).map_err(|problems| JournalError::Output { problems })?;
        let content = accepted.record.to_string();
        let name = |_: &MemoryRoot, attempt: u32| {
            let path = timed("subagent", writer.now, &task, attempt);
            Ok((path.clone(), path.trim_end_matches(".md").to_owned()))
        };
        let reason = format!("sub-agent: {task}");
        let (path, applied) = self.create(writer, &reason, name, &content, |_, _| Ok(Vec::new()))?;
        let notes = accepted.notes.into_iter().chain(gate.warnings).chain(applied.warnings).collect();
        Ok((path, notes))
    }

    /// Takes the outputs of sub-agents over into the index, one at a time, oldest first: all that wait, or those of the
    /// tasks that are named, for which it waits at most `patience`.
    ///
    /// # Errors
    /// There is no journal, or the index cannot be written.
    pub fn consolidate(
        &self,
        tasks: &[String],
        patience: Duration,
        writer: &Writer<'_>,
    ) -> Result<Consolidated, JournalError> {
        self.gate(writer)?;
        let root = self.root()?;
        let mut consolidated = Consolidated::default();
        let wanted: Vec<String> = tasks.iter().map(|task| slug(task)).collect();
        let mut waited = Duration::ZERO;
        loop {
            let all = outputs(&root)?;
            let waiting = self.without_row(&root, all.clone())?;
            let came = |task: &String| all.iter().any(|path| is_of(path, task));
            let missing: Vec<&String> = wanted.iter().filter(|task| !came(task)).collect();
            if missing.is_empty() || waited >= patience {
                consolidated.missing = missing.into_iter().cloned().collect();
                self.file(&root, waiting, &wanted, &mut consolidated, writer)?;
                return Ok(consolidated);
            }
            std::thread::sleep(PAUSE);
            waited += PAUSE;
        }
    }

    fn file(
        &self,
        root: &MemoryRoot,
        waiting: Vec<String>,
        wanted: &[String],
        consolidated: &mut Consolidated,
        writer: &Writer<'_>,
    ) -> Result<(), JournalError> {
        let mut news = Vec::new();
        for path in waiting {
            if !wanted.is_empty() && !wanted.iter().any(|task| is_of(&path, task)) {
                continue;
            }
            let Some(text) = self.text(root, &path)? else { continue };
            let record = Record::parse(&text);
            let says = record.section("Summary").or(record.section("Details")).is_some()
                || !record.preamble.is_empty();
            match News::of(&path, &text, writer).filter(|_| says) {
                Some(found) => {
                    consolidated.filed.push((path, record.summary(Kind::SubAgent)));
                    news.push(found);
                }
                None => consolidated.empty.push(path),
            }
        }
        // Here the index is all that is written: an output without its row is not taken over.
        if !news.is_empty() {
            self.try_follow(&news, &[], writer, &mut consolidated.followed)?;
        }
        Ok(())
    }

    /// The outputs that neither the index nor its archive names, oldest first. A hook that asks goes on without a folder
    /// that cannot be read.
    pub(super) fn waiting_outputs(&self, root: &MemoryRoot) -> Result<Vec<String>, JournalError> {
        self.without_row(root, outputs(root).unwrap_or_default())
    }

    fn without_row(&self, root: &MemoryRoot, outputs: Vec<String>) -> Result<Vec<String>, JournalError> {
        if outputs.is_empty() {
            return Ok(outputs);
        }
        let known = self.files_with_a_row(root)?;
        Ok(outputs.into_iter().filter(|path| !known.contains(path)).collect())
    }

    /// The files that the index or its archive names.
    pub(super) fn files_with_a_row(&self, root: &MemoryRoot) -> Result<HashSet<String>, JournalError> {
        let read = |path: &str| {
            Ok::<_, JournalError>(absent_if_missing(root.read(&RelPath::parse(path)?, MAX_FILE_BYTES))?)
        };
        let index = read(INDEX_FILE)?.map(|bytes| Index::parse(&bytes).rows()).unwrap_or_default();
        let archive = read(ARCHIVE_FILE)?.map(|bytes| Archive::parse(&bytes).entries()).unwrap_or_default();
        Ok(index.into_iter().chain(archive.into_iter().map(|(row, _)| row)).map(|row| row.file).collect())
    }

    /// The outputs that were not taken over yet, oldest first.
    ///
    /// # Errors
    /// There is no journal, or the system fails.
    pub fn waiting(&self) -> Result<Vec<String>, JournalError> {
        self.waiting_outputs(&self.root()?)
    }
}

/// How long between two looks for outputs that are still to come.
const PAUSE: Duration = Duration::from_millis(50);

fn outputs(root: &MemoryRoot) -> Result<Vec<String>, JournalError> {
    let names = root.try_names(Some(&RelPath::parse("subagent")?))?.into_iter();
    let mut paths: Vec<String> = names
        .filter(|name| name.ends_with(".md") && !name.starts_with('.'))
        .map(|name| format!("subagent/{name}"))
        .collect();
    paths.sort();
    Ok(paths)
}

/// Whether an output is of a task: `subagent/DATE_TIME_task.md` or `…_task-2.md`.
pub(super) fn is_of(path: &str, task: &str) -> bool {
    let name = Utf8Path::new(path).file_stem().unwrap_or_default();
    let name = name.splitn(3, '_').nth(2).unwrap_or(name);
    let rest = name.strip_prefix(task);
    rest.is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_ok())
    })
}
