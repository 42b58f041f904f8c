//! Renames, moves, re-clones and copies of real directories are recognised, and what was left behind is found.

use camino::Utf8Path;
use memdir_core::project::relocate::{Action, Because, Extent};
use memdir_testkit::{Git, TestHome};

use crate::world::{World, rename};

/// After `old` became `new`: known at the new path before anything is recorded there, in the list, and in a plan.
fn check_moved(world: &World, old: &Utf8Path, new: &Utf8Path, known_cheaply: bool) {
    let before = world.look_up(new);
    assert_eq!(before.moved_from.map(|place| place.path).as_deref(), known_cheaply.then_some(old));
    let plans = world.projects.plan_adopt(&world.here(new));
    assert_eq!(plans.len(), 1, "{plans:?}");
    assert!(matches!(plans[0].because, Because::Identity { .. }));
    assert_eq!(plans[0].from.path.as_deref(), Some(old));
    assert_eq!(plans[0].extent, Extent::Whole);
    assert_eq!(plans[0].steps[0].to, world.here(new).memory_dir.join("a.md"));

    world.see(new);
    assert_eq!(world.flags(old), "moved");
    assert_eq!(world.entry(old).moved_to.as_deref(), Some(new));
    assert_eq!(world.entry(old).path.as_deref(), Some(old));
}

#[test]
fn a_renamed_repository_is_known_again() {
    let world = World::new();
    let old = world.repository("work/old");
    world.visit(&old);
    assert_eq!(world.flags(&old), "");
    let new = world.path("work/new");
    rename(&old, &new);
    // The list finds it beside its old name, even before anybody went there.
    assert_eq!(world.flags(&old), "moved");
    check_moved(&world, &old, &new, true);
}

#[test]
fn a_renamed_plain_directory_is_known_again() {
    let world = World::new();
    let old = world.dir("work/old");
    world.visit(&old);
    let new = world.path("elsewhere/deep/new");
    rename(&old, &new);
    assert_eq!(world.flags(&old), "orphan");
    check_moved(&world, &old, &new, true);
}

#[test]
fn a_project_below_a_renamed_parent_is_known_again() {
    let world = World::new();
    let old = world.repository("company/team/app");
    world.visit(&old);
    rename(&world.path("company"), &world.path("renamed"));
    let new = world.path("renamed/team/app");
    assert_eq!(world.entry(&old).moved_to.as_deref(), Some(new.as_path()));
    check_moved(&world, &old, &new, true);
}

#[test]
fn a_repository_that_moved_to_another_disk_is_known_by_its_history() {
    let world = World::new();
    let old = world.repository("work/app");
    world.visit(&old);
    let other_disk = Utf8Path::new("/dev/shm");
    let other = if other_disk.is_dir() { TestHome::below(other_disk) } else { TestHome::new() };
    let new = other.root().join("app");
    let copied = std::process::Command::new("cp").args(["-a", old.as_str(), new.as_str()]).status().unwrap();
    assert!(copied.success());
    std::fs::remove_dir_all(&old).unwrap();
    check_moved(&world, &old, &new, false);
}

#[test]
fn a_fresh_clone_takes_the_place_of_the_old_one() {
    let world = World::new();
    let origin = world.repository("origin");
    Git::run(world.home.root(), &["clone", "-q", "origin", "one"]);
    let old = world.path("one");
    world.visit(&old);
    std::fs::remove_dir_all(&old).unwrap();
    Git::run(world.home.root(), &["clone", "-q", &format!("file://{origin}"), "two"]);
    check_moved(&world, &old, &world.path("two"), false);
    // The origin has the same history and another remote, which is none: it is another project.
    world.visit(&origin);
    assert_eq!(world.flags(&origin), "");
}

#[test]
fn a_shallow_clone_is_known_by_its_remote() {
    let world = World::new();
    let origin = world.repository("origin");
    Git::run(&origin, &["commit", "-q", "--allow-empty", "-m", "second"]);
    let url = format!("file://{origin}");
    Git::run(world.home.root(), &["clone", "-q", "--depth", "1", &url, "one"]);
    let record = world.visit(&world.path("one"));
    assert!(record.paths[0].keys[0].to_string().starts_with("remote:"), "{record:?}");
    std::fs::remove_dir_all(world.path("one")).unwrap();
    Git::run(world.home.root(), &["clone", "-q", "--depth", "1", &url, "two"]);
    check_moved(&world, &world.path("one"), &world.path("two"), false);
}

#[test]
fn a_copy_is_not_a_move() {
    let world = World::new();
    let origin = world.repository("origin");
    let (one, two) = (world.path("one"), world.path("two"));
    for path in ["one", "two"] {
        Git::run(world.home.root(), &["clone", "-q", origin.as_str(), path]);
        world.visit(&world.path(path));
    }
    assert_eq!(world.flags(&one), "copy");
    assert_eq!(world.entry(&one).copies, [two.as_path()]);
    assert_eq!(world.flags(&two), "copy");
    assert!(world.projects.plan_adopt(&world.here(&two)).is_empty());
    assert_eq!(world.look_up(&two).moved_from, None);
}

#[test]
fn a_new_project_at_an_old_path_is_not_the_one_that_moved_away() {
    let world = World::new();
    let old = world.dir("work/old");
    world.visit(&old);
    let new = world.path("work/new");
    rename(&old, &new);
    world.dir("work/old");
    assert_eq!(world.look_up(&new).moved_from.map(|place| place.path), Some(old.clone()));
    assert_eq!(world.look_up(&old).moved_from, None);
    assert_eq!(world.flags(&old), "");
}

#[test]
fn a_journal_follows_its_project_unless_the_name_is_taken() {
    let world = World::new();
    let old = world.dir("work/Old_App");
    world.visit(&old);
    let projects = world.projects.projects_dir();
    let session = |path: &Utf8Path| format!("{{\"active\": true, \"projectPath\": \"{path}\"}}");
    world.home.write(projects.join("old-app/_session.json"), session(&old));
    world.home.write(projects.join("old-app/decisions/2026-01-01_001_x.md"), "x");
    let new = world.path("work/new_app");
    rename(&old, &new);
    let plans = world.projects.plan_adopt(&world.here(&new));
    assert_eq!(plans.len(), 2, "{plans:?}");
    assert_eq!(plans[1].from.project_dir, projects.join("old-app"));
    assert_eq!(plans[1].steps[1].to, projects.join("new-app/decisions/2026-01-01_001_x.md"));
    assert_eq!(plans[1].set_aside, projects.join("old-app.moved-to.new-app"));
    world.home.write(projects.join("new-app/_session.json"), session("/another/new_app".into()));
    assert_eq!(world.projects.plan_adopt(&world.here(&new)).len(), 1);
}

#[test]
fn worktrees_and_older_schemes_leave_memory_that_is_found() {
    let world = World::new();
    let repository = world.repository("work/my_app");
    Git::run(&repository, &["worktree", "add", "-q", "../tree"]);
    let tree = world.path("work/tree");
    let projects = world.projects.projects_dir();
    let slug = |path: &Utf8Path| memdir_core::project::encode_path::encode(path.as_str());
    // Sessions of the worktree go on there; memory that an older client kept there is lost.
    world.home.write(projects.join(slug(&tree)).join("memory/lost.md"), "lost");
    world.home.write(projects.join(slug(&tree)).join("s.jsonl"), "{}");
    let observed = repository.as_str().replace(['/', '.'], "-");
    world.home.write(projects.join(&observed).join("memory/MEMORY.md"), "- [Old](old.md)\n");
    world.home.write(projects.join(&observed).join("s.jsonl"), "{}");
    world.remember(&repository, "MEMORY.md", "- [New](new.md)\n");

    let plans = world.projects.plan_adopt(&world.here(&tree));
    assert_eq!(plans.len(), 2, "{plans:?}");
    assert_eq!((plans[0].extent, plans[0].steps.len()), (Extent::Memory, 1));
    assert_eq!(plans[0].steps[0].to, world.here(&repository).memory_dir.join("lost.md"));
    assert!(plans[0].set_aside.as_str().contains("/memory.moved-to.-"));
    assert_eq!((plans[1].extent, plans[1].steps.len()), (Extent::Whole, 2));
    assert_eq!(plans[1].steps[0].action, Action::Merge);
    let entries = world.projects.survey().entries;
    let legacy = entries.iter().find(|entry| entry.slug == observed).unwrap();
    assert_eq!(legacy.path.as_deref(), Some(repository.as_path()));
    assert_eq!(legacy.flags.iter().map(ToString::to_string).collect::<Vec<_>>(), ["legacy name"]);
}

#[test]
fn what_is_asked_for_by_name_or_path_is_planned_with_a_warning() {
    let world = World::new();
    let (old, new) = (world.dir("old"), world.dir("new"));
    world.visit(&old);
    world.remember(&new, "a.md", "another");
    let slug = world.here(&old).slug;
    for from in [old.as_str(), &slug, world.here(&old).project_dir.as_str()] {
        let plan = world.projects.plan_adopt_from(&world.here(&new), from.into()).unwrap();
        assert_eq!(plan.steps[0].action, Action::KeepBoth);
        assert_eq!(plan.steps[0].to, world.here(&new).memory_dir.join("a-adopted.md"));
        assert_eq!(plan.warnings.len(), 1);
    }
    let move_ = world.projects.plan_move(&old, &world.path("not/there/yet")).unwrap();
    assert_eq!(move_[0].steps[0].action, Action::Copy);
    for wrong in ["/nowhere", "..", "../projects", ""] {
        let error = world.projects.plan_adopt_from(&world.here(&new), wrong.into()).unwrap_err();
        assert!(error.to_string().contains("no project directory"), "{error}");
    }
    let error = world.projects.plan_move(&new, &new).unwrap_err();
    assert!(error.to_string().contains("already is"), "{error}");
}
