//! What happens to a plan that would write a secret.

use std::collections::HashMap;

use super::{AllowList, Finding, redact, redact_findings, redact_places, scan, scan_except};
use crate::config::SecretsOnWrite;
use crate::plan::{Change, Content, Plan};
use crate::rel_path::RelPath;

/// A plan that may not be applied, because it would write a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: this looks like a secret ({rule})")]
pub struct SecretBlocked {
    /// Where it would be, without the value.
    pub place: String,
    /// The rule that found it.
    pub rule: &'static str,
}

/// Looks for secrets that a plan would add, in names as well as in contents, and does what the user chose. What
/// is in a file already is not this plan's doing, but a second copy of it is.
///
/// # Errors
/// The first secret, if secrets block, and one in a name also where they are taken out: a name cannot be.
pub fn guard(
    mut plan: Plan,
    policy: SecretsOnWrite,
    allowed: Option<&AllowList>,
) -> Result<Plan, SecretBlocked> {
    let mut warnings = Vec::new();
    for change in &mut plan.changes {
        if let Some(path) = new_name(change) {
            let found = search(path.as_str(), allowed);
            if let Some(first) = found.first() {
                let shown = redact_findings(path.as_str(), &found);
                if policy != SecretsOnWrite::Warn {
                    return Err(SecretBlocked { place: format!("the name `{shown}`"), rule: first.rule });
                }
                warnings.push(format!("the name `{shown}`: this looks like a secret ({})", first.rule));
            }
        }
        let Change::Write { path, content, base } = change else { continue };
        let Ok(text) = std::str::from_utf8(&content.0) else { continue };
        let fresh = added_secrets(text, base.as_ref(), allowed);
        let Some(first) = fresh.findings.first() else { continue };
        let place = |finding: &Finding| format!("`{}`, line {}", redact(path.as_str()).0, finding.line);
        match policy {
            SecretsOnWrite::Block => {
                return Err(SecretBlocked { place: place(first), rule: first.rule });
            }
            SecretsOnWrite::Warn => {
                warnings.extend(fresh.findings.iter().map(|finding| {
                    format!(
                        "{}: this looks like a secret ({}); revoke it, then `memdir purge {}` removes it from the \
                         file and its history",
                        place(finding),
                        finding.rule,
                        redact(path.as_str()).0
                    )
                }));
            }
            SecretsOnWrite::Redact => {
                warnings.extend(
                    fresh.findings.iter().map(|finding| {
                        format!("{}: a secret ({}) was left out", place(finding), finding.rule)
                    }),
                );
                // A value that was there before stays where it was.
                *content = if fresh.has_copies {
                    redact_places(text, &fresh.findings, &[]).into()
                } else {
                    redact_findings(text, &fresh.findings).into()
                };
            }
        }
    }
    plan.warnings.extend(warnings);
    Ok(plan)
}

/// The name that a change gives to a file that did not have it.
fn new_name(change: &Change) -> Option<&RelPath> {
    match change {
        Change::Write { path, base: None, .. } => Some(path),
        Change::Rename { to, .. } => Some(to),
        _ => None,
    }
}

fn search(text: &str, allowed: Option<&AllowList>) -> Vec<Finding> {
    match allowed {
        Some(allowed) => scan_except(text, allowed),
        None => scan(text),
    }
}

struct Added {
    findings: Vec<Finding>,
    /// Whether one of them repeats what stood there before.
    has_copies: bool,
}

fn added_secrets(text: &str, base: Option<&Content>, allowed: Option<&AllowList>) -> Added {
    let mut findings = search(text, allowed);
    if findings.is_empty() {
        return Added { findings, has_copies: false };
    }
    let before = base.and_then(|base| std::str::from_utf8(&base.0).ok()).unwrap_or_default();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for finding in scan(before) {
        *known.entry(before.get(finding.range).unwrap_or_default()).or_default() += 1;
    }
    let mut has_copies = false;
    findings.retain(|finding| {
        let Some(count) = text.get(finding.range.clone()).and_then(|value| known.get_mut(value)) else {
            return true;
        };
        let is_copy = *count == 0;
        *count = count.saturating_sub(1);
        has_copies |= is_copy;
        is_copy
    });
    Added { findings, has_copies }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

    fn plan(content: &str, base: Option<&str>) -> Plan {
        let mut plan = Plan::new("test");
        let path = RelPath::parse("a.md").unwrap();
        plan.changes.push(Change::Write { path, content: content.into(), base: base.map(Into::into) });
        plan
    }

    #[test]
    fn the_user_chooses_what_happens_to_a_secret() {
        let secret = format!("one\nuse {TOKEN} here\n");
        let warned = guard(plan(&secret, None), SecretsOnWrite::Warn, None).unwrap();
        assert_eq!(warned.changes, plan(&secret, None).changes);
        assert_eq!(warned.warnings.len(), 1);
        assert!(!warned.warnings[0].contains(TOKEN), "the value is never shown");
        let redacted = guard(plan(&secret, None), SecretsOnWrite::Redact, None).unwrap();
        let Change::Write { content, .. } = &redacted.changes[0] else { panic!() };
        let text = String::from_utf8(content.0.clone()).unwrap();
        assert!(text.starts_with("one\nuse [redacted:") && text.ends_with(" here\n"), "{text}");
        let blocked = guard(plan(&secret, None), SecretsOnWrite::Block, None).unwrap_err();
        assert_eq!(blocked.place, "`a.md`, line 2");
    }

    #[test]
    fn what_was_there_before_is_not_this_plans_doing() {
        let secret = format!("use {TOKEN} here\n");
        let longer = format!("# Title\n\n{secret}");
        assert!(guard(plan(&longer, Some(&secret)), SecretsOnWrite::Block, None).is_ok());
        assert!(
            guard(plan("nothing here\n", None), SecretsOnWrite::Block, None).unwrap().warnings.is_empty()
        );
    }

    #[test]
    fn a_second_copy_is_this_plans_doing() {
        let secret = format!("use {TOKEN} here\n");
        let twice = format!("{secret}and {TOKEN} there\n");
        assert!(guard(plan(&twice, Some(&secret)), SecretsOnWrite::Block, None).is_err());
        assert!(guard(plan(&twice, Some(&twice)), SecretsOnWrite::Block, None).is_ok());
        let redacted = guard(plan(&twice, Some(&secret)), SecretsOnWrite::Redact, None).unwrap();
        let Change::Write { content, .. } = &redacted.changes[0] else { panic!() };
        let text = String::from_utf8(content.0.clone()).unwrap();
        assert!(text.starts_with(&secret) && text.contains("and [redacted:"), "{text}");
    }

    #[test]
    fn a_name_holds_no_secret() {
        let named = |from: Option<&str>| {
            let mut plan = Plan::new("test");
            let path = RelPath::parse(&format!("keys/{TOKEN}.md")).unwrap();
            plan.changes.push(match from {
                None => Change::Write { path, content: "x".into(), base: None },
                Some(from) => {
                    let from = RelPath::parse(from).unwrap();
                    Change::Rename { from, to: path, base: "x".into() }
                }
            });
            plan
        };
        for plan in [named(None), named(Some("a.md"))] {
            for policy in [SecretsOnWrite::Block, SecretsOnWrite::Redact] {
                let blocked = guard(plan.clone(), policy, None).unwrap_err().to_string();
                assert!(blocked.contains("keys/[redacted:") && !blocked.contains(TOKEN), "{blocked}");
            }
            let warned = guard(plan, SecretsOnWrite::Warn, None).unwrap();
            assert_eq!(warned.warnings.len(), 1);
            assert!(!warned.warnings[0].contains(TOKEN), "{}", warned.warnings[0]);
        }
    }

    #[test]
    fn an_invisible_character_hides_nothing() {
        let hidden = TOKEN.replace("c3", "c\u{200b}3");
        let blocked = guard(plan(&format!("use {hidden} here\n"), None), SecretsOnWrite::Block, None);
        assert!(blocked.is_err());
        let redacted =
            guard(plan(&format!("use {hidden} here\n"), None), SecretsOnWrite::Redact, None).unwrap();
        let Change::Write { content, .. } = &redacted.changes[0] else { panic!() };
        let text = String::from_utf8(content.0.clone()).unwrap();
        assert_eq!(text, "use [redacted:github-pat] here\n");
    }
}
