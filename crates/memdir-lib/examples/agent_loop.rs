//! A minimal agent: it is told what is remembered, recalls what fits each prompt, and asks before it writes elsewhere.
//!
//! The model here is a function, so that the example runs without one: `cargo run --example agent_loop -- PROMPT…`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use memdir_lib::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let env = Env::from_process()?;
    let mut memory = Memory::open(&env, &ClientFlags::default())?;
    let mut conversation = Vec::from_iter(prompt_section(&env, clock())?);
    println!("The system prompt has {} characters.", conversation.concat().len());
    for prompt in std::env::args().skip(1) {
        let recalled = recall(&env, &prompt, 800, clock())?;
        conversation.extend(recalled.iter().map(|memory| memory.text.clone()));
        conversation.push(prompt);
        match model(&conversation, memory.directory()) {
            Reply::Text(text) => println!("{text}"),
            Reply::Write(path, text) => {
                let verdict = may_write(&env, Tool::Write, path.as_str(), None)?;
                if !verdict.allow {
                    println!("The user must be asked about {path}: {}", verdict.why);
                    continue;
                }
                let new = NewMemory {
                    name: path.file_stem().unwrap_or("note"),
                    description: text.lines().next().unwrap_or_default(),
                    memory_type: &MemoryType::Feedback,
                    body: &text,
                    cues: &[],
                    validity: &Validity::NONE,
                    path: None,
                    session: None,
                };
                let plan = memory.plan_add(&new, clock())?;
                memory.apply(&plan, &Author::person(), clock())?;
                println!("Saved {}", path.file_name().unwrap_or_default());
            }
        }
    }
    Ok(())
}

enum Reply {
    Text(String),
    Write(Utf8PathBuf, String),
}

/// Plays the model: it remembers what it is asked to, writes where it is told to, and repeats what was recalled.
fn model(conversation: &[String], memory_dir: &Utf8Path) -> Reply {
    let prompt = conversation.last().map_or("", String::as_str);
    if let Some(fact) = prompt.strip_prefix("remember: ") {
        return Reply::Write(memory_dir.join("note.md"), fact.to_owned());
    }
    if let Some(path) = prompt.strip_prefix("write ") {
        return Reply::Write(path.into(), "text".to_owned());
    }
    Reply::Text(format!("I know:\n{}", conversation.get(1..).unwrap_or_default().join("\n")))
}
