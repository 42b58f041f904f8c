//! Names of tags with which clients and models mark who speaks.

/// Parts of such names; a tag whose name holds one could pass for structure.
const PARTS: [&str; 24] = [
    "system",
    "remind",
    "human",
    "assistant",
    "user",
    "memor",
    "tool",
    "function",
    "invoke",
    "instruct",
    "prompt",
    "antml",
    "result",
    "im_start",
    "im_end",
    "inst",
    "turn",
    "think",
    "context",
    "command",
    "hook",
    "admin",
    "develop",
    "sys",
];
/// Whole names that are structure even where a type parameter could be.
const WHOLE: [&str; 12] = [
    "system",
    "human",
    "assistant",
    "user",
    "memory",
    "memories",
    "invoke",
    "instructions",
    "prompt",
    "thinking",
    "command",
    "developer",
];
const LONGEST: usize = 40;

/// Whether the tag name at the start of `rest` could pass for structure.
pub(crate) fn is_structure_name(rest: &str) -> bool {
    let name = name(rest);
    PARTS.iter().any(|part| name.contains(part))
}

/// The same where the name follows an identifier, as in `Vec<T>`: types such as `SystemTime` do not count.
pub(crate) fn is_structure_after_identifier(rest: &str) -> bool {
    let name = name(rest);
    let is_type = rest.starts_with(char::is_uppercase);
    WHOLE.contains(&name.as_str())
        || (!is_type && WHOLE.iter().any(|whole| name.starts_with(whole)))
        || (name.contains(['-', '_']) && PARTS.iter().any(|part| name.contains(part)))
        || ["antml", "remind", "prompt", "instruct"].iter().any(|part| name.contains(part))
}

/// The name in lower case, with every kind of dash and compatible letter made plain.
fn name(rest: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    rest.chars()
        .take(LONGEST)
        .take_while(|&c| {
            c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '\u{2010}'..='\u{2015}' | '\u{2212}')
        })
        .map(|c| if matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}') { '-' } else { c })
        .nfkc()
        .flat_map(char::to_lowercase)
        .collect()
}
