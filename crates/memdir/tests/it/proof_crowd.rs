//! The bounded form of `scripts/prove crowd`.

use memdir_testkit::proof::{Crowd, crowd};

fn in_memory(changes: usize) -> Crowd {
    let directory = "/dev/shm".into();
    Crowd { directory, writers: 16, changes, killed_one_in: 0, strangers: false }
}

fn prove(size: &Crowd) {
    crowd(env!("CARGO_BIN_EXE_memdir").into(), size).assert_holds();
}

#[test]
fn sixteen_writers_lose_nothing() {
    prove(&in_memory(100));
}

#[test]
fn sixteen_writers_of_which_some_are_killed_lose_nothing() {
    prove(&Crowd { killed_one_in: 4, ..in_memory(20) });
}

#[test]
fn sixteen_writers_beside_one_who_takes_no_lock_lose_nothing() {
    prove(&Crowd { strangers: true, ..in_memory(20) });
}
