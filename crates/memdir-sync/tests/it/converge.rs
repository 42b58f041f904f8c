//! The bounded form of `scripts/prove sync`.

use memdir_testkit::proof::{Convergence, convergence_in_process, convergence_over_git};

#[test]
fn members_end_equal_and_nothing_is_lost_or_back() {
    convergence_in_process(&Convergence { clients: 10, operations: 250, seeds: 0..6 }).assert_holds();
}

#[test]
fn few_members_who_use_the_same_names_end_equal() {
    convergence_in_process(&Convergence { clients: 3, operations: 60, seeds: 100..160 }).assert_holds();
}

#[test]
fn members_end_equal_over_real_git() {
    convergence_over_git(&Convergence { clients: 3, operations: 40, seeds: 0..1 }).assert_holds();
}
