//! HTTPS, and hosts by name, through the system's `curl`: see ARCHITECTURE.md for why.

use std::fmt::Write;
use std::io::ErrorKind;
use std::process::Command;
use std::time::Duration;

use super::bounded_process::{RunError, run};
use super::{Answered, HttpError, Request};

/// Sends a request and brings back what was answered.
pub(super) fn send(request: &Request<'_>) -> Result<Answered, HttpError> {
    let mut command = Command::new("curl");
    // Everything else goes to its standard input, where no list of processes shows it. No settings of the user's
    // curl: they could print or redirect.
    command.args(["-q", "-K", "-"]);
    let slack = Duration::from_secs(5);
    match run(command, settings(request), request.limit + slack, request.most_bytes + CODE_BYTES) {
        Ok(finished) if finished.status.success() => parse(finished.output)
            .ok_or_else(|| HttpError::Curl("`curl` said nothing that can be understood".to_owned())),
        Ok(finished) => Err(failed(finished.status.code(), &finished.complaint)),
        Err(RunError::Start(error)) if error.kind() == ErrorKind::NotFound => Err(HttpError::NoCurl(
            "`curl` is not installed, and memdir needs it to reach this address".to_owned(),
        )),
        Err(RunError::Start(error)) => Err(HttpError::NoCurl(format!("cannot start `curl`: {error}"))),
        Err(RunError::TimedOut) => Err(HttpError::TimedOut),
        Err(RunError::TooLong) => Err(HttpError::TooLong),
        Err(RunError::Read(error)) => Err(HttpError::Broke(error)),
    }
}

/// The line with the status behind the body.
const CODE_BYTES: usize = 4;

fn settings(request: &Request<'_>) -> String {
    let mut text = String::new();
    let mut set = |name: &str, value: &str| {
        let _ = writeln!(text, "{name} = \"{}\"", quoted(value));
    };
    set("url", request.url);
    set("request", request.method);
    set("header", "accept: application/json");
    set("header", "expect:");
    if request.body.is_some() {
        set("header", "content-type: application/json");
    }
    for (name, value) in request.headers {
        set("header", &format!("{name}: {value}"));
    }
    if let Some(body) = request.body {
        set("data-binary", body);
    }
    set("proto", "=http,https");
    set("max-time", &request.limit.as_secs().to_string());
    set("connect-timeout", &request.limit.as_secs().min(15).to_string());
    set("max-filesize", &request.most_bytes.to_string());
    set("write-out", "\\n%{http_code}");
    text.push_str("silent\nshow-error\nno-location\n");
    if request.compress {
        text.push_str("compressed\n");
    }
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

fn failed(code: Option<i32>, complaint: &str) -> HttpError {
    let said: String = complaint.lines().next().unwrap_or_default().chars().take(200).collect();
    match code {
        Some(28) => HttpError::TimedOut,
        Some(63) => HttpError::TooLong,
        // The name, the connection or the certificate: nothing was sent.
        Some(3 | 5 | 6 | 7 | 35 | 60) => HttpError::Unreachable(said),
        _ => HttpError::Curl(said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_stays_one_line_and_one_value() {
        let headers = [("x".to_owned(), "a\"b".to_owned())];
        let text = settings(&Request {
            method: "POST",
            url: "https://h",
            headers: &headers,
            body: Some("{\"a\":\"\\n\\\"\"}"),
            limit: Duration::from_secs(9),
            most_bytes: 10,
            compress: false,
        });
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.contains(&r#"header = "x: a\"b""#), "{text}");
        assert!(lines.contains(&r#"data-binary = "{\"a\":\"\\n\\\"\"}""#), "{text}");
        assert!(lines.contains(&r#"write-out = "\\n%{http_code}""#), "{text}");
    }

    #[test]
    fn the_status_follows_the_body() {
        let answered = parse(b"{}\n\n200".to_vec()).unwrap();
        assert_eq!((answered.status, answered.body.as_slice()), (200, b"{}\n".as_slice()));
        assert!(parse(b"200".to_vec()).is_none());
        assert!(parse(b"\n2x0".to_vec()).is_none());
    }
}
