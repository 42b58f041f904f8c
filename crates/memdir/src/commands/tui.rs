//! `memdir tui`: the viewer in a terminal, for people on SSH.

use std::io;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use memdir_core::memory::edit_doubt::edit_doubt;
use memdir_core::memory::topic::decode;
use memdir_core::rel_path::RelPath;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use self::app::{App, Flow};
use self::screen::Screen;
use super::memory::{Which, only_a_person};
use super::{Run, editor, review};
use crate::exit::Exit;
use crate::report::WithHint;
use crate::world::World;

mod app;
mod draw;
mod pages;
mod pane;
mod screen;
mod shelf;
mod text;

/// Show and edit memory in the terminal
#[derive(Debug, Parser)]
#[command(
    name = "tui",
    after_help = "Lists memories, changes, reviews and sessions beside what they say. Type `/` to search and `?` for the keys.
Every change goes through the same history as the commands: `u` or `memdir undo` undoes it.

Examples:
  memdir tui
  memdir tui --scope user
  EDITOR='nano' memdir tui"
)]
pub(crate) struct Tui {
    #[command(flatten)]
    which: Which,
}

impl Run for Tui {
    fn run(self, world: &mut World) -> Result<Exit> {
        only_a_person(world)?;
        if !world.terminal.stdin || !world.terminal.stdout {
            return Err(anyhow!("`memdir tui` needs a terminal"))
                .hint("`memdir ui` shows memory in a browser");
        }
        world.flush()?;
        show(&self.which, world, &mut next_event)?;
        Ok(Exit::Yes)
    }
}

/// How often a change on disk is looked for.
const EVERY: Duration = Duration::from_millis(250);

/// The next thing that the person does, if it comes soon.
fn next_event() -> io::Result<Option<Event>> {
    if event::poll(EVERY)? { event::read().map(Some) } else { Ok(None) }
}

/// Draws and answers until the person has enough. Nothing is drawn while nothing changes.
fn show(which: &Which, world: &mut World, next: &mut dyn FnMut() -> io::Result<Option<Event>>) -> Result<()> {
    let (began, first) = (Instant::now(), world.now);
    let mut app = App::open(which, world)?;
    let mut screen = Screen::open().context("cannot use this terminal")?;
    let mut is_changed = true;
    loop {
        if is_changed {
            screen.draw(|frame| draw::draw(&mut app, frame))?;
        }
        let event = next()?;
        world.now = first + began.elapsed();
        let flow = match event {
            None => {
                is_changed = app.follow(world);
                continue;
            }
            Some(Event::Key(key)) if key.kind != KeyEventKind::Release => app.key(key, world),
            Some(Event::Paste(text)) => app.paste(&text, world),
            Some(Event::Resize(..)) => Flow::Stay,
            Some(_) => {
                is_changed = false;
                continue;
            }
        };
        is_changed = true;
        match flow {
            Flow::Stay => {}
            Flow::Quit => return Ok(()),
            Flow::Edit(path) => {
                let done = screen.leave_for(|| edit(&mut app, &path, world))?;
                app.tell(done, world);
            }
            Flow::EditWaiting(id) => {
                let done = screen.leave_for(|| edit_waiting(&mut app, &id, world))?;
                app.tell(done, world);
            }
        }
    }
}

/// A memory in the person's editor, checked and saved as `memdir edit` does.
fn edit(app: &mut App, path: &RelPath, world: &mut World) -> Result<String> {
    let before = app.shelf.memory().read(path)?.unwrap_or_default();
    let text = std::str::from_utf8(&before)
        .with_context(|| format!("`{path}` is not valid UTF-8, so it cannot be edited without loss"))?;
    let edited = editor::edit(path.file_name(), text, world)?;
    if let Some(doubt) = edit_doubt(&decode(&before).0, &edited) {
        return Err(anyhow!("`{path}` {doubt}; nothing was saved"));
    }
    let done = app.shelf.change(world, |memory| Ok(memory.plan_replace(path, &before, &edited)?))?;
    world.drafts.clear();
    Ok(done)
}

/// A change that waits, edited before it is accepted.
fn edit_waiting(app: &mut App, id: &str, world: &mut World) -> Result<String> {
    let memory = app.shelf.memory();
    let mut staged = memory.waiting_plan(id)?;
    review::edit_texts(&mut staged, world)?;
    memory.replace_waiting(&staged)?;
    world.drafts.clear();
    Ok("Saved. The edited change waits.".to_owned())
}

#[cfg(test)]
mod tests;
