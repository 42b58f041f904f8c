//! The tools that memory brings to an agent.

use serde::Serialize;

/// What an agent needs to keep its memory.
pub const MEMORY_TOOLS: [&str; 3] = ["Read", "Write", "Edit"];

/// The tools that a definition allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolList {
    /// The definition names none: all tools of the caller.
    #[default]
    Inherited,
    /// These.
    These(Vec<String>),
}

/// The tools that an agent gets in the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tools {
    /// The allowed ones in order; `None`: all that the caller has, but for the denied ones.
    pub tools: Option<Vec<String>>,
    /// Those that were added for the sake of memory.
    pub added: Vec<String>,
    /// Those that the definition denies.
    pub denied: Vec<String>,
}

impl Tools {
    /// Adds what memory needs to a list that names some tools; an explicit denial wins.
    #[must_use]
    pub fn resolve(allowed: &ToolList, denied: &[String], has_memory: bool) -> Self {
        let is_denied = |tool: &str| denied.iter().any(|other| other == tool);
        let denied_list = denied.to_vec();
        let ToolList::These(allowed) = allowed else {
            return Self { tools: None, added: Vec::new(), denied: denied_list };
        };
        let mut tools: Vec<String> = Vec::new();
        for tool in allowed.iter().filter(|tool| !is_denied(tool)) {
            if !tools.contains(tool) {
                tools.push(tool.clone());
            }
        }
        let wanted = if has_memory { &MEMORY_TOOLS[..] } else { &[] };
        let added: Vec<String> = wanted
            .iter()
            .filter(|tool| !is_denied(tool) && !tools.iter().any(|known| known == *tool))
            .map(|tool| (*tool).to_owned())
            .collect();
        tools.extend(added.iter().cloned());
        Self { tools: Some(tools), added, denied: denied_list }
    }
}

/// Splits a list of tools at commas, but not inside the brackets of `Bash(git add, git commit)`.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut depth = 0usize;
    let mut parts = vec![String::new()];
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_brings_its_tools_unless_they_are_denied() {
        let check = |allowed: Option<&str>, denied: &str, has_memory: bool, expected: &str| {
            let list = allowed.map_or(ToolList::Inherited, |text| ToolList::These(split(text)));
            let tools = Tools::resolve(&list, &split(denied), has_memory);
            let shown = tools.tools.map_or("all".to_owned(), |tools| tools.join(" "));
            assert_eq!(format!("{shown} +{}", tools.added.join("+")), expected, "{allowed:?} {denied}");
        };
        check(Some("Read, Grep"), "", true, "Read Grep Write Edit +Write+Edit");
        check(Some("Read, Grep"), "", false, "Read Grep +");
        check(Some("Grep"), "Write, Edit", true, "Grep Read +Read");
        check(Some("Write, Grep, Grep"), "Write", true, "Grep Read Edit +Read+Edit");
        check(Some(""), "", true, "Read Write Edit +Read+Write+Edit");
        check(None, "Write", true, "all +");
        check(
            Some("Bash(git add, git commit),Edit,Read,Write"),
            "",
            true,
            "Bash(git add, git commit) Edit Read Write +",
        );
    }
}
