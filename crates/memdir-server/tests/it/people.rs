//! Members who sign what they send.

use memdir_core::content_hash::ContentHash;
use memdir_testkit::NOW;
use memdir_wire::entry::Entry;
use memdir_wire::invitation::Invitation;
use memdir_wire::member::{Member, Revocation};
use memdir_wire::round::Round;
use memdir_wire::server_api::{PROTOCOL, PublishRequest, PutFile, version_id};
use memdir_wire::signing::SecretKey;
use memdir_wire::team_id::TeamId;

use super::running::{HttpAnswer, Running};

pub(crate) struct Person {
    pub(crate) seed: [u8; 32],
    pub(crate) team: TeamId,
    pub(crate) record: Member,
}

pub(crate) fn put(path: &str, content: Option<String>) -> PutFile {
    PutFile { path: path.to_owned(), content }
}

pub(crate) fn text_of(bytes: Vec<u8>) -> Option<String> {
    Some(String::from_utf8(bytes).unwrap())
}

impl Person {
    pub(crate) fn founder(number: u8) -> Self {
        let seed = [number; 32];
        let (record, team) = Member::founder(&SecretKey::from_seed(seed), &format!("p{number}"), "nonce");
        Self { seed, team, record }
    }

    pub(crate) fn invited_by(other: &Self, number: u8) -> Self {
        let (seed, own) = ([number; 32], [number ^ 0x80; 32]);
        let invitation = Invitation::new(&other.team, "x", "memdir", &other.key(), own);
        let key = SecretKey::from_seed(seed);
        let record =
            Member::invited(&key, &format!("p{number}"), &other.team, invitation.grant, &invitation.key);
        Self { seed, team: other.team.clone(), record }
    }

    pub(crate) fn key(&self) -> SecretKey {
        SecretKey::from_seed(self.seed)
    }

    pub(crate) fn record(&self) -> PutFile {
        put(&format!("members/{}", self.record.file_name()), text_of(self.record.render()))
    }

    pub(crate) fn revocation_of(&self, other: &Self) -> PutFile {
        let record = Revocation::of(&other.key().public(), &self.team, &self.key());
        put(&format!("revocations/{}", record.file_name()), text_of(record.render()))
    }

    pub(crate) fn round(&self, round: u64, floor: u64) -> PutFile {
        put("round.json", text_of(Round::new(&self.team, round, floor, &self.key()).render()))
    }

    pub(crate) fn entry(&self, key: &str, version: u64, round: u64, text: Option<&str>) -> PutFile {
        self.entry_at(key, version, round, text, NOW)
    }

    pub(crate) fn entry_at(
        &self,
        key: &str,
        version: u64,
        round: u64,
        text: Option<&str>,
        time: &str,
    ) -> PutFile {
        let entry = Entry {
            team: self.team.clone(),
            path: key.to_owned(),
            version,
            round,
            parent: None,
            memory: None,
            renamed_from: None,
            time: time.parse().unwrap(),
            author: self.key().public(),
            text: text.map(str::to_owned),
        };
        put(&format!("entries/{key}"), text_of(entry.sign(&self.key()).render()))
    }

    pub(crate) fn request(&self, onto: Option<ContentHash>, puts: Vec<PutFile>) -> PublishRequest {
        PublishRequest {
            v: PROTOCOL,
            team: self.team.clone(),
            version: version_id(&self.team, onto.as_ref(), &puts),
            subject: "a test".to_owned(),
            parts: 0,
            puts,
        }
    }

    /// Publishes; gives back the answer and the version that it was about.
    pub(crate) fn publish(
        &self,
        server: &Running,
        (team, token): (&str, &str),
        onto: Option<ContentHash>,
        puts: Vec<PutFile>,
    ) -> (HttpAnswer, ContentHash) {
        let request = self.request(onto, puts);
        let body = serde_json::to_string(&request).unwrap();
        let answer = server.ask(
            "POST",
            &format!("/v1/teams/{team}/versions"),
            Some(token),
            &[("if-match", &tag(onto))],
            Some(&body),
        );
        (answer, request.version)
    }
}

pub(crate) fn tag(version: Option<ContentHash>) -> String {
    version.map_or_else(|| "\"0\"".to_owned(), |version| format!("\"{version}\""))
}
