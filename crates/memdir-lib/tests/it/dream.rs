//! A dream over a directory that changes under it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::settings::ClientFlags;
use memdir_lib::dream::{Occasion, Outcome, Wanted, dream};
use memdir_lib::memory::{Memory, MemoryError, Submitted};
use memdir_lib::phase::Phase;
use memdir_testkit::TestHome;

fn env(home: &TestHome) -> Env {
    Env { home: Some(home.home()), cwd: home.project(), vars: BTreeMap::new() }
}

/// Two memories that say the same and will become one, and their directory.
fn untidy(home: &TestHome) -> Utf8PathBuf {
    let memory = Memory::open(&env(home), &ClientFlags::default()).unwrap();
    let directory = memory.directory().to_owned();
    let said =
        "Run the whole test suite before every push, with the database container up and the cache cleared.";
    for name in ["a", "b", "c"] {
        let body = if name == "c" { "The kiosk runs Windows 7." } else { said };
        let text = format!(
            "---\nname: {name}\ndescription: about {name}\nmetadata:\n  type: feedback\n---\n\n{body}\n"
        );
        home.write(directory.join(format!("{name}.md")), text);
    }
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)).unwrap();
    directory
}

/// Dreams while `meddle` does something to the directory every time that all but the last file were read.
fn dream_while(home: &TestHome, mut meddle: impl FnMut(usize)) -> (Result<Outcome, MemoryError>, usize) {
    let env = env(home);
    let mut memory = Memory::open(&env, &ClientFlags::default()).unwrap();
    let mut plans = 0;
    let mut step = |phase: Phase, done: usize, total: usize| {
        if phase == Phase::Reading && done + 1 == total {
            plans += 1;
            meddle(plans);
        }
    };
    let mut wanted =
        Wanted { dry_run: false, occasion: Occasion::ByHand, all: false, model: None, step: &mut step };
    // Near the files' own times, which are those of the machine.
    let probe = fs::metadata(home.write("probe", "")).unwrap().modified().unwrap();
    let now = Timestamp::try_from(probe).unwrap();
    let outcome = dream(&env, &mut memory, &mut wanted, now);
    (outcome, plans)
}

fn is_applied(outcome: &Result<Outcome, MemoryError>) -> bool {
    matches!(outcome, Ok(Outcome::Dreamt(dreamt)) if matches!(dreamt.submitted, Some(Submitted::Applied(_))))
}

#[test]
fn a_file_that_changes_after_it_was_read_is_read_again() {
    let home = TestHome::new();
    let directory = untidy(&home);
    let changed = directory.join("b.md");
    let (outcome, plans) = dream_while(&home, |plan| {
        if plan == 1 {
            let text = fs::read_to_string(&changed).unwrap();
            fs::write(&changed, format!("{text}\nThe agent said this meanwhile.\n")).unwrap();
        }
    });
    assert!(is_applied(&outcome), "{outcome:?}");
    assert_eq!(plans, 2);
    // The longer text keeps its file.
    assert!(!directory.join("a.md").exists(), "it was merged");
    assert!(fs::read_to_string(&changed).unwrap().contains("The agent said this meanwhile."));
}

#[test]
fn files_that_come_and_go_are_neither_lost_nor_brought_back() {
    let home = TestHome::new();
    let directory = untidy(&home);
    let (outcome, plans) = dream_while(&home, |plan| {
        if plan == 1 {
            fs::remove_file(directory.join("a.md")).unwrap();
            fs::write(directory.join("new.md"), "Just written.\n").unwrap();
        }
    });
    assert!(is_applied(&outcome), "{outcome:?}");
    assert!(plans >= 2);
    assert!(!directory.join("a.md").exists() && directory.join("b.md").exists());
    assert_eq!(fs::read_to_string(directory.join("new.md")).unwrap(), "Just written.\n");
    let index = fs::read_to_string(directory.join("MEMORY.md")).unwrap();
    assert!(index.contains("(new.md)") && !index.contains("(a.md)"), "{index}");
}

#[test]
fn a_directory_that_never_rests_is_changed_only_where_it_rests() {
    let home = TestHome::new();
    let directory = untidy(&home);
    let restless = directory.join("a.md");
    let (_, plans) = dream_while(&home, |plan| {
        fs::write(&restless, format!("Written for the {plan}. time.\n")).unwrap();
    });
    assert!((2..=5).contains(&plans), "{plans}");
    assert_eq!(fs::read_to_string(&restless).unwrap(), format!("Written for the {plans}. time.\n"));
    assert!(fs::read_to_string(directory.join("b.md")).unwrap().contains("whole test suite"));
}
