use std::fmt::Write;

/// A whole command in one block: exit code, standard output and standard error, ready for an inline snapshot.
pub struct CommandBlock {
    /// The exit code.
    pub code: u8,
    /// What went to standard output.
    pub stdout: String,
    /// What went to standard error.
    pub stderr: String,
}

impl CommandBlock {
    /// The block as text, with each pair's first part replaced by its second, in order.
    #[must_use]
    pub fn show(&self, replacements: &[(&str, &str)]) -> String {
        let mut block = String::new();
        let _ = write!(block, "exit {}", self.code);
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                let _ = write!(block, "\n--- {name}\n{}", text.strip_suffix('\n').unwrap_or(text));
            }
        }
        for (from, to) in replacements {
            block = block.replace(from, to);
        }
        block
    }
}
