use std::borrow::Cow;

use proptest::prelude::*;

use super::super::hostile_text;
use super::{are_printable, clean};

#[track_caller]
fn check(input: &str, expected: &str) {
    assert_eq!(clean(input), expected, "cleaning {input:?}");
}

#[test]
fn invisible_characters_are_removed() {
    check("tabs.\u{E0073}\u{E0061}\u{E0079}", "tabs.");
    check("API\u{200B}\u{200C}\u{200B} is", "API is");
    check("Post\u{2060}gres\u{FEFF} 16", "Postgres 16");
    check("line1\0line2", "line1line2");
    check("soft\u{AD}hyphen\u{34F}", "softhyphen");
    check("a\u{202E}b\u{2066}c\u{2069}d\u{200F}\u{61C}", "abcd");
    check("note \u{E000}\u{F8FF}\u{F0000}\u{10FFFD}", "note ");
    check("x\u{3164}\u{FFA0}\u{115F}y", "xy");
    check("x\u{2065}\u{FFF0}\u{E0FFF}\u{FDD0}\u{1FFFE}y", "xy");
    check("A\u{FE0F}b\u{200D}c\u{E0100}", "Abc");
    check("\u{7F}\u{80}\u{9C}", "");
}

#[test]
fn eight_bytes_are_judged_as_one_by_one() {
    for byte in 0..=u8::MAX {
        for (place, other) in (0..8).flat_map(|place| [b' ', b'~', b'\n', 0xA0].map(|other| (place, other))) {
            let mut bytes = [other; 8];
            bytes[place] = byte;
            let expected = bytes.iter().all(|byte| (b' '..=b'~').contains(byte));
            assert_eq!(are_printable(bytes), expected, "{bytes:?}");
        }
    }
}

#[test]
fn lines_end_with_a_line_feed() {
    check("a\r\nb\rc\u{2028}d\u{2029}e\u{85}f\u{B}g\u{C}h", "a\nb\nc\nd\ne\nf\ng\nh");
    check("a\r\r\nb\r", "a\n\nb\n");
    check("\ttab\n", "\ttab\n");
}

#[test]
fn terminal_sequences_go_whole_and_text_does_not() {
    check("\u{1B}[2J\u{1B}[Hclean", "clean");
    check("\u{1B}]0;pwn\u{7}title", "title");
    check("\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\", "link");
    check("\u{1B}[8mhidden text\u{1B}[0m", "hidden text");
    check("\u{1B}P+q544e\u{1B}\\", "");
    check("\u{9B}31mred", "red");
    check("\u{1B}(Bplain\u{1B}7\u{1B}=", "plain");
    check("\u{1B}]0;never ends\nnext", "0;never ends\nnext");
    check("\u{1B}[12é", "12é");
    check("\u{1B}", "");
    check("\u{1B}é", "é");
    check("\\x1b[31m stays", "\\x1b[31m stays");
}

#[test]
fn what_scripts_and_emoji_need_stays() {
    for text in [
        "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🧑🏿‍🚀 ❤️ vs ❤ 1️⃣ #️⃣ ©️ ⛓️‍💥 👁️‍🗨️",
        "🇨🇭 🇺🇳 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿",
        "کتاب‌ها را در مسیر docs/fa نگه دارید. می‌خواهم",
        "हिन्दी में क्‍षेत्र लिखें। র‍্যাব ശ്രീ‌മാൻ ක්‍ෂ അവന്‍",
        "葛󠄀城 辻󠄁 ∩︀",
        "Zürich\u{A0}HB «\u{202F}oui\u{202F}» ½ ﬁ",
        "ខ្ញុំ\u{200B}ស្រលាញ់ ภาษา\u{200B}ไทย",
        "Việt Nam e\u{301}\u{323} ཧཱུྂ שָׁלוֹם",
        "bad \u{FFFD} bytes",
        "ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ᠎ᠶᠢᠨ",
    ] {
        assert!(
            matches!(clean(text), Cow::Borrowed(kept) if kept == text),
            "changed {text:?} to {:?}",
            clean(text)
        );
    }
}

#[test]
fn joiners_and_selectors_out_of_place_go() {
    check("کتاب\u{200C}\u{200C}ها", "کتاب\u{200C}ها");
    check("ig\u{200C}nore", "ignore");
    check("👩\u{200D} x", "👩 x");
    check("👩\u{FE0F}\u{FE0F}\u{FE0E}", "👩\u{FE0F}");
    check("😀\u{E0131}\u{E0142}\u{E0153}", "😀");
    check("葛\u{E0100}\u{E0101}", "葛\u{E0100}");
    // A subdivision that no font draws is a black flag with hidden letters.
    check("🏴\u{E0075}\u{E0073}\u{E0074}\u{E0078}\u{E007F}", "🏴");
    check("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}", "🏴");
}

#[test]
fn a_flood_of_marks_ends_at_four() {
    check(&format!("i{}", "\u{301}".repeat(400)), "i\u{301}\u{301}\u{301}\u{301}");
    check(&format!("กx{}y", "\u{E49}".repeat(9)), "กx\u{E49}\u{E49}\u{E49}\u{E49}y");
}

proptest! {
    #[test]
    fn cleaning_twice_changes_nothing_more(text in hostile_text()) {
        let once = clean(&text).into_owned();
        prop_assert_eq!(clean(&once), once.as_str());
    }

    #[test]
    fn nothing_that_controls_is_left(text in hostile_text()) {
        let cleaned = clean(&text);
        let is_left = |c: char| {
            (c.is_control() && c != '\n' && c != '\t')
                || matches!(u32::from(c), 0x202A..=0x202E | 0x2066..=0x2069 | 0xE000..=0xF8FF | 0x2028 | 0x2029)
        };
        prop_assert!(!cleaned.contains(is_left));
    }

    #[test]
    fn printable_ascii_is_not_copied(text in "[ -~\n\t]{0,300}") {
        prop_assert!(matches!(clean(&text), Cow::Borrowed(kept) if kept == text));
    }
}
