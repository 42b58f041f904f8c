#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;

use jiff::Timestamp;
use memdir_core::project::identity::{Evidence, Inode};

use super::*;

struct Home {
    registry: Registry,
    state: Utf8PathBuf,
    _directory: tempfile::TempDir,
}

fn home() -> Home {
    let directory = tempfile::tempdir().unwrap();
    let state = Utf8Path::from_path(directory.path()).unwrap().join("state");
    Home { registry: Registry::new(&state), state, _directory: directory }
}

fn keys(number: u64) -> Vec<IdentityKey> {
    let inode = Some(Inode { device: 1, number, birth_seconds: 2, birth_nanos: 3 });
    Evidence { inode, ..Evidence::default() }.keys()
}

fn sighting(path: &str, number: u64, second: i64) -> Sighting {
    let slug = path.replace(['/', '_'], "-");
    Sighting {
        memory_dir: format!("/c/projects/{slug}/memory").into(),
        slug,
        path: path.into(),
        keys: keys(number),
        time: Timestamp::from_second(second).unwrap(),
    }
}

#[cfg(unix)]
#[test]
fn looking_makes_nothing_and_a_sighting_is_found_by_directory_and_by_identity() {
    let Home { registry, state, .. } = &home();
    let seen = sighting("/p", 1, 10);
    assert!(registry.project(&seen.memory_dir).unwrap().is_none());
    assert!(registry.identity(&seen.keys[0]).unwrap().is_none());
    assert!(!state.exists());

    let project = registry.record(&seen, 5).unwrap();
    assert_eq!(project.store, StoreId::new(5));
    assert_eq!(registry.project(&seen.memory_dir).unwrap().unwrap(), project);
    let identity = registry.identity(&seen.keys[0]).unwrap().unwrap();
    assert_eq!(identity.places[0].path, "/p");
    assert_eq!(registry.content().projects, [project]);
    let mode = |path: &Utf8Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(state), 0o700);
    assert_eq!(mode(&registry.project_file(&seen.memory_dir)), 0o600);
}

#[test]
fn the_store_id_stays_when_more_is_seen_and_even_when_its_record_is_lost() {
    let Home { registry, .. } = &home();
    registry.record(&sighting("/p", 1, 10), 5).unwrap();
    let again = registry.record(&sighting("/p", 2, 500_000), 6).unwrap();
    assert_eq!(again.store, StoreId::new(5));
    fs::remove_file(registry.project_file(&again.memory_dir)).unwrap();
    assert_eq!(registry.record(&sighting("/p", 1, 20), 7).unwrap().store, StoreId::new(5));
}

#[cfg(unix)]
#[test]
fn what_is_known_already_is_not_written_again() {
    let Home { registry, .. } = &home();
    let seen = sighting("/p", 1, 10);
    registry.record(&seen, 5).unwrap();
    let file = registry.project_file(&seen.memory_dir);
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    let folder = file.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o500)).unwrap();
    registry.record(&sighting("/p", 1, 11), 6).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before);
}

#[test]
fn a_broken_file_is_reported_counts_as_absent_and_is_set_aside() {
    let Home { registry, .. } = &home();
    let seen = sighting("/p", 1, 10);
    for (round, garbage) in ["{", "", "[]", r#"{"v":1}"#, r#"{"v":1,"store":"../x"}"#].into_iter().enumerate()
    {
        registry.record(&seen, 5).unwrap();
        let file = registry.project_file(&seen.memory_dir);
        fs::write(&file, garbage).unwrap();
        let problem = registry.project(&seen.memory_dir).unwrap_err();
        assert!(matches!(problem, RegistryError::Broken { .. }), "{problem}");
        assert_eq!(registry.content().problems.len(), 1);
        assert_eq!(registry.record(&seen, 6).unwrap().store, StoreId::new(5));
        let suffix = if round == 0 { ".broken".to_owned() } else { format!(".broken-{}", round + 1) };
        assert_eq!(fs::read_to_string(format!("{file}{suffix}")).unwrap(), garbage);
        assert!(registry.content().problems.is_empty());
    }
}

#[test]
fn a_file_with_a_false_store_id_or_about_another_directory_is_broken() {
    let Home { registry, .. } = &home();
    let seen = sighting("/p", 1, 10);
    registry.record(&seen, 5).unwrap();
    let file = registry.project_file(&seen.memory_dir);
    let text = fs::read_to_string(&file).unwrap();
    for (from, to) in [("\"store\": \"0000", "\"store\": \"../0"), ("/c/projects", "/d/projects")] {
        assert!(text.contains(from));
        fs::write(&file, text.replace(from, to)).unwrap();
        assert!(matches!(registry.project(&seen.memory_dir), Err(RegistryError::Broken { .. })));
    }
}

#[test]
fn a_newer_memdirs_file_is_left_alone() {
    let Home { registry, .. } = &home();
    let seen = sighting("/p", 1, 10);
    registry.record(&seen, 5).unwrap();
    let file = registry.project_file(&seen.memory_dir);
    fs::write(&file, r#"{"v":9,"future":true}"#).unwrap();
    let problem = registry.record(&seen, 6).unwrap_err();
    assert!(problem.to_string().contains("newer memdir (form 9"), "{problem}");
    assert_eq!(fs::read_to_string(&file).unwrap(), r#"{"v":9,"future":true}"#);
}

#[test]
fn trust_is_given_taken_and_forgotten() {
    let Home { registry, .. } = &home();
    let seen = sighting("/p", 1, 10);
    assert!(registry.set_trusted(&seen, true, 5).unwrap().trusted);
    assert!(registry.record(&sighting("/p", 1, 900_000), 6).unwrap().trusted);
    assert!(!registry.set_trusted(&seen, false, 5).unwrap().trusted);
    let forgotten = registry.forget(&seen.memory_dir).unwrap().unwrap();
    assert_eq!(forgotten.store, StoreId::new(5));
    assert!(registry.forget(&seen.memory_dir).unwrap().is_none());
    assert!(registry.identity(&seen.keys[0]).unwrap().is_none());
}

#[test]
fn the_store_id_goes_with_the_files() {
    let Home { registry, .. } = &home();
    registry.record(&sighting("/old", 1, 10), 5).unwrap();
    registry.record(&sighting("/new", 1, 20), 6).unwrap();
    let new = sighting("/new", 1, 30);
    let carried = registry.carry_over("/c/projects/-old/memory".into(), &new, 7).unwrap();
    assert_eq!(carried.store, StoreId::new(5));
    assert_eq!(carried.paths.iter().map(|seen| seen.path.as_str()).collect::<Vec<_>>(), ["/new", "/old"]);
    assert!(registry.project("/c/projects/-old/memory".into()).unwrap().is_none());
    let places = registry.identity(&new.keys[0]).unwrap().unwrap().places;
    assert!(places.iter().all(|place| place.memory_dir == new.memory_dir && place.store == carried.store));
}

#[test]
fn many_writers_lose_nothing() {
    let Home { registry, .. } = &home();
    std::thread::scope(|scope| {
        for writer in 0..8_u128 {
            scope.spawn(move || {
                for round in 0..5 {
                    let mut seen = sighting(&format!("/w{writer}-{round}"), 1, 10);
                    seen.memory_dir = "/shared".into();
                    registry.record(&seen, writer + 1).unwrap();
                }
            });
        }
    });
    let project = registry.project("/shared".into()).unwrap().unwrap();
    assert_eq!(project.paths.len(), 40);
    let identity = registry.identity(&keys(1)[0]).unwrap().unwrap();
    assert_eq!(identity.places.len(), 40);
    assert!(identity.places.iter().all(|place| place.store == project.store));
}
