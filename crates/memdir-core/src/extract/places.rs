use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use super::token::{Token, TokenKind};
use super::vocabulary::WordHasher;

/// Whether a token names a place outside the repository where things are kept: a tracker, a wiki, a channel.
pub(super) fn is_place(token: &Token<'_>) -> bool {
    match token.kind {
        TokenKind::Word => {
            let is_ordinary = ORDINARY.contains(&token.word.as_ref());
            let is_name = !is_ordinary || token.text.starts_with(|first: char| first.is_uppercase());
            is_name && NAMES.contains(token.word.as_ref())
        }
        TokenKind::Code => is_channel(token.text) || NAMES.contains(token.text.to_lowercase().as_str()),
        _ => false,
    }
}

/// `#deploys`, but neither `#123` nor a colour.
pub(super) fn is_channel(text: &str) -> bool {
    let Some(name) = text.strip_prefix('#') else { return false };
    name.len() > 2
        && name.starts_with(|character: char| character.is_alphabetic())
        && !name.bytes().all(|byte| byte.is_ascii_hexdigit())
        && name.chars().all(|character| character.is_alphanumeric() || matches!(character, '-' | '_'))
}

/// Names that are ordinary words too: only a capital tells.
const ORDINARY: [&str; 21] = [
    "linear",
    "notion",
    "slack",
    "drive",
    "teams",
    "vault",
    "discord",
    "looker",
    "loki",
    "harbor",
    "nexus",
    "honeycomb",
    "backstage",
    "elastic",
    "obsidian",
    "lark",
    "backlog",
    "outline",
    "coda",
    "swagger",
    "quip",
];

/// Names among other characters.
pub(super) const EASTERN_NAMES: [&str; 14] = [
    "飞书",
    "钉钉",
    "语雀",
    "腾讯文档",
    "企业微信",
    "石墨",
    "知识库",
    "禅道",
    "蓝湖",
    "共享盘",
    "スラック",
    "社内wiki",
    "共有フォルダ",
    "共有ドライブ",
];

/// The names, in lower case, that a text may hold.
pub(super) static NAMES: LazyLock<HashSet<&'static str, BuildHasherDefault<WordHasher>>> =
    LazyLock::new(|| place_names().collect());

/// Every name of [`NAMES`].
pub(super) fn place_names() -> impl Iterator<Item = &'static str> {
    LIST.split_whitespace()
}

const LIST: &str = "linear jira notion confluence slack grafana datadog kibana pagerduty sentry figma sharepoint asana \
    trello miro looker tableau metabase splunk basecamp clickup zendesk airtable 1password bitwarden bugzilla youtrack \
     phabricator opsgenie bigquery snowflake redash superset honeycomb newrelic prometheus loki jenkins \
    teamcity buildkite circleci artifactory nexus harbor backstage swaggerhub postman storybook zeplin invision \
    lucidchart dropbox gdrive onedrive   obsidian mattermost discord teams intercom freshdesk hubspot salesforce \
    servicenow statuspage rollbar bugsnag amplitude mixpanel launchdarkly optimizely argocd rancher mlflow wandb \
    huggingface kaggle overleaf zotero readthedocs gitbook wiki intranet   crowdin lokalise transifex \
    taiga redmine gitlab github bitbucket gitea    wrike smartsheet dingtalk feishu lark yuque \
    zentao tapd qiita kibela backlog  docbase chatwork rocketchat zulip telegram whatsapp drive   \
    dashlane passwortmanager gestor-de-contrasenas keepass sharedrive intranet-wiki vault   cloudwatch stackdriver elastic dynatrace appdynamics nagios zabbix \
    nas netzlaufwerk yapi swagger docusaurus coda quip targetprocess gerrit sourcegraph kobotoolbox redcap";
