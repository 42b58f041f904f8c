use super::*;
use crate::plan::{Change, Plan};
use crate::rel_path::ENTRYPOINT;

fn path(name: &str) -> RelPath {
    RelPath::parse(name).unwrap()
}

/// Files written as `name=content`, separated by blanks.
fn files(text: &str) -> Files {
    let pairs = text.split_whitespace().map(|pair| pair.split_once('=').unwrap());
    pairs.map(|(name, content)| (path(name), Content::from(content.replace('/', "\n")))).collect()
}

fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

fn applied(plan: &Plan, mut files: Files) -> Files {
    for change in &plan.changes {
        assert_eq!(files.get(change.path()).map(Content::hash), change.made_from(), "{change:?}");
        match change {
            Change::Write { path, content, .. } => drop(files.insert(path.clone(), content.clone())),
            Change::Delete { path, .. } => drop(files.remove(path)),
            Change::Rename { .. } => panic!("snapshots rename nothing"),
        }
    }
    files
}

fn check(base: &str, mine: &str, theirs: &str, expected: &str, outcomes: &str) {
    let snapshot = Snapshot { created: Timestamp::UNIX_EPOCH, files: files(theirs) };
    let answer = take_over(&snapshot, &files(mine), &files(base));
    assert_eq!(applied(&answer.plan, files(mine)), files(expected), "{base} | {mine} | {theirs}");
    let shown: Vec<String> =
        answer.outcomes.iter().map(|(path, outcome)| format!("{path} {outcome:?}")).collect();
    assert_eq!(shown.join(", "), outcomes);
}

#[test]
fn a_snapshot_is_merged_and_never_written_over_what_was_learned() {
    check("", "", "a.md=1 b.md=2", "a.md=1 b.md=2", "a.md Added, b.md Added");
    check("a.md=1", "a.md=1 own.md=x", "a.md=2", "a.md=2 own.md=x", "a.md Updated");
    check("a.md=1", "a.md=1", "", "", "a.md Removed");
    check("a.md=1", "a.md=mine", "", "a.md=mine", "a.md Kept");
    check("a.md=1", "", "a.md=2", "", "a.md Kept");
    check("a.md=1", "", "a.md=1", "", "a.md Kept");
    check("a.md=1", "a.md=mine", "a.md=1", "a.md=mine", "a.md Kept");
    check("a.md=1", "a.md=2", "a.md=2", "a.md=2", "a.md Same");
    check("a.md=1", "a.md=mine", "a.md=2", "a.md=mine a.snapshot.md=2", "a.md KeptBoth");
    check("", "a.md=mine", "a.md=2", "a.md=mine a.snapshot.md=2", "a.md KeptBoth");
    check(
        "a.md=1/2/3/4/5/",
        "a.md=1/2/3/4/mine/",
        "a.md=theirs/2/3/4/5/",
        "a.md=theirs/2/3/4/mine/",
        "a.md Merged",
    );
    check(
        "",
        "a.md=mine a.snapshot.md=other",
        "a.md=2",
        "a.md=mine a.snapshot.md=other a.snapshot-2.md=2",
        "a.md KeptBoth",
    );
    check("", "a.md=mine a.snapshot.md=2", "a.md=2", "a.md=mine a.snapshot.md=2", "a.md KeptBoth");
}

#[test]
fn lines_of_both_indexes_stay() {
    let index = |text: &str| Files::from([(path(ENTRYPOINT), Content::from(text))]);
    let theirs = Snapshot { created: Timestamp::UNIX_EPOCH, files: index("- [A](a.md)\n- [T](t.md)\n") };
    let mine = index("- [A](a.md)\n- [M](m.md)\n");
    let answer = take_over(&theirs, &mine, &index("- [A](a.md)\n"));
    let text = applied(&answer.plan, mine).remove(&path(ENTRYPOINT)).unwrap();
    let text = String::from_utf8(text.0).unwrap();
    assert!(["a.md", "m.md", "t.md"].iter().all(|name| text.contains(name)), "{text}");
    assert_eq!(answer.outcomes, [(path(ENTRYPOINT), Outcome::Merged)]);
}

#[test]
fn a_snapshot_is_made_whole_and_read_back() {
    let now = at("2026-03-05T10:00:00.4Z");
    let memory = files("MEMORY.md=index x.md=note");
    let made = create(&memory, &files("gone.md=1"), now).unwrap().unwrap();
    let written = applied(&made.plan, files("gone.md=1"));
    insta::assert_snapshot!(String::from_utf8_lossy(&written[&path(MANIFEST)].0), @r#"
    {
      "v": 1,
      "created": "2026-03-05T10:00:00Z",
      "files": {
        "MEMORY.md": "aaa6dc8a27328ce8cb8fc0d7a46c2774d23a9db2b642477ca4b420102d359c45",
        "x.md": "2d98215960d21018a79de0be95eb5e3b2eac5dcfaf880f700d8a8d62769583dd"
      }
    }
    "#);
    let manifest = Manifest::parse(&written[&path(MANIFEST)].0).unwrap();
    let read = |path: &RelPath| Ok::<_, BadSnapshot>(written.get(path).map(|content| content.0.clone()));
    let snapshot = Snapshot::read(&manifest, read).unwrap();
    assert_eq!((snapshot.created, snapshot.files), (made.created, memory.clone()));
    assert_eq!(create(&memory, &written, at("2026-03-06T10:00:00Z")), Ok(None));
    let later = create(&files("x.md=new"), &written, now).unwrap().unwrap();
    assert!(later.created > made.created, "a stopped clock makes no two snapshots of one time");
}

#[test]
fn a_snapshot_that_is_not_what_it_says_is_refused() {
    let check = |json: &str, expected: &str| {
        let answer = Manifest::parse(json.as_bytes()).and_then(|manifest| {
            Snapshot::read(&manifest, |path| {
                Ok::<_, BadSnapshot>((path.as_str() == "a.md").then(|| b"evil".to_vec()))
            })
        });
        let message = answer.unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    };
    let hash = ContentHash::of(b"good");
    let manifest =
        |file: &str| format!(r#"{{"v":1,"created":"2026-03-05T10:00:00Z","files":{{"{file}":"{hash}"}}}}"#);
    check("", "not a snapshot's manifest");
    check(r#"{"v":2}"#, "newer memdir");
    check(&manifest("a.md"), "`a.md` is not what");
    check(&manifest("b.md"), "missing");
    check(&manifest("run.sh"), "not a `.md` file");
    check(&manifest("../a.md"), "leaves the memory directory");
    check(&manifest(".claude/a.md"), "tools act on");
}

#[test]
fn the_standing_follows_from_what_was_decided() {
    let (early, late) = (at("2026-01-01T00:00:00Z"), at("2026-02-01T00:00:00Z"));
    let taken = |decided, kept| TakenOver {
        v: VERSION,
        memory_dir: "/m".into(),
        snapshot_dir: "/s".into(),
        decided,
        kept,
        operation: None,
        files: Files::new(),
    };
    let check = |snapshot, taken: Option<TakenOver>, has_memory, expected| {
        assert_eq!(standing(snapshot, taken.as_ref(), has_memory), expected);
    };
    check(None, None, true, Standing::Absent);
    check(Some(early), None, false, Standing::Initialise);
    check(Some(early), None, true, Standing::Newer);
    check(Some(early), Some(taken(early, false)), true, Standing::Current);
    check(Some(early), Some(taken(early, true)), true, Standing::Kept);
    check(Some(late), Some(taken(early, true)), true, Standing::Newer);
    check(Some(early), Some(taken(late, false)), true, Standing::Older);
    // Where no memory exists the snapshot is its beginning, unless the user has said that it is not wanted.
    check(Some(early), Some(taken(early, false)), false, Standing::Initialise);
    check(Some(early), Some(taken(early, true)), false, Standing::Kept);
}
