/// Whether a pinned name of a project's directory counts: plain, short, and no device of Windows.
pub(super) fn is_valid(name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    plain && (1..=64).contains(&name.len()) && !is_device(&name.to_ascii_lowercase())
}

fn is_device(name: &str) -> bool {
    let port = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
    let numbered = port.is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit()));
    numbered || ["con", "prn", "aux", "nul"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_a_plain_short_name() {
        for name in ["a", "pin_1", "-", "conin", "com10", "COM", &"a".repeat(64)] {
            assert!(is_valid(name), "{name}");
        }
        for name in
            ["", " a ", "a.b", "a/b", "é", "..", "con", "NUL", "CoM1", "com0", "lpt9", &"a".repeat(65)]
        {
            assert!(!is_valid(name), "{name}");
        }
    }
}
