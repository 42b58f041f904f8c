use camino::Utf8Path;

use super::ground::{Ground, acknowledged, stderr};
use super::judge::{Fault, Judge};
use super::kill::for_each_command;
use super::report::ProofReport;
use super::trace::run;
use super::writing_command::writing_commands;

/// What a file system runs out of.
#[derive(Debug, Clone, Copy)]
enum Limit {
    Pages,
    Inodes,
    Writing,
}

/// No command needs more pages or inodes than this.
const ENOUGH: usize = 60;

/// Lets every writing command meet a full, an inode-starved and a read-only file system.
#[must_use]
pub fn limits(program: &Utf8Path) -> ProofReport {
    let commands = writing_commands(false);
    let mut report = ProofReport::new("Limits: a full, an inode-starved and a read-only file system");
    let results = for_each_command(&commands, |command| {
        let judge = Judge::new(Ground::mounted(program, "size=4m,nr_inodes=400"), command);
        let mut failures = Vec::new();
        let mut numbers = [0; 3];
        for (number, limit) in numbers.iter_mut().zip([Limit::Pages, Limit::Inodes, Limit::Writing]) {
            *number = starve(&judge, limit, &mut failures);
        }
        (numbers, failures)
    });
    let mut sums = [0; 3];
    for (numbers, failures) in results {
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        report.fail_all(failures);
    }
    report.count("writing commands", commands.len());
    report.count("runs with too few free pages, from none up to enough", sums[0]);
    report.count("runs with too few free inodes, from none up to enough", sums[1]);
    report.count("runs on a read-only mount", sums[2]);
    report
}

/// Leaves the command less than it needs, then a little more, until it succeeds; gives back how often it did not.
fn starve(judge: &Judge, limit: Limit, failures: &mut Vec<String>) -> usize {
    for left in 0..ENOUGH {
        judge.reset();
        take_all_but(judge, limit, left);
        let output = run(judge.ground.command(judge.command.arguments), &judge.command);
        let what = format!("{limit:?} left: {left}");
        failures.extend(judge.look_now(&output, Fault::OneError, &what));
        for reading in [["ls"].as_slice(), &["log"], &["load"], &["verify"], &["path"]] {
            let read = judge.ground.command(reading).output().unwrap();
            if read.status.code() == Some(2) {
                let (name, why) = (judge.command.name, stderr(&read));
                failures.push(format!("{name}, {what}: {reading:?} cannot read: {why}"));
            }
        }
        give_back(judge, limit);
        failures.extend(judge.look_after_next(&output, &what));
        match (limit, acknowledged(&output)) {
            (Limit::Writing, true) => {
                failures.push(format!("{} wrote on a read-only mount", judge.command.name));
            }
            (Limit::Writing, false) => return 1,
            (_, true) => return left,
            (_, false) => {}
        }
    }
    failures.push(format!("{} needs more than {ENOUGH} {limit:?}", judge.command.name));
    ENOUGH
}

fn take_all_but(judge: &Judge, limit: Limit, left: usize) {
    let home = judge.ground.home.home();
    let line = match limit {
        Limit::Pages => format!(
            "cd '{home}'; mkdir filler; : > filler/page; free=$(stat -f -c %f .); \
             head -c $(((free - {left}) * $(stat -f -c %S .))) /dev/zero > filler/page"
        ),
        Limit::Inodes => format!(
            "cd '{home}'; mkdir filler; free=$(stat -f -c %d .); \
             seq $((free - {left})) | sed 's,^,filler/,' | xargs -r touch"
        ),
        Limit::Writing => format!("mount -o remount,ro '{home}'"),
    };
    judge.ground.mounts().run(&line);
}

fn give_back(judge: &Judge, limit: Limit) {
    let home = judge.ground.home.home();
    judge.ground.mounts().run(&match limit {
        Limit::Pages | Limit::Inodes => format!("rm -r '{home}/filler'"),
        Limit::Writing => format!("mount -o remount,rw '{home}'"),
    });
}
