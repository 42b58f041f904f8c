use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use super::measure::Table;
use crate::{Cluster, TestHome};

mod load;

use load::{Connection, Crowd};

/// The team server on both engines: a crowd of clients from this process, nothing to do, first syncs at growing sizes.
/// `MEMDIR_BENCH_SECONDS` says how long the crowd works (20; 0: not at all), `MEMDIR_BENCH_MOST` up to how many memories
/// sync (10,000), `MEMDIR_BENCH_ENGINE` names one engine alone.
#[must_use]
pub fn server(program: &Utf8Path) -> Table {
    let mut table = Table::new("The team server on this machine, SQLite and PostgreSQL");
    let home = TestHome::new();
    let cluster = Cluster::start();
    // A file system that had to delete thousands of files a moment ago is slow to make new ones.
    let mut homes = Vec::new();
    let engines = [("SQLite", format!("sqlite:{}/team.db", home.root())), ("PostgreSQL", cluster.database())];
    let only = std::env::var("MEMDIR_BENCH_ENGINE").ok();
    for (engine, db) in
        engines.iter().filter(|(engine, _)| only.as_deref().is_none_or(|only| only == *engine))
    {
        let server = Server::start(program, db);
        if number("MEMDIR_BENCH_SECONDS", 20u64) > 0 {
            crowd(engine, &server, &mut table);
        }
        for count in [1_000, 10_000, 100_000] {
            if count <= number("MEMDIR_BENCH_MOST", 10_000) {
                homes.push(first_sync(engine, &server, program, count, &mut table));
            }
        }
    }
    table
}

/// What the host of a virtual machine has taken of its processors: a program that waits for them waits longer.
fn host_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let stolen = stat.lines().next().and_then(|all| all.split_whitespace().nth(8)?.parse::<f64>().ok());
    stolen.unwrap_or(0.0) / 100.0
}

fn crowd(engine: &str, server: &Server, table: &mut Table) {
    let seconds = number("MEMDIR_BENCH_SECONDS", 20);
    let crowd = Crowd::new(server, 1_000, 200);
    let begin = (server.cpu(), Instant::now());
    let taken = host_seconds();
    // What grows at first are caches; after a quarter of the time nothing should.
    let mut memory = Vec::new();
    let done = crowd.work(Duration::from_secs(seconds), || memory.push(server.memory()));
    let share = (server.cpu() - begin.0) / begin.1.elapsed().as_secs_f64() / 10.0;
    let taken = (host_seconds() - taken) / begin.1.elapsed().as_secs_f64() * 100.0;
    let say = |what: &str| format!("{engine}: 1,000 clients, {what}");
    let a_second = |count: usize| format!("{:.0} a second", count as f64 / seconds as f64);
    table.row(&say("writes"), a_second(done.writes.len()), "at least 200 a second");
    table.row(&say("reads"), a_second(done.reads.len()), "at least 2,000 a second");
    table.row(&say("writes, median and p99"), percentiles(done.writes), "p99 250 ms");
    table.row(&say("reads, median and p99"), percentiles(done.reads), "p99 250 ms");
    table.row(&say("requests that failed"), done.failed.to_string(), "0");
    table.row(&say("CPU of the server"), format!("{share:.0} % of one core"), "two cores for all");
    table.row(&say("time of its cores that the host took away"), format!("{taken:.0} % of one core"), "0");
    let after = memory.len() / 4;
    let (early, late) = (memory.get(after).copied().unwrap_or(0), memory.last().copied().unwrap_or(0));
    let memory = format!("{} MB, {} MB", early >> 20, late >> 20);
    table.row(&say(&format!("memory of its own after {} s and {seconds} s", seconds / 4)), memory, "flat");
}

fn percentiles(mut micros: Vec<u32>) -> String {
    micros.sort_unstable();
    let at = |share: f64| {
        let index = ((micros.len() as f64 * share) as usize).min(micros.len().saturating_sub(1));
        f64::from(micros.get(index).copied().unwrap_or(0)) / 1e3
    };
    format!("{:.1} ms, {:.1} ms", at(0.5), at(0.99))
}

/// What it costs the server to say that nothing changed, whatever the size of the team.
fn nothing_to_do(
    engine: &str,
    server: &Server,
    (team, token, count): (&str, &str, usize),
    table: &mut Table,
) {
    const REQUESTS: u32 = 5_000;
    let mut connection = Connection::open(&server.place);
    let head = load::request("GET", &format!("{team}/head"), &server.place, token, None, "");
    assert_eq!(connection.ask(&head).unwrap(), 200);
    let known = format!("if-none-match: {}", connection.header("etag").unwrap());
    let rest = format!("{team}/files?contents=true");
    let request = load::request("GET", &rest, &server.place, token, Some(&known), "");
    let begin = server.cpu();
    for _ in 0..REQUESTS {
        assert_eq!(connection.ask(&request).unwrap(), 304);
    }
    let each = (server.cpu() - begin) / f64::from(REQUESTS);
    let what = format!("{engine}, {count} memories: nothing to do, CPU of the server");
    table.row(&what, format!("{each:.3} ms"), "1 ms");
}

/// Two members of a team of so many memories; gives back where they live.
fn first_sync(
    engine: &str,
    server: &Server,
    program: &Utf8Path,
    count: usize,
    table: &mut Table,
) -> TestHome {
    let home = TestHome::new();
    for person in ["ada", "bob"] {
        home.dir(format!("{person}/project"));
    }
    let run = |person: &str, arguments: &[&str]| {
        let directory = home.root().join(person);
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory.join("project")).env_clear();
        command.env("HOME", &directory).env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let team = format!("of-{count}");
    let token = server.team(&team);
    run("ada", &["team", "init", &format!("http://{token}@{}/{team}", server.place), "--name", "Ada"]);
    let project = home.root().join("ada/project");
    let slug = memdir_core::project::encode_path::encode(project.as_str());
    let folder = home.root().join("ada/.claude/projects").join(slug).join("memory/team");
    for number in 0..count {
        let text = format!(
            "---\nname: topic-{number}\ndescription: About topic {number}\nmetadata:\n  type: project\n---\n\n{}\n",
            format!("Sentence {number} of some text. ").repeat(20)
        );
        let path = folder.join(format!("t{:03}/topic-{number:05}.md", number / 1_000));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let limit = |wanted: &str| if count == 10_000 { wanted.to_owned() } else { "grows".to_owned() };
    let mut timed = |what: &str, limit: String, arguments: (&str, &[&str])| {
        let begin = Instant::now();
        let printed = run(arguments.0, arguments.1);
        let requests = printed.split("\"requests\":").nth(1).and_then(|rest| rest.split([',', '}']).next());
        let requests = requests.map(|count| format!(", {count} requests")).unwrap_or_default();
        let measured = format!("{:.2} s{requests}", begin.elapsed().as_secs_f64());
        table.row(&format!("{engine}, {count} memories: {what}"), measured, limit);
    };
    timed("first sync, sent", limit("4 s"), ("ada", &["team", "sync", "--json"]));
    let invitation = run("ada", &["team", "invite"]);
    timed("first sync, taken", limit("4 s"), ("bob", &["team", "join", invitation.trim(), "--name", "Bob"]));
    run("ada", &["team", "sync"]);
    timed("nothing to do", "one request".to_owned(), ("ada", &["team", "sync", "--json"]));
    fs::write(folder.join("t000/topic-00000.md"), "Changed.\n").unwrap();
    timed("one changed", "3 requests".to_owned(), ("ada", &["team", "sync", "--json"]));
    timed("one taken", "3 requests".to_owned(), ("bob", &["team", "sync", "--json"]));
    nothing_to_do(engine, server, (&team, &token, count), table);
    home
}

/// The server in a process of its own.
struct Server {
    child: Child,
    program: Utf8PathBuf,
    db: String,
    place: String,
}

impl Server {
    fn start(memdir: &Utf8Path, db: &str) -> Self {
        let program = memdir.with_file_name("memdir-server");
        let mut command = Command::new(&program);
        command.args([
            "serve",
            "--db",
            db,
            "--listen",
            "127.0.0.1:0",
            "--quiet",
            "--token-rate=0",
            "--publish-rate=0",
        ]);
        command.arg("--address-rate=0").env_clear().stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let place = line.strip_prefix("listening on http://").and_then(|rest| rest.split_once(','));
        let place = place.unwrap_or_else(|| panic!("not listening: {line}")).0.to_owned();
        Self { child, program, db: db.to_owned(), place }
    }

    /// Makes a team; gives back its token.
    fn team(&self, name: &str) -> String {
        let mut command = Command::new(&self.program);
        command.args(["init", name, "--json", "--db", &self.db]).env_clear();
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let made: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        made["token"].as_str().unwrap().to_owned()
    }

    /// CPU time so far, in milliseconds.
    fn cpu(&self) -> f64 {
        let text = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
        (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) * 10.0
    }

    /// Resident memory in bytes.
    /// What it has for itself: not the parts of files that are in memory anyway, which the kernel frees at will.
    fn memory(&self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/statm", self.child.id())).unwrap();
        let pages: Vec<u64> = text.split_whitespace().map(|number| number.parse().unwrap()).collect();
        (pages[1] - pages[2]) * 4096
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn number<N: std::str::FromStr>(variable: &str, otherwise: N) -> N {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}
