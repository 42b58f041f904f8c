//! What a dream did, on one page: the numbers before and after, then every kind of change.

use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use memdir_core::dream::{Account, Measure};
use serde::Serialize;

use crate::output::{human_bytes, printable};
use crate::world::World;

/// What there is to tell about a dream.
#[derive(Serialize)]
pub(super) struct Page<'p> {
    pub(super) before: &'p Measure,
    pub(super) after: &'p Measure,
    #[serde(flatten)]
    pub(super) account: &'p Account,
    /// Whether every change is shown, with the reason for it.
    #[serde(skip)]
    pub(super) explain: bool,
}

/// A dream in machine output.
#[derive(Serialize)]
pub(super) struct DreamReport<'r> {
    pub(super) status: &'static str,
    pub(super) op: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) staged: Option<&'r str>,
    pub(super) planner: &'r str,
    pub(super) dry_run: bool,
    #[serde(flatten)]
    pub(super) page: &'r Page<'r>,
    pub(super) paths: Vec<Utf8PathBuf>,
    pub(super) warnings: &'r [&'r String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diff: Option<String>,
}

/// Why each kind of change is made.
const WHY: [(&str, &str); 10] = [
    ("by model", "The model that you named wrote these; every statement was checked."),
    ("merged", "One memory said everything that the other one said, or what holds now."),
    ("replaced", "A later sentence about the same thing says something else, so the earlier one has an end."),
    (
        "gave way",
        "A description or index line of a memory that went says no more than the sentence that stays.",
    ),
    ("dated", "The day was named as seen from the day of writing, which a later reader does not know."),
    ("stale", "Project files that it relies on are gone, its deadline passed, or it was not used for long."),
    ("noted", "The note will matter after its day: a preference, a decision, a limit or a place."),
    ("repeated", "The same item stood twice in one section."),
    ("linked", "No line of the index led to it."),
    ("unlinked", "The file of this index line is gone."),
];

/// So many changes of one kind are shown.
const SHOWN: usize = 8;
/// So much of a statement.
const WIDTH: usize = 88;

impl Page<'_> {
    /// Prints the page.
    pub(super) fn print(&self, world: &mut World) -> Result<()> {
        self.numbers(world)?;
        let account = self.account;
        let arrow = world.paint.quiet("→");
        let item = |path: &str, text: &str| format!("{}  {}", printable(path), shortened(text));
        let written = account.written.iter().map(|file| {
            let what = if file.is_new { "new, " } else { "" };
            format!("{}  {what}{} lines added, {} removed", file.path, file.lines_added, file.lines_removed)
        });
        section("by model", written, self.explain, world)?;
        section(
            "merged",
            account.merged.iter().map(|merged| {
                let why = if self.explain && !merged.why.is_empty() {
                    format!(": {}", merged.why)
                } else {
                    String::new()
                };
                format!("{} {arrow} {}{why}", merged.from, merged.into)
            }),
            self.explain,
            world,
        )?;
        let replaced = account.replaced.iter().map(|replaced| {
            let (was, now) = (shortened(&replaced.was), shortened(&replaced.now));
            format!("{}  {was} ({} to {}) {arrow} {now}", replaced.path, replaced.from, replaced.until)
        });
        section("replaced", replaced, self.explain, world)?;
        let is_replaced =
            |statement: &str| account.replaced.iter().any(|replaced| statement.contains(&replaced.was));
        let gave_way: Vec<String> = account
            .superseded
            .iter()
            .filter(|superseded| !is_replaced(&superseded.statement))
            .map(|superseded| {
                let (was, now) = (shortened(&superseded.statement), shortened(&superseded.replaced_by));
                format!("{}  {was} {arrow} {now}", superseded.source)
            })
            .collect();
        section("gave way", gave_way.into_iter(), self.explain, world)?;
        section(
            "dated",
            account.dated.iter().map(|dated| item(dated.path.as_str(), &dated.statement)),
            self.explain,
            world,
        )?;
        section(
            "stale",
            account.marked.iter().map(|marked| item(marked.path.as_str(), &marked.why)),
            self.explain,
            world,
        )?;
        let distilled = account.distilled.iter().map(|note| {
            let mark = if note.is_new { "new" } else { "to" };
            format!("{}  {mark} {}", shortened(&note.statement), note.into)
        });
        section("noted", distilled, self.explain, world)?;
        section(
            "repeated",
            account.repeated.iter().map(|item| format!("{}  {}", item.path, shortened(&item.statement))),
            self.explain,
            world,
        )?;
        section("linked", account.linked.iter().map(|path| printable(path)), self.explain, world)?;
        section("unlinked", account.unlinked.iter().map(|line| shortened(line)), self.explain, world)?;
        section(
            "left alone",
            account.left_alone.iter().map(|left| item(&left.path, &left.why)),
            self.explain,
            world,
        )?;
        Ok(())
    }

    /// A row for every number that says something: what got better is green.
    fn numbers(&self, world: &mut World) -> Result<()> {
        let (before, after) = (self.before, self.after);
        let count = |number: usize| number.to_string();
        let size = |units: usize| human_bytes(units as u64);
        let rows = [
            ("memories", before.files, after.files, true),
            ("lines", before.lines, after.lines, true),
            ("repeated", before.duplicates, after.duplicates, true),
            ("index lines", before.index_lines, after.index_lines, false),
            ("index size", before.index_units, after.index_units, false),
            ("not in index", before.unlisted, after.unlisted, true),
            ("dead links", before.dead_links, after.dead_links, true),
        ];
        let paint = world.paint;
        writeln!(world.stdout, "{}", paint.quiet(&format!("{:<12}  {:>8}  {:>8}", "", "before", "after")))?;
        for (what, old, new, less_is_better) in rows {
            let text = if what == "index size" { size } else { count };
            let (old_text, new_text) = (format!("{:>8}", text(old)), format!("{:>8}", text(new)));
            let new_text = if less_is_better && new < old { paint.good(&new_text) } else { new_text };
            writeln!(world.stdout, "{what:<12}  {old_text}  {new_text}")?;
        }
        Ok(writeln!(world.stdout)?)
    }
}

/// One kind of change, its items below each other.
fn section(
    name: &str,
    items: impl ExactSizeIterator<Item = String>,
    explain: bool,
    world: &mut World,
) -> Result<()> {
    let total = items.len();
    if total == 0 {
        return Ok(());
    }
    let paint = world.paint;
    let shown = if explain { total } else { SHOWN };
    if let Some((_, why)) = WHY.iter().find(|(section, _)| explain && *section == name) {
        writeln!(world.stdout, "{}", paint.quiet(why))?;
    }
    for (at, item) in items.take(shown).enumerate() {
        let head = if at == 0 { format!("{name:<10} {total:>5}") } else { " ".repeat(16) };
        let head = if at == 0 { paint.strong(&head) } else { head };
        writeln!(world.stdout, "{head}  {item}")?;
    }
    if total > shown {
        writeln!(
            world.stdout,
            "{}  {}",
            " ".repeat(16),
            paint.quiet(&format!("and {} more", total - shown))
        )?;
    }
    Ok(writeln!(world.stdout)?)
}

/// The beginning of a text in one line.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= WIDTH {
        return printable(&line);
    }
    let cut: String = line.chars().take(WIDTH - 1).collect();
    printable(&format!("{}…", cut.trim_end()))
}
