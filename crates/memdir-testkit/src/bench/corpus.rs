//! Folders of memories and transcripts of any size, the same at every run.

use std::fmt::Write as _;
use std::fs;

use camino::Utf8Path;

const KINDS: [&str; 6] = ["user", "feedback", "project", "reference", "decision", "analysis"];
const SUBJECTS: [&str; 40] = [
    "auth service",
    "payment gateway",
    "login form",
    "session store",
    "postgres schema",
    "redis cache",
    "job queue",
    "build pipeline",
    "docker image",
    "release script",
    "feature flag",
    "search index",
    "web socket",
    "rate limiter",
    "email sender",
    "pdf export",
    "csv import",
    "audit log",
    "user profile",
    "billing cron",
    "graphql resolver",
    "rest endpoint",
    "kafka consumer",
    "terraform module",
    "helm chart",
    "unit test suite",
    "e2e harness",
    "logging setup",
    "metrics dashboard",
    "error tracker",
    "mobile client",
    "desktop shell",
    "image resizer",
    "upload handler",
    "permission model",
    "webhook relay",
    "retry policy",
    "circuit breaker",
    "migration runner",
    "seed data",
];
const VERBS: [&str; 20] = [
    "uses",
    "avoids",
    "requires",
    "replaced",
    "deprecated",
    "wraps",
    "caches",
    "validates",
    "batches",
    "retries",
    "encrypts",
    "streams",
    "shards",
    "paginates",
    "debounces",
    "mocks",
    "pins",
    "vendors",
    "logs",
    "throttles",
];
const OBJECTS: [&str; 20] = [
    "httpOnly cookies",
    "JWT tokens",
    "a shared mutex",
    "optimistic locking",
    "exponential backoff",
    "a write-ahead log",
    "UTC timestamps",
    "snake_case columns",
    "integer cents",
    "ULID keys",
    "idempotency keys",
    "a single writer",
    "soft deletes",
    "row level security",
    "strict mode",
    "prepared statements",
    "signed URLs",
    "canary rollout",
    "content hashing",
    "the legacy adapter",
];
const REASONS: [&str; 6] = [
    "because the previous approach leaked memory",
    "after the incident in staging",
    "since the client library retries twice",
    "so that the nightly job stays under ten minutes",
    "as the vendor rate limits us",
    "because Safari drops the header",
];

/// Numbers that look random and are the same at every run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// Writes `count` topic files; every hundredth holds the words `codename needleN`.
pub(crate) fn memories(folder: &Utf8Path, count: usize) {
    let mut dice = Dice::new(7);
    for kind in KINDS {
        fs::create_dir_all(folder.join(kind)).unwrap();
    }
    for number in 0..count {
        let kind = KINDS[number % KINDS.len()];
        let (subject, verb, object) = (dice.of(&SUBJECTS), dice.of(&VERBS), dice.of(&OBJECTS));
        let slug = format!("{number:06}-{}", subject.replace(' ', "-"));
        let mut text = format!(
            "---\nname: {slug}\ndescription: The {subject} {verb} {object}\ntype: {kind}\n---\n\n# {subject} {verb} {object}\n\nThe {subject} {verb} {object} {}.\n\n**Why:**\n\n",
            dice.of(&REASONS)
        );
        if number % 100 == 0 {
            let _ = writeln!(
                text,
                "The {subject} migration has the codename needle{} and ships on a Thursday.",
                number / 100
            );
        }
        for _ in 0..2 + dice.below(5) {
            let (subject, verb, object) = (dice.of(&SUBJECTS), dice.of(&VERBS), dice.of(&OBJECTS));
            let _ = writeln!(text, "- The {subject} {verb} {object} {}.", dice.of(&REASONS));
        }
        let _ = write!(
            text,
            "\n**How to apply:**\n\nWhen touching the {subject}, check that it still {verb} {object}.\n"
        );
        fs::write(folder.join(kind).join(format!("{slug}.md")), text).unwrap();
    }
}

/// Writes a transcript of about so many megabytes: talk, tool calls, and the bulk of what tools answer.
pub(crate) fn transcript(path: &Utf8Path, megabytes: usize) {
    let mut dice = Dice::new(11);
    let mut text = String::new();
    let mut turn = 0;
    while text.len() < megabytes << 20 {
        let mut sentence = || {
            format!(
                "The {} {} {} {}.",
                dice.of(&SUBJECTS),
                dice.of(&VERBS),
                dice.of(&OBJECTS),
                dice.of(&REASONS)
            )
        };
        let (asked, answered) = (sentence(), [sentence(), sentence(), sentence()].join(" "));
        let bulk = sentence().repeat(40).replace(' ', "\\n");
        let common = format!(
            "\"parentUuid\":\"{turn:032x}\",\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/home/dev/app\",\"sessionId\":\"s\",\"version\":\"2.1.325\",\"gitBranch\":\"main\",\"timestamp\":\"2026-11-15T18:04:54.439Z\""
        );
        let _ = writeln!(
            text,
            "{{{common},\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{asked}\"}},\"uuid\":\"u{turn:031x}\"}}"
        );
        let _ = writeln!(
            text,
            "{{{common},\"type\":\"assistant\",\"message\":{{\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"{answered}\"}},{{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Read\",\"input\":{{\"file_path\":\"/home/dev/app/src/f{turn}.rs\"}}}}]}},\"uuid\":\"a{turn:031x}\"}}"
        );
        let _ = writeln!(
            text,
            "{{{common},\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"t\",\"type\":\"tool_result\",\"content\":\"{bulk}\"}}]}},\"uuid\":\"r{turn:031x}\",\"toolUseResult\":{{\"type\":\"text\",\"file\":{{\"content\":\"{bulk}\"}}}}}}"
        );
        let _ = writeln!(
            text,
            "{{\"type\":\"api-request-blob\",\"sessionId\":\"s\",\"hash\":\"h{turn}\",\"message\":{{\"role\":\"user\",\"content\":\"{bulk}\"}}}}"
        );
        turn += 1;
    }
    fs::write(path, text).unwrap();
}
