//! What planning may look at beyond the three sides: texts, names and the remote's past, loaded before.
//!
//! Planning is a pure function of its input. It never reads a file and never asks the remote: where a fact is missing it ends
//! and says which ones it needs, the engine loads them, and planning begins again. What almost every plan needs is loaded at
//! once, so planning seldom runs more than twice.

use std::collections::{BTreeMap, BTreeSet};

use memdir_wire::entry::Entry;

use super::Planner;
use crate::classify::Theirs;

/// One fact that a plan needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// The text of a file as it was scanned.
    TextHere(String),
    /// The text that was agreed at a key.
    AgreedText(String),
    /// Whether the user has a memory of that name that is not shared.
    UnsharedNamesake(String),
}

/// Facts that are missing. Not an error: the planner loads them and plans again.
#[derive(Debug, Default)]
pub(crate) struct Missing(pub(crate) BTreeSet<Need>);

/// What a part of planning comes to.
pub(crate) type Planned<T> = Result<T, Missing>;

/// The facts that are loaded.
#[derive(Default)]
pub(crate) struct PlanFacts {
    pub(crate) texts: BTreeMap<String, String>,
    /// `None`: the remote does not have it any more.
    pub(crate) agreed_texts: BTreeMap<String, Option<String>>,
    pub(crate) unshared_namesakes: BTreeMap<String, bool>,
    /// Files that are here as members sent them once, though nothing is remembered of it: they were not changed here.
    pub(crate) old_versions: BTreeSet<String>,
    /// Keys whose entry was there before the remote's history was rewritten.
    pub(crate) replayed: BTreeSet<String>,
    /// Agreed entries of authors whose membership ended since the last sync.
    pub(crate) left_behind: Vec<(String, Entry)>,
}

/// The value of a fact, or that it is missing.
pub(super) fn known<T: Clone>(fact: Option<&T>, need: impl FnOnce() -> Need) -> Planned<T> {
    fact.cloned().ok_or_else(|| Missing(BTreeSet::from([need()])))
}

/// All values, or all that is missing.
pub(super) fn all<T>(planned: impl IntoIterator<Item = Planned<T>>) -> Planned<Vec<T>> {
    let (mut values, mut missing) = (Vec::new(), Missing::default());
    for planned in planned {
        match planned {
            Ok(value) => values.push(value),
            Err(Missing(needs)) => missing.0.extend(needs),
        }
    }
    if missing.0.is_empty() { Ok(values) } else { Err(missing) }
}

impl Planner<'_> {
    /// What almost every plan needs: the text of each file that changed here, and what was agreed at each key that both
    /// sides changed.
    pub(crate) fn first_needs(&self) -> BTreeSet<Need> {
        let agreed = |key: &String| self.sides.state.agreed.get(key).and_then(|agreed| agreed.content);
        let is_open = |key: &String| {
            self.rules.wants(key) && !self.sides.scan.leaves_alone(key) && !self.counts_as_agreed(key)
        };
        let changed = self.sides.scan.files.iter().filter(|(key, content)| agreed(key) != Some(**content));
        let texts = changed.filter(|(key, _)| is_open(key)).map(|(key, _)| Need::TextHere(key.clone()));
        let sent = self.sides.inbox.entries().map(|(key, _)| key).filter(|key| agreed(key).is_some());
        let both = sent.filter(|key| self.mine(key) != agreed(key) && is_open(key));
        texts.chain(both.map(|key| Need::AgreedText(key.clone()))).collect()
    }

    /// Whether the user has a memory of that name that is not shared: they unshared it.
    pub(super) fn took_back(&self, key: &str) -> Planned<bool> {
        known(self.facts.unshared_namesakes.get(key), || Need::UnsharedNamesake(key.to_owned()))
    }

    /// Why a text may not be shared.
    pub(super) fn refusal(&self, key: &str, text: &str) -> Option<String> {
        let agreed = self.sides.state.agreed.get(key);
        self.rules.refuses_to_share(key, text, agreed.is_some_and(|agreed| agreed.content.is_some()))
    }

    /// Entries that no other member signs any more, and that this plan does not touch otherwise.
    pub(super) fn left_behind(&self) -> Vec<(String, Entry)> {
        let is_settled =
            |key: &String| self.plan.outgoing.contains_key(key) || self.plan.agreed.contains_key(key);
        let open = self
            .facts
            .left_behind
            .iter()
            .filter(|(key, _)| self.sides.inbox.theirs(key) == Theirs::Unchanged && !is_settled(key));
        open.cloned().collect()
    }
}
