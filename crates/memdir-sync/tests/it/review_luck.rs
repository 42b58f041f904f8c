//! Three people, two of whom look first, who edit, answer and sync in any order.

use std::collections::BTreeSet;

use crate::people::{Person, Repository, now};
use crate::reviewing::{reviewing, waiting};
use crate::two_people::{body, memory};

/// Numbers that look random; the same seed gives the same ones.
struct Luck(u64);

impl Luck {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

struct World {
    _repository: Repository,
    people: Vec<Person>,
    luck: Luck,
    /// Every word that a member wrote, and no member removed or rejected.
    words: BTreeSet<String>,
    log: Vec<String>,
}

const KEYS: [&str; 1] = ["one.md"];

impl World {
    fn new(seed: u64) -> Self {
        let repository = Repository::new();
        let ada = Person::founder(&repository.url());
        for key in KEYS {
            ada.write(key, &memory(key.trim_end_matches(".md"), "top\nbottom\n"));
        }
        ada.sync();
        let people = vec![Person::joining(&ada, "Bob"), Person::joining(&ada, "Cy"), ada];
        reviewing(&people[0], "review");
        reviewing(&people[1], "review");
        let luck = Luck(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        Self { _repository: repository, people, luck, words: BTreeSet::new(), log: Vec::new() }
    }

    /// In each turn a member answers, edits and syncs, or leaves some of that for later.
    fn work(&mut self, turns: usize) {
        for number in 0..turns {
            let who = self.luck.below(3);
            let mut did = Vec::new();
            match self.luck.below(8) {
                0..=4 => did.extend(self.answer(who, true)),
                5 => did.extend(self.answer(who, false)),
                _ => {}
            }
            did.push(match self.luck.below(16) {
                0..=5 => self.add(who, number),
                6..=11 => self.change(who, number),
                12 => self.delete(who),
                13 if who < 2 => {
                    let mode = ["auto", "review", "off"][self.luck.below(3)];
                    reviewing(&self.people[who], mode);
                    format!("takes what others send by `{mode}`")
                }
                _ => "edits nothing".to_owned(),
            });
            if self.luck.below(3) > 0 {
                did.push(self.sync(who));
            }
            self.log.push(format!("{number}: {who} {}", did.join(", ")));
        }
    }

    fn sync(&self, who: usize) -> String {
        self.people[who].sync();
        "syncs".to_owned()
    }

    /// Any memory that a member has, copies too.
    fn some_key(&mut self, who: usize) -> Option<String> {
        let shared = self.people[who].shared().into_iter().map(|(key, _)| key);
        let keys: Vec<String> = shared.filter(|key| key != "MEMORY.md").collect();
        let at = self.luck.below(keys.len());
        // Copies sort first.
        if self.luck.below(3) > 0 { keys.into_iter().next_back() } else { keys.into_iter().nth(at) }
    }

    fn write(&self, who: usize, key: &str, lines: &[String]) {
        let text = self.people[who].read(key).unwrap();
        let head = text.len() - text.split("---\n\n").nth(1).unwrap().len();
        self.people[who].write(key, &format!("{}{}\n", &text[..head], lines.join("\n")));
    }

    fn add(&mut self, who: usize, number: usize) -> String {
        let Some(key) = self.some_key(who) else { return "has nothing".to_owned() };
        let mut lines: Vec<String> = body(&self.people[who], &key).lines().map(str::to_owned).collect();
        let at = self.luck.below(lines.len() + 1);
        lines.insert(at, format!("w{number}"));
        self.write(who, &key, &lines);
        self.words.insert(format!("w{number}"));
        format!("adds w{number} to {key}: {}", lines.join(" "))
    }

    fn change(&mut self, who: usize, number: usize) -> String {
        let Some(key) = self.some_key(who) else { return "has nothing".to_owned() };
        let mut lines: Vec<String> = body(&self.people[who], &key).lines().map(str::to_owned).collect();
        let at = self.luck.below(lines.len());
        let Some(line) = lines.get_mut(at) else { return "finds nothing".to_owned() };
        self.words.remove(line.as_str());
        let said = format!("makes w{number} of {line} in {key}");
        *line = format!("w{number}");
        self.words.insert(line.clone());
        self.write(who, &key, &lines);
        format!("{said}: {}", lines.join(" "))
    }

    fn delete(&mut self, who: usize) -> String {
        let Some(key) = self.some_key(who) else { return "has nothing".to_owned() };
        for line in body(&self.people[who], &key).lines() {
            self.words.remove(line);
        }
        self.people[who].remove(&key);
        format!("deletes {key}")
    }

    fn answer(&mut self, who: usize, accepts: bool) -> Option<String> {
        let plans = waiting(&self.people[who]);
        let at = self.luck.below(plans.len());
        let plan = plans.get(at)?;
        let said = format!("{} {}", plan.id, plan.plan.reason);
        if accepts {
            // What was changed here in the same place is not overwritten: it waits on.
            let done = self.people[who].memory().accept(plan, now()).is_ok();
            return Some(format!("accepts {said}: {done}"));
        }
        // What is rejected may go.
        for change in &plan.plan.changes {
            if let memdir_core::plan::Change::Write { content, base, .. } = change {
                let text = |content: &[u8]| String::from_utf8_lossy(content).into_owned();
                let (new, old) =
                    (text(&content.0), base.as_ref().map_or_else(String::new, |base| text(&base.0)));
                for line in new.lines().filter(|line| !old.lines().any(|known| known == *line)) {
                    self.words.remove(line);
                }
            }
        }
        self.people[who].memory().reject(plan).unwrap();
        Some(format!("rejects {said}"))
    }

    /// Everybody syncs and accepts until nothing waits and nothing moves.
    fn settle(&self) -> Result<(), String> {
        for _ in 0..12 {
            let mut moved = false;
            for person in &self.people {
                let report = person.sync();
                moved |= !report.sent.is_empty() || !report.received.is_empty();
                for plan in waiting(person) {
                    moved = true;
                    // What cannot be accepted as it is now is proposed anew by the next sync.
                    let _ = person.memory().accept(&plan, now());
                }
            }
            if !moved {
                return Ok(());
            }
        }
        Err("something still moves".to_owned())
    }

    fn texts(&self, who: usize) -> Vec<(String, String)> {
        let person = &self.people[who];
        let keys = person.shared().into_iter().map(|(key, _)| key).filter(|key| key != "MEMORY.md");
        keys.map(|key| (key.clone(), body(person, &key))).collect()
    }

    fn failures(&self) -> Vec<String> {
        for person in &self.people[..2] {
            reviewing(person, "review");
        }
        let mut failures: Vec<String> = self.settle().err().into_iter().collect();
        // A member who rejected something may have something else, until a member changes that memory again.
        let mut touched = BTreeSet::new();
        for who in [2, 0, 1] {
            for (key, text) in self.texts(who) {
                if touched.insert(key.clone()) {
                    let lines: Vec<String> = text.lines().chain(["end"]).map(str::to_owned).collect();
                    self.write(who, &key, &lines);
                }
            }
        }
        failures.extend(self.settle().err());
        let all = self.texts(2);
        for who in [0, 1] {
            let other = self.texts(who);
            if other != all {
                failures.push(format!("{who} differs: {other:?}, 2 has {all:?}"));
            }
        }
        let lost = self
            .words
            .iter()
            .filter(|word| !all.iter().any(|(_, text)| text.lines().any(|line| line == *word)));
        failures.extend(lost.map(|word| format!("{word} is lost: {all:?}")));
        for (key, text) in &all {
            let lines: Vec<&str> = text.lines().collect();
            let distinct: BTreeSet<&str> = lines.iter().copied().collect();
            if lines.len() != distinct.len() {
                failures.push(format!("{key} says something twice: {text:?}"));
            }
        }
        failures
    }
}

#[test]
fn answers_in_any_order_lose_nothing_and_converge() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (first, count) = (number("MEMDIR_REVIEW_SEED", 1), number("MEMDIR_REVIEW_SEEDS", 3));
    let mut failed = Vec::new();
    for seed in first..first + count {
        let mut world = World::new(seed);
        world.work(30);
        let failures = world.failures();
        if !failures.is_empty() {
            failed.push(format!("seed {seed}:\n{}\n  {}", world.log.join("\n"), failures.join("\n  ")));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}
