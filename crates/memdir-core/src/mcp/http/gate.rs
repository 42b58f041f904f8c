use super::Head;

/// Who may speak to the server: programs on this machine that know the token.
///
/// A web page that the user visits is on this machine too, in a way: its requests carry its origin, and, where a
/// name was made to point here, that name as host. So both must be of this machine.
#[derive(Debug, Clone)]
pub struct Gate {
    token: String,
}

/// A request that is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// The status that says so.
    pub status: u16,
    /// Why, in one line.
    pub why: &'static str,
}

impl Gate {
    /// A gate that this token opens.
    #[must_use]
    pub fn new(token: String) -> Self {
        Self { token }
    }

    /// Whether a request may be answered.
    ///
    /// # Errors
    /// The status and the reason, without a word about what would have been right.
    pub fn check(&self, head: &Head) -> Result<(), Refused> {
        if !head.header("host").is_some_and(|host| is_loopback_host(without_port(host))) {
            return Err(Refused { status: 403, why: "the host is not this machine" });
        }
        if head.header("origin").is_some_and(|origin| !is_loopback_origin(origin)) {
            return Err(Refused { status: 403, why: "the origin is not this machine" });
        }
        let given = head.header("authorization").and_then(bearer);
        if !given.is_some_and(|given| is_same(given.as_bytes(), self.token.as_bytes())) {
            return Err(Refused { status: 401, why: "a bearer token is needed" });
        }
        Ok(())
    }
}

/// Whether a name or address, without a port, can only mean this machine.
#[must_use]
pub fn is_loopback_host(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn is_loopback_origin(origin: &str) -> bool {
    let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    host.is_some_and(|host| is_loopback_host(without_port(host)))
}

/// The host of `host:port`; brackets stay.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            // A bare IPv6 address has colons of its own, and is not a valid host.
            if name.contains(':') && !name.ends_with(']') { host } else { name }
        }
        _ => host,
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Compares in a time that does not tell where the difference is. The token's length is not a secret.
fn is_same(given: &[u8], wanted: &[u8]) -> bool {
    let differences = given.iter().zip(wanted).fold(0, |sum, (one, other)| sum | (one ^ other));
    given.len() == wanted.len() && std::hint::black_box(differences) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_with_the_token_gets_through() {
        let gate = Gate::new("secret".to_owned());
        let check = |headers: &[(&str, &str)], expected: Result<(), u16>| {
            let headers: String =
                headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let request = format!("POST / HTTP/1.1\r\n{headers}\r\n");
            let (head, _) = Head::parse(request.as_bytes()).unwrap().unwrap();
            assert_eq!(gate.check(&head).map_err(|refused| refused.status), expected, "{headers}");
        };
        let token = ("Authorization", "Bearer secret");
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.9.9.9", "[::1]:80", "[::1]"] {
            check(&[("Host", host), token], Ok(()));
        }
        let foreign = ["example.com", "localhost.example.com", "10.0.0.1", "0.0.0.0", "", "127.0.0.1.nip.io"];
        for host in foreign.into_iter().chain(["localhost:", "localhost:x", "::2:80", "[::]", "a:b:80"]) {
            check(&[("Host", host), token], Err(403));
        }
        check(&[token], Err(403));
        let origin = |origin| [("Host", "localhost"), ("Origin", origin), token];
        check(&origin("http://localhost:3000"), Ok(()));
        check(&origin("https://127.0.0.1"), Ok(()));
        for hostile in
            ["https://example.com", "null", "", "file://", "http://localhost.evil.com", "localhost"]
        {
            check(&origin(hostile), Err(403));
        }
        let local = ("Host", "localhost");
        check(&[local], Err(401));
        for wrong in ["Bearer", "Bearer ", "Bearer secre", "Bearer secret1", "Basic secret", "secret"] {
            check(&[local, ("Authorization", wrong)], Err(401));
        }
        check(&[local, ("Authorization", "bearer  secret")], Ok(()));
    }
}
