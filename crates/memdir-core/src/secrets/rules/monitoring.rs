//! Logs, metrics, errors, incidents, analytics, feature flags.

use crate::secrets::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::prefixed("grafana-service-account", &["glsa_"], r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    Rule::prefixed("grafana-cloud-token", &["glc_"], r"glc_[A-Za-z0-9+/]{32,}={0,2}"),
    Rule::prefixed("grafana-api-key", &["eyJrIjoi"], r"eyJrIjoi[A-Za-z0-9+/]{60,}={0,2}"),
    Rule::prefixed("sentry-user-token", &["sntryu_"], r"sntryu_[0-9a-f]{64}"),
    Rule::prefixed("sentry-org-token", &["sntrys_"], r"sntrys_eyJ[A-Za-z0-9+/=_-]{40,}"),
    Rule::prefixed("sentry-integration-token", &["sntrya_", "sntryi_"], r"sntry[ai]_[0-9a-f]{64}"),
    Rule::prefixed("newrelic-user-key", &["NRAK-"], r"NRAK-[A-Z0-9]{27}"),
    Rule::prefixed("newrelic-insert-key", &["NRII-"], r"NRII-[A-Za-z0-9_-]{32}"),
    Rule::prefixed("newrelic-query-key", &["NRIQ-"], r"NRIQ-[A-Za-z0-9_-]{32}"),
    Rule::prefixed("newrelic-admin-key", &["NRAA-"], r"NRAA-[0-9a-f]{27}"),
    Rule::prefixed("newrelic-browser-key", &["NRJS-"], r"NRJS-[0-9a-f]{19}"),
    Rule::around("newrelic-license-key", &["NRAL"], 36, r"[0-9a-f]{36}NRAL"),
    Rule::prefixed("datadog-app-key", &["ddapp_"], r"ddapp_[A-Za-z0-9]{34}"),
    Rule::prefixed("datadog-pat", &["ddpat_"], r"ddpat_[A-Za-z0-9_-]{30,}"),
    Rule::prefixed(
        "honeycomb-key",
        &["hcaik_", "hcalk_", "hcxik_", "hcxlk_", "hcamk_"],
        r"hc[ax][ilm]k_[A-Za-z0-9]{50,}",
    ),
    Rule::prefixed("logfire-token", &["pylf_v1_"], r"pylf_v\d_(?:us|eu)_[A-Za-z0-9]{30,}"),
    Rule::prefixed("posthog-personal-key", &["phx_"], r"phx_[A-Za-z0-9]{40,}"),
    Rule::prefixed(
        "launchdarkly-sdk-key",
        &["sdk-"],
        r"sdk-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    Rule::prefixed("statsig-key", &["secret-"], r"secret-[A-Za-z0-9]{40,50}"),
    Rule::phrase("split-key", &["SPLIT_API_KEY"], r#"SPLIT_API_KEY["']?\s*[:=]\s*["']?([a-z0-9]{40,60})"#),
    Rule::prefixed("rootly-key", &["rootly_"], r"rootly_[0-9a-f]{64}"),
    Rule::prefixed("incident-io-key", &["inc_"], r"inc_[0-9a-f]{64}"),
    Rule::phrase(
        "better-stack-token",
        &["LOGTAIL_SOURCE_TOKEN", "BETTERSTACK"],
        r#"(?:LOGTAIL_SOURCE_TOKEN|BETTERSTACK[A-Z_]*TOKEN)["']?\s*[:=]\s*["']?([A-Za-z0-9]{24})"#,
    ),
    Rule::prefixed(
        "axiom-token",
        &["xaat-", "xapt-"],
        r"xa[ap]t-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    Rule::prefixed("prefect-key", &["pnu_", "pnb_"], r"pn[ub]_[A-Za-z0-9]{36}"),
    Rule::prefixed("checkly-key", &["cu_"], r"cu_[0-9a-f]{32}"),
    Rule::prefixed("readme-key", &["rdme_"], r"rdme_[a-z0-9]{70}"),
    Rule::prefixed("segment-token", &["sgp_"], r"sgp_[A-Za-z0-9]{64}"),
    Rule::phrase(
        "instana-token",
        &["INSTANA_API_TOKEN"],
        r#"INSTANA_API_TOKEN["']?\s*[:=]\s*["']?([A-Za-z0-9_-]{22})"#,
    ),
    Rule::phrase(
        "sumologic-key",
        &["SUMO_ACCESS_KEY", "SUMOLOGIC_ACCESSKEY"],
        r#"SUMO[A-Z_]*KEY["']?\s*[:=]\s*["']?([A-Za-z0-9]{64})"#,
    ),
    Rule::prefixed("defined-networking-token", &["dnkey-"], r"dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
    Rule::prefixed("elastic-key", &["essu_"], r"essu_[A-Za-z0-9+/]{60,}={0,2}"),
];
