//! How fast clean text is scanned, beside counting its line feeds with memchr in the same run.
//!
//! `cargo bench -p memdir-core --bench secrets`

#![expect(clippy::print_stdout, clippy::disallowed_types, reason = "a benchmark measures time and prints it")]

use std::hint::black_box;
use std::time::Instant;

/// Notes of the kind that memory files hold: prose, code, settings, checksums; words such as token and key in plenty.
const NOTES: &str = r#"# Deploys

- Prod deploys freeze Thursday 16:00 UTC; the user prefers small pull requests with one reviewer.
- The password is stored in the vault; tokens are rotated every Friday, see https://wiki.acme.test/keys/rotation?page=2.
- `cargo nextest run -p core` before pushing. The flaky test is tests/sync.rs::two_writers.

```rust
let token = env.var("GITHUB_TOKEN")?;
let response = client.get(url).header("Authorization", format!("Bearer {token}")).send()?;
assert_eq!(response.status(), 200, "the key must not be logged");
```

| service | owner | board |
|---|---|---|
| ingest | Dana | https://grafana.acme.test/d/000000012/api-latency?orgId=1 |

checksum = "7581c11d77960b5b8be75e71cfe9dafc73095a23be7083cd2f1d396f21d89da1"
The regression came in with commit cab94894a10687867139021bf8a9a785278edc6e; reverted two days later.
数据库迁移需要两步：先加列，再回填。Les tests lents tournent la nuit.

"#;

/// Small enough that some runs are not interrupted.
const SIZE: usize = 1 << 18;

fn main() {
    let notes = NOTES.repeat(SIZE / NOTES.len());
    let letters = "lorem ipsum dolor sit amet consectetur ".repeat(SIZE / 39);
    let one_line = "x".repeat(SIZE);
    let quotes = "\"".repeat(SIZE);
    let started = Instant::now();
    black_box(memdir_core::secrets::scan(black_box("a short clean note")));
    println!("first scan of a process: {:.0} µs", started.elapsed().as_secs_f64() * 1e6);
    for (name, text) in [("notes", &notes), ("prose", &letters), ("one line", &one_line), ("quotes", &quotes)]
    {
        let scan = fastest(text, |text| memdir_core::secrets::scan(text).len());
        let count = fastest(text, |text| memchr::memchr_iter(b'\n', text.as_bytes()).count());
        println!("{name}: scan {scan:.0} MB/s, memchr {count:.0} MB/s, 1/{:.0}", count / scan);
    }
    for unit in [
        "password=",
        "eyJ-",
        "sk-",
        "://a:b",
        ":AA",
        "-----BEGIN PRIVATE KEY-----",
        "密码是",
        "key: \"",
        "mysql -",
        "cookie:",
    ] {
        let text = unit.repeat(SIZE / unit.len());
        let scan = fastest(&text, |text| memdir_core::secrets::scan(text).len());
        println!("much of {unit:?}: {scan:.1} MB/s");
    }
}

/// Megabytes a second of the fastest of many short runs, which a busy machine disturbs least.
fn fastest(text: &str, work: impl Fn(&str) -> usize) -> f64 {
    let run = || {
        let started = Instant::now();
        black_box(work(black_box(text)));
        text.len() as f64 / 1e6 / started.elapsed().as_secs_f64()
    };
    (0..60).map(|_| run()).fold(0.0, f64::max)
}
