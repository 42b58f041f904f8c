use std::io::BufReader;
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use camino::Utf8Path;
use memdir_core::journal::names::slug;
use memdir_core::journal::record::Record;
use memdir_core::journal::relevance::terms;
use memdir_core::journal::subagent::{Run, accept, request, task_name};
use memdir_disk::untold::Untold;
use memdir_search::transcript::{Entry, Reader, Role, ToolResult};

use super::subagents::is_of;
use super::watch::open_end;
use super::{Journal, JournalError, NewOutput, Writer};

/// A sub-agent that ended, as its client reports it.
#[derive(Debug, Clone, Copy)]
pub struct EndedAgent<'e> {
    /// The type of the agent.
    pub agent_type: Option<&'e str>,
    /// Its own transcript.
    pub transcript: Option<&'e Utf8Path>,
    /// Its last words, without secrets.
    pub last_message: Option<&'e str>,
}

/// The client runs the hook up to 100 ms before it has written the last turns of an agent into its transcript, or any.
const TRANSCRIPT_PATIENCE: (usize, Duration) = (20, Duration::from_millis(25));

/// How many outputs are named.
const NAMED: usize = 5;

/// What a sub-agent's transcript says.
#[derive(Debug, Default)]
struct AgentRun {
    /// What it was asked.
    asked: String,
    /// Whether it left its output in the journal itself; `None` if there is no transcript.
    wrote: Option<bool>,
    /// Whether its last words are in the transcript, so that nothing before them is missing.
    is_complete: bool,
}

impl Journal {
    /// Keeps the last words of a sub-agent as its output, unless it left one in the journal itself, and remembers that
    /// its parent is to be told.
    ///
    /// # Errors
    /// There is no journal, or the disk fails.
    pub fn keep_output(&self, agent: &EndedAgent<'_>, writer: &Writer<'_>) -> Result<(), JournalError> {
        let kind = agent.agent_type.unwrap_or("sub-agent");
        let message = agent.last_message.map(str::trim).filter(|message| !message.is_empty());
        let transcript = agent.transcript.filter(|_| message.is_some());
        let run = transcript.and_then(|path| self.read_whole_run(path, message)).unwrap_or_default();
        if let Some(message) = message
            && !run.wrote.map_or_else(|| self.seems_stored(kind, message), Ok)?
        {
            let name = task_name(&run.asked);
            let asked = request(&run.asked);
            let output = NewOutput {
                task: name.as_deref().unwrap_or(kind),
                asked: name.is_some().then_some(asked.as_str()),
                agent: agent.agent_type,
                parent: None,
                text: message,
            };
            if !self.waits_already(&output)? {
                self.write_output(&output, writer)?;
            }
        }
        if !self.waiting()?.is_empty() {
            self.untold()?.mark();
        }
        Ok(())
    }

    /// One line about the outputs that wait, once after a sub-agent ended.
    ///
    /// # Errors
    /// There is no journal, or the system fails.
    pub fn take_notice(&self) -> Result<Option<String>, JournalError> {
        if !self.untold()?.take() {
            return Ok(None);
        }
        let waiting = self.waiting()?;
        let name = |path: &String| memdir_core::hygiene::quote_line(path.trim_start_matches("subagent/"));
        let mut names = waiting.iter().take(NAMED).map(name).collect::<Vec<_>>().join(", ");
        if waiting.len() > NAMED {
            names.push_str(&format!(" and {} more", waiting.len() - NAMED));
        }
        let what = match waiting.len() {
            0 => return Ok(None),
            1 => "1 output of a sub-agent waits".to_owned(),
            count => format!("{count} outputs of sub-agents wait"),
        };
        Ok(Some(format!(
            "{what} in the journal ({names}): `memdir journal consolidate` takes them over into its index."
        )))
    }

    fn untold(&self) -> Result<Untold, JournalError> {
        Ok(Untold::of(&self.state_dir()?, self.directory()))
    }

    /// Reads a transcript when it holds the last words of its agent, or when waiting for them took too long. That of an
    /// agent that ended at once is not there yet.
    fn read_whole_run(&self, path: &Utf8Path, last_words: Option<&str>) -> Option<AgentRun> {
        let (attempts, pause) = TRANSCRIPT_PATIENCE;
        for _ in 0..attempts {
            let run = self.read_run(path, last_words);
            if run.as_ref().is_some_and(|run| run.is_complete || run.wrote == Some(true)) {
                return run;
            }
            thread::sleep(pause);
        }
        self.read_run(path, last_words)
    }

    fn read_run(&self, path: &Utf8Path, last_words: Option<&str>) -> Option<AgentRun> {
        let folder = self.directory().join("subagent/");
        let is_complete = last_words.is_none();
        let mut run = AgentRun { asked: String::new(), wrote: Some(false), is_complete };
        let (mut commands, mut tool_writes): (Vec<String>, Vec<String>) = Default::default();
        let mut reader = Reader::new(BufReader::with_capacity(256 << 10, open_end(path).ok()?));
        let read = reader.read(|entry| {
            let Entry::Turn(turn) = entry else { return ControlFlow::Continue(()) };
            if turn.role == Role::User && run.asked.is_empty() && turn.results.is_empty() {
                run.asked = turn.text.to_string();
            }
            if let (Role::Assistant, Some(words)) = (turn.role, last_words) {
                run.is_complete = turn.text.contains(words);
            }
            for call in &turn.calls {
                let by_command =
                    call.command.as_deref().is_some_and(|command| command.contains("journal subagent write"));
                let is_write = matches!(call.name.as_ref(), "Write" | "Edit" | "MultiEdit");
                let by_tool = call.file.as_deref().is_some_and(|file| file.starts_with(folder.as_str()));
                if by_command {
                    commands.push(call.id.to_string());
                } else if is_write && by_tool {
                    tool_writes.push(call.id.to_string());
                }
            }
            // A command may only mention ours, as `grep` does, or fail behind a pipe: its answer must name the file.
            let stored = |result: &ToolResult<'_>| {
                commands.iter().any(|id| *id == result.id)
                    && stored_file(&result.text).is_some_and(|file| self.directory().join(file).is_file())
            };
            let written =
                |result: &ToolResult<'_>| !result.is_error && tool_writes.iter().any(|id| *id == result.id);
            if turn.results.iter().any(|result| stored(result) || written(result)) {
                run.wrote = Some(true);
            }
            ControlFlow::Continue(())
        });
        read.ok().map(|_| run)
    }

    /// Whether the same output waits already: a client may report the end of an agent twice.
    fn waits_already(&self, output: &NewOutput<'_>) -> Result<bool, JournalError> {
        let run = Run { task: output.task, asked: output.asked, agent: output.agent, parent: None, now: "" };
        let Ok(new) = accept(output.text, &run) else { return Ok(false) };
        let root = self.root()?;
        let task = slug(output.task);
        for path in self.waiting()?.iter().filter(|path| is_of(path, &task)) {
            let stored = Record::parse(&self.text(&root, path)?.unwrap_or_default());
            // The text of a record ends sections with line breaks of its own: compare what a file would hold.
            if stored.sections == Record::parse(&new.record.to_string()).sections {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Without a transcript: whether an output of that kind waits which says what the agent said last.
    fn seems_stored(&self, kind: &str, message: &str) -> Result<bool, JournalError> {
        let folder = self.directory().join("subagent");
        if message.contains(folder.as_str()) {
            return Ok(true);
        }
        let root = self.root()?;
        let (task, words) = (slug(kind), terms(message));
        for path in self.waiting()?.iter().filter(|path| is_of(path, &task)) {
            let stored = self.text(&root, path)?.unwrap_or_default().to_lowercase();
            let shared = words.iter().filter(|word| stored.contains(word.as_str())).count();
            if shared * 2 >= words.len() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The file that `memdir journal subagent write` says it stored, in words or in JSON.
fn stored_file(answer: &str) -> Option<&str> {
    let marks = ["stored subagent/", "\"file\":\"subagent/", "\"file\": \"subagent/"];
    let (mark, at) = marks.iter().find_map(|mark| Some((mark, answer.find(mark)?)))?;
    let rest = answer.get(at + mark.len() - "subagent/".len()..)?;
    let end = rest.find(".md")? + ".md".len();
    rest.get(..end).filter(|file| !file.contains(char::is_whitespace) && !file.contains(".."))
}
