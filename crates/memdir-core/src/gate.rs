//! The write gate: every byte that memdir writes for an agent passes here.
//!
//! The disk crate accepts an [`Admitted`] value and nothing else, and only this module makes one. A new way to write
//! therefore cannot forget a rule. The questions, in this order: is memory on? what does the user's mode say for this
//! author? does it hold a secret, in its raw input, its names, its contents or its reason? is it a kind and a size of
//! file that this author may write?

use crate::config::{SecretsOnWrite, WriteMode};
use crate::operation::AuthorKind;
use crate::plan::{Change, Plan};
use crate::rel_path::RelPath;
use crate::review::StagedPlan;
use crate::secrets::{AllowList, SecretBlocked, guard, redact_findings, scan, scan_except};

/// What passed the gate. Its content can be read, but only the gate makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted<T>(T);

impl<T> Admitted<T> {
    /// What was admitted.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// What was admitted, taken out.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl Admitted<Plan> {
    /// A plan that repeats content the user already had or decided on: an undo, a purge, a move, the end of a sync, which
    /// checks its entries itself. No rule about secrets may change it.
    #[must_use]
    pub fn verbatim(plan: Plan) -> Self {
        Self(plan)
    }

    /// The same plan as one that waits for the user.
    #[must_use]
    pub fn staged(self, make: impl FnOnce(Plan) -> StagedPlan) -> Admitted<StagedPlan> {
        Admitted(make(self.0))
    }
}

impl Admitted<StagedPlan> {
    /// A plan that waits, after the user changed it.
    #[must_use]
    pub fn edited_by_user(plan: StagedPlan) -> Self {
        Self(plan)
    }
}

/// The rules of one write: who wants it, and what the user's settings say about that.
#[derive(Debug, Clone, Copy)]
pub struct WriteGate<'g> {
    /// Who wants it.
    pub author: AuthorKind,
    /// Whether memory is on. A person's own commands work where it is off.
    pub is_on: bool,
    /// The user's mode for this author and this store.
    pub mode: WriteMode,
    /// What happens to a secret.
    pub secrets: SecretsOnWrite,
    /// Values that the user declared harmless.
    pub allowed: Option<&'g AllowList>,
}

/// What becomes of a plan that passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It may be applied.
    Apply(Admitted<Plan>),
    /// It waits for the user.
    Review(Admitted<Plan>),
}

/// Why the gate let nothing through.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GateRefused {
    /// The client or the user switched memory off.
    #[error("memory is off for this project: agents may not change it")]
    MemoryOff,
    /// The user's mode for agents.
    #[error("the user's settings say `writes = \"off\"`: agents may not change memory")]
    WritesOff,
    /// It holds a secret.
    #[error(transparent)]
    Secret(#[from] SecretBlocked),
    /// An agent may write Markdown and nothing else.
    #[error("`{path}` is not a Markdown file: an agent may only write files that end in `.md`")]
    NotMarkdown {
        /// The file.
        path: RelPath,
    },
    /// It could not be read again.
    #[error("`{path}` would be larger than {MAX_BYTES} bytes")]
    TooLarge {
        /// The file.
        path: RelPath,
    },
}

/// The largest file that memdir reads as a memory, so the largest that it writes.
const MAX_BYTES: usize = 16 << 20;

/// A warning needs a reader. An agent goes on without reading it, so a secret stops the agent instead.
#[must_use]
pub fn secrets_policy(on_write: SecretsOnWrite, author: AuthorKind) -> SecretsOnWrite {
    match on_write {
        SecretsOnWrite::Warn if author == AuthorKind::Agent => SecretsOnWrite::Block,
        policy => policy,
    }
}

impl WriteGate<'_> {
    /// Whether this author may write here at all, whatever it is.
    ///
    /// # Errors
    /// Memory is off, or the user's mode is.
    pub fn may_write(&self) -> Result<(), GateRefused> {
        if matches!(self.author, AuthorKind::Person | AuthorKind::Foreign) {
            return Ok(());
        }
        match self.mode {
            _ if !self.is_on => Err(GateRefused::MemoryOff),
            WriteMode::Off => Err(GateRefused::WritesOff),
            WriteMode::Auto | WriteMode::Review => Ok(()),
        }
    }

    /// Asks every question about a plan.
    ///
    /// # Errors
    /// The rule that forbids it.
    pub fn admit(&self, plan: Plan) -> Result<Admission, GateRefused> {
        self.may_write()?;
        let admitted = self.accepted(plan)?;
        Ok(match self.mode {
            WriteMode::Review if !matches!(self.author, AuthorKind::Person | AuthorKind::Foreign) => {
                Admission::Review(admitted)
            }
            _ => Admission::Apply(admitted),
        })
    }

    /// Asks about contents only: the user has answered whether this may be written.
    ///
    /// # Errors
    /// A secret, a file of another kind, or one that is too large.
    pub fn accepted(&self, plan: Plan) -> Result<Admitted<Plan>, GateRefused> {
        let raw = self.raw_secrets(&plan)?;
        let mut plan = guard(plan, self.secrets, self.allowed)?;
        plan.reason = self.screen(&plan.reason, "the reason")?.text;
        self.no_residue(&plan, &raw)?;
        self.kinds(&plan)?;
        plan.raw.clear();
        Ok(Admitted(plan))
    }

    /// A text as it may be written, before anything is derived from it: names, index lines and reasons made from it hold
    /// no more than it does.
    ///
    /// # Errors
    /// It holds a secret, and secrets block.
    pub fn screen(&self, text: &str, place: &str) -> Result<Screened, SecretBlocked> {
        let findings = match self.allowed {
            Some(allowed) => scan_except(text, allowed),
            None => scan(text),
        };
        let Some(first) = findings.first() else { return Ok(Screened::unchanged(text)) };
        match self.secrets {
            SecretsOnWrite::Block => Err(SecretBlocked { place: place.to_owned(), rule: first.rule }),
            SecretsOnWrite::Warn => Ok(Screened::unchanged(text)),
            SecretsOnWrite::Redact => Ok(Screened {
                text: redact_findings(text, &findings),
                warnings: findings
                    .iter()
                    .map(|finding| format!("{place}: a secret ({}) was left out", finding.rule))
                    .collect(),
            }),
        }
    }

    /// The same for a text that is appended or derived, as bytes for the disk.
    ///
    /// # Errors
    /// As [`WriteGate::screen`].
    pub fn admit_text(&self, text: &str, place: &str) -> Result<Admitted<String>, SecretBlocked> {
        Ok(Admitted(self.screen(text, place)?.text))
    }

    /// The secrets in what the asker said, before any rule of a format changed it.
    fn raw_secrets(&self, plan: &Plan) -> Result<Vec<String>, SecretBlocked> {
        let mut values = Vec::new();
        for said in &plan.raw {
            let findings = match self.allowed {
                Some(allowed) => scan_except(said, allowed),
                None => scan(said),
            };
            for finding in findings {
                if self.secrets == SecretsOnWrite::Block {
                    return Err(SecretBlocked { place: "the input".to_owned(), rule: finding.rule });
                }
                values.extend(said.get(finding.range).map(str::to_owned));
            }
        }
        Ok(values)
    }

    /// A format may change a secret until no rule knows it: `-----BEGIN` becomes `—BEGIN` in a description.
    fn no_residue(&self, plan: &Plan, raw: &[String]) -> Result<(), SecretBlocked> {
        if self.secrets != SecretsOnWrite::Redact {
            return Ok(());
        }
        let long = |value: &str| {
            let is_part = |part: &&str| part.len() >= RESIDUE;
            let is_end =
                |character: char| !(character.is_ascii_alphanumeric() || "+/=_-".contains(character));
            value.split(is_end).filter(is_part).map(str::to_owned).collect::<Vec<_>>()
        };
        for part in raw.iter().flat_map(|value| long(value)) {
            for change in &plan.changes {
                let Change::Write { path, content, .. } = change else { continue };
                if memchr::memmem::find(&content.0, part.as_bytes()).is_some() {
                    return Err(SecretBlocked { place: format!("`{path}`"), rule: "secret in the input" });
                }
            }
        }
        Ok(())
    }

    fn kinds(&self, plan: &Plan) -> Result<(), GateRefused> {
        let is_persons = matches!(self.author, AuthorKind::Person | AuthorKind::Foreign);
        for change in &plan.changes {
            let path = match change {
                Change::Write { path, content, .. } => {
                    if content.0.len() > MAX_BYTES {
                        return Err(GateRefused::TooLarge { path: path.clone() });
                    }
                    path
                }
                Change::Rename { to, .. } => to,
                Change::Delete { .. } => continue,
            };
            if !is_persons && !path.is_markdown() {
                return Err(GateRefused::NotMarkdown { path: path.clone() });
            }
        }
        Ok(())
    }
}

/// A run of a secret that is as long as this is a secret still.
const RESIDUE: usize = 16;

/// A text after the rule for secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screened {
    /// The text without what may not be written.
    pub text: String,
    /// What the user should be told.
    pub warnings: Vec<String>,
}

impl Screened {
    fn unchanged(text: &str) -> Self {
        Self { text: text.to_owned(), warnings: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Content;

    const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    const AUTHORS: [AuthorKind; 6] = [
        AuthorKind::Person,
        AuthorKind::Agent,
        AuthorKind::Extract,
        AuthorKind::Dream,
        AuthorKind::Team,
        AuthorKind::Foreign,
    ];

    fn gate(author: AuthorKind, mode: WriteMode, secrets: SecretsOnWrite) -> WriteGate<'static> {
        WriteGate { author, is_on: true, mode, secrets, allowed: None }
    }

    fn plan(path: &str, content: &str) -> Plan {
        let mut plan = Plan::new("test");
        let path = RelPath::parse(path).unwrap();
        plan.changes.push(Change::Write { path, content: Content::from(content), base: None });
        plan
    }

    fn is_person(author: AuthorKind) -> bool {
        matches!(author, AuthorKind::Person | AuthorKind::Foreign)
    }

    #[test]
    fn every_author_meets_the_mode_and_the_switch() {
        for author in AUTHORS {
            for mode in [WriteMode::Auto, WriteMode::Review, WriteMode::Off] {
                let admitted = gate(author, mode, SecretsOnWrite::Warn).admit(plan("a.md", "x"));
                let expected = match mode {
                    _ if is_person(author) => "apply",
                    WriteMode::Auto => "apply",
                    WriteMode::Review => "review",
                    WriteMode::Off => "off",
                };
                let found = match admitted {
                    Ok(Admission::Apply(_)) => "apply",
                    Ok(Admission::Review(_)) => "review",
                    Err(GateRefused::WritesOff) => "off",
                    Err(_) => "other",
                };
                assert_eq!(found, expected, "{author:?} {mode:?}");
                let off = WriteGate { is_on: false, ..gate(author, mode, SecretsOnWrite::Warn) };
                assert_eq!(off.admit(plan("a.md", "x")).is_ok(), is_person(author), "{author:?} while off");
            }
        }
    }

    #[test]
    fn no_place_of_a_plan_keeps_a_secret() {
        let in_content = plan("a.md", &format!("use {TOKEN} here\n"));
        let in_reason = Plan { reason: format!("task: rotate {TOKEN}"), ..plan("a.md", "x") };
        let in_name = plan(&format!("{TOKEN}.md"), "x");
        let in_raw =
            Plan { raw: vec![format!("token {TOKEN}")], ..plan("a.md", &format!("— {TOKEN} —")) };
        for author in AUTHORS {
            for plan in [&in_content, &in_reason, &in_name, &in_raw] {
                let blocked = gate(author, WriteMode::Auto, SecretsOnWrite::Block).admit(plan.clone());
                assert!(matches!(blocked, Err(GateRefused::Secret(_))), "{author:?} {plan:?}");
                match gate(author, WriteMode::Auto, SecretsOnWrite::Redact).admit(plan.clone()) {
                    Ok(Admission::Apply(admitted)) => {
                        assert!(!format!("{admitted:?}").contains(TOKEN), "{author:?}");
                        let Change::Write { content, .. } = &admitted.get().changes[0] else { panic!() };
                        assert!(!String::from_utf8_lossy(&content.0).contains(TOKEN));
                    }
                    Err(GateRefused::Secret(blocked)) => assert!(!blocked.to_string().contains(TOKEN)),
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    #[test]
    fn a_format_cannot_hide_a_secret_of_the_input() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx0F2hT7cM9b2kQ1nV5sYw8RrLrTqZp3XyGd4uJfWmNhBvC6e\nq7Zk2VhT9sLw5RnXcYbG8mJpDfKuQaE1oS3iHtUyWvMzPxNgBdClFrOjIeAkThUq\n-----END RSA PRIVATE KEY-----";
        let written = key.replace("-----", "—").replace('\n', " ");
        let plan = Plan { raw: vec![key.to_owned()], ..plan("a.md", &written) };
        for policy in [SecretsOnWrite::Block, SecretsOnWrite::Redact] {
            let refused = gate(AuthorKind::Person, WriteMode::Auto, policy).admit(plan.clone());
            assert!(matches!(refused, Err(GateRefused::Secret(_))), "{policy:?}: {refused:?}");
        }
    }

    #[test]
    fn an_agent_writes_markdown_only() {
        for author in AUTHORS {
            for path in ["x.desktop", "run.sh", "notes.txt", ".bashrc", "a/b"] {
                let Ok(parsed) = RelPath::parse(path) else { continue };
                let mut renamed = Plan::new("test");
                let from = RelPath::parse("a.md").unwrap();
                renamed.changes.push(Change::Rename { from, to: parsed, base: "x".into() });
                for plan in [plan(path, "x"), renamed] {
                    let admitted = gate(author, WriteMode::Auto, SecretsOnWrite::Warn).admit(plan);
                    assert_eq!(admitted.is_ok(), is_person(author), "{author:?} {path}");
                }
            }
        }
    }
}
