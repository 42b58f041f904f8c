//! The bounded form of `scripts/prove errors`.

use memdir_testkit::proof::{Errors, errors, full_disk, limits};

#[test]
fn a_failing_call_causes_no_false_success_and_no_damage() {
    errors(env!("CARGO_BIN_EXE_memdir").into(), Errors { all: false }).assert_holds();
}

#[test]
fn a_full_or_read_only_disk_keeps_the_old_content() {
    limits(env!("CARGO_BIN_EXE_memdir").into()).assert_holds();
}

#[test]
fn a_full_disk_here_or_there_loses_nothing_of_a_sync() {
    full_disk(env!("CARGO_BIN_EXE_memdir").into()).assert_holds();
}
