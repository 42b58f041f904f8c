//! Names that clash, and what is left lying about.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

use super::{Finding, Fix, Patient, Severity, StrayKind};

pub(super) fn examine(patient: &Patient, findings: &mut Vec<Finding>) {
    clashes(patient, findings);
    for file in patient.files.iter().filter(|file| file.path.file_name().contains(".conflict-")) {
        findings.push(Finding {
            id: "leftover-conflict",
            severity: Severity::Warning,
            path: Some(file.path.to_string()),
            line: None,
            what: "a second version that could not be merged waits for you".to_owned(),
            why: "the agent reads both versions, and they contradict each other",
            fix: Fix::by_hand(format!(
                "bring what you want into the first file, then `memdir rm {}`",
                file.path
            )),
        });
    }
    for stray in &patient.strays {
        let (id, severity, what, why, fix) = match stray.kind {
            StrayKind::Temporary => (
                "leftover-temporary",
                Severity::Warning,
                "an interrupted write left a temporary file".to_owned(),
                "it may hold the only copy of what was displaced, and takes up room",
                Fix::by_recovery("finish or undo the interrupted change, and add the file"),
            ),
            StrayKind::NotMarkdown => (
                "file-not-markdown",
                Severity::Note,
                "the file is not Markdown".to_owned(),
                "the client neither lists nor indexes it",
                Fix::by_hand("rename it to end in `.md`, or keep it elsewhere"),
            ),
            StrayKind::Unlisted(rule) if rule.contains("NFC") => (
                "name-not-nfc",
                Severity::Warning,
                "the name is not in the normal form NFC".to_owned(),
                "two names that look the same are two files, and links miss one of them",
                Fix::by_hand("rename the file by typing its name afresh"),
            ),
            StrayKind::Unlisted(rule) => (
                "file-unlisted",
                Severity::Warning,
                format!("it is not listed: {rule}"),
                "memdir neither shows nor protects it, and an agent may still read it",
                Fix::by_hand("rename it, or put a regular file in its place"),
            ),
        };
        findings.push(Finding { id, severity, path: Some(stray.path.clone()), line: None, what, why, fix });
    }
}

/// Names that are one on a file system without upper and lower case.
fn clashes(patient: &Patient, findings: &mut Vec<Finding>) {
    let mut folded: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for file in &patient.files {
        let key = file.path.as_str().nfkc().collect::<String>().to_lowercase();
        folded.entry(key).or_default().push(file.path.as_str());
    }
    for paths in folded.values_mut().filter(|paths| paths.len() > 1) {
        paths.sort_unstable();
        let Some((first, rest)) = paths.split_first() else { continue };
        for path in rest {
            findings.push(Finding {
                id: "name-clash",
                severity: Severity::Warning,
                path: Some((*path).to_owned()),
                line: None,
                what: format!("differs from `{first}` only in upper and lower case or in form"),
                why: "on a file system that does not tell them apart, one replaces the other",
                fix: Fix::by_hand(format!("give it another name: `memdir rename {path} NEW-NAME`")),
            });
        }
    }
}
