//! The types of the client's other settings: one wrong value among them voids the whole file for memory too.

use std::collections::HashMap;

use serde_json::value::RawValue;

/// Checks the value of a key that we do not use ourselves.
///
/// # Errors
/// What the client expects there.
pub(super) fn check(key: &str, raw: &RawValue) -> Result<(), String> {
    let Some((_, kinds)) = KNOWN.iter().find(|(known, _)| *known == key) else { return Ok(()) };
    if !kinds.contains(&JsonKind::of(raw)) {
        let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
        return Err(names.join(" or "));
    }
    match key {
        "cleanupPeriodDays" if raw.get().starts_with('-') => Err("a number of days".to_owned()),
        "permissions" => check_permissions(raw),
        _ => Ok(()),
    }
}

/// The client forgives a bad rule in these lists, but not something else in their place.
fn check_permissions(raw: &RawValue) -> Result<(), String> {
    let parts: HashMap<String, &RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
    let is_wrong = |name: &&str| parts.get(*name).is_some_and(|part| JsonKind::of(part) != List);
    match ["allow", "ask", "deny", "additionalDirectories"].iter().find(|name| is_wrong(name)) {
        Some(name) => Err(format!("an object with a list as `{name}`")),
        None => Ok(()),
    }
}

/// The kinds of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonKind {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
}

impl JsonKind {
    /// The kind of a valid value, told by how it begins.
    fn of(value: &RawValue) -> Self {
        match value.get().bytes().next() {
            Some(b't' | b'f') => Bool,
            Some(b'"') => Text,
            Some(b'[') => List,
            Some(b'{') => Object,
            Some(b'-' | b'0'..=b'9') => Number,
            _ => Self::Null,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Bool => "true or false",
            Number => "a number",
            Text => "text",
            List => "a list",
            Object => "an object",
        }
    }
}

use JsonKind::{Bool, List, Number, Object, Text};

/// Observed one by one with version 2.1.325. A key that is missing here is taken for an unknown one, whose value
/// does not matter; the client forgives wrong values of some keys, and those are missing on purpose.
const KNOWN: &[(&str, &[JsonKind])] = &[
    ("$schema", &[Text]),
    ("advisorModel", &[Text]),
    ("agent", &[Text]),
    ("allowedChannelPlugins", &[List]),
    ("allowedHttpHookUrls", &[List]),
    ("alwaysThinkingEnabled", &[Bool]),
    ("apiKeyHelper", &[Text]),
    ("attribution", &[Bool, Object]),
    ("autoCompactEnabled", &[Bool]),
    ("autoDreamEnabled", &[Bool]),
    ("autoMode", &[Object]),
    ("autoUpdatesChannel", &[Text]),
    ("availableModels", &[List]),
    ("awsAuthRefresh", &[Text]),
    ("awsCredentialExport", &[Text]),
    ("claudeMd", &[Text]),
    ("cleanupPeriodDays", &[Number]),
    ("companyAnnouncements", &[List]),
    ("defaultShell", &[Text]),
    ("disableAllHooks", &[Bool]),
    ("disabledMcpjsonServers", &[Text, List]),
    ("enabledMcpjsonServers", &[Text, List]),
    ("enabledPlugins", &[Object]),
    ("fastMode", &[Bool]),
    ("feedbackSurveyRate", &[Number]),
    ("fileSuggestion", &[Object]),
    ("forceLoginOrgUUID", &[Text, List]),
    ("gcpAuthRefresh", &[Text]),
    ("httpHookAllowedEnvVars", &[List]),
    ("includeCoAuthoredBy", &[Bool]),
    ("includeGitInstructions", &[Bool]),
    ("language", &[Text]),
    ("minimumVersion", &[Text]),
    ("model", &[Text]),
    ("modelOverrides", &[Object]),
    ("otelHeadersHelper", &[Text]),
    ("outputStyle", &[Text]),
    ("permissions", &[Object]),
    ("plansDirectory", &[Text]),
    ("pluginConfigs", &[Object]),
    ("pluginTrustMessage", &[Text]),
    ("prefersReducedMotion", &[Bool]),
    ("promptSuggestionEnabled", &[Bool]),
    ("remote", &[Object]),
    ("respectGitignore", &[Bool]),
    ("sandbox", &[Object]),
    ("showThinkingSummaries", &[Bool]),
    ("showTurnDuration", &[Bool]),
    ("skillOverrides", &[Object]),
    ("spinnerTipsEnabled", &[Bool]),
    ("spinnerVerbs", &[Object]),
    ("sshConfigs", &[List]),
    ("statusLine", &[Object]),
    ("syntaxHighlightingDisabled", &[Bool]),
    ("terminalTitleFromRename", &[Bool]),
    ("tui", &[Text]),
    ("verbose", &[Bool]),
    ("voiceEnabled", &[Bool]),
    ("worktree", &[Object]),
];
