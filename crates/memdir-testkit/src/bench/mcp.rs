use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use camino::Utf8Path;
use serde_json::{Value, json};

use super::corpus;
use super::measure::{Table, median, ratio, wall};
use super::sandbox::{Bench, true_command};

const SIZES: [usize; 3] = [10, 1_000, 10_000];
const QUERIES: [&str; 3] =
    ["codename needle3", "retry policy exponential backoff", "why does the postgres schema use ULID keys"];

/// `memdir mcp`: how soon it starts, what it takes while idle, and what a search costs.
#[must_use]
pub fn mcp(program: &Utf8Path) -> Table {
    let mut table = Table::new("MCP server");
    let bench = Bench::new(program);
    let (mut starts, mut references) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        references.push(wall(&mut true_command(), &Stdio::null));
        let begun = Instant::now();
        let server = Server::start(&bench.command(&["mcp"]));
        starts.push(begun.elapsed());
        drop(server);
    }
    let (start, reference) = (median(starts), median(references));
    let milliseconds = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    table.row("start to initialized", milliseconds(start), "6 ms");
    table.row("the same : `/bin/true` from start to end", ratio((start, reference)), "");
    let mut server = Server::start(&bench.command(&["mcp", "--memory-tool"]));
    let bytes = server.ask("tools/list", &json!({})).to_string().len();
    table.row("`tools/list`, whole answer with the memory tool", format!("{bytes} bytes"), "6,000 bytes");
    table.row("resident memory while idle, MB", format!("{:.1}", server.resident()), "15");
    let measured: Vec<(f64, f64)> = SIZES.iter().map(|size| search(program, *size)).collect();
    let cell = |value: fn(&(f64, f64)) -> f64, digits: usize| {
        measured.iter().map(|one| format!("{:.digits$}", value(one))).collect::<Vec<_>>().join(" / ")
    };
    table.row("warm search at 10 / 1,000 / 10,000 memories, CPU ms", cell(|one| one.0, 3), "1 at 10,000");
    table.row("resident memory after these searches, MB", cell(|one| one.1, 1), "15");
    table
}

/// CPU milliseconds of a warm search in all threads of the server, and its resident memory afterwards.
fn search(program: &Utf8Path, size: usize) -> (f64, f64) {
    let bench = Bench::new(program);
    corpus::memories(&bench.memory_dir(), size);
    // What was written a moment ago is looked at twice; that is not what is measured.
    std::thread::sleep(Duration::from_millis(50));
    let mut server = Server::start(&bench.command(&["mcp"]));
    let ask = |server: &mut Server, run: usize| {
        let arguments = json!({"query": QUERIES[run % QUERIES.len()]});
        let answer = server.ask("tools/call", &json!({"name": "search", "arguments": arguments}));
        assert!(answer["result"]["structuredContent"]["hits"].is_array(), "{answer}");
    };
    // Until everything is indexed, and what was written a moment ago has settled.
    for run in 0..30 {
        ask(&mut server, run);
        std::thread::sleep(Duration::from_millis(100));
    }
    let rounds = 600;
    let before = server.cpu();
    (0..rounds).for_each(|run| ask(&mut server, run));
    ((server.cpu() - before) / rounds as f64, server.resident())
}

/// A running server that has been greeted.
pub(super) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    pub(super) fn start(command: &Command) -> Self {
        let mut own = Command::new(command.get_program());
        own.args(command.get_args()).env_clear();
        own.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        own.current_dir(command.get_current_dir().unwrap());
        let mut child =
            own.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut server = Self { child, input, output };
        let client = json!({"name": "bench", "version": "1"});
        let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = server.ask("initialize", &greeting);
        assert!(answer["result"]["serverInfo"].is_object(), "{answer}");
        writeln!(server.input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .unwrap();
        server
    }

    /// The answer to a request; what else comes is passed over.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.input.write_all(format!("{request}\n").as_bytes()).unwrap();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == 1 {
                return message;
            }
        }
    }

    pub(super) fn resident(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1e3
    }

    /// CPU milliseconds of all threads by the kernel's exact count.
    pub(super) fn cpu(&self) -> f64 {
        let tasks = Utf8Path::new("/proc").join(self.child.id().to_string()).join("task");
        let of = |path: &Utf8Path| -> f64 {
            let text = std::fs::read_to_string(path.join("schedstat")).unwrap_or_default();
            text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
        };
        tasks.read_dir_utf8().unwrap().flatten().map(|task| of(task.path())).sum::<f64>() / 1e6
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
