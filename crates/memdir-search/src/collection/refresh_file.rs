//! Bringing the index up to date with one file that is known to have changed.

use camino::{Utf8Path, Utf8PathBuf};

use super::scan::key_of;
use super::{Collection, Kind, Live, SegmentInfo, read_file};
use crate::analyze::Analyzer;
use crate::document::{FileId, add_markdown};
use crate::error::SearchError;
use crate::segment::{Segment, SegmentBuilder};
use memdir_disk::real_path::real_path;

/// So many segments may pile up before some are merged, and no more passages than that on the way: a caller that waits for
/// one file does not pay for all.
const MAX_SEGMENTS: usize = 8;
const MAX_MERGED: u64 = 4_096;

impl Collection {
    /// Indexes one file of Markdown that was just written or removed, without a look at any other.
    ///
    /// Costs about a millisecond whatever the size of the folder, so a hook can call it after a write. Returns
    /// `false` if the file does not belong to this folder, or if another process is writing the index: a caller that
    /// searches next finds the change by itself.
    ///
    /// # Errors
    /// The index is damaged; the next [`Collection::refresh`] brings it back.
    pub fn refresh_file(&mut self, path: &Utf8Path) -> Result<bool, SearchError> {
        let Some(relative) = self.relative(path) else { return Ok(false) };
        let Some(writer) = self.cache.try_write().ok().flatten() else { return Ok(false) };
        self.reopen()?;
        let key = key_of(&relative);
        let mut builder = SegmentBuilder::new(Analyzer::new());
        if let Ok((file, stamp)) = read_file::open(&self.path_of(&relative), false)
            && let Ok(content) = read_file::read(&file, &stamp)
        {
            let id = FileId { key, path: &relative, modified: stamp.modified / 1_000_000_000 };
            add_markdown(&mut builder, &id, &content);
        }
        for (live, info) in self.segments.iter_mut().zip(&mut self.manifest.segments) {
            live.bury_one(key)?;
            live.describe(info);
        }
        self.drop_dead();
        if !builder.is_empty() {
            let name = super::refresh::new_name("segment");
            let Ok(file) = writer.write_new(&name, |out| builder.write(out)) else { return Ok(false) };
            let segment = Segment::of_file(file)?;
            self.manifest.segments.push(SegmentInfo::new(name, &segment));
            self.segments.push(Live::new(segment));
        }
        if self.segments.len() > MAX_SEGMENTS {
            self.merge(&writer, MAX_MERGED)?;
        }
        // The table of files stays as it is, and so do files that no longer count: the next look at all of them reads this
        // one again, sweeps up, and is none the worse.
        Ok(self.save_manifest(&writer).is_ok())
    }

    /// Lets go of segments of which nothing counts any more, as of a file that was written twice.
    fn drop_dead(&mut self) {
        let counts = |live: &Live| live.buried() < live.segment.groups();
        let infos = std::mem::take(&mut self.manifest.segments).into_iter();
        self.manifest.segments =
            infos.zip(&self.segments).filter(|(_, live)| counts(live)).map(|(info, _)| info).collect();
        self.segments.retain(counts);
    }

    /// The path below the root, if a scan would find it there.
    fn relative(&self, path: &Utf8Path) -> Option<String> {
        if self.source.kind != Kind::Markdown || self.source.files.is_some() {
            return None;
        }
        let (name, folder) = (path.file_name()?, path.parent()?);
        let real = |path: &Utf8Path| real_path(path).unwrap_or_else(|_| path.to_owned());
        let parent = if folder == self.source.root {
            Utf8PathBuf::new()
        } else {
            // Tools may name the file through a link; the index knows it by where it really is.
            real(folder).strip_prefix(real(&self.source.root)).ok()?.to_owned()
        };
        let is_wanted =
            |directory: &str| !directory.starts_with('.') && self.source.kind.wants_directory(directory);
        let fits = !name.starts_with('.')
            && self.source.kind.wants_file(name)
            && parent.components().all(|part| is_wanted(part.as_str()));
        fits.then(|| parent.join(name).into_string())
    }
}
