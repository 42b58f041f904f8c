use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use super::ground::Ground;
use super::writing_command::{EDITOR, WritingCommand};

/// One system call of a command: the `number`th of its name, counted from one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) number: usize,
}

/// Which calls of a command are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Calls {
    /// Those that change something, or make it last.
    Writing,
    /// Those that open, read or list a file as well.
    Files,
    /// All, whatever they do: dying before the next call is dying after the last.
    All,
}

/// What strace knows as a change of a file system. Opening counts where it may create or change.
const WRITING: &str = "openat,openat2,open,creat,write,pwrite64,writev,pwritev,pwritev2,copy_file_range,sendfile,\
    rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,mkdir,mkdirat,\
    fsync,fdatasync,sync_file_range,syncfs,truncate,ftruncate,fallocate,chmod,fchmod,fchmodat,chown,fchown,fchownat,\
    flock,utimensat,close";
const READING: &str = "read,pread64,readv,getdents64,lseek,statx,newfstatat,fstat";

/// The calls that a command makes, in their order, found by running it once. What its children do, such as an
/// editor, is not counted and not disturbed.
pub(super) fn calls(ground: &Ground, command: &WritingCommand, wanted: Calls) -> Vec<Call> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let log_path = log.path().to_str().unwrap().to_owned();
    let filter = match wanted {
        Calls::Writing => format!("trace={WRITING}"),
        Calls::Files => format!("trace={WRITING},{READING}"),
        Calls::All => "trace=all".to_owned(),
    };
    let output =
        run(ground.command_behind(&["strace", "-e", &filter, "-o", &log_path], command.arguments), command);
    assert!(output.status.success(), "{} under strace: {output:?}", command.name);
    let text = std::fs::read_to_string(log.path()).unwrap();
    let mut numbers = BTreeMap::new();
    let mut calls = Vec::new();
    for line in text.lines() {
        let Some((name, arguments)) = line
            .split_once('(')
            .filter(|(name, _)| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
        else {
            continue;
        };
        let number = numbers.entry(name.to_owned()).or_insert(0);
        *number += 1;
        if is_meant(name, arguments, wanted) {
            calls.push(Call { name: name.to_owned(), number: *number });
        }
    }
    assert!(calls.iter().any(|call| call.name == "fsync"), "{} did not write durably", command.name);
    calls
}

fn is_meant(name: &str, arguments: &str, wanted: Calls) -> bool {
    let opens = name.starts_with("open");
    let talks = name.starts_with("write") && (arguments.starts_with("1,") || arguments.starts_with("2,"));
    match wanted {
        Calls::Writing if opens => {
            ["O_CREAT", "O_WRONLY", "O_RDWR"].iter().any(|flag| arguments.contains(flag))
        }
        Calls::Writing | Calls::Files => !talks,
        Calls::All => name != "execve" && !name.starts_with("exit"),
    }
}

/// Runs a command while strace does something to one of its calls, such as `error=EIO:when=3`.
pub(super) fn run_injected(ground: &Ground, command: &WritingCommand, call: &str, injection: &str) -> Output {
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:{injection}"));
    let prefix = ["strace", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    run(ground.command_behind(&prefix, command.arguments), command)
}

/// Runs a prepared command with the input that it reads and the editor that it may start.
pub(super) fn run(mut prepared: Command, command: &WritingCommand) -> Output {
    let mut child = start(&mut prepared, command);
    if let Some(mut input) = child.stdin.take() {
        // A program that was killed reads no more; that is what these tests are about.
        let _ = input.write_all(command.input.as_bytes());
    }
    child.wait_with_output().unwrap()
}

/// Starts it; the caller closes its input.
pub(super) fn start(prepared: &mut Command, command: &WritingCommand) -> std::process::Child {
    prepared.env("EDITOR", EDITOR).stdin(if command.input.is_empty() {
        Stdio::null()
    } else {
        Stdio::piped()
    });
    match prepared.spawn() {
        Ok(child) => child,
        Err(error) => panic!("cannot start {prepared:?}: {error}; the proofs need strace, unshare and mount"),
    }
}
