//! How the way to a database is to be secured, as its address says it.

use camino::{Utf8Path, Utf8PathBuf};

use crate::storage::StorageError;

/// An address without what is said about encryption, and that.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConnectionAddress {
    pub(super) url: String,
    /// Who vouches for the database; `None`: nothing is encrypted.
    pub(super) certificates: Option<Utf8PathBuf>,
}

/// Where systems keep the certificates of those whom everybody believes.
const OF_THE_SYSTEM: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

impl ConnectionAddress {
    /// Reads `sslmode` and `sslrootcert`. Encryption always means that everything is checked: an encrypted connection to
    /// another process would be none.
    pub(super) fn of(url: &str, certificates: Option<&Utf8Path>) -> Result<Self, StorageError> {
        let (address, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut others, mut mode, mut root) = (Vec::new(), "prefer", None);
        for part in query.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("sslmode", value)) => mode = value,
                Some(("sslrootcert", value)) => root = Some(decoded(value).ok_or_else(unreadable)?),
                _ => others.push(part),
            }
        }
        let is_wanted = match mode {
            "disable" | "allow" | "prefer" => false,
            "require" | "verify-ca" | "verify-full" => true,
            _ => return Err(unreadable()),
        };
        let named = certificates.map(Utf8Path::to_owned).or_else(|| root.map(Utf8PathBuf::from));
        let certificates =
            if !is_wanted || named.is_some() {
                named
            } else {
                let system = OF_THE_SYSTEM.map(Utf8Path::new).into_iter().find(|path| path.is_file());
                let system = system.map(Utf8Path::to_owned);
                Some(system.ok_or_else(|| {
                    StorageError::Failed("say with `--db-ca` who vouches for it".to_owned())
                })?)
            };
        let rest = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
        Ok(Self { url: format!("{address}{rest}"), certificates })
    }
}

fn unreadable() -> StorageError {
    let known = "disable, allow, prefer, require, verify-ca or verify-full";
    StorageError::Failed(format!("`sslmode` is {known}, and `sslrootcert` a file"))
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let value = digit(rest.next())? * 16 + digit(rest.next())?;
            bytes.push(u8::try_from(value).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_whether_the_way_is_encrypted() {
        let check = |url: &str, given: Option<&str>, expected: Option<(&str, Option<&str>)>| {
            let way = ConnectionAddress::of(url, given.map(Utf8Path::new)).ok();
            let found = way.as_ref().map(|way| (way.url.as_str(), way.certificates.as_deref()));
            assert_eq!(found, expected.map(|(url, file)| (url, file.map(Utf8Path::new))), "{url}");
        };
        check("postgres://h/d", None, Some(("postgres://h/d", None)));
        check("postgres://h/d?sslmode=prefer&x=1", None, Some(("postgres://h/d?x=1", None)));
        check("postgres://h/d", Some("/ca"), Some(("postgres://h/d", Some("/ca"))));
        check(
            "postgres://h/d?sslmode=verify-full&sslrootcert=/a%20b",
            None,
            Some(("postgres://h/d", Some("/a b"))),
        );
        check("postgres://h/d?sslmode=require", Some("/ca"), Some(("postgres://h/d", Some("/ca"))));
        check("postgres://h/d?sslrootcert=/a", None, Some(("postgres://h/d", Some("/a"))));
        check("postgres://h/d?sslmode=perhaps", None, None);
        check("postgres://h/d?sslmode=require&sslrootcert=%f", None, None);
    }
}
