//! How the viewer looks: tabs, a list beside what the chosen row says, a line for messages, a line of keys.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line as Shown, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};

use super::app::{App, Mode};
use super::pages::Page;
use super::pane::Row;
use super::text::{Line, Tone, wrap};
use crate::output::{cut, pad, width};

/// A narrower terminal shows the list or the text, not both.
const BOTH_FROM: u16 = 70;
/// A longer message is cut.
const MOST_MESSAGE_LINES: usize = 4;
/// The columns of the word in front of a title.
const MARK: usize = 5;

pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>) {
    let messages = message_lines(app, usize::from(frame.area().width).saturating_sub(2));
    let [top, middle, message, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(u16::try_from(messages.len()).unwrap_or(1)),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    tabs(app, frame, top);
    if let Mode::Undo(_) = app.mode {
        let (style, area) = (app.is_coloured, padded(middle));
        let (lines, below) = app.question.shown(usize::from(area.width), usize::from(area.height));
        text(lines, below, style, frame, area);
    } else {
        panes(app, frame, middle);
    }
    frame.render_widget(Paragraph::new(messages), padded(message));
    if app.mode == Mode::Search {
        let column = usize::from(padded(message).x) + 1 + width(&app.view().query);
        frame.set_cursor_position((u16::try_from(column).unwrap_or(0).min(message.right()), message.y));
    }
    let hint = Span::styled(keys_of(app), Tone::Quiet.style(app.is_coloured));
    frame.render_widget(Paragraph::new(Shown::from(hint)), padded(keys));
    if app.mode == Mode::Help {
        help(app.is_coloured, frame);
    }
}

/// Leaves a column free on either side.
fn padded(area: Rect) -> Rect {
    let free = u16::from(area.width > 20);
    Rect { x: area.x + free, width: area.width.saturating_sub(2 * free), ..area }
}

fn tabs(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let (strong, quiet) = (Tone::Strong.style(app.is_coloured), Tone::Quiet.style(app.is_coloured));
    let area = padded(area);
    let open = app.tab();
    let number = |place: usize, page: &Page| match page {
        Page::Review if app.waiting > 0 => (format!("{}", place + 1), format!(" ({})", app.waiting)),
        _ => (format!("{}", place + 1), String::new()),
    };
    // Where there is no room for all names, only the open page has its own.
    let labels = |is_short: bool| -> Vec<(usize, String)> {
        let label = |(place, (page, name)): (usize, &(Page, &str))| {
            let (number, waiting) = number(place, page);
            let is_named = !is_short || place == open;
            (place, if is_named { format!("{number} {name}{waiting}") } else { number + &waiting })
        };
        Page::TABS.iter().enumerate().map(label).collect()
    };
    let taken = |labels: &[(usize, String)]| labels.iter().map(|(_, label)| label.len() + 2).sum::<usize>();
    let labels =
        if taken(&labels(false)) + 10 > usize::from(area.width) { labels(true) } else { labels(false) };
    let room = usize::from(area.width).saturating_sub(taken(&labels) + 1);
    let mut spans = vec![Span::styled(pad(&cut(&app.shelf.title, room), room), strong), Span::raw(" ")];
    for (place, label) in labels {
        let style = if place == open { strong.add_modifier(Modifier::UNDERLINED) } else { quiet };
        spans.extend([Span::raw("  "), Span::styled(label, style)]);
    }
    frame.render_widget(Paragraph::new(Shown::from(spans)), area);
}

fn panes(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let is_reading = app.mode == Mode::Read;
    let is_coloured = app.is_coloured;
    let both = area.width >= BOTH_FROM;
    let share = (area.width * 2 / 5).min(60);
    let [left, right] = match (both, is_reading) {
        (true, _) => Layout::horizontal([Constraint::Length(share), Constraint::Min(1)]).areas(area),
        (false, false) => [area, Rect::default()],
        (false, true) => [Rect::default(), area],
    };
    let view = app.view();
    if left.width > 0 {
        let lines: Vec<Shown<'_>> = view
            .list
            .shown(usize::from(left.height))
            .map(|(is_chosen, row)| {
                row_line(row, is_chosen, !is_reading, usize::from(left.width), is_coloured)
            })
            .collect();
        let lines = match lines.is_empty() && right.width == 0 {
            true => vec![Shown::raw(view.page.empty(!view.query.is_empty()))],
            false => lines,
        };
        frame.render_widget(Paragraph::new(lines), left);
    }
    if right.width > 0 {
        let edge = Tone::Quiet.style(is_coloured);
        let inner = if both {
            let block = Block::new().borders(Borders::LEFT).border_style(edge);
            let inner = block.inner(right);
            frame.render_widget(block, right);
            inner
        } else {
            right
        };
        let inner = padded(inner);
        let (lines, below) = view.reader.shown(usize::from(inner.width), usize::from(inner.height));
        text(lines, below, is_coloured, frame, inner);
    }
}

/// Lines of a text; the last one says how many are below.
fn text(lines: &[Line], below: usize, is_coloured: bool, frame: &mut Frame<'_>, area: Rect) {
    let shown: Vec<Shown<'_>> =
        lines.iter().map(|line| Shown::styled(line.text.as_str(), line.tone.style(is_coloured))).collect();
    frame.render_widget(Paragraph::new(shown), area);
    if below > 0 && area.height > 1 {
        let label = format!(" {below} more ");
        let length = u16::try_from(label.len()).unwrap_or(0).min(area.width);
        let corner = Rect { x: area.right() - length, y: area.bottom() - 1, width: length, height: 1 };
        frame.render_widget(Clear, corner);
        frame.render_widget(Span::styled(label, Tone::Quiet.style(is_coloured)), corner);
    }
}

fn row_line(
    row: &Row,
    is_chosen: bool,
    is_active: bool,
    columns: usize,
    is_coloured: bool,
) -> Shown<'static> {
    let pointer = if is_chosen { "›" } else { " " };
    let mark = if row.mark.0.is_empty() { String::new() } else { pad(row.mark.0, MARK) + " " };
    let room = columns.saturating_sub(3 + mark.len() + row.side.len() + 1);
    let title = pad(&cut(&row.title, room), room);
    let base =
        if is_chosen && is_active { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
    let chosen = if is_chosen { base.add_modifier(Modifier::BOLD) } else { base };
    let past = if row.is_past { chosen.add_modifier(Modifier::CROSSED_OUT | Modifier::DIM) } else { chosen };
    let tone = |tone: Tone| {
        // On a reversed row a colour of its own would be hard to read.
        if is_chosen && is_active { base } else { base.patch(tone.style(is_coloured)) }
    };
    Shown::from(vec![
        Span::styled(
            format!("{pointer} "),
            if is_coloured && is_chosen { base.fg(Color::Cyan) } else { base },
        ),
        Span::styled(mark, tone(row.mark.1)),
        Span::styled(title, past),
        Span::styled(format!(" {}", row.side), tone(Tone::Quiet)),
        Span::raw(" "),
    ])
}

fn message_lines(app: &mut App, columns: usize) -> Vec<Shown<'static>> {
    let is_coloured = app.is_coloured;
    let quiet = Tone::Quiet.style(is_coloured);
    if let Some(message) = app.message.as_ref().filter(|_| app.mode != Mode::Search) {
        let lines = wrap(std::slice::from_ref(message), columns).into_iter().take(MOST_MESSAGE_LINES);
        return lines.map(|line| Shown::styled(line.text, line.tone.style(is_coloured))).collect();
    }
    let all = app.shelf.catalogue.entries.len();
    let is_searching = app.mode == Mode::Search;
    let view = app.view();
    let rows = view.list.rows.len();
    let of = |one: &str, many: &str| if rows == 1 { format!("1 {one}") } else { format!("{rows} {many}") };
    let count = match &view.page {
        Page::Memories if !view.query.is_empty() => format!("{rows} of {all} memories"),
        Page::Memories => of("memory, newest first", "memories, newest first"),
        Page::Timeline => of("change", "changes, newest first"),
        Page::History(path) => format!("{} of {path}", of("change", "changes")),
        Page::Review => of("change waits", "changes wait"),
        Page::Sessions if !view.query.is_empty() => of("hit", "hits"),
        Page::Sessions => of("session", "sessions, newest first"),
    };
    let query = format!("/{}", view.query);
    if is_searching {
        return vec![Shown::from(vec![Span::raw(query + "   "), Span::styled(count, quiet)])];
    }
    let found = if view.query.is_empty() { String::new() } else { format!("   {query}") };
    vec![Shown::styled(count + &found, quiet)]
}

/// What can be done here.
fn keys_of(app: &mut App) -> &'static str {
    match (app.mode.clone(), &app.view().page) {
        (Mode::Search, _) => "type to search   ↑↓ choose   Enter done   Esc clear",
        (Mode::Undo(_), _) => "y undo it   j k scroll   any other key: leave it as it is",
        (Mode::Help, _) => "any key goes on",
        (Mode::Read, _) => "j k scroll   Space next page   Esc back   q quit",
        (Mode::List, Page::Memories) => {
            "/ search  ? keys  q quit  Enter read  e edit  h history  d delete  u undo"
        }
        (Mode::List, Page::Timeline) => "/ filter  Enter read  u undo this  Tab next page  ? keys  q quit",
        (Mode::List, Page::History(_)) => "Enter read  r restore  u undo this  Esc back  ? keys  q quit",
        (Mode::List, Page::Review) => "a accept  x reject  e edit  Enter read  ? keys  q quit",
        (Mode::List, Page::Sessions) => "/ search  Enter read  Tab next page  ? keys  q quit",
    }
}

const KEYS: [(&str, &str); 14] = [
    ("j k ↑ ↓", "next and previous"),
    ("g G", "first and last"),
    ("Enter", "read; Esc goes back"),
    ("Space", "next page of the text"),
    ("/", "search as you type"),
    ("1 2 3 4 Tab", "memories, timeline, review, sessions"),
    ("e", "edit in $EDITOR"),
    ("i", "edit MEMORY.md"),
    ("h", "history of this memory"),
    ("d", "delete; u brings it back"),
    ("u", "undo: shows what would change first"),
    ("r", "restore this version (history)"),
    ("a x", "accept, reject (review)"),
    ("q Ctrl-C", "quit"),
];

fn help(is_coloured: bool, frame: &mut Frame<'_>) {
    let whole = frame.area();
    let (columns, rows) = (56.min(whole.width), (KEYS.len() as u16 + 2).min(whole.height));
    let area =
        Rect { x: (whole.width - columns) / 2, y: (whole.height - rows) / 2, width: columns, height: rows };
    let line = |(key, what): &(&str, &str)| {
        Shown::from(vec![
            Span::styled(format!(" {} ", pad(key, 12)), Tone::Accent.style(is_coloured)),
            Span::raw((*what).to_owned()),
        ])
    };
    let lines: Vec<Shown<'_>> = KEYS.iter().map(line).collect();
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" Keys ")), area);
}
