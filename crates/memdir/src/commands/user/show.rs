use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use memdir_core::user::{Category, Item};
use memdir_lib::user::{Profile, StoredFile};
use serde::Serialize;
use serde_json::json;

use crate::exit::Exit;
use crate::output::{Paint, printable};
use crate::world::World;

#[derive(Serialize)]
struct Part<'s> {
    category: Category,
    path: Utf8PathBuf,
    items: &'s [Item],
    problems: Vec<String>,
}

/// What is known, file by file.
pub(super) fn show(
    profile: &Profile,
    category: Option<Category>,
    json: bool,
    world: &mut World,
) -> Result<Exit> {
    let mut files = profile.files()?;
    files.retain(|stored| category.is_none_or(|category| stored.file.category == category));
    let items = files.iter().flat_map(|stored| &stored.file.items);
    let waiting = items.filter(|item| !item.may_be_used()).count();
    if json {
        let categories = files.iter().map(|stored| Part {
            category: stored.file.category,
            path: profile.path(stored.file.category),
            items: &stored.file.items,
            problems: stored.file.problems.iter().map(ToString::to_string).collect(),
        });
        let categories: Vec<Part> = categories.collect();
        return world.answer_json(
            &json!({"directory": profile.directory(), "categories": categories, "waiting": waiting}),
        );
    }
    let paint = world.paint;
    if files.is_empty() {
        let add = paint.code("memdir user update preferences --text \"…\"");
        writeln!(world.stdout, "Nothing is known about you yet. {add} writes something down.")?;
        return Ok(Exit::Yes);
    }
    for (index, stored) in files.iter().enumerate() {
        if index > 0 {
            writeln!(world.stdout)?;
        }
        print_file(stored, profile, world)?;
    }
    if waiting > 0 {
        let (they, confirm) = (
            if waiting == 1 { "1 observation waits" } else { &format!("{waiting} observations wait") },
            paint.code("memdir user confirm TOPIC"),
        );
        writeln!(world.stdout, "\n{they} for your yes and will not be used before: {confirm}")?;
    }
    for stored in &files {
        for problem in &stored.file.problems {
            world.warn(&format!("`{}`: {problem}", profile.path(stored.file.category)))?;
        }
    }
    Ok(Exit::Yes)
}

fn print_file(stored: &StoredFile, profile: &Profile, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let category = stored.file.category;
    let path = profile.path(category);
    writeln!(world.stdout, "{}  {}", paint.strong(category.title()), paint.quiet(&printable(path.as_str())))?;
    let mut heading = None;
    for item in &stored.file.items {
        if item.heading != heading {
            heading.clone_from(&item.heading);
            if let Some(heading) = &heading {
                writeln!(world.stdout, "  {}", paint.code(&printable(heading)))?;
            }
        }
        writeln!(world.stdout, "  {}", line(item, paint))?;
    }
    if stored.file.items.is_empty() {
        writeln!(world.stdout, "  {}", paint.quiet("no list items"))?;
    }
    Ok(())
}

/// An item on one line.
pub(super) fn line(item: &Item, paint: Paint) -> String {
    let date = item.date.map_or_else(|| "          ".to_owned(), |date| date.to_string());
    let mut line = format!("{}  {}", paint.quiet(&date), printable(&item.text));
    if !item.may_be_used() {
        line.push_str(&format!("  {}", paint.warn("(not confirmed)")));
    }
    match item.worked {
        Some(true) => line.push_str(&format!("  {}", paint.good("(worked)"))),
        Some(false) => line.push_str(&format!("  {}", paint.warn("(did not work)"))),
        None => {}
    }
    line
}

/// What agents are told.
pub(super) fn told(profile: &Profile, budget: usize, json: bool, world: &mut World) -> Result<Exit> {
    let told = profile.render(budget, world.now);
    if json {
        return world.answer_json(&json!({
            "text": told.text,
            "tokens": told.tokens,
            "left_out": told.left_out,
            "waiting": told.waiting,
        }));
    }
    if !told.text.is_empty() {
        writeln!(world.stdout, "{}", told.text)?;
    }
    if !told.left_out.is_empty() {
        let files = told.left_out.join(", ");
        world.warn(&format!("not all of {files} fits into {budget} tokens"))?;
    }
    Ok(if told.text.is_empty() { Exit::No } else { Exit::Yes })
}
