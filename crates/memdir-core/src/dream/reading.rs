//! Texts that were read once, however often a dream looks at them.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use jiff::civil::Date;

use super::relation::Said;
use super::statement::{
    Chunk, ChunkKind, Statement, chunks_of, header_statements, index_statements, is_index, sequences,
};
use crate::memory::links::{Link, links};
use crate::memory::topic::Topic;
use crate::rel_path::RelPath;

/// Every text that was read so far, by its content: what a text says depends on nothing else.
#[derive(Default)]
pub struct Readings {
    known: RefCell<HashMap<Rc<str>, Rc<Reading>>>,
    bytes: Cell<usize>,
}

/// Beyond so many bytes of text nothing more is kept, and reading takes longer instead.
const MOST_BYTES: usize = 48 << 20;

impl Readings {
    /// What a text says.
    pub(super) fn of(&self, text: &str) -> Rc<Reading> {
        if let Some(known) = self.known.borrow().get(text) {
            return Rc::clone(known);
        }
        let reading = Rc::new(Reading::of(text));
        let bytes = self.bytes.get().saturating_add(text.len());
        if bytes <= MOST_BYTES {
            self.bytes.set(bytes);
            self.known.borrow_mut().insert(Rc::clone(&reading.text), Rc::clone(&reading));
        }
        reading
    }
}

/// What one text says, each part worked out when it is first asked for.
pub(super) struct Reading {
    text: Rc<str>,
    /// What its header says.
    pub(super) topic: Topic,
    chunks: OnceCell<Vec<Chunk>>,
    telling: OnceCell<Vec<(Statement, Said)>>,
    header: OnceCell<Vec<Statement>>,
    index: OnceCell<Vec<Statement>>,
    sequences: OnceCell<Vec<Statement>>,
    links: OnceCell<Vec<Link>>,
}

impl Reading {
    fn of(text: &str) -> Self {
        Self {
            text: text.into(),
            topic: Topic::parse_head_of_whole(text).0,
            chunks: OnceCell::new(),
            telling: OnceCell::new(),
            header: OnceCell::new(),
            index: OnceCell::new(),
            sequences: OnceCell::new(),
            links: OnceCell::new(),
        }
    }

    /// The text behind the header.
    pub(super) fn body(&self) -> &str {
        self.text.get(self.topic.body.clone()).unwrap_or_default()
    }

    /// The parts of the text behind the header.
    pub(super) fn chunks(&self) -> &[Chunk] {
        self.chunks.get_or_init(|| chunks_of(&self.text, self.topic.body.clone()))
    }

    /// What these parts say.
    pub(super) fn said(&self) -> impl Iterator<Item = &Statement> {
        self.chunks().iter().flat_map(|chunk| &chunk.statements)
    }

    /// What it tells of its matter, ready to be compared: no headings, no reasons and no history.
    pub(super) fn telling(&self) -> &[(Statement, Said)] {
        const AROUND: [&str; 8] =
            ["said:", "why:", "how to apply:", "about:", "instead of:", "stale since", "code ", "comment "];
        self.telling.get_or_init(|| {
            let is_telling = |kind: ChunkKind, said: &Statement| {
                kind != ChunkKind::Heading
                    && !AROUND.iter().any(|start| said.normal.starts_with(start))
                    && !is_history(&said.normal)
            };
            let telling = self.said_with_kind().filter(|(kind, said)| is_telling(*kind, said));
            telling.map(|(_, said)| (said.clone(), Said::of(&said.text))).collect()
        })
    }

    /// The same, each with the kind of the part that holds it.
    pub(super) fn said_with_kind(&self) -> impl Iterator<Item = (ChunkKind, &Statement)> {
        self.chunks().iter().flat_map(|chunk| chunk.statements.iter().map(|said| (chunk.kind, said)))
    }

    /// Whether a statement is one of its headings.
    pub(super) fn is_heading(&self, statement: &Statement) -> bool {
        self.said_with_kind().any(|(kind, said)| kind == ChunkKind::Heading && said == statement)
    }

    /// Everything that a file with this text says: the fields of its header, then its text. An index says what its lines
    /// say.
    pub(super) fn statements(&self, path: &RelPath) -> impl Iterator<Item = &Statement> {
        let (own, chunks) = if is_index(path) {
            (self.index.get_or_init(|| index_statements(&self.text)).as_slice(), [].as_slice())
        } else {
            (self.header.get_or_init(|| header_statements(&self.text)).as_slice(), self.chunks())
        };
        own.iter().chain(chunks.iter().flat_map(|chunk| &chunk.statements))
    }

    /// The same, and every numbered list as a whole: what must be kept wherever a text goes.
    pub(super) fn must_stand(&self, path: &RelPath) -> impl Iterator<Item = &Statement> {
        let lists: &[Statement] = if is_index(path) { &[] } else { self.sequences() };
        self.statements(path).chain(lists)
    }

    /// The numbered lists, each as one statement.
    pub(super) fn sequences(&self) -> &[Statement] {
        self.sequences.get_or_init(|| sequences(&self.text, self.chunks()))
    }

    /// Where its links are, and where they lead.
    pub(super) fn links(&self) -> &[Link] {
        self.links.get_or_init(|| links(&self.text))
    }
}

/// Whether a statement says until when something was so.
pub(super) fn is_history(normal: &str) -> bool {
    normal
        .strip_prefix("until ")
        .is_some_and(|rest| rest.get(..10).is_some_and(|day| day.parse::<Date>().is_ok()))
}
