//! What the argument parser found, in the form of every other error: what is wrong, and a hint.

use std::io::Write;

use anyhow::Result;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::output::printable;
use crate::world::World;

pub(super) fn print(error: &clap::Error, world: &mut World) -> Result<()> {
    let paint = world.paint;
    writeln!(world.stderr, "{} {}", paint.bad("error:"), printable(&what(error)))?;
    for hint in hints(error) {
        writeln!(world.stderr, "{} {}", paint.code("hint:"), printable(&hint))?;
    }
    if let Some(usage) = error.get(ContextKind::Usage) {
        let usage = usage.to_string();
        let usage = usage.trim().trim_start_matches("Usage:").trim();
        writeln!(world.stderr, "usage: {}", usage.lines().next().unwrap_or_default())?;
    }
    Ok(())
}

fn what(error: &clap::Error) -> String {
    let context = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let argument = context(ContextKind::InvalidArg);
    let value = context(ContextKind::InvalidValue);
    match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => format!("unknown option `{argument}`"),
        ErrorKind::UnknownArgument => format!("unexpected argument `{argument}`"),
        ErrorKind::InvalidSubcommand => {
            format!("unknown command `{}`", context(ContextKind::InvalidSubcommand))
        }
        ErrorKind::MissingSubcommand => "a command is missing".to_owned(),
        ErrorKind::MissingRequiredArgument => format!("missing: {}", listed(error, ContextKind::InvalidArg)),
        ErrorKind::InvalidValue | ErrorKind::NoEquals if value.is_empty() => {
            format!("`{argument}` needs a value")
        }
        ErrorKind::InvalidValue => format!("`{value}` is not a value for `{argument}`"),
        ErrorKind::ValueValidation => {
            let reason =
                std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
            format!("`{value}` is not a value for `{argument}`{reason}")
        }
        ErrorKind::ArgumentConflict => {
            format!("`{argument}` cannot be used with {}", listed(error, ContextKind::PriorArg))
        }
        ErrorKind::TooManyValues => format!("`{argument}` got too many values: `{value}`"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            format!("`{argument}` got the wrong number of values")
        }
        ErrorKind::InvalidUtf8 => "an argument is not valid UTF-8".to_owned(),
        _ => {
            let text = error.to_string();
            text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
        }
    }
}

fn hints(error: &clap::Error) -> Vec<String> {
    let mut hints = Vec::new();
    for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue] {
        if let Some(meant) = error.get(kind) {
            hints.push(format!("did you mean `{}`?", first(meant)));
        }
    }
    let unknown = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    if hints.is_empty() && error.kind() == ErrorKind::UnknownArgument && unknown.starts_with('-') {
        hints.push(format!("to pass it as text, write `-- {unknown}`"));
    }
    let values = listed(error, ContextKind::ValidValue);
    if !values.is_empty() {
        hints.push(format!("it is one of {values}"));
    }
    hints
}

fn first(value: &ContextValue) -> String {
    match value {
        ContextValue::Strings(several) => several.first().cloned().unwrap_or_default(),
        other => other.to_string(),
    }
}

fn listed(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::Strings(several)) => {
            several.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ")
        }
        Some(ContextValue::None) | None => String::new(),
        Some(other) => format!("`{other}`"),
    }
}
