use std::ops::Range;

use super::{LineKind, Outline};

/// A table: a row of column names, a line of dashes, rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The line of the column names.
    pub header: usize,
    /// The column names, as a reader sees them.
    pub columns: Vec<String>,
    /// The rows below the dashes.
    pub rows: Vec<Row>,
    /// Its last line.
    pub last: usize,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The line that it is on.
    pub line: usize,
    /// What is between its bars.
    pub cells: Vec<Cell>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The bytes of the text between its bars, blanks included.
    pub range: Range<usize>,
    /// What it says, `\|` read as a bar.
    pub text: String,
}

impl Outline<'_> {
    /// The tables in a range of lines. What a merge left in the middle of one does not end it.
    #[must_use]
    pub fn tables(&self, range: Range<usize>) -> Vec<Table> {
        let mut tables = Vec::new();
        let mut index = range.start;
        while index < range.end {
            match self.table_at(index, range.end) {
                Some(table) => {
                    index = table.last + 1;
                    tables.push(table);
                }
                None => index += 1,
            }
        }
        tables
    }

    fn table_at(&self, header: usize, end: usize) -> Option<Table> {
        let columns = self.row(header)?;
        let dashes = self.row(header + 1).filter(|_| header + 1 < end)?;
        if !dashes.cells.iter().all(|cell| is_delimiter(&cell.text)) {
            return None;
        }
        let mut table = Table {
            header,
            columns: columns.cells.into_iter().map(|cell| cell.text).collect(),
            rows: Vec::new(),
            last: header + 1,
        };
        for index in header + 2..end {
            match self.row(index) {
                Some(row) => table.rows.push(row),
                None if self.lines.get(index).is_some_and(|line| line.kind == LineKind::Conflict) => {}
                None => break,
            }
            table.last = index;
        }
        Some(table)
    }

    /// The cells of a line; `None` if it has no bar or is not UTF-8.
    fn row(&self, index: usize) -> Option<Row> {
        let line = self.lines.get(index).filter(|line| line.kind == LineKind::Text)?;
        let cell = |from: usize, to: usize| Cell {
            range: line.start + from..line.start + to,
            text: line.text.get(from..to).unwrap_or_default().trim().replace("\\|", "|"),
        };
        let mut cells = Vec::new();
        let (mut from, mut before) = (0, None);
        for (at, byte) in line.text.bytes().enumerate() {
            if byte == b'|' && before != Some(b'\\') {
                // In front of the first bar there is a cell only if it says something.
                if from > 0 || !line.text.get(..at).unwrap_or_default().trim().is_empty() {
                    cells.push(cell(from, at));
                }
                from = at + 1;
            }
            before = Some(byte);
        }
        if from == 0 {
            return None;
        }
        if !line.text.get(from..).unwrap_or_default().trim().is_empty() {
            cells.push(cell(from, line.text.len()));
        }
        Some(Row { line: index, cells })
    }

    /// The text with one cell of a row changed, and the blanks around it left as they are where it had content. A row
    /// that is too short gets the cells that are missing.
    #[must_use]
    pub fn set_cell(&self, row: &Row, column: usize, value: &str) -> String {
        let value = escape_cell(value);
        if let Some(cell) = row.cells.get(column) {
            let raw = self.text.get(cell.range.clone()).unwrap_or_default();
            let content = raw.trim();
            if content.is_empty() {
                return self.replace(cell.range.clone(), &format!(" {value} "));
            }
            let start = cell.range.start + (raw.len() - raw.trim_start().len());
            return self.replace(start..start + content.len(), &value);
        }
        let Some(line) = self.lines.get(row.line) else { return self.text.to_owned() };
        let mut longer = line.text.trim_end().to_owned();
        if !longer.ends_with('|') || longer.ends_with("\\|") {
            longer.push_str(" |");
        }
        for index in row.cells.len()..=column {
            longer.push_str(&format!(" {} |", if index == column { value.as_str() } else { "" }));
        }
        self.replace(line.start..line.start + line.text.len(), &longer)
    }
}

fn is_delimiter(cell: &str) -> bool {
    let dashes = cell.strip_prefix(':').unwrap_or(cell);
    let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
    !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
}

/// A text as it is in a cell: one line, bars escaped.
#[must_use]
pub fn escape_cell(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// A cell without the marks of Markdown around it: `` `x` ``, `**x**` and `[x](y)` all say x.
#[must_use]
pub fn plain(cell: &str) -> &str {
    let mut text = cell.trim();
    for _ in 0..4 {
        let inner = if let Some((label, _)) = text.strip_prefix('[').and_then(|rest| rest.split_once("](")) {
            label
        } else {
            let strip = |mark: &str| text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
            ["`", "**", "__", "*"].into_iter().find_map(strip).unwrap_or(text)
        };
        if inner.len() == text.len() || inner.is_empty() {
            break;
        }
        text = inner.trim();
    }
    text
}
