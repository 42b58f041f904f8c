use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_disk::memory_root::MemoryRoot;

use super::measure::Table;
use crate::{Git, TestHome};

/// A team over git on this machine: the first sync, nothing to do, one change, at growing sizes.
#[must_use]
pub fn sync(program: &Utf8Path) -> Table {
    let mut table = Table::new("Team sync over git, `file://`");
    // A memory directory lists a hundred thousand files at most, and each team has an index of its own.
    // A file system that had to delete thousands of files a moment ago is slow to make new ones.
    let worlds = [1_000, 10_000, 99_000].map(|count| measure(program, count, &mut table));
    drop(worlds);
    table
}

fn measure(program: &Utf8Path, count: usize, table: &mut Table) -> SyncWorld {
    let world = SyncWorld::new(program);
    let limit = |wanted: &str| if count == 10_000 { wanted.to_owned() } else { "grows".to_owned() };
    for number in 0..count {
        let text = format!(
            "---\nname: topic-{number}\ndescription: About topic {number}\nmetadata:\n  type: project\n---\n\n{}\n",
            format!("Sentence {number} of some text. ").repeat(20)
        );
        world.write("ada", &format!("t{:03}/topic-{number:05}.md", number / 1_000), &text);
    }
    let seconds = |begin: Instant| format!("{:.2} s", begin.elapsed().as_secs_f64());
    let begin = Instant::now();
    world.run("ada", &["team", "sync"]);
    table.row(&format!("{count} memories: first sync, sent"), seconds(begin), limit("8 s"));
    let token = world.run("ada", &["team", "invite"]);
    let begin = Instant::now();
    world.run("bob", &["team", "join", token.trim(), "--name", "Bob", "--local"]);
    table.row(&format!("{count} memories: first sync, taken"), seconds(begin), limit("8 s"));
    // Files that changed a moment ago are read again; those of everyday life did not.
    thread::sleep(Duration::from_millis(2_200));
    world.run("ada", &["team", "sync"]);

    let scan = scan_cpu(&world.memory("ada").join("team"));
    let total = world.cpu(if count > 50_000 { 5 } else { 30 }, || {
        assert!(world.run("ada", &["team", "sync", "--json"]).contains("\"requests\":1"), "one request");
    });
    table.row(
        &format!("{count} memories: nothing to do, CPU with git, beyond the scan"),
        format!("{:.1} ms ({total:.1} ms − {scan:.1} ms)", total - scan),
        limit("20 ms"),
    );
    world.write("ada", "t000/topic-00000.md", "Changed.\n");
    let begin = Instant::now();
    let report = world.run("ada", &["team", "sync", "--json"]);
    table.row(
        &format!("{count} memories: one changed, {}", requests(&report)),
        seconds(begin),
        limit("3 requests"),
    );
    world.write("bob", "t000/topic-00001.md", "Changed too.\n");
    let report = world.run("bob", &["team", "sync", "--json"]);
    table.row(
        &format!("{count} memories: one changed on both sides"),
        requests(&report),
        limit("3 requests"),
    );
    world
}

fn requests(report: &str) -> String {
    let number = report.split("\"requests\":").nth(1).and_then(|rest| rest.split([',', '}']).next());
    format!("{} requests", number.unwrap_or("?"))
}

/// CPU milliseconds of listing a folder with the times of its files, which any sync has to do.
fn scan_cpu(folder: &Utf8Path) -> f64 {
    // The kernel counts in steps that are longer than a short listing.
    const TIMES: u32 = 20;
    let cpu = || super::measure::cpu("/proc/self/schedstat");
    let begin = cpu();
    for _ in 0..TIMES {
        let listing = MemoryRoot::open(folder).unwrap().list_files(0).unwrap();
        assert!(!listing.files.is_empty(), "there is nothing to scan");
    }
    (cpu() - begin) / f64::from(TIMES)
}

/// Two people and a repository.
struct SyncWorld {
    home: TestHome,
    program: Utf8PathBuf,
}

impl SyncWorld {
    fn new(program: &Utf8Path) -> Self {
        let world = Self { home: TestHome::new(), program: program.to_owned() };
        for person in ["ada", "bob"] {
            world.home.dir(format!("{person}/project"));
        }
        Git::run(world.home.root(), &["init", "-q", "--bare", "team.git"]);
        let url = format!("file://{}/team.git", world.home.root());
        world.run("ada", &["team", "init", &url, "--name", "Ada"]);
        world
    }

    fn memory(&self, person: &str) -> Utf8PathBuf {
        let project = self.home.root().join(person).join("project");
        let slug = memdir_core::project::encode_path::encode(project.as_str());
        self.home.root().join(person).join(".claude/projects").join(slug).join("memory")
    }

    fn write(&self, person: &str, key: &str, text: &str) {
        let path = self.memory(person).join("team").join(key);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, person: &str, arguments: &[&str]) -> String {
        let home = self.home.root().join(person);
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(home.join("project")).env_clear();
        command.env("HOME", &home).env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// CPU milliseconds of one of several runs, with all the processes that they start.
    fn cpu(&self, runs: u32, mut run: impl FnMut()) -> f64 {
        let children = || {
            let text = fs::read_to_string("/proc/self/stat").unwrap();
            let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
            // User and system time of children that were waited for, in hundredths of a second.
            fields[13].parse::<f64>().unwrap() + fields[14].parse::<f64>().unwrap()
        };
        let begin = children();
        for _ in 0..runs {
            run();
        }
        (children() - begin) * 10.0 / f64::from(runs)
    }
}
