//! The names of files, so that two writers never want the same one for different things.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The longest part of a name that comes from a title.
const MOST: usize = 60;

/// A title as part of a file's name: letters and digits, with dashes between.
#[must_use]
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars().flat_map(char::to_lowercase) {
        if slug.chars().count() >= MOST {
            break;
        }
        if character.is_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "untitled".to_owned() } else { slug.to_owned() }
}

/// `YYYY-MM-DD`.
#[must_use]
pub fn date(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).date().to_string()
}

/// `HHMMSS`.
fn clock(time: Timestamp) -> String {
    let time = time.to_zoned(TimeZone::UTC).time();
    format!("{:02}{:02}{:02}", time.hour(), time.minute(), time.second())
}

/// The part of a decision's name that is its own: date and number.
#[must_use]
pub fn decision_stem(time: Timestamp, number: u32) -> String {
    format!("{}_{number:03}", date(time))
}

/// The number that comes after all that a day has used, given the names in the folder.
#[must_use]
pub fn next_number<'n>(names: impl IntoIterator<Item = &'n str>, time: Timestamp) -> u32 {
    let prefix = format!("{}_", date(time));
    let numbers = names.into_iter().filter_map(|name| {
        let rest = name.trim_start_matches('.').strip_prefix(&prefix)?;
        rest.split(['_', '.']).next()?.parse::<u32>().ok()
    });
    numbers.max().map_or(1, |last| last.saturating_add(1))
}

/// `subagent/YYYY-MM-DD_HHMMSS_task.md`, or with `-2` and so on where that one is taken.
#[must_use]
pub fn timed(folder: &str, time: Timestamp, title: &str, attempt: u32) -> String {
    let (date, clock, slug) = (date(time), clock(time), slug(title));
    match attempt {
        0 | 1 => format!("{folder}/{date}_{clock}_{slug}.md"),
        attempt => format!("{folder}/{date}_{clock}_{slug}-{attempt}.md"),
    }
}

/// `analysis/path_to_file.md` for a path or the name of a component.
#[must_use]
pub fn analysis(path: &str, attempt: u32) -> String {
    let path = path.trim().trim_start_matches("./").trim_matches('/');
    let folder_end = path.rfind('/').map_or(0, |at| at + 1);
    let name = path.get(folder_end..).unwrap_or_default();
    let stem = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && extension.len() <= 8 => stem,
        _ => name,
    };
    let joined = format!("{}{stem}", path.get(..folder_end).unwrap_or_default());
    let plain: String = joined
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '.' | '_') { c } else { '_' })
        .take(160)
        .collect();
    let plain = plain.trim_matches(['.', '_', '-']);
    let plain = if plain.is_empty() { "untitled" } else { plain };
    match attempt {
        0 | 1 => format!("analysis/{plain}.md"),
        attempt => format!("analysis/{plain}-{attempt}.md"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_protocol() {
        let time: Timestamp = "2026-01-19T22:30:05Z".parse().unwrap();
        assert_eq!(slug("Use httpOnly cookies!"), "use-httponly-cookies");
        assert_eq!(slug("日本 ../x"), "日本-x");
        assert_eq!(slug("…"), "untitled");
        assert_eq!(decision_stem(time, 7), "2026-01-19_007");
        assert_eq!(
            timed("subagent", time, "Security scan", 1),
            "subagent/2026-01-19_223005_security-scan.md"
        );
        assert_eq!(
            timed("subagent", time, "Security scan", 2),
            "subagent/2026-01-19_223005_security-scan-2.md"
        );
        let check =
            |path: &str, expected: &str| assert_eq!(analysis(path, 1), format!("analysis/{expected}.md"));
        check("src/services/AuthService.ts", "src_services_AuthService");
        check("./src/a b.rs", "src_a_b");
        check("the login flow", "the_login_flow");
        check("../../etc/passwd", "etc_passwd");
        check("/", "untitled");
        check(".env", "env");
    }

    #[test]
    fn a_number_follows_the_highest_of_the_day() {
        let time: Timestamp = "2026-01-19T22:30:05Z".parse().unwrap();
        let names =
            ["2026-01-19_001_a.md", "2026-01-19_009_b.md", ".2026-01-19_010", "2026-01-18_050_c.md", "x"];
        assert_eq!(next_number(names, time), 11);
        assert_eq!(next_number([], time), 1);
        assert_eq!(next_number(["2026-01-19_1000_x.md"], time), 1001);
    }
}
