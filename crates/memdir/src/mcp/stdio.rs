//! A conversation over standard input and output: one message a line.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use memdir_core::mcp::{Incoming, MAX_MESSAGE_BYTES};
use serde_json::Value;

use super::Server;
use super::conversation::Conversation;
use super::queue::{Next, Queue};
use crate::exit::Exit;
use crate::world::World;

/// How long a client may take to say where it works before it is answered without.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a client that listens is told of changes.
const EVERY: Duration = Duration::from_secs(1);

/// Serves until the input ends.
pub(crate) fn serve(server: &Server, world: &mut World) -> Result<Exit> {
    let input = std::mem::replace(&mut world.stdin, Box::new(io::empty()));
    let queue = Arc::new(Queue::default());
    let filled = Arc::clone(&queue);
    thread::Builder::new()
        .name("mcp-input".to_owned())
        .spawn(move || {
            read_lines(input, &filled);
            filled.end();
        })
        .context("cannot start to read")?;
    let mut conversation = Conversation::new(server, None);
    let mut asked: Option<Instant> = None;
    loop {
        let out = match next(&queue, &conversation, asked) {
            Next::Message(message) => conversation.take(message, server),
            Next::Nothing => {
                let mut out = Vec::new();
                if asked.is_some_and(|asked| asked.elapsed() >= PATIENCE) {
                    conversation.go_on_without_roots(server, &mut out);
                }
                conversation.tell_changes(&mut out);
                out
            }
            Next::End => break,
        };
        asked = conversation.awaits_roots().then(|| asked.unwrap_or_else(Instant::now));
        write(&out, world)?;
    }
    write(&conversation.end(server), world)?;
    Ok(Exit::Yes)
}

fn next(queue: &Queue, conversation: &Conversation, asked: Option<Instant>) -> Next {
    let patience = match asked {
        Some(asked) => Some(PATIENCE.saturating_sub(asked.elapsed())),
        None => conversation.waits_for_news().then_some(EVERY),
    };
    queue.take(patience)
}

fn write(messages: &[Value], world: &mut World) -> Result<()> {
    for message in messages {
        serde_json::to_writer(&mut world.stdout, message).map_err(io::Error::from)?;
        world.stdout.write_all(b"\n")?;
    }
    Ok(world.stdout.flush()?)
}

/// Reads lines until the input ends.
fn read_lines(input: impl Read, queue: &Queue) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = MAX_MESSAGE_BYTES as u64 + 1;
        match input.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        }
        let is_whole = line.last() == Some(&b'\n') || (line.len() as u64) < most;
        let message = match is_whole {
            true if line.trim_ascii().is_empty() => continue,
            true => Incoming::parse(&line),
            false => match end_of_line(&mut input) {
                Ok(end) => Incoming::too_long(&line, &end),
                Err(_) => return,
            },
        };
        queue.put(message, line.len());
    }
}

/// Reads to the end of a line, and gives back how it ends.
fn end_of_line(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    const KEPT: usize = 4 << 10;
    let mut end = Vec::new();
    loop {
        let count = input.by_ref().take(KEPT as u64).read_until(b'\n', &mut end)?;
        if count == 0 || end.last() == Some(&b'\n') {
            return Ok(end);
        }
        end.drain(..end.len().saturating_sub(KEPT));
    }
}
