//! The table of rules, grouped by family.

mod cloud;
mod code;
mod credentials;
mod developer;
mod machine_learning;
mod messaging;
mod monitoring;
mod payments;
mod private_keys;

use super::rule::Rule;

/// Every rule, in the order in which they win where two match the same place.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    [
        private_keys::RULES,
        code::RULES,
        cloud::RULES,
        machine_learning::RULES,
        payments::RULES,
        messaging::RULES,
        monitoring::RULES,
        developer::RULES,
        credentials::RULES,
    ]
    .into_iter()
    .flatten()
}
