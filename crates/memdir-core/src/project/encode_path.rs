//! From a path to the name of a directory below `projects/`.

use std::fmt;
use std::str::FromStr;

/// The name that the client gives to the directory of a project today.
///
/// Every UTF-16 unit outside `[A-Za-z0-9]` becomes a dash; a name over 200 units is cut there and told apart by
/// a hash of the whole path. Different paths can have one name: that is the collision which the registry names.
#[must_use]
pub fn encode(path: &str) -> String {
    let mut name = encode_alphabet(path);
    if name.len() > CUT {
        name.truncate(CUT);
        name.push('-');
        name.push_str(&base36(hash(path)));
    }
    name
}

/// The name under one of the known schemes; looking for lost memory tries them all.
#[must_use]
pub fn encode_with(scheme: Scheme, path: &str) -> String {
    match scheme {
        Scheme::Current => encode(path),
        Scheme::Cwd => encode_alphabet(path),
        Scheme::Observed89 => encode_observed(path),
    }
}

/// The ways in which versions of the client have named a project's directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// Today's client: see [`encode`]. The memory of a repository is keyed by its root.
    Current,
    /// The same alphabet without a cut, keyed by the directory in which the client was started.
    Cwd,
    /// Only `/` and `.` become dashes, cut at 89 units; keyed by the directory.
    Observed89,
}

impl Scheme {
    /// Every scheme, the current one first.
    pub const ALL: [Self; 3] = [Self::Current, Self::Cwd, Self::Observed89];

    /// The name that people use for it on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Cwd => "cwd",
            Self::Observed89 => "observed-89",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Scheme {
    type Err = UnknownScheme;

    fn from_str(text: &str) -> Result<Self, UnknownScheme> {
        Self::ALL
            .into_iter()
            .find(|scheme| scheme.name() == text)
            .ok_or_else(|| UnknownScheme { text: text.to_owned() })
    }
}

/// A scheme that is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown scheme `{text}`: expected `current`, `cwd` or `observed-89`")]
pub struct UnknownScheme {
    /// What was given.
    pub text: String,
}

/// How many units of a name the client keeps before it cuts.
const CUT: usize = 200;

/// Where the names of the oldest observed scheme end.
const OBSERVED_CUT: usize = 89;

fn encode_alphabet(path: &str) -> String {
    path.encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
            _ => '-',
        })
        .collect()
}

fn encode_observed(path: &str) -> String {
    let mut units = 0;
    path.chars()
        .map(|character| if matches!(character, '/' | '.') { '-' } else { character })
        .take_while(|character| {
            units += character.len_utf16();
            units <= OBSERVED_CUT
        })
        .collect()
}

/// The client's hash: 31 times the last value plus the next unit, in wrapping 32-bit arithmetic, without its sign.
fn hash(path: &str) -> u32 {
    path.encode_utf16()
        .fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
        .unsigned_abs()
}

fn base36(mut value: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(value % 36, 36));
        value /= 36;
        if value == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Golden {
        cases: Vec<Case>,
    }

    #[derive(Deserialize)]
    struct Case {
        id: String,
        path: String,
        encoded: String,
    }

    #[test]
    fn every_observed_pair_agrees() {
        let golden: Golden = serde_json::from_str(include_str!("testdata/path_encoding.json")).unwrap();
        assert!(golden.cases.len() > 40);
        for case in golden.cases {
            assert_eq!(encode(&case.path), case.encoded, "case {}", case.id);
        }
    }

    #[test]
    fn the_older_schemes_differ_where_they_did() {
        let long = format!("/{}", "b".repeat(300));
        let check =
            |scheme, path: &str, expected: &str| assert_eq!(encode_with(scheme, path), expected, "{path}");
        check(Scheme::Cwd, "/a_b/c.d é", "-a-b-c-d--");
        check(Scheme::Cwd, &long, &format!("-{}", "b".repeat(300)));
        check(Scheme::Observed89, "/a_b/.c d/é", "-a_b--c d-é");
        check(Scheme::Observed89, &long, &format!("-{}", "b".repeat(88)));
        // A character of two units that does not fit whole is left out.
        check(Scheme::Observed89, &format!("{}😀", "b".repeat(88)), &"b".repeat(88));
        check(Scheme::Current, "/", "-");
        check(Scheme::Current, "", "");
    }

    #[test]
    fn the_hash_keeps_its_digits_at_both_ends_of_its_range() {
        assert_eq!(base36(0), "0");
        assert_eq!(base36(i32::MIN.unsigned_abs()), "zik0zk");
    }

    #[test]
    fn schemes_are_named_on_the_command_line() {
        for scheme in Scheme::ALL {
            assert_eq!(scheme.to_string().parse(), Ok(scheme));
        }
        insta::assert_snapshot!("old".parse::<Scheme>().unwrap_err(), @"unknown scheme `old`: expected `current`, `cwd` or `observed-89`");
    }

    proptest! {
        #[test]
        fn a_name_is_one_short_safe_component(path in "/.{0,300}") {
            let name = encode(&path);
            prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
            prop_assert!((1..=207).contains(&name.len()));
            let units = path.encode_utf16().count();
            prop_assert!((units <= 200 && name.len() == units) || (units > 200 && name.len() > 201));
            prop_assert!(name.starts_with(&encode_with(Scheme::Cwd, &path)[..units.min(200)]));
        }

        #[test]
        fn a_name_is_its_own_name(path in "/[a-z_./é-]{0,199}") {
            prop_assert_eq!(encode(&encode(&path)), encode(&path));
        }

        #[test]
        fn an_observed_name_has_no_separator_and_ends_at_its_cut(path in "/.{0,300}") {
            let name = encode_with(Scheme::Observed89, &path);
            prop_assert!(!name.contains(['/', '.']));
            prop_assert!(name.encode_utf16().count() <= 89);
        }
    }
}
