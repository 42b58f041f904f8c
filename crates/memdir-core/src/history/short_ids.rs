//! Ids of operations as they are printed: the shortest beginning that means one operation.

use crate::operation::{Operation, OperationId};

/// Shorter beginnings are the same for everything that happens within minutes.
const SHORTEST: usize = 8;

/// The ids among which a beginning must be unique.
#[derive(Debug, Clone)]
pub struct ShortIds(Vec<String>);

impl ShortIds {
    /// Of these operations.
    #[must_use]
    pub fn of<'o>(operations: impl IntoIterator<Item = &'o Operation>) -> Self {
        Self::among(operations.into_iter().map(|operation| operation.id.0.clone()))
    }

    /// Of anything that has such ids.
    #[must_use]
    pub fn among(ids: impl IntoIterator<Item = String>) -> Self {
        let mut ids: Vec<String> = ids.into_iter().collect();
        ids.sort();
        ids.dedup();
        Self(ids)
    }

    /// The beginning that is printed; `memdir undo` and every other command accept it.
    #[must_use]
    pub fn short<'i>(&self, id: &'i OperationId) -> &'i str {
        self.shorten(&id.0)
    }

    /// The same for an id that is not one of an operation.
    #[must_use]
    pub fn shorten<'i>(&self, id: &'i str) -> &'i str {
        let place = self.0.partition_point(|known| known.as_str() < id);
        let is_there = self.0.get(place).is_some_and(|known| known == id);
        let before = place.checked_sub(1).and_then(|place| self.0.get(place));
        let after = self.0.get(place + usize::from(is_there));
        let shared = [before, after].into_iter().flatten().map(|other| common(other, id)).max();
        let length = (shared.unwrap_or(0) + 1).max(SHORTEST);
        id.get(..length).unwrap_or(id)
    }
}

fn common(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_a_unique_beginning() {
        let ids = ["01hf7yat00aaaaaaaa", "01hf7yat00aabbbbbb", "01hf7yazzzcccccccc"];
        let short = ShortIds(ids.map(str::to_owned).to_vec());
        let shown = ids.map(|id| short.short(&OperationId(id.to_owned())).to_owned());
        assert_eq!(shown, ["01hf7yat00aaa", "01hf7yat00aab", "01hf7yaz"]);
        for one in &shown {
            assert_eq!(ids.iter().filter(|id| id.starts_with(one.as_str())).count(), 1);
        }
    }
}
