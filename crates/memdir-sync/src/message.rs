//! What a sync is called in the remote's own history.

use crate::report::{ChangeKind, SyncReport};

/// How many memories are named.
const NAMED: usize = 20;

/// A line that says what was sent, and below it what exactly, and who came or went.
pub(crate) fn message(report: &SyncReport, people: &[String]) -> String {
    let sent = &report.sent;
    let subject = match sent.as_slice() {
        [] if people.is_empty() => "Keep the records of the team".to_owned(),
        [] => people.join(", "),
        [one] => format!("{} {}", verb(one.change), stem(&one.path)),
        many => {
            let count = |kind: ChangeKind| many.iter().filter(|sent| sent.change == kind).count();
            let part = |kind, word: &str| match count(kind) {
                0 => None,
                number => Some(format!("{number} {word}")),
            };
            let parts = [
                part(ChangeKind::Added, "added"),
                part(ChangeKind::Changed, "changed"),
                part(ChangeKind::Removed, "removed"),
            ];
            format!("Memories: {}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
        }
    };
    let mut lines: Vec<String> = sent
        .iter()
        .take(NAMED)
        .map(|sent| format!("- {} {}", verb(sent.change).to_lowercase(), sent.path))
        .collect();
    if sent.len() > NAMED {
        lines.push(format!("- and {} more", sent.len() - NAMED));
    }
    let is_named = !sent.is_empty() && !people.is_empty();
    if is_named {
        lines.extend(people.iter().map(|line| format!("- {line}")));
    }
    if lines.len() < 2 { subject } else { format!("{subject}\n\n{}", lines.join("\n")) }
}

fn verb(change: ChangeKind) -> &'static str {
    match change {
        ChangeKind::Added => "Add",
        ChangeKind::Changed => "Change",
        ChangeKind::Removed => "Remove",
    }
}

fn stem(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}
