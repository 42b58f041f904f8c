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
    converge(&InFile::new());
}

/// Members over two servers on one database.
pub(crate) fn converge(engine: &dyn Engine) {
    let size = Convergence {
        clients: asked_for("MEMBERS", 3),
        operations: asked_for("OPERATIONS", 40),
        seeds: 0..asked_for("SEEDS", 20),
    };
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

/// How much is done; `scripts/prove-server` asks for more.
pub(crate) fn asked_for(what: &str, otherwise: u64) -> u64 {
    let asked = std::env::var(format!("MEMDIR_PROVE_{what}"));
    asked.ok().and_then(|count| count.parse().ok()).unwrap_or(otherwise)
}
