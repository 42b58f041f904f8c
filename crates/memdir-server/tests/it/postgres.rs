//! Everything again, on PostgreSQL.

use memdir_testkit::Cluster;

use super::converge::converge;
use super::engine::InCluster;
use super::story::story;

#[test]
fn the_life_of_a_team_in_postgres() {
    let cluster = Cluster::start();
    story(&InCluster(cluster.database()));
}

#[test]
fn members_end_equal_over_http_on_postgres() {
    let cluster = Cluster::start();
    converge(&InCluster(cluster.database()));
}
