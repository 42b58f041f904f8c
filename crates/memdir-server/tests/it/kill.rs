//! Whatever is pulled, at any time: what was acknowledged is there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use memdir_core::content_hash::ContentHash;
use memdir_sync::http::{HttpError, Request, send};
use memdir_testkit::Cluster;
use serde_json::Value;

use super::converge::asked_for;
use super::engine::InFile;
use super::people::{Person, tag};
use super::process::{Process, team};

/// A client that writes as fast as it can, and remembers what was acknowledged.
struct Writer {
    person: Person,
    team: String,
    token: String,
    /// How often something was acknowledged, and the newest version that was.
    acknowledged: u64,
    head: Option<ContentHash>,
}

const WRITERS: u8 = 4;

fn kills() -> u32 {
    asked_for("KILLS", 20) as u32
}

#[test]
fn nothing_acknowledged_is_lost_when_the_server_is_killed_on_sqlite() {
    let file = InFile::new();
    kill_under_load(&format!("sqlite:{}", file.path()), kills());
}

#[test]
fn nothing_acknowledged_is_lost_when_the_server_is_killed_on_postgres() {
    let cluster = Cluster::start();
    kill_under_load(&cluster.database(), kills());
}

#[test]
fn requests_fail_cleanly_and_resume_when_postgres_is_restarted() {
    let cluster = Cluster::start();
    let url = cluster.database();
    let server = Process::serve(&url, &[]);
    let writers = writers(&url);
    for _ in 0..3 {
        let (load, stop) = start_load(&server.place, &writers);
        thread::sleep(Duration::from_millis(400));
        cluster.pull_the_plug();
        thread::sleep(Duration::from_millis(300));
        // The server is still there, and says what is the matter.
        let (status, answer) = ask(&server.place, "GET", "/readyz", "", None, None).unwrap();
        assert_eq!((status, answer["error"]["code"].as_str()), (503, Some("unavailable")), "{answer}");
        assert_eq!(ask(&server.place, "GET", "/healthz", "", None, None).unwrap().0, 200);
        cluster.run();
        let before: Vec<u64> = writers.iter().map(|writer| writer.lock().unwrap().acknowledged).collect();
        thread::sleep(Duration::from_millis(1500));
        stop.store(true, Ordering::Relaxed);
        let failures: Vec<(u16, String)> =
            load.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        assert!(
            failures.iter().all(|(status, code)| matches!(
                (*status, code.as_str()),
                (503, "unavailable") | (412, "moved")
            )),
            "{failures:?}"
        );
        for (writer, before) in writers.iter().zip(before) {
            let writer = writer.lock().unwrap();
            assert!(writer.acknowledged > before, "{} does not write again", writer.team);
            check(&server.place, &writer);
        }
    }
}

fn kill_under_load(db: &str, rounds: u32) {
    let writers = writers(db);
    let mut server = Process::serve(db, &[]);
    for round in 0..rounds {
        let (load, stop) = start_load(&server.place, &writers);
        // In the middle of something: after a few writes, and then at any moment.
        let begun = total(&writers);
        let started = Instant::now();
        while total(&writers) < begun + 3 && started.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(2));
        }
        thread::sleep(Duration::from_millis(u64::from(round * 37 % 50)));
        server.kill();
        stop.store(true, Ordering::Relaxed);
        for thread in load {
            thread.join().unwrap();
        }
        server = Process::serve(db, &[]);
        for writer in &writers {
            check(&server.place, &writer.lock().unwrap());
        }
    }
    let written = total(&writers);
    assert!(written >= u64::from(rounds) * 3, "only {written} writes were acknowledged");
    assert!(server.stop(), "it stops in order");
}

fn total(writers: &[Arc<Mutex<Writer>>]) -> u64 {
    writers.iter().map(|writer| writer.lock().unwrap().acknowledged).sum()
}

fn writers(db: &str) -> Vec<Arc<Mutex<Writer>>> {
    (1..=WRITERS)
        .map(|number| {
            let name = format!("team-{number}");
            let token = team(db, &name);
            let person = Person::founder(number);
            Arc::new(Mutex::new(Writer { person, team: name, token, acknowledged: 0, head: None }))
        })
        .collect()
}

type Load = Vec<thread::JoinHandle<Vec<(u16, String)>>>;

fn start_load(place: &str, writers: &[Arc<Mutex<Writer>>]) -> (Load, Arc<AtomicBool>) {
    let stop = Arc::new(AtomicBool::new(false));
    let load = writers
        .iter()
        .map(|writer| {
            let (place, writer, stop) = (place.to_owned(), Arc::clone(writer), Arc::clone(&stop));
            thread::spawn(move || {
                let mut failures = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    if let Err(failure) = writer.lock().unwrap().write(&place) {
                        failures.extend(failure);
                        thread::sleep(Duration::from_millis(5));
                    }
                }
                failures
            })
        })
        .collect();
    (load, stop)
}

impl Writer {
    /// Writes one memory; an error that the server named is given back.
    fn write(&mut self, place: &str) -> Result<(), Option<(u16, String)>> {
        // The answer to the last one may have been lost.
        let (_, head) = self.ask(place, "GET", "head", None, None).map_err(|_| None)?;
        let (Some(sequence), onto) = (head["sequence"].as_u64(), version_in(&head)) else {
            return Err(Some((503, head["error"]["code"].as_str().unwrap_or("?").to_owned())));
        };
        let round = sequence + 1;
        let person = &self.person;
        let mut puts = vec![
            person.entry(&format!("m{}.md", round % 7), round, round, Some(&format!("sentence {round}\n"))),
            person.round(round, 0),
        ];
        if onto.is_none() {
            puts.push(person.record());
        }
        let request = person.request(onto, puts);
        let body = serde_json::to_string(&request).unwrap();
        let (status, answer) =
            self.ask(place, "POST", "versions", Some(&tag(onto)), Some(&body)).map_err(|_| None)?;
        if status != 201 {
            return Err(Some((status, answer["error"]["code"].as_str().unwrap_or("?").to_owned())));
        }
        self.acknowledged += 1;
        self.head = Some(request.version);
        Ok(())
    }

    fn ask(
        &self,
        place: &str,
        method: &str,
        rest: &str,
        onto: Option<&str>,
        body: Option<&str>,
    ) -> Result<(u16, Value), HttpError> {
        ask(place, method, &format!("/v1/teams/{}/{rest}", self.team), &self.token, onto, body)
    }
}

/// Whether everything that was acknowledged is there, and every file has its content.
fn check(place: &str, writer: &Writer) {
    let (_, files) = writer.ask(place, "GET", "files?contents=true", None, None).unwrap();
    assert!(
        files["sequence"].as_u64().unwrap() >= writer.acknowledged,
        "{}: {}",
        writer.team,
        files["sequence"]
    );
    for file in files["files"].as_array().unwrap() {
        let content = file["content"].as_str().unwrap();
        assert_eq!(ContentHash::of(content.as_bytes()).to_string(), file["id"].as_str().unwrap());
    }
    if let Some(head) = writer.head {
        let body = format!("{{\"v\":1,\"versions\":[\"{head}\"]}}");
        let (_, known) = writer.ask(place, "POST", "known", None, Some(&body)).unwrap();
        assert_eq!(
            known["version"].as_str(),
            Some(head.to_string().as_str()),
            "{}: an acknowledged version is lost",
            writer.team
        );
    }
}

fn version_in(answer: &Value) -> Option<ContentHash> {
    answer["version"].as_str().and_then(ContentHash::from_hex)
}

fn ask(
    place: &str,
    method: &str,
    path: &str,
    token: &str,
    onto: Option<&str>,
    body: Option<&str>,
) -> Result<(u16, Value), HttpError> {
    let mut headers = vec![("authorization".to_owned(), format!("Bearer {token}"))];
    headers.extend(onto.map(|onto| ("if-match".to_owned(), onto.to_owned())));
    let answered = send(&Request {
        method,
        url: &format!("http://{place}{path}"),
        headers: &headers,
        body,
        limit: Duration::from_secs(30),
        most_bytes: 64 << 20,
        compress: false,
    })?;
    Ok((answered.status, serde_json::from_slice(&answered.body).unwrap_or(Value::Null)))
}
