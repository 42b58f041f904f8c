//! What would be sent: a user who wrote into `team/` without a command was never shown it.

use std::collections::BTreeSet;

use memdir_core::content_hash::ContentHash;
use serde::Serialize;

use crate::engine::SyncError;
use crate::folder::Folder;
use crate::local::{Local, Rules, SentFrom};
use crate::membership::Membership;
use crate::report::ChangeKind;
use crate::team_error::TeamError;

/// How many texts are looked up; of more only the names are told.
const MAX_TEXTS: usize = 500;

/// A memory that is not what was agreed, as it is here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnChange {
    /// Which memory.
    pub path: String,
    /// What happened to it.
    pub change: ChangeKind,
    /// Why it stays here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What the others have, if it is known here.
    #[serde(skip)]
    pub before: Option<String>,
    /// What is here.
    #[serde(skip)]
    pub after: Option<String>,
}

pub(crate) fn own_changes(
    folder: &mut Folder<'_>,
    membership: &Membership,
) -> Result<Vec<OwnChange>, TeamError> {
    let failed = |error| TeamError::Sync(SyncError::Local(error));
    let scan = folder.scan().map_err(failed)?;
    let mut state = membership.state()?;
    folder.hear_answers(&mut state).map_err(failed)?;
    let sent_from = folder.files.sent_from();
    let mut changes = Vec::new();
    let mut ids = Vec::new();
    let keys: BTreeSet<&String> = state.agreed.keys().chain(scan.files.keys()).collect();
    for key in keys.into_iter().filter(|key| !scan.left_alone.contains_key(*key)) {
        let agreed = state.agreed.get(key).filter(|agreed| agreed.content.is_some());
        let here = scan.files.get(key).copied();
        // What waits for others to be accepted was sent already, as it is here.
        let is_sent = |sent: &SentFrom| here == Some(ContentHash::of(sent.text.as_bytes()));
        if here == agreed.and_then(|agreed| agreed.content)
            || state.is_declined(key, &scan)
            || sent_from.get(key).is_some_and(is_sent)
        {
            continue;
        }
        let change = match (agreed, here) {
            (None, _) => ChangeKind::Added,
            (Some(_), Some(_)) => ChangeKind::Changed,
            (Some(_), None) => ChangeKind::Removed,
        };
        ids.push(agreed.map(|agreed| agreed.id.as_str()));
        changes.push(OwnChange { path: key.clone(), change, refused: None, before: None, after: None });
    }
    let known: Vec<&str> = ids.iter().take(MAX_TEXTS).filter_map(|id| *id).collect();
    // If git cannot be asked, the user still sees what is here.
    let mut texts = membership.texts(&known).unwrap_or_default().into_iter();
    for (change, id) in changes.iter_mut().zip(&ids).take(MAX_TEXTS) {
        change.before = id.and_then(|_| texts.next().flatten());
        change.after = folder.text(&change.path).map_err(failed)?;
        let text = change.after.as_deref();
        change.refused = text.and_then(|text| folder.refuses_to_share(&change.path, text, id.is_some()));
    }
    for (key, why) in scan.left_alone {
        let change = if state.agreed.contains_key(&key) { ChangeKind::Changed } else { ChangeKind::Added };
        changes.push(OwnChange { path: key, change, refused: Some(why), before: None, after: None });
    }
    Ok(changes)
}
