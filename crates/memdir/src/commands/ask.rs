//! A question to whoever sits at the terminal.

use std::io::{Read, Write};

use anyhow::{Result, anyhow};

use crate::report::WithHint;
use crate::world::World;

/// Asks; only a clear yes is one. Where nobody could answer it is an error that says how to agree beforehand.
pub(super) fn ask(question: &str, world: &mut World) -> Result<bool> {
    if !world.terminal.stdin {
        return Err(anyhow!("nobody is there to answer: {question}"))
            .hint("--yes agrees beforehand; --dry-run only shows");
    }
    world.stdout.flush()?;
    write!(world.stderr, "{question} [y/N] ")?;
    world.stderr.flush()?;
    let mut answer = Vec::new();
    let mut byte = [0];
    while answer.len() < 16 && world.stdin.read(&mut byte)? == 1 && byte != *b"\n" {
        answer.extend(byte);
    }
    let answer = String::from_utf8_lossy(&answer).trim().to_lowercase();
    Ok(matches!(answer.as_str(), "y" | "yes"))
}
