use std::time::{Duration, Instant};

use camino::Utf8PathBuf;

use super::Place;
use super::snippet::text_of;
use crate::collection::Kind;
use crate::meaning::Encoder;

/// The model that the user has installed, which reads the best candidates of a search once more.
#[derive(Debug, Clone)]
pub struct SecondOpinion {
    /// Its file.
    pub model: Utf8PathBuf,
    /// How long it may read; candidates that it has not read by then stay where they are. `None`: as long as it takes.
    pub patience: Option<Duration>,
}

/// So many of the best are read.
pub(super) const MOST_READ: usize = 50;
/// How much of each is read, in bytes.
const READ_BYTES: usize = 1_000;
/// A message of a session that is shorter says too little by itself: on short turns of a conversation the model lowered
/// the quality.
const SHORTEST_MESSAGE: usize = 400;
/// How much its opinion counts beside the words, whose best candidate has the score 1. On CoSQA, everything from 1.5 to 4
/// gave nearly the same.
const WEIGHT: f32 = 2.0;
/// So many texts are read at once.
const BATCH: usize = 8;

impl SecondOpinion {
    /// Puts what means the same as the question before what only shares its words. The scores of the places stay in order.
    /// If the model cannot be read, nothing changes.
    pub(super) fn reorder(&self, places: &mut [Place], question: &str) {
        let until = self.patience.map(|patience| Instant::now() + patience);
        let Some(opinions) = self.opinions(places, question, until) else { return };
        let mut slots: Vec<usize> = opinions.iter().map(|(place, _)| *place).collect();
        slots.sort_unstable();
        let scores: Vec<f32> =
            slots.iter().filter_map(|slot| places.get(*slot)).map(|place| place.hit.score).collect();
        let mut ranked = opinions;
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
        // Each of those that were read takes the slot and the score of its new rank.
        let mut order: Vec<usize> = (0..places.len()).collect();
        for (slot, (place, _)) in slots.iter().zip(&ranked) {
            if let Some(taken) = order.get_mut(*slot) {
                *taken = *place;
            }
        }
        permute(places, &order);
        for (slot, score) in slots.into_iter().zip(scores) {
            if let Some(place) = places.get_mut(slot) {
                place.hit.score = score;
            }
        }
    }

    /// The places that were read, each with its score in words and meaning.
    fn opinions(
        &self,
        places: &[Place],
        question: &str,
        until: Option<Instant>,
    ) -> Option<Vec<(usize, f32)>> {
        let best = places.iter().map(|place| place.hit.score).fold(f32::EPSILON, f32::max);
        let encoder = Encoder::open(&self.model).ok()?;
        let asked = encoder.encode(&[question]).ok()?.pop()?;
        let texts = places.iter().enumerate().take(MOST_READ).filter_map(|(number, place)| {
            let text = text_of(place)?;
            let is_long = place.kind == Kind::Markdown || text.len() >= SHORTEST_MESSAGE;
            is_long.then(|| {
                (number, text.get(..text.floor_char_boundary(READ_BYTES)).unwrap_or_default().to_owned())
            })
        });
        let texts: Vec<(usize, String)> = texts.collect();
        let mut opinions = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            let read: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
            let vectors = encoder.encode(&read).ok()?;
            for ((number, _), vector) in batch.iter().zip(vectors) {
                let words = places.get(*number).map_or(0.0, |place| place.hit.score / best);
                opinions.push((*number, words + WEIGHT * asked.similarity(&vector)));
            }
        }
        Some(opinions)
    }
}

/// Puts at each slot the place whose number `order` has there.
fn permute(places: &mut [Place], order: &[usize]) {
    let mut at: Vec<usize> = (0..places.len()).collect();
    for (slot, wanted) in order.iter().enumerate() {
        let Some(found) = at.iter().position(|number| number == wanted) else { continue };
        places.swap(slot, found);
        at.swap(slot, found);
    }
}
