//! The terminal, taken over and given back.

use std::io::{self, Stdout, stdout};
use std::thread;
use std::time::Duration;

use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste, poll};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, enable_raw_mode,
};
use ratatui::{Frame, Terminal, backend::CrosstermBackend};

/// The terminal while it shows the viewer. Dropping it, and a panic, give the terminal back as it was.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        // Installs the hook that gives the terminal back before a panic is printed.
        let terminal = ratatui::try_init()?;
        // From here on a change of the size is noticed, also before the first key is waited for.
        poll(Duration::ZERO)?;
        execute!(stdout(), EnableBracketedPaste)?;
        Ok(Self { terminal })
    }

    /// Draws what changed. A terminal that knows how shows it all at once.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        execute!(stdout(), BeginSynchronizedUpdate)?;
        self.terminal.draw(draw)?;
        execute!(stdout(), EndSynchronizedUpdate)
    }

    /// Lends the terminal to another program.
    pub(super) fn leave_for<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        give_back();
        let done = work();
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
        self.terminal.clear()?;
        Ok(done)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // In a panic the hook was first; doing it twice would write over the message.
        if !thread::panicking() {
            give_back();
        }
    }
}

/// A terminal that is gone cannot be given back, and needs no message.
fn give_back() {
    let _ = execute!(stdout(), DisableBracketedPaste);
    let _ = ratatui::try_restore();
}
