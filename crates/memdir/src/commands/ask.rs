//! A question to the user at the terminal.

use std::io::{Read, Write};

use anyhow::{Result, anyhow};

use crate::report::WithHint;
use crate::world::World;

/// Asks, and takes only a clear yes as one. Without a terminal it is an error that names `--yes`.
pub(super) fn ask(question: &str, world: &mut World) -> Result<bool> {
    if !world.terminal.stdin {
        return Err(anyhow!("this needs a confirmation, and standard input is not a terminal: {question}"))
            .hint("pass --yes to confirm, or --dry-run to see what would happen");
    }
    // A pager that runs would take the answer.
    world.paging.set(false);
    world.stdout.flush()?;
    let answer = line(&format!("{question} [y/N] "), world)?.to_lowercase();
    Ok(matches!(answer.as_str(), "y" | "yes"))
}

/// Asks before something that cannot be undone, unless `--yes` was given. `false` means: say so and stop.
pub(super) fn confirm(question: &str, yes: bool, world: &mut World) -> Result<bool> {
    if yes || ask(question, world)? {
        return Ok(true);
    }
    writeln!(world.stderr, "Nothing was changed.")?;
    Ok(false)
}

/// Prints a prompt and reads the line that the user types.
pub(super) fn line(prompt: &str, world: &mut World) -> Result<String> {
    write!(world.stderr, "{prompt}")?;
    world.stderr.flush()?;
    let mut answer = Vec::new();
    let mut byte = [0];
    while answer.len() < LONGEST_ANSWER && world.stdin.read(&mut byte)? == 1 && byte != *b"\n" {
        answer.extend(byte);
    }
    Ok(String::from_utf8_lossy(&answer).trim().to_owned())
}

const LONGEST_ANSWER: usize = 64 << 10;
