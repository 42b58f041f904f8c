//! A panic in a real terminal.

use std::io;

use memdir_testkit::{TestHome, Tmux};

use super::*;

/// Set in the process that panics.
const PANICS: &str = "MEMDIR_TEST_PANICS";

#[test]
fn a_panic_gives_the_terminal_back_and_can_be_read() {
    let mut world = World::of_this_process();
    if world.vars.contains_key(PANICS) {
        // This is the process inside the terminal.
        let events = |count: &mut u32| -> io::Result<Option<Event>> {
            *count += 1;
            assert!(*count < 3, "a defect");
            Ok(None)
        };
        let mut count = 0;
        let _ = show(&Which::default(), &mut world, &mut || events(&mut count));
        return;
    }
    let home = TestHome::new();
    let folder = home.home();
    let terminal = Tmux::start(80, 24, &home.project(), &[("HOME", folder.as_str()), (PANICS, "1")]);
    terminal.run("clear; echo before");
    terminal.wait_until("before", |screen| screen.starts_with("before"));
    let program = world.program.unwrap();
    terminal.run(&format!("{program} a_panic_gives_the_terminal_back --nocapture; echo ended"));
    let screen = terminal.wait_until("the end", |screen| screen.lines().any(|line| line == "ended"));
    assert!(screen.starts_with("before") && screen.contains("a defect"), "{screen}");
    terminal.run("stty -a | grep -o ' echo ' | tr -d ' '");
    terminal.wait_until("echo is on", |screen| screen.lines().any(|line| line == "echo"));
}
