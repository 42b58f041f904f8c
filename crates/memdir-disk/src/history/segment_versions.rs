//! All versions of one segment, read once.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque, btree_map};

use memdir_core::content_hash::ContentHash;

use super::frame::{Frame, scan};
use super::segment::contents_of;
use super::stored_content::{MAX_DEPTH, StoredContent};

/// The versions of a segment by their hashes. Every header is parsed once; the body of a frame is unmasked once for
/// all versions that are asked for in the order in which they were written; and a version that was restored is kept
/// for a while, because the next one is usually its delta.
pub(super) struct SegmentVersions<'s> {
    frames: BTreeMap<u64, FrameVersions<'s>>,
    /// Where each version is, oldest copy first.
    places: HashMap<ContentHash, Vec<Place>>,
    body: Option<(u64, Option<Vec<u8>>)>,
    restored: Restored,
}

struct FrameVersions<'s> {
    frame: Frame<'s>,
    /// Every version with where it begins in the body.
    contents: Vec<(StoredContent, usize)>,
}

/// The offset of a frame, and the position of a version in it.
type Place = (u64, usize);

impl<'s> SegmentVersions<'s> {
    pub(super) fn of(segment: &'s [u8]) -> Self {
        let (mut frames, mut places) = (BTreeMap::new(), HashMap::<ContentHash, Vec<Place>>::new());
        for (offset, frame) in scan(segment).0 {
            let Ok(offset) = u64::try_from(offset) else { continue };
            let mut start = 0_usize;
            let mut contents = Vec::new();
            for stored in contents_of(frame.header) {
                places.entry(stored.hash).or_default().push((offset, contents.len()));
                let end = start.saturating_add(stored.length);
                contents.push((stored, start));
                start = end;
            }
            if !contents.is_empty() {
                frames.insert(offset, FrameVersions { frame, contents });
            }
        }
        Self { frames, places, body: None, restored: Restored::default() }
    }

    /// The hashes of all versions in the order in which they were written, each once.
    pub(super) fn hashes(&self) -> Vec<ContentHash> {
        let is_first = |hash: &ContentHash, place: Place| {
            self.places.get(hash).and_then(|places| places.first()) == Some(&place)
        };
        let in_frame = |(offset, versions): (&u64, &FrameVersions<'_>)| {
            let hashes = versions.contents.iter().map(|(stored, _)| stored.hash).enumerate();
            let firsts = hashes.filter(|(at, hash)| is_first(hash, (*offset, *at)));
            firsts.map(|(_, hash)| hash).collect::<Vec<_>>()
        };
        self.frames.iter().flat_map(in_frame).collect()
    }

    /// A version, if a copy of it is undamaged. The newest copy first: what came later is less likely to depend on
    /// something damaged.
    pub(super) fn content(&mut self, hash: ContentHash) -> Option<Vec<u8>> {
        let places = self.places.get(&hash)?.clone();
        places.into_iter().rev().find_map(|place| self.restore(place, MAX_DEPTH + 1))
    }

    /// The copy of a version in the frame at an offset.
    pub(super) fn content_in(&mut self, offset: u64, hash: ContentHash) -> Option<Vec<u8>> {
        self.restore(self.place_in(offset, hash)?, MAX_DEPTH + 1)
    }

    /// Adds the versions that are wanted and not found yet.
    pub(super) fn find(
        &mut self,
        wanted: &BTreeSet<ContentHash>,
        found: &mut BTreeMap<ContentHash, Vec<u8>>,
    ) {
        for hash in self.hashes().into_iter().filter(|hash| wanted.contains(hash)) {
            if let btree_map::Entry::Vacant(vacant) = found.entry(hash)
                && let Some(content) = self.content(hash)
            {
                vacant.insert(content);
            }
        }
    }

    fn place_in(&self, offset: u64, hash: ContentHash) -> Option<Place> {
        self.places.get(&hash)?.iter().find(|(of, _)| *of == offset).copied()
    }

    fn restore(&mut self, place: Place, depth: u32) -> Option<Vec<u8>> {
        let (offset, position) = place;
        let (stored, start) = self.frames.get(&offset)?.contents.get(position)?.clone();
        if let Some(content) = self.restored.get(&stored.hash) {
            return Some(content.clone());
        }
        let base = match stored.base {
            None => None,
            Some(base) => {
                let place = self.place_in(base.at.unwrap_or(offset), base.hash)?;
                Some(self.restore(place, depth.checked_sub(1)?)?)
            }
        };
        let body = self.body(offset)?;
        let bytes = body.get(start..start.checked_add(stored.length)?)?;
        let content = stored.restore(bytes, base.as_deref())?;
        self.restored.keep(stored.hash, content.clone());
        Some(content)
    }

    fn body(&mut self, offset: u64) -> Option<&[u8]> {
        if self.body.as_ref().is_none_or(|(of, _)| *of != offset) {
            self.body = Some((offset, self.frames.get(&offset)?.frame.body()));
        }
        self.body.as_ref()?.1.as_deref()
    }
}

/// The versions that were restored last, within a number of bytes.
#[derive(Default)]
struct Restored {
    contents: HashMap<ContentHash, Vec<u8>>,
    order: VecDeque<ContentHash>,
    bytes: usize,
}

/// A delta is nearly always based on one of the last versions.
const KEPT_BYTES: usize = 4 << 20;

impl Restored {
    fn get(&self, hash: &ContentHash) -> Option<&Vec<u8>> {
        self.contents.get(hash)
    }

    fn keep(&mut self, hash: ContentHash, content: Vec<u8>) {
        self.bytes += content.len();
        if let Some(replaced) = self.contents.insert(hash, content) {
            self.bytes -= replaced.len();
        } else {
            self.order.push_back(hash);
        }
        while self.bytes > KEPT_BYTES {
            let Some(oldest) = self.order.pop_front() else { return };
            self.bytes -= self.contents.remove(&oldest).map_or(0, |content| content.len());
        }
    }
}
