use serde_json::Value;

/// The tools, as data.
const TOOLS: &str = include_str!("tools.json");
/// The API's own memory tool, which is offered only where the user asks for it.
const MEMORY_TOOL: &str = include_str!("memory_tool.json");

/// Every tool with its schema.
#[must_use]
pub fn tools_list(with_memory_tool: bool) -> Vec<Value> {
    // That both parse is what the tests below are for.
    let mut tools: Vec<Value> = serde_json::from_str(TOOLS).unwrap_or_default();
    if with_memory_tool {
        tools.extend(serde_json::from_str::<Value>(MEMORY_TOOL));
    }
    tools
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_whole_list_is_small_and_every_tool_says_what_it_may_do() {
        let tools = tools_list(true);
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let expected = ["search", "read", "save", "edit", "forget", "journal", "sessions", "memory"];
        assert_eq!(names, expected);
        for tool in &tools {
            assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
            assert_eq!(tool["inputSchema"]["type"], "object");
            let writes = tool["annotations"]["readOnlyHint"] == false;
            assert_eq!(tool["annotations"]["destructiveHint"].is_boolean(), writes, "{tool}");
        }
        assert!(tools[7]["description"].as_str().unwrap().contains("Give each file `metadata.cues`"));
        let bytes = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}).to_string().len();
        assert!(bytes <= 6_000, "{bytes}");
    }
}
