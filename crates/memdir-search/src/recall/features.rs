//! What is known about a memory in the light of a prompt, as numbers, and the probability that follows from them.

use super::coefficients::{INTERCEPT, WITH_MODEL, WITH_MODEL_INTERCEPT, WORDS};

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What each number is. `coefficients.rs` has one coefficient for each, in this order.
        pub const FEATURE_NAMES: [&str; COUNT] = [$(stringify!($name),)*];

        /// How many numbers there are.
        pub(crate) const COUNT: usize = [$(stringify!($name),)*].len();

        /// The numbers of one memory.
        #[derive(Debug, Clone, Copy, Default, PartialEq)]
        pub struct Features {
            $($(#[$doc])* pub $name: f32,)*
            /// Whether a model has read the memory as it is now.
            pub is_read: bool,
        }

        impl Features {
            /// The numbers in the order of [`FEATURE_NAMES`].
            #[must_use]
            pub fn values(&self) -> [f32; COUNT] {
                [$(self.$name,)*]
            }
        }
    };
}

features! {
    /// The weight of the prompt's words that the memory shares, wherever they are in it.
    words,
    /// The same, in name, description and heading.
    title,
    /// How much of the description the prompt says.
    description,
    /// How much of a single sentence of the text the prompt says: a long text shares words by chance.
    sentence,
    /// The weight of the prompt's words that are in the cues.
    cues,
    /// How much of a single cue the prompt says.
    best_cue,
    /// The share of the prompt's weight that the memory holds.
    coverage,
    /// The weight of the rarest word that they share.
    first_word,
    /// The weight of the second rarest word that they share: one word alone is often chance.
    second_word,
    /// How much the prompt says at all.
    length,
    /// How long the memory is.
    body_length,
    /// Whether it has cues.
    has_cues,
    /// `words`, if it has cues: then sharing words with its text says less. The next seven are like this one.
    cued_words,
    /// `title`, if it has cues.
    cued_title,
    /// `description`, if it has cues.
    cued_description,
    /// `sentence`, if it has cues.
    cued_sentence,
    /// `coverage`, if it has cues.
    cued_coverage,
    /// `first_word`, if it has cues.
    cued_first_word,
    /// `second_word`, if it has cues.
    cued_second_word,
    /// `length`, if it has cues.
    cued_length,
    /// The share of the prompt's weight that the cues hold.
    cue_coverage,
    /// The most that the prompt says of any part: description, sentence or cue.
    best_part,
    /// By how much it shares more words than any other memory does.
    ahead_words,
    /// The same, of the words in cues.
    ahead_cues,
    /// The same, of a single cue.
    ahead_best_cue,
    /// How many words the prompt has, the common ones too.
    prompt_words,
    /// Whether the prompt asks for an explanation.
    explain,
    /// Whether the prompt asks for something that needs no knowledge: rename, sort, translate.
    mechanical,
    /// Whether the prompt asks what is there: show, list, who changed it.
    look,
    /// Whether the prompt thanks or agrees.
    social,
    /// Whether the prompt holds a word that asks: what, how, why.
    question_word,
    /// Whether the prompt gives a task: add, write, replace.
    task,
    /// Whether the prompt holds a question mark.
    question_mark,
    /// Whether the memory says where something is.
    reference,
    /// Whether the memory says how to work.
    feedback,
    /// Whether the memory is about a person.
    about_user,
    /// Whether the memory says where something is and the prompt asks.
    reference_asked,
    /// The similarity of meaning to the description, if a model is installed.
    cosine_description,
    /// The same, to the nearest sentence of the text.
    cosine_sentence,
    /// The same, to the nearest cue.
    cosine_cue,
    /// The same, to the whole text.
    cosine_text,
    /// By how much the nearest part of the memory is nearer than anything of the other memories.
    cosine_margin,
    /// What the model takes the prompt for: the more, the more it is like those that need a memory.
    request,
    /// Whether it mentions a file that the prompt names.
    names_file,
    /// Whether it mentions a file that changed last, or is about what the branch is called after.
    recent,
    /// Whether the user has pinned it.
    pinned,
    /// Whether a newer memory replaces it.
    superseded,
    /// Whether it belongs to another branch than the one in use.
    other_branch,
    /// Its age in years.
    age,
}

impl Features {
    /// The numbers that are not 0, with their names.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, f32)> {
        FEATURE_NAMES.into_iter().zip(self.values()).filter(|(_, value)| *value != 0.0)
    }

    /// How similar the prompt is to the nearest part of the memory.
    fn nearest(&self) -> f32 {
        let Self { cosine_description, cosine_sentence, cosine_cue, cosine_text, .. } = *self;
        cosine_description.max(cosine_sentence).max(cosine_cue).max(cosine_text)
    }

    /// What speaks for the memory, all in all.
    fn score(&self) -> f32 {
        let (weights, intercept) =
            if self.is_read { (&WITH_MODEL, WITH_MODEL_INTERCEPT) } else { (&WORDS, INTERCEPT) };
        let sum: f32 = self.values().iter().zip(weights).map(|(value, weight)| value * weight).sum();
        sum + intercept
    }
}

/// No memory is further behind the nearest one than this.
const LEAST_MARGIN: f32 = -0.3;
/// The margin of a memory that has none to compare with.
const ALONE: f32 = 0.2;
/// Of a prompt that shares next to nothing with the store, every cue would hold a large share.
const LEAST_LENGTH: f32 = 0.3;

/// Adds the numbers that follow from the others and from those of the other memories.
pub(super) fn complete(found: &mut [&mut Features]) {
    for features in found.iter_mut() {
        let cued = features.has_cues;
        features.cued_words = cued * features.words;
        features.cued_title = cued * features.title;
        features.cued_description = cued * features.description;
        features.cued_sentence = cued * features.sentence;
        features.cued_coverage = cued * features.coverage;
        features.cued_first_word = cued * features.first_word;
        features.cued_second_word = cued * features.second_word;
        features.cued_length = cued * features.length;
        features.cue_coverage = features.cues / features.length.exp_m1().max(LEAST_LENGTH);
        features.best_part = features.sentence.max(features.description).max(features.best_cue);
    }
    let all = |of: fn(&Features) -> f32| ahead(found.iter().map(|features| of(features)).collect());
    let (words, cues, best_cue) = (all(|one| one.words), all(|one| one.cues), all(|one| one.best_cue));
    for (number, features) in found.iter_mut().enumerate() {
        let of = |numbers: &[f32]| numbers.get(number).copied().unwrap_or(0.0);
        (features.ahead_words, features.ahead_cues, features.ahead_best_cue) =
            (of(&words), of(&cues), of(&best_cue));
    }
    let mut read: Vec<&mut &mut Features> = found.iter_mut().filter(|features| features.is_read).collect();
    let nearest = read.iter().map(|features| features.nearest()).collect::<Vec<_>>();
    let is_alone = nearest.len() == 1;
    for (features, margin) in read.iter_mut().zip(ahead(nearest)) {
        features.cosine_margin = if is_alone { ALONE } else { margin.max(LEAST_MARGIN) };
    }
}

/// Each number less the largest of the others.
fn ahead(numbers: Vec<f32>) -> Vec<f32> {
    let mut sorted = numbers.clone();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let (first, second) = (sorted.first().copied().unwrap_or(0.0), sorted.get(1).copied().unwrap_or(0.0));
    let other = |number: f32| if number < first { first } else { second };
    numbers.into_iter().map(|number| number - other(number)).collect()
}

/// How likely it is of each memory that it is the one which the agent needs. They compete with each other and with
/// the answer that none is needed: where many share the same words, none of them is likely.
pub(super) fn probabilities(candidates: &[Features]) -> Vec<f32> {
    let scores: Vec<f32> = candidates.iter().map(Features::score).collect();
    // The score of none is 0. The largest is subtracted from all so that no power overflows.
    let largest = scores.iter().copied().fold(0.0, f32::max);
    let none = (-largest).exp();
    let powers: Vec<f32> = scores.iter().map(|score| (score - largest).exp()).collect();
    let all = none + powers.iter().sum::<f32>();
    powers.iter().map(|power| power / all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_compared_with_each_other() {
        let shares = |words: f32, has_cues: f32| Features { words, has_cues, ..Features::default() };
        let mut found = [shares(2.0, 1.0), shares(0.5, 0.0), shares(0.5, 0.0)];
        complete(&mut found.iter_mut().collect::<Vec<_>>());
        assert_eq!(found.map(|one| one.ahead_words), [1.5, -1.5, -1.5]);
        assert_eq!(found.map(|one| one.cued_words), [2.0, 0.0, 0.0]);

        let mut alike = [shares(1.0, 0.0), shares(1.0, 0.0)];
        complete(&mut alike.iter_mut().collect::<Vec<_>>());
        assert_eq!(alike.map(|one| one.ahead_words), [0.0, 0.0]);
    }
}
