use super::{Place, snippet::Snippets};
use crate::collection::Kind;
use crate::succession::{DatedText, FILES_APART, order};

/// Only so many of the best are compared with each other: their files are read.
const MAX_COMPARED: usize = 12;
/// What a replaced memory keeps of its score, also if its successor was not found.
const SUPERSEDED: f32 = 0.5;

/// Puts a memory or a turn before what it replaces. The scores stay in order.
pub(super) fn put_successors_first(places: &mut Vec<Place>, snippets: &mut Snippets<'_>) {
    for place in places.iter_mut().filter(|place| !place.hit.superseded_by.is_empty()) {
        place.hit.score *= SUPERSEDED;
    }
    places.sort_by(|one, other| other.hit.score.total_cmp(&one.hit.score));
    let compared = places.len().min(MAX_COMPARED);
    let texts: Vec<DatedText> = places.iter().take(compared).map(|place| dated(place, snippets)).collect();
    let scores: Vec<f32> = places.iter().map(|place| place.hit.score).collect();
    let mut ranks: Vec<usize> = (0..places.len()).collect();
    for (rank, place) in order(&texts).into_iter().enumerate() {
        if let Some(slot) = ranks.get_mut(place) {
            *slot = rank;
        }
    }
    let mut ranked: Vec<(usize, Place)> = ranks.into_iter().zip(std::mem::take(places)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    places.extend(ranked.into_iter().zip(scores).map(|((_, mut place), score)| {
        place.hit.score = score;
        place
    }));
}

fn dated(place: &Place, snippets: &mut Snippets<'_>) -> DatedText {
    let is_file = place.kind == Kind::Markdown;
    let stem = place.hit.path.file_stem().unwrap_or_default();
    let mut dated = DatedText {
        names: if is_file { vec![stem.to_owned(), place.hit.title.clone()] } else { Vec::new() },
        superseded_by: place.hit.superseded_by.clone(),
        time: place.hit.time.filter(|_| place.is_replaceable).map(jiff::Timestamp::as_second),
        apart: if is_file { FILES_APART } else { 0 },
        score: place.hit.score,
        is_memory: is_file && !place.hit.kind.is_empty(),
        ..DatedText::default()
    };
    if place.is_replaceable {
        snippets.read_into(&mut dated, place);
    }
    dated
}
