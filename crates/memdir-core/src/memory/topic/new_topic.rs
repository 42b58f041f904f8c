//! A new topic file, in the form that the client itself leaves on disk.

use jiff::Timestamp;

use super::validity::Validity;
use crate::memory::frontmatter::quoted;
use crate::memory::js_text;
use crate::memory::memory_type::MemoryType;

/// A memory that is to be written.
#[derive(Debug, Clone)]
pub struct NewTopic<'t> {
    /// Its name; the file gets the client's slug of it.
    pub name: &'t str,
    /// What it is about. Without one, no line is written: the client would drop an empty one.
    pub description: &'t str,
    /// Its type.
    pub memory_type: &'t MemoryType,
    /// Its text.
    pub body: &'t str,
    /// Phrases that say when it will be needed.
    pub cues: &'t [String],
    /// What it replaces, whether it is pinned, when it ends.
    pub validity: &'t Validity,
    /// When it is written.
    pub modified: Timestamp,
    /// The session that writes it, if it is an agent's.
    pub origin_session: Option<&'t str>,
}

impl NewTopic<'_> {
    /// The whole file.
    #[must_use]
    pub fn render(&self) -> String {
        let name = header_name(self.name);
        let description = one_line(self.description);
        let mut text = format!("---\nname: {}\n", quoted(&name));
        if !description.is_empty() {
            text.push_str(&format!("description: {}\n", quoted(&description)));
        }
        text.push_str("metadata:\n  node_type: memory\n");
        text.push_str(&format!("  type: {}\n", quoted(&one_line(self.memory_type.as_str()))));
        text.push_str(&super::cues::render(self.cues));
        text.push_str(&self.validity.render());
        if let Some(session) = self.origin_session {
            text.push_str(&format!("  originSessionId: {}\n", quoted(&one_line(session))));
        }
        text.push_str(&format!("  modified: {}\n---\n\n", iso_time(self.modified)));
        let body = js_text::trim_start(self.body);
        text.push_str(body);
        if !body.is_empty() && !body.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

/// The name in the header: the client's slug, or the title itself if the slug would lose letters of it.
#[must_use]
pub fn header_name(title: &str) -> String {
    let slug = client_slug(title);
    let letters = |text: &str| text.chars().filter(|character| character.is_alphanumeric()).count();
    if letters(&slug) < letters(title) { one_line(title) } else { slug }
}

/// The file stem for a title: itself if it is ASCII, else its sounds in Latin letters (`Übersicht`: `ubersicht`,
/// `日本語`: `ribenyu`). Empty if nothing of the title can be spelt.
#[must_use]
pub fn file_stem(title: &str) -> String {
    if title.is_ascii() {
        return title.to_owned();
    }
    let latin = any_ascii::any_ascii(title).to_ascii_lowercase();
    let mut stem = String::with_capacity(latin.len());
    for character in latin.chars() {
        if character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '/') {
            stem.push(character);
        } else if !stem.is_empty() && !stem.ends_with('-') {
            stem.push('-');
        }
    }
    stem.truncate(stem.trim_end_matches('-').len());
    stem
}

/// The client's rule for names: lower case, every run of anything but `a-z0-9` one dash, none at the ends.
#[must_use]
pub fn client_slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for character in name.to_lowercase().chars() {
        if character.is_ascii_lowercase() || character.is_ascii_digit() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// A value in one line. Three dashes become a long one, because they would end the frontmatter for the client.
#[must_use]
pub fn one_line(text: &str) -> String {
    let folded = js_text::fold_white_space(text);
    let mut line = String::with_capacity(folded.len());
    let mut rest = folded.as_str();
    while let Some(at) = rest.find("---") {
        line.push_str(rest.get(..at).unwrap_or_default());
        line.push('—');
        rest = rest.get(at..).unwrap_or_default().trim_start_matches('-');
    }
    line.push_str(rest);
    line
}

fn iso_time(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
