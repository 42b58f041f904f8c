//! Memories that one side deleted and the other gave another name: they are back, and that is said.

use std::collections::{BTreeMap, BTreeSet};

use super::Planner;
use super::facts::Planned;
use crate::engine::Conflict;
use crate::options::ConflictPolicy;

/// A memory that was deleted under one name and is there under another.
struct Back {
    from: String,
    to: String,
    by: String,
    /// Whether it was deleted here, and nobody knows yet.
    is_news: bool,
}

impl Planner<'_> {
    /// Decides about them as about what was deleted and changed, and tells the user.
    pub(super) fn tell_of_deleted_and_renamed(
        &mut self,
        new_names: &BTreeMap<String, String>,
        settled: &mut BTreeSet<String>,
    ) -> Planned<()> {
        for (from, to) in new_names.iter().filter(|(_, to)| self.sides.inbox.entry(to).is_none()) {
            let deleted = self.sides.inbox.entry(from).filter(|(entry, _)| entry.text.is_none());
            let Some((entry, _)) = deleted.filter(|_| !settled.contains(to)) else { continue };
            let by = self.name_of(&entry.author);
            match self.sides.options.conflict {
                ConflictPolicy::Fail => self.unresolved.push(Conflict { path: to.clone(), by }),
                ConflictPolicy::Theirs => {
                    self.write(to, None, &by, self.sides.now);
                    self.vacated.insert(to.clone());
                }
                ConflictPolicy::Ours | ConflictPolicy::Merge => {
                    let text = self.text_of(to, self.mine(to))?;
                    self.send(to, text, Some(from.clone()))?;
                    if self.plan.outgoing.contains_key(to)
                        && self.sides.options.conflict == ConflictPolicy::Merge
                    {
                        self.report.notices.push(format!(
                            "`{from}` was deleted by {by} and renamed to `{to}` here: it stays"
                        ));
                    }
                }
            }
            settled.insert(to.clone());
        }
        for Back { from, to, by, is_news } in self.back_under_another_name(new_names, settled) {
            match self.sides.options.conflict {
                ConflictPolicy::Fail if is_news => {
                    self.unresolved.push(Conflict { path: to.clone(), by });
                    settled.insert(to);
                }
                ConflictPolicy::Ours if is_news => {
                    self.put_out(&to, None, None);
                    settled.insert(to);
                }
                // What waits is shown when it is asked about.
                _ if self.rules.reviews() => {}
                ConflictPolicy::Theirs if is_news => {}
                _ if self.took_back(&from)? => self.report.notices.push(format!(
                    "you took `{from}` back, and {by} renamed it to `{to}`: it is the team's again, and yours is \
                     beside it, not in `team/`"
                )),
                _ => self.report.notices.push(format!(
                    "`{from}` was deleted, and {by} renamed it to `{to}`: it is back"
                )),
            }
        }
        Ok(())
    }

    /// What comes under a name that nobody here knows, and was deleted here under the one that it had before.
    fn back_under_another_name(
        &self,
        new_names: &BTreeMap<String, String>,
        settled: &BTreeSet<String>,
    ) -> Vec<Back> {
        let is_new = |to: &String| {
            !settled.contains(to) && !self.sides.state.agreed.contains_key(to) && self.mine(to).is_none()
        };
        let mut back = Vec::new();
        for (to, entry) in self.sides.inbox.entries().filter(|(to, entry)| entry.text.is_some() && is_new(to))
        {
            let Some(from) = entry.renamed_from.as_ref() else { continue };
            let Some(agreed) = self.sides.state.agreed.get(from) else { continue };
            let is_here = self.mine(from).is_some() || new_names.contains_key(from);
            let is_there = match self.sides.inbox.entry(from) {
                Some((old, _)) => old.text.is_some(),
                None => agreed.content.is_some(),
            };
            if !is_here && !is_there && !self.sides.scan.leaves_alone(from) && self.rules.wants(from) {
                let by = self.name_of(&entry.author);
                let is_news = agreed.content.is_some();
                back.push(Back { from: from.clone(), to: to.clone(), by, is_news });
            }
        }
        back
    }
}
