use jiff::Timestamp;
use memdir_core::workspace::NewProject;

use super::{Journal, Writer};
use crate::user::Profile;
use crate::workspace::Workspace;

impl Journal {
    /// Registers the project in the map of all projects; gives back what went wrong.
    pub(super) fn register_in_workspace(&self, writer: &Writer<'_>) -> Vec<String> {
        let register = || {
            let mut workspace = Workspace::open(&self.env)?;
            let description = workspace.description_of(&self.here.root);
            let project = NewProject {
                key: self.key(),
                path: self.here.root.as_str(),
                description: description.as_deref(),
                status: None,
            };
            workspace.register(&project, writer.author, writer.now)
        };
        register().err().map(|error| error.to_string()).into_iter().collect()
    }

    /// What agents may use of the user's profile, quoted, within a budget of tokens; empty if there is none.
    pub(super) fn preferences(&self, budget: usize, now: Timestamp) -> String {
        Profile::open(&self.env).map(|profile| profile.render(budget, now).text).unwrap_or_default()
    }

    /// The related projects, quoted, within a budget of tokens; empty if there are none.
    pub(super) fn related(&self, budget: usize, now: Timestamp) -> String {
        let workspace = Workspace::open(&self.env).ok();
        workspace
            .and_then(|workspace| workspace.render_related(self.key(), budget, now).ok())
            .unwrap_or_default()
    }
}
