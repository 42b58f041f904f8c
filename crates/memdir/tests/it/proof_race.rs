//! The bounded form of `scripts/prove race`.

use memdir_testkit::proof::{Race, race};

#[test]
fn a_directory_swapped_with_a_link_leads_nowhere() {
    race(Race { attempts: 50_000 }).assert_holds();
}
