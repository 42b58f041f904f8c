//! Payments, commerce, finance.

use crate::secrets::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::prefixed("stripe-live-key", &["sk_live_"], r"sk_live_[A-Za-z0-9_]{16,}"),
    Rule::prefixed("stripe-test-key", &["sk_test_"], r"sk_test_[A-Za-z0-9_]{16,}"),
    Rule::prefixed("stripe-restricted-key", &["rk_live_", "rk_test_"], r"rk_(?:live|test)_[A-Za-z0-9_]{16,}"),
    Rule::prefixed("stripe-organisation-key", &["sk_org_"], r"sk_org_(?:live_|test_)?[A-Za-z0-9]{16,}"),
    Rule::prefixed("stripe-webhook-secret", &["whsec_"], r"whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    Rule::prefixed("square-token", &["sq0atp-"], r"sq0atp-[A-Za-z0-9_-]{22,}"),
    Rule::prefixed("square-secret", &["sq0csp-"], r"sq0csp-[A-Za-z0-9_-]{40,}"),
    Rule::prefixed("square-token", &["EAAA"], r"EAAA[A-Za-z0-9_-]{58,64}"),
    Rule::prefixed(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shpua_"],
        r"shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}",
    ),
    Rule::prefixed("shopify-cli-token", &["atkn_"], r"atkn_[A-Za-z0-9_-]{32,}"),
    Rule::prefixed("shopify-partner-token", &["prtapi_"], r"prtapi_[0-9a-f]{32}"),
    Rule::prefixed(
        "paypal-braintree-token",
        &["access_token$"],
        r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
    ),
    Rule::prefixed("adyen-key", &["AQE"], r"AQE[A-Za-z0-9]{5}[A-Za-z0-9+/=._-]{70,}").standing_alone(),
    Rule::prefixed("razorpay-key", &["rzp_live_", "rzp_test_"], r"rzp_(?:live|test)_[A-Za-z0-9]{14,}"),
    Rule::prefixed("paystack-key", &["sk_live_", "sk_test_"], r"sk_(?:live|test)_[0-9a-f]{40}"),
    Rule::prefixed("flutterwave-key", &["FLWSECK"], r"FLWSECK(?:_TEST)?-[0-9A-Za-z]{12,}(?:-X)?"),
    Rule::prefixed("mollie-key", &["live_", "test_"], r"(?:live|test)_[A-Za-z0-9]{30}"),
    Rule::prefixed("gocardless-token", &["live_"], r"live_[A-Za-z0-9_=-]{40}"),
    Rule::prefixed("lemonsqueezy-key", &["lmnsq_"], r"lmnsq_[A-Za-z0-9]{32,}"),
    Rule::prefixed(
        "paddle-key",
        &["pdl_"],
        r"pdl_(?:live|sdbx)_(?:apikey|api)_[a-z0-9]{20,}_[A-Za-z0-9]{20,}_[A-Za-z0-9]{2,4}",
    ),
    Rule::prefixed("polar-token", &["polar_oat_", "polar_pat_"], r"polar_(?:oat|pat)_[A-Za-z0-9_-]{32,}"),
    Rule::prefixed(
        "plaid-token",
        &["access-sandbox-", "access-production-", "access-development-"],
        r"access-(?:sandbox|production|development)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    Rule::prefixed("coinbase-key", &["organizations/"], r"organizations/[0-9a-f-]{36}/apiKeys/[0-9a-f-]{36}"),
    Rule::prefixed("easypost-key", &["EZAK", "EZTK"], r"EZ[AT]K[A-Za-z0-9]{54}"),
    Rule::prefixed(
        "shippo-token",
        &["shippo_live_", "shippo_test_"],
        r"shippo_(?:live|test)_[0-9a-fA-F]{40}",
    ),
    Rule::prefixed(
        "duffel-token",
        &["duffel_live_", "duffel_test_"],
        r"duffel_(?:live|test)_[A-Za-z0-9_=-]{43}",
    ),
    Rule::prefixed("lob-key", &["live_", "test_"], r"(?:live|test)_(?:pub_)?[0-9a-f]{35}"),
    Rule::prefixed(
        "chargebee-key",
        &["live_", "test_"],
        r"(?:live|test)_[A-Za-z0-9]{24,40}cu[A-Za-z0-9]{8,}",
    ),
    Rule::prefixed("clerk-secret-key", &["sk_live_", "sk_test_"], r"sk_(?:live|test)_[A-Za-z0-9]{40,50}"),
    Rule::prefixed("frame-io-token", &["fio-u-"], r"fio-u-[A-Za-z0-9_=-]{64}"),
];
