use jiff::civil::Date;
use memdir_core::model::ModelChoice;
use memdir_core::model::budget::{Money, Spent};
use memdir_lib::model::ModelStatus;
use serde::Serialize;

/// The user's model, and what is left of its budget. Money is in the user's own currency.
#[derive(Serialize)]
pub(super) struct ModelStands {
    provider: Option<&'static str>,
    model: Option<String>,
    /// Why it is not asked, if it is not.
    problem: Option<String>,
    today: Option<Used>,
    month: Option<Used>,
}

#[derive(Serialize)]
struct Used {
    calls: u64,
    tokens: u64,
    tokens_limit: u64,
    money: f64,
    money_limit: Option<f64>,
}

impl Used {
    fn of(spent: Spent, tokens_limit: u64, money_limit: Option<Money>) -> Self {
        let amount = |money: Money| money.0 as f64 / 1e6;
        Self {
            calls: spent.calls,
            tokens: spent.tokens,
            tokens_limit,
            money: amount(spent.money),
            money_limit: money_limit.map(amount),
        }
    }

    fn show(&self) -> String {
        let money = match self.money_limit {
            Some(limit) => format!(", {:.2} of {limit:.2} in money", self.money),
            None if self.money > 0.0 => format!(", {:.2} in money", self.money),
            None => String::new(),
        };
        format!("{} of {} tokens{money}", grouped(self.tokens), grouped(self.tokens_limit))
    }
}

impl ModelStands {
    pub(super) fn of(status: ModelStatus, today: Date) -> Option<Self> {
        let settings = match status.choice {
            ModelChoice::Unset => return None,
            ModelChoice::Unusable(why) => {
                return Some(Self {
                    provider: None,
                    model: None,
                    problem: Some(why),
                    today: None,
                    month: None,
                });
            }
            ModelChoice::Model(settings) => settings,
        };
        let mut current = Self {
            provider: Some(settings.provider.as_str()),
            model: Some(settings.label().to_owned()),
            problem: None,
            today: None,
            month: None,
        };
        match status.spent {
            Ok(ledger) => {
                let budget = settings.budget;
                let used = |spent, tokens, money| Some(Used::of(spent, tokens, money));
                current.today = used(ledger.day(today), budget.tokens_per_day, budget.money_per_day);
                current.month = used(ledger.month(today), budget.tokens_per_month, budget.money_per_month);
            }
            Err(error) => current.problem = Some(error.to_string()),
        }
        Some(current)
    }

    pub(super) fn show(&self) -> String {
        let name = self.model.as_deref().unwrap_or("not asked");
        let spans = [("today", &self.today), ("this month", &self.month)];
        let spent = spans
            .iter()
            .filter_map(|(span, used)| Some(format!("; {span} {}", used.as_ref()?.show())))
            .collect::<String>();
        let problem = self.problem.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        format!("{name}{problem}{spent}")
    }
}

/// A number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && at % 3 == first {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (100_000, "100,000"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(number), expected);
        }
    }
}
