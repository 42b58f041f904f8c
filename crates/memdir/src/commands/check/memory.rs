//! `memdir check memory`: what must happen to a text before a model is shown it?

use std::io::{Read, Write};

use anyhow::{Context, Result, bail};
use clap::Args;
use memdir_core::hygiene::{Action, MemoryInput, Surface, check_memory};
use serde::Deserialize;
use serde_json::Value;

use crate::exit::Exit;
use crate::json_lines;
use crate::world::World;

/// What must happen to a text before a model is shown it?
#[derive(Debug, Args)]
#[command(
    after_help = "Without --jsonl one text is read from standard input; the exit code is 1 if it is flagged or rejected.

Examples:
  memdir check memory < tabs.md
  memdir check memory --jsonl < texts.jsonl"
)]
pub(super) struct CheckMemory {
    /// Read `{id, text | text_parts, surface?}` a line from standard input, answer `{id, action, rendered, reasons}`
    #[arg(long)]
    jsonl: bool,
}

impl CheckMemory {
    pub(super) fn run(self, world: &mut World) -> Result<Exit> {
        if self.jsonl {
            json_lines::answer_each(world, "id", |question| {
                let question = Value::Object(question.clone());
                let input = MemoryInput::deserialize(&question)
                    .context("`text` must be a string, or `text_parts` a list of `[unit, count]`")?;
                if input.text.is_none() && input.text_parts.is_none() {
                    bail!("`text` or `text_parts` is needed");
                }
                let surface = match question.get("surface").filter(|value| !value.is_null()) {
                    Some(named) => Surface::deserialize(named)
                        .with_context(|| format!("there is no surface {named}: prompt, terminal or html"))?,
                    None => Surface::Prompt,
                };
                match serde_json::to_value(check_memory(&input, surface))? {
                    Value::Object(fields) => Ok(fields),
                    other => bail!("not an object: {other}"),
                }
            })?;
            return Ok(Exit::Yes);
        }
        let mut bytes = Vec::new();
        world.stdin.by_ref().take(16 << 20).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let checked = check_memory(&MemoryInput { text: Some(text), text_parts: None }, Surface::Prompt);
        let action = serde_json::to_value(checked.action)?;
        let paint = world.paint;
        writeln!(world.stderr, "{}", paint.strong(action.as_str().unwrap_or_default()))?;
        for reason in &checked.reasons {
            writeln!(world.stderr, "  {}", reason.describe())?;
        }
        world.stdout.write_all(checked.rendered.as_bytes())?;
        Ok(if matches!(checked.action, Action::Flag | Action::Reject) { Exit::No } else { Exit::Yes })
    }
}
