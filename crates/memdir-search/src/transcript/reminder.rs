use std::borrow::Cow;

use memchr::memmem;

/// The elements that the client itself puts around a prompt; a person did not say what is inside.
const ELEMENTS: [&str; 4] =
    ["system-reminder", "local-command-stdout", "local-command-stderr", "local-command-caveat"];

/// The text without what the client wove into it. An element that is not closed goes on to the end.
#[must_use]
pub fn without_reminders(text: &str) -> Cow<'_, str> {
    if memmem::find(text.as_bytes(), b"<system-reminder>").is_none()
        && memmem::find(text.as_bytes(), b"<local-command-").is_none()
    {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        kept.push_str(before);
        let inside = tag.get(1..).unwrap_or_default();
        let element =
            ELEMENTS.iter().find_map(|name| inside.strip_prefix(name)?.strip_prefix('>').map(|_| name));
        rest = match element {
            None => {
                kept.push('<');
                inside
            }
            Some(name) => match inside.find(&format!("</{name}>")) {
                Some(end) => inside.get(end + name.len() + 3..).unwrap_or_default(),
                None => "",
            },
        };
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}
