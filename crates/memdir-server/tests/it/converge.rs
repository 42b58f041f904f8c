//! The proof of team sync, over HTTP.

use std::collections::BTreeSet;

use memdir_disk::sync_dir::SyncDir;
use memdir_server::token::Scope;
use memdir_sync::remote::http::{HttpRemote, ServerAddress};
use memdir_testkit::TestHome;
use memdir_testkit::proof::{Convergence, convergence, team_of};

use super::engine::{Engine, InFile};
use super::running::Running;

#[test]
fn members_end_equal_over_http_on_sqlite() {
    converge(&InFile::new(), Convergence { clients: 3, operations: 40, seeds: 0..20 });
}

/// Members over two servers on one database.
pub(crate) fn converge(engine: &dyn Engine, size: Convergence) {
    let servers = [Running::on(engine), Running::on(engine)];
    let home = TestHome::new();
    let mut made = BTreeSet::new();
    let report = convergence("Convergence: a team server", &size, |seed, client| {
        let team = format!("seed-{seed}");
        if made.insert(seed) {
            servers[0].team(&team);
        }
        let token = servers[0].token(&team, Scope::Write, i64::MAX);
        let server = &servers[(client % 2) as usize];
        let address = ServerAddress::parse(&format!("http://{token}@{}/{team}", server.address)).unwrap();
        let directory = SyncDir::of(home.root(), &format!("{seed}-{client}"));
        Box::new(HttpRemote::new(directory, address, team_of(seed)))
    });
    report.assert_holds();
}
