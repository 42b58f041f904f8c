//! What an installed model says about a prompt. It is asked on a thread of its own, so that recall waits no longer than
//! its caller allows and goes on with words alone after that.

use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};

use super::coefficients::{REQUEST, REQUEST_STEP};
use super::features::Features;
use super::memory_file::MemoryFile;
use crate::collection::Collection;
use crate::meaning::{Encoder, MeaningFile, Vector, version_of};

/// An installed model, and how long it may be waited for.
#[derive(Debug, Clone, Copy)]
pub struct ModelUse<'a> {
    /// Its file.
    pub path: &'a Utf8Path,
    /// After this the prompt is judged by words alone.
    pub until: Instant,
}

/// How many of the memories that are nearest in meaning are looked at closely.
const MAX_NEAREST: usize = 16;

/// A prompt that is being read.
pub(super) struct Reading {
    answer: Receiver<Understood>,
    until: Instant,
}

/// A prompt that the model has read.
pub(super) struct Understood {
    prompt: Vector,
    /// How much it is like prompts that need a memory, whatever it is about.
    request: f32,
    /// What it has read of each collection.
    files: Vec<Option<MeaningFile>>,
    /// The nearest memories: the collection and the path below it.
    pub(super) nearest: Vec<(usize, String)>,
}

impl Reading {
    /// Begins to read a prompt; `None` if there is no model.
    pub(super) fn begin(
        model: Option<ModelUse<'_>>,
        prompt: &str,
        collections: &[&Collection],
    ) -> Option<Self> {
        let ModelUse { path, until } = model?;
        let (path, prompt) = (path.to_owned(), prompt.to_owned());
        let folders: Vec<Utf8PathBuf> = collections.iter().map(|one| one.cache_folder().to_owned()).collect();
        let (sender, answer) = channel();
        let read = move || {
            // After the time is over the answer is not needed.
            understand(&path, &prompt, &folders).map(|understood| sender.send(understood))
        };
        thread::Builder::new().spawn(read).ok()?;
        Some(Self { answer, until })
    }

    /// What it came to; `None` if it failed or took too long.
    pub(super) fn end(self) -> Option<Understood> {
        self.answer.recv_timeout(self.until.saturating_duration_since(Instant::now())).ok()
    }
}

fn understand(model: &Utf8Path, prompt: &str, folders: &[Utf8PathBuf]) -> Option<Understood> {
    let files: Vec<Option<MeaningFile>> = folders.iter().map(|folder| MeaningFile::open(folder)).collect();
    files.iter().flatten().next()?;
    let prompt = Encoder::open(model).ok()?.encode(&[prompt]).ok()?.pop()?;
    let mut nearest = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let found = file.iter().flat_map(|file| file.nearest(&prompt, MAX_NEAREST));
        nearest.extend(found.map(|(cosine, path)| (cosine, number, path.to_owned())));
    }
    nearest.sort_by(|one, other| other.0.total_cmp(&one.0));
    nearest.truncate(MAX_NEAREST);
    let nearest = nearest.into_iter().map(|(_, number, path)| (number, path)).collect();
    let request = request(&prompt);
    Some(Understood { prompt, request, files, nearest })
}

/// How far a prompt goes in the direction that was fitted: away from "explain", "rename" and "thank you".
fn request(prompt: &Vector) -> f32 {
    let parts = prompt.values().zip(&REQUEST).map(|(value, weight)| value * f32::from(*weight));
    parts.sum::<f32>() * REQUEST_STEP
}

impl Understood {
    /// Adds how similar the prompt is to a memory, if the model has read the text that it has now.
    pub(super) fn compare(
        &self,
        collection: usize,
        path: &str,
        memory: &MemoryFile,
        features: &mut Features,
    ) {
        let file = self.files.get(collection).and_then(Option::as_ref);
        let cosines = file.and_then(|file| file.cosines(&self.prompt, path, version_of(&memory.text)));
        if let Some(cosines) = cosines {
            features.is_read = true;
            features.cosine_description = cosines.description;
            features.cosine_sentence = cosines.sentence;
            features.cosine_cue = cosines.cue;
            features.cosine_text = cosines.text;
            features.request = self.request;
        }
    }
}
