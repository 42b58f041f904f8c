use std::hint::black_box;
use std::time::Instant;

use camino::Utf8Path;
use memdir_core::hygiene::clean;
use memdir_core::secrets::scan;

use super::measure::Table;

const SIZE: usize = 4 << 20;
/// The best of so many runs counts, so that a busy machine does not.
const RUNS: usize = 30;

/// Cleaning text and looking for secrets, in this process, on one core.
#[must_use]
pub fn hygiene(_program: &Utf8Path) -> Table {
    let ascii = "- [Testing](testing.md) - no mocks; run `just test` before every commit.\n";
    let mixed =
        "Zürich – 日本語のコメント, Привет мир, 👩‍💻 کتاب‌ها, हिन्दी में; plain words stand between them all.\n";
    let prose = "The deploy key rotates every Friday; ask Dana before you touch the token cache in auth/session.rs.\n";
    let mut table = Table::new("Cleaning and secrets, megabytes a second (more is better)");
    let mut row = |what: &str, unit: &str, limit: &str, run: fn(&str) -> usize| {
        let text = unit.repeat(SIZE / unit.len());
        table.row(what, format!("{:.0} MB/s", speed(&text, run)), limit);
    };
    row("cleaning plain ASCII", ascii, "at least 1500 MB/s", |text| clean(text).len());
    row("cleaning mixed scripts and emoji", mixed, "at least 150 MB/s", |text| clean(text).len());
    row("secrets in clean notes", ascii, "at least 50 MB/s", |text| scan(text).len());
    row("secrets in notes that speak of keys and tokens in every line", prose, "no promise", |text| {
        scan(text).len()
    });
    row("secrets in mixed scripts and emoji", mixed, "at least 50 MB/s", |text| scan(text).len());
    table
}

fn speed(text: &str, run: fn(&str) -> usize) -> f64 {
    let best = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            black_box(run(black_box(text)));
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    text.len() as f64 / best / 1e6
}
