use super::token::opaque;

/// The sentences of a paragraph, with the marks that end them.
pub(super) fn sentences(paragraph: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let (mut start, mut at) = (0, 0);
    loop {
        // Most characters neither end a sentence nor open a quotation.
        let bytes = paragraph.as_bytes().get(at..).unwrap_or_default();
        at += bytes.iter().position(|byte| may_matter(*byte)).unwrap_or(bytes.len());
        let Some(rest) = paragraph.get(at..).filter(|rest| !rest.is_empty()) else { break };
        let Some(first) = rest.chars().next() else { break };
        let before = paragraph.get(start..at).unwrap_or_default();
        let quoted = opaque(rest, before)
            .filter(|length| !rest.get(..*length).is_some_and(|text| text.contains('\n')));
        if let Some(length) = quoted {
            at += length;
            continue;
        }
        at += first.len_utf8();
        if ends_here(first, before, paragraph.get(at..).unwrap_or_default()) {
            // What closes with the sentence belongs to it.
            let tail = paragraph.get(at..).unwrap_or_default();
            at +=
                tail.len() - tail.trim_start_matches(['.', '!', '?', '…', ')', '。', '！', '？', '」']).len();
            push(&mut sentences, paragraph.get(start..at));
            start = at;
        }
    }
    push(&mut sentences, paragraph.get(start..));
    sentences
}

fn may_matter(byte: u8) -> bool {
    !byte.is_ascii() || matches!(byte, b'\n' | b'.' | b'!' | b'?' | b'`' | b'"' | b'\'')
}

fn push<'p>(sentences: &mut Vec<&'p str>, sentence: Option<&'p str>) {
    let sentence = sentence.unwrap_or_default().trim();
    if sentence.chars().any(char::is_alphanumeric) {
        sentences.push(sentence);
    }
}

fn ends_here(mark: char, before: &str, after: &str) -> bool {
    match mark {
        '\n' | '。' | '！' | '？' | '；' => true,
        '!' | '?' => after.chars().next().is_none_or(|next| !next.is_alphanumeric()),
        '.' => {
            let next_is_space = after.chars().next().is_none_or(char::is_whitespace);
            let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
            // `30. April`, `e.g.`, `v1.` and initials go on.
            let is_number =
                !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() < 3;
            let is_short = matches!(
                word.to_lowercase().as_str(),
                "e.g"
                    | "i.e"
                    | "z.b"
                    | "d.h"
                    | "etc"
                    | "vs"
                    | "approx"
                    | "ca"
                    | "bzw"
                    | "nr"
                    | "p.ex"
                    | "mr"
                    | "mrs"
                    | "dr"
            );
            next_is_space && !is_short && (!is_number || after.trim().is_empty())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_they_end() {
        let check = |text: &str, expected: &[&str]| assert_eq!(sentences(text), expected, "{text}");
        check("One. Two! Three? four", &["One.", "Two!", "Three?", "four"]);
        check("See file.ts and v1.2, e.g. here. Done", &["See file.ts and v1.2, e.g. here.", "Done"]);
        check("he said \"No. Never.\" and left. ok", &["he said \"No. Never.\" and left.", "ok"]);
        check("don't. it's 'fine. really' yes", &["don't.", "it's 'fine. really' yes"]);
        check("一。二！三", &["一。", "二！", "三"]);
        check("am 30. April fertig.", &["am 30. April fertig."]);
        check("a\nb", &["a", "b"]);
        check("…", &[]);
    }
}
