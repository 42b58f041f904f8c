//! The index of one person's memory on two machines: it follows what a sync decided about the memories.

use std::fs;

use memdir_core::memory::index::{Index, examine};
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::topic::validity::Validity;
use memdir_core::operation::Author;
use memdir_core::plan::Plan;
use memdir_lib::memory::{Catalogue, Memory, MemoryError, NewMemory};
use memdir_sync::report::SyncReport;
use memdir_testkit::{Git, TestHome};

use crate::own_machines::Machine;
use crate::people::{Repository, flags, now};

/// What the user wrote into their index by hand.
const OWN: &str = "# Mine\n\n- [elsewhere](elsewhere.md) — names nothing yet\n\n<!-- a note -->\n";

struct Two {
    lap: Machine,
    desk: Machine,
    _homes: (TestHome, Repository),
}

impl Two {
    /// Two machines that know one memory.
    fn new() -> Self {
        let origin = TestHome::new();
        Git::init(&origin.root().join("origin"), "the root");
        let repository = Repository::new();
        let (lap, desk) = (Machine::new("app", &origin), Machine::new("work/app", &origin));
        lap.write(lap.memory().join("MEMORY.md"), OWN);
        add(&lap, "build", "how we build");
        lap.init(&repository, "lap");
        desk.join(&lap, "desk");
        Self { lap, desk, _homes: (origin, repository) }
    }

    /// Syncs in turns until everybody has everything; gives back the index, which must be right and the same.
    fn settled(&self) -> String {
        for machine in [&self.lap, &self.desk, &self.lap, &self.desk] {
            machine.sync();
        }
        assert_eq!((self.lap.sync(), self.desk.sync()), (SyncReport::default(), SyncReport::default()));
        let [(index, files), other] = [&self.lap, &self.desk].map(contents);
        assert_eq!((&index, &files), (&other.0, &other.1));
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let report = examine(&index, &paths);
        let dangling: Vec<&str> = report.dangling.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(dangling, ["- [elsewhere](elsewhere.md) — names nothing yet"], "{index}\n{files:?}");
        assert_eq!((&report.missing, &report.duplicate), (&vec![], &vec![]), "{index}\n{files:?}");
        for line in OWN.lines() {
            assert!(index.lines().any(|other| other == line), "{line}\n{index}");
        }
        index
    }
}

fn contents(machine: &Machine) -> (String, Vec<(String, String)>) {
    let directory = machine.memory();
    let index = fs::read_to_string(directory.join("MEMORY.md")).unwrap();
    let names = directory.read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".md") && name != "MEMORY.md").collect();
    names.sort();
    let read = |name: String| {
        let text = fs::read_to_string(directory.join(&name)).unwrap();
        (name, memdir_wire::canonical::canonical(&text).into_owned())
    };
    (index, names.into_iter().map(read).collect())
}

fn change(machine: &Machine, plan: impl FnOnce(&Memory, &Catalogue) -> Result<Plan, MemoryError>) {
    let mut memory = Memory::open(&machine.env, &flags()).unwrap();
    let catalogue = memory.catalogue().unwrap();
    let plan = plan(&memory, &catalogue).unwrap();
    memory.apply(&plan, &Author::person(), now()).unwrap();
}

fn add(machine: &Machine, name: &str, description: &str) {
    let memory_type = MemoryType::parse("project");
    let new = NewMemory {
        name,
        description,
        memory_type: &memory_type,
        body: "One.\n\nTwo.\n\nThree.\n\nUse make.\n",
        cues: &[],
        validity: &Validity::NONE,
        path: None,
        session: None,
    };
    change(machine, |memory, _| memory.plan_add(&new, now()));
}

fn edit(machine: &Machine, name: &str, from: &str, to: &str) {
    let path = machine.memory().join(format!("{name}.md"));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, text.replace(from, to)).unwrap();
}

fn describe(machine: &Machine, name: &str, description: &str) {
    change(machine, |memory, all| {
        memory.plan_set(all.find(name, memory)?, "description", Some(description), now())
    });
}

fn rename(machine: &Machine, name: &str, new_name: &str) {
    change(machine, |memory, all| memory.plan_rename(all.find(name, memory)?, new_name, all));
}

fn remove(machine: &Machine, name: &str) {
    change(machine, |memory, all| memory.plan_remove(all.find(name, memory)?));
}

/// Has both machines do something, in both orders of their syncs, and compares the lines of the index.
fn check(on_lap: impl Fn(&Machine), on_desk: impl Fn(&Machine), expected: &[&str]) {
    for desk_first in [false, true] {
        let two = Two::new();
        on_lap(&two.lap);
        on_desk(&two.desk);
        if desk_first {
            two.desk.sync();
        }
        let index = two.settled();
        let parsed = Index::parse(&index);
        let mut lines: Vec<String> = parsed
            .entries()
            .filter(|(_, entry)| entry.path != "elsewhere.md")
            .map(|(_, entry)| {
                let (title, path) = (&entry.title, entry.path.strip_suffix(".md").unwrap());
                assert_eq!(title, path);
                let shown =
                    path.split_once(".conflict-").map_or(path.to_owned(), |(name, _)| format!("{name} copy"));
                format!("{shown}: {}", entry.hook)
            })
            .collect();
        lines.sort();
        let shown: Vec<&str> = lines.iter().map(String::as_str).collect();
        let is_expected = expected.iter().any(|expected| shown.join(", ") == *expected);
        assert!(is_expected, "{desk_first}: {shown:?}\n{index}");
    }
}

#[test]
fn a_copy_has_a_line() {
    check(
        |lap| edit(lap, "build", "Use make.", "Use make -j8."),
        |desk| edit(desk, "build", "Use make.", "Use ninja."),
        &["build copy: how we build, build: how we build"],
    );
}

#[test]
fn a_new_name_has_the_line_of_what_it_says() {
    check(|lap| describe(lap, "build", "NEW"), |desk| rename(desk, "build", "compile"), &["compile: NEW"]);
}

#[test]
fn of_two_new_names_one_has_a_line() {
    check(
        |lap| rename(lap, "build", "b1"),
        |desk| rename(desk, "build", "b2"),
        &["b1: how we build", "b2: how we build"],
    );
}

#[test]
fn what_was_deleted_and_changed_has_its_line_again() {
    check(
        |lap| remove(lap, "build"),
        |desk| edit(desk, "build", "Use make.", "Use ninja."),
        &["build: how we build"],
    );
    check(|lap| remove(lap, "build"), |desk| describe(desk, "build", "NEW"), &["build: NEW"]);
}

#[test]
fn two_descriptions_are_two_memories_with_a_line_each() {
    check(
        |lap| describe(lap, "build", "A"),
        |desk| describe(desk, "build", "B"),
        &["build copy: B, build: A", "build copy: A, build: B"],
    );
    let made = |machine: &Machine, description: &str| {
        add(machine, "new", description);
        edit(machine, "new", "Use make.", description);
    };
    check(
        |lap| made(lap, "A"),
        |desk| made(desk, "B"),
        &["build: how we build, new copy: B, new: A", "build: how we build, new copy: A, new: B"],
    );
}

#[test]
fn words_of_the_user_stay() {
    let own_words = |machine: &Machine| {
        let path = machine.memory().join("MEMORY.md");
        let index = fs::read_to_string(&path).unwrap();
        fs::write(path, index.replace("how we build", "my own words")).unwrap();
    };
    check(own_words, |desk| edit(desk, "build", "One.", "1."), &["build: my own words"]);
    check(
        |lap| {
            own_words(lap);
            edit(lap, "build", "Use make.", "Use make -j8.");
        },
        |desk| edit(desk, "build", "One.", "1."),
        &["build: my own words"],
    );
    // A file for which the user wants no line.
    check(
        |lap| lap.write(lap.memory().join("MEMORY.md"), &format!("{OWN}[all](build.md)\n")),
        |desk| edit(desk, "build", "One.", "1."),
        &[""],
    );
}

#[test]
fn each_agent_has_an_index_of_its_own() {
    let two = Two::new();
    let folder = "agent-memory/reviewer";
    two.lap.write(two.lap.claude(&format!("{folder}/MEMORY.md")), "- [style](deep/style.md) — how\n");
    two.lap.write(two.lap.claude(&format!("{folder}/deep/style.md")), "Tabs.\n");
    two.settled();
    for (machine, text) in [(&two.lap, "Spaces.\n"), (&two.desk, "Either.\n")] {
        machine.write(machine.claude(&format!("{folder}/deep/style.md")), text);
    }
    two.settled();
    for machine in [&two.lap, &two.desk] {
        let index = fs::read_to_string(machine.claude(&format!("{folder}/MEMORY.md"))).unwrap();
        let lines: Vec<&str> = index.lines().collect();
        assert!(lines.len() == 2 && lines[1].contains("](deep/style.conflict-"), "{index}");
    }
}

/// A few numbers that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// Every line says what its memory says it is about.
fn check_words(machine: &Machine, index: &str) {
    let memory = Memory::open(&machine.env, &flags()).unwrap();
    for entry in memory.catalogue().unwrap().entries {
        let parsed = Index::parse(index);
        let (_, line) = parsed.entries().find(|(_, line)| line.path == entry.path.as_str()).unwrap();
        assert_eq!(Some(&line.hook), entry.description.as_ref(), "{}\n{index}", entry.path);
    }
}

#[test]
fn whatever_two_machines_do_the_index_is_right_on_both() {
    for seed in 200..203 {
        let two = Two::new();
        let mut numbers = Numbers(seed);
        for name in ["a", "b", "c"] {
            add(&two.lap, name, &format!("about {name}"));
        }
        two.settled();
        for round in 0..4 {
            for step in 0..6 {
                let machine = if numbers.below(2) == 0 { &two.lap } else { &two.desk };
                let there: Vec<String> = contents(machine).1.into_iter().map(|(name, _)| name).collect();
                let fresh = format!("m{round}{step}");
                let picked = there.get(numbers.below(there.len().max(1)));
                let picked = picked.map(|name| name.trim_end_matches(".md"));
                match (numbers.below(7), picked) {
                    (0, Some(name)) => remove(machine, name),
                    (1, Some(name)) => rename(machine, name, &fresh),
                    (2, Some(name)) => describe(machine, name, &fresh),
                    (3 | 4, Some(name)) => {
                        edit(machine, name, ["One.", "Use make."][numbers.below(2)], &fresh);
                    }
                    (5, _) => {
                        machine.sync();
                    }
                    // The same name on both, now and then.
                    _ if !there.contains(&format!("m{round}.md")) => {
                        add(machine, &format!("m{round}"), &fresh);
                    }
                    _ => add(machine, &fresh, "new"),
                }
            }
            eprintln!("seed {seed}, round {round}");
            check_words(&two.lap, &two.settled());
        }
    }
}
