//! What a provider sent back, read as text that anybody may have written.

use serde::Deserialize;
use serde_json::Value;

use super::budget::Tokens;
use super::settings::Provider;

/// No answer is longer; reading stops there.
pub const MAX_BYTES: usize = 1 << 20;

/// An answer in the form that was asked for, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The JSON that the model was asked for. Its form is still to be checked.
    pub value: Value,
    /// What the provider counted; `None` if it does not say.
    pub tokens: Option<Tokens>,
}

/// Why an answer cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// It is not JSON, or not of the provider's form.
    #[error("the answer is not what this provider answers")]
    Malformed,
    /// The provider's form, without an answer in it.
    #[error("there is no answer in it")]
    Empty,
    /// It was longer than allowed and ends in the middle.
    #[error("the answer was cut off at the limit of `answer_tokens`")]
    Cut,
    /// The text holds no JSON object.
    #[error("the model did not answer with JSON")]
    NotJson,
}

/// Reads the bytes that a provider sent.
///
/// # Errors
/// They hold no whole answer. What it took may be known all the same: see [`tokens`].
pub fn read(provider: Provider, bytes: &[u8]) -> Result<ModelAnswer, AnswerError> {
    match provider {
        Provider::Command => {
            let value = json_in(&String::from_utf8_lossy(bytes))?;
            Ok(ModelAnswer { value, tokens: None })
        }
        Provider::Anthropic => anthropic(bytes),
        Provider::OpenAi => openai(bytes),
    }
}

/// What the provider says that it counted, whatever else is wrong with its answer.
#[must_use]
pub fn tokens(provider: Provider, bytes: &[u8]) -> Option<Tokens> {
    let counted = match provider {
        Provider::Command => None,
        Provider::Anthropic => {
            serde_json::from_slice::<MessageUsage>(bytes).ok()?.usage.map(MessageTokens::sum)
        }
        Provider::OpenAi => serde_json::from_slice::<ChatUsage>(bytes).ok()?.usage.map(ChatTokens::sum),
    };
    // No question and no answer costs nothing, and none costs a billion: who says so has not counted.
    counted.filter(|tokens| {
        tokens.input > 0 && tokens.output > 0 && tokens.input.max(tokens.output) < MOST_COUNTED
    })
}

/// No call takes more tokens.
const MOST_COUNTED: u64 = 10_000_000;

/// The message of an error that a provider sent, in one short line without anything odd.
#[must_use]
pub fn error_message(bytes: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let error = value.get("error")?;
    let message = error.get("message").unwrap_or(error).as_str()?;
    let line: String = crate::hygiene::clean(message).split_whitespace().collect::<Vec<_>>().join(" ");
    let (line, _) = crate::secrets::redact(&line);
    Some(line.chars().take(200).collect()).filter(|line: &String| !line.is_empty())
}

#[derive(Deserialize)]
struct MessageUsage {
    usage: Option<MessageTokens>,
}

#[derive(Deserialize)]
struct MessageTokens {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
}

impl MessageTokens {
    fn sum(self) -> Tokens {
        let cached = self
            .cache_creation_input_tokens
            .unwrap_or(0)
            .saturating_add(self.cache_read_input_tokens.unwrap_or(0));
        Tokens { input: self.input_tokens.saturating_add(cached), output: self.output_tokens }
    }
}

#[derive(Deserialize)]
struct ChatUsage {
    usage: Option<ChatTokens>,
}

#[derive(Deserialize)]
struct ChatTokens {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

impl ChatTokens {
    fn sum(self) -> Tokens {
        Tokens { input: self.prompt_tokens, output: self.completion_tokens }
    }
}

fn anthropic(bytes: &[u8]) -> Result<ModelAnswer, AnswerError> {
    #[derive(Deserialize)]
    struct Message {
        content: Vec<Block>,
        stop_reason: Option<String>,
    }
    #[derive(Deserialize)]
    struct Block {
        r#type: String,
        #[serde(default)]
        input: Value,
        #[serde(default)]
        text: String,
    }
    let message: Message = serde_json::from_slice(bytes).map_err(|_| AnswerError::Malformed)?;
    if message.stop_reason.as_deref() == Some("max_tokens") {
        return Err(AnswerError::Cut);
    }
    let tokens = tokens(Provider::Anthropic, bytes);
    if let Some(block) = message.content.iter().find(|block| block.r#type == "tool_use") {
        return Ok(ModelAnswer { value: block.input.clone(), tokens });
    }
    let text = message.content.iter().find(|block| block.r#type == "text").ok_or(AnswerError::Empty)?;
    Ok(ModelAnswer { value: json_in(&text.text)?, tokens })
}

fn openai(bytes: &[u8]) -> Result<ModelAnswer, AnswerError> {
    #[derive(Deserialize)]
    struct Chat {
        choices: Vec<Choice>,
    }
    #[derive(Deserialize)]
    struct Choice {
        message: Message,
        finish_reason: Option<String>,
    }
    #[derive(Deserialize)]
    struct Message {
        content: Option<String>,
    }
    let chat: Chat = serde_json::from_slice(bytes).map_err(|_| AnswerError::Malformed)?;
    let choice = chat.choices.into_iter().next().ok_or(AnswerError::Empty)?;
    if choice.finish_reason.as_deref() == Some("length") {
        return Err(AnswerError::Cut);
    }
    let content = choice.message.content.ok_or(AnswerError::Empty)?;
    Ok(ModelAnswer { value: json_in(&content)?, tokens: tokens(Provider::OpenAi, bytes) })
}

/// The JSON object in a text: alone, in a code block, or behind a few words.
fn json_in(text: &str) -> Result<Value, AnswerError> {
    let start = text.find('{').ok_or(AnswerError::NotJson)?;
    let rest = text.get(start..).unwrap_or_default();
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => Ok(value),
        _ => Err(AnswerError::NotJson),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Expected<'e> = Result<(&'e str, Option<(u64, u64)>), AnswerError>;

    fn check(provider: Provider, bytes: &str, expected: Expected<'_>) {
        let answer = read(provider, bytes.as_bytes()).map(|answer| {
            (answer.value.to_string(), answer.tokens.map(|tokens| (tokens.input, tokens.output)))
        });
        assert_eq!(answer, expected.map(|(value, tokens)| (value.to_owned(), tokens)), "{bytes}");
    }

    #[test]
    fn an_answer_is_found_where_its_provider_puts_it() {
        use Provider::{Anthropic, Command, OpenAi};
        check(
            Anthropic,
            r#"{"content":[{"type":"text","text":"hm"},{"type":"tool_use","id":"x","name":"a","input":{"a":1}}],
               "stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":2,"cache_read_input_tokens":3}}"#,
            Ok((r#"{"a":1}"#, Some((8, 2)))),
        );
        check(
            Anthropic,
            r#"{"content":[{"type":"text","text":"Here: {\"a\":1}"}]}"#,
            Ok((r#"{"a":1}"#, None)),
        );
        check(Anthropic, r#"{"content":[]}"#, Err(AnswerError::Empty));
        check(Anthropic, r#"{"content":[],"stop_reason":"max_tokens"}"#, Err(AnswerError::Cut));
        check(Anthropic, r#"{"error":{"message":"no"}}"#, Err(AnswerError::Malformed));
        check(
            OpenAi,
            r#"{"choices":[{"message":{"content":"{\"a\":1}"},"finish_reason":"stop"}],
               "usage":{"prompt_tokens":5,"completion_tokens":2}}"#,
            Ok((r#"{"a":1}"#, Some((5, 2)))),
        );
        check(OpenAi, r#"{"choices":[{"message":{"content":null}}]}"#, Err(AnswerError::Empty));
        check(
            OpenAi,
            r#"{"choices":[{"message":{"content":"{"},"finish_reason":"length"}]}"#,
            Err(AnswerError::Cut),
        );
        check(OpenAi, r#"{"choices":[]}"#, Err(AnswerError::Empty));
        check(OpenAi, "<html>", Err(AnswerError::Malformed));
        check(Command, "Sure!\n```json\n{\"a\": [1]}\n```\nAnything else?", Ok((r#"{"a":[1]}"#, None)));
        check(Command, "no", Err(AnswerError::NotJson));
        check(Command, &"{\"a\":".repeat(100_000), Err(AnswerError::NotJson));
    }

    #[test]
    fn an_error_is_said_in_one_line() {
        let check = |bytes: &str, expected: Option<&str>| {
            assert_eq!(error_message(bytes.as_bytes()).as_deref(), expected, "{bytes}");
        };
        check(r#"{"error":{"message":"rate\u001b[2J\nlimit"}}"#, Some("rate limit"));
        check(r#"{"error":"loading model"}"#, Some("loading model"));
        check("<html>", None);
    }

    proptest::proptest! {
        #[test]
        fn no_answer_is_too_hostile(text in "(?s)(\\{|\\}|\\[|\\]|\"|:|,|content|choices|message|usage|[0-9]{1,30}|.){0,60}") {
            for provider in [Provider::Command, Provider::Anthropic, Provider::OpenAi] {
                let _ = read(provider, text.as_bytes());
                let _ = tokens(provider, text.as_bytes());
            }
            let _ = error_message(text.as_bytes());
        }
    }
}
