//! Markdown as a page that cannot do anything.
//!
//! A memory is written by agents from what they read, so it may be hostile. HTML in it is shown as text, images become
//! links, links lead only to the web or to other memories, and what comes out passes a sanitiser with a short list.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::Builder;
use maud::{Markup, PreEscaped};
use memdir_core::memory::links::LinkTargets;
use memdir_lib::memory::Catalogue;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use crate::page::Links;
use crate::text::visible;

/// No more than this is rendered; the source shows the rest.
pub(crate) const MAX_RENDERED: usize = 256 << 10;

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let tags: HashSet<&str> = [
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "li",
        "pre",
        "code",
        "em",
        "strong",
        "del",
        "blockquote",
        "a",
        "hr",
        "br",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "sup",
        "div",
    ]
    .into();
    let mut sanitiser = Builder::empty();
    sanitiser
        .tags(tags)
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href", "class", "title"])),
            ("ol", HashSet::from(["start"])),
        ]))
        .url_schemes(HashSet::from(["http", "https"]))
        .url_relative(ammonia::UrlRelative::PassThrough)
        .link_rel(Some("noopener noreferrer"));
    sanitiser
});

/// What a link in a memory may mean.
pub(crate) struct Linking<'l> {
    pub(crate) catalogue: &'l Catalogue,
    pub(crate) targets: LinkTargets,
    pub(crate) links: &'l Links,
}

impl<'l> Linking<'l> {
    pub(crate) fn new(catalogue: &'l Catalogue, links: &'l Links) -> Self {
        let names = catalogue.entries.iter().map(|entry| (entry.name.as_deref(), entry.path.as_str()));
        Self { catalogue, targets: LinkTargets::new(names), links }
    }

    /// The page of the memory that a link names.
    fn address(&self, target: &str) -> Option<String> {
        let target = target.split('#').next().unwrap_or_default();
        let decoded = percent_encoding::percent_decode_str(target).decode_utf8().ok()?;
        let place = self.targets.resolve(&decoded).first()?;
        Some(self.links.memory(self.catalogue.entries.get(*place)?.path.as_str()))
    }
}

/// Renders the body of a memory.
pub(crate) fn render(text: &str, linking: Option<&Linking<'_>>) -> Markup {
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MAX_RENDERED).last().unwrap_or(0);
    let text = if text.len() > MAX_RENDERED { text.get(..end).unwrap_or_default() } else { text };
    let text = visible(text);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_WIKILINKS;
    // One entry for each link that is open: whether it is shown as a link.
    let mut open_links = Vec::new();
    let events = Parser::new_ext(&text, options).flat_map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => vec![Event::Text(html)],
        Event::TaskListMarker(done) => {
            vec![Event::Text(CowStr::Borrowed(if done { "☑ " } else { "☐ " }))]
        }
        Event::Start(Tag::HtmlBlock) => vec![Event::Start(Tag::Paragraph)],
        Event::End(TagEnd::HtmlBlock) => vec![Event::End(TagEnd::Paragraph)],
        Event::Start(
            Tag::Link { link_type, dest_url, title, id } | Tag::Image { link_type, dest_url, title, id },
        ) => {
            let is_web = dest_url.starts_with("http://") || dest_url.starts_with("https://");
            let own = linking.and_then(|linking| linking.address(&dest_url));
            let address = if is_web { Some(dest_url.to_string()) } else { own };
            open_links.push(address.is_some());
            match address {
                Some(address) => {
                    let dest_url = CowStr::from(address);
                    vec![Event::Start(Tag::Link { link_type, dest_url, title, id })]
                }
                None => vec![Event::Start(Tag::Emphasis)],
            }
        }
        Event::End(TagEnd::Link | TagEnd::Image) => {
            let is_link = open_links.pop().unwrap_or(false);
            vec![Event::End(if is_link { TagEnd::Link } else { TagEnd::Emphasis })]
        }
        other => vec![other],
    });
    let mut unsafe_html = String::new();
    html::push_html(&mut unsafe_html, events);
    PreEscaped(SANITISER.clean(&unsafe_html).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> String {
        render(text, None).into_string()
    }

    #[test]
    fn nothing_in_a_memory_runs() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<svg onload=alert(1)><a xlink:href=\"javascript:alert(1)\">x</a></svg>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt&#58;alert(1))",
            "[x](data:text/html,<script>alert(1)</script>)",
            "![x](http://tracker.example/pixel.png)",
            "[x](https://a.example \"><script>alert(1)</script>\")",
            "<a href=\"javascript:alert(1)\">x</a>",
            "```\n</code></pre><script>alert(1)</script>\n```",
        ] {
            let html = rendered(hostile);
            for forbidden in
                ["<script", "<img", "<svg", "<a href=\"javascript", "<a href=\"data", "<p on", "<iframe"]
            {
                assert!(!html.to_lowercase().contains(forbidden), "{hostile} became {html}");
            }
        }
    }

    #[test]
    fn markdown_looks_like_markdown() {
        assert_eq!(rendered("# A\n\n*b* `c`"), "<h1>A</h1>\n<p><em>b</em> <code>c</code></p>\n");
        assert!(rendered("[x](https://a.example)").contains("rel=\"noopener noreferrer\""));
        assert_eq!(rendered("a <b>c</b>"), "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n");
        assert!(rendered("x\u{202e}y").contains("‹U+202E›"));
    }

    #[test]
    fn what_is_huge_is_cut_where_a_character_ends() {
        let html = rendered(&"ä".repeat(MAX_RENDERED));
        assert!(html.len() <= MAX_RENDERED + 16, "{}", html.len());
    }
}
