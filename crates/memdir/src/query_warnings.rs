//! What of a question to the search was not understood.

use memdir_core::memory::memory_type::MemoryType;
use memdir_search::Query;

/// The words of `--in` and `in:`.
pub(crate) const PLACES: &str = "memories, team, agents, logs, journal, instructions, sessions or all";

/// What of a question was not understood, and what would have been.
pub(crate) fn query_warnings(query: &Query, is_nothing_found: bool) -> Vec<String> {
    let filter = |(key, value): &(String, String)| {
        let known = match key.as_str() {
            "in" => PLACES,
            "role" => "user or assistant",
            _ => "a day or a time: 2026-10-01, 2026-10, yesterday, 3d",
        };
        format!("`{key}:{value}` is not a filter, so its words are searched for; `{key}:` takes {known}")
    };
    let mut warnings: Vec<String> = query.not_understood().iter().map(filter).collect();
    // Turns of sessions count as a type of their own.
    let is_usual = |kind: &str| kind == "session" || MemoryType::known(kind).is_some();
    let strange = query.types().iter().filter(|kind| is_nothing_found && !is_usual(kind));
    warnings.extend(strange.map(|kind| {
        format!(
            "`{kind}` is not a usual type: memories are user, feedback, project or reference, turns are session"
        )
    }));
    warnings
}
