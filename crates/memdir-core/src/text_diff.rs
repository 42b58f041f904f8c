//! What changed in a text, as people and tools read it.

use similar::TextDiff;

use crate::plan::{Change, Content, Plan};

/// The unified diff of two versions of a file, three lines around every change; empty if nothing changed.
///
/// A name is `None` where there is no file on that side.
#[must_use]
pub fn unified(before: (Option<&str>, &str), after: (Option<&str>, &str)) -> String {
    let ((old_name, old), (new_name, new)) = (before, after);
    if old == new && old_name == new_name {
        return String::new();
    }
    let name = |side: &str, name: Option<&str>| {
        name.map_or_else(|| "/dev/null".to_owned(), |name| format!("{side}/{name}"))
    };
    let (old_name, new_name) = (name("a", old_name), name("b", new_name));
    if old == new {
        return format!("--- {old_name}\n+++ {new_name}\n");
    }
    TextDiff::from_lines(old, new).unified_diff().context_radius(3).header(&old_name, &new_name).to_string()
}

/// The unified diffs of all changes of a plan, one after the other.
#[must_use]
pub fn unified_plan(plan: &Plan) -> String {
    let text = |content: &Content| String::from_utf8_lossy(&content.0).into_owned();
    let diffs = plan.changes.iter().map(|change| match change {
        Change::Write { path, content, base } => {
            let before = base.as_ref().map(text).unwrap_or_default();
            let name = base.as_ref().map(|_| path.as_str());
            unified((name, &before), (Some(path.as_str()), &text(content)))
        }
        Change::Delete { path, base } => unified((Some(path.as_str()), &text(base)), (None, "")),
        Change::Rename { from, to, base } => {
            unified((Some(from.as_str()), &text(base)), (Some(to.as_str()), &text(base)))
        }
    });
    diffs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_both_sides() {
        insta::assert_snapshot!(unified((Some("a.md"), "one\ntwo\n"), (Some("a.md"), "one\nthree")), @r"
        --- a/a.md
        +++ b/a.md
        @@ -1,2 +1,2 @@
         one
        -two
        +three
        \ No newline at end of file
        ");
        insta::assert_snapshot!(unified((None, ""), (Some("a.md"), "one\n")), @r"
        --- /dev/null
        +++ b/a.md
        @@ -0,0 +1 @@
        +one
        ");
        insta::assert_snapshot!(unified((Some("a.md"), "x"), (Some("b.md"), "x")), @r"
        --- a/a.md
        +++ b/b.md
        ");
        assert_eq!(unified((Some("a.md"), "x"), (Some("a.md"), "x")), "");
    }
}
