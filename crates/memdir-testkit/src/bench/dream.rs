use camino::Utf8Path;

use super::extract::resident;
use super::measure::{Table, cpu_of};
use super::sandbox::Bench;

/// A dream over two thousand memories and ninety days of logs: what it costs to plan, and to carry out.
#[must_use]
pub fn dream(program: &Utf8Path) -> Table {
    const RUNS: usize = 3;
    let benches: Vec<Bench> = (0..=RUNS).map(|_| untidy(program)).collect();
    let [first, rest @ ..] = benches.as_slice() else { return Table::default() };
    let plan = cpu_of(RUNS, |_| first.command(&["dream", "--dry-run"]));
    let memory = resident(&first.command(&["dream"]), program);
    let whole = cpu_of(RUNS, |run| rest[run].command(&["dream"]));
    let again = cpu_of(RUNS, |_| first.command(&["dream"]));
    let mut table = Table::new("Dream: 2,000 memories and 90 days of logs");
    let seconds = |milliseconds: f64| format!("{:.2} s", milliseconds / 1e3);
    table.row("`memdir dream --dry-run`, CPU", seconds(plan), "5 s");
    table.row("`memdir dream`, CPU", seconds(whole), "5 s");
    table.row("a second one, which finds nothing to do, CPU", seconds(again), "5 s");
    table.row("resident memory of the first", format!("{memory:.0} MB"), "200 MB");
    table
}

/// A directory as two years of work leave it behind: one memory in eight repeats another, one in twenty is in no index.
fn untidy(program: &Utf8Path) -> Bench {
    const AREAS: [&str; 10] =
        ["billing", "search", "importer", "kiosk", "reports", "mobile", "ledger", "mail", "admin", "gateway"];
    const DEEDS: [&str; 8] = [
        "retries failed jobs three times before it gives up",
        "writes amounts as integer cents and never as floats",
        "needs the vendor certificate in its own directory",
        "answers with a problem document that names the field",
        "is deployed by the release train and by nothing else",
        "reads its limits from the shared configuration at start",
        "keeps sessions for a day and drops them at midnight",
        "must not call the partner interface during a backup",
    ];
    let bench = Bench::new(program);
    let mut index = String::from("# Notes\n\n");
    for number in 0..2_000_usize {
        let same = if number % 8 == 7 { number - 7 } else { number };
        let (area, deed) = (AREAS[same % AREAS.len()], DEEDS[same / AREAS.len() % DEEDS.len()]);
        let kind = ["project", "feedback", "reference", "user"][same % 4];
        let day = format!("2026-{:02}-{:02}", same % 9 + 1, same % 27 + 1);
        let body = format!(
            "The {area} service number {same} {deed}. It was agreed on {day} with team {}.\n\n**Why:** Ticket {} shows what happens otherwise.\n**How to apply:** See [[note-{:04}]] before changing it, and tell team {}.\n\n- Owner: team {}\n- Shelf {same} of rack {}\n{}",
            same % 17,
            same * 31,
            (same + 1) % 2_000,
            same % 13,
            same % 17,
            same % 23,
            if number == same { "" } else { "- One more thing that only this one says.\n" },
        );
        let head = format!(
            "---\nname: note-{number:04}\ndescription: {area} {same}: {deed}\nmetadata:\n  type: {kind}\n  modified: {day}T10:00:00.000Z\n---\n\n"
        );
        bench.write_memory(&format!("note-{number:04}.md"), &format!("{head}{body}"));
        if number % 20 != 0 && number < 180 {
            index.push_str(&format!("- [note-{number:04}](note-{number:04}.md) — {area} {same}\n"));
        }
    }
    bench.write_memory("MEMORY.md", &index);
    for day in 0..90_usize {
        let (month, day_of_month) = (day / 28 + 1, day % 28 + 1);
        let mut log = String::new();
        for note in 0..30_usize {
            let area = AREAS[(day + note) % AREAS.len()];
            let said = match note % 6 {
                0 => format!(
                    "We decided to give the {area} service {} more workers because of load {}",
                    note + 2,
                    day * 30 + note
                ),
                1 => format!("The {area} service number {} runs on port {}", day % 40, 7_000 + day),
                2 => "fixed the flaky test again".to_owned(),
                3 => format!("The freeze for {area} {day} starts on Thursday"),
                4 => format!("User prefers short reports for {area}"),
                _ => format!("looked at ticket {} with the {area} team", day * note),
            };
            log.push_str(&format!("- {:02}:{:02} {said}\n", note % 24, note));
        }
        bench.write_memory(&format!("logs/2026/{month:02}/2026-{month:02}-{day_of_month:02}.md"), &log);
    }
    bench
}
