//! Which hosts and origins are answered.
//!
//! A page in a browser can send requests here, under a name that was made to point here. Such a request says
//! so: in `Host`, which is then not ours, or in `Origin`, which no program but a browser sends.

use crate::api_error::ApiError;

/// The names under which the server is known.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    names: Vec<String>,
    /// Whether a proxy in front says where requests come from.
    pub behind_proxy: bool,
}

impl Gate {
    /// A gate for this machine's own names and some others.
    #[must_use]
    pub fn new(names: impl IntoIterator<Item = String>, behind_proxy: bool) -> Self {
        Self { names: names.into_iter().map(|name| name.to_ascii_lowercase()).collect(), behind_proxy }
    }

    /// Whether a request with these headers may come in.
    ///
    /// # Errors
    /// It may not.
    pub fn check(&self, hosts: &[&[u8]], origins: &[&[u8]]) -> Result<(), ApiError> {
        let [host] = hosts else { return Err(wrong_host()) };
        if !std::str::from_utf8(host).is_ok_and(|host| self.knows(host)) {
            return Err(wrong_host());
        }
        self.check_origins(origins)
    }

    /// Whether a request of these pages may come in, whatever host it names.
    ///
    /// # Errors
    /// It may not.
    pub fn check_origins(&self, origins: &[&[u8]]) -> Result<(), ApiError> {
        for origin in origins {
            let host = std::str::from_utf8(origin).ok().and_then(|origin| {
                origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
            });
            if !host.is_some_and(|host| self.knows(host)) {
                return Err(ApiError::new("wrong_origin", "requests of other pages are not answered"));
            }
        }
        Ok(())
    }

    fn knows(&self, host: &str) -> bool {
        let Some(name) = without_port(host) else { return false };
        let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
        let is_loopback = name.eq_ignore_ascii_case("localhost")
            || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        is_loopback || self.names.iter().any(|known| name.eq_ignore_ascii_case(known))
    }
}

/// The name of a host as `Host` writes it: without what is around it in an address, which no host name has.
///
/// # Errors
/// It is not a name.
pub fn host_name(text: &str) -> Result<String, String> {
    if let Ok(address) = text.trim_matches(['[', ']']).parse::<std::net::Ipv6Addr>() {
        return Ok(format!("[{address}]"));
    }
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    if text.is_empty() || !text.chars().all(fits) {
        return Err("a name is a host alone, such as `memory.example.com`: no `https://`, no port".to_owned());
    }
    Ok(text.to_owned())
}

fn wrong_host() -> ApiError {
    ApiError::new(
        "wrong_host",
        "this server is not known under that name; its operator can add it with `--name`",
    )
}

/// The host of `host:port`; `None` where it cannot be one.
fn without_port(host: &str) -> Option<&str> {
    let is_port =
        |port: &str| (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(rest) = host.strip_prefix('[') {
        let (address, port) = rest.split_once(']')?;
        let fits = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        return (fits && !address.is_empty()).then(|| host.get(..address.len() + 2)).flatten();
    }
    match host.split_once(':') {
        None => Some(host),
        Some((name, port)) => is_port(port).then_some(name),
    }
    .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_host_and_nothing_else() {
        for (text, expected) in [
            ("memory.example.com", Some("memory.example.com")),
            ("Memory_2", Some("Memory_2")),
            ("10.0.0.5", Some("10.0.0.5")),
            ("2001:db8::1", Some("[2001:db8::1]")),
            ("[2001:DB8::1]", Some("[2001:db8::1]")),
            ("https://memory.example.com", None),
            ("memory.example.com:443", None),
            ("memory.example.com/", None),
            ("*.example.com", None),
            ("a b", None),
            ("", None),
        ] {
            let name = host_name(text).ok();
            assert_eq!(name.as_deref(), expected, "{text}");
            let gate = Gate::new(name.clone(), false);
            assert!(name.is_none_or(|name| gate.knows(&name) && gate.knows(&format!("{name}:443"))));
        }
    }

    #[test]
    fn only_known_names_come_in() {
        let gate = Gate::new(["Memory.example.com".to_owned()], false);
        let check = |host: &str, origin: Option<&str>, expected: Option<&str>| {
            let origins: Vec<&[u8]> = origin.iter().map(|origin| origin.as_bytes()).collect();
            let refused = gate.check(&[host.as_bytes()], &origins).err().map(|error| error.code);
            assert_eq!(refused, expected, "{host} {origin:?}");
        };
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:8787",
            "127.9.9.9",
            "[::1]",
            "[::1]:8787",
            "memory.example.com",
            "MEMORY.example.com:443",
        ] {
            check(host, None, None);
            check(host, Some(&format!("https://{host}")), None);
        }
        for host in [
            "",
            ":80",
            "evil.example",
            "localhost.evil.example",
            "memory.example.com.evil",
            "10.0.0.1",
            "[::2]",
            "::1",
            "[::1",
            "localhost:",
            "localhost:x",
            "localhost:80:80",
            "user@localhost",
            "127.0.0.1.nip.io",
            "[::1]x",
        ] {
            check(host, None, Some("wrong_host"));
        }
        for origin in [
            "null",
            "",
            "https://evil.example",
            "file://",
            "ftp://localhost",
            "http://localhost@evil.example",
        ] {
            check("localhost", Some(origin), Some("wrong_origin"));
        }
        assert!(gate.check(&[], &[]).is_err());
        assert!(gate.check(&[b"localhost", b"localhost"], &[]).is_err());
    }
}
