//! The words by which people say that something is not to be kept, in one file for each language.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A new language is a file and a line here.
const FILES: [&str; 7] = [
    include_str!("english.txt"),
    include_str!("german.txt"),
    include_str!("french.txt"),
    include_str!("spanish.txt"),
    include_str!("portuguese.txt"),
    include_str!("chinese.txt"),
    include_str!("japanese.txt"),
];

/// The phrases of a language by what they are for.
pub(super) type Sections = HashMap<&'static str, Vec<&'static str>>;

static LANGUAGES: LazyLock<Vec<Sections>> = LazyLock::new(|| FILES.into_iter().map(sections).collect());

/// A section begins with its name in brackets; bars or line ends are between its entries.
fn sections(file: &'static str) -> Sections {
    let mut sections = Sections::new();
    let mut name = "";
    for line in file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(section) => name = section,
            None => sections.entry(name).or_default().extend(line.split('|')),
        }
    }
    sections
}

/// The sections of each language.
pub(super) fn each() -> impl Iterator<Item = &'static Sections> {
    LANGUAGES.iter()
}
