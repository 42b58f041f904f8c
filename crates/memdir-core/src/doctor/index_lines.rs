//! The index beside the files that it should list.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Finding, Fix, Patient, PatientFile, Severity};
use crate::agents::{OLD_ENTRYPOINT, rename_plan};
use crate::memory::auto_index::{IndexSource, is_indexed};
use crate::memory::change::{Indexes, reindex};
use crate::memory::entrypoint::{ENTRYPOINT, MAX_LINES, MAX_UNITS};
use crate::memory::index::{
    Index, IndexEntry, IndexReport, LineNote, MAX_LINE_UNITS, OVERFLOW, add_lines, balance,
    examine as examine_index, format_line, parse_line,
};
use crate::memory::js_text;
use crate::memory::manifest::client_description;
use crate::memory::topic::decode;
use crate::memory::topic::validity::Validity;
use crate::merge_mark::is_merge_mark;
use crate::plan::{Change, Content, Plan};
use crate::rel_path::RelPath;

pub(super) fn examine(patient: &Patient, findings: &mut Vec<Finding>) {
    let Some(bytes) = &patient.index else { return absent(patient, findings) };
    let Ok(text) = std::str::from_utf8(bytes) else {
        findings.push(Finding {
            id: "index-not-text",
            severity: Severity::Error,
            path: Some(ENTRYPOINT.to_owned()),
            line: None,
            what: "the index is not valid UTF-8".to_owned(),
            why: "the agent reads replacement characters, and no line can be changed without loss",
            fix: Fix::by_hand("save it as UTF-8 with `memdir edit MEMORY.md` or an editor"),
        });
        return;
    };
    let overflow = decode(patient.overflow.as_deref().unwrap_or_default()).0.into_owned();
    let in_overflow: HashSet<String> =
        Index::parse(&overflow).entries().map(|(_, entry)| entry.path.clone()).collect();
    let listed = patient.files.iter().map(|file| file.path.as_str());
    let mut files: Vec<&str> = listed.filter(|path| !in_overflow.contains(*path)).collect();
    if patient.overflow.is_some() {
        files.push(OVERFLOW);
    }
    let mut report = examine_index(text, &files);
    let is_replaced = |path: &str| {
        let file = patient.files.iter().find(|file| file.path.as_str() == path);
        file.is_some_and(|file| !Validity::of(&decode(&file.content).0).is_indexed())
    };
    report.missing.retain(|path| is_indexed(path) && !is_replaced(path));
    // A line for a file that the overflow lists too is a second line, and none for a file that is gone.
    // A file that cannot be read now is there all the same: its line stays.
    let unread = patient.strays.iter().map(|stray| stray.path.as_str());
    let there: HashSet<&str> = patient.files.iter().map(|file| file.path.as_str()).chain(unread).collect();
    report
        .dangling
        .retain(|note| !parse_line(&note.text).is_some_and(|entry| there.contains(entry.path.as_str())));
    for (name, line) in conflicts(patient) {
        findings.push(Finding {
            id: "index-conflict",
            severity: Severity::Error,
            path: Some(name.to_owned()),
            line: Some(line),
            what: format!("line {line} is a conflict marker: the file holds two versions of the index"),
            why: "the agent reads both versions, and no line can be added or removed while it is open which one holds",
            fix: Fix::by_hand(format!("keep what holds of both and take the markers out: `memdir edit {name}`")),
        });
    }
    let doctor = IndexDoctor { patient, text, overflow: &overflow, report: &report };
    doctor.lines(findings);
    doctor.missing(findings);
    doctor.limits(findings);
}

/// The first line of the index and of its overflow where a merge stopped.
pub(super) fn conflicts(patient: &Patient) -> Vec<(&'static str, usize)> {
    let both = [(ENTRYPOINT, &patient.index), (OVERFLOW, &patient.overflow)];
    let first = |content: &Vec<u8>| String::from_utf8_lossy(content).lines().position(is_merge_mark);
    both.into_iter().filter_map(|(name, content)| Some((name, first(content.as_ref()?)? + 1))).collect()
}

fn absent(patient: &Patient, findings: &mut Vec<Finding>) {
    if let Some(old) = patient.files.iter().find(|file| file.path.as_str() == OLD_ENTRYPOINT) {
        let plan = rename_plan(Some(&old.content), false).ok().flatten().map(Arc::new);
        findings.push(Finding {
            id: "index-legacy-name",
            severity: Severity::Error,
            path: Some(OLD_ENTRYPOINT.to_owned()),
            line: None,
            what: "the index has its old name".to_owned(),
            why: "today's client loads MEMORY.md and nothing else, so the agent sees no index",
            fix: Fix::by_plan("rename `memory.md` to `MEMORY.md`", plan),
        });
        return;
    }
    let sources: Vec<IndexSource> = patient.files.iter().filter_map(source).collect();
    if sources.is_empty() {
        return;
    }
    let indexes = Indexes { index: None, overflow: patient.overflow.as_deref(), files: sources.clone() };
    findings.push(Finding {
        id: "index-absent",
        severity: Severity::Warning,
        path: Some(ENTRYPOINT.to_owned()),
        line: None,
        what: format!("there is no index for {} memories", sources.len()),
        why: "without MEMORY.md the agent is not told which memories there are",
        fix: Fix::by_plan(
            "write MEMORY.md with a line for every memory",
            reindex(&indexes, sources, &[]).ok().map(Arc::new),
        ),
    });
}

/// What an index line is made from; `None` for files that get none.
fn source(file: &PatientFile) -> Option<IndexSource> {
    let gets_line = is_indexed(file.path.as_str()) && Validity::of(&decode(&file.content).0).is_indexed();
    gets_line.then(|| IndexSource {
        path: file.path.to_string(),
        description: client_description(&decode(&file.content).0),
        modified: file.modified,
    })
}

struct IndexDoctor<'p> {
    patient: &'p Patient,
    text: &'p str,
    overflow: &'p str,
    report: &'p IndexReport,
}

impl IndexDoctor<'_> {
    fn lines(&self, findings: &mut Vec<Finding>) {
        let gone: HashSet<usize> = self.report.dangling.iter().map(|note| note.line).collect();
        let plan = self.plan("remove index lines of files that are gone", || self.without(&gone));
        for note in &self.report.dangling {
            findings.push(line_finding(
                "index-dangling-line",
                Severity::Error,
                note,
                format!("line {} points to a file that is gone: {}", note.line, note.text.trim()),
                "the agent is sent to a memory that does not exist, and the line takes room from others",
                Fix::by_plan("remove the line", plan.clone()),
            ));
        }
        let repeated: HashSet<usize> =
            self.report.duplicate.iter().map(|note| note.line).filter(|line| !gone.contains(line)).collect();
        let plan = self.plan("remove second index lines", || self.without(&repeated));
        for note in self.report.duplicate.iter().filter(|note| repeated.contains(&note.line)) {
            findings.push(line_finding(
                "index-duplicate-line",
                Severity::Warning,
                note,
                format!("line {} points to a file that an earlier line points to", note.line),
                "the index is limited, and two lines for one memory can contradict each other",
                Fix::by_plan("remove the line, keep the first", plan.clone()),
            ));
        }
        let long: Vec<&LineNote> =
            self.report.over_long.iter().filter(|note| !gone.contains(&note.line)).collect();
        let numbers: HashSet<usize> = long.iter().map(|note| note.line).collect();
        let plan = self.plan("shorten index lines", || self.shortened(&numbers));
        for note in long {
            findings.push(line_finding(
                "index-long-line",
                Severity::Warning,
                note,
                format!("line {} has {} characters", note.line, note.units),
                "lines over 150 characters use up the room of other memories; the text belongs in the memory itself",
                Fix::by_plan("shorten the text after the link to 150 characters", plan.clone()),
            ));
        }
    }

    fn missing(&self, findings: &mut Vec<Finding>) {
        let missing: HashSet<&str> = self.report.missing.iter().map(String::as_str).collect();
        let plan = self.plan("add index lines for memories that have none", || {
            let files = self.patient.files.iter().filter(|file| missing.contains(file.path.as_str()));
            let entries = files.filter_map(source).map(|source| {
                let stem = source.path.rsplit('/').next().unwrap_or(&source.path).trim_end_matches(".md");
                let hook = js_text::fold_white_space(source.description.as_deref().unwrap_or_default());
                IndexEntry { title: stem.to_owned(), path: source.path, hook }
            });
            add_lines(self.text, entries)
        });
        for path in &self.report.missing {
            findings.push(Finding {
                id: "index-missing-line",
                severity: Severity::Warning,
                path: Some(path.clone()),
                line: None,
                what: "the memory has no line in the index".to_owned(),
                why: "the agent learns from the index which memories there are, so it will not open this one",
                fix: Fix::by_plan("add a line for it to MEMORY.md", plan.clone()),
            });
        }
    }

    fn limits(&self, findings: &mut Vec<Finding>) {
        let usage = self.report.usage;
        let size = format!("{} of {MAX_LINES} lines, {} of {MAX_UNITS} characters", usage.lines, usage.units);
        if !usage.fits() {
            let plan =
                self.plan("move index lines that do not fit to the overflow file", || self.text.to_owned());
            findings.push(Finding {
                id: "index-over-limit",
                severity: Severity::Error,
                path: Some(ENTRYPOINT.to_owned()),
                line: self.report.cut.first().map(|note| note.line),
                what: format!("the index is over the client's limits: {size}"),
                why: "the client cuts off the end, where the newest memories usually are",
                fix: Fix::by_plan(
                    format!("move what does not fit to `{OVERFLOW}`, linked from the index"),
                    plan,
                ),
            });
        } else if usage.is_near() {
            findings.push(Finding {
                id: "index-near-limit",
                severity: Severity::Note,
                path: Some(ENTRYPOINT.to_owned()),
                line: None,
                what: format!("the index is near the client's limits: {size}"),
                why: "what goes over the limits is cut off before the agent sees it",
                fix: Fix::by_hand(
                    "merge or remove memories; memdir moves what does not fit to an overflow file",
                ),
            });
        }
    }

    fn without(&self, numbers: &HashSet<usize>) -> String {
        let lines = Index::parse(self.text).lines;
        let kept = lines.iter().enumerate().filter(|(at, _)| !numbers.contains(&(at + 1)));
        kept.map(|(_, line)| line.raw).collect()
    }

    fn shortened(&self, numbers: &HashSet<usize>) -> String {
        let mut text = String::with_capacity(self.text.len());
        for (at, line) in Index::parse(self.text).lines.iter().enumerate() {
            let content = line.raw.trim_end_matches(['\n', '\r']);
            let indent = content.len() - content.trim_start().len();
            let short = line
                .entry
                .as_ref()
                .filter(|_| numbers.contains(&(at + 1)))
                .map(|entry| format_line(&entry.title, &entry.path, &entry.hook));
            match short.filter(|short| js_text::units(short) <= MAX_LINE_UNITS) {
                Some(short) => {
                    text.push_str(line.raw.get(..indent).unwrap_or_default());
                    text.push_str(&short);
                    text.push_str(line.raw.get(content.len()..).unwrap_or_default());
                }
                None => text.push_str(line.raw),
            }
        }
        text
    }

    /// The plan that gives the index a new text, with what does not fit moved to the overflow file; `None` while
    /// it is undecided which of two versions holds.
    fn plan(&self, reason: &str, make: impl FnOnce() -> String) -> Option<Arc<Plan>> {
        if !conflicts(self.patient).is_empty() {
            return None;
        }
        let overflow = self.patient.overflow.as_ref().map(|_| self.overflow);
        let files = self.patient.files.iter();
        let modified = files.map(|file| (file.path.to_string(), file.modified)).collect();
        let balanced = balance(&make(), overflow, &modified);
        let mut plan = Plan::new(reason);
        let base = self.patient.index.clone().map(Content);
        if balanced.index != self.text {
            let path = RelPath::parse(ENTRYPOINT).ok()?;
            plan.changes.push(Change::Write { path, content: balanced.index.into(), base });
        }
        let path = RelPath::parse(OVERFLOW).ok()?;
        let base = self.patient.overflow.clone().map(Content);
        match (balanced.overflow, base) {
            (Some(content), base)
                if base.as_ref().map(|base| base.0.as_slice()) != Some(content.as_bytes()) =>
            {
                plan.changes.push(Change::Write { path, content: content.into(), base });
            }
            (None, Some(base)) => plan.changes.push(Change::Delete { path, base }),
            _ => {}
        }
        (!plan.changes.is_empty()).then(|| Arc::new(plan))
    }
}

fn line_finding(
    id: &'static str,
    severity: Severity,
    note: &LineNote,
    what: String,
    why: &'static str,
    fix: Fix,
) -> Finding {
    Finding { id, severity, path: Some(ENTRYPOINT.to_owned()), line: Some(note.line), what, why, fix }
}
