//! Which places are searched, in the client's order.

use camino::{Utf8Path, Utf8PathBuf};

use super::collector::{Collector, Shown, Wanted, resolve};
use super::{InstructionFile, Kind, Reason};

impl Collector<'_> {
    /// Everything that is loaded when the client starts.
    pub(super) fn at_start(&mut self) {
        let around = self.around;
        if !around.switches.any {
            return self.omit(&around.cwd, Reason::AllOff, None);
        }
        self.file(&around.managed_dir.join("CLAUDE.md"), Kind::Managed, None);
        self.rules(&around.managed_dir.join(".claude/rules"), Kind::Managed, None, Wanted::Unconditional);
        let user_file = around.config_dir.join("CLAUDE.md");
        if around.switches.user {
            self.file(&user_file, Kind::User, None);
            self.rules(&around.config_dir.join("rules"), Kind::User, None, Wanted::Unconditional);
        } else {
            self.source_off(&user_file);
        }
        for directory in self.chain() {
            self.directory(&directory, &directory);
        }
        for directory in &around.add_dirs {
            self.additional(directory);
        }
        if around.switches.project {
            self.agents_files();
        }
        if let Some(left_out) = &around.memory_left_out {
            if !matches!(left_out.reason, Reason::Empty | Reason::MemoryOff) {
                self.warn(&left_out.path, format!("{}: it is not loaded", left_out.reason));
            }
            self.omit(&left_out.path, left_out.reason, None);
        }
        let auto_memory = around.auto_memory.iter().map(|memory| (Kind::AutoMemory, memory));
        let more = around.more_memory.iter().map(|(kind, memory)| (*kind, memory));
        for (kind, memory) in auto_memory.chain(more) {
            let file = InstructionFile {
                path: memory.path.clone(),
                kind,
                label: kind.label(),
                text: memory.text.clone(),
                parent: None,
            };
            self.shown.push(Shown { file, owner: None });
        }
    }

    /// What reading a file adds.
    pub(super) fn at_reading(&mut self, file: &Utf8Path) {
        let around = self.around;
        let file = match (file.as_str().strip_prefix("~/"), &around.home) {
            (Some(rest), Some(home)) => resolve(home, Utf8Path::new(rest)),
            _ => resolve(&around.cwd, file),
        };
        if !around.switches.any || !around.is_inside(&file) || file == around.cwd {
            return;
        }
        self.has(&file);
        let from_here = below(&file, &around.cwd);
        self.conditional(&around.managed_dir.join(".claude/rules"), Kind::Managed, from_here);
        if around.switches.user {
            self.conditional(&around.config_dir.join("rules"), Kind::User, from_here);
        }
        let nested: Vec<&Utf8Path> =
            file.ancestors().skip(1).take_while(|directory| *directory != around.cwd).collect();
        for directory in nested.iter().rev() {
            self.nested(directory, below(&file, directory));
        }
        if around.switches.project {
            for directory in self.chain() {
                if !around.is_main_checkout(&directory) {
                    self.conditional(
                        &directory.join(".claude/rules"),
                        Kind::Project,
                        below(&file, &directory),
                    );
                }
            }
            if !self.chain_has_claude_file() {
                for directory in nested.iter().rev() {
                    if !self.has_claude_file(directory) {
                        self.file(&directory.join("AGENTS.md"), Kind::Project, None);
                        self.file(&directory.join(".claude/AGENTS.md"), Kind::Project, None);
                    }
                }
            }
        }
    }

    fn conditional(&mut self, rules: &Utf8Path, kind: Kind, file: &str) {
        self.forget_what_was_reached();
        self.rules(rules, kind, None, Wanted::For(file));
    }

    /// The directories from the root of the disk to the working directory.
    fn chain(&self) -> Vec<Utf8PathBuf> {
        let mut chain: Vec<Utf8PathBuf> = self.around.cwd.ancestors().map(Utf8Path::to_owned).collect();
        chain.reverse();
        chain
    }

    /// One directory of the chain.
    fn directory(&mut self, directory: &Utf8Path, owner: &Utf8Path) {
        let switches = self.around.switches;
        let (plain, hidden) = (directory.join("CLAUDE.md"), directory.join(".claude"));
        if !switches.project {
            self.source_off(&plain);
            self.source_off(&hidden.join("CLAUDE.md"));
        } else if self.around.is_main_checkout(directory) {
            for path in [plain, hidden.join("CLAUDE.md"), hidden.join("rules")] {
                if self.look.kind(&path).is_some() {
                    self.omit(&path, Reason::MainCheckout, None);
                }
            }
        } else {
            self.project_files(directory, owner);
        }
        self.local_file(directory, owner);
    }

    fn project_files(&mut self, directory: &Utf8Path, owner: &Utf8Path) {
        let hidden = directory.join(".claude");
        self.file(&directory.join("CLAUDE.md"), Kind::Project, Some(owner));
        if self.look.kind(&resolve(&self.around.cwd, &hidden)).is_some() {
            self.file(&hidden.join("CLAUDE.md"), Kind::Project, Some(owner));
            self.rules(&hidden.join("rules"), Kind::Project, Some(owner), Wanted::Unconditional);
        }
    }

    fn local_file(&mut self, directory: &Utf8Path, owner: &Utf8Path) {
        let local = directory.join("CLAUDE.local.md");
        if self.around.switches.local {
            self.file(&local, Kind::Local, Some(owner));
        } else {
            self.source_off(&local);
        }
    }

    /// A directory of `--add-dir`: its project files count whatever the sources are.
    fn additional(&mut self, directory: &Utf8Path) {
        if !self.around.switches.additional {
            return self.omit(directory, Reason::AdditionalOff, None);
        }
        // An absolute path is shown without `.` and `..`; a relative one as it is given.
        let shown =
            if directory.is_absolute() { resolve(&self.around.cwd, directory) } else { directory.to_owned() };
        let owner = resolve(&self.around.cwd, directory);
        self.project_files(&shown, &owner);
        self.local_file(&shown, &owner);
    }

    /// A directory below the working directory, on the way to a file that is read.
    fn nested(&mut self, directory: &Utf8Path, file: &str) {
        let switches = self.around.switches;
        self.forget_what_was_reached();
        let rules = directory.join(".claude/rules");
        if switches.project {
            self.file(&directory.join("CLAUDE.md"), Kind::Project, None);
            self.file(&directory.join(".claude/CLAUDE.md"), Kind::Project, None);
        }
        if switches.local {
            self.file(&directory.join("CLAUDE.local.md"), Kind::Local, None);
        }
        if switches.project {
            self.rules(&rules, Kind::Project, None, Wanted::Unconditional);
            self.conditional(&rules, Kind::Project, file);
        }
    }

    /// `AGENTS.md` of the chain, where nothing in the chain is called `CLAUDE.md` or `CLAUDE.local.md`.
    ///
    /// Each is put before the first file that belongs to a directory below its own, or else behind all others.
    fn agents_files(&mut self) {
        let chain = self.chain().into_iter().filter(|directory| !self.around.is_main_checkout(directory));
        let names = |directory: Utf8PathBuf| {
            let files = [directory.join("AGENTS.md"), directory.join(".claude/AGENTS.md")];
            (directory, files.into_iter().filter(|path| self.look.kind(path).is_some()).collect::<Vec<_>>())
        };
        let found: Vec<(Utf8PathBuf, Vec<Utf8PathBuf>)> =
            chain.map(names).filter(|(_, files)| !files.is_empty()).collect();
        if found.is_empty() {
            return;
        }
        if self.chain_has_claude_file() {
            for path in found.iter().flat_map(|(_, files)| files) {
                self.omit(path, Reason::ClaudeFileExists, None);
            }
            return;
        }
        for (directory, files) in found {
            let before = self.shown.len();
            for path in files {
                self.file(&path, Kind::Project, Some(&directory));
            }
            let added = self.shown.split_off(before);
            let is_below = |shown: &Shown| {
                shown.owner.as_ref().is_some_and(|owner| *owner != directory && owner.starts_with(&directory))
            };
            let at = self.shown.iter().position(is_below).unwrap_or(before);
            self.shown.splice(at..at, added);
        }
    }

    fn chain_has_claude_file(&self) -> bool {
        self.chain().iter().any(|directory| self.has_claude_file(directory))
    }

    /// Whether a directory holds instructions of its own for this client. The user's own file is not of the
    /// project, even where the configuration directory is in the chain.
    fn has_claude_file(&self, directory: &Utf8Path) -> bool {
        let user_file = self.around.config_dir.join("CLAUDE.md");
        let of_project = !self.around.is_main_checkout(directory)
            && [directory.join("CLAUDE.md"), directory.join(".claude/CLAUDE.md")]
                .iter()
                .any(|path| *path != user_file && self.holds_text(path, Kind::Project));
        of_project || self.holds_text(&directory.join("CLAUDE.local.md"), Kind::Local)
    }

    fn source_off(&mut self, path: &Utf8Path) {
        if self.look.kind(path).is_some() {
            self.omit(path, Reason::SourceOff, None);
        }
    }
}

/// The path of a file below a directory that it is in.
fn below<'f>(file: &'f Utf8Path, directory: &Utf8Path) -> &'f str {
    file.strip_prefix(directory).unwrap_or(file).as_str()
}
