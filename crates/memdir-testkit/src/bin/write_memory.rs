//! A writer to be killed, starved and raced: it adds memories through the disk layer and says so when they are safe.
//!
//! `write_memory MEMORY_DIR STATE_DIR add|change|remove|rename|recover WORKER FIRST COUNT`: each round is one operation on a
//! topic file and on the index; its number is printed once it is acknowledged.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to the test that runs it")]

use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;

use camino::Utf8PathBuf;
use memdir_core::gate::Admitted;
use memdir_core::operation::{Author, StoreId};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_disk::apply::{LOCK_PATIENCE, OnConflict, Request, Store, apply, recover};
use memdir_disk::memory_root::MemoryRoot;

type Problem = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Problem> {
    let [memory_dir, state_dir, action, worker, first, count] = arguments else {
        return Err("expected MEMORY_DIR STATE_DIR ACTION WORKER FIRST COUNT".into());
    };
    let (memory_dir, state_dir) = (Utf8PathBuf::from(memory_dir), Utf8PathBuf::from(state_dir));
    let id = StoreId::new(1);
    let store =
        Store { memory_dir: &memory_dir, id: &id, state_dir: &state_dir, follow_entrypoint_link: false };
    let time = "2026-01-01T00:00:00Z".parse()?;
    if action == "recover" {
        println!("{:?}", recover(&store, time)?);
        return Ok(());
    }
    let author = Author::person();
    let request = Request {
        author: &author,
        time,
        undo_of: None,
        staged: None,
        on_conflict: OnConflict::KeepBoth,
        patience: LOCK_PATIENCE,
        merge: &merge_lines,
    };
    let first: u32 = first.parse()?;
    for number in first..first + count.parse::<u32>()? {
        let root = MemoryRoot::open_or_create(&memory_dir)?;
        let plan = plan(&root, action, worker, number)?;
        let applied = apply(&store, &Admitted::verbatim(plan), &request)?;
        for conflict in &applied.conflicts {
            eprintln!("conflict {conflict:?}");
        }
        println!("{number}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn plan(root: &MemoryRoot, action: &str, worker: &str, number: u32) -> Result<Plan, Problem> {
    let index_path = RelPath::parse("MEMORY.md")?;
    let index = root.read(&index_path, 1 << 20)?;
    let topic_name = match action {
        "change" => format!("topic-{worker}.md"),
        _ => format!("topic-{worker}-{number}.md"),
    };
    let topic = RelPath::parse(&topic_name)?;
    let old = root.read(&topic, 1 << 20)?.map(Content);
    let content: Content = format!("topic {worker} {number}\n{}", "text ".repeat(200)).into();
    let mut lines: Vec<String> = String::from_utf8_lossy(index.as_deref().unwrap_or_default())
        .lines()
        .filter(|line| !line.starts_with(&format!("{topic_name} ")))
        .map(ToOwned::to_owned)
        .collect();
    let mut plan = Plan::new(action);
    match (action, old) {
        ("remove", Some(base)) => plan.changes.push(Change::Delete { path: topic, base }),
        ("rename", Some(base)) => {
            let to = RelPath::parse(&format!("renamed-{worker}-{number}.md"))?;
            lines.push(format!("{to} {number}"));
            plan.changes.push(Change::Rename { from: topic, to, base });
        }
        (_, base) => {
            lines.push(format!("{topic_name} {number}"));
            plan.changes.push(Change::Write { path: topic, content, base });
        }
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    plan.changes.push(Change::Write { path: index_path, content: text.into(), base: index.map(Content) });
    Ok(plan)
}

/// Lines as a set: what either side added is in, what either side removed is out.
fn merge_lines(_: &RelPath, base: Option<&[u8]>, mine: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let lines = |text: &[u8]| -> BTreeSet<String> {
        String::from_utf8_lossy(text).lines().map(ToOwned::to_owned).collect()
    };
    let (base, mine, theirs) = (lines(base.unwrap_or_default()), lines(mine), lines(theirs));
    let all: BTreeSet<&String> = mine.union(&theirs).collect();
    let kept = all
        .into_iter()
        .filter(|line| !base.contains(*line) || (mine.contains(*line) && theirs.contains(*line)));
    Some(kept.map(|line| format!("{line}\n")).collect::<String>().into_bytes())
}
