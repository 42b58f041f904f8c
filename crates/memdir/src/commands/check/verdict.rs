//! Yes or no, with the reason: one form for every question.

use std::io::Write;

use anyhow::Result;
use serde_json::{Map, Value};

use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Prints an answer for a person or a script: `Ok` allows and says what, `Err` denies and says why.
pub(super) fn print(answer: Result<String, String>, world: &mut World) -> Result<Exit> {
    let (word, text, exit) = match &answer {
        Ok(what) => ("allow", what, Exit::Yes),
        Err(why) => ("deny ", why, Exit::No),
    };
    writeln!(world.stdout, "{word}  {}", printable(text))?;
    Ok(exit)
}

/// The same as the fields of a JSON answer.
pub(super) fn fields(answer: Result<String, String>) -> Map<String, Value> {
    let (verdict, why) = match answer {
        Ok(what) => ("allow", what),
        Err(why) => ("deny", why),
    };
    Map::from_iter([("verdict".to_owned(), verdict.into()), ("why".to_owned(), why.into())])
}
