use super::Scored;

/// Hands out candidates from the best to the worst, sorting no more of them than are asked for.
///
/// What is equal stays in its order.
pub(crate) fn best_first(candidates: Vec<Scored>) -> impl Iterator<Item = Scored> {
    let mut keys: Vec<u64> =
        (0..).zip(&candidates).map(|(place, candidate)| key(candidate.score, place)).collect();
    let mut sorted = 0;
    let mut next = 0;
    std::iter::from_fn(move || {
        if next == sorted && sorted < keys.len() {
            let rest = keys.get_mut(sorted..).unwrap_or_default();
            sorted += bring_forward(rest, sorted + 32);
        }
        let place = *keys.get(next)? as u32;
        next += 1;
        candidates.get(place as usize).copied()
    })
}

/// Puts the smallest keys first, in order, and returns how many: as many as are wanted, if there are so many.
///
/// Of many keys nearly all are looked at once and left where they are.
fn bring_forward(keys: &mut [u64], wanted: usize) -> usize {
    let (mut kept, mut bound) = (0, u64::MAX);
    for at in 0..keys.len() {
        if keys.get(at).is_some_and(|key| *key < bound) {
            keys.swap(kept, at);
            kept += 1;
            if kept == wanted * 2
                && let Some(smallest) = keys.get_mut(..kept)
            {
                (kept, bound) = (wanted, *smallest.select_nth_unstable(wanted - 1).1);
            }
        }
    }
    keys.get_mut(..kept).unwrap_or_default().sort_unstable();
    kept.min(wanted)
}

/// A number that is the smaller the higher the score, and then the earlier the place: one comparison instead of three.
fn key(score: f32, place: u32) -> u64 {
    let bits = score.to_bits();
    let ascending = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(!ascending) << 32 | u64::from(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_come_in_order() {
        let scores = (0..1_000).map(|number| (number * 7_919 % 1_000 - 500) as f32);
        let candidates: Vec<Scored> =
            scores.enumerate().map(|(unit, score)| Scored { score, segment: 0, unit: unit as u32 }).collect();
        let ordered: Vec<f32> = best_first(candidates).map(|candidate| candidate.score).collect();
        assert_eq!(ordered, (-500..500).rev().map(|number| number as f32).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_equal_stays_in_its_order() {
        let candidates = (0..100).map(|unit| Scored { score: (unit % 2) as f32, segment: 0, unit }).collect();
        let units: Vec<u32> = best_first(candidates).map(|candidate| candidate.unit).collect();
        assert_eq!(units, (1..100).step_by(2).chain((0..100).step_by(2)).collect::<Vec<_>>());
    }
}
