use std::fs;
use std::process::{Command, Output, Stdio};

use camino::{Utf8Path, Utf8PathBuf};

use super::mounts::Mounts;
use super::report::ProofReport;
use crate::{NOW, TestHome};

/// Pages that are left in one run after the other; with the last ones everything fits.
const LEFT: [usize; 10] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256];

/// Lets a sync meet a full disk, on the machine that syncs and where the repository is, and checks that it says so, that
/// nothing is lost, and that the next one goes on.
#[must_use]
pub fn full_disk(program: &Utf8Path) -> ProofReport {
    let mut report = ProofReport::new("Full disk: a sync with too few free pages here and there");
    let ground = DiskGround::new(program);
    let (mut refused, mut done) = (0, 0);
    for side in ["bob", "remote"] {
        for left in LEFT {
            let what = format!("{left} pages left for {side}");
            let text = format!("{side} {left}");
            ground.write("ada", &format!("ada-{side}-{left}"), &format!("{text} from ada\n"));
            ground.must_run("ada", &["team", "sync"]);
            ground.write(
                "bob",
                &format!("bob-{side}-{left}"),
                &format!("{text} from bob\n{}\n", "x".repeat(9_000)),
            );
            ground.fill(side, left);
            let output = ground.run("bob", &["team", "sync"]);
            ground.give_back(side);
            match output.status.code() {
                Some(0) => done += 1,
                Some(2) => {
                    refused += 1;
                    let said = String::from_utf8_lossy(&output.stderr).into_owned();
                    if !SIGNS.iter().any(|sign| said.contains(sign)) {
                        report.fail(format!("{what}: this does not say what is wrong: {said}"));
                    }
                }
                code => report.fail(format!("{what}: it ended with {code:?}")),
            }
            for person in ["bob", "ada"] {
                let next = ground.run(person, &["team", "sync"]);
                if !next.status.success() {
                    let said = String::from_utf8_lossy(&next.stderr).into_owned();
                    report.fail(format!("{what}: the next sync of {person} failed: {said}"));
                }
            }
            for person in ["ada", "bob"] {
                for from in ["ada", "bob"] {
                    let found = ground.read(person, &format!("{from}-{side}-{left}"));
                    if !found.starts_with(&format!("{text} from {from}\n")) {
                        report.fail(format!("{what}: {person} has {found:?} from {from}"));
                    }
                }
            }
        }
    }
    report.count("syncs that said that there was no room", refused);
    report.count("syncs for which there was room", done);
    if refused == 0 || done == 0 {
        report.fail("the disk was never full, or always".to_owned());
    }
    report
}

/// What tells a person that a disk is full.
const SIGNS: [&str; 4] = ["No space left", "no space left", "os error 28", "disk"];

/// Two people and a repository; one of them and the repository have small disks of their own.
struct DiskGround {
    home: TestHome,
    mounts: Mounts,
    program: Utf8PathBuf,
}

impl DiskGround {
    fn new(program: &Utf8Path) -> Self {
        let ground = Self { home: TestHome::new(), mounts: Mounts::new(), program: program.to_owned() };
        let root = ground.home.root().to_owned();
        for place in ["bob", "remote"] {
            ground.home.dir(place);
            ground.mounts.run(&format!("mount -t tmpfs -o size=24m tmpfs '{root}/{place}'"));
        }
        ground.mounts.run(&format!(
            "mkdir -p '{root}/ada/project' '{root}/bob/project'; git init -q --bare '{root}/remote/team.git'"
        ));
        let url = format!("file://{root}/remote/team.git");
        ground.must_run("ada", &["team", "init", &url, "--name", "Ada"]);
        let token = ground.must_run("ada", &["team", "invite"]);
        ground.must_run("bob", &["team", "join", token.trim(), "--name", "Bob", "--local"]);
        ground
    }

    fn run(&self, person: &str, arguments: &[&str]) -> Output {
        let home = self.home.root().join(person);
        let entry = self.mounts.entry(&home.join("project"));
        let mut command = Command::new(&entry[0]);
        command.args(&entry[1..]).arg(&self.program).args(["--now", NOW]).args(arguments).env_clear();
        command.env("HOME", home).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").stdin(Stdio::null());
        command.output().unwrap()
    }

    fn must_run(&self, person: &str, arguments: &[&str]) -> String {
        let output = self.run(person, arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn path(&self, person: &str, name: &str) -> Utf8PathBuf {
        let home = self.home.root().join(person);
        let slug = memdir_core::project::encode_path::encode(home.join("project").as_str());
        self.mounts.seen(&home.join(format!(".claude/projects/{slug}/memory/team/{name}.md")))
    }

    fn write(&self, person: &str, name: &str, text: &str) {
        let path = self.path(person, name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, person: &str, name: &str) -> String {
        fs::read_to_string(self.path(person, name)).unwrap_or_default()
    }

    fn fill(&self, side: &str, left: usize) {
        let place = self.home.root().join(side);
        self.mounts.run(&format!(
            "cd '{place}'; : > filler; free=$(stat -f -c %f .); \
             head -c $(((free - {left}) * $(stat -f -c %S .))) /dev/zero > filler"
        ));
    }

    fn give_back(&self, side: &str) {
        self.mounts.run(&format!("rm '{}/filler'", self.home.root().join(side)));
    }
}
