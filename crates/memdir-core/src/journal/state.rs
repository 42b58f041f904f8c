//! The files with the state of the work: the task, what blocks it, what is being done and what is done.

use super::index::{CurrentState, NONE};
use super::record::Record;
use super::text::one_line;

/// The current task.
pub const TASK_FILE: &str = "context/current-task.md";
/// What keeps it from going on.
pub const BLOCKERS_FILE: &str = "context/blockers.md";
/// What is being done.
pub const ACTIVE_FILE: &str = "progress/active.md";
/// What is done.
pub const COMPLETED_FILE: &str = "progress/completed.md";

/// The files that are made when a journal is started, with their text until the first entry.
pub const PLACEHOLDERS: [(&str, &str); 4] = [
    (TASK_FILE, "# Current Task\n\nNo task is set. `memdir journal task` sets one.\n"),
    (BLOCKERS_FILE, "# Blockers\n\n## Active\n\n## Resolved\n"),
    (ACTIVE_FILE, "# Active Work\n\nNothing is listed. `memdir journal progress --add STEP` adds a step.\n"),
    (COMPLETED_FILE, "# Completed Work\n"),
];

/// Whether a file still says what it said when it was made.
#[must_use]
pub fn is_placeholder(path: &str, text: &str) -> bool {
    PLACEHOLDERS.iter().any(|(known, content)| *known == path && content.trim() == text.trim())
}

/// What a file of the state says until it is written.
#[must_use]
pub fn placeholder(path: &str) -> &'static str {
    PLACEHOLDERS.iter().find(|(known, _)| *known == path).map_or("", |(_, content)| content)
}

/// The state of the work, from the four files; an absent one is empty. Steps of a finished task do not count.
#[must_use]
pub fn current_state(task: &str, blockers: &str, active: &str, completed: &str) -> CurrentState {
    let open = open_blockers(blockers);
    let blocker = match open.as_slice() {
        [] => NONE.to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
    };
    CurrentState {
        task: current_task(task, completed).unwrap_or_else(|| NONE.to_owned()),
        progress: progress(steps_under_way(task, active, completed)).unwrap_or_else(|| NONE.to_owned()),
        blocker,
    }
}

/// A new content for the file of the current task.
#[must_use]
pub fn set_task(title: &str, details: &str, now: &str) -> String {
    let mut record = Record { title: "Current Task".to_owned(), ..Record::default() };
    record.set_field("Updated", now);
    record.set_section("Task", &one_line(title, 500));
    if !details.trim().is_empty() {
        record.set_section("Details", details);
    }
    record.to_string()
}

/// The task that is under way; `None` if there is none, or if it was done after it was set. Within one second it is
/// under way: `done` clears the file itself, so this is the same task once more.
#[must_use]
pub fn current_task(text: &str, completed: &str) -> Option<String> {
    if is_placeholder(TASK_FILE, text) {
        return None;
    }
    let record = Record::parse(text);
    let told = record.section("Task").or(Some(record.preamble.as_str()))?;
    let task = one_line(told.lines().find(|line| !line.trim().is_empty())?, 500);
    let updated = record.field("Updated").unwrap_or_default();
    let is_done =
        completed.lines().filter_map(completed_entry).any(|(time, done)| done == task && time > updated);
    (!task.is_empty() && !is_done).then_some(task)
}

/// Whether the file names a task that is finished.
fn is_finished(task: &str, completed: &str) -> bool {
    !task.trim().is_empty() && !is_placeholder(TASK_FILE, task) && current_task(task, completed).is_none()
}

/// The steps of the current task; empty if the task that they belong to is finished.
#[must_use]
pub fn steps_under_way<'a>(task: &str, active: &'a str, completed: &str) -> &'a str {
    let counts = !is_placeholder(ACTIVE_FILE, active) && !is_finished(task, completed);
    if counts { active } else { "" }
}

/// Whether a task with this title takes the place of another one, whose steps it must not inherit.
#[must_use]
pub fn is_other_task(title: &str, task: &str, completed: &str) -> bool {
    let has_task = !task.trim().is_empty() && !is_placeholder(TASK_FILE, task);
    has_task && current_task(task, completed).as_deref() != Some(&one_line(title, 500))
}

/// The first step that is not done.
#[must_use]
pub fn next_step(active: &str) -> Option<String> {
    let open = active.lines().find(|line| is_box(line) && line.contains("[ ]"))?;
    Some(one_line(open.split_once("[ ]")?.1, 500))
}

/// The steps as a finished task keeps them, a line each: `[x] write it`.
#[must_use]
pub fn step_lines(active: &str) -> Vec<String> {
    let boxes = active.lines().filter(|line| is_box(line));
    boxes.map(|line| line.trim_start().trim_start_matches(['-', '*', ' ']).to_owned()).collect()
}

/// Adds a blocker.
#[must_use]
pub fn add_blocker(text: &str, blocker: &str, now: &str) -> String {
    let mut record = blockers_record(text);
    let line = format!("- {now}: {}", one_line(blocker, 500));
    let active = record.section("Active").unwrap_or_default().to_owned();
    record.set_section("Active", format!("{active}\n{line}").trim());
    record.to_string()
}

/// Resolves the blockers that are or contain a text, or all; gives back the new content and what was resolved.
#[must_use]
pub fn resolve_blockers(text: &str, wanted: Option<&str>, now: &str) -> (String, Vec<String>) {
    let mut record = blockers_record(text);
    let active = record.section("Active").unwrap_or_default().to_owned();
    let mut resolved = record.section("Resolved").unwrap_or_default().to_owned();
    let (mut kept, mut gone) = (Vec::new(), Vec::new());
    let wanted = wanted.map(|wanted| wanted.trim().to_lowercase());
    let said = |line: &str| list_item(line).map(|item| without_time(item).to_lowercase());
    // A text that names one blocker in full does not mean a longer one that contains it.
    let is_exact = active.lines().any(|line| wanted.is_some() && said(line) == wanted);
    for line in active.lines() {
        let matches = match &wanted {
            None => true,
            Some(_) if is_exact => said(line) == wanted,
            Some(wanted) => line.to_lowercase().contains(wanted),
        };
        match list_item(line).filter(|_| matches) {
            Some(item) => {
                resolved = format!("{resolved}\n- {item} (resolved {now})").trim().to_owned();
                gone.push(without_time(item).to_owned());
            }
            None => kept.push(line),
        }
    }
    record.set_section("Active", &kept.join("\n"));
    record.set_section("Resolved", &resolved);
    (record.to_string(), gone)
}

/// The blockers that are not resolved.
#[must_use]
pub fn open_blockers(text: &str) -> Vec<String> {
    let record = Record::parse(text);
    let active = match record.sections.is_empty() {
        true => Some(record.preamble.as_str()),
        false => record.section("Active"),
    };
    let items = active.unwrap_or_default().lines().filter_map(list_item);
    items
        .map(|item| without_time(item).to_owned())
        .filter(|item| !item.eq_ignore_ascii_case("none"))
        .collect()
}

fn blockers_record(text: &str) -> Record {
    let mut record = Record::parse(text);
    if record.title.is_empty() {
        "Blockers".clone_into(&mut record.title);
    }
    if record.sections.is_empty() && !record.preamble.is_empty() {
        let preamble = std::mem::take(&mut record.preamble);
        record.set_section("Active", &preamble);
    }
    for heading in ["Active", "Resolved"] {
        if !record.sections.iter().any(|(known, _)| known == heading) {
            record.set_section(heading, "");
        }
    }
    record
}

/// What to change in the list of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// A new one.
    Add(&'a str),
    /// One that is done: its number from 1, or a part of its text.
    Check(&'a str),
    /// How far the whole is, in the user's own words.
    Set(&'a str),
}

/// Changes the list of steps, one change after the other; `None` if there is no such step.
#[must_use]
pub fn change_steps(text: &str, steps: &[Step<'_>], now: &str) -> Option<String> {
    let text =
        if is_placeholder(ACTIVE_FILE, text) || text.trim().is_empty() { "# Active Work\n" } else { text };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // Every step with its line, and in small letters as it is looked for.
    let known = lines.iter().enumerate().filter(|(_, line)| is_box(line));
    let mut boxes: Vec<(usize, String)> = known.map(|(at, line)| (at, line.to_lowercase())).collect();
    let mut said = None;
    for step in steps {
        match *step {
            Step::Add(step) => {
                let line = format!("- [ ] {}", one_line(step, 300));
                boxes.push((lines.len(), line.to_lowercase()));
                lines.push(line);
            }
            Step::Check(wanted) => {
                let found = find_step(&boxes, wanted)?;
                let (at, lower) = boxes.get_mut(found)?;
                let line = lines.get_mut(*at)?;
                *line = line.replacen("[ ]", "[x]", 1);
                *lower = line.to_lowercase();
            }
            Step::Set(value) => said = Some(one_line(value, 100)),
        }
    }
    let mut changed = lines.join("\n");
    changed.push('\n');
    if let Some(value) = said {
        changed = super::record::edit_field(&changed, "Progress", &value, "Updated");
    }
    if lines.iter().any(|line| line.starts_with("**Updated**:")) {
        changed = super::record::edit_field(&changed, "Updated", now, "");
    } else if let Some((head, rest)) = changed.split_once('\n') {
        changed = format!(
            "{head}\n\n**Updated**: {now}\n{}{rest}",
            if rest.starts_with('\n') || rest.starts_with("**") { "" } else { "\n" }
        );
    }
    Some(changed)
}

/// Which of the steps is meant: by its number, else the first whose text holds the words.
fn find_step(boxes: &[(usize, String)], wanted: &str) -> Option<usize> {
    let number = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let wanted = wanted.to_lowercase();
    let by_text = || boxes.iter().position(|(_, step)| step.contains(&wanted));
    number.filter(|number| *number < boxes.len()).or_else(by_text)
}

/// How far the work is: in the user's words, else the steps that are done of all.
#[must_use]
pub fn progress(active: &str) -> Option<String> {
    let record = Record::parse(active);
    if let Some(said) = record.field("Progress") {
        return Some(said.to_owned());
    }
    let boxes = active.lines().filter(|line| is_box(line));
    let (mut done, mut all) = (0, 0);
    for line in boxes {
        all += 1;
        done += usize::from(!line.contains("[ ]"));
    }
    (all > 0).then(|| format!("{done}/{all} subtasks"))
}

fn is_box(line: &str) -> bool {
    let line = line.trim_start();
    ["- [ ]", "- [x]", "- [X]", "* [ ]", "* [x]"].iter().any(|mark| line.starts_with(mark))
}

/// Adds a line to what is done.
#[must_use]
pub fn add_completed(text: &str, done: &str, details: &str, now: &str) -> String {
    let text = if text.trim().is_empty() { "# Completed Work\n" } else { text };
    let mut changed = text.trim_end().to_owned();
    let last_is_item =
        changed.lines().next_back().is_some_and(|line| line.starts_with("- ") || line.starts_with("  "));
    changed.push_str(if last_is_item { "\n" } else { "\n\n" });
    changed.push_str(&format!("- {now}: {}\n", one_line(done, 500)));
    for line in details.trim().lines() {
        changed.push_str(&format!("  {line}\n"));
    }
    changed
}

/// The moment and the text of a line of what is done.
#[must_use]
pub fn completed_entry(line: &str) -> Option<(&str, &str)> {
    let item = list_item(line)?;
    let rest = without_time(item);
    Some((item.get(..item.len() - rest.len())?.trim_end_matches([' ', ':']), rest))
}

fn list_item(line: &str) -> Option<&str> {
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).map(str::trim).filter(|item| !item.is_empty())
}

/// An item without the moment in front of it.
fn without_time(item: &str) -> &str {
    match item.split_once("Z: ") {
        Some((time, rest)) if time.len() == 19 && time.as_bytes().first().is_some_and(u8::is_ascii_digit) => {
            rest
        }
        _ => item,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLY: &str = "2026-01-19T22:00:00Z";
    const LATE: &str = "2026-01-19T23:00:00Z";

    #[test]
    fn placeholders_say_nothing() {
        let [task, blockers, active, completed] = PLACEHOLDERS.map(|(_, text)| text);
        assert_eq!(current_state(task, blockers, active, completed), CurrentState::default());
        assert_eq!(current_state("", "", "", ""), CurrentState::default());
    }

    #[test]
    fn a_task_is_set_and_done() {
        let task = set_task("Build  the\nlogin", "With cookies.", EARLY);
        assert_eq!(current_task(&task, ""), Some("Build the login".to_owned()));
        let done = add_completed("", "Build the login", "two\nlines", LATE);
        assert_eq!(done, "# Completed Work\n\n- 2026-01-19T23:00:00Z: Build the login\n  two\n  lines\n");
        assert_eq!(current_task(&task, &done), None);
        // The same task again, later, is under way again.
        let again = set_task("Build the login", "", "2026-01-20T00:00:00Z");
        assert!(current_task(&again, &done).is_some());
        assert!(current_task(&set_task("Build the login", "", LATE), &done).is_some(), "within the second");
        // A file that a person wrote.
        assert_eq!(current_task("# Current Task\n\nFix it\n", ""), Some("Fix it".to_owned()));
    }

    #[test]
    fn steps_end_with_their_task() {
        let task = set_task("First", "", EARLY);
        let steps = change_steps("", &[Step::Add("one"), Step::Add("two"), Step::Check("1")], EARLY).unwrap();
        assert_eq!(current_state(&task, "", &steps, "").progress, "1/2 subtasks");
        assert_eq!(next_step(&steps).as_deref(), Some("two"));
        assert_eq!(step_lines(&steps), ["[x] one", "[ ] two"]);
        let done = add_completed("", "First", "", LATE);
        assert_eq!(current_state(&task, "", &steps, &done), CurrentState::default());
        assert!(is_other_task("Second", &task, "") && is_other_task("First", &task, &done));
        assert!(!is_other_task("First", &task, "") && !is_other_task("First", PLACEHOLDERS[0].1, ""));
    }

    #[test]
    fn blockers_come_and_go() {
        let one = add_blocker(PLACEHOLDERS[1].1, "No database", EARLY);
        let two = add_blocker(&one, "No review", LATE);
        assert_eq!(open_blockers(&two), ["No database", "No review"]);
        assert_eq!(current_state("", &two, "", "").blocker, "No database (and 1 more)");
        let (rest, gone) = resolve_blockers(&two, Some("DATABASE"), LATE);
        assert_eq!(
            (open_blockers(&rest), gone),
            (vec!["No review".to_owned()], vec!["No database".to_owned()])
        );
        assert!(rest.contains("- 2026-01-19T22:00:00Z: No database (resolved 2026-01-19T23:00:00Z)"));
        assert!(open_blockers(&resolve_blockers(&rest, None, LATE).0).is_empty());
        let longer = add_blocker(&rest, "no review of the tests", LATE);
        assert_eq!(resolve_blockers(&longer, Some("no review"), LATE).1, ["No review"]);
        assert_eq!(open_blockers("# Blockers\n- by hand\n- None\n"), ["by hand"]);
    }

    #[test]
    fn steps_are_counted_and_checked() {
        let steps = change_steps(PLACEHOLDERS[2].1, &[Step::Add("one"), Step::Add("two")], EARLY).unwrap();
        let steps = change_steps(&steps, &[Step::Check("1")], LATE).unwrap();
        assert_eq!(steps, "# Active Work\n\n**Updated**: 2026-01-19T23:00:00Z\n\n- [x] one\n- [ ] two\n");
        assert_eq!(progress(&steps).unwrap(), "1/2 subtasks");
        assert_eq!(change_steps(&steps, &[Step::Check("nothing")], LATE), None);
        let said = change_steps(&steps, &[Step::Set("60%")], LATE).unwrap();
        assert_eq!(progress(&said).unwrap(), "60%");
        let once = [Step::Add("three"), Step::Check("THREE"), Step::Set("90%"), Step::Check("2")];
        let all = change_steps(&steps, &once, LATE).unwrap();
        assert!(all.ends_with("- [x] one\n- [x] two\n- [x] three\n"), "{all}");
        assert_eq!(progress(&all).unwrap(), "90%");
    }
}
