//! The two halves of the screen: a list with a chosen row, and a text that scrolls.

use super::text::{Line, Tone, wrap};

/// One row of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Row {
    /// What it is known by: a path or an id.
    pub(super) id: String,
    /// A word in front of it, and how that looks.
    pub(super) mark: (&'static str, Tone),
    pub(super) title: String,
    /// Behind it, on the right.
    pub(super) side: String,
    /// Whether it no longer counts.
    pub(super) is_past: bool,
    /// The line that a search found.
    pub(super) hit: Option<u64>,
}

/// Rows, one of them chosen.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) rows: Vec<Row>,
    pub(super) chosen: usize,
    /// The first row on the screen.
    pub(super) top: usize,
}

impl List {
    pub(super) fn row(&self) -> Option<&Row> {
        self.rows.get(self.chosen)
    }

    /// Takes new rows. The same thing stays chosen if it is still there.
    pub(super) fn replace(&mut self, rows: Vec<Row>, keep: bool) {
        let id = self.row().map(|row| row.id.clone()).filter(|_| keep);
        let place = id.and_then(|id| rows.iter().position(|row| row.id == id));
        let nearest = if keep { self.chosen.min(rows.len().saturating_sub(1)) } else { 0 };
        self.chosen = place.unwrap_or(nearest);
        self.rows = rows;
    }

    pub(super) fn go(&mut self, step: isize) {
        let last = self.rows.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(step).min(last);
    }

    /// The rows that are on a screen of so many lines, the chosen one among them.
    pub(super) fn shown(&mut self, height: usize) -> impl Iterator<Item = (bool, &Row)> {
        let height = height.max(1);
        self.top = self.top.min(self.chosen).max((self.chosen + 1).saturating_sub(height));
        self.top = self.top.min(self.rows.len().saturating_sub(height));
        let (top, chosen) = (self.top, self.chosen);
        self.rows.iter().enumerate().skip(top).take(height).map(move |(place, row)| (place == chosen, row))
    }
}

/// A text that is read.
#[derive(Debug, Default)]
pub(super) struct Reader {
    lines: Vec<Line>,
    /// The lines as they fit into a width.
    wrapped: (usize, Vec<Line>),
    pub(super) top: usize,
    height: usize,
    /// Whether the line that a search found has yet to be brought into view.
    seeks_hit: bool,
}

impl Reader {
    /// Takes a text; the place stays if it is the same thing as before.
    pub(super) fn show(&mut self, lines: Vec<Line>, keep_place: bool) {
        if lines == self.lines {
            return;
        }
        self.seeks_hit = !keep_place && lines.iter().any(|line| line.tone == Tone::Hit);
        self.lines = lines;
        self.wrapped = (0, Vec::new());
        if !keep_place {
            self.top = 0;
        }
    }

    pub(super) fn scroll(&mut self, step: isize) {
        self.top = self.top.saturating_add_signed(step).min(self.last_top());
    }

    /// As many lines as are on the screen, but for one.
    pub(super) fn page(&self) -> isize {
        isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(1)
    }

    fn last_top(&self) -> usize {
        self.wrapped.1.len().saturating_sub(self.height)
    }

    /// The lines on a screen of this size, and how many are below.
    pub(super) fn shown(&mut self, width: usize, height: usize) -> (&[Line], usize) {
        if self.wrapped.0 != width {
            self.wrapped = (width, wrap(&self.lines, width));
        }
        self.height = height;
        if std::mem::take(&mut self.seeks_hit) {
            let hit = self.wrapped.1.iter().position(|line| line.tone == Tone::Hit).unwrap_or(0);
            self.top = if hit < height { 0 } else { hit.saturating_sub(height / 3) };
        }
        self.top = self.top.min(self.last_top());
        let end = (self.top + height).min(self.wrapped.1.len());
        (self.wrapped.1.get(self.top..end).unwrap_or_default(), self.wrapped.1.len() - end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(ids: &[&str]) -> Vec<Row> {
        ids.iter().map(|id| Row { id: (*id).to_owned(), ..Row::default() }).collect()
    }

    fn ids(list: &mut List, height: usize) -> Vec<String> {
        list.shown(height)
            .map(|(chosen, row)| format!("{}{}", if chosen { ">" } else { "" }, row.id))
            .collect()
    }

    #[test]
    fn the_chosen_row_stays_on_the_screen() {
        let mut list = List { rows: rows(&["a", "b", "c", "d"]), ..List::default() };
        list.go(2);
        assert_eq!(ids(&mut list, 2), ["b", ">c"]);
        list.go(9);
        assert_eq!(ids(&mut list, 2), ["c", ">d"]);
        list.go(-9);
        assert_eq!(ids(&mut list, 3), [">a", "b", "c"]);
    }

    #[test]
    fn what_was_chosen_stays_chosen_when_rows_come_and_go() {
        let mut list = List { rows: rows(&["a", "b"]), chosen: 1, ..List::default() };
        list.replace(rows(&["new", "a", "b"]), true);
        assert_eq!(list.row().unwrap().id, "b");
        list.replace(rows(&["new", "a"]), true);
        assert_eq!(list.row().unwrap().id, "a");
        list.replace(rows(&[]), true);
        assert_eq!(ids(&mut list, 3), Vec::<String>::new());
    }

    #[test]
    fn a_text_scrolls_no_further_than_its_end_and_shows_the_line_that_was_found() {
        let mut reader = Reader::default();
        let line = |number: usize| {
            Line::new(&number.to_string(), if number == 30 { Tone::Hit } else { Tone::Plain })
        };
        reader.show((0..40).map(line).collect(), false);
        let (shown, below) = reader.shown(10, 6);
        assert!(shown.iter().any(|line| line.text == "30"), "{shown:?}");
        assert_eq!(below, 6);
        reader.scroll(99);
        assert_eq!(reader.shown(10, 6).1, 0);
    }
}
