//! What is known about a memory in the light of a prompt, as numbers, and the probability that follows from them.

use super::coefficients::{COEFFICIENTS, INTERCEPT};

/// How many numbers there are.
pub(crate) const COUNT: usize = 15;

/// What each number is. `coefficients.rs` has one coefficient for each, in this order.
pub const FEATURE_NAMES: [&str; COUNT] = [
    "words",
    "title",
    "cues",
    "coverage",
    "second_word",
    "margin",
    "best_cue",
    "length",
    "has_cues",
    "cosine",
    "names_file",
    "pinned",
    "superseded",
    "other_branch",
    "age",
];

/// The numbers of one memory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Features {
    /// The weight of the prompt's words that the memory shares, wherever they stand in it.
    pub words: f32,
    /// The same, in name, description and heading.
    pub title: f32,
    /// The same, in the cues.
    pub cues: f32,
    /// The share of the prompt's weight that the memory holds.
    pub coverage: f32,
    /// The weight of the second rarest word that they share: one word alone is often chance.
    pub second_word: f32,
    /// How far it is ahead of the best other memory, or behind the best one.
    pub margin: f32,
    /// How much of a single cue the prompt says.
    pub best_cue: f32,
    /// How much the prompt says at all.
    pub length: f32,
    /// Whether it has cues.
    pub has_cues: f32,
    /// The similarity of meaning, where a model is installed.
    pub cosine: f32,
    /// Whether it mentions a file that the prompt names.
    pub names_file: f32,
    /// Whether the user has pinned it.
    pub pinned: f32,
    /// Whether a newer memory replaces it.
    pub superseded: f32,
    /// Whether it belongs to another branch than the one in use.
    pub other_branch: f32,
    /// Its age in years.
    pub age: f32,
}

impl Features {
    /// The numbers in the order of [`FEATURE_NAMES`].
    #[must_use]
    pub fn values(&self) -> [f32; COUNT] {
        [
            self.words,
            self.title,
            self.cues,
            self.coverage,
            self.second_word,
            self.margin,
            self.best_cue,
            self.length,
            self.has_cues,
            self.cosine,
            self.names_file,
            self.pinned,
            self.superseded,
            self.other_branch,
            self.age,
        ]
    }

    /// How likely it is that the agent needs the memory.
    #[must_use]
    pub fn probability(&self) -> f32 {
        let sum: f32 = self.values().iter().zip(COEFFICIENTS).map(|(value, weight)| value * weight).sum();
        1.0 / (1.0 + (-(sum + INTERCEPT)).exp())
    }
}
