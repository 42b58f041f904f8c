//! What all pages have: the frame, the navigation, addresses, and how a diff looks.

use maud::{DOCTYPE, Markup, html};
use memdir_core::plan::Plan;
use memdir_core::text_diff::unified_plan;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use crate::access::Browser;
use crate::diff::diff;
use crate::project::OpenProject;
use crate::reply::PageError;
use crate::text::visible;
use crate::viewer::Viewer;

const UNRESERVED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// The addresses of a project's pages.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    prefix: String,
    slug: String,
}

impl Links {
    pub(crate) fn of(viewer: &Viewer, slug: &str) -> Self {
        Self { prefix: format!("/{}", viewer.access.prefix), slug: slug.to_owned() }
    }

    /// A page that belongs to no project.
    pub(crate) fn top(&self, page: &str) -> String {
        format!("{}/{page}", self.prefix)
    }

    /// A page of the project, with what it is asked for.
    pub(crate) fn to(&self, page: &str, asked: &[(&str, &str)]) -> String {
        let encode = |text: &str| utf8_percent_encode(text, UNRESERVED).to_string();
        let asked = asked.iter().filter(|(_, value)| !value.is_empty());
        let query: Vec<String> = asked.map(|(name, value)| format!("{name}={}", encode(value))).collect();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}/p/{}/{page}{mark}{}", self.prefix, encode(&self.slug), query.join("&"))
    }

    pub(crate) fn memory(&self, path: &str) -> String {
        self.to("memories", &[("path", path)])
    }

    pub(crate) fn operation(&self, id: &str) -> String {
        self.to("operation", &[("id", id)])
    }

    /// The same kind of address in another project.
    pub(crate) fn in_project(&self, slug: &str) -> Self {
        Self { slug: slug.to_owned(), ..self.clone() }
    }
}

/// One request for a page of a project.
pub(crate) struct Asked<'a> {
    pub(crate) viewer: &'a Viewer,
    pub(crate) browser: &'a Browser,
    pub(crate) project: &'a OpenProject,
    pub(crate) links: Links,
}

/// The pages of a project, with the key that follows `g` for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Home,
    Overview,
    Memories,
    Timeline,
    Review,
    Sessions,
    Context,
    Journal,
    Graph,
    Team,
}

impl Tab {
    const ALL: [Self; 10] = [
        Self::Home,
        Self::Overview,
        Self::Memories,
        Self::Timeline,
        Self::Review,
        Self::Sessions,
        Self::Context,
        Self::Journal,
        Self::Graph,
        Self::Team,
    ];

    fn page(self) -> &'static str {
        match self {
            Self::Home => "",
            Self::Overview => "overview",
            Self::Memories => "memories",
            Self::Timeline => "timeline",
            Self::Review => "review",
            Self::Sessions => "sessions",
            Self::Context => "context",
            Self::Journal => "journal",
            Self::Graph => "graph",
            Self::Team => "team",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Home => "All projects",
            Self::Overview => "Overview",
            Self::Memories => "Memories",
            Self::Timeline => "Timeline",
            Self::Review => "Review",
            Self::Sessions => "Sessions",
            Self::Context => "What the agent sees",
            Self::Journal => "Journal",
            Self::Graph => "Graph",
            Self::Team => "Team",
        }
    }

    /// Whether it shows what only a project has.
    fn needs_project(self) -> bool {
        matches!(self, Self::Sessions | Self::Context | Self::Journal | Self::Team)
    }

    fn key(self) -> &'static str {
        match self {
            Self::Home => "h",
            Self::Overview => "o",
            Self::Memories => "m",
            Self::Timeline => "t",
            Self::Review => "r",
            Self::Sessions => "s",
            Self::Context => "a",
            Self::Journal => "j",
            Self::Graph => "g",
            Self::Team => "e",
        }
    }
}

/// What a change left in the address of the next page: the operation that can be undone, or what to say.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Done {
    #[serde(default)]
    pub(crate) done: String,
    #[serde(default)]
    pub(crate) note: String,
}

impl Asked<'_> {
    /// A whole page.
    pub(crate) fn page(&self, tab: Tab, title: &str, done: &Done, body: &Markup) -> Markup {
        let waiting = self.project.memory().map(|memory| memory.waiting_count()).unwrap_or(0);
        let name = self.project.title();
        frame(
            &format!("{title} · {name}"),
            &self.links,
            self.browser,
            &html! {
                nav.side aria-label="Pages" {
                    a.place href=(self.links.to("overview", &[])) title=[self.project.path.as_ref()] {
                        strong { (visible(name)) }
                        @if let Some(path) = &self.project.path { span.path { (visible(path.as_str())) } }
                    }
                    @for each in Tab::ALL.into_iter().filter(|tab| self.project.extent.is_none() || !tab.needs_project()) {
                        @let address = if each == Tab::Home { self.links.top("home") } else { self.links.to(each.page(), &[]) };
                        a href=(address) aria-current=[(each == tab).then_some("page")] data-go=(each.key()) {
                            (each.name())
                            @if each == Tab::Review && waiting > 0 { span.badge { (waiting) } }
                        }
                    }
                    p.hint { kbd { "/" } " search " kbd { "?" } " keys" }
                }
                main #main tabindex="-1" data-live="main" {
                    (self.banner(done))
                    (body)
                }
            },
        )
    }

    /// What was just done, with the way back.
    fn banner(&self, done: &Done) -> Markup {
        let operation = || {
            let log = self.project.memory().ok()?.log(16).ok()?;
            log.operations.into_iter().find(|operation| operation.id.0 == done.done)
        };
        let operation = if done.done.is_empty() { None } else { operation() };
        html! {
            @if operation.is_some() || !done.note.is_empty() {
                div.banner role="status" {
                    @if let Some(operation) = operation {
                        span { "Done: " (visible(&operation.reason)) }
                        @if operation.undo_of.is_none() {
                            form method="post" action=(self.links.to("undo", &[])) {
                                (self.token())
                                input type="hidden" name="id" value=(operation.id.0);
                                button.link type="submit" { "Undo" }
                            }
                        }
                    }
                    @if !done.note.is_empty() { span { (visible(&done.note)) } }
                }
            }
        }
    }

    /// The hidden field without which no form changes anything.
    pub(crate) fn token(&self) -> Markup {
        html! { input type="hidden" name="token" value=(self.browser.token); }
    }

    /// A button that posts a few fields.
    pub(crate) fn button(&self, page: &str, label: &str, class: &str, fields: &[(&str, &str)]) -> Markup {
        html! {
            form.inline method="post" action=(self.links.to(page, &[])) {
                (self.token())
                @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
                button type="submit" class=(class) { (label) }
            }
        }
    }
}

/// The frame of every page.
pub(crate) fn frame(title: &str, links: &Links, browser: &Browser, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" data-prefix=(links.prefix) data-slug=(links.slug) data-token=(browser.token) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (visible(title)) " · memdir" }
                link rel="icon" href=(links.top("assets/icon.svg")) type="image/svg+xml";
                link rel="stylesheet" href=(links.top("assets/viewer.css"));
                script type="module" src=(links.top("assets/viewer.js")) {}
            }
            body {
                a.skip href="#main" { "Skip to content" }
                header.top {
                    a.brand href=(links.top("home")) { span.mark aria-hidden="true" {} "memdir" }
                    span.live #live role="status" { "live" }
                }
                div.frame { (body) }
                (keys())
            }
        }
    }
}

fn keys() -> Markup {
    let rows = [
        ("/", "search"),
        ("j k", "next, previous in a list"),
        ("Enter", "open"),
        ("e", "edit this memory"),
        ("u", "show what the last undo would do"),
        ("a", "accept (review)"),
        ("x", "reject (review)"),
        (
            "g then h o m t r s a j g e",
            "projects, overview, memories, timeline, review, sessions, agent, journal, graph, team",
        ),
        ("?", "this list"),
    ];
    html! {
        dialog #keys aria-label="Keys" {
            h2 { "Keys" }
            dl.keys { @for (key, what) in rows { dt { kbd { (key) } } dd { (what) } } }
            form method="dialog" { button { "Close" } }
        }
    }
}

/// A heading with something beside it.
pub(crate) fn heading(title: &str, beside: &Markup) -> Markup {
    html! { div.heading { h1 { (visible(title)) } (beside) } }
}

/// What to say where there is nothing.
pub(crate) fn empty(title: &str, text: &Markup) -> Markup {
    html! { div.empty { h2 { (title) } p { (text) } } }
}

/// A label in a colour of its own.
pub(crate) fn badge(kind: &str, label: &str) -> Markup {
    html! { span class={"tag " (kind)} { (visible(label)) } }
}

pub(crate) fn plan_diff(plan: &Plan) -> Markup {
    diff(&unified_plan(plan))
}

/// Says in a page of the frame why there is none.
pub(crate) fn error_page(asked: &Asked<'_>, error: &PageError) -> Markup {
    let body = html! {
        (empty("That did not work", &html! { (visible(&error.message)) }))
        p.centred { a href=(asked.links.to("memories", &[])) { "Back to the memories" } }
    };
    asked.page(Tab::Memories, "Not possible", &Done::default(), &body)
}
