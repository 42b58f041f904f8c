//! Backups, restores and moves that something goes wrong with.

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

use super::operator::publish;
use super::people::Person;
use super::process::{Process, command, operator, team};

/// A folder with the database of a server that was stopped, and of which it is known what it holds.
struct Kept {
    directory: TempDir,
    token: String,
}

const TEXT: &str = "We deploy on Mondays.\n";

impl Kept {
    fn new() -> Self {
        let kept = Self { directory: TempDir::new().unwrap(), token: String::new() };
        let token = team(&kept.db("team.db"), "crew");
        let server = Process::serve(&kept.db("team.db"), &[]);
        let ada = Person::founder(1);
        let puts = vec![ada.record(), ada.entry("deploy.md", 1, 1, Some(TEXT)), ada.round(1, 0)];
        publish(&server, &token, &ada, puts);
        assert!(server.stop());
        Self { token, ..kept }
    }

    fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.directory.path().display())
    }

    fn db(&self, name: &str) -> String {
        format!("sqlite:{}", self.file(name))
    }

    fn restore(&self, backup: &str, to: &str) -> (bool, String) {
        said(&command().args(["restore", &self.file(backup), "--db", &self.db(to)]).output().unwrap())
    }

    fn is_whole(&self, name: &str) -> bool {
        operator(&["teams", "--db", &self.db(name)]).starts_with("crew\t3\t")
    }
}

fn said(output: &Output) -> (bool, String) {
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_copy_that_finds_no_room_ends_and_says_so() {
    let kept = Kept::new();
    operator(&["backup", &kept.file("good.db"), "--db", &kept.db("team.db")]);
    let small = kept.file("small");
    fs::create_dir(&small).unwrap();
    let script = "mount -t tmpfs -o size=$1k tmpfs \"$2\" && shift 2 && exec timeout 60 \"$@\"";
    let attempt = |arguments: &[&str]| {
        let mut run = Command::new("unshare");
        run.arg(if rustix::process::geteuid().is_root() { "-m" } else { "-rm" });
        run.args(["sh", "-ec", script, "sh", "60", &small, env!("CARGO_BIN_EXE_memdir-server")]);
        said(&run.args(arguments).env("TMPDIR", kept.directory.path()).output().unwrap())
    };
    let target = format!("{small}/x.db");
    for arguments in [
        vec!["backup", &target, "--db", &kept.db("team.db")],
        vec!["restore", &kept.file("good.db"), "--db", &format!("sqlite:{target}")],
        vec!["move", "--from", &kept.db("team.db"), "--to", &format!("sqlite:{target}")],
    ] {
        let (worked, said) = attempt(&arguments);
        assert!(!worked && said.contains("full"), "{arguments:?}: {said}");
    }
}

#[test]
fn what_is_still_in_a_log_is_not_left_behind() {
    let kept = Kept::new();
    let server = Process::serve(&kept.db("team.db"), &[]);
    operator(&["token", "crew", "--db", &kept.db("team.db")]);
    server.kill();
    assert!(fs::metadata(kept.file("team.db-wal")).unwrap().len() > 0, "it was pulled in the middle");
    let (worked, said) = kept.restore("team.db", "new.db");
    assert!(!worked && said.contains("is not a backup") && said.contains("memdir-server move"), "{said}");
    assert!(!fs::exists(kept.file("new.db")).unwrap());
    operator(&["move", "--from", &kept.db("team.db"), "--to", &kept.db("new.db")]);
    assert!(kept.is_whole("new.db"));
    assert_eq!(operator(&["tokens", "crew", "--db", &kept.db("new.db")]).lines().count(), 2);
}

#[test]
fn damage_is_not_restored() {
    let kept = Kept::new();
    operator(&["backup", &kept.file("good.db"), "--db", &kept.db("team.db")]);
    let mut bytes = fs::read(kept.file("good.db")).unwrap();
    let at = bytes.windows(TEXT.len()).position(|window| window == TEXT.as_bytes()).unwrap();
    bytes[at] ^= 1;
    fs::write(kept.file("bad.db"), bytes).unwrap();
    let (worked, said) = kept.restore("bad.db", "new.db");
    assert!(!worked && said.contains("a text of the team `crew` is damaged"), "{said}");
    assert!(kept.restore("good.db", "new.db").0, "and the next one finds no half of it");
    assert!(kept.is_whole("new.db"));
}

#[test]
fn the_rest_of_an_interrupted_copy_blocks_nothing() {
    let kept = Kept::new();
    operator(&["backup", &kept.file("good.db"), "--db", &kept.db("team.db")]);
    for name in ["again.db", "anew.db"] {
        // Everything but the teams, which come last.
        assert!(kept.restore("good.db", name).0);
        rusqlite::Connection::open(kept.file(name)).unwrap().execute("DELETE FROM teams", []).unwrap();
    }
    assert!(kept.restore("good.db", "again.db").0);
    assert!(kept.is_whole("again.db"));
    team(&kept.db("anew.db"), "crew");
    assert!(operator(&["teams", "--db", &kept.db("anew.db")]).starts_with("crew\t0\t0\t"));
    let tokens = operator(&["tokens", "crew", "--db", &kept.db("anew.db")]);
    assert!(tokens.lines().count() == 1 && !tokens.contains(&kept.token[..12]), "{tokens}");
}

#[test]
fn operating_a_missing_database_creates_none() {
    let directory = TempDir::new().unwrap();
    let path = format!("{}/typo/team.db", directory.path().display());
    for arguments in [vec!["teams"], vec!["tokens", "crew"], vec!["audit", "crew"], vec!["prune", "crew"]] {
        let output = command().args(&arguments).args(["--db", &format!("sqlite:{path}")]).output().unwrap();
        let (worked, said) = said(&output);
        assert!(!worked && said.contains("there is no database") && said.contains("--db"), "{said}");
        assert!(!fs::exists(&path).unwrap());
    }
}
