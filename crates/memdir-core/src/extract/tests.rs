use std::collections::BTreeMap;

use super::*;

/// A labelled turn: what it says, and the kinds of memories that a careful person would write down from it.
struct Labelled {
    language: String,
    text: String,
    kinds: Vec<String>,
}

fn sessions(file: &str) -> Vec<Vec<Labelled>> {
    let mut sessions: Vec<Vec<Labelled>> = Vec::new();
    let mut language = String::new();
    for line in file.lines() {
        let header = line.strip_prefix("### ");
        if header.is_none() && !line.starts_with("--- ") {
            if let Some(turn) = sessions.last_mut().and_then(|session| session.last_mut()) {
                turn.text.push_str(line);
                turn.text.push('\n');
            }
            continue;
        }
        let kinds = match header {
            Some(header) => {
                sessions.push(Vec::new());
                let (named, kinds) = header.split_once(' ').unwrap();
                named.clone_into(&mut language);
                kinds
            }
            None => &line[4..],
        };
        let kinds = kinds.split(' ').filter(|kind| *kind != "-").map(str::to_owned).collect();
        sessions.last_mut().unwrap().push(Labelled {
            language: language.clone(),
            text: String::new(),
            kinds,
        });
    }
    sessions
}

#[derive(Default, Clone, Copy)]
struct Score {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Score {
    fn precision(self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    fn recall(self) -> f64 {
        self.right as f64 / (self.right + self.missed).max(1) as f64
    }
}

/// Extracts from every session and compares with the labels; prints what is wrong.
fn measure(files: &[&str]) -> BTreeMap<String, Score> {
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let sessions = files.iter().flat_map(|file| sessions(file)).enumerate();
    for (number, session) in sessions {
        let mut extractor = Extractor::new(TimeZone::UTC);
        for (at, turn) in session.iter().enumerate() {
            let time = "2026-03-11T10:00:00Z".parse().ok();
            extractor.said(turn.text.trim(), &Source { turn: at.to_string(), time });
        }
        let found = extractor.finish();
        for (at, turn) in session.iter().enumerate() {
            let kinds: Vec<&str> = found
                .memories
                .iter()
                .filter(|memory| memory.source.turn == at.to_string())
                .map(|memory| memory.memory_type.as_str())
                .collect();
            let mut note = |kind: &str, right: usize, wrong: usize, missed: usize| {
                for key in [kind, &turn.language, "all"] {
                    let score = scores.entry(key.to_owned()).or_default();
                    score.right += right;
                    score.wrong += wrong;
                    score.missed += missed;
                }
            };
            for kind in &kinds {
                let is_right = turn.kinds.iter().any(|wanted| wanted == kind);
                note(kind, usize::from(is_right), usize::from(!is_right), 0);
                if !is_right {
                    println!("WRONG {number} {kind} {:?}: {}", turn.kinds, turn.text.trim());
                    println!("{}", judge::explain(turn.text.trim()));
                }
            }
            for wanted in turn.kinds.iter().filter(|wanted| !kinds.contains(&wanted.as_str())) {
                note(wanted, 0, 0, 1);
                println!("MISSED {number} {wanted} {kinds:?}: {}", turn.text.trim());
                println!("{}", judge::explain(turn.text.trim()));
            }
        }
    }
    for (key, score) in &scores {
        println!(
            "{key:10} precision {:.2} recall {:.2} ({} right, {} wrong, {} missed)",
            score.precision(),
            score.recall(),
            score.right,
            score.wrong,
            score.missed
        );
    }
    scores
}

const LABELLED: [&str; 4] = [
    include_str!("testdata/labelled_english.txt"),
    include_str!("testdata/labelled_romance.txt"),
    include_str!("testdata/labelled_german.txt"),
    include_str!("testdata/labelled_eastern.txt"),
];

#[test]
fn labelled_turns_are_told_apart_by_kind_and_by_language() {
    for (key, score) in measure(&LABELLED) {
        assert!(score.precision() >= 0.9, "precision of {key}");
        assert!(score.recall() >= 0.6, "recall of {key}");
    }
}

#[test]
fn turns_that_were_written_to_mislead_do_so_rarely() {
    let all = measure(&[include_str!("testdata/misleading.txt")])["all"];
    assert!(all.precision() >= 0.75 && all.recall() >= 0.6, "{} {}", all.precision(), all.recall());
}

/// Turns and what becomes of them, to be read by a person: nothing in it may embarrass.
#[test]
fn memories_read_as_if_a_person_had_written_them() {
    let mut panel = String::new();
    for line in include_str!("testdata/panel.txt").lines() {
        let mut extractor = Extractor::new(TimeZone::UTC);
        for (number, turn) in line.split(" || ").enumerate() {
            panel.push_str(&format!("    {turn}\n"));
            let time = "2026-03-11T10:00:00Z".parse().ok();
            match turn.strip_prefix("a: ") {
                Some(text) => extractor.agent_said(text),
                None => {
                    extractor
                        .said(turn.trim_start_matches("u: "), &Source { turn: number.to_string(), time });
                }
            }
        }
        let found = extractor.finish();
        if found.memories.is_empty() {
            println!("MISSED {line}\n{}", judge::explain(line.rsplit(" || u: ").next().unwrap_or_default()));
        }
        for memory in found.memories {
            assert!(memory.description.chars().count() <= 110, "{}", memory.description);
            assert!(memory.name.chars().count() <= 40, "{}", memory.name);
            let kind = memory.memory_type.as_str();
            panel.push_str(&format!(
                "- [{}]({}.md) — {} ({kind})\n",
                memory.title, memory.name, memory.description
            ));
            panel.push_str(&memory.body);
        }
        panel.push('\n');
    }
    insta::assert_snapshot!("panel", panel);
}

/// Turns in which nothing is worth a memory.
#[test]
fn everyday_turns_leave_nothing() {
    let mut wrong = Vec::new();
    for line in include_str!("testdata/nothing.txt").lines() {
        let mut extractor = Extractor::new(TimeZone::UTC);
        for turn in line.split(" || ") {
            match turn.strip_prefix("a: ") {
                Some(text) => extractor.agent_said(text),
                None => extractor.said(turn.trim_start_matches("u: "), &Source::default()),
            }
        }
        if !extractor.finish().memories.is_empty() {
            println!("WRONG {line}\n{}", judge::explain(line.rsplit(" || u: ").next().unwrap_or_default()));
            wrong.push(line);
        }
    }
    assert!(wrong.len() <= 3, "{wrong:#?}");
}
