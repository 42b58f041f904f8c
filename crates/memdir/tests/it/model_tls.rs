//! Extraction with a model behind HTTPS: a real TLS server on loopback, met through the system's `curl`.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use crate::harness::Sandbox;
use crate::model::{SAID, memory, ok, openai, sandbox};

/// A TLS server with a self-signed certificate. It answers one request with these bytes.
struct Server {
    port: u16,
    certificate: Utf8PathBuf,
    child: Child,
    asked: Option<JoinHandle<String>>,
}

impl Server {
    fn saying(home: &Sandbox, answer: Vec<u8>) -> Self {
        let (key, certificate) = (home.home.root().join("key.pem"), home.home.root().join("cert.pem"));
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
            .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"])
            .args(["-keyout", key.as_str(), "-out", certificate.as_str()])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        // What arrives comes out of its standard output, what is on its standard input is sent.
        let mut child = Command::new("openssl")
            .args(["s_server", "-quiet", "-4", "-accept", &port.to_string()])
            .args(["-key", key.as_str(), "-cert", certificate.as_str()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let asked = thread::spawn(move || {
            let mut asked = Vec::new();
            let mut buffer = [0; 4096];
            while !String::from_utf8_lossy(&asked).contains(SAID) {
                match stdout.read(&mut buffer) {
                    Ok(read) if read > 0 => asked.extend_from_slice(&buffer[..read]),
                    _ => break,
                }
            }
            // The client may have gone.
            let _ = stdin.write_all(&answer).and_then(|()| stdin.flush());
            let _ = stdout.read(&mut buffer);
            String::from_utf8_lossy(&asked).into_owned()
        });
        let deadline = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "the server does not start");
            thread::sleep(Duration::from_millis(20));
        }
        Self { port, certificate, child, asked: Some(asked) }
    }

    /// Ends, and tells what it was asked.
    fn asked(&mut self) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.asked.take().map(|asked| asked.join().unwrap()).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.asked());
    }
}

/// Runs the program in a process of its own, with this trust in certificates.
fn extract(home: &Sandbox, server: &Server, trust: &[(&str, &str)]) -> Value {
    let settings = format!(
        "[model]\nprovider = \"openai\"\nurl = \"https://localhost:{}/v1\"\nmodel = \"m-1\"\nkey_env = \"KEY\"\ntimeout = 20\n",
        server.port
    );
    home.home.write("home/.config/memdir/config.toml", &settings);
    let output = Command::new(env!("CARGO_BIN_EXE_memdir"))
        .args(["extract", "--all", "--dry-run", "--json"])
        .current_dir(&home.cwd)
        .env_clear()
        .envs([("HOME", home.home.home().as_str()), ("PATH", "/usr/bin:/bin"), ("KEY", "k-456")])
        .envs(trust.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn tokens(home: &Sandbox) -> u64 {
    let status = home.run(["status", "--json"]).stdout;
    serde_json::from_str::<Value>(&status).unwrap()["model"]["today"]["tokens"].as_u64().unwrap()
}

#[test]
fn a_server_that_the_system_trusts_is_asked() {
    for variable in ["SSL_CERT_FILE", "CURL_CA_BUNDLE"] {
        let home = sandbox("");
        let answer = ok(&openai(&json!({"memories": [memory()]}))).into_bytes();
        let mut server = Server::saying(&home, answer);
        let certificate = server.certificate.to_string();
        let report = extract(&home, &server, &[(variable, &certificate)]);
        assert_eq!((&report["engine"], &report["model"]), (&json!("model"), &json!("m-1")), "{report}");
        assert_eq!(report["memories"][0]["name"], "feedback-no-docstrings");
        let asked = server.asked();
        assert!(asked.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{asked}");
        assert!(asked.contains("Bearer k-456") && asked.contains(SAID), "{asked}");
    }
}

#[test]
fn an_untrusted_server_hears_nothing_and_costs_nothing() {
    let home = sandbox("");
    let mut server = Server::saying(&home, ok(&openai(&json!({"memories": [memory()]}))).into_bytes());
    let report = extract(&home, &server, &[]);
    assert_eq!(report["engine"], "rules", "{report}");
    let why = report["model_failures"][0].as_str().unwrap().to_owned();
    assert!(why.starts_with("the model cannot be reached: curl: (60)"), "{why}");
    assert_eq!(server.asked(), "", "not a word, and no key");
    assert_eq!(tokens(&home), 0);
}

#[test]
fn a_flood_and_an_error_through_tls_are_bounded_and_said() {
    let flood = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b' '; 100 << 20]].concat();
    let limited =
        b"HTTP/1.1 429 Slow\r\ncontent-length: 31\r\n\r\n{\"error\":{\"message\":\"not now\"}}".to_vec();
    for (answer, expected) in [(flood, "more than 1 MB"), (limited, "too many questions (429): not now")] {
        let home = sandbox("");
        let server = Server::saying(&home, answer);
        let certificate = server.certificate.to_string();
        let report = extract(&home, &server, &[("SSL_CERT_FILE", &certificate)]);
        assert_eq!(report["engine"], "rules", "{report}");
        let why = report["model_failures"][0].as_str().unwrap().to_owned();
        assert!(why.contains(expected), "{why}");
    }
}
