//! The list of all projects, the reverse look-up, and what a look-up in passing can say.

use camino::Utf8Path;
use memdir_core::project::encode_path::{Scheme, encode, encode_with};
use memdir_lib::projects::Projects;
use memdir_testkit::Git;

use crate::world::{World, rename};

#[test]
fn two_projects_with_one_name_are_told_of_each_other() {
    let world = World::new();
    let (one, two) = (world.dir("work/a_b"), world.dir("work/a-b"));
    assert_eq!(world.look_up(&one).collides_with, [two.as_path()]);
    let warnings = world.look_up(&one).warnings();
    assert!(warnings[0].starts_with("collision: `"), "{warnings:?}");
    world.visit(&one);
    assert_eq!(world.flags(&one), "collision");
    world.visit(&two);
    assert_eq!(world.flags(&one), "collision");
    // Not only beside each other: the registry knows, wherever the dash comes from.
    let far = world.dir("work/a/b");
    world.see(&far);
    let mut others = world.look_up(&one).collides_with;
    others.sort();
    assert_eq!(others, [far, two.clone()]);
    rename(&two, &world.path("away"));
    std::fs::remove_dir_all(world.path("work/a")).unwrap();
    assert!(world.look_up(&one).collides_with.is_empty());
    assert_eq!(world.flags(&one), "");
}

#[test]
fn a_directory_inside_a_repository_does_not_collide() {
    let world = World::new();
    let repository = world.repository("work/a-b");
    world.visit(&repository);
    let other = world.repository("work/a");
    world.dir("work/a/b");
    assert_eq!(encode(other.join("b").as_str()), encode(repository.as_str()));
    assert_eq!(world.flags(&repository), "");
}

#[test]
fn a_directory_is_traced_to_its_path_without_a_registry() {
    let world = World::new();
    let living = world.dir("work/my.app");
    let projects = world.projects.projects_dir();
    let write = |slug: &str, file: &str, content: &str| {
        world.home.write(projects.join(slug).join(file), content);
    };
    let slug = encode(living.as_str());
    write(&slug, "memory/a.md", "a");
    write("-gone-app", "s.jsonl", "{\"type\":\"x\"}\n{\"cwd\":\"/gone/app\"}\n");
    write("-unknown", "s.jsonl", "{}");
    write("my-journal", "_session.json", &format!("{{\"projectPath\":\"{living}\"}}"));
    let config_dir = world.home.home().join(".claude");
    let projects = Projects::new(&config_dir, None);
    let json = serde_json::to_value(projects.survey().entries).unwrap();
    let shown: Vec<String> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| format!("{} {} {}", entry["slug"], entry["path"], entry["flags"]))
        .collect();
    assert_eq!(
        shown,
        [
            r#""-gone-app" "/gone/app" ["orphan"]"#.to_owned(),
            format!("\"{slug}\" \"{living}\" []"),
            r#""-unknown" null ["orphan"]"#.to_owned(),
            format!("\"my-journal\" \"{living}\" []"),
        ]
    );
    assert_eq!(projects.reverse(&slug).as_deref(), Some(living.as_path()));
    assert_eq!(projects.reverse("-gone-app").as_deref(), Some(Utf8Path::new("/gone/app")));
    assert_eq!(projects.reverse("-unknown"), None);
    assert_eq!(projects.reverse("../.."), None);
}

#[test]
fn looking_writes_nothing() {
    let world = World::new();
    let project = world.dir("work/a_b");
    let found = world.look_up(&project);
    assert_eq!((found.store, found.trusted), (None, false));
    assert!(world.projects.survey().entries.is_empty());
    assert!(world.projects.plan_adopt(&world.here(&project)).is_empty());
    assert!(!world.path("state").exists());
    assert!(!world.projects.projects_dir().exists());
}

#[test]
fn trust_and_the_store_id_are_found_in_passing_and_can_be_forgotten() {
    let world = World::new();
    let project = world.dir("work/app");
    let here = world.here(&project);
    let record = world.projects.set_trusted(&here, true, memdir_testkit::NOW.parse().unwrap()).unwrap();
    let found = world.look_up(&project);
    assert!(found.trusted);
    assert_eq!(found.store, Some(record.store));
    assert!(found.warnings().is_empty());
    assert!(world.projects.forget(&here.memory_dir).unwrap().is_some());
    assert_eq!(world.look_up(&project).store, None);
    assert!(!world.look_up(&project).trusted);
}

#[test]
fn the_store_id_comes_along_when_memory_is_brought_home() {
    let world = World::new();
    let old = world.repository("old");
    let store = world.visit(&old).store;
    let new = world.path("new");
    rename(&old, &new);
    let now = memdir_testkit::NOW.parse().unwrap();
    let old_memory = world.projects.projects_dir().join(encode(old.as_str())).join("memory");
    let record = world.projects.record_relocation(&old_memory, &world.here(&new), now).unwrap();
    assert_eq!(record.store, store);
    assert_eq!(world.look_up(&new).moved_from, None);
}

#[test]
fn a_directory_that_becomes_a_repository_is_looked_at_again() {
    let world = World::new();
    let project = world.dir("work/app");
    assert_eq!(world.see(&project).paths[0].keys.len(), 1);
    world.repository("work/app");
    let keys = world.see(&project).paths.remove(0).keys;
    assert!(keys.len() == 2 && keys[0].to_string().starts_with("clone:"), "{keys:?}");
    assert_eq!(world.see(&project).paths.remove(0).keys, keys);
}

#[test]
fn what_a_repository_configures_is_not_run() {
    let world = World::new();
    let project = world.repository("work/app");
    let trap = world.home.write("trap", "#!/bin/sh\ntouch \"$(dirname \"$0\")/sprung\"\n");
    std::fs::set_permissions(&trap, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for key in ["core.fsmonitor", "core.pager", "core.sshCommand", "alias.rev-list", "core.hooksPath"] {
        let value = if key == "alias.rev-list" { format!("!{trap}") } else { trap.to_string() };
        Git::run(&project, &["config", key, &value]);
    }
    assert_eq!(world.see(&project).paths[0].keys.len(), 2);
    assert!(!world.path("sprung").exists());
}

#[test]
fn without_a_state_directory_looking_works_and_remembering_says_why_not() {
    let world = World::new();
    let projects = Projects::new(&world.home.home().join(".claude"), None);
    let here = projects.here(&world.dir("work/app"));
    assert!(projects.look_up(&here).warnings().is_empty());
    let error = projects.forget(&here.memory_dir).unwrap_err();
    assert!(error.to_string().contains("`HOME`"), "{error}");
}

#[test]
fn a_broken_registry_file_is_named_and_does_no_harm() {
    let world = World::new();
    let project = world.dir("work/app");
    world.visit(&project);
    let folder = world.path("state/registry/projects");
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&file, "{").unwrap();
    let found = world.look_up(&project);
    assert_eq!(found.store, None);
    assert!(found.warnings()[0].contains("is not a registry file"), "{:?}", found.warnings());
    let survey = world.projects.survey();
    assert_eq!((survey.entries.len(), survey.problems.len()), (1, 1));
}

#[test]
fn a_living_part_of_a_repository_is_not_an_orphan() {
    let world = World::new();
    let repository = world.repository("work/agentspaces");
    let part = world.dir("work/agentspaces/docker.sync");
    let worktree = world.path("work/agentspaces-feature");
    Git::run(&repository, &["worktree", "add", "-q", worktree.as_str(), "-b", "feature"]);
    for path in [&part, &worktree] {
        world.home.write(world.projects.projects_dir().join(encode(path.as_str())).join("memory/a.md"), "a");
        assert_eq!(world.entry(path).path.as_ref(), Some(path));
        assert_eq!(world.flags(path), "");
    }
}

#[test]
fn two_directories_with_one_cut_name_are_told_of_each_other() {
    let world = World::new();
    let long = "x".repeat(100);
    let (one, two) = (world.dir(&format!("{long}-one")), world.dir(&format!("{long}-two")));
    let slug = encode_with(Scheme::Observed89, one.as_str());
    assert_eq!(slug, encode_with(Scheme::Observed89, two.as_str()));
    world
        .home
        .write(world.projects.projects_dir().join(&slug).join("s.jsonl"), format!("{{\"cwd\":\"{one}\"}}\n"));
    let entry = world.projects.survey().entries.into_iter().find(|entry| entry.slug == slug).unwrap();
    assert_eq!((entry.path, entry.collides_with), (Some(one), vec![two]));
    assert!(entry.flags.iter().any(|flag| flag.to_string() == "collision"));
}

#[test]
fn what_two_directories_with_one_cut_name_left_can_be_brought_to_either() {
    let world = World::new();
    let long = "x".repeat(100);
    let (one, two) = (world.dir(&format!("{long}-one")), world.dir(&format!("{long}-two")));
    let older = world.projects.projects_dir().join(encode_with(Scheme::Observed89, one.as_str()));
    world.home.write(older.join("memory/a.md"), "Old.\n");
    for (here, other) in [(&one, &two), (&two, &one)] {
        assert_eq!(world.look_up(here).lost, [older.join("memory")]);
        let plans = world.projects.plan_adopt(&world.here(here));
        assert_eq!(plans.len(), 1, "{here}");
        assert!(plans[0].warnings.iter().any(|warning| warning.contains(other.as_str())), "{plans:?}");
    }
    // A session says whose it is: the other is neither told of it nor gets it.
    world.home.write(older.join("s.jsonl"), format!("{{\"cwd\":\"{one}\"}}\n"));
    assert_eq!(world.look_up(&one).lost.len(), 1);
    assert_eq!(world.projects.plan_adopt(&world.here(&one)).len(), 1);
    assert!(world.look_up(&two).lost.is_empty());
    assert!(world.projects.plan_adopt(&world.here(&two)).is_empty());
}
