//! Memories and their links, drawn.

use maud::html;

use crate::page::{Asked, Done, Tab, empty, heading};
use crate::reply::{PageError, Reply};

pub(crate) fn graph(asked: &Asked<'_>, done: Done) -> Result<Reply, PageError> {
    let number = asked.project.catalogue()?.entries.len();
    let body = html! {
        (heading("Graph", &html! { span.quiet #graph-count {} }))
        @if number == 0 { (empty("No memories yet", &html! { "Memories and the links between them appear here." })) }
        @else {
            p.quiet { "Drag to move, scroll to zoom, click to open. The same links are listed on each memory's page." }
            p.legend #graph-legend {
                @for kind in ["user", "feedback", "project", "reference", "untyped"] { span { span class={"dot " (kind)} {} (kind) } }
                span #graph-near hidden { span.dash {} "near in meaning" }
            }
            canvas #graph tabindex="0" role="img" aria-label="Memories and their links"
                data-source=(asked.links.to("graph.json", &[])) data-open=(asked.links.to("memories", &[])) {}
            p #graph-name role="status" {}
        }
    };
    Ok(Reply::Html(asked.page(Tab::Graph, "Graph", &done, &body)))
}
