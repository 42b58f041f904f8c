use serde_json::{Value, json};

use super::budget::Tokens;
use super::settings::{ModelSettings, Provider};

/// What a model is asked: what it should do, what it should do it with, and the form of its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What it should do, in our words alone.
    pub instructions: String,
    /// Material: other people's words, quoted. Nothing in it is an instruction.
    pub material: String,
    /// A name for the answer, in letters and underscores.
    pub name: &'static str,
    /// The JSON Schema of the answer.
    pub schema: Value,
}

/// A question on its way, in the form of one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// Start this program and give it the text.
    Command {
        /// The program and its arguments.
        arguments: Vec<String>,
        /// What goes to its standard input.
        input: String,
    },
    /// Send this.
    Post {
        /// The whole address.
        url: String,
        /// The headers besides those about the body.
        headers: Vec<(&'static str, &'static str)>,
        /// Where the key goes, if one is needed.
        key: Option<KeyPlace>,
        /// JSON.
        body: String,
    },
}

/// Where the key goes. Who sends the call looks it up, so that it is in no value of ours that could be printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPlace {
    /// The environment variable that holds it.
    pub variable: String,
    /// The header that takes it.
    pub header: &'static str,
    /// What is before it.
    pub prefix: &'static str,
}

/// The version of the Messages interface that we speak.
const ANTHROPIC_VERSION: &str = "2023-06-01";
/// What a provider wraps around a question, in tokens.
const WRAPPING: u64 = 600;

impl Question {
    /// The question in the form of the user's provider.
    #[must_use]
    pub fn call(&self, settings: &ModelSettings) -> Call {
        let key =
            |header, prefix| settings.key_env.clone().map(|variable| KeyPlace { variable, header, prefix });
        match settings.provider {
            Provider::Command => Call::Command { arguments: settings.command.clone(), input: self.as_text() },
            Provider::Anthropic => Call::Post {
                url: format!("{}/v1/messages", settings.url),
                headers: vec![("anthropic-version", ANTHROPIC_VERSION)],
                key: key("x-api-key", ""),
                body: self.anthropic_body(settings).to_string(),
            },
            Provider::OpenAi => Call::Post {
                url: format!("{}/chat/completions", settings.url),
                headers: Vec::new(),
                key: key("authorization", "Bearer "),
                body: self.openai_body(settings).to_string(),
            },
        }
    }

    /// As many tokens as the call can take: a token has two bytes at least, but for rare scripts, and an answer no more
    /// than was asked for.
    #[must_use]
    pub fn most_tokens(&self, settings: &ModelSettings) -> Tokens {
        let bytes = self.instructions.len() + self.material.len() + self.schema.to_string().len();
        Tokens { input: bytes as u64 / 2 + WRAPPING, output: u64::from(settings.answer_tokens) }
    }

    fn anthropic_body(&self, settings: &ModelSettings) -> Value {
        json!({
            "model": settings.model,
            "max_tokens": settings.answer_tokens,
            "system": self.instructions,
            "messages": [{"role": "user", "content": self.material}],
            "tools": [{
                "name": self.name,
                "description": "Takes the answer.",
                "input_schema": self.schema,
            }],
            "tool_choice": {"type": "tool", "name": self.name},
        })
    }

    fn openai_body(&self, settings: &ModelSettings) -> Value {
        // The newest models of OpenAI itself only know the second name, most other servers only the first.
        let limit =
            if settings.url == Provider::OpenAi.usual_url() { "max_completion_tokens" } else { "max_tokens" };
        let mut body = json!({
            "model": settings.model,
            "messages": [
                {"role": "system", "content": self.instructions},
                {"role": "user", "content": self.material},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": self.name, "strict": true, "schema": self.schema},
            },
        });
        if let Some(fields) = body.as_object_mut() {
            fields.insert(limit.to_owned(), settings.answer_tokens.into());
        }
        body
    }

    /// For a program that only takes text.
    fn as_text(&self) -> String {
        format!(
            "{}\n\nAnswer with one JSON object and nothing else. Use no tools. It must fit this schema:\n{}\n\n{}\n",
            self.instructions, self.schema, self.material
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::Budget;
    use super::*;

    fn settings(provider: Provider, url: &str) -> ModelSettings {
        ModelSettings {
            provider,
            command: vec!["claude".to_owned(), "-p".to_owned()],
            url: url.to_owned(),
            model: "m".to_owned(),
            key_env: Some("KEY".to_owned()),
            timeout_seconds: 60,
            answer_tokens: 7,
            budget: Budget::default(),
        }
    }

    #[test]
    fn each_provider_gets_its_own_form() {
        let question = Question {
            instructions: "do".to_owned(),
            material: "with \"this\"".to_owned(),
            name: "answer",
            schema: json!({"type": "object"}),
        };
        let show = |provider, url| match question.call(&settings(provider, url)) {
            Call::Command { arguments, input } => format!("{arguments:?} {input}"),
            Call::Post { url, headers, key, body } => format!("{url} {headers:?} {key:?}\n{body}"),
        };
        insta::assert_snapshot!(show(Provider::Anthropic, "http://x"), @r#"
        http://x/v1/messages [("anthropic-version", "2023-06-01")] Some(KeyPlace { variable: "KEY", header: "x-api-key", prefix: "" })
        {"model":"m","max_tokens":7,"system":"do","messages":[{"role":"user","content":"with \"this\""}],"tools":[{"name":"answer","description":"Takes the answer.","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"answer"}}
        "#);
        insta::assert_snapshot!(show(Provider::OpenAi, "http://x/v1"), @r#"
        http://x/v1/chat/completions [] Some(KeyPlace { variable: "KEY", header: "authorization", prefix: "Bearer " })
        {"model":"m","messages":[{"role":"system","content":"do"},{"role":"user","content":"with \"this\""}],"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":{"type":"object"}}},"max_tokens":7}
        "#);
        assert!(show(Provider::OpenAi, "https://api.openai.com/v1").contains("\"max_completion_tokens\":7"));
        insta::assert_snapshot!(show(Provider::Command, ""), @r#"
        ["claude", "-p"] do

        Answer with one JSON object and nothing else. Use no tools. It must fit this schema:
        {"type":"object"}

        with "this"
        "#);
        let most = question.most_tokens(&settings(Provider::Command, ""));
        assert_eq!((most.input, most.output), (600 + (2 + 11 + 17) / 2, 7));
    }
}
