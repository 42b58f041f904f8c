//! Instruction files as they stand in front of the user's first message.

use camino::Utf8Path;

/// One instruction file with what is said about it.
#[derive(Debug, Clone, Copy)]
pub struct InstructionText<'a> {
    /// The file.
    pub path: &'a Utf8Path,
    /// Where it comes from, in the client's words.
    pub label: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// The files one after the other, each under a line that names it in the client's form; empty if there are none.
#[must_use]
pub fn instruction_files<'a>(files: impl IntoIterator<Item = InstructionText<'a>>) -> String {
    let shown = files
        .into_iter()
        .map(|InstructionText { path, label, text }| format!("Contents of {path} ({label}):\n\n{text}"));
    shown.collect::<Vec<_>>().join("\n\n")
}
