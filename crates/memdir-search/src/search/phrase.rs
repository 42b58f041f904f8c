//! Exact phrases, looked for in the files themselves: the index keeps no positions.

use super::Place;
use crate::analyze;

/// Whether every phrase is in the file, or in the turn, apart from case, accents and white space.
pub(super) fn stands_in(place: &Place, phrases: &[String]) -> bool {
    let Some(text) = super::snippet::whole_text_of(place) else { return false };
    let folded = analyze::fold_text(&text);
    phrases.iter().all(|phrase| folded.contains(&analyze::fold_text(phrase)))
}
