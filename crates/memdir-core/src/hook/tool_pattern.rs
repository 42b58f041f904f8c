use camino::Utf8Path;
use serde_json::Value;

/// A tool call that an agent is about to make.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'c> {
    /// The tool, as the client calls it.
    pub tool: &'c str,
    /// What it is given.
    pub input: &'c Value,
    /// The root of the project, from which the patterns of paths count.
    pub root: &'c Utf8Path,
}

impl ToolCall<'_> {
    /// Whether a pattern such as `Bash(npm install *)`, `Edit(migrations/**)` or `WebFetch` means this call.
    ///
    /// A command line matches if one of its commands does. `Edit` means every tool that changes a file.
    #[must_use]
    pub fn matches(&self, pattern: &str) -> bool {
        let pattern = pattern.trim();
        let (tool, argument) = match pattern.strip_suffix(')').and_then(|pattern| pattern.split_once('(')) {
            Some((tool, argument)) => (tool.trim(), argument.trim()),
            None => (pattern, "*"),
        };
        let is_edit = matches!(self.tool, "Write" | "Edit" | "MultiEdit" | "NotebookEdit");
        if tool != self.tool && !(tool == "Edit" && is_edit) {
            return false;
        }
        if matches!(argument, "" | "*" | "**") {
            return true;
        }
        let text = |key: &str| self.input.get(key).and_then(Value::as_str);
        if let Some(path) = text("file_path").or_else(|| text("notebook_path")) {
            let relative = Utf8Path::new(path).strip_prefix(self.root).map_or(path, Utf8Path::as_str);
            return is_path(argument, relative) || is_path(argument, path);
        }
        let given = text("command").or_else(|| text("url")).or_else(|| text("pattern")).unwrap_or_default();
        given.split(['\n', ';', '|', '&']).any(|command| is_command(argument, command.trim()))
    }
}

/// Whether a command is one that a pattern means; `npm install *` means `npm install` as well.
fn is_command(pattern: &str, command: &str) -> bool {
    wildcard(pattern, command) || pattern.strip_suffix(" *").is_some_and(|bare| wildcard(bare, command))
}

/// Whether a path is one that a pattern means: `*` stays within a folder, `**` does not.
fn is_path(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_start_matches("./");
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    matches_list(&pattern, &path, |part| *part == "**", |part, name| wildcard(part, name))
}

fn wildcard(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    matches_list(&pattern, &text, |part| *part == '*', |part, character| *part == '?' || part == character)
}

/// Whether a list fits a pattern in which some parts mean any run: linear in both, whatever they hold.
fn matches_list<P, T>(
    pattern: &[P],
    list: &[T],
    is_run: impl Fn(&P) -> bool,
    fits: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut run: Option<(usize, usize)> = None;
    while let Some(item) = list.get(place) {
        match pattern.get(at) {
            Some(part) if is_run(part) => {
                run = Some((at, place));
                at += 1;
            }
            Some(part) if fits(part, item) => {
                at += 1;
                place += 1;
            }
            _ => {
                let Some((start, reached)) = run else { return false };
                run = Some((start, reached + 1));
                (at, place) = (start + 1, reached + 1);
            }
        }
    }
    pattern.iter().skip(at).all(is_run)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn patterns_name_commands_and_files() {
        let check = |tool: &str, input: Value, pattern: &str, expected: bool| {
            let call = ToolCall { tool, input: &input, root: "/p".into() };
            assert_eq!(call.matches(pattern), expected, "{tool} {input} {pattern}");
        };
        let bash = |command: &str| json!({ "command": command });
        check("Bash", bash("npm install left-pad"), "Bash(npm install *)", true);
        check("Bash", bash("npm install"), "Bash(npm install *)", true);
        check("Bash", bash("cd web && npm install x"), "Bash(npm install *)", true);
        check("Bash", bash("npm installer"), "Bash(npm install *)", false);
        check("Bash", bash("pnpm install x"), "Bash(npm install *)", false);
        check("Bash", bash("git push --force"), "Bash(git push*--force*)", true);
        check("Bash", bash("ls"), "Edit(**)", false);
        let file = |path: &str| json!({ "file_path": path });
        check("Write", file("/p/migrations/1/up.sql"), "Edit(migrations/**)", true);
        check("Edit", file("/p/migrations/1.sql"), "Edit(migrations/*)", true);
        check("Edit", file("/p/migrations/1/up.sql"), "Edit(migrations/*)", false);
        check("Edit", file("/p/src/migrations.rs"), "Edit(migrations/**)", false);
        check("Read", file("/p/migrations/1.sql"), "Edit(migrations/**)", false);
        check("Edit", file("/etc/hosts"), "Edit(/etc/*)", true);
        check("WebFetch", json!({"url": "https://x"}), "WebFetch", true);
        check("Bash", bash(&"a".repeat(20_000)), &format!("Bash({})", "*a".repeat(500) + "b"), false);
    }
}
