//! A journal of the work, and what an agent reads after a compaction: `cargo run --example journal`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use memdir_lib::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let env = Env::from_process()?;
    let author = Author { kind: AuthorKind::Agent, id: Some("example".to_owned()), session: None };
    let writer = Writer { author: &author, now: clock() };
    let mut journal = journal(&env)?;
    journal.start(&writer)?;
    journal.set_task("Move sessions to cookies", "Keep old tokens for a week.", &writer)?;
    let decision = NewDecision {
        title: Some("Use httpOnly cookies"),
        category: Some("architecture"),
        text: "Scripts cannot read them.",
        ..NewDecision::default()
    };
    println!("Written to {}", journal.decide(&decision, &writer)?.path);
    let options = RecoveryOptions { budget: 2_000, ..RecoveryOptions::default() };
    println!("{}", journal.recover(&options, clock())?.recovered.text);
    Ok(())
}
