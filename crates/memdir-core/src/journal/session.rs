//! `_session.json`: whether the journal is kept, since when, on which branch, by whom.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::archive::Archive;
use super::index::Index;
use super::{Problem, decode};

/// What `_session.json` says. Fields that we do not know stay where they were.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    /// Whether the journal is being kept.
    pub active: bool,
    /// When it was last started.
    pub started: String,
    /// The project's key.
    pub project_key: String,
    /// The project's path.
    pub project_path: String,
    /// The branch at the last write; empty outside a repository.
    pub branch: String,
    /// The last write.
    pub last_activity: String,
    /// How much there is.
    pub stats: Stats,
    /// The agents' sessions that write here.
    pub sessions: Vec<String>,
    /// The branches that were seen, oldest first, each with the moment.
    pub branches: Vec<BranchSeen>,
    /// Everything else.
    pub rest: Map<String, Value>,
}

/// How much a journal holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Files of decisions.
    pub decisions: u64,
    /// Files of analyses.
    pub analyses: u64,
    /// Entries in the archive of the index.
    pub index_archived: u64,
    /// Outputs of sub-agents that were taken over.
    pub subagent_outputs: u64,
}

impl Stats {
    /// Takes over how many decisions and analyses were counted; what could not be counted stays.
    pub fn count(&mut self, [decisions, analyses]: [Option<u64>; 2]) {
        self.decisions = decisions.unwrap_or(self.decisions);
        self.analyses = analyses.unwrap_or(self.analyses);
    }
}

/// A branch and when work was first seen on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchSeen {
    /// The branch.
    pub branch: String,
    /// When.
    pub since: String,
}

/// How many are remembered.
const MOST_SESSIONS: usize = 64;
const MOST_BRANCHES: usize = 64;

impl Session {
    /// Reads the file.
    ///
    /// # Errors
    /// It is not a JSON object, or a field of ours has another type: then it must not be written over.
    pub fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        let (text, problem) = decode(bytes);
        if let Some(problem) = problem {
            return Err(problem);
        }
        let value: Value = serde_json::from_str(&text)
            .map_err(|error| Problem::new(error.line(), format!("not JSON: {error}")))?;
        let Value::Object(rest) = value else { return Err(Problem::new(0, "not a JSON object")) };
        let mut fields = Fields { rest, wrong: None };
        let mut stats = fields.object("stats");
        let session = Self {
            active: fields.flag("active"),
            started: fields.text("started"),
            project_key: fields.text("projectKey"),
            project_path: fields.text("projectPath"),
            branch: fields.text("branch"),
            last_activity: fields.text("lastActivity"),
            stats: Stats {
                decisions: stats.number("decisions"),
                analyses: stats.number("analyses"),
                index_archived: stats.number("indexArchived"),
                subagent_outputs: stats.number("subagentOutputs"),
            },
            sessions: fields.texts("sessions"),
            branches: fields.branches(),
            rest: Map::new(),
        };
        if !stats.rest.is_empty() {
            fields.rest.insert("stats".to_owned(), Value::Object(stats.rest));
        }
        match fields.wrong.or(stats.wrong) {
            Some(name) => Err(Problem::new(0, format!("`{name}` is not what it should be"))),
            None => Ok(Self { rest: fields.rest, ..session }),
        }
    }

    /// What index and archive say of a journal whose `_session.json` is missing: a journal that was stopped stays
    /// stopped.
    #[must_use]
    pub fn inferred(index: Option<&Index>, archive: Option<&Archive>) -> Self {
        let last = archive.and_then(|archive| archive.sessions().pop());
        let said = |name: &str| index.and_then(|index| index.head(name)).unwrap_or_default().to_owned();
        let active = match (said("Status").as_str(), &last) {
            ("INACTIVE", _) => false,
            ("", Some(last)) => {
                let rows = archive.map(Archive::entries).unwrap_or_default();
                rows.iter().any(|(_, archived)| *archived > last.ended)
            }
            _ => true,
        };
        let started = match said("Session") {
            session if session.is_empty() => {
                last.as_ref().map(|last| last.started.clone()).unwrap_or_default()
            }
            session => session,
        };
        let last_activity = last.filter(|_| !active).map(|last| last.ended).unwrap_or_default();
        Self { active, started, project_path: said("Path"), last_activity, ..Self::default() }
    }

    /// When a journal that is not active was stopped.
    #[must_use]
    pub fn stopped(&self, archive: &Archive) -> Option<String> {
        let ended = archive.sessions().into_iter().rev().find(|session| session.started == self.started);
        let stopped = ended.map_or_else(|| self.last_activity.clone(), |session| session.ended);
        (!self.active && !stopped.is_empty()).then_some(stopped)
    }

    /// What can be read of a damaged file: fields that are complete in it.
    #[must_use]
    pub fn salvage(bytes: &[u8]) -> Self {
        let (text, _) = decode(bytes);
        let string = |name: &str| salvage_string(&text, name).unwrap_or_default();
        let after = |name: &str| value_after(&text, name);
        Self {
            // Only a file that says so ends a journal: records are taken all the same.
            active: after("active").is_none_or(|rest| !rest.starts_with("false")),
            started: string("started"),
            project_key: string("projectKey"),
            project_path: string("projectPath"),
            branch: string("branch"),
            last_activity: string("lastActivity"),
            ..Self::default()
        }
    }

    /// The file, with the fields of the protocol first and in its order.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut object = Map::new();
        let mut stats = json!({
            "decisions": self.stats.decisions,
            "analyses": self.stats.analyses,
            "indexArchived": self.stats.index_archived,
            "subagentOutputs": self.stats.subagent_outputs,
        });
        if let (Some(stats), Some(Value::Object(more))) = (stats.as_object_mut(), self.rest.get("stats")) {
            stats.extend(more.clone());
        }
        for (name, value) in [
            ("active", json!(self.active)),
            ("started", json!(self.started)),
            ("projectKey", json!(self.project_key)),
            ("projectPath", json!(self.project_path)),
            ("branch", json!(self.branch)),
            ("lastActivity", json!(self.last_activity)),
            ("stats", stats),
            ("sessions", json!(self.sessions)),
        ] {
            object.insert(name.to_owned(), value);
        }
        if !self.branches.is_empty() {
            let seen = self.branches.iter().map(|seen| json!({"branch": seen.branch, "since": seen.since}));
            object.insert("branches".to_owned(), Value::Array(seen.collect()));
        }
        let rest = self.rest.iter().filter(|(name, _)| name.as_str() != "stats");
        object.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
        let mut text = serde_json::to_string_pretty(&object).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Notes that a session writes here now; returns the branch before, if it was another one.
    pub fn touch(&mut self, now: &str, branch: &str, agent_session: Option<&str>) -> Option<String> {
        if now > self.last_activity.as_str() {
            now.clone_into(&mut self.last_activity);
        }
        if let Some(id) = agent_session.filter(|id| !self.sessions.iter().any(|known| known == id)) {
            self.sessions.push(id.to_owned());
            let surplus = self.sessions.len().saturating_sub(MOST_SESSIONS);
            self.sessions.drain(..surplus);
        }
        if branch == self.branch {
            return None;
        }
        let before = std::mem::replace(&mut self.branch, branch.to_owned());
        if self.branches.is_empty() && !before.is_empty() {
            self.branches.push(BranchSeen { branch: before.clone(), since: self.started.clone() });
        }
        self.branches.push(BranchSeen { branch: branch.to_owned(), since: now.to_owned() });
        let surplus = self.branches.len().saturating_sub(MOST_BRANCHES);
        self.branches.drain(..surplus);
        (!before.is_empty()).then_some(before)
    }
}

/// Takes our fields out of an object and remembers the first of another type.
struct Fields {
    rest: Map<String, Value>,
    wrong: Option<&'static str>,
}

impl Fields {
    fn take<T>(&mut self, name: &'static str, read: impl Fn(Value) -> Option<T>) -> Option<T> {
        let value = self.rest.shift_remove(name)?;
        if value.is_null() {
            return None;
        }
        let read = read(value);
        if read.is_none() {
            self.wrong = self.wrong.or(Some(name));
        }
        read
    }

    fn text(&mut self, name: &'static str) -> String {
        self.take(name, |value| value.as_str().map(str::to_owned)).unwrap_or_default()
    }

    fn flag(&mut self, name: &'static str) -> bool {
        self.take(name, |value| value.as_bool()).unwrap_or_default()
    }

    fn number(&mut self, name: &'static str) -> u64 {
        self.take(name, |value| value.as_u64()).unwrap_or_default()
    }

    fn texts(&mut self, name: &'static str) -> Vec<String> {
        let texts = self.take(name, |value| {
            value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        texts.unwrap_or_default()
    }

    fn object(&mut self, name: &'static str) -> Self {
        let rest = self.take(name, |value| match value {
            Value::Object(object) => Some(object),
            _ => None,
        });
        Self { rest: rest.unwrap_or_default(), wrong: None }
    }

    fn branches(&mut self) -> Vec<BranchSeen> {
        let read = |item: &Value| {
            let text = |name: &str| item.get(name)?.as_str().map(str::to_owned);
            Some(BranchSeen { branch: text("branch")?, since: text("since")? })
        };
        self.take("branches", |value| value.as_array()?.iter().map(read).collect::<Option<Vec<_>>>())
            .unwrap_or_default()
    }
}

fn value_after<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("\"{name}\""))?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

fn salvage_string(text: &str, name: &str) -> Option<String> {
    let rest = value_after(text, name)?.strip_prefix('"')?;
    let mut escaped = false;
    let end = rest.find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    serde_json::from_str(&format!("\"{}\"", rest.get(..end)?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = r#"{
  "active": true,
  "started": "2026-01-19T22:00:00Z",
  "projectKey": "app",
  "projectPath": "/h/app",
  "branch": "main",
  "lastActivity": "2026-01-19T22:30:00Z",
  "stats": { "decisions": 1, "analyses": 2, "indexArchived": 3, "subagentOutputs": 4, "mine": 5 },
  "note": "keep me"
}"#;

    #[test]
    fn the_protocols_object_reads_and_keeps_what_is_not_ours() {
        let mut session = Session::parse(SEED.as_bytes()).unwrap();
        assert_eq!(session.touch("2026-01-19T23:00:00Z", "feature", Some("s1")), Some("main".to_owned()));
        assert_eq!(session.touch("2026-01-19T22:59:00Z", "feature", Some("s1")), None);
        insta::assert_snapshot!(session.to_text(), @r#"
        {
          "active": true,
          "started": "2026-01-19T22:00:00Z",
          "projectKey": "app",
          "projectPath": "/h/app",
          "branch": "feature",
          "lastActivity": "2026-01-19T23:00:00Z",
          "stats": {
            "decisions": 1,
            "analyses": 2,
            "indexArchived": 3,
            "subagentOutputs": 4,
            "mine": 5
          },
          "sessions": [
            "s1"
          ],
          "branches": [
            {
              "branch": "main",
              "since": "2026-01-19T22:00:00Z"
            },
            {
              "branch": "feature",
              "since": "2026-01-19T23:00:00Z"
            }
          ],
          "note": "keep me"
        }
        "#);
        assert_eq!(Session::parse(session.to_text().as_bytes()).unwrap(), session);
    }

    #[test]
    fn a_missing_file_does_not_start_a_stopped_journal() {
        let index = |status: &str| {
            Index::parse(format!("# Memory Index: app\nSession: S\nStatus: {status}\n\n## X\n").as_bytes())
        };
        let mut archive = Archive::new("app");
        let ended = |ended: &str| super::super::archive::ArchivedSession {
            started: "S".into(),
            ended: ended.into(),
            entries: 0,
        };
        assert!(Session::inferred(None, Some(&archive)).active, "the records are all that is left");
        archive.add_session(&ended("2026-01-02T00:00:00Z"));
        let stopped = Session::inferred(Some(&index("INACTIVE")), Some(&archive));
        assert_eq!((stopped.active, stopped.started.as_str()), (false, "S"));
        assert_eq!(stopped.stopped(&archive).as_deref(), Some("2026-01-02T00:00:00Z"));
        assert!(Session::inferred(Some(&index("ACTIVE")), Some(&archive)).active);
        assert!(!Session::inferred(None, Some(&archive)).active, "the archive says that it ended");
        let row =
            super::super::row::Row::new(super::super::row::Category::Decision, "decisions/a.md", "x", "y");
        archive.add_entries(&[row], "2026-01-03T00:00:00Z");
        assert!(Session::inferred(None, Some(&archive)).active, "something was archived after the end");
    }

    #[test]
    fn a_damaged_file_is_reported_and_salvaged() {
        let truncated = &SEED.as_bytes()[..180];
        assert!(Session::parse(truncated).is_err());
        let salvaged = Session::salvage(truncated);
        assert!(salvaged.active);
        assert_eq!((salvaged.project_path.as_str(), salvaged.branch.as_str()), ("/h/app", "main"));
        for (text, expected) in [
            ("[]", "not a JSON object"),
            (r#"{"active": "yes"}"#, "`active` is not what it should be"),
            (r#"{"stats": {"decisions": -1}}"#, "`decisions` is not what it should be"),
            ("<<<<<<< HEAD\n{}\n=======\n", "line 1: not JSON: expected value at line 1 column 1"),
        ] {
            assert_eq!(Session::parse(text.as_bytes()).unwrap_err().to_string(), expected);
        }
    }
}
