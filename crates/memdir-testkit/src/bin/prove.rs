//! Runs the proofs of docs/DURABILITY.md and prints what they did. usage: prove PROGRAM [PROOF…] [--long] [--seeds=FROM..TO]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]

use std::ops::Range;
use std::process::ExitCode;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_testkit::proof::{self, Convergence, Crowd, Errors, Kill, Power, ProofReport, Race};

const PROOFS: [&str; 6] = ["kill", "errors", "crowd", "race", "sync", "power"];

/// The parts of `sync`, which takes long enough to be done piece by piece.
const PARTS_OF_SYNC: [&str; 4] = ["sync-process", "sync-git", "sync-kill", "sync-disk"];

const USAGE: &str = "usage: prove PROGRAM [kill|errors|crowd|race|sync|sync-process|sync-git|sync-kill|sync-disk|power]… \
                     [--long] [--seeds=FROM..TO]";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let named = arguments.next().map(Utf8PathBuf::from);
    let Some(program) = named.and_then(|program| program.canonicalize_utf8().ok()) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let (options, mut wanted): (Vec<String>, Vec<String>) =
        arguments.partition(|argument| argument.starts_with("--"));
    let Some(extent) = Extent::parse(&options) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    if wanted.iter().any(|name| !PROOFS.iter().chain(&PARTS_OF_SYNC).any(|known| known == name)) {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    if wanted.is_empty() {
        wanted = PROOFS.iter().map(ToString::to_string).collect();
    }
    let mut holds = true;
    for name in wanted {
        for proof in prove(&name, &program, &extent) {
            let begin = std::time::Instant::now();
            let report = proof();
            println!("{report}\n{:.0} s\n", begin.elapsed().as_secs_f64());
            holds &= report.holds();
        }
    }
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How much is done.
struct Extent {
    long: bool,
    /// The worlds of the members who sync, if not all.
    seeds: Option<Range<u64>>,
}

impl Extent {
    fn parse(options: &[String]) -> Option<Self> {
        let mut extent = Self { long: false, seeds: None };
        for option in options {
            match option.strip_prefix("--seeds=").and_then(|seeds| seeds.split_once("..")) {
                Some((from, to)) => extent.seeds = Some(from.parse().ok()?..to.parse().ok()?),
                None if option == "--long" => extent.long = true,
                None => return None,
            }
        }
        Some(extent)
    }
}

type Proof<'a> = Box<dyn Fn() -> ProofReport + 'a>;

fn prove<'a>(name: &str, program: &'a Utf8Path, extent: &Extent) -> Vec<Proof<'a>> {
    let long = extent.long;
    match name {
        "kill" => {
            let size = if long {
                Kill { random: 10_000, every_call: true, deaths_of_successor: 200 }
            } else {
                Kill { random: 320, every_call: false, deaths_of_successor: 10 }
            };
            vec![Box::new(move || proof::kill(program, size)), Box::new(move || proof::kill_past(program, 1))]
        }
        "errors" => {
            vec![
                Box::new(move || proof::errors(program, Errors { all: long })),
                Box::new(move || proof::limits(program)),
            ]
        }
        "crowd" => crowds(long)
            .into_iter()
            .map(|size| -> Proof<'a> { Box::new(move || proof::crowd(program, &size)) })
            .collect(),
        "race" => {
            let attempts = if long { 1_000_000 } else { 50_000 };
            vec![Box::new(move || proof::race(Race { attempts }))]
        }
        "sync" => PARTS_OF_SYNC.iter().map(|part| part_of_sync(part, program, extent)).collect(),
        part if PARTS_OF_SYNC.contains(&part) => vec![part_of_sync(part, program, extent)],
        _ => {
            let (images, control_images) = if long { (200, 40) } else { (10, 10) };
            vec![Box::new(move || proof::power(program, Power { images, control_images }))]
        }
    }
}

/// Twenty members who do five hundred things each, in process or over real git, and one whose sync is killed at every
/// call.
fn part_of_sync<'a>(part: &str, program: &'a Utf8Path, extent: &Extent) -> Proof<'a> {
    let long = extent.long;
    let size = |clients, operations, seeds: u64| {
        let seeds = extent.seeds.clone().unwrap_or(0..seeds);
        Convergence { clients, operations, seeds }
    };
    match part {
        "sync-process" => {
            let size = if long { size(20, 10_000, 100) } else { size(20, 500, 5) };
            Box::new(move || proof::convergence_in_process(&size))
        }
        "sync-git" => {
            let size = if long { size(20, 10_000, 5) } else { size(4, 60, 1) };
            Box::new(move || proof::convergence_over_git(&size))
        }
        "sync-kill" => Box::new(move || proof::kill_sync(program, if long { 1 } else { 7 })),
        _ => Box::new(move || proof::full_disk(program)),
    }
}

fn crowds(long: bool) -> Vec<Crowd> {
    let in_memory = Crowd {
        directory: "/dev/shm".into(),
        writers: if long { 64 } else { 16 },
        changes: if long { 1_000 } else { 100 },
        killed_one_in: 0,
        strangers: false,
    };
    let smaller = Crowd { writers: 16, changes: if long { 200 } else { 25 }, ..in_memory.clone() };
    let on_disk =
        Crowd { directory: "/var/tmp".into(), changes: if long { 50 } else { 10 }, ..smaller.clone() };
    vec![
        in_memory,
        on_disk,
        Crowd { killed_one_in: 4, ..smaller.clone() },
        Crowd { strangers: true, ..smaller },
    ]
}
