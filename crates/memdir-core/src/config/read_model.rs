//! `[model]`. What is wrong in it must not cost the rest of the settings: the model is not asked, and that is said.

use std::ops::Range;

use super::read::{Reader, Value};
use super::{ConfigError, keys};
use crate::model::budget::{Budget, Money};
use crate::model::{ModelChoice, ModelSettings, Provider};

impl<'t> Reader<'t> {
    pub(super) fn model(&mut self, value: &Value<'t>) {
        self.read.config.model = match self.model_settings(value) {
            Ok(settings) => ModelChoice::Model(Box::new(settings)),
            Err(error) => {
                self.read.warnings.push(format!("{error}; no model is asked"));
                ModelChoice::Unusable(error.to_string())
            }
        };
    }

    fn model_settings(&mut self, value: &Value<'t>) -> Result<ModelSettings, ConfigError> {
        let mut provider = None;
        let (mut command, mut url, mut model, mut key_env) = (Vec::new(), None, String::new(), None);
        let (mut timeout_seconds, mut answer_tokens) = (60, 4_000);
        let mut budget = Budget::default();
        for (key, value) in self.table(value, "model")? {
            let name = format!("model.{}", key.get_ref());
            match key.get_ref().as_ref() {
                "provider" => provider = Some(self.one_of(value, &name, &PROVIDERS)?),
                "command" => command = self.command(value, &name)?,
                "url" => url = Some(self.url(value, &name)?),
                "model" => model = self.word(value, &name)?,
                "key_env" => key_env = Some(self.variable(value, &name)?),
                "timeout" => timeout_seconds = self.number(value, &name, 1, 600)?,
                "answer_tokens" => answer_tokens = self.number(value, &name, 200, 32_000)?,
                "budget" => budget = self.budget(value)?,
                "key" | "api_key" | "token" => {
                    let message = format!(
                        "`{name}`: a key does not belong in a file; name the variable that holds it in `key_env`"
                    );
                    return Err(self.error(key.span(), message));
                }
                _ => return Err(self.misspelt(&name, key.span())),
            }
        }
        let missing = |what: &str| self.error(value.span(), format!("`model.{what}` is missing"));
        let provider = provider.ok_or_else(|| missing("provider"))?;
        match provider {
            Provider::Command if command.is_empty() => return Err(missing("command")),
            Provider::Anthropic | Provider::OpenAi if model.is_empty() => return Err(missing("model")),
            _ => {}
        }
        let has_limit = budget.money_per_day.or(budget.money_per_month).is_some();
        // A limit that sees only half of the costs is none.
        for (price, name) in [(budget.price_in, "budget.price_in"), (budget.price_out, "budget.price_out")] {
            if has_limit && price.0 == 0 {
                return Err(missing(name));
            }
        }
        // Servers at other addresses often want no key.
        let usual_key = match provider {
            Provider::Anthropic => Some("ANTHROPIC_API_KEY"),
            Provider::OpenAi if url.is_none() => Some("OPENAI_API_KEY"),
            Provider::OpenAi | Provider::Command => None,
        };
        let key_env = key_env.or_else(|| usual_key.map(str::to_owned));
        let url = url.unwrap_or_else(|| provider.usual_url().to_owned());
        Ok(ModelSettings { provider, command, url, model, key_env, timeout_seconds, answer_tokens, budget })
    }

    fn budget(&mut self, value: &Value<'t>) -> Result<Budget, ConfigError> {
        let mut budget = Budget::default();
        for (key, value) in self.table(value, "model.budget")? {
            let name = format!("model.budget.{}", key.get_ref());
            match key.get_ref().as_ref() {
                "tokens_per_day" => budget.tokens_per_day = self.number(value, &name, 0, MOST_TOKENS)?.into(),
                "tokens_per_month" => {
                    budget.tokens_per_month = self.number(value, &name, 0, MOST_TOKENS)?.into();
                }
                "money_per_day" => budget.money_per_day = Some(self.money(value, &name)?),
                "money_per_month" => budget.money_per_month = Some(self.money(value, &name)?),
                "price_in" => budget.price_in = self.money(value, &name)?,
                "price_out" => budget.price_out = self.money(value, &name)?,
                _ => return Err(self.misspelt(&name, key.span())),
            }
        }
        Ok(budget)
    }

    /// A user who misspells a limit believes that it holds.
    fn misspelt(&self, name: &str, span: Range<usize>) -> ConfigError {
        let meant = keys::nearest(name).map(|key| format!("; did you mean `{key}`?")).unwrap_or_default();
        self.error(span, format!("unknown key `{name}`{meant}"))
    }

    fn command(&self, value: &Value<'t>, name: &str) -> Result<Vec<String>, ConfigError> {
        let words = value.get_ref().as_array().map(|array| {
            array.iter().map(|word| word.get_ref().as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        let words = words.flatten().filter(|words| {
            words.first().is_some_and(|program| !program.is_empty())
                && !words.iter().any(|word| word.contains('\0'))
        });
        let wanted = "a program and its arguments, such as [\"claude\", \"-p\"]";
        words.ok_or_else(|| self.error(value.span(), format!("`{name}` is {wanted}")))
    }

    fn url(&self, value: &Value<'t>, name: &str) -> Result<String, ConfigError> {
        let text = value.get_ref().as_str().unwrap_or_default();
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
        let host = rest.split('/').next().unwrap_or_default();
        let is_plain = text.len() < 500 && text.bytes().all(|byte| byte.is_ascii_graphic());
        if host.is_empty() || !is_plain || text.contains(['@', '?', '#', '"', '\\', '<', '>']) {
            let wanted =
                "an address that begins with https:// or http://, without a user, a question mark or a hash";
            return Err(self.error(value.span(), format!("`{name}` is {wanted}")));
        }
        Ok(text.trim_end_matches('/').to_owned())
    }

    fn word(&self, value: &Value<'t>, name: &str) -> Result<String, ConfigError> {
        let text = value.get_ref().as_str().unwrap_or_default();
        let is_word = !text.is_empty() && text.len() < 200 && !text.chars().any(char::is_control);
        is_word
            .then(|| text.to_owned())
            .ok_or_else(|| self.error(value.span(), format!("`{name}` is a name")))
    }

    fn variable(&self, value: &Value<'t>, name: &str) -> Result<String, ConfigError> {
        let text = value.get_ref().as_str().unwrap_or_default();
        let is_name = |text: &str| {
            text.len() < 100
                && text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        // A key that was put here by mistake must not be repeated in the message.
        is_name(text).then(|| text.to_owned()).ok_or_else(|| {
            self.error(value.span(), format!("`{name}` is the name of an environment variable, not the key"))
        })
    }

    fn number(&self, value: &Value<'t>, name: &str, least: u32, most: u32) -> Result<u32, ConfigError> {
        let written = value.get_ref().as_integer();
        let number = written.and_then(|written| u32::from_str_radix(written.as_str(), written.radix()).ok());
        number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
            self.error(value.span(), format!("`{name}` is a whole number from {least} to {most}"))
        })
    }

    fn money(&self, value: &Value<'t>, name: &str) -> Result<Money, ConfigError> {
        let value_read = value.get_ref();
        let written = match (value_read.as_float(), value_read.as_integer()) {
            (Some(float), _) => float.as_str().parse::<f64>().ok(),
            (_, Some(integer)) if integer.radix() == 10 => integer.as_str().parse::<f64>().ok(),
            _ => None,
        };
        let amount = written.filter(|amount| (0.0..=MOST_MONEY).contains(amount));
        // The bounds above make the cast exact enough.
        amount
            .map(|amount| Money((amount * 1e6).round() as u64))
            .ok_or_else(|| self.error(value.span(), format!("`{name}` is an amount from 0 to {MOST_MONEY}")))
    }
}

const MOST_TOKENS: u32 = 1_000_000_000;
const MOST_MONEY: f64 = 1_000_000.0;

const PROVIDERS: [(&str, Provider); 3] =
    [("command", Provider::Command), ("anthropic", Provider::Anthropic), ("openai", Provider::OpenAi)];

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn model(text: &str) -> Result<ModelSettings, String> {
        match Config::parse(text).unwrap().config.model {
            ModelChoice::Model(settings) => Ok(*settings),
            ModelChoice::Unusable(why) => Err(why),
            ModelChoice::Unset => Err("unset".to_owned()),
        }
    }

    #[test]
    fn a_model_is_named_in_a_few_lines() {
        assert_eq!(model(""), Err("unset".to_owned()));
        let command =
            model("[model]\nprovider = \"command\"\ncommand = [\"/usr/bin/claude\", \"-p\"]").unwrap();
        assert_eq!((command.label(), command.key_env.as_deref()), ("claude", None));
        let local =
            model("[model]\nprovider = \"openai\"\nurl = \"http://localhost:11434/v1/\"\nmodel = \"q\"")
                .unwrap();
        assert_eq!((local.url.as_str(), local.key_env.as_deref()), ("http://localhost:11434/v1", None));
        let anthropic = "model.provider = \"anthropic\"\nmodel.model = \"m\"\nmodel.timeout = 5\n\
            [model.budget]\ntokens_per_day = 20_000\nmoney_per_month = 2\nprice_in = 0.25\nprice_out = 1.25";
        let anthropic = model(anthropic).unwrap();
        assert_eq!(anthropic.key_env.as_deref(), Some("ANTHROPIC_API_KEY"));
        assert_eq!(anthropic.url, "https://api.anthropic.com");
        assert_eq!(
            anthropic.budget,
            Budget {
                tokens_per_day: 20_000,
                money_per_month: Some(Money(2_000_000)),
                price_in: Money(250_000),
                price_out: Money(1_250_000),
                ..Budget::default()
            }
        );
    }

    #[test]
    fn what_is_wrong_costs_the_model_alone() {
        let check = |text: &str, expected: &str| {
            let read = Config::parse(&format!("writes = \"review\"\n{text}\n")).unwrap();
            assert_eq!(read.config.writes.default, super::super::WriteMode::Review);
            assert_eq!(read.config.model, ModelChoice::Unusable(expected.to_owned()), "{text}");
            assert_eq!(read.warnings, [format!("{expected}; no model is asked")]);
        };
        check("model = 3", "line 2: `model` is a table");
        check("[model]\nmodel = \"m\"", "line 2: `model.provider` is missing");
        check(
            "[model]\nprovider = \"x\"",
            r#"line 3: `model.provider` is one of "command", "anthropic", "openai""#,
        );
        check("[model]\nprovider = \"openai\"", "line 2: `model.model` is missing");
        check("[model]\nprovider = \"command\"", "line 2: `model.command` is missing");
        check(
            "[model]\ncommand = \"claude -p\"",
            "line 3: `model.command` is a program and its arguments, such as [\"claude\", \"-p\"]",
        );
        let url = "line 3: `model.url` is an address that begins with https:// or http://, without a user, a question mark or a hash";
        for wrong in
            ["ftp://x", "http://", "https://u:p@x", "https://x?k=1", "https://a b", "x", "https://x\\\\y"]
        {
            check(&format!("[model]\nurl = \"{wrong}\""), url);
        }
        let variable = "line 3: `model.key_env` is the name of an environment variable, not the key";
        check("[model]\nkey_env = \"sk-ant-api03-abc\"", variable);
        check(
            "[model]\nkey = \"sk\"",
            "line 3: `model.key`: a key does not belong in a file; name the variable that holds it in `key_env`",
        );
        check("[model]\ntimeout = 0", "line 3: `model.timeout` is a whole number from 1 to 600");
        check(
            "[model]\nprovider = \"command\"\ncommand = [\"x\"]\nbudget.money_per_day = 1.0",
            "line 2: `model.budget.price_in` is missing",
        );
        check(
            "[model]\nbudget.price_in = -1",
            "line 3: `model.budget.price_in` is an amount from 0 to 1000000",
        );
        check(
            "[model]\nbudget.price_in = nan",
            "line 3: `model.budget.price_in` is an amount from 0 to 1000000",
        );
    }
}
