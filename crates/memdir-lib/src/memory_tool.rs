//! The API's memory tool over a memory directory: the disk's half of [`memdir_core::memory::memory_tool`].

use jiff::Timestamp;
use memdir_core::memory::memory_tool::{Command, EntryKind, MemoryToolAnswer, ToolFiles, run};
use memdir_core::operation::Author;
use memdir_core::plan::Plan;
use memdir_core::rel_path::RelPath;
use memdir_disk::apply::{Conflict, Whose};
use memdir_disk::browse::Standing;

use crate::memory::{Memory, MemoryError, Submitted};

/// Runs one command of `memory_20250818`, given as JSON, and applies what it changes.
///
/// The answer is always one for the model: a failure is an answer too, with nothing changed.
pub fn run_memory_tool(
    memory: &mut Memory,
    command: &str,
    author: &Author,
    now: Timestamp,
) -> MemoryToolAnswer {
    let mut outcome = run(command, &Directory { memory });
    if outcome.changes.is_empty() {
        remove_emptied_folder(memory, command, &outcome.answer);
        return outcome.answer;
    }
    // If another process was faster, look again, so that a name that it took is taken for this command too.
    let submitted = memory.change(author, now, |memory| {
        outcome = run(command, &Directory { memory });
        let mut plan = Plan::new(reason(command));
        plan.changes.clone_from(&outcome.changes);
        Ok::<_, MemoryError>(plan)
    });
    match submitted.map(|(_, submitted)| submitted) {
        Ok(Submitted::Applied(applied)) => {
            remove_emptied_folder(memory, command, &outcome.answer);
            let mut answer = outcome.answer;
            applied.conflicts.iter().for_each(|conflict| answer.content.push_str(&told(conflict)));
            answer
        }
        Ok(Submitted::Staged { id, .. }) => MemoryToolAnswer::done(format!(
            "Nothing is changed yet: the change waits for the user's review ({id})."
        )),
        Ok(Submitted::Rejected) => {
            MemoryToolAnswer::error("Error: the user has rejected this change before.")
        }
        Err(error) => MemoryToolAnswer::error(failure(memory, &error)),
    }
}

/// A model knows the directory as `/memories`, and need not learn where it is.
fn failure(memory: &Memory, error: &MemoryError) -> String {
    format!("Error: {error}").replace(memory.directory().as_str(), "/memories")
}

/// One more line where another process changed the same at the same time.
fn told(conflict: &Conflict) -> String {
    match &conflict.kept_as {
        None => format!("\n/memories/{} was changed meanwhile and stays.", conflict.path),
        Some(kept) => {
            let whose = match conflict.kept {
                Whose::Ours => "this version",
                Whose::Theirs => "their version",
            };
            format!(
                "\n/memories/{} was changed meanwhile; {whose} is kept as /memories/{kept}.",
                conflict.path
            )
        }
    }
}

/// Plans know files; a folder that was deleted or renamed is empty now and goes too.
fn remove_emptied_folder(memory: &Memory, command: &str, answer: &MemoryToolAnswer) {
    let folder = match Command::parse(command) {
        Ok(Command::Delete { path } | Command::Rename { old_path: path, .. }) if !answer.is_error => path,
        _ => return,
    };
    if let (Some(root), Some(folder)) = (memory.root(), folder.below()) {
        root.remove_empty_folders(folder);
    }
}

fn reason(command: &str) -> String {
    let name = serde_json::from_str::<serde_json::Value>(command).ok();
    let name = name.as_ref().and_then(|value| value.get("command")).and_then(serde_json::Value::as_str);
    format!("memory tool: {}", name.unwrap_or("unknown"))
}

struct Directory<'m> {
    memory: &'m Memory,
}

impl ToolFiles for Directory<'_> {
    fn found(&self, path: &str) -> Option<EntryKind> {
        if path.is_empty() {
            return Some(EntryKind::Folder);
        }
        let standing = self.memory.root()?.standing(&RelPath::parse(path).ok()?)?;
        Some(match standing {
            Standing::File { size } => EntryKind::File { size },
            Standing::Folder => EntryKind::Folder,
        })
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let Some(root) = self.memory.root() else { return Vec::new() };
        match RelPath::parse(folder) {
            Ok(folder) => root.names(Some(&folder)),
            Err(_) if folder.is_empty() => root.names(None),
            Err(_) => Vec::new(),
        }
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let path = RelPath::parse(path).map_err(|refused| format!("Error: {refused}"))?;
        match self.memory.read(&path) {
            Ok(Some(content)) => Ok(content),
            Ok(None) => Err(format!("Error: The path /memories/{path} does not exist")),
            Err(error) => Err(failure(self.memory, &error)),
        }
    }
}
