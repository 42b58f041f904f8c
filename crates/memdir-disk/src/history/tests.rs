use super::*;
use memdir_core::operation::Author;
use memdir_core::rel_path::RelPath;

fn operation(number: u64, before: Option<&[u8]>, after: Option<&[u8]>) -> Operation {
    let time = jiff::Timestamp::from_second(1_700_000_000).unwrap();
    Operation {
        v: 1,
        id: OperationId::new(time, number),
        time,
        author: Author::person(),
        reason: "test".into(),
        store: StoreId::new(1),
        memory_dir: "/m".into(),
        changes: vec![ChangeRecord {
            path: RelPath::parse("MEMORY.md").unwrap(),
            before: before.map(ContentHash::of),
            after: after.map(ContentHash::of),
            renamed_from: None,
        }],
        undo_of: None,
        plan: None,
    }
}

fn history(temp: &tempfile::TempDir) -> History {
    History::of(Utf8Path::from_path(temp.path()).unwrap(), &StoreId::new(1))
}

fn record(history: &History, number: u64, before: Option<&[u8]>, after: Option<&[u8]>) {
    let mut writer = LogWriter::open(history).unwrap();
    assert!(writer.ends_clean());
    let operation = operation(number, before, after);
    writer.begin(&operation, &[(before, after)]).unwrap();
    assert!(!writer.ends_clean());
    writer.end(&operation.id, Outcome::Done, true).unwrap();
}

fn index(changed_line: usize, round: usize) -> String {
    (0..300)
        .map(|line| {
            let hook = if line == changed_line {
                format!("changed in round {round}")
            } else {
                "what it is about".into()
            };
            format!("- [Topic number {line}](topic_{line}.md) — {hook}, and forty more characters\n")
        })
        .collect()
}

#[test]
fn history_grows_by_the_change_and_every_version_comes_back() {
    let temp = tempfile::tempdir().unwrap();
    let history = history(&temp);
    let versions: Vec<String> = (0..1000).map(|round| index(round % 300, round)).collect();
    assert!(versions[0].len() > 24_000);
    let mut before = None;
    for (number, version) in versions.iter().enumerate() {
        let versions = [(before, Some(version.as_bytes()))];
        history
            .record_observed(&operation(number as u64, before, Some(version.as_bytes())), &versions)
            .unwrap();
        before = Some(version.as_bytes());
    }
    let size: u64 =
        fs::read_dir(history.dir()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    assert!(size < 2_000_000, "{size}");
    assert_eq!(history.read().unwrap().operations.len(), 1000);
    assert_eq!(history.read().unwrap().problems, Vec::<String>::new());
    for version in versions.iter().step_by(37) {
        let content = history.content(ContentHash::of(version.as_bytes())).unwrap();
        assert_eq!(content.as_deref(), Some(version.as_bytes()));
    }
}

#[test]
fn every_segment_is_complete() {
    let temp = tempfile::tempdir().unwrap();
    let history = history(&temp);
    let incompressible = |seed: u8| -> Vec<u8> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[seed]);
        let mut bytes = vec![0; 300_000];
        hasher.finalize_xof().fill(&mut bytes);
        bytes
    };
    let mut before = None;
    for seed in 0..12 {
        let after = incompressible(seed);
        record(&history, u64::from(seed), before.as_deref(), Some(&after));
        before = Some(after);
    }
    let numbers = segment::numbers(history.dir()).unwrap();
    assert!(numbers.len() > 2, "{numbers:?}");
    for number in &numbers[..numbers.len() - 1] {
        fs::remove_file(segment::path(history.dir(), *number)).unwrap();
    }
    let recorded = history.read().unwrap();
    assert!(!recorded.operations.is_empty());
    for (operation, _) in recorded.operations {
        for hash in [operation.changes[0].before.unwrap(), operation.changes[0].after.unwrap()] {
            assert!(history.content(hash).unwrap().is_some());
        }
    }
}

#[test]
fn damage_is_reported_and_stops_no_reader() {
    let temp = tempfile::tempdir().unwrap();
    let history = history(&temp);
    for number in 0..4u64 {
        record(&history, number, None, Some(format!("version {number}").as_bytes()));
    }
    let path = segment::path(history.dir(), 1);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    bytes.extend_from_slice(b"torn");
    fs::write(&path, &bytes).unwrap();
    let mut writer = LogWriter::open(&history).unwrap();
    assert!(!writer.ends_clean());
    writer.begin(&operation(9, None, Some(b"last")), &[(None, Some(b"last"))]).unwrap();
    let recorded = history.read().unwrap();
    assert!(recorded.problems.len() >= 2, "{:?}", recorded.problems);
    assert!(recorded.operations.len() >= 4);
    assert_eq!(history.content(ContentHash::of(b"last")).unwrap().as_deref(), Some(&b"last"[..]));
    fs::write(segment::path(history.dir(), 7), b"foreign").unwrap();
    assert_eq!(history.read().unwrap().operations.len(), recorded.operations.len());
}

#[test]
fn many_threads_append_at_once() {
    let temp = tempfile::tempdir().unwrap();
    let history = history(&temp);
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let history = &history;
            scope.spawn(move || {
                let mut writer = LogWriter::open(history).unwrap();
                for number in 0..50 {
                    let content = format!("thread {thread} number {number}");
                    let operation = operation(thread * 1000 + number, None, Some(content.as_bytes()));
                    writer.begin(&operation, &[(None, Some(content.as_bytes()))]).unwrap();
                    writer.end(&operation.id, Outcome::Done, false).unwrap();
                }
            });
        }
    });
    let recorded = history.read().unwrap();
    assert_eq!(recorded.problems, Vec::<String>::new());
    assert_eq!(recorded.operations.len(), 400);
    assert!(recorded.operations.iter().all(|(_, outcome)| *outcome == Outcome::Done));
    let hash = ContentHash::of(b"thread 3 number 49");
    assert_eq!(history.content(hash).unwrap().as_deref(), Some(&b"thread 3 number 49"[..]));
}

#[test]
fn the_newest_come_first_and_no_more_is_read_than_they_take() {
    let temp = tempfile::tempdir().unwrap();
    let history = history(&temp);
    let content = |number: u64| vec![u8::try_from(number).unwrap(); 3_000 * usize::try_from(number).unwrap()];
    for number in 0..60 {
        record(&history, number, None, Some(&content(number)));
    }
    let whole = history.read().unwrap();
    for limit in [0, 1, 7, 59, 60, 1000, usize::MAX] {
        let newest = history.newest(limit).unwrap();
        let expected: Vec<_> = whole.operations.iter().rev().take(limit).cloned().collect();
        assert_eq!(newest.operations, expected);
        assert_eq!(newest.problems, [""; 0]);
    }
}

#[cfg(unix)]
#[test]
fn an_invalid_segment_is_reported_from_both_ends() {
    let check = |what: &str, put_at: &dyn Fn(&str)| {
        let temp = tempfile::tempdir().unwrap();
        let history = history(&temp);
        fs::create_dir_all(history.dir()).unwrap();
        put_at(history.dir().join("000001.seg").as_str());
        for recorded in [history.read().unwrap(), history.newest(10).unwrap()] {
            assert_eq!(recorded.problems.len(), 1, "{what}");
            assert!(recorded.problems[0].contains("000001.seg` is not a regular file"), "{what}");
        }
    };
    check("a folder", &|path| fs::create_dir(path).unwrap());
    check("a link", &|path| std::os::unix::fs::symlink("/dev/zero", path).unwrap());
    check("a pipe", &|path| {
        rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RUSR).unwrap();
    });
}

fn text_of(history: &History, version: &str) -> Option<String> {
    let found = history.content(ContentHash::of(version.as_bytes())).unwrap();
    found.map(|content| String::from_utf8(content).unwrap())
}

#[test]
fn what_is_forgotten_is_in_no_byte_and_the_rest_reads_back() {
    let temp = tempfile::tempdir().unwrap();
    let history = history(&temp);
    let mut before: Option<String> = None;
    let mut versions = Vec::new();
    for round in 0..200 {
        let secret = if round % 3 == 0 { "hunter2" } else { "nothing" };
        let version = format!("{}- {secret}\n", index(round, round));
        record(
            &history,
            u64::try_from(round).unwrap(),
            before.as_deref().map(str::as_bytes),
            Some(version.as_bytes()),
        );
        versions.push(version.clone());
        before = Some(version);
    }
    let clean = |text: &str| text.replace("hunter2", "[purged]");
    let version = |_: ContentHash, content: &[u8]| {
        let text = std::str::from_utf8(content).unwrap();
        if text.contains("hunter2") { Redaction::Replace(clean(text).into_bytes()) } else { Redaction::Keep }
    };
    let reason = |reason: &str| (reason == "test").then(|| "cleaned".to_owned());
    // A process that opened the segment before goes on in the new one.
    let mut writer = LogWriter::open(&history).unwrap();
    let forgotten = history.rewrite(&Redact { version: &version, reason: &reason }).unwrap();
    assert_eq!(forgotten.versions, versions.iter().filter(|version| version.contains("hunter2")).count());
    writer.observe(&operation(999, None, Some(b"later")), &[(None, Some(b"later"))]).unwrap();
    assert_eq!(text_of(&history, "later").as_deref(), Some("later"));
    for version in &versions {
        assert_eq!(text_of(&history, &clean(version)).as_deref(), Some(clean(version).as_str()));
        assert_eq!(text_of(&history, version).is_some(), !version.contains("hunter2"));
    }
    let recorded = history.read().unwrap();
    assert_eq!((recorded.operations.len(), recorded.problems.len()), (201, 0));
    for ((operation, outcome), version) in recorded.operations.iter().zip(&versions) {
        assert_eq!(operation.changes[0].after, Some(ContentHash::of(clean(version).as_bytes())));
        assert_eq!((operation.reason.as_str(), *outcome), ("cleaned", Outcome::Done));
    }
    let again = history.rewrite(&Redact { version: &version, reason: &|_| None }).unwrap();
    assert_eq!(again, Forgotten::default());
}

#[test]
fn dropped_and_damaged_versions_leave_their_records() {
    let temp = tempfile::tempdir().unwrap();
    let history = history(&temp);
    record(&history, 1, None, Some(b"one"));
    record(&history, 2, Some(b"one"), Some(b"two"));
    let path = segment::path(history.dir(), 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(b"a torn frame with a secret");
    fs::write(&path, &bytes).unwrap();
    let one = ContentHash::of(b"one");
    let version = |hash: ContentHash, _: &[u8]| if hash == one { Redaction::Drop } else { Redaction::Keep };
    history.rewrite(&Redact { version: &version, reason: &|_| None }).unwrap();
    assert_eq!((text_of(&history, "one"), text_of(&history, "two").as_deref()), (None, Some("two")));
    let recorded = history.read().unwrap();
    assert_eq!((recorded.operations.len(), recorded.problems.len()), (2, 0));
}

#[test]
fn old_segments_go_and_living_versions_stay() {
    let temp = tempfile::tempdir().unwrap();
    let history = history(&temp);
    record(&history, 1, None, Some(b"living"));
    record(&history, 2, None, Some(b"dead"));
    for number in 2..5 {
        fs::write(segment::path(history.dir(), number), b"").unwrap();
        record(&history, number.into(), None, Some(format!("segment {number}").as_bytes()));
    }
    let bounds = Bounds::default();
    assert_eq!(history.overdue(bounds).unwrap(), [0; 0]);
    let hour = std::time::Duration::from_secs(3600);
    let now = fs::metadata(segment::path(history.dir(), 4)).unwrap().modified().unwrap();
    let day = |days: u32| now - hour * 24 * days;
    for (number, days) in [(1, 200), (2, 91), (3, 89)] {
        let file = fs::File::options().append(true).open(segment::path(history.dir(), number)).unwrap();
        file.set_modified(day(days)).unwrap();
    }
    // The clock may be wrong today: what is old is still old tomorrow.
    assert_eq!(history.overdue(bounds).unwrap(), [0; 0]);
    assert_eq!(history.overdue(bounds).unwrap(), [0; 0]);
    let due = fs::File::options().append(true).open(history.dir().join("due")).unwrap();
    due.set_modified(now + hour * 24 * 400).unwrap();
    assert_eq!(history.overdue(bounds).unwrap(), [0; 0], "the clock went back: the day begins anew");
    due.set_modified(day(1)).unwrap();
    assert_eq!(history.overdue(bounds).unwrap(), [1, 2]);
    assert_eq!(history.overdue(Bounds { bytes: 0, ..bounds }).unwrap(), [1, 2, 3], "the last one stays");
    let path = RelPath::parse("a.md").unwrap();
    let living = [(path, ContentHash::of(b"living"))];
    let template = Operation { changes: Vec::new(), ..operation(77, None, None) };
    history.drop_segments(&[1, 2], &living, template).unwrap();
    let kept = |text| text_of(&history, text).is_some();
    assert_eq!(
        (kept("living"), kept("dead"), kept("segment 2"), kept("segment 3")),
        (true, false, false, true)
    );
    assert!(LogWriter::open(&history).unwrap().ends_clean());
}

#[test]
fn a_file_in_the_place_of_a_history_is_set_aside() {
    let temp = tempfile::tempdir().unwrap();
    let history = history(&temp);
    fs::create_dir_all(history.dir().parent().unwrap()).unwrap();
    fs::write(history.dir(), b"not ours").unwrap();
    assert_eq!(history.read().unwrap(), Recorded::default());
    record(&history, 1, None, Some(b"one"));
    assert_eq!(text_of(&history, "one").as_deref(), Some("one"));
    assert_eq!(fs::read(format!("{}.foreign", history.dir())).unwrap(), b"not ours");
}

#[test]
fn each_version_is_given_once_and_damage_costs_only_what_depends_on_it() {
    let temp = tempfile::tempdir().unwrap();
    let history = history(&temp);
    let versions: Vec<String> = (0..200).map(|round| index(round % 300, round)).collect();
    let mut before: Option<&[u8]> = None;
    for (number, version) in versions.iter().enumerate() {
        record(&history, number as u64, before, Some(version.as_bytes()));
        before = Some(version.as_bytes());
    }
    let given = |history: &History| {
        let mut given = Vec::new();
        history
            .each_version(|hash, content| {
                assert_eq!(hash, ContentHash::of(content));
                given.push(String::from_utf8(content.to_vec()).unwrap());
            })
            .unwrap();
        given
    };
    assert_eq!(given(&history), versions);
    let wanted = versions.iter().map(|version| ContentHash::of(version.as_bytes())).collect();
    assert_eq!(history.contents(&wanted).unwrap().len(), versions.len());
    // The last byte of the body of one delta: what is based on it is lost, all others come back.
    let path = segment::path(history.dir(), 1);
    let mut bytes = fs::read(&path).unwrap();
    let (frames, _) = scan(&bytes);
    let operations: Vec<_> = frames.iter().filter(|(_, frame)| frame.kind == FrameKind::Operation).collect();
    let (offset, frame) = operations[120];
    let last = offset + frame.length() - 1;
    bytes[last] ^= 1;
    fs::write(&path, bytes).unwrap();
    let left = given(&history);
    let single = |version: &&String| history.content(ContentHash::of(version.as_bytes())).unwrap().is_some();
    let alone: Vec<String> = versions.iter().filter(single).cloned().collect();
    assert!(left.len() < versions.len() && left.len() > 140, "{}", left.len());
    assert_eq!(left, alone);
}

#[test]
fn what_mentions_a_file_is_found_under_its_earlier_names() {
    use memdir_core::history::lineage::of_file;
    let temp = tempfile::tempdir().unwrap();
    let history = history(&temp);
    let path = |name: &str| RelPath::parse(name).unwrap();
    for number in 0..4_000_u64 {
        let content = format!("{number}").repeat(100);
        let mut operation = operation(number, None, Some(content.as_bytes()));
        let change = &mut operation.changes[0];
        (change.path, change.renamed_from) = match number {
            7 => (path("first \"name\".md"), None),
            9 => (path("second.md"), Some(path("first \"name\".md"))),
            3_900 => (path("third.md"), Some(path("second.md"))),
            3_950 => (path("third.md"), None),
            _ => (path(&format!("other-{}.md", number % 50)), None),
        };
        if number == 3_960 {
            operation.changes.clear();
            operation.undo_of = Some(OperationId::new(operation.time, 7));
        }
        history.record_observed(&operation, &[(None, Some(content.as_bytes()))]).unwrap();
    }
    assert!(segment::numbers(history.dir()).unwrap().len() > 1);
    let all: Vec<Operation> =
        history.newest(usize::MAX).unwrap().operations.into_iter().map(|(one, _)| one).collect();
    for name in ["third.md", "second.md", "other-3.md", "never.md"] {
        let some = history.mentioning(&[name]).unwrap().operations;
        let some: Vec<Operation> = some.into_iter().map(|(one, _)| one).collect();
        assert_eq!(of_file(&some, &path(name)), of_file(&all, &path(name)), "{name}");
        assert!(some.iter().any(|operation| operation.undo_of.is_some()), "{name}");
        assert!(some.len() < 200, "{name}");
    }
}
