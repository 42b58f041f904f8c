//! Every key of `config.toml`, for `memdir config` and for "did you mean".

/// A setting that a user can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigKey {
    /// The key with its table, as in `features.team`.
    pub name: &'static str,
    /// The value that counts while the file does not name the key; empty if there is none.
    pub default: &'static str,
    /// What the key accepts.
    pub accepts: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

const fn key(
    name: &'static str,
    default: &'static str,
    accepts: &'static str,
    meaning: &'static str,
) -> ConfigKey {
    ConfigKey { name, default, accepts, meaning }
}

const MODES: &str = "auto, review or off";
const SWITCH: &str = "true or false";

/// The keys, in the order in which they are listed.
pub const KEYS: [ConfigKey; 41] = [
    key(
        "writes",
        "auto",
        MODES,
        "What happens to a change by an agent: apply it, hold it for review, refuse it",
    ),
    key("writes.default", "auto", MODES, "The same for every scope that [writes] does not name"),
    key("writes.memory", "", MODES, "Changes of a project's memory"),
    key("writes.user", "", MODES, "Changes of what an agent remembers in all projects"),
    key("writes.project", "", MODES, "Changes of what an agent remembers in a repository"),
    key("writes.local", "", MODES, "Changes of what an agent remembers in a project on this machine"),
    key("writes.team", "", MODES, "Changes that a team mate sends"),
    key(
        "secrets.on_write",
        "warn",
        "warn, redact or block",
        "What happens to a memory that contains a secret",
    ),
    key("recall", "first", "first, every or off", "At which prompts memories are brought back"),
    key("recall.when", "first", "first, every or off", "The same in a table"),
    key("recall.threshold", "", "a number", "How likely a memory must be needed to be quoted"),
    key(
        "extract",
        "off",
        "off, rules, ask or model",
        "Who writes down what you said in a turn: rules, the agent, a model",
    ),
    key("history.days", "90", "1 to 1000000", "How many days of history are kept"),
    key("history.megabytes", "500", "1 to 1000000", "How much history is kept for each memory directory"),
    key("features.auto_memory", "true", SWITCH, "Serve memory to agents"),
    key("features.session_search", "false", SWITCH, "Tell agents how to search past sessions"),
    key("features.simple_prompt", "false", SWITCH, "Give agents the short form of the guidance"),
    key("features.team", "false", SWITCH, "Use team memory"),
    key("features.extract", "false", SWITCH, "The older form of extract: true is model"),
    key("features.extract_headless", "false", SWITCH, "With extract: also from sessions that a program runs"),
    key("features.dream", "false", SWITCH, "Tidy memory in the background when it is due"),
    key("features.snapshots", "true", SWITCH, "Offer snapshots of agents' memory"),
    key("features.daily_logs", "false", SWITCH, "Agents keep one log a day instead of topic files"),
    key("features.usage", "true", SWITCH, "Record on this machine which memories are shown and read"),
    key("features.warnings", "false", SWITCH, "Show memories before the tool calls that their `when` names"),
    key(
        "features.branch_journal",
        "false",
        SWITCH,
        "Keep task, steps and blockers of the journal for each branch",
    ),
    key(
        "import.watch",
        "",
        "a list of words",
        "Agents whose own memory is imported at the start of each session, such as [\"codex\"]",
    ),
    key("model.provider", "", "anthropic, openai or command", "The model that `extract` and `dream` may ask"),
    key("model.command", "", "a list of words", "The command that answers, for the provider `command`"),
    key("model.url", "", "an address", "The address of the API, if not the provider's own"),
    key("model.model", "", "a name", "The name of the model"),
    key("model.key_env", "", "a variable", "The environment variable that holds the API key"),
    key("model.timeout", "60", "1 to 600", "How many seconds to wait for an answer"),
    key("model.answer_tokens", "4000", "200 to 32000", "How long an answer may be"),
    key("model.budget.tokens_per_day", "100000", "a number", "How many tokens a day"),
    key("model.budget.tokens_per_month", "1000000", "a number", "How many tokens a month"),
    key("model.budget.money_per_day", "", "an amount", "How much money a day"),
    key("model.budget.money_per_month", "", "an amount", "How much money a month"),
    key("model.budget.price_in", "", "an amount", "What a million tokens of a question cost"),
    key("model.budget.price_out", "", "an amount", "What a million tokens of an answer cost"),
    key("projects.STORE.writes", "", MODES, "What happens to agents' changes in one memory directory"),
];

/// The key with exactly this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static ConfigKey> {
    KEYS.iter().find(|key| key.name == name)
}

/// The known key that was probably meant.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let is_named = |key: &&ConfigKey| last(key.name) == last(name);
    if let Some(key) = KEYS.iter().find(is_named) {
        return Some(key.name);
    }
    let near = KEYS.iter().map(|key| (strsim::damerau_levenshtein(name, key.name), key.name)).min()?;
    (near.0 <= 1 + name.chars().count() / 4).then_some(near.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_switch_can_be_set() {
        let switches = serde_json::to_value(crate::config::Features::default()).unwrap();
        for (name, default) in switches.as_object().unwrap() {
            let key = find(&format!("features.{name}"))
                .unwrap_or_else(|| panic!("`features.{name}` is not listed"));
            assert_eq!(key.default, default.to_string(), "{name}");
        }
    }

    #[test]
    fn a_misspelt_key_names_the_one_that_was_meant() {
        assert_eq!(nearest("wrtes"), Some("writes"));
        assert_eq!(nearest("features.daily_log"), Some("features.daily_logs"));
        assert_eq!(nearest("on_write"), Some("secrets.on_write"));
        assert_eq!(nearest("colour_of_the_sky"), None);
    }
}
