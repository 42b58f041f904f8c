//! Many processes write one memory directory at once, beside others that know of no lock.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::writer::{Place, finish, topic};

const PROCESSES: usize = 16;
const ROUNDS: u32 = 100;
const FOREIGN_LINES: u32 = 200;

/// Runs everybody to the end; what went wrong.
fn crowd(place: &Place) -> Vec<String> {
    let children: Vec<_> =
        (0..PROCESSES).map(|worker| place.start("change", &worker.to_string(), 0, ROUNDS)).collect();
    let ends = children.into_iter().map(finish);
    ends.filter(|(success, printed, _)| !success || printed.lines().count() != ROUNDS as usize)
        .map(|(_, _, complaint)| complaint)
        .collect()
}

fn check_all_there(place: &Place) {
    let files = place.files();
    let last = ROUNDS - 1;
    for worker in 0..PROCESSES {
        let line = format!("topic-{worker}.md {last}\n");
        assert_eq!(files["MEMORY.md"].matches(&line).count(), 1, "{worker}: {}", files["MEMORY.md"]);
        assert_eq!(files[&format!("topic-{worker}.md")], topic(&worker.to_string(), last));
    }
    assert_eq!(files.keys().find(|name| name.starts_with(".memdir-")), None);
}

#[test]
fn sixteen_processes_lose_nothing() {
    let place = Place::new();
    assert_eq!(crowd(&place), Vec::<String>::new());
    check_all_there(&place);
    assert_eq!(place.files().len(), PROCESSES + 1);
    assert_eq!(place.files()["MEMORY.md"].lines().count(), PROCESSES);
}

#[test]
fn sixteen_processes_beside_a_foreign_writer_lose_nothing() {
    let place = Place::new();
    assert!(place.run("change", "0", 0, 1).0);
    let stop = AtomicBool::new(false);
    let (complaints, foreign_lines) = std::thread::scope(|scope| {
        let foreign = scope.spawn(|| {
            // Opens, appends, closes, as an agent's tool or `echo >>` does, without asking anybody.
            let mut lines = 0;
            while !stop.load(Ordering::Relaxed) && lines < FOREIGN_LINES {
                let mut index = OpenOptions::new().append(true).open(place.memory.join("MEMORY.md")).unwrap();
                index.write_all(format!("foreign {lines}\n").as_bytes()).unwrap();
                lines += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
            lines
        });
        let complaints = crowd(&place);
        stop.store(true, Ordering::Relaxed);
        (complaints, foreign.join().unwrap())
    });
    assert_eq!(complaints, Vec::<String>::new());
    assert!(foreign_lines > 3);
    check_all_there(&place);
}
