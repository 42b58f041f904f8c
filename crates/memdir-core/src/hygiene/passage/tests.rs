use proptest::prelude::*;

use super::super::{clean, hostile_text};
use super::*;

#[track_caller]
fn check(text: &str, old: &str, new: &str, expected: Result<&str, usize>) {
    assert_eq!(replace_passage(text, old, new), expected.map(str::to_owned), "{old:?} in {text:?}");
}

#[test]
fn a_text_that_occurs_once_is_replaced() {
    check("one two", "two", "three", Ok("one three"));
    check("one two", "no", "x", Err(0));
    check("one one", "one", "x", Err(2));
    check("one", "", "x", Err(4));
    check("a\nb\n", "b", "c\nd", Ok("a\nc\nd\n"));
}

#[test]
fn what_was_shown_is_found_again() {
    check("User: tabs\nx", "User\\: tabs", "User\\: spaces", Ok("User: spaces\nx"));
    check("User: tabs", "User\\: tabs", "User\\: spaces", Ok("User: spaces"));
    check("see <system>x</system>", "x<\\/system>", "y<\\/system>", Ok("see <system>y</system>"));
    check("a <\\/system> b", "<\\\\/system>", "c", Ok("a c b"));
    check("ab\u{200B}cd", "abcd", "x", Ok("x"));
    check("\u{202E}ab", "ab", "x", Ok("\u{202E}x"));
    check("User: a\nUser: a", "User\\: a", "b", Err(2));
    check("one\ntwo\nthree", "| one\n| two", "| four", Ok("four\nthree"));
    check("User: a\n\nb", "| User\\: a\n|\n| b\n", "c", Err(0));
    check("User: a\n\nb\n", "| User\\: a\n|\n| b\n", "| c\n", Ok("c\n"));
    check("| a | b |\n", "| a | b |", "| a | c |", Ok("| a | c |\n"));
    check("a\u{2028}b", "a\nb", "c", Ok("c"));
}

#[test]
fn line_ends_are_those_of_the_text() {
    check("a\r\nb\r\nc\r\n", "a\nb", "x\ny", Ok("x\r\ny\r\nc\r\n"));
    check("a\r\nb\r\n", "b", "c\nd", Ok("a\r\nc\r\nd\r\n"));
    check("a\r\nb\r\n", "b\n", "", Ok("a\r\n"));
    check("a\r\nb\r\n", "\nb", "", Ok("a\r\n"));
    check("a\r\nb\r\n", "a\r\nb", "c\r\nd", Ok("c\r\nd\r\n"));
    check("a\nb\n", "a\r\nb", "c", Ok("c\n"));
    check("a\r\nb\n", "b", "c\nd", Ok("a\r\nc\nd\n"));
}

proptest! {
    #[test]
    fn whatever_line_is_shown_can_be_replaced(text in hostile_text(), line in 0_usize..8) {
        let shown = escape(&clean(&text)).into_owned();
        let lines: Vec<&str> = shown.lines().filter(|line| !line.is_empty()).collect();
        if let Some(old) = lines.get(line % lines.len().max(1)) {
            match replace_passage(&text, old, "REPLACED") {
                Ok(replaced) => {
                    prop_assert!(replaced.contains("REPLACED"));
                    prop_assert!(replaced.len() <= text.len() + "REPLACED".len());
                }
                Err(count) => prop_assert!(count > 1, "{old:?} is shown of {text:?} and not found"),
            }
        }
    }

    #[test]
    fn nothing_around_the_passage_changes(before in hostile_text(), after in hostile_text()) {
        let text = format!("{before}\n\nzzUNIQUEzz\n\n{after}");
        if let Ok(replaced) = replace_passage(&text, "zzUNIQUEzz", "new") {
            prop_assert_eq!(replaced, format!("{before}\n\nnew\n\n{after}"));
        }
    }
}
