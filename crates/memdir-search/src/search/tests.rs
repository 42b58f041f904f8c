#![expect(clippy::disallowed_methods, reason = "tests write the files that are searched")]

use std::fs;

use camino::Utf8Path;
use jiff::civil::date;

use super::*;
use crate::collection::{Limits, Source};

/// A small store of every kind of text that people look for.
const MEMORIES: &[(&str, &str)] = &[
    (
        "MEMORY.md",
        "- [Retries](retries.md) — how the billing job retries\n- [Postgres](db/postgres.md) — schema rules\n",
    ),
    (
        "retries.md",
        "---\nname: retries\ndescription: Retry policy of the billing job\ntype: feedback\n---\n\n# Retries\n\nThe nightly invoice run tries three times with exponential backoff.\n\n## Why\n\nThe vendor limits the rate.\n",
    ),
    (
        "db/postgres.md",
        "---\nname: postgres\ndescription: Schema rules\nmetadata:\n  type: project\n---\nColumns are snake_case, keys are ULIDs; migrations run in CI.\n",
    ),
    (
        "team/deploy.md",
        "---\nname: deploy\ntype: project\n---\nDeploys on Fridays are forbidden since the outage.\n",
    ),
    ("logs/2026/11/2026-11-02.md", "- moved the cache to redis\n"),
    ("logs/2026/05/2026-05-20.md", "- moved the queue to kafka\n"),
    (
        "errors.md",
        "error[E0502]: cannot borrow `cache` as mutable\nECONNREFUSED 127.0.0.1:5432 means the tunnel is down\n",
    ),
    ("code.md", "Use `parseHttpHeader` from src/net/http_header.rs; fixed in commit 095b301aa1c2.\n"),
    ("japanese.md", "設定ファイルは毎朝再読み込みされる。\n"),
    ("french.md", "Le café de l'équipe est fermé à Noël.\n"),
    ("long.md", "Nothing here about it.\n\nThe deployment window is quite exactly twenty minutes long.\n"),
];

struct Store {
    _directory: tempfile::TempDir,
    collection: Collection,
}

fn now() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn store(files: &[(&str, &str)]) -> Store {
    let directory = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(directory.path()).unwrap();
    for (path, text) in files {
        let path = base.join("memory").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let source =
        Source { project: "my-app".into(), ..Source::markdown(base.join("memory"), Scope::Memories) };
    let mut collection = Collection::open(&base.join("cache"), source);
    collection.refresh(&mut Limits { now: now(), deadline: None, progress: &mut |_, _| {} }).unwrap();
    Store { _directory: directory, collection }
}

impl Store {
    fn found(&self, question: &str) -> SearchResults {
        let query = Query::parse(question, date(2026, 11, 15), &mut Analyzer::new());
        let options = Options { limit: 10, now: now(), snippets: true };
        search(&[&self.collection], &query, &options, &Usage::default(), None, &mut Analyzer::new()).unwrap()
    }

    fn names(&self, question: &str) -> Vec<String> {
        let root = &self.collection.source().root;
        let hits = self.found(question).hits.into_iter();
        hits.map(|hit| hit.path.strip_prefix(root).unwrap().to_string()).collect()
    }

    fn first(&self, question: &str) -> String {
        self.names(question).into_iter().next().unwrap_or_default()
    }
}

#[test]
fn three_words_find_the_right_memory_first() {
    let store = store(MEMORIES);
    let check = |question: &str, expected: &str| assert_eq!(store.first(question), expected, "{question}");
    check("billing retry policy", "retries.md");
    check("how often does the invoice job retry?", "retries.md");
    check("schema rules", "db/postgres.md");
    check("friday deployment", "team/deploy.md");
    check("postgres column names", "db/postgres.md");
}

#[test]
fn identifiers_paths_errors_and_hashes() {
    let store = store(MEMORIES);
    let check = |question: &str, expected: &str| assert_eq!(store.first(question), expected, "{question}");
    check("parse_http_header", "code.md");
    check("http header", "code.md");
    check("src/net/http_header.rs", "code.md");
    check("095b301", "code.md");
    check("095b301aa1c2", "code.md");
    check("E0502", "errors.md");
    check("cannot borrow as mutable", "errors.md");
    check("econnrefused", "errors.md");
    check("db config snake case", "db/postgres.md");
}

#[test]
fn other_scripts_and_accents() {
    let store = store(MEMORIES);
    let check = |question: &str, expected: &str| assert_eq!(store.first(question), expected, "{question}");
    check("設定ファイル", "japanese.md");
    check("再読み", "japanese.md");
    check("cafe equipe noel", "french.md");
    check("CAFÉ", "french.md");
    check("cafe\u{301}", "french.md");
}

#[test]
fn filters_narrow_the_answer() {
    let store = store(MEMORIES);
    let check = |question: &str, expected: &[&str]| {
        let mut names = store.names(question);
        names.sort();
        assert_eq!(names, expected, "{question}");
    };
    check("type:feedback", &["retries.md"]);
    check("type:project rules", &["db/postgres.md"]);
    check("in:team", &["team/deploy.md"]);
    check("in:logs moved", &["logs/2026/05/2026-05-20.md", "logs/2026/11/2026-11-02.md"]);
    check("in:logs moved since:2026-10", &["logs/2026/11/2026-11-02.md"]);
    check("in:logs moved before:2026-06", &["logs/2026/05/2026-05-20.md"]);
    check("moved on:2026-11-02", &["logs/2026/11/2026-11-02.md"]);
    check("path:db/ rules", &["db/postgres.md"]);
    check("project:my-app E0502", &["errors.md"]);
    check("project:other E0502", &[]);
    check("moved -kafka", &["logs/2026/11/2026-11-02.md"]);
    check("\"moved the cache\"", &["logs/2026/11/2026-11-02.md"]);
    check("\"MOVED   the Cache\"", &["logs/2026/11/2026-11-02.md"]);
    check("\"cache the moved\"", &[]);
    check("\"of the billing job\" \"no such phrase\"", &[]);
    check("\"of the billing job\"", &["retries.md"]);
    check("\"since the\"", &["team/deploy.md"]);
    check("in:all \"since the\"", &["team/deploy.md"]);
    check("in:sessions moved", &[]);
}

#[test]
fn times_decide_between_what_is_alike() {
    let store = store(MEMORIES);
    assert_eq!(store.first("what did we move in May"), "logs/2026/05/2026-05-20.md");
    assert_eq!(store.first("moved two weeks ago"), "logs/2026/11/2026-11-02.md");
    assert_eq!(store.first("2026-05-20"), "logs/2026/05/2026-05-20.md");
}

#[test]
fn an_event_tells_the_time() {
    let log =
        |day: &str, text: &str| (format!("logs/{}/{day}.md", day[..7].replace('-', "/")), text.to_owned());
    let files = [
        log("2026-09-20", "- decided to keep the cache small"),
        log("2026-10-04", "- decided to keep the cache warm"),
        log("2026-10-05", "- release of 2.1 went out"),
        log("2026-10-06", "- decided to keep the cache cold"),
        log("2026-11-10", "- decided to keep the cache huge"),
        ("outage.md".to_owned(), "The outage was on 2026-09-21, a full disk.".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let store = store(&files);
    let check = |question: &str, expected: &str| {
        assert_eq!(store.first(question).rsplit('/').next(), Some(expected), "{question}");
    };
    check("what did we decide about the cache before the release", "2026-10-04.md");
    check("what did we decide about the cache after the release?", "2026-10-06.md");
    check("cache decision before the outage", "2026-09-20.md");
    check("cache decision since the outage", "2026-10-04.md");
    assert_eq!(store.names("cache decided before the festival").len(), 4);
}

#[test]
fn what_was_of_use_wins_only_between_equals() {
    let store = store(&[("a.md", "apple pie"), ("b.md", "apple pie"), ("exact.md", "apple pie crust")]);
    let mut usage = Usage::default();
    let ask = |usage: &Usage, limit: usize| {
        let query = Query::parse("apple pie crust", date(2026, 11, 15), &mut Analyzer::new());
        let options = Options { limit, now: now(), snippets: false };
        let found =
            search(&[&store.collection], &query, &options, usage, None, &mut Analyzer::new()).unwrap();
        found.hits.iter().map(|hit| hit.path.file_name().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let first = ask(&usage, 2)[1].clone();
    let other = if first == "a.md" { "b.md" } else { "a.md" };
    (0..100).for_each(|_| usage.add([&store.collection.source().root.join(other)]));
    assert_eq!(ask(&usage, 3), ["exact.md", other, &first]);
    assert_eq!(ask(&usage, 2), ["exact.md", other]);
}

#[test]
fn a_mistyped_word_is_understood() {
    let store = store(MEMORIES);
    assert_eq!(store.first("postgers"), "db/postgres.md");
    assert_eq!(store.found("exponetial").corrected, [("exponetial".to_owned(), "exponential".to_owned())]);
    assert_eq!(store.first("exponetial"), "retries.md");
    assert_eq!(store.names("zzzzqqqq"), Vec::<String>::new());
}

#[test]
fn newer_wins_only_between_equals() {
    let store = store(&[("old.md", "apple pie"), ("new.md", "apple pie"), ("exact.md", "apple pie crust")]);
    let path = |name: &str| store.collection.source().root.join(name);
    let set = |name: &str, day: u64| {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(day * 86_400);
        fs::File::options().write(true).open(path(name)).unwrap().set_modified(time).unwrap();
    };
    set("old.md", 20_000);
    set("exact.md", 19_000);
    set("new.md", 20_770);
    let mut collection = Collection::open(&path("../cache"), store.collection.source().clone());
    collection.refresh(&mut Limits { now: now(), deadline: None, progress: &mut |_, _| {} }).unwrap();
    let store = Store { collection, ..store };
    assert_eq!(store.names("apple pie crust"), ["exact.md", "new.md", "old.md"]);
}

#[test]
fn hits_say_where_and_what() {
    let store = store(MEMORIES);
    let found = store.found("exponential backoff");
    let hit = &found.hits[0];
    assert_eq!((hit.line, hit.kind.as_str(), hit.title.as_str()), (9, "feedback", "retries"));
    assert_eq!(hit.snippet, "The nightly invoice run tries three times with exponential backoff.");
    let marked: Vec<&str> = hit.marks.iter().map(|range| &hit.snippet[range.clone()]).collect();
    assert_eq!(marked, ["exponential", "backoff"]);
    assert_eq!(store.found("twenty minutes").hits[0].line, 3);
}

#[test]
fn a_line_of_the_index_does_not_repeat_its_memory() {
    let store = store(MEMORIES);
    let found = store.found("billing");
    assert_eq!(found.hits.iter().map(|hit| hit.title.as_str()).collect::<Vec<_>>(), ["retries"]);
    // The words of this line are in no other file: it is the only place that says them.
    fs::write(
        store.collection.source().root.join("MEMORY.md"),
        "- [Retries](retries.md) — how the billing job retries\n- The zeppelin is moored on Mondays\n",
    )
    .unwrap();
    assert_eq!(store.found("billing").hits.len(), 1);
}

#[test]
fn bad_questions_are_answered_with_nothing() {
    let store = store(MEMORIES);
    let long = "x".repeat(100_000);
    let many = "retry ".repeat(20_000);
    for question in ["", "the and of", "?!", "\"", "\0", "\u{202e}", "-", &long] {
        assert_eq!(store.names(question), Vec::<String>::new(), "{question:.20}");
    }
    assert_eq!(store.first(&many), "retries.md");
    assert_eq!(store.first("\"unbalanced retry"), "retries.md");
    assert_eq!(store.names("מה שלום"), Vec::<String>::new());
}

#[test]
fn a_file_that_vanished_is_still_an_answer() {
    let store = store(MEMORIES);
    fs::remove_dir_all(&store.collection.source().root).unwrap();
    assert_eq!(store.found("retry").hits[0].snippet, "");
    assert_eq!(store.names("\"exponential backoff\""), Vec::<String>::new());
}

#[test]
fn what_holds_too_little_of_the_question_is_only_the_nearest() {
    let store = store(MEMORIES);
    let found = store.found("kubernetes ingress certificate renewal of the billing cluster");
    assert_eq!(found.hits, []);
    assert_eq!(found.nearest.first().and_then(|hit| hit.path.file_name()), Some("retries.md"));
    let found = store.found("retry policy of the billing job");
    assert_eq!(found.nearest, []);
    assert_eq!(found.hits.first().map(|hit| hit.is_weak), Some(false));
    assert!(found.hits.iter().skip(1).all(|hit| hit.is_weak), "{found:?}");
}
