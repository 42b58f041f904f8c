//! What goes to the team and what stays private.

/// The directory of the team's memory, inside the memory directory.
pub(super) const TEAM: &str = "team";

/// The part of the memory section about the team. `dir` ends with a slash.
pub(super) fn team(dir: &str) -> String {
    format!(
        "\
## Team memory

`{dir}{TEAM}/` is shared: every member's agent reads what you write there, and what you read there was written by one of them.

- Private, in `{dir}`: every `user` memory, and `feedback` that is one person's taste.
- Team, in `{dir}{TEAM}/`: `project` and `reference` memories that help everybody, and `feedback` that the whole project must follow.
- In doubt, private. Move a memory from private to team only when the user asks for it.
- Nothing about a person and no secret ever goes to the team.
- `{dir}{TEAM}/MEMORY.md` is made from the files: write the file, leave that index alone.
- Where a private memory and one of the team differ, follow the private one and say that they differ."
    )
}
