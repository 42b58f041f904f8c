//! A PostgreSQL cluster of our own: an ordinary user's, on a free port, in a temporary directory, gone afterwards.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A running cluster.
#[derive(Debug)]
pub struct Cluster {
    directory: TempDir,
    programs: PathBuf,
    port: u16,
    server: Mutex<Option<Child>>,
    databases: AtomicU32,
    is_encrypted: bool,
}

impl Cluster {
    /// Makes one and starts it.
    #[must_use]
    pub fn start() -> Self {
        let cluster = Self::new(false);
        cluster.run();
        cluster
    }

    /// Makes one that shows a certificate and refuses unencrypted connections, and starts it.
    #[must_use]
    pub fn start_encrypted(certificate: &Path, key: &Path) -> Self {
        let cluster = Self::new(true);
        let directory = cluster.directory.path();
        for (from, to) in [(certificate, "server.crt"), (key, "server.key")] {
            let to = directory.join("data").join(to);
            fs::copy(from, &to).unwrap();
            fs::set_permissions(&to, fs::Permissions::from_mode(0o600)).unwrap();
            if is_root() {
                assert!(Command::new("chown").arg("nobody").arg(&to).status().unwrap().success());
            }
        }
        fs::write(
            directory.join("data/pg_hba.conf"),
            "local all all trust\nhostssl all all 127.0.0.1/32 trust\n",
        )
        .unwrap();
        cluster.run();
        cluster
    }

    fn new(is_encrypted: bool) -> Self {
        let directory = TempDir::new().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let cluster = Self {
            directory,
            programs: programs(),
            port,
            server: Mutex::new(None),
            databases: AtomicU32::new(0),
            is_encrypted,
        };
        if is_root() {
            // initdb refuses to work for root, and so does postgres.
            let owned = Command::new("chown").arg("nobody").arg(cluster.directory.path()).status().unwrap();
            assert!(owned.success());
        }
        let data = cluster.directory.path().join("data");
        let made = cluster
            .command("initdb")
            .args([
                "--username=memdir",
                "--auth=trust",
                "--no-sync",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "-D",
            ])
            .arg(data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        cluster
    }

    /// Starts the server, and waits until it answers.
    pub fn run(&self) {
        let directory = self.directory.path();
        let log = fs::File::create(directory.join("log")).unwrap();
        let child = self
            .command("postgres")
            .arg("-D")
            .arg(directory.join("data"))
            .args([
                "-p",
                &self.port.to_string(),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "max_connections=60",
                "-c",
                if self.is_encrypted { "ssl=on" } else { "ssl=off" },
            ])
            .arg("-c")
            .arg(format!("unix_socket_directories={}", directory.display()))
            .stderr(log)
            .spawn()
            .unwrap();
        *self.server.lock().unwrap() = Some(child);
        let started = Instant::now();
        while !self.sql("postgres", "SELECT 1") {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "PostgreSQL does not start: {}",
                fs::read_to_string(directory.join("log")).unwrap()
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Stops the server in the middle of whatever it does.
    pub fn pull_the_plug(&self) {
        if let Some(mut child) = self.server.lock().unwrap().take() {
            // All its children notice, and end, too.
            drop(child.kill());
            drop(child.wait());
        }
    }

    /// The address of a new database.
    #[must_use]
    pub fn database(&self) -> String {
        let name = format!("memdir_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        assert!(self.sql("postgres", &format!("CREATE DATABASE {name}")));
        format!("postgres://memdir@127.0.0.1:{}/{name}", self.port)
    }

    fn sql(&self, database: &str, statement: &str) -> bool {
        let asked = self
            .command("psql")
            .arg("-h")
            .arg(self.directory.path())
            .args(["-p", &self.port.to_string(), "-U", "memdir", "-d", database, "-qtAc", statement])
            .stderr(Stdio::null())
            .status()
            .unwrap();
        asked.success()
    }

    fn command(&self, program: &str) -> Command {
        // It ends with the process that starts it, however that ends.
        let mut command = Command::new("setpriv");
        if is_root() {
            command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]);
        }
        command.args(["--pdeathsig", "KILL", "--"]).arg(self.programs.join(program));
        command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.pull_the_plug();
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The newest installation, which must be 15 or newer.
fn programs() -> PathBuf {
    let installed = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let versions = installed.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<u32>().ok());
    let newest = versions.filter(|version| *version >= 15).max();
    let newest = newest.unwrap_or_else(|| {
        panic!("PostgreSQL 15 or newer is needed: `scripts/test` installs Debian's package")
    });
    PathBuf::from(format!("/usr/lib/postgresql/{newest}/bin"))
}
