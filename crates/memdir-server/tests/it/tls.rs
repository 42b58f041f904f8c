//! The way to the server, encrypted.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use memdir_testkit::Cluster;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::process::{Process, command, operator};

const OURS: &str = "DNS:localhost,IP:127.0.0.1";

/// An authority in `ca.pem`, and a certificate of it for this machine in `cert.pem` and `key.pem`.
fn certificates(folder: &Path, names: &str) {
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
    let extensions = format!("subjectAltName={names}\nbasicConstraints=CA:FALSE\n");
    fs::write(folder.join("names"), extensions).unwrap();
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
    certificates(directory.path(), OURS);
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

#[test]
fn the_way_to_postgres_is_encrypted_and_checked() {
    let (ours, others) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    certificates(ours.path(), OURS);
    certificates(others.path(), OURS);
    let file = |folder: &TempDir, name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let cluster = Cluster::start_encrypted(&ours.path().join("cert.pem"), &ours.path().join("key.pem"));
    let db = cluster.database();
    let (ca, wrong) = (file(&ours, "ca.pem"), file(&others, "ca.pem"));
    operator(&["init", "one", "--db", &db, "--db-ca", &ca]);
    operator(&["init", "two", "--db", &format!("{db}?sslmode=verify-full&sslrootcert={ca}")]);
    let server = Process::serve(&format!("{db}?sslmode=require"), &["--db-ca", &ca]);
    assert!(server.stop());
    let refused = |db: &str, more: &[&str]| {
        let output = command().args(["tokens", "one", "--db", db]).args(more).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.starts_with("error: "), "{db} {more:?}: {said}");
        said
    };
    // Without TLS, with a valid certificate, with an untrusted one.
    refused(&db, &[]);
    let said = refused(&db, &["--db-ca", &wrong]);
    assert!(said.contains("certificate"), "{said}");
    refused(&format!("{db}?sslmode=require"), &[]);
    refused(&format!("{db}?sslmode=perhaps"), &[]);
    // A certificate of the right authority for another name.
    let elsewhere = TempDir::new().unwrap();
    certificates(elsewhere.path(), "DNS:elsewhere.example");
    let other =
        Cluster::start_encrypted(&elsewhere.path().join("cert.pem"), &elsewhere.path().join("key.pem"));
    let said = refused(&other.database(), &["--db-ca", &file(&elsewhere, "ca.pem")]);
    assert!(said.contains("certificate"), "{said}");
}
