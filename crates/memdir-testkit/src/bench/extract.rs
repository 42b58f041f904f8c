use std::process::{Command, Stdio};

use camino::Utf8Path;
use jiff::tz::TimeZone;
use memdir_search::{ExtractOptions, extract_session};

use super::corpus;
use super::measure::Table;
use super::sandbox::Bench;
use super::search::least;

const OPTIONS: ExtractOptions<'static> = ExtractOptions {
    memory_dir: None,
    zone: &TimeZone::UTC,
    for_model: false,
    headless: true,
    is_paused: &|_| false,
    known_until: 0,
};

/// Extraction by rules: how fast transcripts of three shapes are read, and whether memory grows with them.
#[must_use]
pub fn extract(program: &Utf8Path) -> Table {
    const SIZES: [usize; 3] = [1, 10, 100];
    let bench = Bench::new(program);
    let mut table = Table::new("Extraction by rules");
    let shapes: [(&str, Write); 3] = [
        ("a usual session", |path, megabytes| corpus::transcript(path, megabytes)),
        ("nothing but prompts", |path, megabytes| {
            std::fs::write(path, prompts_only(megabytes << 20)).unwrap();
        }),
        ("mostly tool results", |path, megabytes| std::fs::write(path, tool_heavy(megabytes << 20)).unwrap()),
    ];
    for (shape, write) in shapes {
        let path = bench.home.root().join("session.jsonl");
        let mut resident_at = Vec::new();
        for megabytes in SIZES {
            write(&path, megabytes);
            let command = bench.command(&["extract", "--dry-run", "--transcript", path.as_str()]);
            resident_at.push(resident(&command, program));
            if megabytes == SIZES[1] {
                let size = std::fs::metadata(&path).unwrap().len() as f64 / 1e6;
                let milliseconds =
                    least(|| drop(extract_session(&path, None, OPTIONS, &mut |_| {}).unwrap()));
                let speed = format!("{:.0} MB/s", size / milliseconds * 1e3);
                table.row(&format!("{shape}, CPU"), speed, "at least 20 MB/s");
            }
        }
        let shown: Vec<String> = resident_at.iter().map(|megabytes| format!("{megabytes:.1}")).collect();
        let growth = resident_at[2] / resident_at[0];
        table.row(
            &format!("{shape}, resident memory at 1 / 10 / 100 MB"),
            format!("{} MB: {growth:.2} times", shown.join(" / ")),
            "1.1 times",
        );
    }
    table
}

type Write = fn(&Utf8Path, usize);

/// Short prompts, each followed by a command and ten kilobytes of what it printed.
fn tool_heavy(bytes: usize) -> String {
    let output =
        "2026-11-15T18:04:54Z INFO request handled in 12 ms, status 200, path /orders/17\\n".repeat(130);
    let mut text = String::new();
    let mut turn = 0;
    while text.len() < bytes {
        text.push_str(&format!(
            "{{\"type\":\"user\",\"uuid\":\"u{turn}\",\"timestamp\":\"2026-11-15T18:04:54Z\",\"message\":{{\"role\":\"user\",\"content\":\"run the tests again and tell me what fails\"}}}}\n\
             {{\"type\":\"assistant\",\"uuid\":\"a{turn}\",\"message\":{{\"role\":\"assistant\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"c{turn}\",\"name\":\"Bash\",\"input\":{{\"command\":\"make test\"}}}}]}}}}\n\
             {{\"type\":\"user\",\"uuid\":\"r{turn}\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"c{turn}\",\"content\":\"{output}\"}}]}}}}\n"
        ));
        turn += 1;
    }
    text
}

/// Prompts of several sentences, one in fifty of which is worth remembering.
fn prompts_only(bytes: usize) -> String {
    const TEXTS: [&str; 5] = [
        "The retry in the importer gives up too early when the vendor answers slowly. Can you look at the backoff and tell me what it does?",
        "Rename the handler, move the validation out of it, and add a test for the empty case. The error message should name the field.",
        "I get a timeout in staging but not locally, the logs say that the pool is exhausted. Which query holds the connection?",
        "Looks good. Now the same for the orders endpoint, with the new response type, and update the docs while you are there.",
        "Why does the cache never expire here? It should be five minutes, see the config; maybe the key is wrong.",
    ];
    let mut text = String::new();
    let mut turn = 0;
    while text.len() < bytes {
        let said = match turn % 50 {
            49 => "please stop adding comments to every function, they go stale",
            other => TEXTS[other % TEXTS.len()],
        };
        text.push_str(&format!(
            "{{\"type\":\"user\",\"uuid\":\"u{turn}\",\"timestamp\":\"2026-11-15T18:04:54Z\",\"message\":{{\"role\":\"user\",\"content\":\"{said}\"}}}}\n"
        ));
        turn += 1;
    }
    text
}

/// The peak of resident memory of a command in megabytes, as the system counts it.
pub(super) fn resident(command: &Command, program: &Utf8Path) -> f64 {
    let mut timed = Command::new("/usr/bin/env");
    timed.args(["time", "-f", "%M"]).arg(program.as_std_path()).args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            timed.env(name, value);
        }
    }
    if let Some(directory) = command.get_current_dir() {
        timed.current_dir(directory);
    }
    let output = timed.stdout(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = text.lines().last().and_then(|line| line.trim().parse::<f64>().ok());
    last.map_or(f64::NAN, |kilobytes| kilobytes / 1e3)
}
