//! What the person looks at, and what each key does.

use anyhow::{Error, Result};
use memdir_core::rel_path::{ENTRYPOINT, RelPath};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::super::memory::Which;
use super::super::plan_diff;
use super::pages::Page;
use super::pane::{List, Reader};
use super::shelf::Shelf;
use super::text::{Line, Tone, diff};
use crate::world::World;

/// What the loop does after a key.
pub(super) enum Flow {
    Stay,
    Quit,
    /// Opens a memory in the person's editor.
    Edit(RelPath),
    /// Opens a change that waits in the person's editor.
    EditWaiting(String),
}

/// One page with its list, and the text of the chosen row.
pub(super) struct View {
    pub(super) page: Page,
    pub(super) query: String,
    pub(super) list: List,
    pub(super) reader: Reader,
    is_loaded: bool,
}

impl View {
    fn of(page: Page) -> Self {
        Self {
            page,
            query: String::new(),
            list: List::default(),
            reader: Reader::default(),
            is_loaded: false,
        }
    }
}

/// What keys are for at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    List,
    /// The text is read; keys scroll it.
    Read,
    /// A search is typed.
    Search,
    /// An undo is shown and waits for a yes.
    Undo(String),
    Help,
}

pub(super) struct App {
    pub(super) shelf: Shelf,
    tabs: [View; 4],
    tab: usize,
    /// The history of one memory, over the list of memories.
    history: Option<View>,
    pub(super) mode: Mode,
    pub(super) message: Option<Line>,
    /// What an undo would do.
    pub(super) question: Reader,
    pub(super) waiting: usize,
    pub(super) is_coloured: bool,
}

impl App {
    pub(super) fn open(which: &Which, world: &mut World) -> Result<Self> {
        let mut app = Self {
            shelf: Shelf::open(which, world)?,
            tabs: Page::TABS.map(|(page, _)| View::of(page)),
            tab: 0,
            history: None,
            mode: Mode::List,
            message: None,
            question: Reader::default(),
            waiting: 0,
            is_coloured: world.paint.is_on(),
        };
        app.waiting = app.shelf.memory().waiting_count();
        app.load(world);
        Ok(app)
    }

    pub(super) fn tab(&self) -> usize {
        self.tab
    }

    pub(super) fn view(&mut self) -> &mut View {
        let [memories, timeline, review, sessions] = &mut self.tabs;
        match (self.tab, &mut self.history) {
            (0, Some(history)) => history,
            (0, None) => memories,
            (1, _) => timeline,
            (2, _) => review,
            _ => sessions,
        }
    }

    /// Says how something ended, and shows what there is now.
    pub(super) fn tell(&mut self, done: Result<String>, world: &mut World) {
        self.message = Some(match done {
            Ok(text) => Line::new(&text, Tone::Good),
            Err(error) => problem(&error),
        });
        // The text of a failed edit is kept, and the person learns where.
        for draft in std::mem::take(&mut world.drafts) {
            let place = draft.keep();
            let text = self.message.take().unwrap_or_default().text;
            self.message = Some(Line::new(&format!("{text}; your text is in {place}"), Tone::Bad));
        }
        self.refresh(world);
    }

    /// Looks for changes by others; returns whether there is something new to draw.
    pub(super) fn follow(&mut self, world: &mut World) -> bool {
        let is_changed = self.shelf.was_changed();
        if is_changed {
            if let Err(error) = self.shelf.reload(world) {
                self.message = Some(problem(&error));
            }
            self.refresh(world);
        }
        is_changed
    }

    /// Reads everything anew; what is chosen stays chosen.
    fn refresh(&mut self, world: &World) {
        self.waiting = self.shelf.memory().waiting_count();
        for view in &mut self.tabs {
            view.is_loaded = false;
        }
        if let Some(history) = &mut self.history {
            history.is_loaded = false;
        }
        self.load(world);
    }

    /// Reads the rows of the page, if that was not done yet, and the text of the chosen row.
    fn load(&mut self, world: &World) {
        self.list(true, world);
        self.read(true, world);
    }

    fn list(&mut self, keep: bool, world: &World) {
        let view = self.view();
        if view.is_loaded {
            return;
        }
        view.is_loaded = true;
        let (page, query) = (view.page.clone(), view.query.clone());
        match page.rows(&query, &mut self.shelf, world) {
            Ok(rows) => self.view().list.replace(rows, keep),
            Err(error) => self.message = Some(problem(&error)),
        }
    }

    fn read(&mut self, keep: bool, world: &World) {
        let view = self.view();
        let (page, row) = (view.page.clone(), view.list.row().cloned());
        let text = match row {
            Some(row) => page.text(&row, &self.shelf, world).unwrap_or_else(|error| vec![problem(&error)]),
            None => vec![Line::new(page.empty(!self.view().query.trim().is_empty()), Tone::Quiet)],
        };
        self.view().reader.show(text, keep);
    }

    pub(super) fn paste(&mut self, text: &str, world: &World) -> Flow {
        if self.mode == Mode::Search {
            let text: String = text.chars().filter(|c| !c.is_control()).collect();
            self.view().query.push_str(&text);
            self.searched(world);
        }
        Flow::Stay
    }

    pub(super) fn key(&mut self, key: KeyEvent, world: &mut World) -> Flow {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Flow::Quit;
        }
        // Escape and a letter typed right after it reach a program as one key.
        if key.modifiers.contains(KeyModifiers::ALT) && matches!(key.code, KeyCode::Char(_)) {
            self.key(KeyEvent::from(KeyCode::Esc), world);
            return self.key(KeyEvent::from(key.code), world);
        }
        match self.mode.clone() {
            Mode::Search => self.key_of_search(key, world),
            Mode::Undo(id) => self.key_of_undo(&id, key.code, world),
            Mode::Help => {
                self.mode = Mode::List;
                Flow::Stay
            }
            Mode::List | Mode::Read => {
                self.message = None;
                self.key_of_page(key, world)
            }
        }
    }

    fn key_of_search(&mut self, key: KeyEvent, world: &World) -> Flow {
        match key.code {
            KeyCode::Enter => self.mode = Mode::List,
            KeyCode::Esc => {
                self.mode = Mode::List;
                self.view().query.clear();
                self.searched(world);
            }
            KeyCode::Up => self.go(-1, world),
            KeyCode::Down => self.go(1, world),
            KeyCode::Backspace => {
                self.view().query.pop();
                self.searched(world);
            }
            KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.view().query.clear();
                self.searched(world);
            }
            KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.view().query.push(c);
                self.searched(world);
            }
            _ => {}
        }
        Flow::Stay
    }

    /// The query is another one: its best hit comes first.
    fn searched(&mut self, world: &World) {
        self.view().is_loaded = false;
        self.list(false, world);
        self.read(false, world);
    }

    fn key_of_undo(&mut self, id: &str, code: KeyCode, world: &mut World) -> Flow {
        match code {
            KeyCode::Down | KeyCode::Char('j') => self.question.scroll(1),
            KeyCode::Up | KeyCode::Char('k') => self.question.scroll(-1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.question.scroll(self.question.page()),
            KeyCode::PageUp => self.question.scroll(-self.question.page()),
            KeyCode::Char('y') => {
                self.mode = Mode::List;
                let done = self.shelf.undo(id, world);
                self.tell(done, world);
            }
            _ => {
                self.mode = Mode::List;
                self.message = Some(Line::new("Nothing was undone.", Tone::Quiet));
            }
        }
        Flow::Stay
    }

    fn key_of_page(&mut self, key: KeyEvent, world: &mut World) -> Flow {
        let is_reading = self.mode == Mode::Read;
        let page = self.view().reader.page();
        match key.code {
            KeyCode::Char('q') => return Flow::Quit,
            KeyCode::Esc | KeyCode::Left | KeyCode::Backspace => return self.back(world),
            KeyCode::Char('?') => self.mode = Mode::Help,
            KeyCode::Char('/') if !matches!(self.view().page, Page::Review | Page::History(_)) => {
                self.mode = Mode::Search;
            }
            KeyCode::Char(digit @ '1'..='4') => self.show_tab(digit as usize - '1' as usize, world),
            KeyCode::Tab => self.show_tab((self.tab + 1) % self.tabs.len(), world),
            KeyCode::BackTab => self.show_tab((self.tab + self.tabs.len() - 1) % self.tabs.len(), world),
            KeyCode::Enter | KeyCode::Right if self.view().list.row().is_some() => self.mode = Mode::Read,
            KeyCode::PageDown | KeyCode::Char(' ') => self.view().reader.scroll(page),
            KeyCode::PageUp => self.view().reader.scroll(-page),
            KeyCode::Char('d') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.view().reader.scroll(page / 2);
            }
            KeyCode::Down | KeyCode::Char('j') if is_reading => self.view().reader.scroll(1),
            KeyCode::Up | KeyCode::Char('k') if is_reading => self.view().reader.scroll(-1),
            KeyCode::Char('g') | KeyCode::Home if is_reading => self.view().reader.scroll(isize::MIN),
            KeyCode::Char('G') | KeyCode::End if is_reading => self.view().reader.scroll(isize::MAX),
            KeyCode::Down | KeyCode::Char('j') => self.go(1, world),
            KeyCode::Up | KeyCode::Char('k') => self.go(-1, world),
            KeyCode::Char('g') | KeyCode::Home => self.go(isize::MIN, world),
            KeyCode::Char('G') | KeyCode::End => self.go(isize::MAX, world),
            KeyCode::Char(c) if key.modifiers.is_empty() => return self.act(c, world),
            _ => {}
        }
        Flow::Stay
    }

    fn go(&mut self, step: isize, world: &World) {
        self.view().list.go(step);
        self.read(false, world);
    }

    fn show_tab(&mut self, tab: usize, world: &World) {
        (self.tab, self.mode) = (tab, Mode::List);
        self.load(world);
    }

    fn back(&mut self, world: &World) -> Flow {
        if self.mode == Mode::Read {
            self.mode = Mode::List;
        } else if self.tab == 0 && self.history.is_some() {
            self.history = None;
            self.load(world);
        } else if !self.view().query.is_empty() {
            self.view().query.clear();
            self.searched(world);
        }
        Flow::Stay
    }

    /// What a letter does to the chosen row.
    fn act(&mut self, letter: char, world: &mut World) -> Flow {
        let view = self.view();
        let (page, id) = (view.page.clone(), view.list.row().map(|row| row.id.clone()));
        match (letter, page, id) {
            ('e', Page::Memories, Some(id)) => return RelPath::parse(&id).map_or(Flow::Stay, Flow::Edit),
            ('i', Page::Memories, _) => return RelPath::parse(ENTRYPOINT).map_or(Flow::Stay, Flow::Edit),
            ('e', Page::Review, Some(id)) => return Flow::EditWaiting(id),
            ('h', Page::Memories, Some(id)) => self.open_history(&id, world),
            ('d', Page::Memories, Some(id)) => {
                let done = self.shelf.change(world, |memory| Ok(memory.plan_remove(&memory.find(&id)?)?));
                self.tell(done, world);
            }
            ('a', Page::Review, Some(id)) => {
                let done = self.shelf.answer(&id, true, world);
                self.tell(done, world);
            }
            ('x', Page::Review, Some(id)) => {
                let done = self.shelf.answer(&id, false, world);
                self.tell(done, world);
            }
            ('r', Page::History(path), Some(id)) => {
                let done = self.shelf.restore(&path, &id, world);
                self.tell(done, world);
            }
            ('u', Page::Timeline | Page::History(_), Some(id)) => self.ask_undo(Some(&id)),
            ('u', ..) => self.ask_undo(None),
            _ => {}
        }
        Flow::Stay
    }

    fn open_history(&mut self, id: &str, world: &World) {
        let Ok(path) = RelPath::parse(id) else { return };
        self.history = Some(View::of(Page::History(path)));
        self.load(world);
    }

    /// Shows what an undo would do, before it is done.
    fn ask_undo(&mut self, id: Option<&str>) {
        match self.shelf.plan_undo(id) {
            Ok(Some((operation, plan))) => {
                let mut lines = vec![
                    Line::new(&format!("Undo: {}", operation.reason), Tone::Strong),
                    Line::new("Later changes stay. This is what would change:", Tone::Quiet),
                    Line::empty(),
                ];
                lines.extend(diff(&plan_diff::diff(&plan)));
                self.question.show(lines, false);
                self.mode = Mode::Undo(operation.id.0);
            }
            Ok(None) => {
                self.message = Some(Line::new("There is no operation of yours to undo.", Tone::Quiet));
            }
            Err(error) => self.message = Some(problem(&error)),
        }
    }
}

fn problem(error: &Error) -> Line {
    let (message, hints) = crate::report::message(error);
    let hint = hints.first().map(|hint| format!(" ({hint})")).unwrap_or_default();
    Line::new(&format!("{}{hint}", message.replace('\n', " ")), Tone::Bad)
}
