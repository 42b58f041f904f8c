//! Chat, mail, telephony, social networks.

use crate::secrets::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::prefixed("slack-bot-token", &["xoxb-"], r"xoxb-[0-9A-Za-z-]{20,}"),
    Rule::prefixed("slack-user-token", &["xoxp-"], r"xoxp-[0-9A-Za-z-]{20,}"),
    Rule::prefixed(
        "slack-token",
        &["xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-"],
        r"xox[arsoe]-(?:\d-)?[0-9A-Za-z-]{20,}",
    ),
    Rule::prefixed("slack-token", &["xoxe.xox"], r"xoxe\.xox[bp]-\d-[0-9A-Za-z]{40,}"),
    Rule::prefixed("slack-session", &["xoxc-", "xoxd-"], r"xox[cd]-[0-9A-Za-z%+/-]{20,}"),
    Rule::prefixed("slack-app-token", &["xapp-"], r"xapp-\d-[A-Z0-9]{6,}-\d{6,}-[0-9a-f]{40,}"),
    Rule::prefixed(
        "slack-webhook",
        &["hooks.slack.com/"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9]{8,}/[A-Za-z0-9]{8,}/[A-Za-z0-9/]{16,})",
    ),
    Rule::prefixed(
        "discord-webhook",
        &["discord.com/api/", "discordapp.com/api/"],
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{16,20}/([A-Za-z0-9_-]{60,80})",
    ),
    Rule::prefixed("discord-mfa-token", &["mfa."], r"mfa\.[A-Za-z0-9_-]{84}"),
    Rule::around("telegram-bot-token", &[":AA"], 13, r"(?:\bbot|\b)(\d{8,10}:AA[A-Za-z0-9_-]{32,34})"),
    Rule::prefixed("twilio-api-key", &["SK"], r"SK[0-9a-f]{32}"),
    Rule::prefixed("sendgrid-key", &["SG."], r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{39,50}"),
    Rule::prefixed("mailgun-key", &["key-"], r"key-[0-9a-f]{32}"),
    Rule::prefixed("mailgun-key", &["key-"], r"key-[0-9a-z]{32}"),
    Rule::around("mailchimp-key", &["-us"], 32, r"[0-9a-f]{32}-us\d{1,2}"),
    Rule::prefixed("mandrill-key", &["md-"], r"md-[A-Za-z0-9_-]{22}"),
    Rule::prefixed("brevo-key", &["xkeysib-", "xsmtpsib-"], r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    Rule::prefixed("resend-key", &["re_"], r"re_[A-Za-z0-9]{7,9}_[A-Za-z0-9]{22,28}"),
    Rule::phrase(
        "postmark-token",
        &["X-Postmark-Server-Token", "POSTMARK"],
        r#"(?i:x-postmark-server-token|postmark[a-z_]*token)["']?\s*[:=]\s*["']?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"#,
    ),
    Rule::phrase(
        "mailjet-key",
        &["MJ_APIKEY"],
        r#"MJ_APIKEY_(?:PUBLIC|PRIVATE)["']?\s*[:=]\s*["']?([0-9a-f]{32})"#,
    ),
    Rule::prefixed("mailersend-key", &["mlsn."], r"mlsn\.[0-9a-f]{64}"),
    Rule::phrase(
        "plivo-key",
        &["PLIVO_AUTH_TOKEN"],
        r#"PLIVO_AUTH_TOKEN["']?\s*[:=]\s*["']?([A-Za-z0-9]{40})"#,
    ),
    Rule::prefixed("facebook-token", &["EAA"], r"EAA[A-Za-z0-9]{90,}"),
    Rule::prefixed("facebook-page-token", &["EAAG", "EAAC", "EAAB"], r"EAA[BCG][A-Za-z0-9]{60,}"),
    Rule::prefixed("instagram-token", &["IGQ"], r"IGQ[A-Za-z0-9_-]{100,}").standing_alone(),
    Rule::prefixed("twitter-bearer", &["AAAAAAAAAAAAAAAAAAAAA"], r"A{21,23}[A-Za-z0-9%]{60,}"),
    Rule::prefixed("linkedin-secret", &["WPL_AP"], r"WPL_AP\d\.[A-Za-z0-9]{16}\.[A-Za-z0-9+/=]{8,}"),
    Rule::phrase(
        "line-channel-token",
        &["LINE_CHANNEL"],
        r#"LINE_CHANNEL[A-Z_]*["']?\s*[:=]\s*["']?([A-Za-z0-9+/]{100,}={0,2})"#,
    ),
    Rule::prefixed(
        "teams-webhook",
        &["webhook.office.com/"],
        r"webhook\.office\.com/webhookb2/([0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-zA-Z]{32}/[0-9a-f-]{36})",
    ),
    Rule::prefixed(
        "teams-webhook",
        &["outlook.office.com/webhook/"],
        r"outlook\.office\.com/webhook/([0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-zA-Z]{32}/[0-9a-f-]{36})",
    ),
    Rule::prefixed(
        "google-chat-webhook",
        &["chat.googleapis.com/"],
        r"chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_-]+/messages\?key=[A-Za-z0-9_-]+&token=([A-Za-z0-9_%-]{30,})",
    ),
    Rule::prefixed("feishu-webhook", &["/open-apis/bot/v2/hook/"], r"/open-apis/bot/v2/hook/([0-9a-f-]{36})"),
    Rule::prefixed(
        "dingtalk-webhook",
        &["oapi.dingtalk.com/robot/send"],
        r"oapi\.dingtalk\.com/robot/send\?access_token=([0-9a-f]{64})",
    ),
    Rule::prefixed(
        "wecom-webhook",
        &["qyapi.weixin.qq.com/cgi-bin/webhook/"],
        r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=([0-9a-f-]{36})",
    ),
    Rule::prefixed(
        "zapier-webhook",
        &["hooks.zapier.com/"],
        r"hooks\.zapier\.com/hooks/catch/(\d{5,}/[a-z0-9]{6,})",
    )
    .shape_only(),
    Rule::prefixed(
        "make-webhook",
        &[".make.com/", ".integromat.com/"],
        r"\.(?:make|integromat)\.com/([a-z0-9]{28,36})",
    ),
    Rule::prefixed(
        "ifttt-webhook",
        &["maker.ifttt.com/"],
        r"maker\.ifttt\.com/trigger/\w+/(?:json/)?with/key/([A-Za-z0-9_-]{20,})",
    ),
    Rule::phrase(
        "pipedream-webhook",
        &["PIPEDREAM_API_KEY"],
        r#"PIPEDREAM_API_KEY["']?\s*[:=]\s*["']?([0-9a-f]{32})"#,
    ),
    Rule::prefixed("onesignal-key", &["os_v2_"], r"os_v2_(?:app|org)_[a-z0-9]{80,}"),
    Rule::phrase(
        "stream-secret",
        &["STREAM_API_SECRET"],
        r#"STREAM_API_SECRET["']?\s*[:=]\s*["']?([a-z0-9]{60,70})"#,
    ),
    Rule::prefixed("sendinblue-key", &["xkeysib-"], r"xkeysib-[0-9a-f]{40,}-[A-Za-z0-9]{10,}"),
    Rule::prefixed("fcm-server-key", &["AAAA"], r"AAAA[A-Za-z0-9_-]{7}:APA91[A-Za-z0-9_-]{100,}"),
];
