use std::fmt;

/// What a proof did and what it found.
#[derive(Debug, Default)]
pub struct ProofReport {
    title: String,
    counts: Vec<(String, String)>,
    failures: Vec<String>,
}

/// More failures than this say nothing new.
const SHOWN_FAILURES: usize = 40;

impl ProofReport {
    pub(super) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), ..Self::default() }
    }

    pub(super) fn count(&mut self, what: &str, number: impl fmt::Display) {
        self.counts.push((what.to_owned(), number.to_string()));
    }

    pub(super) fn fail(&mut self, failure: String) {
        self.failures.push(failure);
    }

    pub(super) fn fail_all(&mut self, failures: Vec<String>) {
        self.failures.extend(failures);
    }

    /// Whether the proof holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.failures.is_empty()
    }

    /// Stops the test if the proof does not hold, and shows why.
    ///
    /// # Panics
    /// When something was found.
    pub fn assert_holds(&self) {
        assert!(self.holds(), "{self}");
    }
}

impl fmt::Display for ProofReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "### {}\n\n| what | count |\n|---|---|", self.title)?;
        for (what, number) in &self.counts {
            writeln!(formatter, "| {what} | {number} |")?;
        }
        writeln!(formatter, "| **failures** | **{}** |", self.failures.len())?;
        for failure in self.failures.iter().take(SHOWN_FAILURES) {
            writeln!(formatter, "\n- {failure}")?;
        }
        Ok(())
    }
}
