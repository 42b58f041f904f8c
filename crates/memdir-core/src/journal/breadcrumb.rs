//! The comment that an agent leaves at the end of an answer: while it can see it, nothing was compacted.

use jiff::Timestamp;

use super::stamp;
use super::text::is_fence;

const START: &str = "<!-- MEMORY_BREADCRUMB:";
const END: &str = "-->";

/// The comment of a project at a moment.
#[must_use]
pub fn breadcrumb(key: &str, now: Timestamp) -> String {
    format!("{START} {key} {} {END}", stamp(now))
}

/// What the answers that are still visible say about the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Breadcrumb {
    /// The comment of this project is there: the context is whole.
    Found {
        /// When it was left.
        time: Timestamp,
    },
    /// Only comments of other projects are there.
    OtherProject {
        /// The key of the last one.
        key: String,
    },
    /// Something that begins like one and is none.
    Malformed,
    /// None at all.
    Missing,
}

impl Breadcrumb {
    /// Looks through the answers that are visible. Only an agent's own words count: a user may quote a comment, and so
    /// may a tool's result or a block of code.
    pub fn look_for<'t>(answers: impl IntoIterator<Item = &'t str>, key: &str) -> Self {
        let mut seen = Self::Missing;
        for answer in answers {
            let mut in_code = false;
            for line in answer.lines() {
                if is_fence(line) {
                    in_code = !in_code;
                }
                if in_code {
                    continue;
                }
                match (read_line(line, key), &seen) {
                    (Some(found @ Self::Found { .. }), _) => seen = found,
                    (Some(_), Self::Found { .. }) | (None, _) => {}
                    (Some(other @ Self::OtherProject { .. }), _) => seen = other,
                    (Some(other), Self::Missing) => seen = other,
                    (Some(_), _) => {}
                }
            }
        }
        seen
    }

    /// Whether the context is whole, as far as this tells.
    #[must_use]
    pub fn is_found(&self) -> bool {
        matches!(self, Self::Found { .. })
    }
}

/// A comment that has a line for itself.
fn read_line(line: &str, key: &str) -> Option<Breadcrumb> {
    let rest = line.trim().strip_prefix(START)?;
    let Some(inside) = rest.strip_suffix(END) else { return Some(Breadcrumb::Malformed) };
    let mut words = inside.split_whitespace().rev();
    let Some(time) = words.next().and_then(|time| time.parse::<Timestamp>().ok()) else {
        return Some(Breadcrumb::Malformed);
    };
    let rest: Vec<&str> = words.rev().collect();
    let found = rest.join(" ");
    Some(match found.as_str() {
        "" => Breadcrumb::Malformed,
        found if found == key => Breadcrumb::Found { time },
        other => Breadcrumb::OtherProject { key: other.to_owned() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_found() {
        let now: Timestamp = "2026-01-19T22:30:00.7Z".parse().unwrap();
        let comment = breadcrumb("my app", now);
        assert_eq!(comment, "<!-- MEMORY_BREADCRUMB: my app 2026-01-19T22:30:00Z -->");
        let answer = format!("Done.\n\n{comment}\n");
        assert!(Breadcrumb::look_for([answer.as_str()], "my app").is_found());
    }

    #[test]
    fn every_other_case_is_told_apart() {
        let check = |answer: &str, expected: Breadcrumb| {
            assert_eq!(Breadcrumb::look_for([answer], "app"), expected, "{answer}");
        };
        check("no comment", Breadcrumb::Missing);
        check(
            "<!-- MEMORY_BREADCRUMB: other 2026-01-19T22:30:00Z -->",
            Breadcrumb::OtherProject { key: "other".into() },
        );
        check("<!-- MEMORY_BREADCRUMB: app yesterday -->", Breadcrumb::Malformed);
        check("<!-- MEMORY_BREADCRUMB: app 2026-01-19T22:30:00Z", Breadcrumb::Malformed);
        check("<!-- MEMORY_BREADCRUMB: 2026-01-19T22:30:00Z -->", Breadcrumb::Malformed);
        check("He wrote <!-- MEMORY_BREADCRUMB: app 2026-01-19T22:30:00Z --> there", Breadcrumb::Missing);
        check("```\n<!-- MEMORY_BREADCRUMB: app 2026-01-19T22:30:00Z -->\n```", Breadcrumb::Missing);
        // An old broken one does not hide a good one, nor does one of another project.
        let many = "<!-- MEMORY_BREADCRUMB: app -->\n<!-- MEMORY_BREADCRUMB: app 2026-01-19T22:30:00Z -->\n<!-- MEMORY_BREADCRUMB: b 2026-01-19T22:30:00Z -->";
        assert!(Breadcrumb::look_for([many], "app").is_found());
    }
}
