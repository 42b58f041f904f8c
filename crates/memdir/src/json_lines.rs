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
        let reply = match parse(&line) {
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

/// Reads a question. Halves of surrogate pairs and bytes that are no UTF-8 are no reason to lose its id: they become
/// replacement characters, as they do for whoever reads a file that holds them.
fn parse(line: &[u8]) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_slice(line).or_else(|error| {
        let text = String::from_utf8_lossy(line);
        serde_json::from_str(&without_lone_surrogates(&text)).map_err(|_| error)
    })
}

/// The JSON text with every escaped half of a surrogate pair that stands alone replaced.
fn without_lone_surrogates(json: &str) -> String {
    let mut output = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(position) = rest.find('\\') {
        let (before, escape) = rest.split_at(position);
        output.push_str(before);
        let (written, length) = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (escape.get(..12), 12),
            (Some(0xD800..=0xDFFF), _) => (Some("\\ufffd"), 6),
            // The character behind the backslash is part of the escape, whatever it is.
            _ => {
                let length = 1 + escape.chars().nth(1).map_or(0, char::len_utf8);
                (escape.get(..length), length)
            }
        };
        output.push_str(written.unwrap_or_default());
        rest = escape.get(length..).unwrap_or_default();
    }
    output.push_str(rest);
    output
}

/// The UTF-16 unit that an escape at the start of a text stands for.
fn unit(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
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
