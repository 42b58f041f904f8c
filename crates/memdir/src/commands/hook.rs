//! `memdir hook EVENT`: what an agent calls. It must never hurt the agent.

use std::io::{self, Read};

use crate::exit::Exit;
use crate::world::World;

/// An event longer than this is not an event.
const MAX_INPUT: u64 = 16 << 20;

/// Takes the event and answers with nothing, which every client understands as "go on".
///
/// The input is read to its end so that the agent's write does not fail on a closed pipe.
pub(crate) fn run(world: &mut World) -> Exit {
    let _ = io::copy(&mut world.stdin.by_ref().take(MAX_INPUT), &mut io::sink());
    Exit::Yes
}
