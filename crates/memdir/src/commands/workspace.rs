//! `memdir workspace`: the map of all projects.

use std::io::Write;

use anyhow::{Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use clap::{Parser, Subcommand, ValueEnum};
use memdir_core::look::{Kind, Look};
use memdir_core::project::git_root::find_git_root;
use memdir_core::secrets::redact;
use memdir_core::workspace::{
    NewInitiative, NewProject, NewRelation, RelationKind, WorkspaceEdit, WorkspaceMap,
};
use memdir_disk::real_look::RealLook;
use memdir_lib::workspace::Workspace as Map;
use serde_json::json;

use super::Run;
use super::made::{Manner, preview, report};
use super::memory::author;
use crate::exit::Exit;
use crate::output::printable;
use crate::report::WithHint;
use crate::world::World;

mod overview;
mod show;

/// Show the map of your projects
#[derive(Debug, Parser)]
#[command(
    name = "workspace",
    after_help = "The map is `workspace.md` in the client's configuration directory. It is yours: edit it by hand as you like; memdir
changes the line that a change is about, and leaves everything else alone. A project is named by its key, or by `.` for
the current one. What was done is in `memdir log --dir ~/.claude`, and `memdir undo --dir ~/.claude` undoes it.

Examples:
  memdir workspace
  memdir workspace add --description \"the web shop\"
  memdir workspace relate . depends-on prices
  memdir workspace initiative \"2.0 release\" --projects shop,prices
  memdir workspace status prices paused"
)]
pub(crate) struct Workspace {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Register a project, or bring its row up to date
    #[command(after_help = "Without --description, what the project's own manifest says is taken.

Examples:
  memdir workspace add
  memdir workspace add ~/work/prices --description \"price lists\" --status active")]
    Add {
        /// The project's directory; without one, the current project
        dir: Option<Utf8PathBuf>,
        /// The name to register it under instead of its directory's
        #[arg(long)]
        key: Option<String>,
        /// What it is
        #[arg(long)]
        description: Option<String>,
        /// How it is doing
        #[arg(long)]
        status: Option<String>,
        #[command(flatten)]
        manner: Manner,
    },
    /// Record how one project relates to another
    #[command(
        after_help = "--found records what this project's manifests (Cargo.toml, package.json, pyproject.toml, go.mod, …) say
about other registered projects.

Examples:
  memdir workspace relate shop depends-on prices --note \"reads its tables\"
  memdir workspace relate --found --dry-run"
    )]
    Relate {
        /// The project that the relation starts from
        #[arg(required_unless_present = "found")]
        project: Option<String>,
        /// What the relation is
        #[arg(required_unless_present = "found")]
        relation: Option<Relation>,
        /// The project that it leads to
        #[arg(required_unless_present = "found")]
        other: Option<String>,
        /// What else is to be said
        #[arg(long, default_value = "", conflicts_with = "found")]
        note: String,
        /// Record every dependency that this project's manifests name
        #[arg(long, conflicts_with_all = ["project", "relation", "other"])]
        found: bool,
        #[command(flatten)]
        manner: Manner,
    },
    /// Begin work that spans projects, or bring it up to date
    #[command(after_help = "Examples:
  memdir workspace initiative \"2.0 release\" --projects shop,prices
  memdir workspace initiative \"2.0 release\" --status done --note \"shipped\"")]
    Initiative {
        /// What it is called
        name: String,
        /// The projects that take part
        #[arg(long, value_delimiter = ',', value_name = "KEYS")]
        projects: Vec<String>,
        /// How it is doing
        #[arg(long)]
        status: Option<String>,
        /// What else is to be said
        #[arg(long)]
        note: Option<String>,
        #[command(flatten)]
        manner: Manner,
    },
    /// Say how a project is doing
    #[command(after_help = "Examples:
  memdir workspace status prices paused
  memdir workspace status . active")]
    Status {
        /// The project
        project: String,
        /// A word or two: active, paused, archived
        status: String,
        #[command(flatten)]
        manner: Manner,
    },
    /// Show one project: its relations, its initiatives, and the index of its journal
    #[command(after_help = "Examples:
  memdir workspace show prices
  memdir workspace show prices --json | jq -r .index")]
    Show {
        /// The project
        project: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Relation {
    /// It needs the other
    DependsOn,
    /// It began as a copy of the other
    ForkOf,
    /// The other takes over what is done here
    UpstreamOf,
    /// It belongs to the other
    PartOf,
    /// It has to do with the other
    RelatedTo,
}

impl Relation {
    fn kind(self) -> RelationKind {
        match self {
            Self::DependsOn => RelationKind::DependsOn,
            Self::ForkOf => RelationKind::ForkOf,
            Self::UpstreamOf => RelationKind::UpstreamOf,
            Self::PartOf => RelationKind::PartOf,
            Self::RelatedTo => RelationKind::RelatedTo,
        }
    }
}

impl Run for Workspace {
    fn run(self, world: &mut World) -> Result<Exit> {
        let map = Map::open(&world.env()?)?;
        match self.action {
            None => overview::overview(&map, self.json, world),
            Some(Action::Show { project, json }) => show::show(&map, &project, json, world),
            Some(action) => action.change(map, world),
        }
    }
}

impl Action {
    fn change(self, mut workspace: Map, world: &mut World) -> Result<Exit> {
        let map = workspace.map()?;
        let key = |name: &str| {
            if name == "." { workspace.key_for(workspace.here(), &map) } else { name.to_owned() }
        };
        match self {
            Self::Add { dir, key, description, status, manner } => {
                let root = directory(dir.as_deref(), &workspace, world)?;
                let key = key.unwrap_or_else(|| workspace.key_for(&root, &map));
                let is_new = map.project(&key).is_none();
                let description = description.or_else(|| workspace.description_of(&root).filter(|_| is_new));
                let new = NewProject {
                    key: &key,
                    path: root.as_str(),
                    description: description.as_deref(),
                    status: status.as_deref(),
                };
                let exit = apply(&mut workspace, &[WorkspaceEdit::Register(new)], &manner, world)?;
                if !manner.json {
                    overview::offers(&workspace, &key, &root, world)?;
                }
                Ok(exit)
            }
            Self::Relate { found: true, manner, .. } => {
                let own = key(".");
                let offers = workspace.offers(&own, workspace.here(), &map);
                let edits = offers.iter().map(|offer| {
                    WorkspaceEdit::Relate(NewRelation {
                        from: &offer.from,
                        kind: &RelationKind::DependsOn,
                        to: &offer.to,
                        note: &offer.manifest,
                    })
                });
                let edits: Vec<WorkspaceEdit<'_>> = edits.collect();
                apply(&mut workspace, &edits, &manner, world)
            }
            Self::Relate {
                project: Some(project),
                relation: Some(relation),
                other: Some(other),
                note,
                manner,
                ..
            } => {
                let (from, to, kind) = (key(&project), key(&other), relation.kind());
                let new = NewRelation { from: &from, kind: &kind, to: &to, note: &note };
                apply(&mut workspace, &[WorkspaceEdit::Relate(new)], &manner, world)
            }
            Self::Initiative { name, projects, status, note, manner } => {
                let projects: Vec<String> = projects.iter().map(|project| key(project.trim())).collect();
                let date = world.now.strftime("%Y-%m-%d").to_string();
                let new = NewInitiative {
                    name: &name,
                    projects: &projects,
                    status: status.as_deref(),
                    notes: note.as_deref(),
                    date: &date,
                };
                apply(&mut workspace, &[WorkspaceEdit::Initiative(new)], &manner, world)
            }
            Self::Status { project, status, manner } => {
                let key = key(&project);
                apply(&mut workspace, &[WorkspaceEdit::Status { key: &key, status: &status }], &manner, world)
            }
            Self::Relate { .. } | Self::Show { .. } => {
                bail!("name two projects and what one is to the other")
            }
        }
    }
}

/// The directory of a project to register: the root of its repository, links resolved.
fn directory(given: Option<&Utf8Path>, workspace: &Map, world: &World) -> Result<Utf8PathBuf> {
    let Some(given) = given else { return Ok(workspace.here().to_owned()) };
    let path = world.env()?.cwd.join(given);
    match RealLook.real_path(&path) {
        Some(real) if RealLook.kind(&real) == Some(Kind::Dir) => {
            Ok(find_git_root(&real, &RealLook).map_or(real, |found| found.root))
        }
        _ => bail!("`{given}` is not a directory"),
    }
}

fn apply(
    workspace: &mut Map,
    edits: &[WorkspaceEdit<'_>],
    manner: &Manner,
    world: &mut World,
) -> Result<Exit> {
    let file = workspace.file();
    let directory = file.parent().unwrap_or(&file).to_owned();
    if manner.dry_run {
        return preview(&workspace.plan(edits)?, &directory, manner, json!({}), world);
    }
    let made = workspace.change_all(edits, &author(world), world.now);
    let made = match made {
        Err(error) => {
            return Err(anyhow::Error::new(error)).hint("`memdir workspace` shows what is registered");
        }
        Ok(made) => made,
    };
    let done = |world: &mut World| {
        for edit in edits {
            let paint = world.paint;
            let what = match edit {
                WorkspaceEdit::Register(new) => format!("registered {}", paint.strong(&printable(new.key))),
                WorkspaceEdit::Relate(new) => {
                    format!(
                        "{} {} {}",
                        paint.strong(&printable(new.from)),
                        new.kind,
                        paint.strong(&printable(new.to))
                    )
                }
                WorkspaceEdit::Initiative(new) => {
                    format!("initiative {}", paint.strong(&printable(&redact(new.name).0)))
                }
                WorkspaceEdit::Status { key, status } => {
                    format!("{} is {}", paint.strong(&printable(key)), printable(status))
                }
            };
            writeln!(world.stdout, "{what}")?;
        }
        Ok(())
    };
    report(&made, &directory, manner, json!({}), done, world)
}

/// Says what was not understood in the map.
fn warn_of_problems(map: &WorkspaceMap, workspace: &Map, world: &mut World) -> Result<()> {
    for problem in &map.problems {
        world.warn(&format!("`{}`: {problem}", workspace.file()))?;
    }
    Ok(())
}
