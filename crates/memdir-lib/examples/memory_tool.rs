//! The API's memory tool (`memory_20250818`): a line of JSON in, an answer for the model out.
//!
//! `echo '{"command":"view","path":"/memories"}' | cargo run --example memory_tool`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use memdir_lib::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let env = Env::from_process()?;
    let mut memory = Memory::open(&env, &ClientFlags::default())?;
    let author = Author { kind: AuthorKind::Agent, id: Some("example".to_owned()), session: None };
    for command in std::io::stdin().lines() {
        let answer = run_memory_tool(&mut memory, &command?, &author, clock());
        println!("{}", answer.content);
    }
    Ok(())
}
