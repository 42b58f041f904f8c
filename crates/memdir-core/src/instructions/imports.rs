//! The `@path` imports of an instruction file: which ones the client sees in the text.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::host_path::PathStyle;
use crate::memory::js_text::is_white_space;

/// The paths that a text imports, in order, each once, as they are written there.
///
/// The text is what the agent gets: frontmatter and block comments are gone already. Only running text counts, so
/// code, HTML and images hold no imports. A path begins at the start of a run of text or behind white space; runs
/// end at code spans, closed emphasis, tags and the ends of links.
#[must_use]
pub fn imports(text: &str) -> Vec<String> {
    let mut found = FoundImports::default();
    if memchr::memchr(b'@', text.as_bytes()).is_none() {
        return found.paths;
    }
    let mut run: Option<Range<usize>> = None;
    let mut silent = 0usize;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Text(_) if silent == 0 => {
                if let Some(run) = &mut run
                    && run.end == range.start
                {
                    run.end = range.end;
                    continue;
                }
                found.in_run(text, run.take());
                run = Some(behind_escape(text, range));
                continue;
            }
            Event::Start(Tag::HtmlBlock) => {
                found.behind_comments(text.get(range).unwrap_or_default());
                silent += 1;
            }
            Event::Start(Tag::CodeBlock(_) | Tag::Image { .. }) => silent += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Image) => {
                silent = silent.saturating_sub(1);
            }
            _ => {}
        }
        found.in_run(text, run.take());
    }
    found.in_run(text, run);
    found.paths
}

/// Whether the client imports files with such a name: it has a list of extensions of text, and what has no
/// extension or begins with its only dot is taken too.
#[must_use]
pub fn is_importable(file_name: &str) -> bool {
    match file_name.rfind('.') {
        None | Some(0) => true,
        Some(dot) => {
            let extension = file_name.get(dot + 1..).unwrap_or_default().to_ascii_lowercase();
            TEXT_EXTENSIONS.split(' ').any(|known| known == extension)
        }
    }
}

/// Extensions that the client was seen to import, sorted.
const TEXT_EXTENSIONS: &str = "\
    adoc asciidoc astro bash bat c cc cfg cjs clj cljc cljs cmake cmd conf config cpp cs css csv cts cxx dart \
    diff edn ejs elm env erb erl ex exs f f90 f95 fish for go gql gradle graphql h hbs hpp hrl hs htm html \
    hxx ini jade java js json jsx kt kts less lhs lock log lua make makefile md mjs ml mli mts org patch php \
    pl pm properties proto ps1 pug py pyi pyw r rake rb rs rst sass sbt scala scss sh sql svelte swift tex \
    text toml ts tsx txt vue xml yaml yml zsh";

/// An escaped character does not belong to the run that follows it.
fn behind_escape(text: &str, range: Range<usize>) -> Range<usize> {
    let escaped = range.start > 0 && text.as_bytes().get(range.start - 1) == Some(&b'\\');
    let first = text.get(range.clone()).and_then(|run| run.chars().next());
    match first.filter(|_| escaped) {
        Some(first) => range.start + first.len_utf8()..range.end,
        None => range,
    }
}

#[derive(Default)]
struct FoundImports {
    paths: Vec<String>,
    seen: std::collections::HashSet<String>,
}

impl FoundImports {
    /// What follows a comment on its last line is text, even where the comment stays.
    fn behind_comments(&mut self, block: &str) {
        let mut rest = block.trim_start();
        while let Some(comment) = rest.strip_prefix("<!--") {
            let Some((_, behind)) = comment.split_once("-->") else { return };
            let end = behind.find("<!--").unwrap_or(behind.len());
            self.in_run(behind, Some(0..end));
            rest = behind.get(end..).unwrap_or_default();
        }
    }

    fn in_run(&mut self, text: &str, run: Option<Range<usize>>) {
        let Some(run) = run.and_then(|run| text.get(run)) else { return };
        let mut rest = run;
        let mut may_start = true;
        while let Some(at) = rest.find('@') {
            let (before, behind) =
                (rest.get(..at).unwrap_or_default(), rest.get(at + 1..).unwrap_or_default());
            may_start = before.chars().next_back().map_or(may_start, is_white_space);
            rest = behind;
            if may_start {
                let (path, length) = path_at(behind);
                rest = behind.get(length..).unwrap_or_default();
                if names_a_file(&path) && self.seen.insert(path.clone()) {
                    self.paths.push(path);
                }
            }
            may_start = false;
        }
    }
}

/// The path at the beginning of a text, without what the client cuts off, and how much of the text it takes.
fn path_at(text: &str) -> (String, usize) {
    let mut path = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        match character {
            '\\' if characters.peek().is_some_and(|(_, next)| *next == ' ') => {
                characters.next();
                path.push(' ');
            }
            '\\' => return (without_fragment(path), offset),
            _ if is_white_space(character) => return (without_fragment(path), offset),
            _ => path.push(character),
        }
    }
    (without_fragment(path), text.len())
}

fn without_fragment(mut path: String) -> String {
    if let Some(hash) = path.find('#') {
        path.truncate(hash);
    }
    path.truncate(path.trim_end().len());
    path
}

fn names_a_file(path: &str) -> bool {
    let root = path.strip_prefix("~/").or_else(|| path.strip_prefix('/'));
    let drive = path.get(3..).filter(|_| cfg!(windows) && PathStyle::Windows.is_absolute(path));
    match root.or(drive) {
        Some(rest) => !rest.is_empty(),
        None => {
            path.starts_with(|first: char| first.is_ascii_alphanumeric() || matches!(first, '.' | '_' | '-'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(imports(text), expected, "{text:?}");
    }

    #[test]
    fn the_extensions_are_sorted_and_told_apart_by_the_last_dot() {
        assert!(TEXT_EXTENSIONS.split(' ').is_sorted());
        for yes in ["a.md", "a.MD", "Makefile", ".env", "a.b.rs", ".x.toml"] {
            assert!(is_importable(yes), "{yes}");
        }
        for no in ["a.png", "a.markdown", "a.tar.gz", "c.", ".env.local", "a.md,", "a.unknown"] {
            assert!(!is_importable(no), "{no}");
        }
    }

    #[test]
    fn a_path_begins_a_run_or_follows_white_space() {
        check("@a.md", &["a.md"]);
        check("see @./a/../b.json and\n@~/c @/d", &["./a/../b.json", "~/c", "/d"]);
        check("@a @a @./a", &["a", "./a"]);
        check("a@x (@y @z) \"@q\" [@r] @@s @t@u", &["z)", "t@u"]);
        check("@f\u{a0}x @g\u{3000}@h", &["f", "g", "h"]);
        check("@é.md @ @# @~ @~/ @/ @~x/a.md @.j @-k @_l", &[".j", "-k", "_l"]);
        check("@x.md, @y.md. @z.md: @m.md/", &["x.md,", "y.md.", "z.md:", "m.md/"]);
    }

    #[test]
    fn a_path_ends_where_the_client_cuts_it() {
        check("@with\\ space.md @c\\ \n@d\\x.md @e.md\\", &["with space.md", "c", "d", "e.md"]);
        check("@f.md#frag @g.md#x#y", &["f.md", "g.md"]);
        check("@c&amp;d.md @e.md&nbsp;x &nbsp;@a.md &#64;b.md", &["c&amp;d.md", "e.md&nbsp;x"]);
    }

    #[test]
    fn code_html_and_images_hold_no_imports() {
        check("`@a` `` `@b `` \n\n    @c\n\n```\n@d\n```\n~~~\n@e\n~~~", &[]);
        check(
            "<div>\n@a\n</div>\n\n<div>@b</div>\n\n<pre>\n@c\n\n@d\n</pre>\n\n<custom>\n@e\n</custom>",
            &[],
        );
        check("<!-- @a\n@b", &[]);
        check("- <!-- @a --> @b\n- <!-- @c --> @d <!-- @e -->@f <!-- @g @h", &["b", "d", "f"]);
        check("x <!-- @a --> @b <img src=\"@c\"> @d", &["b", "d"]);
        check("![@a](z) [l](@b) [r]\n\n[r]: @c\n\n[^1]: @d", &[]);
        check("- x\n\n      @a\n\n1. y\n\n   ```\n   @b\n   ```", &[]);
    }

    #[test]
    fn markup_splits_runs() {
        check("**x**@a `c`@b <b>@c</b> [@d](z) [@e][r]\n\n[r]: z", &["a", "b", "c", "d", "e"]);
        check("*@a* _@b_. (**@c**) \"*@d*\" ***@e*** [x @f y](z)", &["a", "b", "c", "d", "e", "f"]);
        check("*@a ~~@b~~ [@c] [[@d]] <@e> https://@f <http://a@g.md>", &[]);
        check("@a*b*.md @c_d_e.md @f**g**.md @m`x`.md", &["a", "c_d_e.md", "f", "m"]);
        check("\\!@a \\* @b \\@c \\\\@d", &["a", "b", "d"]);
    }

    #[test]
    fn blocks_of_every_kind_hold_imports() {
        check(
            "# @a\n\n> @b\n\n- @c\n  - @d\n\n| h | @e |\n|---|---|\n| x | @f |\n\nT @g\n===\n\n1. @h\n\n- [ ] @i\n",
            &["a", "b", "c", "d", "e", "f", "g", "h", "i"],
        );
        check("a\n\t@t\n\n\t@u\n\n1. x\n\n   @v\r\n@w\r\n", &["t", "v", "w"]);
        check("<p>\n\n@d\n\n</p>\n<br> @e", &["d"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_ends_in_paths_without_white_space_ends(text in ".{0,200}") {
            for path in imports(&text) {
                proptest::prop_assert!(names_a_file(&path) && path.trim_end() == path);
            }
        }
    }
}
