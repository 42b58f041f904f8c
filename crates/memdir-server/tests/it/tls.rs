//! The way to the server, encrypted.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::process::{Process, command};

/// An authority in `ca.pem`, and a certificate of it for this machine in `cert.pem` and `key.pem`.
fn certificates(folder: &Path) {
    let openssl = |arguments: &[&str]| {
        let output = Command::new("openssl").args(arguments).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    let authority =
        ["req", "-x509", "-days", "2", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem"];
    openssl(&[&authority[..], &key[..]].concat());
    let wanted = ["req", "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "wanted.pem"];
    openssl(&[&wanted[..], &key[..]].concat());
    fs::write(folder.join("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
        .unwrap();
    openssl(&[
        "x509",
        "-req",
        "-in",
        "wanted.pem",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-set_serial",
        "1",
        "-days",
        "2",
        "-extfile",
        "names",
        "-out",
        "cert.pem",
    ]);
}

#[test]
fn it_speaks_tls_if_it_is_given_a_certificate() {
    let directory = TempDir::new().unwrap();
    certificates(directory.path());
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let db = format!("sqlite:{}", file("team.db"));
    let server = Process::serve(&db, &["--tls-cert", &file("cert.pem"), "--tls-key", &file("key.pem")]);
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file("ca.pem")).unwrap() {
        roots.add(certificate.unwrap()).unwrap();
    }
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on(async {
        let stream = TcpStream::connect(&server.place).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
        let request = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        // A server that hangs up without a word of farewell is fine.
        drop(stream.read_to_end(&mut answer).await);
        String::from_utf8_lossy(&answer).into_owned()
    });
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let plain = runtime.block_on(async {
        let mut stream = TcpStream::connect(&server.place).await.unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer).await);
        answer
    });
    assert!(!plain.starts_with(b"HTTP"), "nothing is said in the clear");
    assert!(server.stop());
    for (certificate, key) in [("key.pem", "key.pem"), ("cert.pem", "ca.key"), ("none.pem", "key.pem")] {
        let refused = command()
            .args([
                "serve",
                "--db",
                &db,
                "--listen",
                "127.0.0.1:0",
                "--tls-cert",
                &file(certificate),
                "--tls-key",
                &file(key),
            ])
            .output()
            .unwrap();
        assert!(!refused.status.success(), "{certificate} {key}");
    }
}
