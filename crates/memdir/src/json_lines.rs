//! `--jsonl`: one JSON object a line in, one a line out, in order, in one process.

use std::io::{BufRead, BufReader, Read, Write};

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::world::World;

/// The longest line that is read; a longer one is answered with an error and passed over.
const MAX_LINE: u64 = 64 << 20;

/// Answers every line of standard input. The answer carries the question's `key` (its id), whatever that is.
///
/// A line that is no JSON object is answered with `error`, so that answers stay in step with questions.
pub(crate) fn answer_each(
    world: &mut World,
    key: &str,
    mut answer: impl FnMut(&Map<String, Value>) -> Result<Map<String, Value>>,
) -> Result<()> {
    let mut input = BufReader::new(std::mem::replace(&mut world.stdin, Box::new(std::io::empty())));
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.len() as u64 == MAX_LINE && line.last() != Some(&b'\n') {
            skip_line(&mut input)?;
            writeln!(world.stdout, "{}", json!({ key: null, "error": "the line is too long" }))?;
            continue;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let reply = match serde_json::from_slice::<Map<String, Value>>(&line) {
            Ok(question) => {
                let mut reply = Map::new();
                reply.insert(key.to_owned(), question.get(key).cloned().unwrap_or(Value::Null));
                match answer(&question) {
                    Ok(fields) => reply.extend(fields),
                    Err(error) => drop(reply.insert("error".to_owned(), format!("{error:#}").into())),
                }
                reply
            }
            Err(error) => Map::from_iter([
                (key.to_owned(), Value::Null),
                ("error".to_owned(), format!("not a JSON object: {error}").into()),
            ]),
        };
        serde_json::to_writer(&mut world.stdout, &reply).map_err(std::io::Error::from)?;
        writeln!(world.stdout)?;
        // Whoever asks one question at a time waits for its answer.
        if input.buffer().is_empty() {
            world.stdout.flush()?;
        }
    }
}

fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        match buffer.iter().position(|&byte| byte == b'\n') {
            Some(end) => {
                input.consume(end + 1);
                return Ok(());
            }
            None => {
                let length = buffer.len();
                input.consume(length);
            }
        }
    }
}

/// A field that must be a string.
pub(crate) fn text<'a>(question: &'a Map<String, Value>, name: &str) -> Result<&'a str> {
    question.get(name).and_then(Value::as_str).ok_or_else(|| anyhow::anyhow!("`{name}` must be a string"))
}
