use super::budget::Budget;

/// What `[model]` in the user's settings comes to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ModelChoice {
    /// Nothing is said: no model, no network.
    #[default]
    Unset,
    /// This one.
    Model(Box<ModelSettings>),
    /// Something is said that cannot be used, and why. Everything works as if nothing were said, and says so.
    Unusable(String),
}

/// A model that may be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    /// `provider`: how it is reached.
    pub provider: Provider,
    /// `command`: the program and its arguments; the question goes to its standard input. Empty for the others.
    pub command: Vec<String>,
    /// `url`: where the interface begins, without a slash at the end. Empty for a command.
    pub url: String,
    /// `model`: its name. May be empty for a command, which chooses for itself.
    pub model: String,
    /// `key_env`: the environment variable that holds the key. The key itself is nowhere in the settings.
    pub key_env: Option<String>,
    /// `timeout`: how long one call may take, in seconds.
    pub timeout_seconds: u32,
    /// `answer_tokens`: how long an answer may be.
    pub answer_tokens: u32,
    /// `[model.budget]`.
    pub budget: Budget,
}

/// How a model is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// A program that reads a question and prints the answer: any agent's print mode.
    Command,
    /// The Messages interface of Anthropic.
    Anthropic,
    /// The chat interface of OpenAI, which local servers speak too.
    OpenAi,
}

impl Provider {
    /// The word in the settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }

    /// Where the interface begins if the settings do not say.
    #[must_use]
    pub fn usual_url(self) -> &'static str {
        match self {
            Self::Command => "",
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com/v1",
        }
    }
}

impl ModelSettings {
    /// What to call it before a person and in records.
    #[must_use]
    pub fn label(&self) -> &str {
        if !self.model.is_empty() {
            return &self.model;
        }
        let program = self.command.first().map(String::as_str).unwrap_or_default();
        program.rsplit('/').next().unwrap_or(program)
    }
}
