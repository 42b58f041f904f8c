//! The steps that a database's tables came about in. They are never edited, only added: somewhere each of them has run.

/// Every step, in order.
pub const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_begin.sql"),
    include_str!("../migrations/0002_makers_and_old_bytes.sql"),
    include_str!("../migrations/0003_lines_and_authors.sql"),
    include_str!("../migrations/0004_what_is_forgotten.sql"),
    include_str!("../migrations/0005_who_put_files.sql"),
];

/// Where an engine remembers which steps it took.
pub(super) const BOOKKEEPING: &str =
    "CREATE TABLE IF NOT EXISTS migrations (number BIGINT PRIMARY KEY, fingerprint TEXT NOT NULL)";

/// What a step is known by.
pub(super) fn fingerprint(migration: &str) -> String {
    blake3::hash(migration.as_bytes()).to_hex().to_string()
}

/// The statements of a step in an engine's own words.
pub(super) fn statements(migration: &str, bytes: &str, ordered_text: &str) -> String {
    let code = migration.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
    code.replace("BYTES", bytes).replace("ORDERED", ordered_text)
}

/// What is still to be done, given the fingerprints of what was, in order.
///
/// # Errors
/// The database took other steps than this server knows: it is newer, or not a database of ours.
pub(super) fn missing(done: &[String]) -> Result<&'static [&'static str], String> {
    let known = MIGRATIONS.iter().zip(done).all(|(migration, done)| fingerprint(migration) == *done);
    if !known || done.len() > MIGRATIONS.len() {
        return Err(format!(
            "it was made by another version of memdir-server ({} steps; this one knows {})",
            done.len(),
            MIGRATIONS.len()
        ));
    }
    Ok(MIGRATIONS.get(done.len()..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_was_edited() {
        let fingerprints: Vec<String> =
            MIGRATIONS.iter().map(|step| fingerprint(step)[..16].to_owned()).collect();
        assert_eq!(
            fingerprints,
            [
                "207da91a1f3e2f87",
                "0f5de1e4015d74d7",
                "e99fb0fc3ef3949a",
                "932e3110ef978897",
                "56cd3ed641d1c01b"
            ],
            "a step that was published is never changed; add another"
        );
    }

    #[test]
    fn a_database_of_another_version_is_refused() {
        let done: Vec<String> = MIGRATIONS.iter().map(|step| fingerprint(step)).collect();
        assert_eq!(missing(&done), Ok([].as_slice()));
        assert_eq!(missing(&[]), Ok(MIGRATIONS));
        assert!(missing(&["x".to_owned()]).is_err());
        assert!(missing(&[done, vec!["y".to_owned()]].concat()).is_err());
    }
}
