//! HTTPS, and hosts by name, through the system's `curl`: see ARCHITECTURE.md for why.

use std::fmt::Write;
use std::io::ErrorKind;
use std::process::Command;
use std::time::Duration;

use memdir_core::model::answer::MAX_BYTES;
use memdir_lib::model::TransportError;

use super::bounded_process::{RunError, run};
use super::http::Answered;
use super::{free, made, timed_out, too_long};

/// Sends a body and brings back what was answered.
pub(super) fn post(
    url: &str,
    headers: &[(String, String)],
    body: &str,
    limit: Duration,
) -> Result<Answered, TransportError> {
    let mut command = Command::new("curl");
    // Everything else stands on its standard input, where no list of processes shows it. No settings of the user's
    // curl: they could print or redirect.
    command.args(["-q", "-K", "-"]);
    let slack = Duration::from_secs(5);
    match run(command, settings(url, headers, body, limit), limit + slack, MAX_BYTES + CODE_BYTES) {
        Ok(finished) if finished.status.success() => {
            parse(finished.output).ok_or_else(|| made("`curl` said nothing that can be understood"))
        }
        Ok(finished) => Err(failed(finished.status.code(), &finished.complaint, limit)),
        Err(RunError::Start(error)) if error.kind() == ErrorKind::NotFound => {
            Err(free("`curl` is not installed, and memdir needs it to reach this address"))
        }
        Err(RunError::Start(error)) => Err(free(format!("cannot start `curl`: {error}"))),
        Err(RunError::TimedOut) => Err(timed_out(limit)),
        Err(RunError::TooLong) => Err(too_long()),
        Err(RunError::Read(error)) => Err(made(format!("cannot read what `curl` says: {error}"))),
    }
}

/// The line with the status behind the body.
const CODE_BYTES: usize = 4;

fn settings(url: &str, headers: &[(String, String)], body: &str, limit: Duration) -> String {
    let mut text = String::new();
    let mut set = |name: &str, value: &str| {
        let _ = writeln!(text, "{name} = \"{}\"", quoted(value));
    };
    set("url", url);
    set("request", "POST");
    set("header", "content-type: application/json");
    set("header", "accept: application/json");
    set("header", "expect:");
    for (name, value) in headers {
        set("header", &format!("{name}: {value}"));
    }
    set("data-binary", body);
    set("proto", "=http,https");
    set("max-time", &limit.as_secs().to_string());
    set("connect-timeout", &limit.as_secs().min(15).to_string());
    set("max-filesize", &MAX_BYTES.to_string());
    set("write-out", "\\n%{http_code}");
    text.push_str("silent\nshow-error\nno-location\n");
    text
}

/// A value as `curl` reads it in its settings.
fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + value.len() / 8);
    for character in value.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            other => text.push(other),
        }
    }
    text
}

fn parse(mut output: Vec<u8>) -> Option<Answered> {
    let end = output.len().checked_sub(CODE_BYTES)?;
    let code = String::from_utf8(output.split_off(end)).ok()?;
    let status = code.strip_prefix('\n')?.parse().ok()?;
    Some(Answered { status, retry_after: None, body: output })
}

fn failed(code: Option<i32>, complaint: &str, limit: Duration) -> TransportError {
    let said: String = complaint.lines().next().unwrap_or_default().chars().take(200).collect();
    match code {
        Some(28) => timed_out(limit),
        Some(63) => too_long(),
        // The name, the connection or the certificate: nothing was sent.
        Some(3 | 5 | 6 | 7 | 35 | 60) => free(format!("the model cannot be reached: {said}")),
        _ => made(format!("the model did not answer: {said}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_stays_one_line_and_one_value() {
        let headers = [("x".to_owned(), "a\"b".to_owned())];
        let text = settings("https://h", &headers, "{\"a\":\"\\n\\\"\"}", Duration::from_secs(9));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.contains(&r#"header = "x: a\"b""#), "{text}");
        assert!(lines.contains(&r#"data-binary = "{\"a\":\"\\n\\\"\"}""#), "{text}");
        assert!(lines.contains(&r#"write-out = "\\n%{http_code}""#), "{text}");
    }

    #[test]
    fn the_status_stands_behind_the_body() {
        let answered = parse(b"{}\n\n200".to_vec()).unwrap();
        assert_eq!((answered.status, answered.body.as_slice()), (200, b"{}\n".as_slice()));
        assert!(parse(b"200".to_vec()).is_none());
        assert!(parse(b"\n2x0".to_vec()).is_none());
    }
}
