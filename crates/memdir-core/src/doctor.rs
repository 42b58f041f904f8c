//! What is wrong with a memory directory, why that matters, and what would fix it.
//!
//! [`examine`] is pure: the caller has read the directory, looked up what its memories cite, and asked the
//! registry and the history. What it finds has a stable id, so that scripts can tell findings apart, and where a
//! fix is safe, the plan of it: an ordinary plan, shown before it is applied, recorded, and undone like any other.

use std::sync::Arc;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use serde::Serialize;

use crate::plan::Plan;
use crate::rel_path::RelPath;
use crate::verify::Verified;

mod index_lines;
mod memories;
mod names;
mod near_duplicates;
mod surroundings;
#[cfg(test)]
mod tests;

pub(crate) use memories::{OLD, OLD_PROJECT};

/// A memory directory as it was read.
#[derive(Debug, Clone, Default)]
pub struct Patient {
    /// The content of MEMORY.md, if there is one.
    pub index: Option<Vec<u8>>,
    /// Who can change MEMORY.md.
    pub index_access: Option<Access>,
    /// The content of its overflow file, if there is one.
    pub overflow: Option<Vec<u8>>,
    /// The memories, newest first.
    pub files: Vec<PatientFile>,
    /// Whatever else is there.
    pub strays: Vec<Stray>,
    /// What is known about its project and about our own state.
    pub surroundings: Surroundings,
    /// The time that counts as now.
    pub now: Timestamp,
}

/// One memory.
#[derive(Debug, Clone)]
pub struct PatientFile {
    /// Where it is.
    pub path: RelPath,
    /// Its content.
    pub content: Vec<u8>,
    /// When it last changed.
    pub modified: Timestamp,
    /// Who can change it.
    pub access: Access,
    /// What it cites, looked up.
    pub verified: Vec<Verified>,
}

/// Who can change a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Its permission bits.
    pub mode: u32,
    /// Whether another user owns it.
    pub foreign_owner: bool,
}

/// Something in the directory that is not a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// Its path in the directory, made printable.
    pub path: String,
    /// What it is.
    pub kind: StrayKind,
}

/// Why something in the directory is not a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrayKind {
    /// A temporary file that an interrupted write of ours left behind.
    Temporary,
    /// A file that does not end in `.md`.
    NotMarkdown,
    /// A Markdown file that cannot be listed, by this rule.
    Unlisted(&'static str),
}

/// What is known about the project of a memory directory, and about our own state.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Why nothing may be written in the directory.
    pub write_refusal: Option<String>,
    /// Other living projects that share the directory.
    pub collides_with: Vec<Utf8PathBuf>,
    /// Where the project was before, with memory left behind.
    pub moved_from: Option<Utf8PathBuf>,
    /// Memory of subdirectories and worktrees of this project that has a directory of its own.
    pub split_stores: Vec<Utf8PathBuf>,
    /// Memory of this project under a name that an older client gave it.
    pub legacy_names: Vec<String>,
    /// What is broken in our registry.
    pub registry_problems: Vec<String>,
    /// What is broken in the history of this directory.
    pub history_problems: Vec<String>,
    /// What is broken among the changes that wait for the user.
    pub staged_problems: Vec<String>,
    /// What is broken in the list of what the user rejected.
    pub rejection_problems: Vec<String>,
    /// What is wrong with the user's settings of memdir.
    pub config_problems: Vec<String>,
    /// Keys in those settings that mean nothing to us.
    pub config_warnings: Vec<String>,
    /// Lines of the journal's index that lead to files which are gone.
    pub dead_journal_lines: Vec<String>,
    /// A journal of an older protocol that was not brought over.
    pub old_journal: Option<Utf8PathBuf>,
    /// What went wrong in hooks, which cannot print errors; oldest first.
    pub hook_failures: Vec<HookFailure>,
}

/// Something that went wrong in a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFailure {
    /// When.
    pub time: Timestamp,
    /// The event that was answered.
    pub event: String,
    /// What went wrong.
    pub message: String,
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Memory is lost to the agent, unsafe or broken.
    Error,
    /// It misleads or will get worse.
    Warning,
    /// Worth knowing; nothing is wrong.
    Note,
}

/// One thing that was found.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Which kind of finding: stable, for scripts.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The file that it is about, relative to the memory directory.
    pub path: Option<String>,
    /// The line in it, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is so.
    pub what: String,
    /// Why it matters.
    pub why: &'static str,
    /// What would fix it.
    pub fix: Fix,
}

/// What would fix a finding.
#[derive(Debug, Clone, Serialize)]
pub struct Fix {
    /// What it would change, or what the user can do.
    pub what: String,
    /// Whether `--fix` does it.
    pub automatic: bool,
    /// The plan that does it; several findings may share one.
    #[serde(skip)]
    pub plan: Option<Arc<Plan>>,
}

impl Fix {
    fn by_hand(what: impl Into<String>) -> Self {
        Self { what: what.into(), automatic: false, plan: None }
    }

    fn by_plan(what: impl Into<String>, plan: Option<Arc<Plan>>) -> Self {
        Self { what: what.into(), automatic: plan.is_some(), plan }
    }

    /// Fixed by finishing what was interrupted, which needs no plan.
    fn by_recovery(what: impl Into<String>) -> Self {
        Self { what: what.into(), automatic: true, plan: None }
    }
}

/// Everything that is wrong or worth knowing, the worst first.
#[must_use]
pub fn examine(patient: &Patient) -> Vec<Finding> {
    let mut findings = Vec::new();
    index_lines::examine(patient, &mut findings);
    memories::examine(patient, &mut findings);
    near_duplicates::examine(patient, &mut findings);
    names::examine(patient, &mut findings);
    surroundings::examine(&patient.surroundings, patient.now, &mut findings);
    findings.sort_by_key(|finding| finding.severity);
    findings
}

/// A secret that is stored outside the files that [`examine`] looks at: in the history, the journal or the profile.
#[must_use]
pub fn stored_secret(path: String, line: usize, rule: &str, operation: Option<&str>) -> Finding {
    let past = operation.map(|id| format!(", in the version of operation {id}")).unwrap_or_default();
    Finding {
        id: "stored-secret",
        severity: Severity::Error,
        path: Some(path),
        line: (line > 0).then_some(line),
        what: format!("holds what looks like a secret ({rule}){past}"),
        why: "a secret in memory or its history reaches models, backups and other machines",
        fix: Fix::by_hand(
            "revoke it, then `memdir purge --pattern TEXT`; if it is harmless, `memdir audit --allow FINGERPRINT`",
        ),
    }
}

/// Whether something is wrong, and not only worth knowing.
#[must_use]
pub fn is_ill(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity != Severity::Note)
}
