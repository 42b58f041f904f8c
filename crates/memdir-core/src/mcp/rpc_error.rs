use serde_json::{Value, json};

/// An error as JSON-RPC says it.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// What kind.
    pub code: i32,
    /// What went wrong, in one line.
    pub message: String,
    /// What a program needs to go on.
    pub data: Option<Value>,
}

impl RpcError {
    /// The bytes are not valid JSON.
    pub const PARSE: i32 = -32700;
    /// The JSON is not a message.
    pub const INVALID_REQUEST: i32 = -32600;
    /// There is no such method here.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: i32 = -32602;
    /// Something failed on our side.
    pub const INTERNAL: i32 = -32603;
    /// There is no such resource, in the versions that have a code of their own for it.
    pub const RESOURCE_NOT_FOUND: i32 = -32002;
    /// The headers of an HTTP request say something else than its body.
    pub const HEADER_MISMATCH: i32 = -32020;
    /// The version that a request names is not served.
    pub const UNSUPPORTED_VERSION: i32 = -32022;

    /// An error without data.
    #[must_use]
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The parameters do not fit.
    #[must_use]
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_PARAMS, message)
    }

    /// There is no such method.
    #[must_use]
    pub fn method_not_found(method: &str) -> Self {
        let shown: String = method.chars().take(80).collect();
        Self::new(Self::METHOD_NOT_FOUND, format!("there is no method `{shown}`"))
    }

    /// A resource is not there. Which code says so depends on the version.
    #[must_use]
    pub fn resource_not_found(uri: &str) -> Self {
        Self {
            code: Self::RESOURCE_NOT_FOUND,
            message: "there is no such memory".to_owned(),
            data: Some(json!({ "uri": uri })),
        }
    }

    /// The HTTP status of an answer that is this error, where the version ties the two together.
    #[must_use]
    pub fn http_status(&self) -> u16 {
        match self.code {
            Self::PARSE
            | Self::INVALID_REQUEST
            | Self::INVALID_PARAMS
            | Self::HEADER_MISMATCH
            | Self::UNSUPPORTED_VERSION => 400,
            Self::METHOD_NOT_FOUND => 404,
            _ => 200,
        }
    }

    /// The error object.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.data {
            Some(data) => json!({"code": self.code, "message": self.message, "data": data}),
            None => json!({"code": self.code, "message": self.message}),
        }
    }
}
