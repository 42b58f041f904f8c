use camino::Utf8Path;

use super::measure::{Table, compare, ratio};
use super::sandbox::{Bench, true_command};
use crate::Git;

/// `memdir prompt` in a repository that has memory.
#[must_use]
pub fn prompt(program: &Utf8Path) -> Table {
    let bench = Bench::new(program);
    Git::init(&bench.home.project(), "bench");
    let mut table = Table::new("What an agent is told");
    let times = compare(500, || bench.command(&["prompt"]), true_command);
    table.row("`memdir prompt` in a repository : `/bin/true`, wall", ratio(times), "2.5 times");
    table
}
