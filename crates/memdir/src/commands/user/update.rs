use std::io::{Read, Write};

use anyhow::{Context, Result, anyhow, bail};
use jiff::tz::TimeZone;
use memdir_core::look::Look;
use memdir_core::secrets::redact;
use memdir_core::user::{Category, Item, MAX_BYTES, NewItem, Topic};
use memdir_disk::real_look::RealLook;
use memdir_lib::user::{Profile, ProfileEdit};
use serde::Serialize;
use serde_json::json;

use super::show::line;
use crate::commands::editor;
use crate::commands::made::{Manner, preview, report};
use crate::commands::memory::author;
use crate::exit::Exit;
use crate::output::printable;
use crate::report::WithHint;
use crate::world::World;

/// What is to be written down.
pub(super) struct Update {
    pub(super) category: Category,
    pub(super) text: Option<String>,
    pub(super) file: Option<String>,
    pub(super) heading: Option<String>,
    pub(super) observed: bool,
    pub(super) worked: Option<bool>,
    pub(super) replaces: Option<String>,
}

#[derive(Serialize)]
struct Noted<'n> {
    category: &'static str,
    noted: &'n str,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<bool>,
}

/// Writes something down, or lets the user edit the file.
pub(super) fn update(
    mut profile: Profile,
    update: Update,
    manner: &Manner,
    world: &mut World,
) -> Result<Exit> {
    let Some(text) = given(&update, world)? else { return edit(profile, update.category, manner, world) };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // The value of a secret is never printed, whatever the setting for writing one.
    let (shown, _) = redact(&text);
    if let Some(topic) = &update.replaces {
        let item = the_one(&profile, topic, update.category)?;
        let edit = ProfileEdit::Replace { item: &item, text: &text, now: world.now };
        let noted = Noted { category: update.category.name(), noted: &shown, confirmed: item.confirmed };
        return carry_out(&mut profile, &edit, &noted, manner, world);
    }
    // What was only observed waits among the observations, under the name of what it is about.
    let is_observed = update.observed || update.category == Category::Observations;
    let category = if is_observed { Category::Observations } else { update.category };
    let about = (category != update.category).then(|| update.category.title().to_owned());
    let heading = update.heading.or(about);
    if update.worked.is_some() && category != Category::Feedback {
        bail!("--worked goes with feedback");
    }
    let confirmed = is_observed.then_some(false);
    let new = NewItem {
        text: &text,
        heading: heading.as_deref(),
        date: world.now.to_zoned(TimeZone::UTC).date(),
        confirmed,
        worked: update.worked,
    };
    let noted = Noted { category: category.name(), noted: &shown, confirmed };
    carry_out(&mut profile, &ProfileEdit::Add(category, new), &noted, manner, world)
}

fn carry_out(
    profile: &mut Profile,
    edit: &ProfileEdit<'_>,
    noted: &Noted<'_>,
    manner: &Manner,
    world: &mut World,
) -> Result<Exit> {
    let directory = profile.directory().to_owned();
    if manner.dry_run {
        return preview(&profile.plan(edit)?, &directory, manner, noted, world);
    }
    let made = profile.change(edit, &author(world), world.now)?;
    let done = |world: &mut World| {
        let paint = world.paint;
        let place = paint.quiet(&format!("({})", noted.category));
        writeln!(world.stdout, "📝 Noted: {} {place}", printable(noted.noted))?;
        if noted.confirmed == Some(false) {
            let words: Vec<&str> = noted.noted.split_whitespace().take(4).collect();
            let confirm = format!("memdir user confirm \"{}\"", words.join(" "));
            writeln!(
                world.stdout,
                "Agents do not use it before you say yes: {}",
                paint.code(&printable(&confirm))
            )?;
        }
        Ok(())
    };
    report(&made, &directory, manner, noted, done, world)
}

/// The text from a flag, a file or standard input; `None` where the user should edit.
fn given(update: &Update, world: &mut World) -> Result<Option<String>> {
    if let Some(text) = &update.text {
        return Ok(Some(text.clone()));
    }
    let bytes = match update.file.as_deref() {
        Some("-") => {
            let mut bytes = Vec::new();
            world.stdin.by_ref().take(MAX_BYTES).read_to_end(&mut bytes)?;
            bytes
        }
        Some(file) => {
            let path = world.env()?.cwd.join(file);
            RealLook.read(&path, MAX_BYTES).with_context(|| format!("cannot read `{file}`"))?
        }
        None if update.replaces.is_none() && world.terminal.stdin && world.terminal.stdout => {
            return Ok(None);
        }
        None => {
            return Err(anyhow!("there is no text to write down"))
                .hint("give it with --text, with --file FILE, or with --file - on standard input");
        }
    };
    String::from_utf8(bytes).map(Some).context("the text is not valid UTF-8")
}

/// The user's own editor on the whole file.
fn edit(mut profile: Profile, category: Category, manner: &Manner, world: &mut World) -> Result<Exit> {
    let before = profile.file(category)?.map(|stored| stored.bytes);
    let text = match before.clone() {
        Some(bytes) => String::from_utf8(bytes)
            .with_context(|| format!("`{}` is not valid UTF-8", profile.path(category)))?,
        None => format!("# {}\n\n", category.title()),
    };
    let edited = editor::edit(category.file(), &text, world)?;
    if edited == text {
        writeln!(world.stdout, "Nothing to change.")?;
        return Ok(Exit::Yes);
    }
    let edit = ProfileEdit::Put { category, before: before.as_deref(), after: &edited };
    let noted = Noted { category: category.name(), noted: "what you wrote", confirmed: None };
    carry_out(&mut profile, &edit, &noted, manner, world)
}

fn the_one(profile: &Profile, topic: &str, category: Category) -> Result<Item> {
    let mut found = find(profile, topic, Some(category))?;
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(_), false) => Err(anyhow!("{} items are about `{topic}`", found.len() + 1))
            .hint("say more words of the one you mean"),
        (None, _) => Err(anyhow!("nothing in {} is about `{topic}`", category.name()))
            .hint("`memdir user` shows what is known"),
    }
}

pub(super) fn find(profile: &Profile, topic: &str, category: Option<Category>) -> Result<Vec<Item>> {
    let Some(topic) = Topic::of(topic) else { bail!("a topic has at least one word") };
    Ok(profile.find(&topic, category)?)
}

/// The user says yes to what was observed.
pub(super) fn confirm(
    mut profile: Profile,
    topic: Option<&str>,
    manner: &Manner,
    world: &mut World,
) -> Result<Exit> {
    let mut items = match topic {
        Some(topic) => find(&profile, topic, None)?,
        None => profile.files()?.into_iter().flat_map(|stored| stored.file.items).collect(),
    };
    items.retain(|item| !item.may_be_used());
    if items.is_empty() {
        writeln!(world.stderr, "Nothing that waits is about that.")?;
        return Ok(Exit::No);
    }
    let edit = ProfileEdit::Confirm(&items);
    let directory = profile.directory().to_owned();
    let more = json!({"confirmed": items});
    if manner.dry_run {
        return preview(&profile.plan(&edit)?, &directory, manner, more, world);
    }
    let made = profile.change(&edit, &author(world), world.now)?;
    let done = |world: &mut World| {
        for item in &items {
            let said = Item { confirmed: Some(true), ..item.clone() };
            writeln!(world.stdout, "💭 Agents may use: {}", line(&said, world.paint).trim_start())?;
        }
        Ok(())
    };
    report(&made, &directory, manner, more, done, world)
}
