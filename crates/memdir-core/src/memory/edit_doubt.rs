//! What a person or an agent may not have meant to save.

use super::topic::Topic;

/// Why an edited memory should be looked at again before it is saved; `None` if nothing is doubtful.
#[must_use]
pub fn edit_doubt(before: &str, after: &str) -> Option<String> {
    if after.trim().is_empty() && !before.trim().is_empty() {
        return Some("would be empty; `memdir rm` removes a memory".to_owned());
    }
    let ((known, known_problems), (topic, problems)) = (Topic::parse(before), Topic::parse(after));
    let fresh = problems.iter().filter(|problem| !known_problems.contains(problem));
    let fresh: Vec<String> = fresh.map(ToString::to_string).collect();
    if !fresh.is_empty() {
        return Some(format!("would have a broken header: {}", fresh.join("; ")));
    }
    let lost = known.has_frontmatter && !topic.has_frontmatter;
    lost.then(|| "would lose its header: its name, description and type".to_owned())
}
