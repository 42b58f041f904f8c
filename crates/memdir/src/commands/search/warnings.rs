use memdir_search::Query;

/// The words of `--in` and `in:`.
pub(super) const PLACES: &str = "memories, team, agents, logs, journal, instructions, sessions or all";
/// What memories are, and what turns of sessions count as.
const TYPES: [&str; 5] = ["user", "feedback", "project", "reference", "session"];

/// What of a question was not understood, and what would have been.
pub(crate) fn warnings(query: &Query, is_nothing_found: bool) -> Vec<String> {
    let filter = |(key, value): &(String, String)| {
        let known = match key.as_str() {
            "in" => PLACES,
            "role" => "user or assistant",
            _ => "a day or a time: 2026-10-01, 2026-10, yesterday, 3d",
        };
        format!("`{key}:{value}` is not a filter, so its words are searched for; `{key}:` takes {known}")
    };
    let mut warnings: Vec<String> = query.not_understood().iter().map(filter).collect();
    let strange = query.types().iter().filter(|kind| is_nothing_found && !TYPES.contains(&kind.as_str()));
    warnings.extend(strange.map(|kind| {
        format!(
            "`{kind}` is not a usual type: memories are user, feedback, project or reference, turns are session"
        )
    }));
    warnings
}
