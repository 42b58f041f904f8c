//! A memory directory as an Obsidian vault: the same files, with what Obsidian reads differently put in its form.

use std::collections::BTreeMap;

use super::links::{LinkKind, LinkTargets, links};
use super::topic::{Topic, decode};
use crate::rel_path::RelPath;

/// The files of a vault, made from those of a memory directory.
///
/// Obsidian resolves `[[…]]` by a file's name and not by the `name` of its header, so such a link gets the file's name and
/// keeps its words as a label. It shows only the top level of a header as properties, so `metadata` is taken apart.
#[must_use]
pub fn vault(files: &BTreeMap<RelPath, Vec<u8>>) -> BTreeMap<RelPath, Vec<u8>> {
    let named: Vec<(Option<String>, &RelPath)> = files
        .iter()
        .map(|(path, content)| (Topic::parse_head_of_whole(&decode(content).0).0.name, path))
        .collect();
    let targets = LinkTargets::new(named.iter().map(|(name, path)| (name.as_deref(), path.as_str())));
    let converted = files.iter().map(|(path, content)| {
        let Ok(text) = std::str::from_utf8(content) else { return (path.clone(), content.clone()) };
        let stem_of = |target: &str| match targets.resolve(target) {
            [one] => named.get(*one).and_then(|(_, path)| path.as_path().file_stem()),
            _ => None,
        };
        (path.clone(), flat_header(&with_file_names(text, stem_of)).into_bytes())
    });
    converted.collect()
}

/// The text with the file's name in every link that says another.
fn with_file_names<'t>(text: &str, stem_of: impl Fn(&str) -> Option<&'t str>) -> String {
    let mut converted = String::with_capacity(text.len());
    let mut at = 0;
    for link in links(text).into_iter().filter(|link| link.kind == LinkKind::Wiki) {
        let Some(stem) = stem_of(&link.target).filter(|stem| *stem != link.target) else { continue };
        let behind = text.get(link.range.end..).unwrap_or_default();
        converted.push_str(text.get(at..link.range.start).unwrap_or_default());
        converted.push_str(stem);
        // A link with a label or a heading keeps it.
        if behind.starts_with("]]") {
            converted.push_str(&format!("|{}", link.target));
        }
        at = link.range.end;
    }
    converted.push_str(text.get(at..).unwrap_or_default());
    converted
}

/// The text with the fields below `metadata` at the top level of the header, unless one is there already.
fn flat_header(text: &str) -> String {
    let Some((header, body)) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")) else {
        return text.to_owned();
    };
    let is_top = |line: &&str| !line.starts_with([' ', '\t', '-', '#']);
    let key = |line: &str| line.split(':').next().unwrap_or_default().trim().to_owned();
    let top: Vec<String> = header.lines().filter(is_top).map(key).collect();
    let (mut lines, mut is_inside, mut is_kept) = (Vec::new(), false, true);
    for line in header.lines() {
        if is_top(&line) {
            is_inside = line.trim_end() == "metadata:";
            if is_inside {
                continue;
            }
        }
        match line.strip_prefix("  ").filter(|_| is_inside) {
            Some(inner) => {
                if is_top(&inner) {
                    is_kept = !top.contains(&key(inner));
                }
                if is_kept {
                    lines.push(inner);
                }
            }
            None => lines.push(line),
        }
    }
    format!("---\n{}\n---\n{body}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_headers_are_in_obsidians_form() {
        let files = [
            (
                "use-tabs.md",
                "---\nname: tabs\nmetadata:\n  node_type: memory\n  type: user\n  cues:\n    - indent\n---\n\nUse tabs.\n",
            ),
            ("b.md", "See [[tabs]], [[tabs|these]], [[b]] and `[[tabs]]`, [x](use-tabs.md).\n"),
            ("MEMORY.md", "- [tabs](use-tabs.md) — indentation\n"),
            ("c.md", "---\ntype: project\nmetadata:\n  type: user\n  pinned: true\n---\nx\r\n"),
        ];
        let files: BTreeMap<RelPath, Vec<u8>> = files
            .into_iter()
            .map(|(path, text)| (RelPath::parse(path).unwrap(), text.as_bytes().to_vec()))
            .collect();
        let vault = vault(&files);
        let text = |path: &str| String::from_utf8(vault[&RelPath::parse(path).unwrap()].clone()).unwrap();
        assert_eq!(
            text("use-tabs.md"),
            "---\nname: tabs\nnode_type: memory\ntype: user\ncues:\n  - indent\n---\n\nUse tabs.\n"
        );
        assert_eq!(
            text("b.md"),
            "See [[use-tabs|tabs]], [[use-tabs|these]], [[b]] and `[[tabs]]`, [x](use-tabs.md).\n"
        );
        assert_eq!(text("MEMORY.md"), "- [tabs](use-tabs.md) — indentation\n");
        assert_eq!(text("c.md"), "---\ntype: project\npinned: true\n---\nx\r\n");
    }
}
