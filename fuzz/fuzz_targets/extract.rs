#![no_main]

#[path = "../../crates/memdir-core/tests/it/parsers.rs"]
#[allow(dead_code)]
mod parsers;

libfuzzer_sys::fuzz_target!(|data: &[u8]| parsers::extract_memories(data));
