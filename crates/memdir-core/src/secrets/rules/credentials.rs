//! Credentials in headers, files and command lines, of any issuer.

use crate::secrets::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule::prefixed("json-web-token", &["eyJ"], r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}").web_token(),
    Rule::prefixed("json-web-token", &["ZXlK"], r"ZXlK[A-Za-z0-9+/_-]{100,}={0,2}"),
    Rule::phrase("bearer-token", &["bearer"], r#"(?i:bearer)(?:\s+|%20)["']?([A-Za-z0-9_.~+/-]{16,}={0,2})"#),
    Rule::phrase("basic-auth", &["basic "], r#"(?i:basic)\s+["']?([A-Za-z0-9+/]{8,}={0,2})"#).user_and_password(),
    Rule::phrase("docker-auth", &["\"auth\""], r#""auth"\s*:\s*"([A-Za-z0-9+/]{12,}={0,2})""#).user_and_password(),
    Rule::phrase("npmrc-auth", &["_auth"], r#"_auth\s*=\s*"?([A-Za-z0-9+/]{12,}={0,2})"#).user_and_password(),
    Rule::command("session-cookie", &["cookie:"], r#"(?i:cookie):[^\n]*?(?:(?i:sess|sid\b|sid=|auth|token|jwt|remember|login)[A-Za-z0-9_.-]*=|PHPSESSID=|JSESSIONID=)([A-Za-z0-9%_.:+/=-]{16,})"#),
    Rule::prefixed("session-cookie", &["PHPSESSID", "JSESSIONID", "ASP.NET_SessionId", "connect.sid"], r"(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid)=([A-Za-z0-9%_.:+/=-]{16,})"),
    Rule::phrase("netrc-password", &["machine "], r"machine\s+\S+\s+login\s+\S+\s+password\s+(\S{4,})").password(),
    Rule::around("pgpass-password", &[":5432:", ":*:", ":3306:", ":6432:"], 120, r"(?:^|[\n`])[A-Za-z0-9._*-]{1,}:(?:\d{2,5}|\*):[A-Za-z0-9_*-]{1,64}:[A-Za-z0-9_*.@-]{1,64}:([^\s:`]{5,})").password(),
    Rule::around("htpasswd-hash", &[":$apr1$"], 64, r"[A-Za-z0-9._@-]{1,60}:(\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22})"),
    Rule::around("htpasswd-hash", &[":$2y$"], 64, r"(?:^|[\n`])[A-Za-z0-9._@-]{1,60}:(\$2y\$\d\d\$[./A-Za-z0-9]{53})"),
    Rule::around("shadow-hash", &[":$6$", ":$5$", ":$y$"], 64, r"(?:^|[\n`])[a-z_][a-z0-9_-]{0,31}:(\$(?:6|5|y)\$[^\s:]{20,}):\d{0,6}:"),
    Rule::phrase("curl-user", &["-u ", "--user ", "-u\"", "-u'"], r#"(?:-u|--user)\s*["']?[^\s:"'/@]{1,64}:([^\s"'`@]{5,})"#).password(),
    Rule::phrase("sshpass-password", &["sshpass"], r#"sshpass\s+-p\s*["']?([^\s"'`]{4,})"#).password(),
    Rule::command("mysql-password", &["mysql", "mariadb"], r#"(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\s[^\n|;]*?\s?-p["']?([^\s"'`-][^\s"'`]{4,})"#).password(),
    Rule::command("docker-login-password", &["docker login", "podman login", "helm registry login", "az login", "oc login", "sqlcmd", "mongosh", "mongodump", "ldapsearch", "smbclient", "net use"], r#"[a-z ]+[^\n|;]*?\s(?:-p|-P|-w)\s+["']?([^\s"'`-][^\s"'`]{4,})"#).password(),
    Rule::command("redis-password", &["redis-cli"], r#"redis-cli\s[^\n|;]*?-a\s+["']?([^\s"'`]{5,})"#).password(),
    Rule::phrase("sql-password", &["identified by"], r#"(?i:identified\s+by)\s+["']([^"'\n]{4,})["']"#).password(),
    Rule::phrase("secure-string", &["ConvertTo-SecureString"], r#"(?i:convertto-securestring)\s+(?:-String\s+)?["']([^"'\n]{5,})["']"#).password(),
    Rule::command("seed-phrase", &["seed phrase", "mnemonic", "recovery phrase", "seed_phrase"], r#"(?i:seed[ _]phrase|mnemonic|recovery phrase)[^\n]*?[:=]\s*["'`]?((?:[a-z]{3,8} ){11}(?:(?:[a-z]{3,8} ){12})?[a-z]{3,8})"#).shape_only(),
    Rule::phrase("ethereum-private-key", &["private_key", "PRIVATE_KEY", "privateKey", "private key"], r#"(?i:private[ _]?key)["'`]?\s*(?:[:=]|is)\s*["'`]?((?:0x)?[0-9a-f]{64})"#),
    Rule::prefixed("signed-url", &["X-Amz-Security-Token="], r"X-Amz-Security-Token=([A-Za-z0-9%+/=]{60,})"),
    Rule::phrase("ansible-become-password", &["ansible_become_pass", "ansible_ssh_pass", "ansible_password"], r#"ansible_(?:become_pass|become_password|ssh_pass|password)\s*[:=]\s*["']?([^\s"'{]{4,})"#).password(),
];
