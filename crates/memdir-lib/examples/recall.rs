//! The memories of this project that matter for a prompt: `cargo run --example recall -- PROMPT`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use memdir_lib::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let env = Env::from_process()?;
    let prompt = std::env::args().nth(1).unwrap_or_default();
    // The text is quoted data with its source and age: put it before the prompt as it is.
    for memory in recall(&env, &prompt, 1_000, clock())? {
        println!("{}\n", memory.text);
    }
    println!("Today's log is {}.", daily_log_path(&env, clock())?);
    // A custom agent of the project has a prompt and tools of its own.
    if let Some(name) = std::env::args().nth(2) {
        println!("{}", agent_prompt(&env, &name, clock())?.unwrap_or_else(|| format!("no agent {name}")));
        println!("{:?}", injected_tools(&env, &name)?);
        let agents = Agents::open(&env, &ClientFlags::default())?;
        let name = AgentName::parse(&name)?;
        println!("{:?}", snapshots(&agents, &name)?.status()?);
    }
    Ok(())
}
