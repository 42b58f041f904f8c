//! What happens to a plan that would write a secret.

use std::collections::HashSet;

use super::{AllowList, Finding, redact_findings, scan, scan_except};
use crate::config::SecretsOnWrite;
use crate::plan::{Change, Content, Plan};
use crate::rel_path::RelPath;

/// A plan that may not be applied, because it would write a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`, line {line}: this looks like a secret ({rule})")]
pub struct SecretBlocked {
    /// The file that would hold it.
    pub path: RelPath,
    /// The line, counted from 1.
    pub line: usize,
    /// The rule that found it.
    pub rule: &'static str,
}

/// Looks for secrets that a plan would add, and does what the user chose. What stands in a file already is not
/// this plan's doing.
///
/// # Errors
/// The first secret, if secrets block.
pub fn guard(
    mut plan: Plan,
    policy: SecretsOnWrite,
    allowed: Option<&AllowList>,
) -> Result<Plan, SecretBlocked> {
    let mut warnings = Vec::new();
    for change in &mut plan.changes {
        let Change::Write { path, content, base } = change else { continue };
        let Ok(text) = std::str::from_utf8(&content.0) else { continue };
        let fresh = added_secrets(text, base.as_ref(), allowed);
        let Some(first) = fresh.first() else { continue };
        match policy {
            SecretsOnWrite::Block => {
                return Err(SecretBlocked { path: path.clone(), line: first.line, rule: first.rule });
            }
            SecretsOnWrite::Warn => warnings.extend(fresh.iter().map(|finding| {
                format!("`{path}`, line {}: this looks like a secret ({})", finding.line, finding.rule)
            })),
            SecretsOnWrite::Redact => {
                warnings.extend(fresh.iter().map(|finding| {
                    format!("`{path}`, line {}: a secret ({}) was left out", finding.line, finding.rule)
                }));
                *content = redact_findings(text, &fresh).into();
            }
        }
    }
    plan.warnings.extend(warnings);
    Ok(plan)
}

fn added_secrets(text: &str, base: Option<&Content>, allowed: Option<&AllowList>) -> Vec<Finding> {
    let mut found = match allowed {
        Some(allowed) => scan_except(text, allowed),
        None => scan(text),
    };
    if found.is_empty() {
        return found;
    }
    let before = base.and_then(|base| std::str::from_utf8(&base.0).ok()).unwrap_or_default();
    let known: HashSet<&str> =
        scan(before).iter().filter_map(|finding| before.get(finding.range.clone())).collect();
    found.retain(|finding| text.get(finding.range.clone()).is_none_or(|value| !known.contains(value)));
    found
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
        assert_eq!((blocked.path.as_str(), blocked.line), ("a.md", 2));
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
}
