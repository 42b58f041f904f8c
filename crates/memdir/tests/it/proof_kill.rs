//! The bounded form of `scripts/prove kill`.

use memdir_testkit::proof::{Kill, kill, kill_past, kill_sync};

#[test]
fn a_killed_writer_loses_nothing_and_leaves_nothing() {
    let size = Kill { random: 320, every_call: false, deaths_of_successor: 10 };
    kill(env!("CARGO_BIN_EXE_memdir").into(), size).assert_holds();
}

#[test]
fn a_killed_purge_collection_or_move_can_be_completed_or_never_was() {
    kill_past(env!("CARGO_BIN_EXE_memdir").into(), 7).assert_holds();
}

#[test]
fn a_killed_sync_ends_where_an_undisturbed_one_does() {
    kill_sync(env!("CARGO_BIN_EXE_memdir").into(), 151).assert_holds();
}
