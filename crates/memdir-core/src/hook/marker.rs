use crate::rel_path::RelPath;

/// The tag that the client has the model put around a sentence that rests on a memory.
const TAG: &str = "<cc-memory";
/// No message names more files than this.
const MAX_FILES: usize = 64;

/// The memories that the client's own markers name in an agent's words, each once, in their order.
#[must_use]
pub fn marked_files(message: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for tag in message.split(TAG).skip(1).filter_map(|rest| rest.split('>').next()) {
        let Some((_, value)) = tag.split_once("filenames=") else { continue };
        let names = value.split([',', ' ', '"', '\'', '[', ']', '{', '}']);
        let names = names.filter(|name| RelPath::parse(name).is_ok_and(|path| path.is_markdown()));
        for name in names {
            if files.len() < MAX_FILES && !files.iter().any(|known| known == name) {
                files.push(name.to_owned());
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_the_clients_markers_alone() {
        let message = "We use tabs <cc-memory filenames=\"tabs.md, build.md\">as you said</cc-memory>. \
            <cc-memory filenames='tabs.md'>x</cc-memory> `other.md` <cc-memory filenames=\"../../.env\">y";
        assert_eq!(marked_files(message), ["tabs.md", "build.md"]);
        assert!(marked_files("filenames=\"tabs.md\" <cc-memory").is_empty());
    }
}
