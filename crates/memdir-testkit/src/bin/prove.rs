//! Runs the proofs of docs/DURABILITY.md and prints what they did. usage: prove PROGRAM [PROOF…] [--long]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]

use std::process::ExitCode;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_testkit::proof::{self, Convergence, Crowd, Errors, Kill, Power, Race, Report};

const PROOFS: [&str; 6] = ["kill", "errors", "crowd", "race", "sync", "power"];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let named = arguments.next().map(Utf8PathBuf::from);
    let Some(program) = named.and_then(|program| program.canonicalize_utf8().ok()) else {
        eprintln!("usage: prove PROGRAM [{}] [--long]", PROOFS.join("|"));
        return ExitCode::from(2);
    };
    let (options, mut wanted): (Vec<String>, Vec<String>) =
        arguments.partition(|argument| argument.starts_with("--"));
    let long = options == ["--long"];
    if !long && !options.is_empty() || wanted.iter().any(|name| !PROOFS.contains(&name.as_str())) {
        eprintln!("usage: prove PROGRAM [{}] [--long]", PROOFS.join("|"));
        return ExitCode::from(2);
    }
    if wanted.is_empty() {
        wanted = PROOFS.iter().map(ToString::to_string).collect();
    }
    let mut holds = true;
    for name in wanted {
        for proof in prove(&name, &program, long) {
            let begin = std::time::Instant::now();
            let report = proof();
            println!("{report}\n{:.0} s\n", begin.elapsed().as_secs_f64());
            holds &= report.holds();
        }
    }
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

type Proof<'a> = Box<dyn Fn() -> Report + 'a>;

fn prove<'a>(name: &str, program: &'a Utf8Path, long: bool) -> Vec<Proof<'a>> {
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
        "sync" => syncs(program, long),
        _ => {
            let (images, control_images) = if long { (200, 40) } else { (10, 10) };
            vec![Box::new(move || proof::power(program, Power { images, control_images }))]
        }
    }
}

/// Many members in process, some over real git, and one whose sync is killed at every call.
fn syncs(program: &Utf8Path, long: bool) -> Vec<Proof<'_>> {
    let in_process = if long {
        Convergence { clients: 20, operations: 500, seeds: 100 }
    } else {
        Convergence { clients: 20, operations: 500, seeds: 5 }
    };
    let over_git = if long {
        Convergence { clients: 20, operations: 500, seeds: 5 }
    } else {
        Convergence { clients: 4, operations: 60, seeds: 1 }
    };
    vec![
        Box::new(move || proof::convergence_in_process(in_process)),
        Box::new(move || proof::convergence_over_git(over_git)),
        Box::new(move || proof::kill_sync(program, if long { 1 } else { 7 })),
    ]
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
