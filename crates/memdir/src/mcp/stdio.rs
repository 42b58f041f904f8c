//! A conversation over standard input and output: one message a line.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use memdir_core::mcp::{Incoming, MAX_MESSAGE_BYTES};
use serde_json::Value;

use super::Server;
use super::conversation::Conversation;
use crate::exit::Exit;
use crate::world::World;

/// How long a client may take to say where it works before it is answered without.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a client that listens is told of changes.
const EVERY: Duration = Duration::from_secs(1);
/// So many lines are read ahead.
const READ_AHEAD: usize = 16;

/// Serves until the input ends.
pub(crate) fn serve(server: &Server, world: &mut World) -> Result<Exit> {
    let input = std::mem::replace(&mut world.stdin, Box::new(std::io::empty()));
    let (sender, lines) = sync_channel(READ_AHEAD);
    thread::Builder::new()
        .name("mcp-input".to_owned())
        .spawn(move || read_lines(input, &sender))
        .context("cannot start to read")?;
    let mut conversation = Conversation::new(server, None);
    let mut asked: Option<Instant> = None;
    loop {
        let out = match next(&lines, &conversation, asked) {
            Next::Line(line) => conversation.take(line, server),
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

enum Next {
    Line(Incoming),
    Nothing,
    End,
}

fn next(lines: &Receiver<Incoming>, conversation: &Conversation, asked: Option<Instant>) -> Next {
    let patience = match asked {
        Some(asked) => Some(PATIENCE.saturating_sub(asked.elapsed())),
        None => conversation.waits_for_news().then_some(EVERY),
    };
    let Some(patience) = patience else { return lines.recv().map_or(Next::End, Next::Line) };
    match lines.recv_timeout(patience) {
        Ok(line) => Next::Line(line),
        Err(RecvTimeoutError::Timeout) => Next::Nothing,
        Err(RecvTimeoutError::Disconnected) => Next::End,
    }
}

fn write(messages: &[Value], world: &mut World) -> Result<()> {
    for message in messages {
        serde_json::to_writer(&mut world.stdout, message).map_err(std::io::Error::from)?;
        world.stdout.write_all(b"\n")?;
    }
    Ok(world.stdout.flush()?)
}

/// Reads lines until the input ends or nobody wants them any more.
fn read_lines(input: impl Read, sender: &SyncSender<Incoming>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = MAX_MESSAGE_BYTES as u64 + 1;
        match input.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        }
        let is_whole = line.last() == Some(&b'\n') || (line.len() as u64) < most;
        if !is_whole && input.skip_until(b'\n').is_err() {
            return;
        }
        let message = match is_whole {
            true if line.trim_ascii().is_empty() => continue,
            true => Incoming::parse(&line),
            false => Incoming::too_long(),
        };
        if sender.send(message).is_err() {
            return;
        }
    }
}
