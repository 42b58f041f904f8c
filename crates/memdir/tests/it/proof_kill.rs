//! The bounded form of `scripts/prove kill`.

use memdir_testkit::proof::{Kill, kill};

#[test]
fn a_killed_writer_loses_nothing_and_leaves_nothing() {
    let size = Kill { random: 320, every_call: false, deaths_of_successor: 10 };
    kill(env!("CARGO_BIN_EXE_memdir").into(), size).assert_holds();
}
