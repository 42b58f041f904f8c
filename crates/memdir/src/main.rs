//! memdir: durable memory for coding agents.

fn main() {}
