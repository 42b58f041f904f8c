//! What set-up keeps of its own: what it did, what stood in agents' settings before, and the plugin they load.

use std::fs::{self, File};
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;

use crate::disk_error::{DiskError, IoContext};
use crate::platform::make_link;
use crate::state_file::{self, make_directory};

/// The folder of set-up below our own state.
#[derive(Debug, Clone)]
pub struct SetupDir {
    state_dir: Utf8PathBuf,
}

/// Keeps other set-ups out until it is dropped.
#[derive(Debug)]
pub struct SetupLock {
    _file: File,
}

/// One file of the plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginFile {
    /// Where it is in the plugin's folder.
    pub path: &'static str,
    /// What it holds.
    pub content: PluginContent,
}

/// What a file of the plugin holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginContent {
    /// A text.
    Text(String),
    /// A link to the program.
    Link(Utf8PathBuf),
}

/// A manifest names a handful of files.
const MAX_MANIFEST: usize = 4 << 20;

/// The name of the plugin's folder. Agents' settings name it, and by it `uninstall` knows them again.
const PLUGIN: &str = "claude-plugin";

impl SetupDir {
    /// The folder below a state directory; it need not exist.
    #[must_use]
    pub fn new(state_dir: &Utf8Path) -> Self {
        Self { state_dir: state_dir.to_owned() }
    }

    /// Waits for other set-ups, and keeps them out.
    ///
    /// # Errors
    /// Another one takes too long, or the system fails.
    pub fn lock(&self) -> Result<SetupLock, DiskError> {
        let path = self.below("lock");
        match state_file::lock(&path).during("lock", &path)? {
            Some(file) => Ok(SetupLock { _file: file }),
            None => DiskError::refused(&path, "another set-up is under way; try again"),
        }
    }

    /// What the last set-up wrote down; `None` if there was none.
    ///
    /// # Errors
    /// The system fails.
    pub fn manifest(&self) -> Result<Option<Vec<u8>>, DiskError> {
        let path = self.below("manifest.json");
        state_file::read(&path, MAX_MANIFEST).during("read", &path)
    }

    /// Writes down what was done; durable when it returns.
    ///
    /// # Errors
    /// The system fails.
    pub fn write_manifest(&self, content: &[u8]) -> Result<(), DiskError> {
        self.write(&self.below("manifest.json"), content)
    }

    /// Forgets what was done. The backups stay.
    ///
    /// # Errors
    /// The system fails.
    pub fn remove_manifest(&self) -> Result<(), DiskError> {
        let path = self.below("manifest.json");
        gone(fs::remove_file(&path)).during("remove", &path)
    }

    /// Keeps what stood in a settings file, and gives back the name to ask for it by; the same content is kept once.
    ///
    /// # Errors
    /// The system fails.
    pub fn keep_backup(&self, of: &Utf8Path, content: &[u8]) -> Result<String, DiskError> {
        let hash = ContentHash::of(content).to_string();
        let name = format!("{}-{}", hash.get(..16).unwrap_or(&hash), of.file_name().unwrap_or("settings"));
        if self.backup(&name).as_deref() != Some(content) {
            self.write(&self.below("backups").join(&name), content)?;
        }
        Ok(name)
    }

    /// What was kept under a name; `None` if it is gone or the name is none of ours.
    #[must_use]
    pub fn backup(&self, name: &str) -> Option<Vec<u8>> {
        if name.contains('/') || name.starts_with('.') {
            return None;
        }
        state_file::read(&self.below("backups").join(name), MAX_MANIFEST).ok().flatten()
    }

    /// The folder of the plugin that agents load.
    #[must_use]
    pub fn plugin_dir(&self) -> Utf8PathBuf {
        self.state_dir.join(PLUGIN)
    }

    /// Whether the plugin's folder holds just these files.
    #[must_use]
    pub fn holds_plugin(&self, files: &[PluginFile]) -> bool {
        let directory = self.plugin_dir();
        let is_there = |file: &PluginFile| is_as_wanted(&directory.join(file.path), &file.content);
        files.iter().all(is_there) && files_below(&directory).len() == files.len()
    }

    /// Makes the plugin's folder hold just these files.
    ///
    /// # Errors
    /// The system fails; what was written so far stays, and the next set-up goes on.
    pub fn write_plugin(&self, files: &[PluginFile]) -> Result<(), DiskError> {
        let directory = self.plugin_dir();
        for path in files_below(&directory) {
            if !files.iter().any(|file| directory.join(file.path) == path) {
                gone(fs::remove_file(&path)).during("remove", &path)?;
            }
        }
        for file in files {
            let path = directory.join(file.path);
            if is_as_wanted(&path, &file.content) {
                continue;
            }
            match &file.content {
                PluginContent::Text(text) => self.write(&path, text.as_bytes())?,
                PluginContent::Link(target) => {
                    let folder = path.parent().unwrap_or(&directory);
                    make_directory(folder).during("make", folder)?;
                    gone(fs::remove_file(&path)).during("remove", &path)?;
                    make_link(target.as_std_path(), path.as_std_path()).during("link", &path)?;
                }
            }
        }
        Ok(())
    }

    /// Removes the plugin's folder; `false` if there was none.
    ///
    /// # Errors
    /// The system fails.
    pub fn remove_plugin(&self) -> Result<bool, DiskError> {
        let directory = self.plugin_dir();
        match fs::remove_dir_all(&directory) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error).during("remove", &directory),
        }
    }

    fn write(&self, path: &Utf8Path, content: &[u8]) -> Result<(), DiskError> {
        let folder = path.parent().unwrap_or(&self.state_dir);
        make_directory(folder).during("make", folder)?;
        state_file::replace(path, content).during("write", path)
    }

    fn below(&self, name: &str) -> Utf8PathBuf {
        self.state_dir.join("setup").join(name)
    }
}

fn is_as_wanted(path: &Utf8Path, content: &PluginContent) -> bool {
    match content {
        PluginContent::Text(text) => {
            !path.is_symlink()
                && state_file::read(path, text.len()).ok().flatten().as_deref() == Some(text.as_bytes())
        }
        PluginContent::Link(target) => path.read_link_utf8().is_ok_and(|found| found == *target),
    }
}

/// Every file and link in a folder of ours; it is a few levels deep.
fn files_below(directory: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Ok(entries) = directory.read_dir_utf8() else { return Vec::new() };
    let mut files = Vec::new();
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(files_below(entry.path())),
            _ => files.push(entry.path().to_owned()),
        }
    }
    files
}

fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &'static str, text: &str) -> PluginFile {
        PluginFile { path, content: PluginContent::Text(text.to_owned()) }
    }

    #[test]
    fn the_plugin_holds_what_it_should_and_nothing_else() {
        let temp = tempfile::tempdir().unwrap();
        let setup = SetupDir::new(Utf8Path::from_path(temp.path()).unwrap());
        let link = PluginFile { path: "bin/memdir", content: PluginContent::Link("/bin/true".into()) };
        let old = [file("a.json", "1"), file("b/c.md", "2"), link.clone()];
        assert!(!setup.holds_plugin(&old));
        setup.write_plugin(&old).unwrap();
        assert!(setup.holds_plugin(&old));
        let new = [file("a.json", "one"), link];
        assert!(!setup.holds_plugin(&new));
        setup.write_plugin(&new).unwrap();
        assert!(setup.holds_plugin(&new) && !setup.holds_plugin(&old));
        assert!(setup.remove_plugin().unwrap() && !setup.remove_plugin().unwrap());
    }

    #[test]
    fn a_backup_is_kept_once_and_found_by_its_name() {
        let temp = tempfile::tempdir().unwrap();
        let setup = SetupDir::new(Utf8Path::from_path(temp.path()).unwrap());
        let name = setup.keep_backup(Utf8Path::new("/h/settings.json"), b"{}").unwrap();
        assert_eq!(setup.keep_backup(Utf8Path::new("/x/settings.json"), b"{}").unwrap(), name);
        assert!(name.ends_with("-settings.json"));
        assert_eq!(setup.backup(&name).as_deref(), Some(&b"{}"[..]));
        assert_eq!(setup.backup("../lock"), None);
        assert_eq!(setup.manifest().unwrap(), None);
        setup.write_manifest(b"x").unwrap();
        assert_eq!(setup.manifest().unwrap().as_deref(), Some(&b"x"[..]));
        setup.remove_manifest().unwrap();
        setup.remove_manifest().unwrap();
        let held = setup.lock().unwrap();
        drop(held);
        setup.lock().unwrap();
    }
}
