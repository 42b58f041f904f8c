use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::journal::recovery::{Part, RecoveryMaterial, RecoverySource, compose};
use memdir_core::user::INTRODUCTION;
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

    /// What agents may use of the user's profile, file by file, most useful first.
    pub(super) fn preferences(&self) -> Vec<RecoverySource> {
        let texts = Profile::open(&self.env).map(|profile| profile.usable_texts()).unwrap_or_default();
        let source = |(path, text, modified): (Utf8PathBuf, String, Option<Timestamp>)| RecoverySource {
            part: Part::Preferences,
            path: path.into_string(),
            text,
            modified,
        };
        texts.into_iter().map(source).collect()
    }

    /// The preferences and the project's page as a start shows them to an agent, quoted; empty if there are none.
    pub(super) fn shown_at_start(&self, project: &str) -> String {
        let page = RecoverySource {
            part: Part::Project,
            path: super::records::PROJECT_FILE.to_owned(),
            text: project.to_owned(),
            modified: None,
        };
        let background: Vec<RecoverySource> =
            self.preferences().into_iter().chain((!project.trim().is_empty()).then_some(page)).collect();
        if background.is_empty() {
            return String::new();
        }
        let material = RecoveryMaterial { background, ..RecoveryMaterial::default() };
        compose(&material, SHOWN_AT_START, Timestamp::UNIX_EPOCH).text.trim().to_owned()
    }

    /// What agents may use of the user's profile, quoted, for a session without a journal; `None` if there is nothing.
    #[must_use]
    pub fn profile_text(&self, now: Timestamp) -> Option<String> {
        let background = self.preferences();
        if background.is_empty() {
            return None;
        }
        let opening = INTRODUCTION.to_owned();
        let material = RecoveryMaterial { opening, background, ..RecoveryMaterial::default() };
        Some(compose(&material, SHOWN_AT_START, now).text)
    }

    /// The related projects; `None` if there are none.
    pub(super) fn related(&self) -> Option<RecoverySource> {
        let workspace = Workspace::open(&self.env).ok()?;
        let lines = workspace.related_lines(self.key()).ok()?;
        let path = workspace.file().into_string();
        let source = RecoverySource { part: Part::Related, path, text: lines.join("\n"), modified: None };
        (!source.text.is_empty()).then_some(source)
    }
}

/// Tokens for preferences and project where nothing else is told.
const SHOWN_AT_START: usize = 700;
