//! The statements of a memory: every sentence and list item, with its place and what it says.
//!
//! A statement is known again by its normal form. What hides a text from a reader (a comment, code, a field of the
//! header) is part of that form, so that nothing counts as said that is not shown.

use std::ops::Range;

use crate::extract::reading::sentences_of;
use crate::memory::entrypoint::ENTRYPOINT;
use crate::memory::frontmatter::{Frontmatter, METADATA};
use crate::memory::index::{Index, IndexEntry, OVERFLOW, OVERFLOW_HEADING};
use crate::memory::topic::validity::{SUPERSEDED_BY, SUPERSEDED_ON, SUPERSEDES};
use crate::memory::topic::{Topic, client_slug};
use crate::rel_path::RelPath;

/// One thing that a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// Where it is in the file; for a field of the header, empty.
    pub(super) range: Range<usize>,
    /// What it says, whatever it looks like.
    pub(super) normal: String,
    /// As it is there, in one line of the same length.
    pub(super) text: String,
    /// The file that an index line speaks of.
    pub(super) about: Option<String>,
}

impl Statement {
    /// Whether it is in a text, rather than in a header or a line of an index.
    pub(super) fn is_text(&self) -> bool {
        !self.range.is_empty() && self.about.is_none()
    }
}

/// A part of a text that only makes sense as a whole: a paragraph, a list item with all below it, a block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Its whole lines.
    pub(super) range: Range<usize>,
    /// What it says.
    pub(super) statements: Vec<Statement>,
    /// What it is.
    pub(super) kind: ChunkKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChunkKind {
    Heading,
    Paragraph,
    Item,
    /// An item of a numbered list: what comes before and after it is part of what it says.
    Step,
    Code,
    Comment,
}

impl ChunkKind {
    /// Whether it is an item of a list, numbered or not.
    pub(super) fn is_item(self) -> bool {
        matches!(self, Self::Item | Self::Step)
    }
}

/// How the normal form of a numbered list as a whole begins.
pub(super) const STEPS: &str = "steps ";

/// The numbered lists among the parts of a text, each as one statement: its items in their order.
pub(super) fn sequences(text: &str, chunks: &[Chunk]) -> Vec<Statement> {
    let runs = chunks.chunk_by(|one, other| one.kind == ChunkKind::Step && other.kind == ChunkKind::Step);
    runs.filter_map(|run| sequence(text, run)).collect()
}

/// A run of parts as one statement, if it is a numbered list of more than one item.
pub(super) fn sequence(text: &str, run: &[Chunk]) -> Option<Statement> {
    let [first, .., last] = run else { return None };
    let is_list = run.iter().all(|chunk| chunk.kind == ChunkKind::Step);
    let range = first.range.start..last.range.end;
    let said = run.iter().flat_map(|step| &step.statements).map(|said| said.normal.as_str());
    let normal = format!("{STEPS}{}", said.collect::<Vec<_>>().join("\u{1f}"));
    let text = text.get(range.clone()).unwrap_or_default().trim_end().to_owned();
    is_list.then_some(Statement { range, normal, text, about: None })
}

/// How the normal form of a field of a header begins.
pub(super) const FIELD: &str = "field ";

/// A line that is indented so far is code, unless it belongs to an item.
const CODE_INDENT: usize = 4;

/// A paragraph beyond this is one statement, so that no text takes longer than its length.
const LONGEST_PARAGRAPH: usize = 4 << 10;

/// Whether a file is an index, which says what its lines say.
pub(super) fn is_index(path: &RelPath) -> bool {
    [ENTRYPOINT, OVERFLOW].contains(&path.as_str())
}

/// The parts of a file's text behind its header.
pub(super) fn chunks(text: &str) -> Vec<Chunk> {
    chunks_of(text, Topic::parse_head_of_whole(text).0.body)
}

/// What the fields of a header say and nothing else can reproduce.
pub(super) fn header_statements(text: &str) -> Vec<Statement> {
    const OURS: [&str; 16] = [
        SUPERSEDES,
        SUPERSEDED_BY,
        SUPERSEDED_ON,
        "metadata.supersedes",
        "metadata.superseded_by",
        "metadata.superseded_on",
        "name",
        "type",
        "modified",
        "originSessionId",
        METADATA,
        "metadata.type",
        "metadata.modified",
        "metadata.originSessionId",
        "metadata.node_type",
        "metadata.name",
    ];
    let Some(fields) = Frontmatter::parse(text).0 else { return Vec::new() };
    let mut found = Vec::new();
    for key in fields.keys().into_iter().filter(|key| !OURS.contains(&key.as_str())) {
        let Some((value, _)) = fields.value(&key) else { continue };
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if key == "description" {
            found.extend(in_line(0..0, &value));
        } else if !value.is_empty() {
            let mut field = Statement { range: 0..0, normal: String::new(), text: value, about: None };
            field.normal = format!("{FIELD}{key} {}", normal(&field.text));
            field.text = format!("{key}: {}", field.text);
            found.push(field);
        }
    }
    found
}

/// What an index says: the words of its lines, and whatever else its user wrote there.
pub(super) fn index_statements(text: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    // A byte-order mark does not belong to the first line.
    let marked = text.replacen('\u{feff}', "   ", usize::from(text.starts_with('\u{feff}')));
    for line in Index::parse(&marked).lines {
        match &line.entry {
            Some(entry) => {
                for said in entry_words(entry) {
                    let about = Some(entry.path.clone());
                    let said = in_line(at..at + line.raw.len(), said);
                    found.extend(said.map(|statement| Statement { about: about.clone(), ..statement }));
                }
                // A line of its own neither ends nor continues the text around it.
                rest.extend(
                    line.raw
                        .chars()
                        .map(|c| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) }),
                );
            }
            None if line.raw.trim() == OVERFLOW_HEADING => rest.push_str(&" ".repeat(line.raw.len())),
            None => rest.push_str(line.raw),
        }
        at += line.raw.len();
    }
    found.extend(chunks(&rest).into_iter().flat_map(|chunk| chunk.statements));
    found
}

/// What a line of an index says: its hook, and its title where that is more than the name of the file.
pub(super) fn entry_words(entry: &IndexEntry) -> impl Iterator<Item = &str> {
    let stem = entry.path.rsplit('/').next().unwrap_or(&entry.path).trim_end_matches(".md");
    let is_name = client_slug(&entry.title) == client_slug(stem) || entry.title == entry.path;
    let title = (!is_name).then_some(entry.title.as_str());
    let words = [title, Some(entry.hook.as_str())].into_iter().flatten();
    words.filter(|_| entry.path != OVERFLOW).filter(|said| !said.trim().is_empty())
}

/// The statements of a text in one line, which all have the same place.
fn in_line(range: Range<usize>, text: &str) -> impl Iterator<Item = Statement> {
    let (flat, _) = flattened(text);
    let is_long = flat.len() > LONGEST_PARAGRAPH;
    let pieces: Vec<String> =
        if is_long { vec![flat] } else { sentences_of(&flat).into_iter().map(str::to_owned).collect() };
    pieces.into_iter().filter_map(move |piece| statement(range.clone(), &piece))
}

/// A text as one statement; `None` if it says nothing.
fn statement(range: Range<usize>, text: &str) -> Option<Statement> {
    let normal = normal(text);
    let says_something = normal.chars().any(char::is_alphanumeric);
    says_something.then(|| Statement { range, normal, text: text.trim().to_owned(), about: None })
}

/// What a text says, without what only dresses it: case, emphasis, list marks, line breaks, the final stop.
///
/// A line through a text, a check mark and a question mark say something, and stay.
pub(super) fn normal(text: &str) -> String {
    let text = without_marker(text.trim_matches(is_blank));
    let mut normal = String::with_capacity(text.len());
    let mut rest = text;
    // What is between backticks is code: every sign of it counts.
    while let Some(open) = rest.find('`') {
        undress(rest.get(..open).unwrap_or_default(), &mut normal);
        let behind = rest.get(open..).unwrap_or_default();
        let ticks = behind.len() - behind.trim_start_matches('`').len();
        let (mark, inside) = behind.split_at(ticks);
        rest = match inside.split_once(mark) {
            Some((code, rest)) => {
                normal.push_str(&code.split(is_blank).collect::<Vec<_>>().join(" "));
                rest
            }
            None => inside,
        };
    }
    undress(rest, &mut normal);
    let stops = [' ', '.', '!', ',', ';', ':', '。', '！'];
    normal.trim_end_matches(stops).trim_start_matches([' ', ',', ';', ':']).to_owned()
}

/// Adds a text without what dresses it. Words lose their capitals, names as only code has them do not.
fn undress(text: &str, normal: &mut String) {
    let mut before = ' ';
    let mut word = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let kept = match character {
            // Emphasis is at words; `*.log` and `build/*` are patterns.
            '*' if before == '/' || is_blank(before) && matches!(next, '.' | '/') => '*',
            '*' => continue,
            '_' if before.is_alphanumeric() && next.is_alphanumeric() => '_',
            '_' => continue,
            '\u{201c}' | '\u{201d}' | '\u{201e}' => '"',
            '\u{2018}' | '\u{2019}' => '\'',
            other if is_blank(other) => ' ',
            other => other,
        };
        before = kept;
        if kept != ' ' {
            word.push(kept);
            continue;
        }
        push_word(&mut word, normal);
        if !normal.ends_with(' ') {
            normal.push(' ');
        }
    }
    push_word(&mut word, normal);
}

fn push_word(word: &mut String, normal: &mut String) {
    let letters = word.trim_start_matches(|first: char| !first.is_alphanumeric());
    let is_name = letters.chars().skip(1).any(char::is_uppercase) || word.contains(['_', '/', '\\']);
    if is_name {
        normal.push_str(word);
    } else {
        normal.extend(word.chars().flat_map(char::to_lowercase));
    }
    word.clear();
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

/// The text behind a list mark or the marks of a heading.
fn without_marker(text: &str) -> &str {
    // A quotation says the same as its words.
    let text = text.strip_prefix("> ").unwrap_or(text);
    let heading = text.trim_start_matches('#');
    if heading.len() < text.len() && text.len() - heading.len() <= 6 && heading.starts_with(' ') {
        return heading.trim_start().trim_end_matches('#');
    }
    match marker(text) {
        Some(width) => text.get(width..).unwrap_or_default(),
        None => text,
    }
}

/// How many bytes a list mark at the beginning of a line takes, with the blank behind it.
fn marker(line: &str) -> Option<usize> {
    let first = line.chars().next()?;
    if matches!(first, '-' | '*' | '+') {
        return line.get(1..)?.starts_with([' ', '\t']).then_some(2);
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let behind = line.get(digits..)?;
    let is_mark = (1..=9).contains(&digits) && behind.starts_with(['.', ')']);
    (is_mark && behind.get(1..)?.starts_with([' ', '\t'])).then_some(digits + 2)
}

/// The parts of a text in a file.
pub(super) fn chunks_of(text: &str, body: Range<usize>) -> Vec<Chunk> {
    let mut splitter = Splitter { text, chunks: Vec::new(), open: None };
    let mut at = body.start;
    for line in text.get(body).unwrap_or_default().split_inclusive('\n') {
        splitter.line(at..at + line.len(), line);
        at += line.len();
    }
    splitter.close();
    splitter.chunks
}

/// What lines are being collected into.
enum Open {
    Code { mark: char, count: usize, range: Range<usize>, is_below_item: bool },
    Comment { range: Range<usize>, is_below_item: bool },
    Text { range: Range<usize>, kind: ChunkKind, is_below_item: bool },
}

struct Splitter<'t> {
    text: &'t str,
    chunks: Vec<Chunk>,
    open: Option<Open>,
}

impl Splitter<'_> {
    fn line(&mut self, range: Range<usize>, line: &str) {
        let trimmed = line.trim_matches(is_blank);
        let indent = line.len() - line.trim_start().len();
        if self.goes_on(&range, trimmed) {
            return;
        }
        let fence = trimmed.chars().next().filter(|first| matches!(first, '`' | '~'));
        let count = fence.map_or(0, |mark| trimmed.len() - trimmed.trim_start_matches(mark).len());
        let is_below_item = indent > 0 && self.follows_item();
        if trimmed.is_empty() {
            self.close();
        } else if let (Some(mark), 3..) = (fence, count) {
            self.close();
            self.open = Some(Open::Code { mark, count, range, is_below_item });
        } else if trimmed.starts_with("<!--") {
            self.close();
            self.open = Some(Open::Comment { range: range.clone(), is_below_item });
            if trimmed.contains("-->") {
                self.close();
            }
        } else if trimmed.starts_with('#') && without_marker(trimmed).len() < trimmed.len() {
            self.close();
            self.open = Some(Open::Text { range, kind: ChunkKind::Heading, is_below_item: false });
            self.close();
        } else if let Some(width) = marker(trimmed) {
            self.close();
            let kind = if width > 2 || trimmed.starts_with(|first: char| first.is_ascii_digit()) {
                ChunkKind::Step
            } else {
                ChunkKind::Item
            };
            self.open = Some(Open::Text { range, kind, is_below_item });
        } else if indent >= CODE_INDENT && !is_below_item && self.open.is_none() {
            self.open = Some(Open::Text { range, kind: ChunkKind::Code, is_below_item });
        } else if trimmed.starts_with('|') || trimmed.starts_with("**") {
            // A row of a table and a labelled line are complete by themselves.
            self.close();
            self.open = Some(Open::Text { range, kind: ChunkKind::Paragraph, is_below_item });
        } else if let Some(Open::Text { range: open, .. }) = &mut self.open {
            open.end = range.end;
        } else {
            self.open = Some(Open::Text { range, kind: ChunkKind::Paragraph, is_below_item });
        }
    }

    /// Whether a line belongs to code or a comment that is open.
    fn goes_on(&mut self, range: &Range<usize>, trimmed: &str) -> bool {
        let ends = match &mut self.open {
            Some(Open::Code { mark, count, range: open, .. }) => {
                open.end = range.end;
                let length = trimmed.len() - trimmed.trim_start_matches(*mark).len();
                length >= *count && length == trimmed.len()
            }
            Some(Open::Comment { range: open, .. }) => {
                open.end = range.end;
                trimmed.contains("-->")
            }
            _ => return false,
        };
        if ends {
            self.close();
        }
        true
    }

    fn follows_item(&self) -> bool {
        match &self.open {
            Some(Open::Text { kind, is_below_item, .. }) => kind.is_item() || *is_below_item,
            _ => self.chunks.last().is_some_and(|chunk| chunk.kind.is_item()),
        }
    }

    fn close(&mut self) {
        let (range, kind, is_below_item) = match self.open.take() {
            None => return,
            Some(Open::Code { range, is_below_item, .. }) => (range, ChunkKind::Code, is_below_item),
            Some(Open::Comment { range, is_below_item }) => (range, ChunkKind::Comment, is_below_item),
            Some(Open::Text { range, kind, is_below_item }) => (range, kind, is_below_item),
        };
        let statements = match kind {
            ChunkKind::Code => self.hidden("code", &range),
            ChunkKind::Comment => self.hidden("comment", &range),
            _ => self.said(&range),
        };
        match self.chunks.last_mut() {
            Some(item) if is_below_item && item.kind.is_item() => {
                item.range.end = range.end;
                item.statements.extend(statements);
            }
            _ => self.chunks.push(Chunk { range, statements, kind }),
        }
    }

    /// What is not read as text is one statement, by its lines.
    fn hidden(&self, word: &str, range: &Range<usize>) -> Vec<Statement> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        if !text.chars().any(char::is_alphanumeric) {
            return Vec::new();
        }
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let normal = format!("{word} {}", lines.join("\n").trim());
        vec![Statement { range: range.clone(), normal, text: text.trim().to_owned(), about: None }]
    }

    /// The sentences of a paragraph, each with its place. Comments within are statements of their own.
    fn said(&self, range: &Range<usize>) -> Vec<Statement> {
        let raw = self.text.get(range.clone()).unwrap_or_default();
        let (flat, hidden) = flattened(raw);
        let mut found = Vec::new();
        for comment in hidden {
            let text = raw.get(comment.clone()).unwrap_or_default();
            let normal = format!("comment {}", normal(text));
            let range = range.start + comment.start..range.start + comment.end;
            found.push(Statement { range, normal, text: text.to_owned(), about: None });
        }
        let lead = flat.len() - flat.trim_start().len();
        let lead = lead + marker(flat.get(lead..).unwrap_or_default()).unwrap_or(0);
        let line = flat.get(lead..).unwrap_or_default();
        let pieces = if line.len() > LONGEST_PARAGRAPH { vec![line.trim()] } else { sentences_of(line) };
        for piece in pieces {
            let Some(offset) = (piece.as_ptr() as usize).checked_sub(line.as_ptr() as usize) else {
                continue;
            };
            let start = range.start + lead + offset;
            found.extend(statement(start..start + piece.len(), piece));
        }
        found
    }
}

/// A text of the same length in one line: line ends, marks of quotations and comments are blanks. And the comments.
fn flattened(raw: &str) -> (String, Vec<Range<usize>>) {
    let mut flat = String::with_capacity(raw.len());
    for line in raw.split_inclusive('\n') {
        let mut is_lead = true;
        for character in line.chars() {
            is_lead &= matches!(character, ' ' | '\t' | '>' | '\u{feff}');
            match character {
                '>' | '\u{feff}' if is_lead => flat.push_str(&" ".repeat(character.len_utf8())),
                '\n' | '\r' | '\t' => flat.push(' '),
                other => flat.push(other),
            }
        }
    }
    let mut comments = Vec::new();
    let mut at = 0;
    while let Some(start) = flat.get(at..).and_then(|rest| rest.find("<!--")).map(|found| at + found) {
        let end =
            flat.get(start..).and_then(|rest| rest.find("-->")).map_or(flat.len(), |found| start + found + 3);
        comments.push(start..end);
        at = end;
    }
    for comment in &comments {
        flat.replace_range(comment.clone(), &" ".repeat(comment.len()));
    }
    (flat, comments)
}

#[cfg(test)]
mod tests {
    use super::super::reading::Readings;
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let path = RelPath::parse("a.md").unwrap();
        let reading = Readings::default().of(text);
        let found: Vec<&str> = reading.statements(&path).map(|said| said.normal.as_str()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn sentences_and_items_are_statements() {
        check("# Head\n\nOne. Two\ngoes on!\n", &["head", "one", "two goes on"]);
        check("- a b\n- **C** `d`\n  - e. F\n\n  more\n", &["a b", "c d", "e", "f", "more"]);
        check("1. first\n2) second\n", &["first", "second"]);
        check("- [ ] open\n- [x] done\n", &["[ ] open", "[x] done"]);
        check("> quoted\n> on\n", &["quoted on"]);
        check("| a | b |\n|---|---|\n| c | d |\n", &["| a | b |", "| c | d |"]);
        check("**Why:** x\n**How:** y\n", &["why: x", "how: y"]);
        check(
            "---\nname: n\ndescription: What it is\ncolour: red\n---\n\nText\n",
            &["what it is", "field colour red", "text"],
        );
        check("\u{feff}A snake_case _word_ ~~gone~~?\r\n", &["a snake_case word ~~gone~~?"]);
        check("...\n---\n***\n", &[]);
    }

    #[test]
    fn what_is_hidden_does_not_count_as_said() {
        check("<!-- Never push. -->\n", &["comment <!-- Never push. -->"]);
        check("A <!-- Never. Push. --> b\n", &["comment <!-- never. push. -->", "a b"]);
        check("```\nNever push.\n```\n", &["code ```\nNever push.\n```"]);
        check("~~~\nunclosed\n", &["code ~~~\nunclosed"]);
    }

    #[test]
    fn an_index_says_what_its_lines_say() {
        let path = RelPath::parse("MEMORY.md").unwrap();
        let text = "# Notes\n- [tabs](tabs.md) — use tabs\n- [Only on Tuesdays](deploy.md)\nOwn words\n- [More memories](MEMORY-overflow.md) — 3 entries\n";
        let reading = Readings::default().of(text);
        let found: Vec<(String, Option<String>)> =
            reading.statements(&path).map(|said| (said.normal.clone(), said.about.clone())).collect();
        let about = |path: &str| Some(path.to_owned());
        assert_eq!(
            found,
            [
                ("use tabs".to_owned(), about("tabs.md")),
                ("only on tuesdays".to_owned(), about("deploy.md")),
                ("notes".to_owned(), None),
                ("own words".to_owned(), None),
            ]
        );
    }

    #[test]
    fn places_are_exact() {
        let text = "---\nname: x\n---\n\nOne\r\ntwo. Three\n\n- four\n  five\n";
        for chunk in chunks(text) {
            for said in chunk.statements {
                assert_eq!(normal(&text[said.range.clone()]), said.normal);
                assert!(chunk.range.start <= said.range.start && said.range.end <= chunk.range.end);
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_split_within_its_bounds(text in "(?s)[-#>*`|<! a-c.\n\r\u{feff}é]{0,80}") {
            let mut at = 0;
            for chunk in chunks(&text) {
                proptest::prop_assert!(at <= chunk.range.start && chunk.range.end <= text.len());
                at = chunk.range.end;
                for said in chunk.statements {
                    proptest::prop_assert!(text.get(said.range).is_some());
                }
            }
        }
    }
}
