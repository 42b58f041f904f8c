use std::process::{Command, Stdio};

use camino::Utf8Path;
use jiff::tz::TimeZone;
use memdir_search::extract_session;

use super::corpus;
use super::measure::Table;
use super::sandbox::Bench;
use super::search::least;

/// Extraction by rules: how fast a transcript is read, and whether memory grows with it.
#[must_use]
pub fn extract(program: &Utf8Path) -> Table {
    const SIZES: [usize; 2] = [20, 200];
    let bench = Bench::new(program);
    let paths = SIZES.map(|megabytes| {
        let path = bench.home.root().join(format!("{megabytes}.jsonl"));
        corpus::transcript(&path, megabytes);
        path
    });
    let [small, large] = &paths;
    let megabytes = std::fs::metadata(large).unwrap().len() as f64 / 1e6;
    let typical = least(|| drop(extract_session(large, None, None, &TimeZone::UTC).unwrap()));
    // Nothing but prompts, all of them prose: what the rules themselves cost.
    let prompts = bench.home.root().join("prompts.jsonl");
    std::fs::write(&prompts, prompts_only(20 << 20)).unwrap();
    let prose = std::fs::metadata(&prompts).unwrap().len() as f64 / 1e6;
    let worst = least(|| drop(extract_session(&prompts, None, None, &TimeZone::UTC).unwrap()));
    let mut table = Table::new(&format!("Extraction: {megabytes:.0} MB of transcript"));
    let per_second = |size: f64, milliseconds: f64| format!("{:.0} MB/s", size / milliseconds * 1e3);
    table.row("rules over a session, CPU", per_second(megabytes, typical), "at least 20 MB/s");
    table.row("rules over prompts alone, CPU", per_second(prose, worst), "at least 20 MB/s");
    let resident = |path: &Utf8Path| {
        resident(&bench.command(&["extract", "--dry-run", "--transcript", path.as_str()]), program)
    };
    let (of_small, of_large) = (resident(small), resident(large));
    table.row(
        "resident memory at 200 MB : at 20 MB",
        format!("{:.2} times ({of_large:.1} MB : {of_small:.1} MB)", of_large / of_small),
        "1.1 times",
    );
    table
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
fn resident(command: &Command, program: &Utf8Path) -> f64 {
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
