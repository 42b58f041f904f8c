//! The bounded form of `scripts/prove sync`.

use memdir_sync::remote::in_process::InProcess;
use memdir_testkit::proof::{Convergence, convergence};

#[test]
fn members_end_equal_and_nothing_is_lost_or_back() {
    let size = Convergence { clients: 8, operations: 120, seeds: 12 };
    let mut remotes = Vec::new();
    let remote = |seed: u64, _: u64| {
        while remotes.len() <= seed as usize {
            remotes.push(InProcess::new());
        }
        Box::new(remotes[seed as usize].clone()) as Box<dyn memdir_sync::remote::Remote>
    };
    convergence("in process", size, remote).assert_holds();
}

#[test]
fn members_end_equal_over_real_git() {
    let repository = crate::people::Repository::new();
    let homes = memdir_testkit::TestHome::new();
    let size = Convergence { clients: 3, operations: 40, seeds: 1 };
    let remote = |seed: u64, client: u64| {
        let directory = homes.root().join(format!("{seed}-{client}.git"));
        let remote = memdir_sync::remote::git::GitRemote::new(
            directory,
            Some(homes.home()),
            &repository.url(),
            &format!("seed-{seed}"),
            &format!("m{client}"),
        );
        Box::new(remote.unwrap()) as Box<dyn memdir_sync::remote::Remote>
    };
    convergence("over git", size, remote).assert_holds();
}
