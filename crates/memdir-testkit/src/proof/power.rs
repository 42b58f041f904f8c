use std::fs;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::ground::{Ground, acknowledged, stderr};
use super::random::Random;
use super::report::ProofReport;

/// How often the plug is pulled.
#[derive(Debug, Clone, Copy)]
pub struct Power {
    /// Images of the disk taken while the program writes.
    pub images: usize,
    /// The same for programs whose syncs do nothing: these must lose something, or the images prove nothing.
    pub control_images: usize,
}

/// Which syncs really happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syncs {
    All,
    /// Those of directories are answered with success and not done.
    NotOfDirectories,
    None,
}

const WRITERS: usize = 4;

/// Copies the disk below a real ext4 while the program writes, lets the copy's journal be replayed, and looks for
/// everything that was acknowledged before the copy was begun.
///
/// The disk is a loop device without a cache of its own over a file that can be cloned in one instant: the clone
/// holds exactly what the file system had handed to the device by then, which is what a power cut leaves of a device
/// that keeps what it has taken. What sat in memory is gone. (A device that loses what it has taken without having
/// been told to flush is beyond this; that every sync reaches the device as a flush is ext4's part.)
///
/// # Panics
/// Without root's rights, loop devices, and mkfs for xfs and ext4.
#[must_use]
pub fn power(program: &Utf8Path, size: Power) -> ProofReport {
    let mut report = ProofReport::new("Power: images of a real ext4, copied while writing");
    for (syncs, images) in [
        (Syncs::All, size.images),
        (Syncs::NotOfDirectories, size.control_images),
        (Syncs::None, size.control_images),
    ] {
        pull_the_plug(program, syncs, images, &mut report);
    }
    report
}

fn pull_the_plug(program: &Utf8Path, syncs: Syncs, images: usize, report: &mut ProofReport) {
    let bench = Bench::new();
    let ground = Ground::below(&bench.disk, program);
    for writer in 0..WRITERS {
        let name = topic(writer);
        ground.must_run(&[
            "add",
            "--type",
            "user",
            "--name",
            &name,
            "--description",
            &value(0),
            "--text",
            "Text.",
        ]);
    }
    shell(&format!("sync -f '{}'", bench.disk));
    let acknowledged: Vec<AtomicUsize> = (0..WRITERS).map(|_| AtomicUsize::new(0)).collect();
    let (done, failures) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let mut lost_in = 0;
    let mut number_of_changes = 0;
    std::thread::scope(|scope| {
        for (writer, last) in acknowledged.iter().enumerate() {
            let (ground, done, failures) = (&ground, &done, &failures);
            scope.spawn(move || write(ground, writer, syncs, last, done, failures));
        }
        let mut random = Random::new(images as u64);
        for number in 0..images {
            std::thread::sleep(Duration::from_millis(20 + random.below(120)));
            let promised: Vec<usize> = acknowledged.iter().map(|last| last.load(Ordering::SeqCst)).collect();
            let copy = bench.copy(number);
            let lost = bench.look_at(&copy, &ground, &promised);
            number_of_changes = promised.iter().sum();
            if !lost.is_empty() {
                lost_in += 1;
                if syncs == Syncs::All {
                    report.fail(format!("image {number}: {}", lost.join("; ")));
                }
            }
            fs::remove_file(&copy).unwrap();
        }
        done.store(true, Ordering::SeqCst);
    });
    report.fail_all(failures.into_inner().unwrap());
    let who = match syncs {
        Syncs::All => "memdir",
        Syncs::NotOfDirectories => "control, directories not synced",
        Syncs::None => "control, nothing synced",
    };
    report.count(&format!("{who}: changes acknowledged"), number_of_changes);
    report.count(&format!("{who}: images"), images);
    report.count(&format!("{who}: images that lack something acknowledged"), lost_in);
    if syncs != Syncs::All && lost_in == 0 {
        report.fail(format!("{who} lost nothing, so the images prove nothing"));
    }
}

fn topic(writer: usize) -> String {
    format!("topic-{writer}")
}

fn value(number: usize) -> String {
    format!("value {number:06}")
}

fn write(
    ground: &Ground,
    writer: usize,
    syncs: Syncs,
    last: &AtomicUsize,
    done: &AtomicBool,
    failures: &Mutex<Vec<String>>,
) {
    let mut random = Random::new(writer as u64 + 5);
    // `set` of a description syncs two files and then their directory with fsync, and the record with fdatasync.
    let prefix: &[&str] = match syncs {
        Syncs::All => &[],
        Syncs::NotOfDirectories => {
            &["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fsync:retval=0:when=3"]
        }
        Syncs::None => &["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fsync,fdatasync:retval=0"],
    };
    for number in 1.. {
        if done.load(Ordering::SeqCst) {
            return;
        }
        let words = ["set", &topic(writer), "description", &value(number)];
        let output = ground.command_behind(prefix, &words).output().unwrap();
        if !acknowledged(&output) {
            failures.lock().unwrap().push(format!("{}: {}", topic(writer), stderr(&output)));
            return;
        }
        last.store(number, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(random.below(200)));
    }
}

/// A file system that can clone files, and on it the image of an ext4 that is mounted.
struct Bench {
    outer: Utf8PathBuf,
    disk: Utf8PathBuf,
    copies: Utf8PathBuf,
    _directory: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        assert!(rustix::process::geteuid().is_root(), "the power proof mounts images: it needs root");
        let directory = tempfile::Builder::new().prefix("memdir-power-").tempdir_in("/var/tmp").unwrap();
        let path = Utf8PathBuf::from_path_buf(directory.path().to_owned()).unwrap();
        let bench = Self {
            outer: path.join("outer"),
            disk: path.join("disk"),
            copies: path.join("copies"),
            _directory: directory,
        };
        let (outer, disk, copies) = (&bench.outer, &bench.disk, &bench.copies);
        shell(&format!(
            "mkdir '{outer}' '{disk}' '{copies}'
             truncate -s 3G '{path}/outer.img' && mkfs.xfs -q -m reflink=1 '{path}/outer.img'
             mount -o loop '{path}/outer.img' '{outer}'
             truncate -s 256M '{outer}/disk.img' && mkfs.ext4 -q '{outer}/disk.img'
             mount -o loop '{outer}/disk.img' '{disk}'
             losetup --direct-io=on $(findmnt -n -o SOURCE '{disk}')"
        ));
        bench
    }

    /// What a power cut would leave now.
    fn copy(&self, number: usize) -> Utf8PathBuf {
        let copy = self.outer.join(format!("copy-{number}.img"));
        shell(&format!("cp --reflink=always '{}/disk.img' '{copy}'", self.outer));
        copy
    }

    /// Mounts a copy where the disk was, in a world of its own, and gives back what is missing there.
    fn look_at(&self, copy: &Utf8Path, ground: &Ground, promised: &[usize]) -> Vec<String> {
        let ground = ground.with_mounts(&format!("mount -o loop '{copy}' '{}'", self.disk));
        let mut lost = self.missing(&ground, promised, "after the replay of the journal");
        let next = ["add", "--type", "user", "--name", "next", "--description", "Next", "--text", "Next."];
        let output = ground.command(&next).output().unwrap();
        if !acknowledged(&output) {
            lost.push(format!("the next command fails: {}", stderr(&output)));
        }
        lost.extend(self.missing(&ground, promised, "after the next command"));
        lost.extend(
            ground.leftovers().iter().map(|leftover| format!("after the next command there is a {leftover}")),
        );
        lost
    }

    fn missing(&self, ground: &Ground, promised: &[usize], when: &str) -> Vec<String> {
        let files = ground.files();
        let text = |name: &str| files.get(name).map(|content| String::from_utf8_lossy(content).into_owned());
        let index = text("MEMORY.md").unwrap_or_default();
        let mut lost = Vec::new();
        for (writer, &number) in promised.iter().enumerate() {
            let name = format!("{}.md", topic(writer));
            let line = index.lines().find(|line| line.contains(&format!("]({name})"))).unwrap_or_default();
            for (place, found) in
                [(name.as_str(), text(&name).unwrap_or_default()), ("its line", line.to_owned())]
            {
                // A later value than the last acknowledged one may be there already.
                if !(number..number + 3).any(|number| found.contains(&value(number))) {
                    lost.push(format!("{when} {place} of {name} is older than {}: {found:?}", value(number)));
                }
            }
        }
        lost
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let unmount = |path: &Utf8Path| Command::new("umount").arg("-l").arg(path).status();
        let _ = unmount(&self.disk);
        let _ = unmount(&self.outer);
    }
}

fn shell(line: &str) {
    let output = Command::new("sh").args(["-ec", line]).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}
