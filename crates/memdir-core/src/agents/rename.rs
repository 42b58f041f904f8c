//! The index under its older name.

use crate::plan::{Change, Content, Plan};
use crate::rel_path::{ENTRYPOINT, PathRefused, RelPath};

/// What the index of an agent's memory was once called.
pub const OLD_ENTRYPOINT: &str = "memory.md";

/// Plans to give the index its present name; `None` if there is nothing to rename.
///
/// `old` is what `memory.md` holds, `has_new` whether there is a MEMORY.md already: then both stay as they are.
///
/// # Errors
/// Never: both names are fixed and valid.
pub fn rename_plan(old: Option<&[u8]>, has_new: bool) -> Result<Option<Plan>, PathRefused> {
    let Some(old) = old.filter(|_| !has_new) else { return Ok(None) };
    let mut plan = Plan::new("give the index of an agent's memory its present name");
    plan.changes.push(Change::Rename {
        from: RelPath::parse(OLD_ENTRYPOINT)?,
        to: RelPath::parse(ENTRYPOINT)?,
        base: Content(old.to_vec()),
    });
    Ok(Some(plan))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_index_without_a_successor_is_renamed() {
        let plan = rename_plan(Some(b"- x\n"), false).unwrap().unwrap();
        insta::assert_snapshot!(serde_json::to_string(&plan.changes).unwrap(), @r#"[{"do":"rename","from":"memory.md","to":"MEMORY.md","base":"- x\n"}]"#);
        assert_eq!(rename_plan(Some(b"- x\n"), true), Ok(None));
        assert_eq!(rename_plan(None, false), Ok(None));
    }
}
