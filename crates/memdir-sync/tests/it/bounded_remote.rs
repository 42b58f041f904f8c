//! A remote that never answers, and one that has no end.

use std::time::Duration;
use std::{fs, thread};

use memdir_sync::options::Options;
use memdir_sync::remote::git::{DEFAULT_BRANCH, GitRemote};
use memdir_sync::remote::{Published, Put, Remote, RemoteError};
use memdir_testkit::{Git, TestHome};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::people::{Person, Repository};

#[test]
fn processes_started_by_git_end_with_it() {
    let home = TestHome::new();
    let (started, config) = (home.home().join("started"), home.home().join(".gitconfig"));
    let script = format!("f() {{ echo $$ > {started}; exec sleep 600; }}; f");
    fs::write(config, format!("[core]\n\tsshCommand = \"{script}\"\n[ssh]\n\tvariant = ssh\n")).unwrap();
    let (directory, url) = (home.root().join("git"), "ssh://nowhere.example/x");
    let remote = GitRemote::new(directory, Some(home.home()), url, DEFAULT_BRANCH, "Ada").unwrap();
    let asked = remote.within(Duration::from_secs(1)).head();
    assert!(matches!(asked, Err(RemoteError::Unreachable { .. })), "{asked:?}");

    let pid: i32 = fs::read_to_string(started).unwrap().trim().parse().unwrap();
    let process = Pid::from_raw(pid).unwrap();
    // A killed process may still be a zombie.
    let is_buried = || {
        let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        test_kill_process(process).is_err() || status.contains(") Z ")
    };
    for _ in 0..100 {
        if is_buried() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    let _ = kill_process(process, Signal::KILL);
    panic!("what git had started still runs");
}

/// Bytes that cannot be made smaller.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn what_is_larger_than_any_entry_is_not_fetched_where_the_host_can_leave_it_out() {
    let (repository, home) = (Repository::new(), TestHome::new());
    let sender = home.root().join("sender");
    Git::init(&sender, "the root");
    fs::create_dir(sender.join("entries")).unwrap();
    fs::write(sender.join("entries/small.md"), "small\n").unwrap();
    fs::write(sender.join("entries/large.md"), noise(6 << 20)).unwrap();
    let send = || {
        Git::run(&sender, &["add", "."]);
        Git::run(&sender, &["commit", "-q", "-m", "more"]);
        Git::run(&sender, &["push", "-q", repository.directory().as_str(), "HEAD:refs/heads/memdir"]);
    };
    send();
    // It sends so slowly that a client can see that much came, before everything did.
    let slowly = "f() { \\\"$@\\\" | { head -c 2000000; sleep 1; cat; }; }; f";
    let config = format!("[uploadpack]\n\tpackObjectsHook = \"{slowly}\"\n");
    fs::write(home.home().join(".gitconfig"), config).unwrap();
    let (directory, url) = (home.root().join("git"), format!("file://{}", repository.directory()));
    let remote = GitRemote::new(directory.clone(), Some(home.home()), &url, DEFAULT_BRANCH, "Ada").unwrap();
    let mut remote = remote.within_bytes(4 << 20);
    let contents = |remote: &mut GitRemote| {
        let head = remote.head().unwrap().unwrap();
        let listed = remote.view(&head).unwrap();
        let entries = listed.iter().filter(|file| file.path.starts_with("entries/"));
        let ids: Vec<&str> = entries.map(|file| file.id.as_str()).collect();
        (head, remote.read(&ids, 1 << 20).unwrap())
    };
    assert_eq!(contents(&mut remote).1, [None, Some(b"small\n".to_vec())]);
    let packs = directory.join("objects/pack").read_dir_utf8().unwrap().map(Result::unwrap);
    let bytes: u64 = packs.map(|file| file.metadata().unwrap().len()).sum();
    assert!(bytes < 100_000, "{bytes}");

    // It goes on from there in both directions.
    fs::write(sender.join("entries/small.md"), "smaller\n").unwrap();
    send();
    let (head, found) = contents(&mut remote);
    assert_eq!(found, [None, Some(b"smaller\n".to_vec())]);
    let put = Put { path: "entries/new.md".to_owned(), content: Some(b"new\n".to_vec()) };
    let next = remote.prepare(Some(&head), &[put], "Add new").unwrap().version;
    assert_eq!(remote.publish(Some(&head), &next).unwrap(), Published::Done);
    assert_eq!(repository.git(&["show", "memdir:entries/new.md"]), "new\n");
    assert!(remote.descends(&next, &head).unwrap());
}

#[test]
fn a_member_who_sends_very_much_is_taken_a_batch_at_a_time_and_named() {
    let repository = Repository::new();
    let ada = Person::founder(&repository.url());
    let bob = Person::joining(&ada, "Bob");
    for number in 0..900 {
        ada.write(&format!("m{number:03}.md"), &format!("ada {number}\n"));
    }
    ada.sync();
    let little = Options { most_bytes: 1, ..Options::default() };
    let report = bob.try_sync(&little).unwrap();
    assert_eq!(
        report.notices,
        ["500 entries wait for the next sync: this one took as much as one may, most of it by Ada (0 MB)"]
    );
    assert!(bob.read("m399.md").is_some() && bob.read("m400.md").is_none());
    // What is written meanwhile under a name that waits is not lost, and nothing that waits counts as deleted.
    bob.write("m850.md", "bob\n");
    while !bob.try_sync(&little).unwrap().notices.is_empty() {}
    bob.sync();
    ada.sync();
    assert_eq!(bob.shared(), ada.shared());
    let texts: Vec<String> = bob.shared().into_iter().map(|(_, text)| text).collect();
    let has = |text: &str| texts.iter().any(|held| held.lines().any(|line| line == text));
    assert!(has("bob") && (0..900).all(|number| has(&format!("ada {number}"))));
}

#[test]
fn a_name_that_is_a_secret_is_not_sent() {
    let repository = Repository::new();
    let ada = Person::founder(&repository.url());
    let bob = Person::joining(&ada, "Bob");
    let name = format!("ghp_{}.md", "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cE3gH5");
    ada.write(&name, "text\n");
    ada.write("fine.md", "text\n");
    let report = ada.sync();
    let refused: Vec<&str> = report.blocked.iter().map(|blocked| blocked.why.as_str()).collect();
    assert!(refused.iter().any(|why| why.starts_with("its name looks like a secret")), "{report:?}");
    bob.sync();
    assert_eq!((bob.read("fine.md").as_deref(), bob.read(&name)), (Some("text\n"), None));
}
