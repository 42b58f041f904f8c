//! Prints the tables of docs/PERFORMANCE.md. usage: bench PROGRAM [SECTION…]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]

use std::process::ExitCode;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_testkit::bench::{self, Table};

/// Measures one thing with a program.
type Section = fn(&Utf8Path) -> Table;

const SECTIONS: &[(&str, Section)] = &[
    ("path", bench::path),
    ("memories", bench::memories),
    ("growth", bench::growth),
    ("journal", bench::journal),
    ("history", bench::history),
    ("hook", bench::hook),
    ("project-ls", bench::project_ls),
    ("prompt", bench::prompt),
    ("hygiene", bench::hygiene),
    ("search", bench::search),
    ("transcripts", bench::transcripts),
    ("extract", bench::extract),
    ("dream", bench::dream),
    ("mcp", bench::mcp),
    ("sync", bench::sync),
    ("server", bench::server),
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let first = std::env::args().nth(1);
    if first.as_deref() == Some("--warm-search") {
        let words: Vec<String> = arguments.skip(1).collect();
        if let [cache, folder] = words.as_slice() {
            println!("{}", bench::warm_search(cache, folder));
        }
        return ExitCode::SUCCESS;
    }
    let named = arguments.next().map(Utf8PathBuf::from);
    let Some(program) = named.and_then(|program| program.canonicalize_utf8().ok()) else {
        eprintln!("usage: bench PROGRAM [SECTION…]");
        return ExitCode::from(2);
    };
    let wanted: Vec<String> = arguments.collect();
    for (name, section) in SECTIONS {
        if wanted.is_empty() || wanted.iter().any(|word| word == *name) {
            println!("{}", section(&program));
        }
    }
    ExitCode::SUCCESS
}
