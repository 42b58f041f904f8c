//! Each memory by itself: its header, its age, what it cites, and what it should not hold.

use super::{Access, Finding, Fix, Patient, PatientFile, Severity};
use crate::hygiene::{PROMPT_UNITS, flag};
use crate::memory::auto_index::is_indexed;
use crate::memory::entrypoint::ENTRYPOINT;
use crate::memory::js_text;
use crate::memory::manifest::age_days;
use crate::memory::memory_type::MemoryType;
use crate::memory::problem::Problem;
use crate::memory::topic::validity::{Expiry, Validity};
use crate::memory::topic::{Topic, decode};
use crate::secrets::scan;
use crate::verify::{Cited, Freshness, Verified};

/// After how many days without a change a memory counts as old.
pub(crate) const OLD: u64 = 365;
/// The same for what is about ongoing work.
pub(crate) const OLD_PROJECT: u64 = 180;
/// How many single places a finding names.
const NAMED: usize = 5;

pub(super) fn examine(patient: &Patient, findings: &mut Vec<Finding>) {
    for file in &patient.files {
        let (text, not_text) = decode(&file.content);
        let (topic, problems) = Topic::parse_head_of_whole(&text);
        header(file, &topic, problems.iter().chain(&not_text), findings);
        age(file, &topic, patient, findings);
        due(file, &text, patient, findings);
        facts(file, findings);
        links(file, findings);
        length(file, text.get(topic.body.clone()).unwrap_or_default(), findings);
        content(file.path.as_str(), &text, findings);
        access(file.path.as_str(), file.access, findings);
    }
    if let Some(index) = &patient.index {
        content(ENTRYPOINT, &decode(index).0, findings);
    }
    if let Some(found) = patient.index_access {
        access(ENTRYPOINT, found, findings);
    }
}

fn finding(
    id: &'static str,
    severity: Severity,
    path: &str,
    what: String,
    why: &'static str,
    fix: Fix,
) -> Finding {
    Finding { id, severity, path: Some(path.to_owned()), line: None, what, why, fix }
}

fn header<'p>(
    file: &PatientFile,
    topic: &Topic,
    problems: impl Iterator<Item = &'p Problem>,
    findings: &mut Vec<Finding>,
) {
    let name = file.path.as_str();
    for problem in problems {
        findings.push(match problem {
            Problem::InvalidUtf8 => finding(
                "memory-not-text",
                Severity::Warning,
                file.path.as_str(),
                "the file is not valid UTF-8".to_owned(),
                "the agent reads replacement characters where the text was",
                Fix::by_hand("save it as UTF-8 with an editor"),
            ),
            Problem::UnknownType { .. } => finding(
                "memory-unknown-type",
                Severity::Warning,
                file.path.as_str(),
                format!("the type {problem}"),
                "agents choose by type what to recall and what to keep; an unknown one is passed over",
                Fix::by_hand(format!("choose one: `memdir set {name} type feedback`")),
            ),
            other => finding(
                "memory-broken-header",
                Severity::Warning,
                file.path.as_str(),
                other.to_string(),
                "the client may read another name, description or type than you wrote, or none",
                Fix::by_hand(format!("fix the header: `memdir edit {name}`")),
            ),
        });
    }
    // A day's log is not a memory yet, and has no header to fix.
    if topic.memory_type.is_none() && is_indexed(file.path.as_str()) {
        findings.push(finding(
            "memory-without-type",
            Severity::Note,
            file.path.as_str(),
            "the memory has no type".to_owned(),
            "agents choose by type what to recall and what to keep",
            Fix::by_hand(format!("choose one: `memdir set {name} type feedback`")),
        ));
    }
}

fn age(file: &PatientFile, topic: &Topic, patient: &Patient, findings: &mut Vec<Finding>) {
    let written = topic.modified.map_or(file.modified, |said| said.max(file.modified));
    let days = age_days(written, patient.now);
    let limit = if topic.memory_type == Some(MemoryType::Project) { OLD_PROJECT } else { OLD };
    if days >= limit {
        findings.push(finding(
            "memory-old",
            Severity::Note,
            file.path.as_str(),
            format!("the memory has not changed for {days} days"),
            "what was true then may not be true now, and the agent states it as a fact",
            Fix::by_hand(format!("read it with `memdir show {}`; edit it, or remove it", file.path)),
        ));
    }
}

/// What has ended, or ends with an event that only a person recognises.
fn due(file: &PatientFile, text: &str, patient: &Patient, findings: &mut Vec<Finding>) {
    let validity = Validity::of(text);
    let Some(expires) = validity.expires.as_ref().filter(|_| is_indexed(file.path.as_str())) else { return };
    let what = match expires {
        Expiry::Event(event) => format!("the memory counts until: {event}"),
        _ if validity.has_expired(file.modified, patient.now) => format!("the memory expired: {expires}"),
        _ => return,
    };
    findings.push(finding(
        "memory-due",
        Severity::Note,
        file.path.as_str(),
        what,
        "what has ended is left out of recall, and moves to the archive after a week",
        Fix::by_hand("decide with `memdir review --due`"),
    ));
}

fn facts(file: &PatientFile, findings: &mut Vec<Finding>) {
    let stale: Vec<&Verified> = file
        .verified
        .iter()
        .filter(|found| {
            found.freshness != Freshness::Fresh && !matches!(found.citation.cited, Cited::Link(_))
        })
        .collect();
    let Some(first) = stale.first() else { return };
    let named = stale.iter().take(NAMED).map(|found| {
        let why = found.why.as_deref().unwrap_or_default();
        format!("`{}` is {} ({why})", found.citation.cited, found.freshness.as_str())
    });
    let mut what = named.collect::<Vec<_>>().join("; ");
    if stale.len() > NAMED {
        what.push_str(&format!("; and {} more", stale.len() - NAMED));
    }
    let mut found = finding(
        "memory-stale",
        Severity::Warning,
        file.path.as_str(),
        what,
        "the agent looks for what is no longer there, or believes that it is",
        Fix::by_hand(format!("bring it up to date: `memdir verify {0}`, `memdir edit {0}`", file.path)),
    );
    found.line = Some(first.citation.line);
    findings.push(found);
}

fn links(file: &PatientFile, findings: &mut Vec<Finding>) {
    for dead in file.verified.iter().filter(|found| found.freshness == Freshness::Gone) {
        let Cited::Link(target) = &dead.citation.cited else { continue };
        let mut found = finding(
            "memory-dead-link",
            Severity::Warning,
            file.path.as_str(),
            format!("links to `{target}`, which is not a memory"),
            "the agent follows links to learn more, and finds nothing",
            Fix::by_hand(format!("add that memory, or take the link out: `memdir edit {}`", file.path)),
        );
        found.line = Some(dead.citation.line);
        findings.push(found);
    }
}

fn length(file: &PatientFile, body: &str, findings: &mut Vec<Finding>) {
    let units = js_text::units(body);
    if units > PROMPT_UNITS {
        findings.push(finding(
            "memory-long",
            Severity::Note,
            file.path.as_str(),
            format!("the memory has {units} characters"),
            "an agent is shown 25,000 characters of a memory at most, and every one of them costs",
            Fix::by_hand("split it into memories that each say one thing"),
        ));
    }
}

fn content(path: &str, text: &str, findings: &mut Vec<Finding>) {
    let secrets = scan(text);
    if let Some(first) = secrets.first() {
        let places = secrets.iter().take(NAMED).map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let more = secrets.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let mut found = finding(
            "memory-secret",
            Severity::Error,
            path,
            format!("holds what looks like a secret: {places}{more}"),
            "memories are read by models, copied to team mates and kept in history",
            Fix::by_hand(format!(
                "revoke it, then remove it from every version: `memdir purge {path}`, or only the text with `memdir purge --pattern TEXT`"
            )),
        );
        found.line = Some(first.line);
        findings.push(found);
    }
    let reasons = flag(text);
    if !reasons.is_empty() {
        let reasons: Vec<&str> = reasons.iter().map(|reason| reason.describe()).collect();
        findings.push(finding(
            "memory-suspicious",
            Severity::Warning,
            path,
            reasons.join("; "),
            "an agent that reads it may obey it: memory is data, not orders",
            Fix::by_hand(format!("read it with `memdir show {path}`, and remove it if you did not want it")),
        ));
    }
}

fn access(path: &str, found: Access, findings: &mut Vec<Finding>) {
    if found.mode & 0o022 != 0 {
        findings.push(finding(
            "file-writable-by-others",
            Severity::Error,
            path,
            format!("others may write the file (mode {:03o})", found.mode & 0o777),
            "anyone who can write a memory can tell your agent what to do",
            Fix::by_hand(format!("chmod go-w {path}")),
        ));
    }
    if found.foreign_owner {
        findings.push(finding(
            "file-foreign-owner",
            Severity::Error,
            path,
            "the file belongs to another user".to_owned(),
            "its owner can change at any time what your agent is told",
            Fix::by_hand(format!("copy it, or chown {path}")),
        ));
    }
}
