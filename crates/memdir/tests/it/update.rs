//! `memdir update` against a release in a folder, with a copy of the real program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_testkit::TestHome;

struct Installed {
    home: TestHome,
    program: Utf8PathBuf,
}

impl Installed {
    fn new() -> Self {
        let home = TestHome::new();
        let program = home.dir("bin").join("memdir");
        fs::copy(env!("CARGO_BIN_EXE_memdir"), &program).unwrap();
        Self { home, program }
    }

    /// A release whose program is a script; with the checksum of its archive, or another one.
    fn release(&self, version: &str, script: &str, sum: Option<&str>) -> Utf8PathBuf {
        let folder = self.home.dir(format!("release-{version}"));
        let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let name = format!("memdir-{version}-{target}");
        let inner = folder.join(&name);
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("memdir"), script).unwrap();
        let run = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).current_dir(&folder).output().unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stdout).unwrap()
        };
        let archive = format!("{name}.tar.gz");
        run("tar", &["-czf", &archive, &name]);
        let sums = run("sha256sum", &[&archive]);
        let sums = sum.map_or(sums, |sum| format!("{sum}  {archive}\n"));
        fs::write(folder.join("SHA256SUMS"), sums).unwrap();
        folder
    }

    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(&self.program);
        command.args(arguments).env_clear().env("HOME", self.home.home()).env("PATH", "/usr/bin:/bin");
        let output = command.current_dir(self.home.project()).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).unwrap())
    }

    fn update(&self, folder: &Utf8Path) -> (bool, String) {
        self.run(&["update", "--from", folder.as_str()])
    }
}

fn script(version: &str) -> String {
    format!("#!/bin/sh\necho memdir {version}\n")
}

#[test]
fn a_newer_program_takes_the_place_of_the_old_one() {
    let installed = Installed::new();
    let release = installed.release("99.0.0", &script("99.0.0"), None);
    let before = fs::read(&installed.program).unwrap();
    let (is_done, said) = installed.run(&["update", "--check", "--from", release.as_str()]);
    assert!(is_done && said.starts_with("memdir 99.0.0 is there"), "{said}");
    assert_eq!(fs::read(&installed.program).unwrap(), before);
    let (is_done, said) = installed.update(&release);
    assert!(is_done && said.ends_with("to 99.0.0.\n"), "{said}");
    assert_eq!(fs::read_to_string(&installed.program).unwrap(), script("99.0.0"));
    assert_eq!(fs::metadata(&installed.program).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::read_dir(installed.program.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_damaged_or_broken_or_old_release_leaves_the_program() {
    let installed = Installed::new();
    let before = fs::read(&installed.program).unwrap();
    for (version, script, sum, expected) in [
        ("99.0.0", script("99.0.0"), Some("00"), "nothing was replaced"),
        ("98.0.0", "#!/bin/sh\nexit 1\n".to_owned(), None, "does not start"),
        ("97.0.0", script("1.2.3"), None, "does not start"),
        ("0.0.1", script("0.0.1"), None, "is up to date"),
    ] {
        let (_, said) = installed.update(&installed.release(version, &script, sum));
        assert!(said.contains(expected), "{version}: {said}");
        assert_eq!(fs::read(&installed.program).unwrap(), before, "{version}");
    }
    let (is_done, said) = installed.update(Utf8Path::new("/nowhere"));
    assert!(!is_done && said.contains("/nowhere/SHA256SUMS"), "{said}");
}
