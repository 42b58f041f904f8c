use jiff::Timestamp;
use memchr::memmem;
use serde::Deserialize;

/// How the client's own line begins, among keys in any order.
const KIND: &[u8] = b"\"type\":\"memory-mode\"";

/// What the user last told the client about memory in one session (`/pause-memory`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryMode {
    /// Whether memory is on.
    pub is_on: bool,
    /// Since when.
    pub since: Timestamp,
}

#[derive(Deserialize)]
struct Line<'l> {
    r#type: &'l str,
    mode: &'l str,
    timestamp: &'l str,
    #[serde(rename = "sessionId")]
    session: &'l str,
}

/// The last word about memory in the end of a transcript; `None` if this part of it says nothing.
#[must_use]
pub fn last_memory_mode(tail: &[u8], session: &str) -> Option<MemoryMode> {
    let mut until = tail.len();
    // A tool's input may hold the same words: only a whole line of the client's own counts.
    while let Some(at) = memmem::rfind(&tail[..until], KIND) {
        let start = memchr::memrchr(b'\n', &tail[..at]).map_or(0, |newline| newline + 1);
        let end = memchr::memchr(b'\n', &tail[at..]).map_or(tail.len(), |newline| at + newline);
        if let Some(mode) = parse(&tail[start..end], session) {
            return Some(mode);
        }
        until = start;
    }
    None
}

fn parse(line: &[u8], session: &str) -> Option<MemoryMode> {
    let line: Line<'_> = serde_json::from_slice(line).ok()?;
    let is_on = match line.mode {
        "on" => true,
        "off" => false,
        _ => return None,
    };
    let ours = line.r#type == "memory-mode" && line.session == session;
    ours.then_some(MemoryMode { is_on, since: line.timestamp.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(mode: &str, second: u8, session: &str) -> String {
        format!(
            "{{\"type\":\"memory-mode\",\"mode\":\"{mode}\",\"afterUuid\":null,\"timestamp\":\"2026-11-19T12:00:{second:02}.000Z\",\"sessionId\":\"{session}\"}}\n"
        )
    }

    #[test]
    fn the_last_whole_line_of_this_session_counts() {
        let check = |tail: String, wanted: Option<bool>| {
            assert_eq!(last_memory_mode(tail.as_bytes(), "s-1").map(|mode| mode.is_on), wanted, "{tail}");
        };
        check(String::new(), None);
        check(line("off", 1, "s-1"), Some(false));
        check(line("off", 1, "s-1") + &line("on", 2, "s-1"), Some(true));
        check(line("off", 1, "s-1") + &line("on", 2, "another"), Some(false));
        check(line("off", 1, "s-1") + &line("unknown", 2, "s-1"), Some(false));
        // Cut off at the start, still being written at the end.
        let (off, on) = (line("off", 1, "s-1"), line("on", 2, "s-1"));
        check(on[5..].to_owned() + &off + &on[..40], Some(false));
        check(on[5..].to_owned(), None);
        // The words alone, in what a tool was asked.
        let quoted = format!("{{\"type\":\"user\",\"input\":{}}}\n", line("on", 3, "s-1").trim());
        check(off + &quoted, Some(false));
    }
}
