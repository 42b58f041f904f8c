//! A marked section of ours in a file that others write too: instructions in Markdown, or an entry in YAML.

use super::Format;

/// Why a section cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SectionError {
    /// The key has a value on its own line.
    #[error("`{0}` is written on one line; write it as a list or block")]
    OneLine(String),
    /// The section was cut in two.
    #[error("the end mark of memdir's section is missing")]
    Unclosed,
}

/// The text of a Markdown file without the section that set-up wrote there.
#[must_use]
pub fn without_section(text: &str) -> String {
    remove(Format::Markdown, None, text).unwrap_or_else(|_| text.to_owned())
}

/// The lines that open and close a section. A file may hold one for each key.
fn marks(format: Format, under: Option<&str>) -> [String; 2] {
    let what = under.map(|key| format!(" ({key})")).unwrap_or_default();
    let lines =
        [format!("memdir: written by `memdir setup`{what}"), format!("memdir: end of the section{what}")];
    lines.map(|line| match format {
        Format::Markdown => format!("<!-- {line} -->"),
        _ => format!("# {line}"),
    })
}

/// Where a section lies with its marks, and its text without them and their indentation.
struct FoundSection {
    start: usize,
    end: usize,
    text: String,
}

fn find(format: Format, under: Option<&str>, text: &str) -> Result<Option<FoundSection>, SectionError> {
    let [open, close] = marks(format, under);
    let mut at = 0;
    let mut found: Option<FoundSection> = None;
    let mut indent = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match &mut found {
            None if line.trim() == open => {
                indent = line.len() - line.trim_start().len();
                found = Some(FoundSection { start: at, end, text: String::new() });
            }
            None => {}
            Some(found) if line.trim() == close => {
                found.end = end;
                return Ok(Some(FoundSection {
                    start: found.start,
                    end,
                    text: std::mem::take(&mut found.text),
                }));
            }
            Some(found) => found.text.push_str(line.get(indent..).unwrap_or(line)),
        }
        at = end;
    }
    if found.is_some() { Err(SectionError::Unclosed) } else { Ok(None) }
}

/// The text of the section, if there is one.
pub(super) fn get(format: Format, under: Option<&str>, text: &str) -> Result<Option<String>, SectionError> {
    Ok(find(format, under, text)?.map(|found| found.text))
}

/// The text with the section: as the first thing below the key `under`, or at the end.
pub(super) fn set(
    format: Format,
    text: &str,
    under: Option<&str>,
    section: &str,
) -> Result<String, SectionError> {
    let rest = remove(format, under, text)?;
    let Some(key) = under else { return Ok(appended(&rest, &marked(format, under, section, ""))) };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        at += line.len();
        let Some(value) = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')) else { continue };
        if !matches!(value.trim().split('#').next().map(str::trim), None | Some("")) {
            return Err(SectionError::OneLine(key.to_owned()));
        }
        let (before, behind) = rest.split_at(at);
        let next = behind.lines().find(|line| {
            let line = line.trim_start();
            !line.is_empty() && !line.starts_with('#')
        });
        // Items of a list may be as far to the left as their key.
        let is_below =
            |line: &&str| line.starts_with(' ') || section.starts_with('-') && line.starts_with('-');
        let indent = next.filter(is_below).map_or("  ", |line| {
            let width = line.len() - line.trim_start().len();
            line.get(..width).unwrap_or_default()
        });
        let before = if before.ends_with('\n') { before.to_owned() } else { format!("{before}\n") };
        return Ok(format!("{before}{}{behind}", marked(format, under, section, indent)));
    }
    // The key is removed with the section: no other program put it there.
    let indented: String = section.lines().map(|line| format!("  {line}\n")).collect();
    Ok(appended(&rest, &marked(format, under, &format!("{key}:\n{indented}"), "")))
}

/// The text without the section.
pub(super) fn remove(format: Format, under: Option<&str>, text: &str) -> Result<String, SectionError> {
    let Some(found) = find(format, under, text)? else { return Ok(text.to_owned()) };
    let before = text.get(..found.start).unwrap_or_default();
    let behind = text.get(found.end..).unwrap_or_default();
    Ok(format!("{before}{behind}"))
}

/// Whether the section says this.
pub(super) fn says(found: &str, under: Option<&str>, section: &str) -> bool {
    let indented = || section.lines().map(|line| format!("  {line}\n")).collect::<String>();
    found == section || under.is_some_and(|key| *found == format!("{key}:\n{}", indented()))
}

fn marked(format: Format, under: Option<&str>, section: &str, indent: &str) -> String {
    let [open, close] = marks(format, under);
    let lines = std::iter::once(open.as_str()).chain(section.lines()).chain([close.as_str()]);
    lines.map(|line| format!("{indent}{line}\n")).collect()
}

fn appended(text: &str, section: &str) -> String {
    let line_end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{line_end}{section}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_comes_and_goes_to_the_byte() {
        let check = |format: Format, text: &str, under: Option<&str>, section: &str, expected: &str| {
            let with = set(format, text, under, section).unwrap();
            assert_eq!(with, expected);
            assert!(says(&get(format, under, &with).unwrap().unwrap(), under, section));
            assert_eq!(set(format, &with, under, section).unwrap(), with);
            assert_eq!(remove(format, under, &with).unwrap(), text);
        };
        let item = "- name: memdir\n  args:\n    - mcp\n";
        let [open, close] = marks(Format::Yaml, Some("mcpServers"));
        check(
            Format::Yaml,
            "name: mine\nmcpServers:\n  # one\n  - name: other\n",
            Some("mcpServers"),
            item,
            &format!(
                "name: mine\nmcpServers:\n  {open}\n  - name: memdir\n    args:\n      - mcp\n  {close}\n  # one\n  - name: other\n"
            ),
        );
        check(
            Format::Yaml,
            "mcpServers:\n- name: other\nz: 1\n",
            Some("mcpServers"),
            item,
            &format!(
                "mcpServers:\n{open}\n- name: memdir\n  args:\n    - mcp\n{close}\n- name: other\nz: 1\n"
            ),
        );
        check(
            Format::Yaml,
            "name: mine\n",
            Some("mcpServers"),
            item,
            &format!("name: mine\n{open}\nmcpServers:\n  - name: memdir\n    args:\n      - mcp\n{close}\n"),
        );
        let [open, close] = marks(Format::Markdown, None);
        check(Format::Markdown, "# Mine\n", None, "text\n", &format!("# Mine\n{open}\ntext\n{close}\n"));
    }

    #[test]
    fn a_value_on_the_line_of_its_key_is_left_alone() {
        let error = set(Format::Yaml, "mcpServers: []\n", Some("mcpServers"), "- name: memdir\n");
        assert_eq!(error, Err(SectionError::OneLine("mcpServers".to_owned())));
        let open = &marks(Format::Yaml, None)[0];
        assert_eq!(get(Format::Yaml, None, &format!("{open}\n- a\n")).unwrap_err(), SectionError::Unclosed);
    }
}
