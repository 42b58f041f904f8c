use proptest::prelude::*;

use super::*;
use crate::transcript::Role;

fn parse(text: &str) -> Query {
    Query::parse(text, jiff::civil::date(2026, 11, 15), &mut Analyzer::new())
}

#[test]
fn times_that_people_name() {
    let check = |text: &str, from: &str, to: &str| {
        let number = |text: &str| day_number(text.parse().unwrap());
        let times = parse(text).times;
        let expected = Days { from: number(from), to: number(to) };
        assert_eq!(times.last(), Some(&expected), "{text}");
    };
    check("what did we do yesterday", "2026-11-14", "2026-11-14");
    check("decisions of last week", "2026-11-02", "2026-11-08");
    check("this week", "2026-11-09", "2026-11-15");
    check("last weekend", "2026-11-07", "2026-11-08");
    check("last month", "2026-10-01", "2026-10-31");
    check("last year", "2025-01-01", "2025-12-31");
    check("last 3 days", "2026-11-12", "2026-11-15");
    check("two weeks ago", "2026-10-29", "2026-11-04");
    check("3 days ago", "2026-11-12", "2026-11-12");
    check("a month ago", "2026-10-05", "2026-10-25");
    check("in May", "2026-05-01", "2026-05-31");
    check("what changed in may", "2026-05-01", "2026-05-31");
    check("May 2025", "2025-05-01", "2025-05-31");
    check("8 May 2023", "2023-05-08", "2023-05-08");
    check("on the 8th of May, 2023", "2023-05-08", "2023-05-08");
    check("May 8th, 2023 notes", "2023-05-08", "2023-05-08");
    check("on Friday", "2026-11-13", "2026-11-13");
    check("last Monday", "2026-11-09", "2026-11-09");
    check("2026-10", "2026-10-01", "2026-10-31");
    check("at 2026-10-05T12", "2026-10-05", "2026-10-05");
    check("in 2024", "2024-01-01", "2024-12-31");
    check("last december", "2025-12-01", "2025-12-31");
}

#[test]
fn words_that_are_not_times() {
    for text in
        ["may I ask", "the march of time", "we might", "port 8080", "last resort", "friday deploys", "1.2.3"]
    {
        assert_eq!(parse(text).times, [], "{text}");
    }
    assert_eq!(day_in("logs/2026/11/2026-11-15.md"), Some(day_number(jiff::civil::date(2026, 11, 15))));
    assert_eq!(day_in("a/20261115ab.md"), None);
}

#[test]
fn filters_phrases_and_exclusions() {
    let query = parse(
        "type:feedback project:\"my app\" since:2026-10 in:sessions \"exact phrase\" -not deploy foo::bar std:io",
    );
    assert_eq!(query.filters.types, ["feedback"]);
    assert_eq!(query.filters.projects, ["my app"]);
    assert_eq!(query.filters.scopes, [Scope::Sessions]);
    assert_eq!(query.filters.since, Some(day_number(jiff::civil::date(2026, 10, 1))));
    assert_eq!(query.phrases, ["exact phrase"]);
    assert_eq!(query.excluded, [Term::of("not")]);
    let words: Vec<&str> =
        query.terms.iter().filter(|term| term.is_word).map(|term| term.text.as_str()).collect();
    assert_eq!(words, ["exact", "phrase", "deploy", "foo", "bar", "std", "io"]);
    let query = parse("before:yesterday until:7d on:2026-11-02 role:user in:limbo \"open");
    assert_eq!((query.filters.since, query.filters.role), (Some(20_759), Some(Role::User)));
    assert_eq!(query.phrases, Vec::<String>::new());
    assert!(query.terms.iter().any(|term| term.text == "limbo"));
    assert_eq!(parse("--no-scan -x").excluded, []);
}

#[test]
fn words_that_may_be_written_as_one() {
    let query = parse("file name");
    let all: Vec<_> = query.terms.iter().map(|term| (term.text.as_str(), term.weight)).collect();
    assert_eq!(all, [("file", 1.0), ("name", 1.0), ("filenam", 0.5)]);
}

#[test]
fn bad_questions() {
    for text in ["", "   ", "the of and", "\"", "\"\"", "-", "--", ":", "?!…", "\0\0", "\u{202e}\u{200f}"] {
        assert_eq!(parse(text).terms, [], "{text:?}");
    }
    assert!(parse("the of and").empty_words);
    let check =
        |text: &str, expected: Option<NothingAsked>| assert_eq!(parse(text).nothing_asked(), expected);
    check("the of and", Some(NothingAsked::CommonWords));
    check("-tabs", Some(NothingAsked::OnlyExcluded));
    check("?!.,;", Some(NothingAsked::NoWords));
    check("\u{1f980}", Some(NothingAsked::NoWords));
    check("tabs", None);
    assert_eq!(parse("since:banana tabs").not_understood(), [("since".to_owned(), "banana".to_owned())]);
    assert!(parse("since:2026-10 in:all type:bogus tabs").not_understood().is_empty());
    let long = "word and other ".repeat(10_000);
    assert!(parse(&long).terms.len() < 10);
    let many = (0..50_000).map(|number| format!("w{number} ")).collect::<String>();
    assert!(parse(&many).terms.len() <= MAX_TERMS);
}

proptest! {
    #[test]
    fn any_question_is_understood(text in "[\\PC\"\\-: a-z0-9]{0,80}") {
        parse(&text);
    }

    #[test]
    fn any_time_is_understood(words in proptest::collection::vec("last|this|ago|9999|0|31|feb|may|week|years|2026-99|on|friday|[0-9]{1,19}d?", 0..8)) {
        let text = words.join(" ");
        parse(&text);
        parse(&format!("since:{}", text.replace(' ', "-")));
    }
}
