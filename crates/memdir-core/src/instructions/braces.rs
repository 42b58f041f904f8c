//! Brace expansion, bounded.

/// How many patterns the braces of one rule may mean.
pub(super) const MAX_PATTERNS: usize = 20_000;
/// How many bytes those may have together.
pub(super) const MAX_BYTES: usize = 4 * 1024 * 1024;

/// What is left of the limits for one rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    patterns: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { patterns: MAX_PATTERNS, bytes: MAX_BYTES }
    }
}

/// Expands the braces of a pattern; one that would exceed the budget stays as it is written, and says so.
///
/// `split` finds the first group: what is before it, its alternatives, what follows.
pub(super) fn expand(
    pattern: &str,
    budget: &mut Budget,
    split: impl Fn(&str) -> Option<(usize, Vec<&str>, usize)>,
) -> Result<Vec<String>, TooMany> {
    let mut left = *budget;
    let mut done = Vec::new();
    let mut pending = vec![pattern.to_owned()];
    while let Some(next) = pending.pop() {
        let Some((before, alternatives, after)) = split(&next) else {
            done.push(next);
            continue;
        };
        let (head, tail) = (next.get(..before).unwrap_or_default(), next.get(after..).unwrap_or_default());
        left.patterns = left.patterns.checked_sub(alternatives.len()).ok_or(TooMany)?;
        for alternative in alternatives.iter().rev() {
            let expanded = format!("{head}{alternative}{tail}");
            left.bytes = left.bytes.checked_sub(expanded.len()).ok_or(TooMany)?;
            pending.push(expanded);
        }
        // The group itself was counted when it was made.
        left.patterns += usize::from(next.as_str() != pattern);
    }
    *budget = left;
    Ok(done)
}

/// The braces mean more than we are willing to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMany;

/// The first group up to the first closing brace: the client reads the braces of rules in this simple way, so
/// groups inside groups come out broken there, and here.
pub(super) fn simple_group(pattern: &str) -> Option<(usize, Vec<&str>, usize)> {
    let open = pattern.find('{')?;
    let inner = pattern.get(open + 1..)?;
    let length = inner.find('}').filter(|length| *length > 0)?;
    let alternatives = inner.get(..length)?.split(',').map(str::trim).collect();
    Some((open, alternatives, open + length + 2))
}

/// The first group with a comma on its own level; groups may hold groups.
pub(super) fn nested_group(pattern: &str) -> Option<(usize, Vec<&str>, usize)> {
    let mut open_groups: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut outermost: Option<(usize, Vec<usize>, usize)> = None;
    let mut escaped = false;
    for (offset, byte) in pattern.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => open_groups.push((offset, Vec::new())),
            b',' => {
                if let Some((_, commas)) = open_groups.last_mut() {
                    commas.push(offset);
                }
            }
            b'}' => {
                if let Some((open, commas)) = open_groups.pop()
                    && !commas.is_empty()
                {
                    outermost = Some((open, commas, offset));
                    if open_groups.is_empty() {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    let (open, commas, close) = outermost?;
    let mut alternatives = Vec::with_capacity(commas.len() + 1);
    let mut start = open + 1;
    for end in commas.into_iter().chain([close]) {
        alternatives.push(pattern.get(start..end)?);
        start = end + 1;
    }
    Some((open, alternatives, close + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_expand_in_order() {
        let check = |pattern: &str, simple: &[&str], nested: &[&str]| {
            assert_eq!(expand(pattern, &mut Budget::default(), simple_group).unwrap(), simple, "{pattern}");
            assert_eq!(expand(pattern, &mut Budget::default(), nested_group).unwrap(), nested, "{pattern}");
        };
        check("a", &["a"], &["a"]);
        check("{a,b}.{c,d}", &["a.c", "a.d", "b.c", "b.d"], &["a.c", "a.d", "b.c", "b.d"]);
        check("{a}", &["a"], &["{a}"]);
        check("{a", &["{a"], &["{a"]);
        check("{}{a,b}", &["{}{a,b}"], &["{}a", "{}b"]);
        check("{ a , b }", &["a", "b"], &[" a ", " b "]);
        check("{,a}", &["", "a"], &["", "a"]);
        check("{a,{b,c}}.ts", &["a}.ts", "b.ts", "c}.ts"], &["a.ts", "b.ts", "c.ts"]);
    }

    #[test]
    fn too_many_stay_as_written() {
        let list = |count: usize| format!("{{{}}}", vec!["x"; count].join(","));
        for (pattern, fits) in [
            (list(20_000), true),
            (list(20_001), false),
            ("{a,b}".repeat(13), true),
            ("{a,b}".repeat(15), false),
            ("{a,b}".repeat(1000), false),
            (format!("{}{}", list(900), "y".repeat(5000)), false),
            ("{".repeat(100_000), true),
            ("{a,".repeat(2000), true),
        ] {
            for split in [simple_group, nested_group] {
                let expanded = expand(&pattern, &mut Budget::default(), split);
                assert_eq!(expanded.is_ok(), fits, "{}", &pattern[..20]);
            }
        }
    }
}
