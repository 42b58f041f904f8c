//! A disk without room: a clear answer, nothing lost, and all is well again when there is room.

use std::fs;
use std::time::Duration;

use memdir_core::content_hash::ContentHash;
use memdir_sync::http::{Request, send};
use serde_json::Value;
use tempfile::TempDir;

use super::people::{Person, tag};
use super::process::Process;

#[test]
fn a_full_disk_is_named_and_nothing_is_lost() {
    let directory = TempDir::new().unwrap();
    let folder = directory.path().join("small");
    fs::create_dir(&folder).unwrap();
    let (server, token) = Process::serve_on_a_disk(&folder, 1_400);
    let ada = Person::founder(1);
    let mut crew = Crew { server: &server, token: &token, ada: &ada, head: None, round: 0, written: vec![] };
    let (mut refused, mut after) = (0, 0);
    // Until three in a row found no room; smaller ones may still find some.
    while refused < 3 && crew.round < 200 {
        let size = if refused == 0 { 40_000 } else { 2_000 };
        match crew.write(size) {
            (201, _) => after += u32::from(refused > 0),
            answer => {
                assert_eq!(answer, (507, "storage_full".to_owned()));
                refused += 1;
            }
        }
        crew.check();
    }
    assert_eq!(refused, 3, "the disk is never full ({after} smaller ones found room)");
    assert_eq!(crew.ask("GET", "/readyz", None, None).0, 200, "it still reads");
    fs::remove_file(server.sees(&folder.join("filler"))).unwrap();
    assert_eq!(crew.write(40_000).0, 201);
    crew.check();
    assert!(server.stop());
}

struct Crew<'c> {
    server: &'c Process,
    token: &'c str,
    ada: &'c Person,
    head: Option<ContentHash>,
    round: u64,
    /// The contents that were acknowledged.
    written: Vec<String>,
}

impl Crew<'_> {
    /// Publishes a memory; gives back the status and the code.
    fn write(&mut self, size: usize) -> (u16, String) {
        let round = self.round + 1;
        // Something that cannot be packed.
        let words = (0..size / 16).map(|number| {
            let hash = ContentHash::of(format!("{round} {number}").as_bytes()).to_string();
            format!("{}\n", &hash[..15])
        });
        let text: String = words.collect();
        let entry = self.ada.entry(&format!("{round}.md"), 1, round, Some(&text));
        let content = entry.content.clone().unwrap();
        let mut puts = vec![entry, self.ada.round(round, 0)];
        if self.head.is_none() {
            puts.push(self.ada.record());
        }
        let request = self.ada.request(self.head, puts);
        let body = serde_json::to_string(&request).unwrap();
        let path = "/v1/teams/crew/versions";
        let (status, answer) = self.ask("POST", path, Some(&tag(self.head)), Some(&body));
        if status == 201 {
            self.head = Some(request.version);
            self.round = round;
            self.written.push(content);
        }
        (status, answer["error"]["code"].as_str().unwrap_or_default().to_owned())
    }

    /// Whether all that was acknowledged is there, and nothing else.
    fn check(&self) {
        let (_, head) = self.ask("GET", "/v1/teams/crew/head", None, None);
        assert_eq!(head["version"].as_str(), self.head.map(|head| head.to_string()).as_deref());
        let (_, files) = self.ask("GET", "/v1/teams/crew/files?contents=true", None, None);
        let files = files["files"].as_array().unwrap();
        let mut found: Vec<&str> = files
            .iter()
            .filter(|file| file["path"].as_str().unwrap().starts_with("entries/"))
            .map(|file| file["content"].as_str().unwrap())
            .collect();
        let mut written: Vec<&str> = self.written.iter().map(String::as_str).collect();
        found.sort_unstable();
        written.sort_unstable();
        assert!(found == written, "{} of {} are there", found.len(), written.len());
    }

    fn ask(&self, method: &str, path: &str, onto: Option<&str>, body: Option<&str>) -> (u16, Value) {
        let mut headers = vec![("authorization".to_owned(), format!("Bearer {}", self.token))];
        headers.extend(onto.map(|onto| ("if-match".to_owned(), onto.to_owned())));
        let answered = send(&Request {
            method,
            url: &format!("http://{}{path}", self.server.place),
            headers: &headers,
            body,
            limit: Duration::from_secs(30),
            most_bytes: 64 << 20,
            compress: false,
        });
        let answered = answered.unwrap();
        (answered.status, serde_json::from_slice(&answered.body).unwrap_or(Value::Null))
    }
}
