//! YAML from a hostile file, within a budget.

use serde::de::DeserializeOwned;

/// The deepest nesting; deeper is refused.
const MAX_DEPTH: usize = 32;
/// The most parser events; a rule's list of ten thousand patterns has one each.
const MAX_EVENTS: usize = 100_000;

/// Parses YAML as the client does: the last of two equal keys wins, and `yes` is text. `None` if it is not YAML, or
/// more of it than anybody writes by hand: no text can cost more than its own length.
pub(crate) fn bounded_yaml<T: DeserializeOwned>(text: &str) -> Option<T> {
    let mut budget = serde_saphyr::Budget::default();
    budget.max_depth = MAX_DEPTH;
    budget.flow_nesting_limit = MAX_DEPTH;
    budget.max_events = MAX_EVENTS;
    budget.max_aliases = 0;
    let options = serde_saphyr::options! {
        budget: Some(budget),
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
        strict_booleans: true,
    };
    serde_saphyr::from_str_with_options(text, options).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::bounded_yaml;

    #[test]
    fn bombs_are_not_yaml() {
        let check = |text: &str, fits: bool| assert_eq!(bounded_yaml::<Value>(text).is_some(), fits);
        check("a: [1, 2]\na: 3", true);
        check(&format!("a:{}", "\n  - x".repeat(10_000)), true);
        check(&format!("a:{}", "\n  - x".repeat(200_000)), false);
        check(&format!("a: {}1{}", "[".repeat(40), "]".repeat(40)), false);
        check("a: &x [1]\nb: [*x, *x]", false);
    }
}
