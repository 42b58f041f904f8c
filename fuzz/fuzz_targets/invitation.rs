#![no_main]

#[path = "../../crates/memdir-sync/tests/it/parsers.rs"]
#[allow(dead_code)]
mod parsers;

libfuzzer_sys::fuzz_target!(|data: &[u8]| parsers::read_invitation(data));
