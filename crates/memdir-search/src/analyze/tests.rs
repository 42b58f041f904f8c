use proptest::prelude::*;

use super::*;

fn terms(text: &str) -> String {
    let mut found = Vec::new();
    Analyzer::new().each_term(text, |term, text, sort| {
        assert_eq!(term, Term::of(text));
        found.push(match sort {
            Sort::Word => text.to_owned(),
            Sort::Weak => format!("~{text}"),
            Sort::Whole => format!("({text})"),
        });
    });
    found.join(" ")
}

fn check(text: &str, expected: &str) {
    assert_eq!(terms(text), expected, "{text}");
}

#[test]
fn plain_english() {
    check("The users' settings were deleted, running twice.", "user set delet run twice");
    check("Caroline's dogs don't bark; they’re asleep", "carolin dog bark asleep");
    check("What did she buy? She bought it when the children had left.", "buy buy child leav");
    check("  … — !?", "");
    check("a I to be or not to be", "~not");
}

#[test]
fn accents_and_scripts() {
    check("Café Zürich naïve Straße", "cafe zurich naiv strass");
    check("ΣΊΣΥΦΟΣ Ёлка", "σισυφοσ елка");
    check("日本語のテスト", "日本 本語 語の のテ テス スト");
    check("鍵 key鍵 ﾃｽﾄ", "鍵 key 鍵 テス スト");
    check("メモリdir", "メモ モリ directori");
    check("שלום עולם مرحبا", "שלום עולם مرحبا");
    check("e\u{301}te\u{301}", "ete");
}

#[test]
fn identifiers_paths_and_hashes() {
    check("parse_json_file", "pars json file (parse_json_file)");
    check(
        "HTTPServerError getUserID2Name",
        "http server error (httpservererror) ~get user id2 name (getuserid2name)",
    );
    check("src/main.rs:12", "sourc main rs (main.rs) 12");
    check("--no-scan v1.2.3", "~no scan (no-scan) v1 2 3 (v1.2.3)");
    check("error[E0502] ENOENT 0x1F", "error e0502 enoent 0x1f");
    check("commit 095b301aa1 deadbeef cafe123", "commit 095b301aa1 (#095b301) deadbeef cafe123 (#cafe123)");
    check("__init__ x.y.", "initi (x.y)");
    check("foo::bar a@b.com", "foo bar com (b.com)");
}

#[test]
fn an_overlong_word_is_not_a_word() {
    check(&format!("a{} word", "x".repeat(64)), "word");
}

proptest! {
    #[test]
    fn any_text_gives_terms(text in "\\PC{0,200}") {
        terms(&text);
    }

    #[test]
    fn words_lie_in_the_text_in_order(text in "[a-zA-Z0-9_.\\-'é日 \u{301}]{0,60}") {
        let mut rest = text.as_str();
        for word in words(&text) {
            prop_assert!(!word.text().is_empty());
            let at = rest.find(word.text()).unwrap();
            rest = &rest[at + word.text().len()..];
        }
    }
}
