use serde_json::{Map, Value};

use super::RpcError;

/// What a client can ask for that takes more than the protocol itself to answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// The tools.
    ListTools,
    /// A tool shall run.
    CallTool {
        /// Its name.
        name: String,
        /// What it is given.
        arguments: Map<String, Value>,
    },
    /// The memories, a page at a time.
    ListResources {
        /// Where the last page ended.
        cursor: Option<String>,
    },
    /// The forms of addresses.
    ListTemplates,
    /// One memory.
    ReadResource {
        /// Its address.
        uri: String,
    },
    /// The prompts.
    ListPrompts,
    /// One prompt.
    GetPrompt {
        /// Its name.
        name: String,
        /// What it is given.
        arguments: Map<String, Value>,
    },
    /// How what the user has begun to type could go on.
    Complete(Completion),
    /// Say what changes from now on.
    Listen(ListenFilter),
}

/// What is to be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The template, if it is an address that is being typed.
    pub template: Option<String>,
    /// What has been typed.
    pub typed: String,
}

/// What a listener wants to hear of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListenFilter {
    /// Memories that come and go.
    pub resources_list_changed: bool,
    /// These addresses.
    pub resources: Vec<String>,
}

/// No listener names more addresses.
const MAX_LISTENED: usize = 1_000;

impl Method {
    /// Reads the parameters of a method; `None` if there is no such method.
    pub(super) fn parse(method: &str, params: &mut Map<String, Value>) -> Result<Option<Self>, RpcError> {
        let found = match method {
            "tools/list" => Self::ListTools,
            "tools/call" => {
                Self::CallTool { name: text(params, "name")?, arguments: object(params, "arguments")? }
            }
            "resources/list" => Self::ListResources { cursor: optional_text(params, "cursor")? },
            "resources/templates/list" => Self::ListTemplates,
            "resources/read" => Self::ReadResource { uri: text(params, "uri")? },
            "prompts/list" => Self::ListPrompts,
            "prompts/get" => {
                Self::GetPrompt { name: text(params, "name")?, arguments: object(params, "arguments")? }
            }
            "completion/complete" => Self::Complete(Completion::parse(params)?),
            "subscriptions/listen" => Self::Listen(ListenFilter::parse(params)?),
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    /// How long an answer stays true, in milliseconds; `None` for what is not to be kept at all.
    pub(super) fn time_to_live(&self) -> Option<u64> {
        match self {
            Self::ListTools | Self::ListTemplates | Self::ListPrompts => Some(3_600_000),
            Self::ListResources { .. } | Self::ReadResource { .. } => Some(0),
            Self::CallTool { .. } | Self::GetPrompt { .. } | Self::Complete(_) | Self::Listen(_) => None,
        }
    }

    /// Whether a client may be asked for its roots before this is answered.
    pub(super) fn may_ask_back(&self) -> bool {
        matches!(self, Self::CallTool { .. } | Self::ReadResource { .. } | Self::GetPrompt { .. })
    }

    /// Whether the answer depends on the project.
    #[must_use]
    pub fn needs_project(&self) -> bool {
        !matches!(self, Self::ListTools | Self::ListTemplates | Self::ListPrompts)
    }
}

impl Completion {
    fn parse(params: &mut Map<String, Value>) -> Result<Self, RpcError> {
        let mut reference = object(params, "ref")?;
        let template = match reference.get("type").and_then(Value::as_str) {
            Some("ref/resource") => Some(text(&mut reference, "uri")?),
            Some("ref/prompt") => None,
            _ => return Err(RpcError::invalid_params("`ref` must name a prompt or a resource")),
        };
        Ok(Self { template, typed: text(&mut object(params, "argument")?, "value")? })
    }
}

impl ListenFilter {
    fn parse(params: &mut Map<String, Value>) -> Result<Self, RpcError> {
        let wanted = object(params, "notifications")?;
        let uris = wanted.get("resourceSubscriptions").and_then(Value::as_array);
        let uris = uris.into_iter().flatten().filter_map(Value::as_str).take(MAX_LISTENED);
        Ok(Self {
            resources_list_changed: wanted.get("resourcesListChanged") == Some(&Value::Bool(true)),
            resources: uris.map(str::to_owned).collect(),
        })
    }
}

/// A parameter that must be a text.
pub(super) fn text(params: &mut Map<String, Value>, name: &str) -> Result<String, RpcError> {
    optional_text(params, name)?.ok_or_else(|| RpcError::invalid_params(format!("`{name}` is missing")))
}

fn optional_text(params: &mut Map<String, Value>, name: &str) -> Result<Option<String>, RpcError> {
    match params.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(RpcError::invalid_params(format!("`{name}` must be a text"))),
    }
}

fn object(params: &mut Map<String, Value>, name: &str) -> Result<Map<String, Value>, RpcError> {
    match params.remove(name) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object),
        Some(_) => Err(RpcError::invalid_params(format!("`{name}` must be an object"))),
    }
}
