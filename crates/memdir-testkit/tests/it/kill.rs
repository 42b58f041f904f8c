//! A writer killed at random: nothing that it acknowledged is lost, nothing is torn, nothing is left over.

use std::thread::sleep;
use std::time::Duration;

use crate::writer::{Place, finish, topic};

const KILLS: u32 = 300;

#[test]
fn what_was_acknowledged_survives_three_hundred_kills() {
    let place = Place::new();
    assert!(place.run("add", "w", 0, 1).0);
    let mut next = 1;
    let mut acknowledged = vec![0];
    let mut seed = 12345u64;
    let mut interrupted = 0;
    for _ in 0..KILLS {
        let mut child = place.start("add", "w", next, 1_000_000);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        sleep(Duration::from_micros((seed >> 33) % 6_000));
        child.kill().unwrap();
        let (_, printed, complaint) = finish(child);
        assert_eq!(complaint, "");
        acknowledged.extend(printed.lines().filter_map(|line| line.parse::<u32>().ok()));

        // A reader that comes before the next start sees whole files only.
        let files = place.files();
        for (name, content) in files.iter().filter(|(name, _)| name.starts_with("topic-")) {
            let number: u32 = name.trim_start_matches("topic-w-").trim_end_matches(".md").parse().unwrap();
            assert_eq!(*content, topic("w", number));
        }
        for number in &acknowledged {
            assert!(files.contains_key(&format!("topic-w-{number}.md")), "{number} is lost");
            assert!(
                files["MEMORY.md"].contains(&format!("topic-w-{number}.md {number}\n")),
                "line {number} is lost"
            );
        }
        interrupted += u32::from(files.keys().any(|name| name.starts_with(".memdir-")));

        // The next start finishes or undoes: a topic and its line are both there, or neither.
        let (recovered, _, complaint) = place.run("recover", "w", 0, 0);
        assert!(recovered, "{complaint}");
        let files = place.files();
        assert_eq!(files.keys().find(|name| name.starts_with(".memdir-")), None);
        assert_eq!(files["MEMORY.md"].lines().count(), files.len() - 1, "{}", files["MEMORY.md"]);
        next = acknowledged.iter().max().unwrap() + 1;
        while files.contains_key(&format!("topic-w-{next}.md")) {
            next += 1;
        }
    }
    assert!(acknowledged.len() > 1 && interrupted > 0, "{} {interrupted}", acknowledged.len());
}
