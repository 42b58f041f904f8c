//! The lines of a person's own index after a sync: they follow what was decided about the memories, and everything else
//! that is there stays as it is.
//!
//! The index merges line by line and knows nothing of the files. So it may name a file that went under another name, name
//! one twice in different words, or name nowhere what was kept beside another or is back.

use std::collections::{BTreeMap, BTreeSet};

use memdir_core::memory::auto_index::is_indexed;
use memdir_core::memory::index::{
    Index, IndexEntry, add_lines, format_line, parse_line, remove_lines, update_line,
};

/// What a sync did to the memories of one index; paths as the index has them.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    /// What it deleted.
    pub(crate) removed: BTreeSet<String>,
    /// What it wrote where nothing was.
    pub(crate) created: BTreeSet<String>,
    /// What both sides had changed.
    pub(crate) both: BTreeSet<String>,
    /// What others deleted and stays.
    pub(crate) stays: BTreeSet<String>,
    /// Copies, each with the memory beside which it is kept.
    pub(crate) copies: BTreeMap<String, String>,
}

/// What is known of the files beside an index.
pub(crate) trait Files {
    /// Whether there is one.
    fn exists(&self, path: &str) -> bool;
    /// Whether everybody agreed that there is none.
    fn is_deleted(&self, path: &str) -> bool;
    /// What one says it is about.
    fn description(&self, path: &str) -> Option<String>;
}

/// An index and its overflow, as they should be after a sync.
pub(crate) fn followed(
    before: &[String; 2],
    merged: &[String; 2],
    decided: &Decided,
    files: &dyn Files,
) -> [String; 2] {
    let (known, found) = (entries(before), entries(merged));
    let had = |path: &str| known.iter().find(|entry| entry.path == path);
    let count = |entries: &[IndexEntry], path: &str| entries.iter().filter(|it| it.path == path).count();
    let mut texts = merged.clone();
    let listed: BTreeSet<&str> = found.iter().map(|entry| entry.path.as_str()).collect();
    for path in listed {
        let may_be_gone = decided.removed.contains(path) || (had(path).is_none() && files.is_deleted(path));
        if may_be_gone && !files.exists(path) {
            texts = texts.map(|text| remove_lines(&text, path));
        } else if count(&found, path) > count(&known, path).max(1) {
            let lines = found.iter().filter(|entry| entry.path == path);
            keep_one(&mut texts, best(lines, &known, files.description(path).as_deref()));
        }
    }
    let is_listed = |path: &str, texts: &[String; 2]| count(&entries(texts), path) > 0;
    for path in decided.both.iter().filter(|path| files.exists(path)) {
        let comes = decided.created.contains(path) || (decided.stays.contains(path) && had(path).is_some());
        if comes && is_indexed(path) && !is_listed(path, &texts) {
            let line = had(path).cloned().unwrap_or_else(|| new_line(path, files.description(path)));
            add(&mut texts, line);
        }
        let Some(description) = files.description(path) else { continue };
        // The line that said what the memory says now went with the name under which it was said.
        let mut other_names = known.iter().chain(&found).filter(|line| line.path != *path);
        if other_names.any(|line| says(line, &description) && !files.exists(&line.path)) {
            describe(&mut texts, path, &description, |_| true);
        }
    }
    for (copy, original) in decided.copies.iter().filter(|(copy, _)| files.exists(copy)) {
        if is_indexed(copy) && !is_listed(copy, &texts) {
            let hook = had(original).map(|line| line.hook.clone());
            add(&mut texts, new_line(copy, hook.or_else(|| files.description(copy))));
        }
        // What was said here went to the copy, and its words with it.
        if let [Some(mine), Some(theirs)] = [copy, original].map(|path| files.description(path))
            && mine != theirs
        {
            describe(&mut texts, original, &theirs, |line| says(line, &mine));
        }
    }
    texts
}

fn entries(texts: &[String]) -> Vec<IndexEntry> {
    let entries = |text: &String| -> Vec<IndexEntry> {
        Index::parse(text).entries().map(|(_, entry)| entry.clone()).collect()
    };
    texts.iter().flat_map(entries).collect()
}

/// Of several lines for one memory the one that says what the memory says; else the one that came, because so did the text.
fn best<'l>(
    lines: impl Iterator<Item = &'l IndexEntry> + Clone,
    known: &[IndexEntry],
    description: Option<&str>,
) -> Option<IndexEntry> {
    let true_one = lines.clone().find(|line| description.is_some_and(|said| says(line, said)));
    let came = || lines.clone().find(|line| !known.contains(line));
    true_one.or_else(came).or_else(|| lines.clone().next()).cloned()
}

/// Takes all lines of a memory out but one.
fn keep_one(texts: &mut [String; 2], kept: Option<IndexEntry>) {
    let Some(kept) = kept else { return };
    let mut is_kept = false;
    for text in texts {
        let lines = Index::parse(text).lines.into_iter().filter(|line| match &line.entry {
            Some(entry) if *entry == kept => !std::mem::replace(&mut is_kept, true),
            Some(entry) => entry.path != kept.path,
            None => true,
        });
        *text = lines.map(|line| line.raw).collect();
    }
}

/// Whether a line says what a memory says it is about, as far as it fits.
fn says(line: &IndexEntry, description: &str) -> bool {
    let wanted = parse_line(&format_line(&line.title, &line.path, description));
    wanted.is_some_and(|wanted| wanted.hook == line.hook)
}

fn new_line(path: &str, hook: Option<String>) -> IndexEntry {
    IndexEntry { title: stem(path).to_owned(), path: path.to_owned(), hook: hook.unwrap_or_default() }
}

/// Gives the lines of a memory other words, where they are to have them.
fn describe(texts: &mut [String; 2], path: &str, hook: &str, is_wanted: impl Fn(&IndexEntry) -> bool) {
    for text in texts {
        let lines = entries(std::slice::from_ref(text));
        if lines.iter().any(|line| line.path == path && is_wanted(line)) {
            *text = update_line(text, stem(path), path, hook);
        }
    }
}

fn add(texts: &mut [String; 2], line: IndexEntry) {
    let [index, _] = texts;
    *index = add_lines(index, [line]);
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files by path, each with its description; one without any is there no more.
    struct Known(BTreeMap<&'static str, Option<&'static str>>);

    impl Files for Known {
        fn exists(&self, path: &str) -> bool {
            self.0.get(path).is_some_and(Option::is_some)
        }

        fn is_deleted(&self, path: &str) -> bool {
            self.0.get(path).is_some_and(Option::is_none)
        }

        fn description(&self, path: &str) -> Option<String> {
            self.0.get(path).copied().flatten().map(str::to_owned)
        }
    }

    fn check(
        before: &str,
        merged: &str,
        files: &[(&'static str, Option<&'static str>)],
        decided: &Decided,
        expected: &str,
    ) {
        let pair = |text: &str| [text.to_owned(), String::new()];
        let files = Known(files.iter().copied().collect());
        let [index, _] = followed(&pair(before), &pair(merged), decided, &files);
        assert_eq!(index, expected, "{merged}");
        assert_eq!(followed(&pair(before), &pair(&index), decided, &files)[0], index, "once is enough");
    }

    fn set(paths: &[&str]) -> BTreeSet<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn what_the_user_wrote_stays() {
        // Names nothing, names what another sync carries, twice by the user's own hand, in words of their own.
        let own = "# Mine\n\n- [gone](gone.md) — x\n* [t](team/t.md): y\n- [a](a.md) — mine\n- [a](a.md) — again\n\nend";
        let came = format!("{own}\n- [s](secret.md) — stays there\n");
        let files = [("a.md", Some("its own")), ("b.md", Some("b"))];
        let decided = Decided { both: set(&["a.md", "b.md"]), ..Decided::default() };
        check(own, own, &files, &decided, own);
        check(own, &came, &files, &decided, &came);
    }

    #[test]
    fn a_memory_has_the_line_that_says_what_it_says() {
        let two = "- [b](b.md) — A\n- [b](b.md) — B\n";
        let decided = Decided {
            both: set(&["b.md"]),
            copies: BTreeMap::from([("b.conflict-12345678.md".into(), "b.md".into())]),
            ..Decided::default()
        };
        let copy = "- [b.conflict-12345678](b.conflict-12345678.md) — B\n";
        for description in ["A", "something else"] {
            let files = [("b.md", Some(description)), ("b.conflict-12345678.md", Some("B"))];
            check("- [b](b.md) — B\n", two, &files, &decided, &format!("- [b](b.md) — A\n{copy}"));
        }
    }

    #[test]
    fn words_go_to_the_copy_with_what_they_were_said_about() {
        let decided = Decided {
            both: set(&["b.md"]),
            copies: BTreeMap::from([("b.conflict-12345678.md".into(), "b.md".into())]),
            ..Decided::default()
        };
        let files = [("b.md", Some("OLD")), ("b.conflict-12345678.md", Some("NEW"))];
        let copy = |hook: &str| format!("- [b.conflict-12345678](b.conflict-12345678.md) — {hook}\n");
        let (new, own) = ("- [b](b.md) — NEW\n", "- [b](b.md) — my words\n");
        check(new, new, &files, &decided, &format!("- [b](b.md) — OLD\n{}", copy("NEW")));
        check(own, own, &files, &decided, &format!("{own}{}", copy("my words")));
    }

    #[test]
    fn a_line_goes_with_its_file_and_its_words_with_the_new_name() {
        let merged = "- [compile](compile.md) — OLD\n- [build](build.md) — NEW\n";
        let files = [("compile.md", Some("NEW")), ("build.md", None)];
        let decided = Decided { both: set(&["compile.md"]), ..Decided::default() };
        check("- [compile](compile.md) — OLD\n", merged, &files, &decided, "- [compile](compile.md) — NEW\n");
        let decided = Decided { removed: set(&["build.md"]), ..decided };
        check("- [build](build.md) — NEW\n", merged, &files, &decided, "- [compile](compile.md) — NEW\n");
    }

    #[test]
    fn what_is_back_or_stays_has_a_line_again() {
        let files = [("b.md", Some("about b"))];
        let back = Decided { both: set(&["b.md"]), created: set(&["b.md"]), ..Decided::default() };
        check("# Mine\n", "# Mine\n", &files, &back, "# Mine\n- [b](b.md) — about b\n");
        let stays = Decided { both: set(&["b.md"]), stays: set(&["b.md"]), ..Decided::default() };
        check("* [B](b.md) — my words\n", "", &files, &stays, "- [B](b.md) — my words\n");
        // Who has no line for it wants none.
        check("", "", &files, &stays, "");
    }
}
