//! Private keys that are written as one token; armoured blocks are found by `armour.rs`.

use crate::secrets::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::prefixed("age-secret-key", &["AGE-SECRET-KEY-1"], r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    Rule::prefixed("age-plugin-key", &["AGE-PLUGIN-"], r"AGE-PLUGIN-[A-Z0-9]+-1[0-9A-Z]{20,}"),
    // Base64 of `-----BEGIN … PRIVATE KEY`, as kubeconfig files and CI variables carry it.
    Rule::prefixed(
        "encoded-private-key",
        &["LS0tLS1CRUdJTiBSU0EgUFJJVkFUR"],
        r"LS0t[A-Za-z0-9+/]{60,}={0,2}",
    ),
    Rule::prefixed(
        "encoded-private-key",
        &["LS0tLS1CRUdJTiBQUklWQVRFIEtFW"],
        r"LS0t[A-Za-z0-9+/]{60,}={0,2}",
    ),
    Rule::prefixed(
        "encoded-private-key",
        &["LS0tLS1CRUdJTiBFQyBQUklWQVRFI"],
        r"LS0t[A-Za-z0-9+/]{60,}={0,2}",
    ),
    Rule::prefixed(
        "encoded-private-key",
        &["LS0tLS1CRUdJTiBPUEVOU1NIIFBSS"],
        r"LS0t[A-Za-z0-9+/]{60,}={0,2}",
    ),
    Rule::prefixed(
        "encoded-private-key",
        &["LS0tLS1CRUdJTiBFTkNSWVBURUQgU"],
        r"LS0t[A-Za-z0-9+/]{60,}={0,2}",
    ),
    Rule::prefixed(
        "encoded-private-key",
        &["LS0tLS1CRUdJTiBQR1AgUFJJVkFUR"],
        r"LS0t[A-Za-z0-9+/]{60,}={0,2}",
    ),
    // The OpenSSH format begins with the magic words `openssh-key-v1`.
    Rule::prefixed(
        "openssh-private-key",
        &["b3BlbnNzaC1rZXktdjE"],
        r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{60,}={0,2}",
    ),
    Rule::prefixed(
        "extended-private-key",
        &["xprv", "yprv", "zprv", "tprv"],
        r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,}",
    ),
    Rule::phrase(
        "stellar-secret-seed",
        &["stellar_secret", "STELLAR_SEED"],
        r"(?i:stellar_(?:secret|seed))\w*\W{1,5}(S[A-Z2-7]{55})",
    ),
    Rule::prefixed("nostr-secret-key", &["nsec1"], r"nsec1[02-9ac-hj-np-z]{58}"),
    Rule::prefixed("minisign-secret-key", &["RWRTY0Iy"], r"RWRTY0Iy[A-Za-z0-9+/]{180,}={0,2}"),
    Rule::prefixed(
        "tailscale-key",
        &["tskey-"],
        r"tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{6,}(?:CNTRL)?-[A-Za-z0-9]{16,}",
    ),
    Rule::prefixed("tailscale-key", &["tskey-"], r"tskey-[a-z0-9]{6,}-[A-Za-z0-9]{16,}"),
    Rule::command(
        "jwk-private-key",
        &["\"kty\""],
        r#""kty"\s*:\s*"(?:RSA|EC|OKP)"[^}]*?"d"\s*:\s*"([A-Za-z0-9_-]{32,})"#,
    ),
];
