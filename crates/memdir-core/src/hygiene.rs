//! Memory is data: what we put before a model is bounded, clean, quoted and attributed.
//!
//! A memory file may have been written by a model that read a hostile page, by a team mate, or by a repository. Its
//! bytes are its owner's and stay; this is about what *we* show of them. [`clean()`] takes out what a person cannot
//! see, [`escape()`] makes markup inert, [`flag()`] says what looks like an attack without deleting it, and [`render()`]
//! does all three and says whose memory it is and how old. [`check_memory`] answers the same for one text alone.

mod check;
mod clean;
mod escape;
mod flag;
mod model_line;
mod passage;
mod reason;
mod render;
mod structure_names;

pub use check::{Action, Checked, MemoryInput, MemoryTooLarge, PROMPT_UNITS, Surface, check_memory};
pub use clean::clean;
pub use escape::{escape, unescape};
pub use flag::flag;
pub use model_line::{model_line, model_remark};
pub use passage::replace_passage;
pub use reason::Reason;
pub use render::{
    Cut, Owner, Provenance, Quoted, caution, cut, quote_line, quote_lines, read_back, render, wrap,
};

/// Text made of what the rules look for, in every order, and of anything else.
#[cfg(test)]
fn hostile_text() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let fragments = prop::sample::select(vec![
        "<",
        "\\",
        "/",
        "|",
        ">",
        "[",
        "]",
        "INST",
        "system",
        "[system]",
        "System",
        "【",
        "】",
        "‹",
        "1. ",
        "\u{a0}",
        "Система",
        "message",
        "∶",
        "-",
        "reminder",
        "memory-quote",
        "Human",
        ":",
        "：",
        "\n",
        "\r",
        " ",
        "&lt;",
        "&#60;",
        "%3c",
        "\\u003c",
        "＜",
        "Assistant",
        "user",
        "System",
        "!",
        "--",
        "\"",
        "id=\"",
        "| ",
        "</memory-quote",
        "</memory-quote id=\"",
        "\u{200B}",
        "\u{200D}",
        "\u{200C}",
        "👩",
        "❤",
        "\u{FE0F}",
        "क",
        "\u{94D}",
        "ب",
        "ه",
        "\u{1F3F4}",
        "\u{E0067}",
        "\u{E0062}",
        "\u{E007F}",
        "\u{301}",
        "\u{64B}",
        "ก",
        "\u{E49}",
        "\u{1B}",
        "[2J",
        "]0;",
        "\u{7}",
        "\u{202E}",
        "\u{2028}",
        "\0",
        "é",
        "漢",
        "\u{E0100}",
        "1",
        "*",
        "#",
        "[cut: ",
        "\u{9B}",
        "ཀ",
        "\u{F90}",
    ]);
    prop::collection::vec(
        prop_oneof![6 => fragments.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from), 1 => ".{0,6}"],
        0..40,
    )
    .prop_map(|parts| parts.concat())
}
