//! One conversation: what was read, and when it is read again.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Component, ComponentId, Place, Profile, Refresh, is_in_simple_mode, registry};

/// The prompt of one conversation. It is told about turns, compactions and clears, and asks a source for text.
#[derive(Debug, Clone)]
pub struct PromptSession {
    profile: Profile,
    is_simple: bool,
    kept: BTreeMap<ComponentId, Option<String>>,
}

impl PromptSession {
    /// A conversation that has not begun.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self { profile, is_simple: false, kept: BTreeMap::new() }
    }

    /// The same in simple mode: no memory, no instructions, only what the agent runs on.
    #[must_use]
    pub fn simple(profile: Profile) -> Self {
        Self { is_simple: true, ..Self::new(profile) }
    }

    /// What the model is told at the next turn.
    ///
    /// The source is asked for a component only when its text may have changed by the rule of its line in the
    /// [`registry`]; `None` and blank text leave the component out.
    pub fn turn(&mut self, mut source: impl FnMut(ComponentId) -> Option<String>) -> Turn {
        let mut parts = Vec::new();
        for component in registry(self.profile) {
            // In the older profile the index is inside its section, and once is enough.
            let is_elsewhere = self.profile == Profile::Seed && component.id == ComponentId::Index;
            if is_elsewhere || (self.is_simple && !is_in_simple_mode(component.id)) {
                continue;
            }
            let text = if component.refresh.is_volatile() {
                source(component.id)
            } else {
                self.kept.entry(component.id).or_insert_with(|| source(component.id)).clone()
            };
            if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                parts.push(Part { component, size: Size::of(&text), text });
            }
        }
        Turn { parts }
    }

    /// The conversation was compacted: what refreshes then is asked for again at the next turn.
    pub fn compacted(&mut self) {
        let refreshes: Vec<ComponentId> = registry(self.profile)
            .iter()
            .filter(|component| component.refresh != Refresh::AfterClear)
            .map(|component| component.id)
            .collect();
        self.kept.retain(|id, _| !refreshes.contains(id));
    }

    /// The conversation was cleared: everything is asked for again at the next turn.
    pub fn cleared(&mut self) {
        self.kept.clear();
    }
}

/// What the model is told at one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// The parts that have a text, in order.
    pub parts: Vec<Part>,
}

impl Turn {
    /// The text for one place, its parts one after the other.
    #[must_use]
    pub fn text(&self, place: Place) -> String {
        let parts = self.parts.iter().filter(|part| part.component.place == place);
        parts.map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n\n")
    }

    /// The size of all parts together.
    #[must_use]
    pub fn size(&self) -> Size {
        Size::of_characters(self.parts.iter().map(|part| part.size.characters).sum())
    }
}

/// One component with its text at one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Which component.
    #[serde(flatten)]
    pub component: Component,
    /// How long the text is.
    #[serde(flatten)]
    pub size: Size,
    /// The text.
    pub text: String,
}

/// How long a text is, for a person and for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Unicode characters.
    pub characters: usize,
    /// An estimate: a quarter of the characters.
    pub tokens: usize,
}

impl Size {
    /// Measures a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::of_characters(text.chars().count())
    }

    fn of_characters(characters: usize) -> Self {
        Self { characters, tokens: characters / 4 }
    }
}
