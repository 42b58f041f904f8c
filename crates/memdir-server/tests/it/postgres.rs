//! Everything again, on PostgreSQL.

use std::thread;
use std::time::{Duration, Instant};

use memdir_server::storage::Step;
use memdir_testkit::Cluster;
use rustix::process::{Pid, Signal, kill_process};

use super::converge::converge;
use super::engine::InCluster;
use super::people::Person;
use super::running::Running;
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

/// What the database knows about its teams is as old as its last look at them; a team that came since is read no less
/// directly for that.
#[test]
fn a_team_that_grew_since_the_statistics_is_read_once() {
    const MEMORIES: usize = 1_000;
    let cluster = Cluster::start();
    let engine = InCluster(cluster.database());
    let begin = |number: u8, memories: usize| {
        let server = Running::on(&engine);
        let (team, ada) = (format!("team-{number}"), Person::founder(number));
        let token = server.team(&team);
        let entry = |number: usize| ada.entry(&format!("m{number}.md"), 1, 1, Some("Some text.\n"));
        let puts = [ada.record(), ada.round(1, 0)].into_iter().chain((0..memories).map(entry)).collect();
        let (answer, _) = ada.publish(&server, (&team, &token), None, puts);
        assert_eq!(answer.status, 201, "{}", answer.json);
        if number == 6 {
            server.wait(server.store.storage().write(vec![Step::once("ANALYZE", vec![])])).unwrap();
        }
        (team, token)
    };
    for number in 1..7 {
        begin(number, 3);
    }
    let (team, token) = begin(7, MEMORIES);
    let before = tuples_read(&engine, 0);
    let path = format!("/v1/teams/{team}/files?contents=true");
    let files = Running::on(&engine).ask("GET", &path, Some(&token), &[], None);
    let files = files.json["files"].as_array().unwrap();
    assert_eq!(files.iter().filter(|file| file["content"].is_string()).count(), MEMORIES + 2);
    let read = tuples_read(&engine, before + MEMORIES as i64) - before;
    assert!(read < 20 * MEMORIES as i64, "{read} lines of indexes were read for {MEMORIES} memories");
}

/// How many lines of indexes the database has read so far: at least so many, or the last connection has not said yet.
fn tuples_read(engine: &InCluster, least: i64) -> i64 {
    const SQL: &str = "SELECT CAST(coalesce(sum(idx_tup_read), 0) AS BIGINT) FROM pg_stat_user_indexes";
    let server = Running::on(engine);
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let rows = server.wait(server.store.storage().read(SQL, vec![vec![]])).unwrap();
        let count = rows[0][0].number(0).unwrap();
        if count > least {
            return count;
        }
        assert!(Instant::now() < deadline, "{count} of {least}");
        thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_connection_that_does_not_answer_is_given_up() {
    let cluster = Cluster::start();
    let server = Running::on(&InCluster(cluster.database()));
    let token = server.team("crew");
    let ask = || server.ask("GET", "/v1/teams/crew/head", Some(&token), &[], None).status;
    assert_eq!([ask(), ask()], [200, 200]);
    const SQL: &str = "SELECT pid FROM pg_stat_activity WHERE application_name = 'memdir-server' AND pid <> pg_backend_pid() \
                       AND query LIKE '%FROM tokens%' ORDER BY pid LIMIT 1";
    let rows = server.wait(server.store.storage().read(SQL, vec![vec![]])).unwrap();
    let process = Pid::from_raw(i32::try_from(rows[0][0].number(0).unwrap()).unwrap()).unwrap();
    kill_process(process, Signal::STOP).unwrap();
    let answers: Vec<u16> = (0..12).map(|_| ask()).collect();
    kill_process(process, Signal::CONT).unwrap();
    assert!(answers.contains(&503), "nothing was stopped: {answers:?}");
    assert_eq!(answers.iter().filter(|status| **status != 200).count(), 1, "{answers:?}");
}
