//! Many members of a team who edit the same memories, over a network that loses, delays, doubles and reorders.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use memdir_sync::local::NameChange;
use memdir_sync::remote::Remote;
use memdir_sync::remote::git::GitRemote;
use memdir_sync::remote::in_process::InProcess;
use memdir_wire::team_id::TeamId;

mod client;
mod faulty_remote;

use client::Client;
use faulty_remote::FaultyRemote;

use super::random::Random;
use super::report::ProofReport;
use crate::{Git, TestHome};

/// How much is done.
#[derive(Debug, Clone)]
pub struct Convergence {
    /// How many members.
    pub clients: u64,
    /// What all of them do together.
    pub operations: u64,
    /// The worlds, each with its own luck: some of them say as much about theirs as all do.
    pub seeds: Range<u64>,
}

/// Members over a remote in this process.
#[must_use]
pub fn convergence_in_process(size: &Convergence) -> ProofReport {
    let mut remote = (size.seeds.start, InProcess::new());
    convergence("Convergence: a remote in process", size, |seed, _| {
        if remote.0 != seed {
            remote = (seed, InProcess::new());
        }
        Box::new(remote.1.clone())
    })
}

/// Members over a real repository.
#[must_use]
pub fn convergence_over_git(size: &Convergence) -> ProofReport {
    let home = TestHome::new();
    Git::run(home.root(), &["init", "-q", "--bare", "team.git"]);
    let url = format!("file://{}/team.git", home.root());
    convergence("Convergence: a git repository", size, |seed, client| {
        let directory = home.root().join(format!("{seed}-{client}.git"));
        let (branch, name) = (format!("seed-{seed}"), format!("m{client}"));
        Box::new(GitRemote::new(directory, Some(home.home()), &url, &branch, &name).unwrap())
    })
}

/// Lets members work and sync in every seed's world, and checks that all end equal, that nothing anybody wrote is lost,
/// and that nothing that was deleted is back.
///
/// `remote` makes the handle of one member on the remote of one seed.
#[must_use]
pub fn convergence(
    title: &str,
    size: &Convergence,
    mut remote: impl FnMut(u64, u64) -> Box<dyn Remote>,
) -> ProofReport {
    let mut report = ProofReport::new(title);
    let mut sums = Counts::default();
    for seed in size.seeds.clone() {
        let mut world = World::new(seed, size, &mut remote);
        world.work(size.operations);
        world.settle();
        report.fail_all(world.failures());
        sums.add(&world);
    }
    report.count("seeds", format!("{} to {}", size.seeds.start, size.seeds.end.saturating_sub(1)));
    report.count("members of each", size.clients);
    report.count("edits, additions, deletions and renames", sums.edits);
    report.count("syncs that came to their end", sums.synced);
    report.count("syncs that were killed or cut off", sums.failed);
    report.count("memories kept twice", sums.kept_twice);
    report.count("memories at the end", sums.files);
    report
}

/// The team that works in a seed's world.
#[must_use]
pub fn team_of(seed: u64) -> TeamId {
    client::team_id(seed)
}

#[derive(Default)]
struct Counts {
    edits: u64,
    synced: u64,
    failed: u64,
    kept_twice: usize,
    files: usize,
}

impl Counts {
    fn add(&mut self, world: &World) {
        self.edits += world.edits;
        self.synced += world.synced;
        self.failed += world.failed;
        self.files += world.clients[0].files.len();
        self.kept_twice += world.clients[0].files.keys().filter(|key| key.contains(".conflict-")).count();
    }
}

struct World {
    seed: u64,
    clients: Vec<Client>,
    random: Random,
    /// Every sentence that was written and not deleted again.
    sentences: BTreeSet<String>,
    /// The titles of the memory that a sentence was written into: it belongs to no other.
    homes: BTreeMap<String, Vec<String>>,
    /// What was deleted: key and text.
    deleted: BTreeSet<(String, String)>,
    /// Texts that were renamed: they may outlive a deletion under the old name.
    renamed: BTreeSet<String>,
    edits: u64,
    synced: u64,
    failed: u64,
    unsettled: bool,
}

impl World {
    fn new(seed: u64, size: &Convergence, remote: &mut impl FnMut(u64, u64) -> Box<dyn Remote>) -> Self {
        let members = client::team(seed, size.clients);
        let clients = members
            .into_iter()
            .enumerate()
            .map(|(number, member)| {
                let number = number as u64;
                let luck = Random::new(seed * 1000 + number + 17);
                Client::new(member, FaultyRemote::new(remote(seed, number), luck))
            })
            .collect();
        Self {
            seed,
            clients,
            random: Random::new(seed + 1),
            sentences: BTreeSet::new(),
            homes: BTreeMap::new(),
            deleted: BTreeSet::new(),
            renamed: BTreeSet::new(),
            edits: 0,
            synced: 0,
            failed: 0,
            unsettled: false,
        }
    }

    fn work(&mut self, operations: u64) {
        // The founder comes first: no other member can be introduced before.
        self.clients[0].sync().unwrap();
        for number in 0..operations {
            let client = self.random.below(self.clients.len() as u64) as usize;
            match self.random.below(22) {
                0..=7 => self.sync(client),
                8..=11 => self.add_sentence(client, number),
                12 | 13 => self.change_sentence(client, number),
                14 | 15 => self.add_memory(client, number),
                16 | 17 => self.delete(client),
                18 | 19 => self.rename(client, number),
                20 => self.rename_and_use_again(client, number),
                _ => self.swap(client),
            }
            let late = self.random.below(self.clients.len() as u64) as usize;
            self.clients[late].remote.deliver();
        }
    }

    fn sync(&mut self, client: usize) {
        let client = &mut self.clients[client];
        client.crash_after = (self.random.below(3) == 0).then(|| self.random.below(12));
        client.remote.faults(self.random.below(3) == 0);
        match client.sync() {
            Ok(_) => self.synced += 1,
            Err(_) => self.failed += 1,
        }
        client.crash_after = None;
    }

    fn some_key(&mut self, client: usize) -> Option<String> {
        let keys: Vec<&String> = self.clients[client].files.keys().collect();
        let at = self.random.below(keys.len() as u64) as usize;
        keys.get(at).map(|key| (*key).clone())
    }

    fn add_memory(&mut self, client: usize, number: u64) {
        // Few names, so that several people choose the same one.
        let key = format!("m{}.md", self.random.below(12));
        if self.clients[client].files.contains_key(&key) {
            return self.add_sentence(client, number);
        }
        // The history notes what is gone before anything is written in its place.
        self.clients[client].history.push(NameChange::Deleted(key.clone()));
        self.clients[client].files.insert(key, titled(number));
        self.edits += 1;
    }

    fn add_sentence(&mut self, client: usize, number: u64) {
        let Some(key) = self.some_key(client) else { return };
        let sentence = format!("s{number}");
        let at_top = self.random.below(3) == 0;
        let text = self.clients[client].files.get_mut(&key).unwrap();
        self.homes.insert(sentence.clone(), titles(text));
        *text = if at_top { format!("{sentence}\n{text}") } else { format!("{text}{sentence}\n") };
        self.sentences.insert(sentence);
        self.edits += 1;
    }

    fn change_sentence(&mut self, client: usize, number: u64) {
        let Some(key) = self.some_key(client) else { return };
        let text = self.clients[client].files.get_mut(&key).unwrap();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let old = lines.get(self.random.below(lines.len() as u64) as usize).cloned();
        let Some(old) = old.filter(|old| !old.starts_with(TITLE)) else { return };
        let new = format!("s{number}");
        self.homes.insert(new.clone(), titles(text));
        *text = lines
            .iter()
            .map(|line| if *line == old { format!("{new}\n") } else { format!("{line}\n") })
            .collect();
        self.sentences.remove(&old);
        self.sentences.insert(new);
        self.edits += 1;
    }

    fn delete(&mut self, client: usize) {
        let Some(key) = self.some_key(client) else { return };
        let text = self.clients[client].files.remove(&key).unwrap();
        self.clients[client].history.push(NameChange::Deleted(key.clone()));
        for line in text.lines() {
            self.sentences.remove(line);
        }
        // A member who deletes what a killed sync was about to change may not have seen the change, which is worth more.
        if !self.clients[client].is_half_written(&key) {
            self.deleted.insert((key, text));
        }
        self.edits += 1;
    }

    fn rename(&mut self, client: usize, number: u64) {
        let Some(key) = self.some_key(client) else { return };
        // A name of its own, or one that others know as another memory's.
        let known = format!("m{}.md", self.random.below(3));
        let files = &mut self.clients[client].files;
        let is_free = self.random.below(2) == 0 && !files.contains_key(&known);
        let text = files.remove(&key).unwrap();
        self.renamed.insert(text.clone());
        let to = if is_free { known } else { format!("r{number}.md") };
        files.insert(to.clone(), text);
        // A program that keeps no history may have done it, to a name that meant nothing before.
        if is_free || self.random.below(2) == 0 {
            self.clients[client].history.push(NameChange::Renamed { from: key, to });
        }
        self.edits += 1;
    }

    fn rename_and_use_again(&mut self, client: usize, number: u64) {
        let Some(key) = self.some_key(client) else { return };
        let files = &mut self.clients[client].files;
        let text = files.insert(key.clone(), titled(number)).unwrap();
        self.renamed.insert(text.clone());
        let to = format!("r{number}.md");
        files.insert(to.clone(), text);
        self.clients[client].history.push(NameChange::Renamed { from: key, to });
        self.edits += 1;
    }

    fn swap(&mut self, client: usize) {
        let (Some(one), Some(other)) = (self.some_key(client), self.some_key(client)) else { return };
        let files = &mut self.clients[client].files;
        let (first, second) = (files[&one].clone(), files[&other].clone());
        self.renamed.extend([first.clone(), second.clone()]);
        files.insert(one.clone(), second);
        files.insert(other.clone(), first);
        let aside = || "aside.md".to_owned();
        for (from, to) in [(one.clone(), aside()), (other.clone(), one), (aside(), other)] {
            self.clients[client].history.push(NameChange::Renamed { from, to });
        }
        self.edits += 1;
    }

    /// The network works again, everybody syncs until nothing moves any more.
    fn settle(&mut self) {
        for client in &mut self.clients {
            client.remote.deliver();
            client.remote.faults(false);
        }
        for _ in 0..4 + self.clients.len() {
            let before = self.states();
            for client in &mut self.clients {
                if let Err(error) = client.sync() {
                    panic!("seed {}: a sync without faults fails: {error}", self.seed);
                }
            }
            if self.states() == before && self.all_equal() {
                return;
            }
        }
        self.unsettled = true;
    }

    fn states(&self) -> Vec<BTreeMap<String, String>> {
        self.clients.iter().map(|client| client.files.clone()).collect()
    }

    fn all_equal(&self) -> bool {
        self.clients.iter().all(|client| client.files == self.clients[0].files)
    }

    fn failures(&self) -> Vec<String> {
        let seed = self.seed;
        let mut failures = Vec::new();
        if self.unsettled || !self.all_equal() {
            failures.push(format!("seed {seed}: the members do not end equal"));
        }
        let files = &self.clients[0].files;
        let present: BTreeSet<&str> = files.values().flat_map(|text| text.lines()).collect();
        for sentence in &self.sentences {
            if !present.contains(sentence.as_str()) {
                failures.push(format!("seed {seed}: `{sentence}` is lost"));
            }
        }
        for (key, text) in files {
            let titles = titles(text);
            let is_home = |homes: &Vec<String>| homes.iter().any(|title| titles.contains(title));
            for line in text.lines().filter(|line| self.homes.get(*line).is_some_and(|homes| !is_home(homes)))
            {
                failures.push(format!(
                    "seed {seed}: `{line}` is in `{key}`, another memory than it was written into"
                ));
            }
        }
        for (key, text) in &self.deleted {
            if files.get(key) == Some(text) && !self.renamed.contains(text) {
                failures.push(format!("seed {seed}: `{key}` was deleted and is back"));
            }
        }
        failures
    }
}

/// The unchanged beginning of a memory's first line: it tells one from another, whatever it is called.
const TITLE: &str = "memory ";

fn titled(number: u64) -> String {
    (0..8).map(|line| format!("{TITLE}{number}, {line}\n")).collect()
}

fn titles(text: &str) -> Vec<String> {
    text.lines().filter(|line| line.starts_with(TITLE)).map(str::to_owned).collect()
}
