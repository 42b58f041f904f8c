//! Says what in a text looks like an attack on its reader.

mod address;
mod concept;
mod disguise;
mod lexicon;
mod rules;
mod structure;
mod words;

use std::collections::BTreeSet;

use super::{Reason, clean};
pub(super) use disguise::latin_for;
use words::Sentence;

/// Why a text is suspicious, without repetition; empty if nothing was found.
///
/// A sign, not a proof: rules over words in a dozen languages find the attacks that people publish, not every attack,
/// and now and then an honest note that sounds like one. So nothing is ever removed because of it.
#[must_use]
pub fn flag(text: &str) -> Vec<Reason> {
    let mut reasons: BTreeSet<Reason> = disguise::reasons_of(text).into_iter().collect();
    let cleaned = clean(text);
    let folded = words::fold(&disguise::with_plain_letters(&cleaned));
    reasons.extend(structure::reasons_of(&folded));
    reasons.extend(orders_in(&folded));
    for hidden in disguise::hidden_texts(text) {
        let folded = words::fold(&hidden);
        if orders_in(&folded).next().is_some() {
            reasons.insert(Reason::EncodedPayload);
        }
    }
    reasons.into_iter().collect()
}

fn orders_in(folded: &str) -> impl Iterator<Item = Reason> {
    words::sentences(folded)
        .into_iter()
        .map(Sentence::without_mentions)
        .flat_map(|sentence| rules::reasons_of(&sentence).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
