//! Saving as a log: the agent appends, consolidation makes memories of it later.

/// How to save while daily logs are on. `dir` ends with a slash.
pub(super) fn daily_log(dir: &str) -> String {
    format!(
        "\
## How to save

You keep a log instead of editing memories: `{dir}logs/YYYY/MM/YYYY-MM-DD.md`, named by today's local date. When something worth keeping happens or is learned, append one list item that will make sense without this conversation, with the type of memory it should become. `memdir today add \"TEXT\"` does that, and makes the file when it is missing.

Only append: earlier items stay as they are, also when they turn out wrong; a new item says what is right. Memory files and `MEMORY.md` are made from the log later: change them yourself only when the user asks you to remember or forget something now."
    )
}
