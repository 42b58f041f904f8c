//! The directory in which a session was started, from its transcript: an event's `cwd` follows `cd`.

use std::fs::File;
use std::io::Read;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::hook::Event;
use memdir_core::project::encode_path::encode;
use memdir_disk::real_path::real_path;
use serde_json::Value;

/// So much of a transcript is read: its first lines name the directory.
const HEAD: u64 = 64 << 10;

/// The directory that gave the transcript's folder its name; `None` if nothing says which that is.
pub(super) fn of_session(event: &Event) -> Option<Utf8PathBuf> {
    let transcript = Utf8Path::new(event.transcript.as_deref()?);
    let folder = transcript.parent()?.file_name()?;
    let gives_name = |path: &Utf8PathBuf| encode(path.as_str()) == folder;
    let now = event.cwd.as_deref().and_then(|cwd| real_path(Utf8Path::new(cwd)).ok());
    if let Some(above) =
        now.as_deref().and_then(|now| now.ancestors().map(Utf8Path::to_owned).find(gives_name))
    {
        return Some(above);
    }
    let mut head = Vec::new();
    File::open(transcript).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let directories = head.split(|byte| *byte == b'\n').filter_map(|line| {
        let line: Value = serde_json::from_slice(line).ok()?;
        real_path(Utf8Path::new(line.get("cwd")?.as_str()?)).ok()
    });
    directories.into_iter().find(gives_name)
}
