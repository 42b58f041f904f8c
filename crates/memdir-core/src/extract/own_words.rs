//! What of a prompt the user said in their own words: not what was pasted, quoted, or woven in by the client.

use std::borrow::Cow;

/// A paragraph or a list item of the user's own words, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Paragraph {
    pub(super) text: String,
    pub(super) is_item: bool,
}

/// No prompt that a person types is longer; what is longer was pasted.
const MOST_BYTES: usize = 24_000;
/// From this length on only the beginning and the end are taken for the user's own words.
const LONG: usize = 1_800;

/// The paragraphs that are the user's own words.
pub(super) fn own_words(prompt: &str) -> Vec<Paragraph> {
    if prompt.len() > MOST_BYTES || is_envelope(prompt.trim_start()) {
        return Vec::new();
    }
    let prompt = without_elements(prompt);
    let prompt = without_letter(&prompt);
    let mut writer = Writer::default();
    let mut fence: Option<&str> = None;
    let mut indented = 0_usize;
    let is_chat = prompt.lines().filter(|line| is_speaker(line.trim())).count() > 1;
    let is_diff =
        prompt.lines().any(|line| ["diff --git ", "@@ ", "+++ "].iter().any(|start| line.starts_with(start)));
    for line in prompt.lines() {
        let trimmed = line.trim();
        if let Some(mark) = fence {
            if trimmed.starts_with(mark) {
                fence = None;
            }
            continue;
        }
        if let Some(mark) = ["```", "~~~", "\"\"\"", "'''"].into_iter().find(|mark| trimmed.starts_with(mark))
        {
            let closes_itself = trimmed.len() > 6 && trimmed.ends_with(mark);
            fence = (!closes_itself).then_some(mark);
            writer.end_paragraph();
            continue;
        }
        if trimmed.is_empty() {
            writer.end_paragraph();
            continue;
        }
        if starts_foreign(trimmed) {
            break;
        }
        indented = if line.starts_with("    ") || line.starts_with('\t') { indented + 1 } else { 0 };
        let is_code = indented > 0 && item_text(trimmed).is_none();
        if is_code
            || is_foreign_line(trimmed)
            || is_chat && is_speaker(trimmed)
            || is_diff && trimmed.starts_with(['-', '+'])
        {
            writer.end_paragraph();
            continue;
        }
        match item_text(trimmed) {
            Some(text) => writer.item(text),
            None => writer.line(trimmed),
        }
    }
    writer.end_paragraph();
    shortened(writer.paragraphs)
}

/// `Ben: …`, as conversations are copied.
fn is_speaker(line: &str) -> bool {
    const LABELS: [&str; 22] = [
        "Note",
        "Why",
        "Context",
        "Task",
        "Goal",
        "Rule",
        "Rules",
        "Example",
        "Edit",
        "Also",
        "Important",
        "Reason",
        "Question",
        "Answer",
        "Background",
        "Hinweis",
        "Nota",
        "Remarque",
        "Kontext",
        "Contexto",
        "Contexte",
        "Motivo",
    ];
    let Some((name, said)) = line.split_once(": ") else { return false };
    let mut letters = name.chars();
    letters.next().is_some_and(char::is_uppercase)
        && (1..=14).contains(&name.len())
        && letters.all(char::is_lowercase)
        && !LABELS.contains(&name)
        && !said.trim().is_empty()
}

/// A long text is mostly a document, whatever introduces it.
fn shortened(mut paragraphs: Vec<Paragraph>) -> Vec<Paragraph> {
    let total: usize = paragraphs.iter().map(|paragraph| paragraph.text.len()).sum();
    if total <= LONG || paragraphs.len() < 4 {
        if total > LONG * 2 {
            paragraphs.clear();
        }
        return paragraphs;
    }
    let last = paragraphs.pop();
    paragraphs.truncate(1);
    paragraphs.extend(last);
    paragraphs
}

#[derive(Default)]
struct Writer {
    paragraphs: Vec<Paragraph>,
    open: bool,
}

impl Writer {
    fn line(&mut self, text: &str) {
        match self.paragraphs.last_mut().filter(|_| self.open) {
            Some(last) => {
                // A new line is a new sentence unless the last one plainly goes on.
                let goes_on = last.text.ends_with(',')
                    || !last.text.ends_with([':', '：'])
                        && text.starts_with(|first: char| first.is_lowercase());
                last.text.push_str(if goes_on { " " } else { "\n" });
                last.text.push_str(text);
            }
            None => self.paragraphs.push(Paragraph { text: text.to_owned(), is_item: false }),
        }
        self.open = true;
    }

    fn item(&mut self, text: &str) {
        self.paragraphs.push(Paragraph { text: text.to_owned(), is_item: true });
        self.open = true;
    }

    fn end_paragraph(&mut self) {
        self.open = false;
    }
}

/// What the client, not the user, wrote: command envelopes, caveats, summaries of what went before.
fn is_envelope(prompt: &str) -> bool {
    const STARTS: [&str; 14] = [
        "<command-",
        "<local-command-",
        "<bash-",
        "<user-memory-input>",
        "<task-notification>",
        "<teammate-message",
        "<system-reminder>\n<",
        "Caveat: ",
        "This session is being continued from a previous conversation",
        "[Request interrupted",
        "API Error",
        "Base directory for this skill:",
        "Stop hook feedback:",
        "Unknown slash command",
    ];
    // A slash command is a command, and what follows it its arguments.
    let is_command = prompt.strip_prefix('/').is_some_and(|rest| {
        let name = rest.split_whitespace().next().unwrap_or_default();
        !name.is_empty() && !name.contains(['/', '.'])
    });
    is_command || STARTS.iter().any(|start| prompt.starts_with(start))
}

/// The text without XML-like elements and what they hold. One that is not closed goes on to the end if it is the
/// client's, and is only a tag otherwise.
fn without_elements(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    // Looking for the end of every tag again and again must not take long.
    let mut searches = 64;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        kept.push_str(before);
        let Some(name) = tag_name(tag) else {
            kept.push('<');
            rest = tag.get(1..).unwrap_or_default();
            continue;
        };
        let closing = format!("</{name}");
        let end = (searches > 0).then(|| tag.find(&closing)).flatten();
        searches -= usize::from(searches > 0);
        rest = match end {
            Some(end) => {
                let behind = tag.get(end + closing.len()..).unwrap_or_default();
                behind.split_once('>').map_or("", |(_, behind)| behind)
            }
            None if name.contains('-') || name.contains('_') => "",
            None => tag.split_once('>').map_or("", |(_, behind)| behind),
        };
        kept.push('\n');
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

fn tag_name(tag: &str) -> Option<&str> {
    let inside = tag.strip_prefix('<')?;
    let end = inside
        .find(|character: char| !character.is_ascii_alphanumeric() && !matches!(character, '-' | '_'))?;
    let name = inside.get(..end)?;
    let follows = inside.get(end..)?;
    let is_tag =
        follows.starts_with('>') || follows.starts_with(' ') && follows.split('\n').next()?.contains('>');
    (name.starts_with(|first: char| first.is_ascii_alphabetic()) && is_tag && !name.contains("//"))
        .then_some(name)
}

/// The text without a letter in it: from a line that only greets to the name below a line that only takes leave.
fn without_letter(text: &str) -> Cow<'_, str> {
    let Some(start) = text.lines().position(|line| is_greeting(line.trim())) else {
        return Cow::Borrowed(text);
    };
    let lines: Vec<&str> = text.lines().collect();
    let ends = lines.iter().enumerate().skip(start + 1).find(|(_, line)| is_leave(line.trim()));
    let Some((end, _)) = ends else { return Cow::Borrowed(text) };
    let mut rest = lines.get(end + 1..).unwrap_or_default();
    // The name, unless it is beside the leave.
    if rest.first().is_some_and(|line| !line.trim().is_empty() && line.split_whitespace().count() <= 3) {
        rest = rest.get(1..).unwrap_or_default();
    }
    let before = lines.get(..start).unwrap_or_default().join("\n");
    Cow::Owned(format!("{before}\n\n{}", rest.join("\n")))
}

fn is_greeting(line: &str) -> bool {
    const WORDS: [&str; 18] = [
        "hi", "hello", "dear", "hey", "hola", "hallo", "liebe", "lieber", "sehr", "bonjour", "salut", "cher",
        "chere", "ola", "oi", "estimado", "caro", "prezados",
    ];
    const EASTERN: [&str; 5] = ["大家好", "各位", "您好", "皆さん", "お疲れ様"];
    let is_short = line.ends_with([',', '，', '、', ':', '!', '：']) && line.split_whitespace().count() <= 4;
    if line.is_ascii() && !is_short {
        return false;
    }
    let folded = super::token::fold(line);
    let first = folded.split(|character: char| !character.is_alphabetic()).next().unwrap_or_default();
    let is_western = WORDS.contains(&first) && is_short && !folded.contains("claude");
    is_western || line.chars().count() <= 12 && EASTERN.iter().any(|greeting| line.starts_with(greeting))
}

fn is_leave(line: &str) -> bool {
    const WORDS: [&str; 20] = [
        "thanks",
        "thank",
        "best",
        "regards",
        "cheers",
        "kind",
        "sincerely",
        "saludos",
        "gracias",
        "un saludo",
        "viele",
        "grusse",
        "gruss",
        "danke",
        "cordialement",
        "merci",
        "bien",
        "abracos",
        "obrigado",
        "att",
    ];
    let folded = super::token::fold(line);
    let first = folded.split(|character: char| !character.is_alphabetic()).next().unwrap_or_default();
    line.split_whitespace().count() <= 4 && WORDS.contains(&first)
        || line.chars().count() <= 12 && line.contains("よろしく")
}

/// A line from which on nothing is the user's: the head of a mail, of a forwarded one, of a document.
fn starts_foreign(line: &str) -> bool {
    const MAIL: [&str; 26] = [
        "from:",
        "subject:",
        "to:",
        "cc:",
        "sent:",
        "date:",
        "von:",
        "betreff:",
        "gesendet:",
        "an:",
        "de:",
        "asunto:",
        "para:",
        "enviado:",
        "objet:",
        "envoye:",
        "a:",
        "assunto:",
        "发件人",
        "收件人",
        "主题",
        "差出人",
        "件名",
        "宛先",
        "reply-to:",
        "message-id:",
    ];
    // A heading: people do not type one into a conversation, documents begin with one.
    if line.starts_with('#') && line.trim_start_matches('#').starts_with(' ') {
        return true;
    }
    // Every other head has a colon, a rule, or speaks of a message; most lines have none of that.
    let may_be_head = !line.is_ascii() || line.contains(':') || line.starts_with(['-', '=', '[']);
    if !may_be_head && !holds_ignoring_case(line.as_bytes(), b"message") {
        return false;
    }
    let lower = super::token::fold(line);
    if MAIL
        .iter()
        .any(|head| lower.starts_with(head) && (line.contains(['@', '<']) || SUBJECT.contains(head)))
    {
        return true;
    }
    let wrote = [
        "wrote:",
        "schrieb:",
        "a ecrit :",
        "a ecrit:",
        "escribio:",
        "escreveu:",
        "写道：",
        "写道:",
        "書きました:",
    ];
    if wrote.iter().any(|end| lower.ends_with(end)) || lower.contains(" schrieb ") && lower.ends_with(':') {
        return true;
    }
    if lower.starts_with("-----") || lower.starts_with("=====") || lower.contains("original message") {
        return true;
    }
    lower.contains("forwarded message") || lower.starts_with("[pasted text") || lower.starts_with("---")
}

fn holds_ignoring_case(text: &[u8], wanted: &[u8]) -> bool {
    let Some(first) = wanted.first() else { return true };
    memchr::memchr2_iter(*first, first.to_ascii_uppercase(), text)
        .any(|at| text.get(at..at + wanted.len()).is_some_and(|part| part.eq_ignore_ascii_case(wanted)))
}

const SUBJECT: [&str; 9] =
    ["subject:", "betreff:", "asunto:", "objet:", "assunto:", "主题", "件名", "发件人", "差出人"];

/// A line that is not a sentence of the user's: a quotation, a log line, a diff, a table, a prompt of a shell.
fn is_foreign_line(line: &str) -> bool {
    const STARTS: [&str; 22] = [
        ">",
        "|",
        "+++",
        "@@",
        "$ ",
        "% ",
        "PS ",
        "at ",
        "File \"",
        "Traceback",
        "Caused by",
        "error:",
        "Error:",
        "warning:",
        "Warning:",
        "error[",
        "fatal:",
        "ERROR",
        "WARN",
        "INFO",
        "DEBUG",
        "npm ERR!",
    ];
    if STARTS.iter().any(|start| line.starts_with(start)) {
        return true;
    }
    let first = line.split_whitespace().next().unwrap_or_default();
    let looks_like_time = first.len() >= 8
        && first.trim_start_matches('[').starts_with(|character: char| character.is_ascii_digit())
        && first.bytes().filter(|byte| matches!(byte, b'-' | b':' | b'/')).count() >= 2;
    if looks_like_time {
        return true;
    }
    // `14:02 alice: …`, as chats are copied.
    let is_clock = first.len() >= 4
        && first.contains(':')
        && first.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    if is_clock && line.split_whitespace().skip(1).take(2).any(|word| word.ends_with(':')) {
        return true;
    }
    let diff = (line.starts_with("+ ") || line.starts_with("+\t")) && line.len() > 2;
    let is_sign = |byte: &u8| {
        matches!(
            byte,
            b'{' | b'}'
                | b'['
                | b']'
                | b'('
                | b')'
                | b';'
                | b'='
                | b'<'
                | b'>'
                | b'|'
                | b'\\'
                | b'&'
                | b'$'
                | b'#'
                | b'_'
                | b'"'
        )
    };
    let signs = line.bytes().filter(is_sign).count();
    // A dense line is code; prose has few of these signs.
    diff || signs >= 4 && signs * 7 > line.chars().count() || is_json(line)
}

fn is_json(line: &str) -> bool {
    line.starts_with('{') && line.ends_with(['}', ',', '{']) || line.starts_with('"') && line.contains("\": ")
}

/// The text of a list item.
fn item_text(line: &str) -> Option<&str> {
    if let Some(text) = ["- ", "* ", "• ", "– ", "・"].into_iter().find_map(|mark| line.strip_prefix(mark))
    {
        return Some(text.trim_start());
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).filter(|_| (1..=2).contains(&digits))?;
    let rest = rest.strip_prefix(['.', ')', '、'])?;
    rest.strip_prefix(' ').map(str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(prompt: &str, expected: &[&str]) {
        let texts: Vec<String> = own_words(prompt).into_iter().map(|paragraph| paragraph.text).collect();
        assert_eq!(texts, expected, "{prompt}");
    }

    #[test]
    fn only_the_users_own_words_are_left() {
        check("Use tabs.\n\n> always spaces\n\nThanks", &["Use tabs.", "Thanks"]);
        check("look:\n```\nalways tabs\n```\ndone", &["look:", "done"]);
        check("a\n```\nnever closed", &["a"]);
        check("<system-reminder>always x</system-reminder>hello <b>never</b> you", &["hello you"]);
        check("<ide_opened_file>never closed\nalways x", &[]);
        check("<command-name>/x</command-name>", &[]);
        check("/review always", &[]);
        check("/etc/hosts is wrong", &["/etc/hosts is wrong"]);
        check("hm\nFrom: a@b.example\nalways x", &["hm"]);
        check("On Tue, Dana wrote:\nnever x", &[]);
        check("2026-03-01 12:00:01 WARN never\nwhy?", &["why?"]);
        check("Hi all,\nnever x.\nThanks,\nDana\n\nwhat now?", &["what now?"]);
        check("Hi,\nuse tabs\nalways", &["Hi, use tabs always"]);
        check("rules:\n- one\n- two", &["rules:", "one", "two"]);
        check("a < b and c > d", &["a < b and c > d"]);
        check("first, \nsecond\nThird", &["first, second\nThird"]);
    }
}
