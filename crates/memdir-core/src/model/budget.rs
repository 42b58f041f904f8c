//! What a model may cost: settled by the user, counted before every call, and hard.

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// An amount of whatever currency the user counts in, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(pub u64);

impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cents = self.0.div_ceil(10_000);
        write!(formatter, "{}.{:02}", cents / 100, cents % 100)
    }
}

/// `[model.budget]`. There is a limit without it, too, so that no user gets a surprising bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// `tokens_per_day`: both ways together. Default 100,000.
    pub tokens_per_day: u64,
    /// `tokens_per_month`: both ways together. Default 1,000,000.
    pub tokens_per_month: u64,
    /// `money_per_day`.
    pub money_per_day: Option<Money>,
    /// `money_per_month`.
    pub money_per_month: Option<Money>,
    /// `price_in`: of a million tokens that are sent.
    pub price_in: Money,
    /// `price_out`: of a million tokens that are answered.
    pub price_out: Money,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            tokens_per_day: 100_000,
            tokens_per_month: 1_000_000,
            money_per_day: None,
            money_per_month: None,
            price_in: Money(0),
            price_out: Money(0),
        }
    }
}

/// Tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// Sent.
    pub input: u64,
    /// Answered.
    pub output: u64,
}

impl Budget {
    /// What a call with so many tokens costs.
    #[must_use]
    pub fn cost(&self, tokens: Tokens) -> Spent {
        let of = |count: u64, price: Money| u128::from(count) * u128::from(price.0);
        let money = (of(tokens.input, self.price_in) + of(tokens.output, self.price_out)).div_ceil(1_000_000);
        Spent {
            tokens: tokens.input.saturating_add(tokens.output),
            money: Money(u64::try_from(money).unwrap_or(u64::MAX)),
            calls: 1,
        }
    }
}

/// What was spent in some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens, both ways.
    pub tokens: u64,
    /// What they cost, in millionths.
    pub money: Money,
    /// How many calls.
    pub calls: u64,
}

impl Spent {
    fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            money: Money(self.money.0.saturating_add(other.money.0)),
            calls: self.calls.saturating_add(other.calls),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            money: Money(self.money.0.saturating_sub(other.money.0)),
            calls: self.calls.saturating_sub(other.calls),
        }
    }
}

/// What was spent, day by day. Each day keeps its own count, so that a clock that jumps and comes back loses nothing.
/// Part of docs/FORMAT.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// The version of this form.
    pub v: u32,
    /// By local date.
    pub days: BTreeMap<Date, Spent>,
}

impl Default for Ledger {
    fn default() -> Self {
        Self { v: Self::VERSION, days: BTreeMap::new() }
    }
}

/// Set aside for a call that is about to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reservation {
    /// The day that it counts to.
    pub day: Date,
    /// As much as the call can cost.
    pub most: Spent,
}

/// Why a call must not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the model's budget is used up: the call may take {wanted}, and {left} of {limit} are left {span}")]
pub struct OverBudget {
    wanted: String,
    left: String,
    limit: String,
    span: &'static str,
}

impl Ledger {
    /// The version that this program writes.
    pub const VERSION: u32 = 1;
    /// No month has more days, and a clock can only have been wrong so often.
    const MOST_DAYS: usize = 120;

    /// What was spent on a day.
    #[must_use]
    pub fn day(&self, day: Date) -> Spent {
        self.days.get(&day).copied().unwrap_or_default()
    }

    /// What was spent in the month of a day.
    #[must_use]
    pub fn month(&self, day: Date) -> Spent {
        let days = self.days.range(day.first_of_month()..=day.last_of_month());
        days.fold(Spent::default(), |sum, (_, spent)| sum.plus(*spent))
    }

    /// Counts a call before it is made, as dear as it can become.
    ///
    /// # Errors
    /// It would be more than the budget allows; nothing was counted.
    pub fn reserve(&mut self, budget: &Budget, most: Spent, today: Date) -> Result<Reservation, OverBudget> {
        let spans = [
            (self.day(today), budget.tokens_per_day, budget.money_per_day, "today"),
            (self.month(today), budget.tokens_per_month, budget.money_per_month, "this month"),
        ];
        for (spent, tokens, money, span) in spans {
            if spent.tokens.saturating_add(most.tokens) > tokens {
                return Err(OverBudget {
                    wanted: format!("{} tokens", most.tokens),
                    left: tokens.saturating_sub(spent.tokens).to_string(),
                    limit: tokens.to_string(),
                    span,
                });
            }
            if let Some(limit) = money
                && spent.money.0.saturating_add(most.money.0) > limit.0
            {
                return Err(OverBudget {
                    wanted: format!("{} in money", most.money),
                    left: Money(limit.0.saturating_sub(spent.money.0)).to_string(),
                    limit: limit.to_string(),
                    span,
                });
            }
        }
        let sum = self.day(today).plus(most);
        self.days.insert(today, sum);
        while self.days.len() > Self::MOST_DAYS {
            // Never the day that was just counted, should the clock have gone back.
            let oldest = self.days.keys().copied().find(|day| *day != today);
            let Some(oldest) = oldest else { break };
            self.days.remove(&oldest);
        }
        Ok(Reservation { day: today, most })
    }

    /// Puts what a call really cost in the place of what was set aside for it.
    pub fn settle(&mut self, reservation: &Reservation, actual: Spent) {
        if let Some(day) = self.days.get_mut(&reservation.day) {
            *day = day.minus(reservation.most).plus(actual);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Date = Date::constant(2026, 11, 16);

    fn tokens(count: u64) -> Spent {
        Budget::default().cost(Tokens { input: count, output: 0 })
    }

    #[test]
    fn a_call_is_counted_before_it_is_made_and_corrected_after() {
        let budget = Budget { tokens_per_day: 1_000, tokens_per_month: 1_500, ..Budget::default() };
        let mut ledger = Ledger::default();
        let first = ledger.reserve(&budget, tokens(900), DAY).unwrap();
        let error = ledger.reserve(&budget, tokens(200), DAY).unwrap_err().to_string();
        assert_eq!(
            error,
            "the model's budget is used up: the call may take 200 tokens, and 100 of 1000 are left today"
        );
        ledger.settle(&first, tokens(100));
        assert_eq!(ledger.day(DAY), tokens(100));
        ledger.reserve(&budget, tokens(900), DAY).unwrap();
        let tomorrow = DAY.tomorrow().unwrap();
        assert!(
            ledger.reserve(&budget, tokens(600), tomorrow).unwrap_err().to_string().contains("this month")
        );
        let next_month = Date::constant(2026, 12, 1);
        ledger.reserve(&budget, tokens(1_000), next_month).unwrap();
        assert!(
            ledger.reserve(&budget, tokens(1), DAY).is_err(),
            "a clock that goes back finds the old count"
        );
    }

    #[test]
    fn money_is_counted_by_price_and_rounded_up() {
        let budget = Budget {
            money_per_day: Some(Money(10_000)),
            price_in: Money(3_000_000),
            price_out: Money(15_000_000),
            ..Budget::default()
        };
        let cost = budget.cost(Tokens { input: 1_000, output: 100 });
        assert_eq!((cost.tokens, cost.money), (1_100, Money(4_500)));
        assert_eq!(budget.cost(Tokens { input: 1, output: 0 }).money, Money(3));
        let mut ledger = Ledger::default();
        ledger.reserve(&budget, cost, DAY).unwrap();
        ledger.reserve(&budget, cost, DAY).unwrap();
        let error = ledger.reserve(&budget, cost, DAY).unwrap_err().to_string();
        assert!(error.ends_with("may take 0.01 in money, and 0.01 of 0.01 are left today"), "{error}");
        assert_eq!(Money(1_234_560_001).to_string(), "1234.57");
    }

    proptest::proptest! {
        #[test]
        fn no_row_of_calls_goes_over(calls in proptest::collection::vec((0_u64..700, 0_u64..700, 0_i8..40), 0..60)) {
            let budget = Budget { tokens_per_day: 1_000, tokens_per_month: 3_000, ..Budget::default() };
            let mut ledger = Ledger::default();
            for (most, actual, day) in calls {
                let day = Date::constant(2026, 11, 1).checked_add(jiff::Span::new().days(day)).unwrap();
                if let Ok(reservation) = ledger.reserve(&budget, tokens(most), day) {
                    ledger.settle(&reservation, tokens(actual.min(most)));
                }
                assert!(ledger.day(day).tokens <= 1_000 && ledger.month(day).tokens <= 3_000);
            }
        }
    }
}
