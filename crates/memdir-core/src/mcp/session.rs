use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::message::{Id, Incoming, Notification, Request, Response};
use super::message::{cancelled_request, error_answer, notification, result_answer};
use super::method::text;
use super::{ADVERTISED, ListenFilter, Method, RpcError, Version};

mod envelope;
#[cfg(test)]
mod tests;

use envelope::{SERVER_INFO, SUBSCRIPTION_ID};

/// What a server says about itself.
#[derive(Debug, Clone)]
pub struct ServerFacts {
    /// Its version.
    pub version: &'static str,
    /// How a model is to use it.
    pub instructions: &'static str,
}

/// What is known about the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// What it calls itself, made short and printable.
    pub name: String,
    /// Whether it can say where it works.
    pub has_roots: bool,
}

impl Default for Client {
    fn default() -> Self {
        Self { name: "mcp".to_owned(), has_roots: false }
    }
}

/// What a message means for its receiver.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Nothing is to be done.
    Silence,
    /// This is to be sent.
    Send(Value),
    /// This is to be worked out and answered.
    Call(Box<Call>),
    /// The client is ready, or works somewhere else now: [`Session::wants_roots`] may say yes.
    Ready,
    /// The client works in these places.
    Roots(Vec<String>),
    /// The answer to this request is no longer wanted.
    Cancelled(Id),
}

/// A request that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What the answer is known by.
    pub id: Id,
    /// What is asked.
    pub method: Method,
    /// Who asks.
    pub client: Client,
    /// Where the client works, if the request itself says so.
    pub roots: Option<Vec<String>>,
    version: Version,
    server: Value,
}

/// What changed in the memory directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed {
    /// Whether memories came or went.
    pub list: bool,
    /// The addresses of memories whose text may have changed.
    pub updated: Vec<String>,
}

/// One conversation: what was agreed on, and what the client wants to hear.
#[derive(Debug, Clone)]
pub struct Session {
    facts: ServerFacts,
    version: Option<Version>,
    client: Client,
    is_ready: bool,
    roots: Roots,
    subscriptions: BTreeSet<String>,
    listeners: Vec<(Id, ListenFilter)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Roots {
    is_known: bool,
    /// How often they were asked for: the number of the last request.
    asked: u64,
    is_pending: bool,
}

/// No client subscribes to more addresses, and none has more listeners.
const MAX_SUBSCRIPTIONS: usize = 1_000;
const MAX_LISTENERS: usize = 16;

impl Session {
    /// A conversation in which nothing was said.
    #[must_use]
    pub fn new(facts: ServerFacts) -> Self {
        Self {
            facts,
            version: None,
            client: Client::default(),
            is_ready: false,
            roots: Roots::default(),
            subscriptions: BTreeSet::new(),
            listeners: Vec::new(),
        }
    }

    /// The version that a handshake agreed on.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        self.version
    }

    /// Whether the client should be asked where it works, and was not.
    #[must_use]
    pub fn wants_roots(&self) -> bool {
        self.is_ready && self.client.has_roots && !self.roots.is_known && !self.roots.is_pending
    }

    /// Whether the client was asked where it works, and has not answered.
    #[must_use]
    pub fn awaits_roots(&self) -> bool {
        self.roots.is_pending
    }

    /// Asks the client where it works: a request of ours.
    pub fn ask_roots(&mut self) -> Value {
        self.roots.asked += 1;
        self.roots.is_pending = true;
        json!({"jsonrpc": "2.0", "id": roots_id(self.roots.asked), "method": "roots/list"})
    }

    /// Does without an answer about roots.
    pub fn give_up_on_roots(&mut self) {
        self.roots.is_pending = false;
        self.roots.is_known = true;
    }

    /// Whether changes are news to the client at all.
    #[must_use]
    pub fn takes_news(&self) -> bool {
        self.is_ready || !self.listeners.is_empty()
    }

    /// Whether the client has asked to be told as soon as something changes.
    #[must_use]
    pub fn waits_for_news(&self) -> bool {
        !self.subscriptions.is_empty() || !self.listeners.is_empty()
    }

    /// What a message means. A batch must be taken apart before.
    pub fn receive(&mut self, message: Incoming) -> Step {
        match message {
            Incoming::Request(request) => self.request(request),
            Incoming::Notification(notification) => self.notification(notification),
            Incoming::Response(response) => self.response(response),
            Incoming::Batch(_) => {
                let error = RpcError::new(RpcError::INVALID_REQUEST, "this version has no batches");
                Step::Send(error_answer(None, &error))
            }
            Incoming::Invalid { id, error } => Step::Send(error_answer(id.as_ref(), &error)),
        }
    }

    /// Whether several messages may come as one.
    #[must_use]
    pub fn takes_batches(&self) -> bool {
        self.version == Some(Version::V2025_03_26)
    }

    fn request(&mut self, request: Request) -> Step {
        let Request { id, method, mut params } = request;
        if method == "initialize" {
            return Step::Send(self.initialize(&id, &params));
        }
        match self.answer(&id, &method, &mut params) {
            Ok(step) => step,
            Err(error) => Step::Send(error_answer(Some(&id), &error)),
        }
    }

    fn initialize(&mut self, id: &Id, params: &Map<String, Value>) -> Value {
        let offered = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let version = Version::negotiated(offered);
        self.version = Some(version);
        self.client = client(params.get("clientInfo"), params.get("capabilities"));
        self.roots = Roots::default();
        let result = json!({
            "protocolVersion": version.as_str(),
            "capabilities": capabilities(),
            "serverInfo": self.server(),
        });
        result_answer(id, self.with_instructions(result))
    }

    fn answer(&mut self, id: &Id, method: &str, params: &mut Map<String, Value>) -> Result<Step, RpcError> {
        let envelope = envelope::read(method, params)?;
        let version = match (&envelope, self.version) {
            (Some(envelope), _) => envelope.version,
            (None, Some(version)) => version,
            (None, None) if method == "ping" => return Ok(Step::Send(result_answer(id, json!({})))),
            (None, None) => {
                let message = "say `initialize` first, or name the version in `_meta` of every request";
                return Err(RpcError::new(RpcError::INVALID_REQUEST, message));
            }
        };
        let is_modern = envelope.is_some();
        if is_modern && method == "server/discover" {
            return Ok(Step::Send(result_answer(id, self.discovery())));
        }
        if !is_modern && let Some(result) = self.settled(method, params)? {
            return Ok(Step::Send(result_answer(id, result)));
        }
        let inputs = params.remove("inputResponses");
        let Some(method) =
            Method::parse(method, params)?.filter(|found| is_modern || !matches!(found, Method::Listen(_)))
        else {
            return Err(RpcError::method_not_found(method));
        };
        let client = envelope.map_or_else(|| self.client.clone(), |envelope| envelope.client);
        let mut call = Call { id: id.clone(), method, client, roots: None, version, server: self.server() };
        if is_modern && call.client.has_roots && call.method.may_ask_back() && !self.roots.is_known {
            match inputs.as_ref().and_then(|inputs| inputs.get("roots")) {
                Some(answer) => call.roots = Some(root_uris(Some(answer))),
                None => return Ok(Step::Send(call.ask_back())),
            }
            self.roots.is_known = true;
        }
        Ok(Step::Call(Box::new(call)))
    }

    /// What the protocol answers by itself, in the versions with a handshake.
    fn settled(&mut self, method: &str, params: &mut Map<String, Value>) -> Result<Option<Value>, RpcError> {
        match method {
            "ping" => {}
            "resources/subscribe" => {
                let uri = text(params, "uri")?;
                if self.subscriptions.len() >= MAX_SUBSCRIPTIONS {
                    return Err(RpcError::invalid_params("there are too many subscriptions"));
                }
                self.subscriptions.insert(uri);
            }
            "resources/unsubscribe" => {
                self.subscriptions.remove(&text(params, "uri")?);
            }
            _ => return Ok(None),
        }
        Ok(Some(json!({})))
    }

    fn notification(&mut self, notification: Notification) -> Step {
        match notification.method.as_str() {
            "notifications/initialized" if self.version.is_some() => {
                self.is_ready = true;
                Step::Ready
            }
            "notifications/roots/list_changed" => {
                self.roots.is_known = false;
                self.roots.is_pending = false;
                Step::Ready
            }
            _ => {
                let Some(id) = cancelled_request(&Incoming::Notification(notification)) else {
                    return Step::Silence;
                };
                self.listeners.retain(|(listener, _)| *listener != id);
                Step::Cancelled(id)
            }
        }
    }

    fn response(&mut self, response: Response) -> Step {
        let is_current = response.id == Id::Text(roots_id(self.roots.asked));
        if !self.roots.is_pending || !is_current {
            return Step::Silence;
        }
        self.roots.is_pending = false;
        self.roots.is_known = true;
        Step::Roots(root_uris(response.result.as_ref()))
    }

    /// Remembers a listener and gives back what tells it so.
    ///
    /// # Errors
    /// There are too many.
    pub fn listen(&mut self, id: &Id, filter: &ListenFilter) -> Result<Value, RpcError> {
        if self.listeners.len() >= MAX_LISTENERS {
            return Err(RpcError::new(RpcError::INTERNAL, "there are too many listeners"));
        }
        self.listeners.push((id.clone(), filter.clone()));
        let mut honoured = Map::new();
        if filter.resources_list_changed {
            honoured.insert("resourcesListChanged".to_owned(), true.into());
        }
        if !filter.resources.is_empty() {
            honoured.insert("resourceSubscriptions".to_owned(), json!(filter.resources));
        }
        let mut params = subscription(id);
        params.insert("notifications".to_owned(), honoured.into());
        Ok(notification("notifications/subscriptions/acknowledged", params))
    }

    /// What is sent when the memory directory has changed.
    #[must_use]
    pub fn tell(&self, changed: &Changed) -> Vec<Value> {
        let mut messages = Vec::new();
        let updated = |uri: &String, mut params: Map<String, Value>| {
            params.insert("uri".to_owned(), uri.as_str().into());
            notification("notifications/resources/updated", params)
        };
        const LIST: &str = "notifications/resources/list_changed";
        if self.is_ready {
            if changed.list {
                messages.push(notification(LIST, Map::new()));
            }
            let wanted = changed.updated.iter().filter(|uri| self.subscriptions.contains(*uri));
            messages.extend(wanted.map(|uri| updated(uri, Map::new())));
        }
        for (id, filter) in &self.listeners {
            if changed.list && filter.resources_list_changed {
                messages.push(notification(LIST, subscription(id)));
            }
            let wanted = changed.updated.iter().filter(|uri| filter.resources.contains(uri));
            messages.extend(wanted.map(|uri| updated(uri, subscription(id))));
        }
        messages
    }

    /// The last word to every listener.
    pub fn end_listeners(&mut self) -> Vec<Value> {
        let server = self.server();
        let end = |(id, _): (Id, ListenFilter)| {
            let meta = json!({SUBSCRIPTION_ID: id.to_value(), SERVER_INFO: server});
            result_answer(&id, json!({"resultType": "complete", "_meta": meta}))
        };
        std::mem::take(&mut self.listeners).into_iter().map(end).collect()
    }

    fn discovery(&self) -> Value {
        self.with_instructions(json!({
            "resultType": "complete",
            "supportedVersions": ADVERTISED.map(Version::as_str),
            "capabilities": capabilities(),
            "ttlMs": 3_600_000,
            "cacheScope": "private",
            "_meta": {SERVER_INFO: self.server()},
        }))
    }

    /// Adds what a model is told, if there is something.
    fn with_instructions(&self, mut result: Value) -> Value {
        if let (false, Some(fields)) = (self.facts.instructions.is_empty(), result.as_object_mut()) {
            fields.insert("instructions".to_owned(), self.facts.instructions.into());
        }
        result
    }

    fn server(&self) -> Value {
        json!({"name": "memdir", "title": "memdir", "version": self.facts.version})
    }
}

impl Call {
    /// The answer with a result.
    #[must_use]
    pub fn result(&self, mut result: Map<String, Value>) -> Value {
        if !self.version.has_handshake() {
            result.insert("resultType".to_owned(), "complete".into());
            if let Some(time) = self.method.time_to_live() {
                result.insert("ttlMs".to_owned(), time.into());
                result.insert("cacheScope".to_owned(), "private".into());
            }
            result.insert("_meta".to_owned(), json!({SERVER_INFO: self.server}));
        }
        result_answer(&self.id, result.into())
    }

    /// The answer with an error.
    #[must_use]
    pub fn error(&self, error: &RpcError) -> Value {
        let mut error = error.clone();
        if error.code == RpcError::RESOURCE_NOT_FOUND && !self.version.has_handshake() {
            error.code = RpcError::INVALID_PARAMS;
        }
        error_answer(Some(&self.id), &error)
    }

    /// The answer that first asks the client where it works.
    fn ask_back(&self) -> Value {
        let result = json!({
            "resultType": "input_required",
            "inputRequests": {"roots": {"method": "roots/list"}},
            "_meta": {SERVER_INFO: self.server},
        });
        result_answer(&self.id, result)
    }
}

fn capabilities() -> Value {
    json!({
        "tools": {},
        "resources": {"subscribe": true, "listChanged": true},
        "prompts": {},
        "completions": {},
    })
}

fn client(info: Option<&Value>, capabilities: Option<&Value>) -> Client {
    let name = info.and_then(|info| info.get("name")).and_then(Value::as_str).unwrap_or_default();
    let name: String = name.chars().filter(|c| !crate::hidden_char::is_hidden(*c)).take(60).collect();
    let has_roots =
        capabilities.and_then(|capabilities| capabilities.get("roots")).is_some_and(Value::is_object);
    Client { name: if name.trim().is_empty() { Client::default().name } else { name }, has_roots }
}

fn roots_id(number: u64) -> String {
    format!("memdir-roots-{number}")
}

/// No client works in more places than we look at.
const MAX_ROOTS: usize = 64;

fn root_uris(answer: Option<&Value>) -> Vec<String> {
    let roots = answer.and_then(|answer| answer.get("roots")).and_then(Value::as_array);
    let uris = roots.into_iter().flatten().filter_map(|root| root.get("uri").and_then(Value::as_str));
    uris.take(MAX_ROOTS).map(str::to_owned).collect()
}

fn subscription(id: &Id) -> Map<String, Value> {
    Map::from_iter([("_meta".to_owned(), json!({SUBSCRIPTION_ID: id.to_value()}))])
}
