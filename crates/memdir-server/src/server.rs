//! One server: what all requests share.

use std::sync::Arc;

use jiff::Timestamp;

use crate::gate::Gate;
use crate::limits::Limits;
use crate::log::Log;
use crate::memory_budget::MemoryBudget;
use crate::metrics::Metrics;
use crate::rate::Rates;
use crate::rosters::Rosters;
use crate::store::Store;

/// What all requests share.
pub struct Server {
    /// The memory of all teams.
    pub store: Store,
    /// Who is a member of what.
    pub rosters: Rosters,
    /// What is too much.
    pub limits: Limits,
    /// Who may ask at all.
    pub gate: Gate,
    /// How often a client asked recently, by token.
    pub token_rates: Rates,
    /// How often each token publishes.
    pub publish_rates: Rates,
    /// How often a client asked recently, by address.
    pub address_rates: Rates,
    /// What requests and answers under way take.
    pub room: MemoryBudget,
    /// Counters.
    pub metrics: Metrics,
    /// What happened, for the operator.
    pub log: Log,
    /// What tells the time.
    pub clock: fn() -> Timestamp,
}

impl Server {
    /// A server over a memory.
    #[must_use]
    pub fn new(store: Store, limits: Limits, gate: Gate, log: Log, clock: fn() -> Timestamp) -> Arc<Self> {
        Arc::new(Self {
            store,
            rosters: Rosters::default(),
            token_rates: Rates::new(limits.token_rate),
            publish_rates: Rates::new(limits.publish_rate),
            address_rates: Rates::new(limits.address_rate),
            room: MemoryBudget::new(limits.room_bytes),
            limits,
            gate,
            metrics: Metrics::default(),
            log,
            clock,
        })
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }
}
