use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::journal::key::ProjectKey;
use memdir_core::project::encode_path::{Scheme, encode_with};
use memdir_core::project::git_root::worktrees;
use memdir_core::project::identity::IdentityKey;
use memdir_core::project::relocate::{Because, End, Extent, Relocation, lost_names, plan};
use memdir_disk::identity_probe::{Probe, inode_of, probe};
use memdir_disk::inventory::{inventory, same_content};
use memdir_disk::real_look::RealLook;

use super::survey::cut_alike;
use super::{Here, Projects, lives};

/// Why there is nothing to plan.
#[derive(Debug, thiserror::Error)]
pub enum RelocationError {
    /// Neither a project directory nor a path that has one.
    #[error("no project directory for `{from}`")]
    NotFound {
        /// What was asked for.
        from: Utf8PathBuf,
    },
    /// Both ends are one directory.
    #[error("`{project_dir}` already is the directory of this project")]
    SamePlace {
        /// That directory.
        project_dir: Utf8PathBuf,
    },
}

impl Projects {
    /// Plans to bring home what this project lost: memory at places where the same project was seen and is no
    /// more, and memory under every name that a client may have given to its directory, its repository's root or
    /// a worktree. Changes nothing; may start git.
    ///
    /// A copy that lives keeps its memory, and a directory that another living project uses is left to it; both
    /// can be asked for with [`Projects::plan_adopt_from`].
    #[must_use]
    pub fn plan_adopt(&self, here: &Here) -> Vec<Relocation> {
        let own = own_paths(here);
        let mut plans: Vec<Relocation> = Vec::new();
        for (slug, because, extent) in
            self.moved_from(here, &own).into_iter().chain(lost_names(&own, &here.slug))
        {
            let from = self.end(&slug);
            let is_planned = plans.iter().any(|plan| plan.from.project_dir == from.project_dir);
            if is_planned
                || from.project_dir == here.project_dir
                || !lives(&from.project_dir)
                || self.is_used_by_another(&slug, &own)
            {
                continue;
            }
            let others = cut_alike(&slug, &here.root);
            let mut plan = self.plan_between(because, from, here, extent);
            plan.warnings.extend(others.iter().map(|other| {
                format!("`{other}` had the same name in an older client, so some of this may be about it")
            }));
            if !plan.steps.is_empty() {
                plans.push(plan);
            }
        }
        let journals: Vec<Relocation> =
            plans.iter().filter_map(|plan| self.plan_journal(plan, here)).collect();
        plans.extend(journals);
        plans
    }

    /// The journal of a project is under the project's own name, apart from its memory, and follows it unless
    /// another project's journal has the new name.
    fn plan_journal(&self, memory: &Relocation, here: &Here) -> Option<Relocation> {
        let old_root = memory.from.path.as_ref().filter(|path| **path != here.root)?;
        let journal = self.end(ProjectKey::of(old_root).as_str());
        let project_dir = self.projects_dir().join(ProjectKey::of(&here.root).as_str());
        let owner = self.reverse(project_dir.file_name()?);
        let is_free = !lives(&project_dir) || owner.as_ref() == Some(&here.root);
        if journal.path.as_ref() != Some(old_root) || journal.project_dir == project_dir || !is_free {
            return None;
        }
        let there = Here { memory_dir: project_dir.join("memory"), project_dir, ..here.clone() };
        Some(self.plan_between(memory.because.clone(), journal, &there, Extent::Whole))
    }

    /// Plans to bring the files of a directory that the user names: a directory below `projects/`, its name, or
    /// the real path of a project, which may be gone.
    ///
    /// # Errors
    /// There is no such directory, or it is the project's own.
    pub fn plan_adopt_from(&self, here: &Here, from: &Utf8Path) -> Result<Relocation, RelocationError> {
        let slug = self.slug_of(from).ok_or_else(|| RelocationError::NotFound { from: from.to_owned() })?;
        let end = self.end(&slug);
        if end.project_dir == here.project_dir {
            return Err(RelocationError::SamePlace { project_dir: end.project_dir });
        }
        let living = end.path.clone().filter(|path| lives(path) && *path != here.root);
        let mut plan = self.plan_between(Because::Asked, end, here, Extent::Whole);
        plan.warnings.extend(
            living.map(|path| format!("`{path}` still lives: it starts with an empty memory afterwards")),
        );
        Ok(plan)
    }

    /// Plans to bring what belongs to one path to another, which need not exist yet: its directory, and its journal
    /// where there is one.
    ///
    /// # Errors
    /// As [`Projects::plan_adopt_from`].
    pub fn plan_move(&self, old: &Utf8Path, new: &Utf8Path) -> Result<Vec<Relocation>, RelocationError> {
        let here = self.here(new);
        match self.plan_adopt_from(&here, old) {
            Ok(plan) => Ok(self.with_journal(plan, &here, old)),
            Err(error) => {
                // A project may have a journal and nothing else.
                let nothing = End {
                    project_dir: here.project_dir.clone(),
                    memory_dir: here.memory_dir.clone(),
                    path: Some(old.to_owned()),
                };
                let nothing = plan(
                    Because::Asked,
                    (nothing.clone(), nothing),
                    Extent::Whole,
                    &[],
                    &|_| false,
                    &|_, _| false,
                );
                self.plan_journal(&nothing, &here).map(|journal| vec![journal]).ok_or(error)
            }
        }
    }

    /// A plan together with that for the journal of the same project. `named` is what the user called it: its path,
    /// perhaps, where nothing else knows it.
    #[must_use]
    pub fn with_journal(&self, mut plan: Relocation, here: &Here, named: &Utf8Path) -> Vec<Relocation> {
        if named.is_absolute() && !named.starts_with(self.projects_dir()) {
            plan.from.path.get_or_insert_with(|| named.to_owned());
        }
        let journal = self.plan_journal(&plan, here);
        std::iter::once(plan).chain(journal).collect()
    }

    /// The directories of places where the registry saw this project and where it is no longer.
    fn moved_from(&self, here: &Here, own: &[Utf8PathBuf]) -> Vec<(String, Because, Extent)> {
        let mut found = Vec::new();
        for key in probe(&here.root, here.common_dir.as_deref(), Probe::Full).keys() {
            let is_there = |path: &Utf8Path| match key.is_inode() {
                true => inode_of(path).map(IdentityKey::of_inode).as_ref() == Some(&key),
                false => lives(path),
            };
            for place in self.places_of(Some(&key), &mut Vec::new()) {
                if own.contains(&place.path) || is_there(&place.path) {
                    continue;
                }
                let slug = place.memory_dir.strip_prefix(self.projects_dir()).ok().and_then(Utf8Path::parent);
                if let Some(slug) = slug.filter(|slug| slug.components().count() == 1) {
                    let because = Because::Identity { key: key.clone() };
                    found.push((slug.to_string(), because, Extent::Whole));
                }
            }
        }
        found
    }

    fn end(&self, slug: &str) -> End {
        let project_dir = self.projects_dir().join(slug);
        End { memory_dir: project_dir.join("memory"), path: self.reverse(slug), project_dir }
    }

    fn slug_of(&self, from: &Utf8Path) -> Option<String> {
        let projects = self.projects_dir();
        let is_project = |name: &str| is_one_component(name) && lives(&projects.join(name));
        let direct = from.strip_prefix(&projects).unwrap_or(from).as_str();
        if is_project(direct) {
            return Some(direct.to_owned());
        }
        Scheme::ALL.into_iter().map(|scheme| encode_with(scheme, from.as_str())).find(|name| is_project(name))
    }

    /// The same relocation, planned from what is there now.
    pub(super) fn plan_once_more(&self, earlier: &Relocation) -> Relocation {
        let End { project_dir, memory_dir, path } = earlier.to.clone();
        let root = path.unwrap_or_else(|| project_dir.clone());
        let here = Here { project_dir, memory_dir, ..self.here(&root) };
        self.plan_between(earlier.because.clone(), earlier.from.clone(), &here, earlier.extent)
    }

    fn plan_between(&self, because: Because, from: End, here: &Here, extent: Extent) -> Relocation {
        let (files, left_out) = inventory(&from.project_dir);
        let to = End {
            project_dir: here.project_dir.clone(),
            memory_dir: here.memory_dir.clone(),
            path: Some(here.root.clone()),
        };
        let exists = |path: &Utf8Path| fs::symlink_metadata(path).is_ok();
        let mut plan = plan(because, (from, to), extent, &files, &exists, &same_content);
        if left_out > 0 {
            plan.warnings.push(format!("{left_out} entries that are not regular files stay where they are"));
        }
        plan
    }
}

/// Every path under which a client may have kept this project's memory.
fn own_paths(here: &Here) -> Vec<Utf8PathBuf> {
    let mut paths = vec![here.root.clone(), here.cwd.clone()];
    paths.extend(here.common_dir.iter().flat_map(|common_dir| worktrees(common_dir, &RealLook)));
    let mut known = std::collections::BTreeSet::new();
    paths.retain(|path| known.insert(path.clone()));
    paths
}

fn is_one_component(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains('/')
}
