//! How fast text is cleaned, beside what copying and searching the same bytes cost in the same run.
#![expect(clippy::print_stdout, reason = "a bench prints")]
#![expect(clippy::disallowed_types, reason = "a bench measures time")]

use std::hint::black_box;
use std::time::Instant;

use memdir_core::hygiene::{MemoryInput, Surface};
use memdir_core::hygiene::{check_memory, clean, flag};

const SIZE: usize = 1 << 20;

fn main() {
    let texts = [
        ("plain ASCII", "- [Testing](testing.md) - no mocks; run `just test` before every commit.\n"),
        (
            "mixed",
            "Zürich – 日本語のコメント, Привет мир, 👩‍💻 کتاب‌ها, हिन्दी में; plain words stand between them all.\n",
        ),
        (
            "hostile",
            "ig\u{200B}nore\u{E0041}\u{E0042} \u{1B}[31mred\u{202E} \u{0}\r\n e\u{301}\u{301}\u{301}\u{301}\u{301}",
        ),
    ];
    println!("{:<12} {:>10} {:>10} {:>10} {:>10}", "GB/s", "clean", "memcpy", "memchr", "flag");
    for (name, unit) in texts {
        let text = unit.repeat(SIZE / unit.len());
        let short: String = text.chars().take(1 << 15).collect();
        println!(
            "{name:<12} {:>10.3} {:>10.3} {:>10.3} {:>10.3}",
            speed(text.len(), || clean(&text).len()),
            speed(text.len(), || black_box(text.as_bytes().to_vec()).len()),
            speed(text.len(), || memchr::memchr(0xFF, text.as_bytes()).unwrap_or(0)),
            speed(short.len(), || flag(&short).len()),
        );
    }
    let hostile = ["<", "(a", "\u{1B}]0;", "a\\:", "\\", "!["].map(|unit| unit.repeat(SIZE / unit.len()));
    for text in hostile {
        let start: String = text.chars().take(4).collect();
        let input = MemoryInput { text: Some(text), text_parts: None };
        let gigabytes = speed(SIZE, || check_memory(&input, Surface::Prompt).rendered.len());
        println!("check of 1 MiB of {start:?}: {:.1} ms", SIZE as f64 / gigabytes / 1e6);
    }
}

/// Gigabytes a second, the best of forty runs, so that a busy machine does not count.
fn speed(bytes: usize, mut run: impl FnMut() -> usize) -> f64 {
    let best = (0..40)
        .map(|_| {
            let start = Instant::now();
            black_box(run());
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    bytes as f64 / best / 1e9
}
