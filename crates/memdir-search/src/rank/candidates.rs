use super::Scored;

/// Hands out candidates from the best to the worst, sorting no more of them than are asked for.
pub(crate) fn best_first(mut candidates: Vec<Scored>) -> impl Iterator<Item = Scored> {
    let mut sorted = 0;
    let mut next = 0;
    std::iter::from_fn(move || {
        if next == sorted && sorted < candidates.len() {
            let rest = candidates.get_mut(sorted..).unwrap_or_default();
            let share = (sorted + 32).min(rest.len());
            if share < rest.len() {
                rest.select_nth_unstable_by(share, order);
            }
            rest.get_mut(..share).unwrap_or_default().sort_unstable_by(order);
            sorted += share;
        }
        let candidate = candidates.get(next).copied();
        next += 1;
        candidate
    })
}

/// Higher scores first; what is equal stays in the order of the index.
fn order(one: &Scored, other: &Scored) -> std::cmp::Ordering {
    other.score.total_cmp(&one.score).then((one.segment, one.unit).cmp(&(other.segment, other.unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_come_in_order() {
        let scores = (0..1_000).map(|number| (number * 7_919 % 1_000) as f32);
        let candidates: Vec<Scored> =
            scores.enumerate().map(|(unit, score)| Scored { score, segment: 0, unit: unit as u32 }).collect();
        let ordered: Vec<f32> = best_first(candidates).map(|candidate| candidate.score).collect();
        assert_eq!(ordered, (0..1_000).rev().map(|number| number as f32).collect::<Vec<_>>());
    }
}
