//! What the client takes out of an instruction file before it measures it: frontmatter and block comments.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::memory::js_text;

const OPENING: &str = "<!--";
const CLOSING: &str = "-->";

/// The text behind its frontmatter, or all of it where there is none.
///
/// The client is simpler than YAML here: a first line of `---` opens, the *first* `---` that follows closes,
/// even inside a line.
#[must_use]
pub fn without_frontmatter(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---") else { return text };
    let blank = rest.len() - js_text::trim_start(rest).len();
    let Some(opened) = rest.get(..blank).and_then(|white_space| white_space.find('\n')) else { return text };
    let inner = rest.get(opened + 1..).unwrap_or_default();
    match inner.find("---") {
        Some(end) => inner.get(end + 3..).unwrap_or_default(),
        None => text,
    }
}

/// The text without its block-level HTML comments.
///
/// A comment inside a paragraph, a list item, a quote, code or another HTML block stays, and so does one that
/// never ends. A file that holds `<!--` anywhere also has its line ends turned into `\n`.
#[must_use]
pub fn without_block_comments(text: &str) -> Cow<'_, str> {
    if memchr::memmem::find(text.as_bytes(), OPENING.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut kept = String::with_capacity(text.len());
    let mut copied = 0;
    for block in comment_blocks(&text) {
        let (Some(before), Some(raw)) = (text.get(copied..block.start), text.get(block.clone())) else {
            continue;
        };
        let rest = without_comments(raw);
        kept.push_str(before);
        copied = block.end;
        if js_text::trim(&rest).is_empty() {
            copied += text
                .get(block.end..)
                .map_or(0, |behind| behind.len() - behind.trim_start_matches('\n').len());
        } else {
            kept.push_str(&rest);
        }
    }
    kept.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(kept)
}

/// The top-level HTML blocks that are comments, each from the start of its first line.
fn comment_blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut depth = 0usize;
    let mut paragraph_end = None;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 && matches!(tag, Tag::HtmlBlock) {
                    blocks.extend(comment_block(text, &range, paragraph_end));
                }
                depth += 1;
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                if matches!(tag, TagEnd::Paragraph) {
                    paragraph_end = Some(range.end);
                }
            }
            _ => {}
        }
    }
    blocks
}

fn comment_block(text: &str, range: &Range<usize>, paragraph_end: Option<usize>) -> Option<Range<usize>> {
    let found = text.get(range.clone())?;
    let indented = found.len() - found.trim_start_matches(' ').len();
    let first = range.start + indented;
    let start = text.get(..first)?.rfind('\n').map_or(0, |newline| newline + 1);
    let comment = text.get(first..range.end)?;
    let is_comment =
        comment.starts_with(OPENING) && !comment.starts_with("<!-->") && !comment.starts_with("<!--->");
    // Where the line above is still a paragraph, an indented comment is part of that paragraph to the client.
    let interrupts = paragraph_end.is_some_and(|end| text.get(end..start).is_none_or(str::is_empty));
    let indent = first - start;
    (is_comment && indent <= 3 && (indent == 0 || !interrupts)).then_some(start..range.end)
}

fn without_comments(raw: &str) -> String {
    let mut kept = String::new();
    let mut rest = raw;
    while let Some((before, comment)) = rest.split_once(OPENING) {
        let Some((_, behind)) = comment.split_once(CLOSING) else { break };
        kept.push_str(before);
        rest = behind;
    }
    kept.push_str(rest);
    kept
}
