//! Whether two texts are one memory.

use std::collections::HashMap;

use memdir_core::memory::frontmatter::Frontmatter;

/// Common lines of all lines, in hundredths, from which on a text is another one under a new name.
const ALIKE: usize = 60;

/// Whether a text is another one, changed a little.
pub(super) fn is_alike(one: &str, other: &str) -> bool {
    likeness(one, other) >= ALIKE
}

/// Whether a text says nothing of what another one says. Of a single line nobody can tell: whoever changes that changes all.
pub(super) fn is_another(one: &str, other: &str) -> bool {
    likeness(one, other) == 0 && parts(one).0.len() > 1
}

/// How many lines two texts have in common, in hundredths. Of the fields only the description counts, and only where it is
/// the same: in a memory of one line another one would be half of all.
pub(super) fn likeness(one: &str, other: &str) -> usize {
    let ((one, description), (other, another)) = (parts(one), parts(other));
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in &one {
        *left.entry(line).or_default() += 1;
    }
    let described = usize::from(description.is_some() && description == another);
    let mut common = described;
    for line in &other {
        if let Some(count) = left.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    common * 100 / (one.len().max(other.len()) + described).max(1)
}

/// The lines of the body, and the description.
fn parts(text: &str) -> (Vec<&str>, Option<&str>) {
    let fields = Frontmatter::parse(text).0;
    let body = text.get(fields.as_ref().map_or(0, Frontmatter::body_start)..).unwrap_or_default();
    let lines = body.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let description = fields.as_ref().and_then(|fields| fields.raw_line("description"));
    (lines, description.map(str::trim))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_and_a_new_line_are_the_same_memory() {
        let text = |name: &str, description: &str, body: &str| {
            format!("---\nname: {name}\n{description}metadata:\n  type: project\n---\n\n{body}")
        };
        let check = |one: &str, other: &str, expected: bool| {
            assert_eq!(is_alike(one, other), expected, "{one} {other}");
        };
        check(&text("a", "", "x\n"), &text("b", "", "x\n"), true);
        check(&text("a", "", "x\ny\nz\n"), &text("b", "", "x\ny\n[[b]]\n"), true);
        check(&text("a", "", "x\n"), &text("b", "", "y\n"), false);
        check(&text("a", "description: one\n", "x\n"), &text("b", "description: other\n", "x\n"), true);
        check(&text("a", "description: one\n", "x\n"), &text("b", "description: one\n", "y\n"), false);
        check("x\n", "y\n", false);
        check("", "y\n", false);
    }
}
