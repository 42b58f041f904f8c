//! Makes markup inside a memory visibly inert, and brings it back.
//!
//! One backslash goes in where a tag, a chat template's token or a speaker's name would begin to mean something:
//! `<\/system-reminder>`, `<\|im_start|>`, `[\INST]`, `Human\:`. Where a backslash is there already, one more
//! is added, so that [`unescape`] is exact for every text.

mod html;
mod site;
mod speaker;

use std::borrow::Cow;

pub(crate) use html::escape_html;

/// The text with every forged tag, template token and speaker made inert.
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    let mut output = String::new();
    let mut copied = 0;
    for site in site::Sites::new(text) {
        output.push_str(text.get(copied..site.position).unwrap_or_default());
        output.push('\\');
        copied = site.position;
    }
    finish(text, output, copied)
}

/// The text that [`escape`] was given.
#[must_use]
pub fn unescape(text: &str) -> Cow<'_, str> {
    let mut output = String::new();
    let mut copied = 0;
    for site in site::Sites::new(text).filter(|site| site.backslashes > 0) {
        output.push_str(text.get(copied..site.position).unwrap_or_default());
        copied = site.position + 1;
    }
    finish(text, output, copied)
}

/// Where [`escape`] puts its backslashes, in bytes of the text that it is given.
pub(super) fn insertions(text: &str) -> Vec<usize> {
    site::Sites::new(text).map(|site| site.position).collect()
}

fn finish(text: &str, mut output: String, copied: usize) -> Cow<'_, str> {
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    output.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(output)
}

#[cfg(test)]
mod tests;
