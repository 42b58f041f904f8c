//! `--jsonl`: one JSON object a line in, one a line out, in order, in one process.

use std::io::{BufRead, BufReader, Read, Write};

use anyhow::Result;
use memdir_core::lone_surrogates::without_lone_surrogates;
use serde_json::{Map, Value, json};

use crate::world::World;

/// The longest line that is read; a longer one is answered with an error and passed over.
const MAX_LINE: u64 = 64 << 20;

/// Answers every line of standard input. The answer carries the question's `key` (its id), whatever that is, and the
/// version of the contract.
///
/// A line that is not a JSON object is answered with `error`, so that answers stay in step with questions.
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
            writeln!(world.stdout, "{}", json!({ "v": 1, key: null, "error": "the line is too long" }))?;
            continue;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let reply = match parse(&line) {
            Ok(question) => {
                let mut reply = Map::from_iter([("v".to_owned(), 1.into())]);
                reply.insert(key.to_owned(), question.get(key).cloned().unwrap_or(Value::Null));
                match answer(&question) {
                    Ok(fields) => reply.extend(fields),
                    Err(error) => drop(reply.insert("error".to_owned(), format!("{error:#}").into())),
                }
                reply
            }
            Err(error) => Map::from_iter([
                ("v".to_owned(), 1.into()),
                (key.to_owned(), Value::Null),
                ("error".to_owned(), format!("not a JSON object: {error}").into()),
            ]),
        };
        serde_json::to_writer(&mut world.stdout, &reply).map_err(std::io::Error::from)?;
        writeln!(world.stdout)?;
        // A caller that asks one question at a time waits for its answer.
        if input.buffer().is_empty() {
            world.stdout.flush()?;
        }
    }
}

/// Reads a question. Bytes that are not UTF-8 and halves of surrogate pairs do not lose its id: they become
/// replacement characters, as they do when a file that holds them is read.
fn parse(line: &[u8]) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_slice(line).or_else(|error| {
        let text = String::from_utf8_lossy(line);
        serde_json::from_str(&without_lone_surrogates(&text)).map_err(|_| error)
    })
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

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_question_keeps_its_id_whatever_its_text_holds() {
        let check = |line: &[u8], expected: &str| {
            let question = parse(line).unwrap();
            assert_eq!(question["id"], 7);
            assert_eq!(question["text"], expected);
        };
        check(br#"{"id": 7, "text": "a\ud800b"}"#, "a\u{fffd}b");
        check(br#"{"id": 7, "text": "\udc00\ud83d\ude00\ud83d"}"#, "\u{fffd}\u{1f600}\u{fffd}");
        check(br#"{"id": 7, "text": "\ud800\\ud800\""}"#, "\u{fffd}\\ud800\"");
        check(b"{\"id\": 7, \"text\": \"a\xffb\"}", "a\u{fffd}b");
        assert!(parse(br#"{"id": 7, "text": "\ud8"}"#).is_err());
        assert!(parse(br#"{"id": 7"#).is_err());
    }
}
