//! Where things lie in a remote.

/// The folder of the entries.
pub const ENTRIES: &str = "entries/";
/// The folder of the members' records.
pub const MEMBERS: &str = "members/";
/// The folder of the records of those who are members no more.
pub const REVOCATIONS: &str = "revocations/";
/// The folder of the words of members for others whose inviter was put out.
pub const VOUCHERS: &str = "vouchers/";
/// The count of what was sent.
pub const ROUND: &str = "round.json";
/// What a reader of the repository should know.
pub const README: &str = "README.md";

/// The text of [`README`].
pub const README_TEXT: &str = "# Memory of a team of coding agents

memdir keeps this. Every file below `entries/` is a memory; its last line, which Markdown hides, holds its
author's signature. A change that is made here by hand breaks the signature and is refused by every member: change the
memory on your machine, and `memdir team sync`.
";
