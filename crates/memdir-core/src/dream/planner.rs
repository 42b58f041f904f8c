//! The plan of a dream by rules, without a model.

use super::check::check_read;
use super::desk::Desk;
use super::reading::Readings;
use super::{Dream, Measure, Scene};
use super::{contradiction, dates, distil, fix_index, merge, prune, repeated, stale};
use crate::ablation;
use crate::memory::entrypoint::{MAX_LINES, MAX_UNITS};
use crate::plan::Plan;

/// What one part of a dream does can give another one something to do: after so many rounds nothing does.
const MOST_ROUNDS: usize = 6;

/// A part of a dream, by its name.
type Part = (&'static str, fn(&mut Desk<'_>));

/// What a dream does, part by part.
const PARTS: [Part; 8] = [
    ("dates", dates::date),
    ("repeated", repeated::take_out),
    ("merge", merge::merge),
    ("distil", distil::distil),
    ("contradiction", contradiction::resolve),
    ("stale", stale::mark),
    ("prune", prune::prune),
    ("fix index", fix_index::fix_index),
];
/// What it does to the index alone.
const INDEX_PARTS: [Part; 2] = [("prune", prune::prune), ("fix index", fix_index::fix_index)];

/// Plans to tidy a memory directory. The plan passes [`super::check()`]; a second dream right after it plans nothing.
/// `step` is told how many parts of how many are done; what one part does may begin them anew.
#[must_use]
pub fn plan(scene: &Scene, readings: &Readings, step: &mut dyn FnMut(usize, usize)) -> Dream {
    let whole = planned(scene, readings, &PARTS, step);
    // The check decides, not the planner: what it refuses is left as it is, but for the index.
    whole.or_else(|_| planned(scene, readings, &INDEX_PARTS, step)).unwrap_or_else(|why| {
        let mut dream = unchanged(scene, readings);
        dream.plan.warnings.push(format!("nothing was tidied: {why}"));
        dream
    })
}

fn planned(
    scene: &Scene,
    readings: &Readings,
    parts: &[Part],
    step: &mut dyn FnMut(usize, usize),
) -> Result<Dream, super::CheckRefused> {
    let mut desk = Desk::of(scene, readings);
    for _ in 0..MOST_ROUNDS {
        let before = desk.changes;
        for (done, (name, part)) in parts.iter().enumerate() {
            step(done, parts.len());
            if !ablation::is_off(name) {
                part(&mut desk);
            }
        }
        if desk.changes == before {
            break;
        }
    }
    finish(&mut desk)
}

/// Makes a plan of what lies on the desk, and has it checked.
pub(super) fn finish(desk: &mut Desk<'_>) -> Result<Dream, super::CheckRefused> {
    let scene = desk.scene;
    let mut plan = desk.plan(reason(desk));
    check_read(&scene.sources(), &plan, &desk.account.superseded, desk.readings)?;
    let before = scene.sources().into_iter().map(|source| (source.path, source.content)).collect();
    let (before, after) = (Measure::of(&before, desk.readings), Measure::of(&desk.files(), desk.readings));
    let mut account = std::mem::take(&mut desk.account);
    if after.index_lines > MAX_LINES || after.index_units > MAX_UNITS {
        let lines = after.index_lines;
        plan.warnings.push(format!(
            "MEMORY.md has {lines} lines of your own, and agents load {MAX_LINES}: all entries are in MEMORY-overflow.md"
        ));
    }
    account.unlinked.sort_unstable();
    account.unlinked.dedup();
    Ok(Dream { plan, account, before, after })
}

fn unchanged(scene: &Scene, readings: &Readings) -> Dream {
    let before = scene.sources().into_iter().map(|source| (source.path, source.content)).collect();
    let measure = Measure::of(&before, readings);
    Dream { plan: Plan::new("dream"), account: super::Account::default(), before: measure, after: measure }
}

/// What the log says about a dream.
fn reason(desk: &Desk<'_>) -> String {
    let account = &desk.account;
    let parts = [
        (account.merged.len(), "merged"),
        (account.replaced.len(), "replaced"),
        (account.dated.len(), "dated"),
        (account.marked.len(), "marked"),
        (account.distilled.len(), "distilled"),
        (account.linked.len(), "linked"),
    ];
    let said: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    if said.is_empty() { "dream".to_owned() } else { format!("dream: {}", said.join(", ")) }
}
