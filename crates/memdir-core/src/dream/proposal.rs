//! A plan that a model proposes: hostile until every rule has been asked.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Deserialize;

use super::account::{Merged, Written};
use super::check::{CheckRefused, Superseded};
use super::desk::{Desk, DeskFile};
use super::live::Live;
use super::reading::{Reading, Readings};
use super::statement::{ChunkKind, STEPS, Statement, normal};
use super::subject::names_no_more_than;
use super::{Dream, Scene, fix_index, planner, prune};
use crate::extract::reading::negates;
use crate::hidden_char::holds_hidden;
use crate::hygiene::flag;
use crate::memory::auto_index::is_indexed;
use crate::memory::entrypoint::ENTRYPOINT;
use crate::memory::index::OVERFLOW;
use crate::memory::memory_type::MemoryType;
use crate::memory::topic::cues::cues;
use crate::memory::topic::validity::Validity;
use crate::memory::topic::{self, NewTopic, Topic};
use crate::rel_path::{PathRefused, RelPath};
use crate::secrets::scan;

/// The longest answer of a model that is read.
pub const MAX_PROPOSAL_BYTES: usize = 8 << 20;
/// So many files one answer may write or remove.
const MOST_CHANGES: usize = 2_000;
/// The longest file that a model may write.
const LONGEST_FILE: usize = 256 << 10;

/// What a model answers. Whatever else it says is not looked at.
#[derive(Debug, Deserialize)]
struct Proposal {
    #[serde(default)]
    writes: Vec<ProposedFile>,
    #[serde(default)]
    deletes: Vec<String>,
    #[serde(default)]
    superseded: Vec<ProposedReplacement>,
}

#[derive(Debug, Deserialize)]
struct ProposedFile {
    path: String,
    content: String,
}

#[derive(Debug, Deserialize)]
struct ProposedReplacement {
    statement: String,
    source: String,
    replaced_by: String,
}

/// Why a proposal is refused as a whole.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProposalRefused {
    /// It is longer than any plan can be.
    #[error(
        "the proposal is longer than {MAX_PROPOSAL_BYTES} bytes, or changes more than {MOST_CHANGES} files"
    )]
    TooLarge,
    /// It is not what was asked for.
    #[error("the proposal is not a valid plan: {0}")]
    NotAPlan(#[from] serde_json::Error),
    /// A path that no memory has.
    #[error("the proposal names `{path}`: {refused}")]
    Path {
        /// The path as given, shortened.
        path: String,
        /// The rule that it breaks.
        refused: PathRefused,
    },
    /// A file that a dream does not touch.
    #[error("the proposal names `{path}`, which {why}")]
    NotOurs {
        /// The path.
        path: RelPath,
        /// Why not.
        why: &'static str,
    },
    /// A text that may not be written.
    #[error("the proposal's text of `{path}` {why}")]
    Text {
        /// The path.
        path: RelPath,
        /// Why not.
        why: &'static str,
    },
    /// Something that no memory says.
    #[error("the proposal's text of `{path}` says what no memory says: {statement}")]
    Untold {
        /// The path.
        path: RelPath,
        /// The statement.
        statement: String,
    },
    /// Something would be lost.
    #[error(transparent)]
    Check(#[from] CheckRefused),
}

/// Reads what a model proposes for a directory: `{"writes": [{"path", "content"}], "deletes": [path],
/// "superseded": [{"statement", "source", "replaced_by"}]}`.
///
/// Only memories can be written or removed: not the index, which is rebuilt, not logs, not what is the team's. Of a file
/// that is there the header stays, but for its description. The result passes [`super::check()`].
///
/// # Errors
/// The first rule that the proposal breaks; then it is refused as a whole.
pub fn read_proposal(scene: &Scene, json: &[u8]) -> Result<Dream, ProposalRefused> {
    if json.len() > MAX_PROPOSAL_BYTES {
        return Err(ProposalRefused::TooLarge);
    }
    let proposal: Proposal = serde_json::from_slice(json)?;
    if proposal.writes.len() + proposal.deletes.len() > MOST_CHANGES
        || proposal.superseded.len() > MOST_CHANGES
    {
        return Err(ProposalRefused::TooLarge);
    }
    let readings = Readings::default();
    let mut desk = Desk::of(scene, &readings);
    let before = scene.sources().into_iter().map(|source| (source.path, source.content)).collect();
    let earlier = Live::of(&before, &readings);
    let mut written: BTreeMap<RelPath, String> = BTreeMap::new();
    for file in proposal.writes {
        let path = own_path(&desk, &file.path)?;
        let text = text_for(&desk, &earlier, &path, &file.content)?;
        if written.insert(path.clone(), text).is_some() {
            return Err(ProposalRefused::NotOurs { path, why: "it names twice" });
        }
    }
    for (path, text) in &written {
        let old = desk.topics.get(path).map(|file| file.text.clone());
        let account = told(path, old.as_deref(), text);
        if old.as_ref() != Some(text) {
            desk.account.written.push(account);
        }
        if old.is_some() {
            desk.rewrite(path, text.clone());
        } else {
            let day = scene.day_of(scene.now);
            let file = DeskFile::new(text.clone(), scene.now, day);
            desk.add(path.clone(), file);
        }
    }
    for path in &proposal.deletes {
        let path = own_path(&desk, path)?;
        if written.contains_key(&path) {
            return Err(ProposalRefused::NotOurs { path, why: "it both writes and removes" });
        }
        if !desk.topics.contains_key(&path) {
            return Err(ProposalRefused::NotOurs { path, why: "is not a memory that can be removed" });
        }
        let into = written.keys().next().unwrap_or(&path).clone();
        desk.take_away(&path, &into);
        desk.account.merged.push(Merged { into, from: path, why: "the model proposed it".to_owned() });
    }
    for claim in proposal.superseded {
        let source = RelPath::parse(&claim.source)
            .map_err(|refused| ProposalRefused::Path { path: shortened(&claim.source), refused })?;
        let superseded = Superseded { statement: claim.statement, source, replaced_by: claim.replaced_by };
        desk.account.superseded.push(superseded);
    }
    prune::prune(&mut desk);
    fix_index::fix_lines(&mut desk);
    let dream = planner::finish(&mut desk)?;
    for (path, text) in &written {
        if let Some(new) = first_untold(&readings.of(text), path, &earlier) {
            return Err(ProposalRefused::Untold { path: path.clone(), statement: shortened(&new) });
        }
    }
    Ok(dream)
}

/// What is said about a file that a model wrote.
fn told(path: &RelPath, old: Option<&str>, new: &str) -> Written {
    let mut lines: HashMap<&str, (usize, usize)> = HashMap::new();
    for line in old.unwrap_or_default().lines().filter(|line| !line.trim().is_empty()) {
        lines.entry(line).or_default().0 += 1;
    }
    for line in new.lines().filter(|line| !line.trim().is_empty()) {
        lines.entry(line).or_default().1 += 1;
    }
    Written {
        path: path.clone(),
        is_new: old.is_none(),
        lines_added: lines.values().map(|(before, after)| after.saturating_sub(*before)).sum(),
        lines_removed: lines.values().map(|(before, after)| before.saturating_sub(*after)).sum(),
    }
}

/// A path at which a model may write or remove.
fn own_path(desk: &Desk<'_>, path: &str) -> Result<RelPath, ProposalRefused> {
    let parsed =
        RelPath::parse(path).map_err(|refused| ProposalRefused::Path { path: shortened(path), refused })?;
    let refuse = |why| Err(ProposalRefused::NotOurs { path: parsed.clone(), why });
    let is_index = [ENTRYPOINT, OVERFLOW].iter().any(|name| parsed.file_name().eq_ignore_ascii_case(name));
    if !parsed.is_markdown() || !is_indexed(parsed.as_str()) || is_index {
        return refuse("is not a memory of this directory");
    }
    let is_another = |other: &str| other != parsed.as_str() && other.eq_ignore_ascii_case(parsed.as_str());
    let scene = desk.scene;
    if scene.files.iter().any(|file| is_another(file.path.as_str())) {
        return refuse("differs from a file that is there only in case");
    }
    let is_there = scene.files.iter().any(|file| file.path == parsed)
        || scene.unread.iter().any(|left| left.path.eq_ignore_ascii_case(parsed.as_str()));
    if is_there && !desk.topics.contains_key(&parsed) {
        return refuse("is left alone");
    }
    Ok(parsed)
}

/// The whole text of a file as it would be written: the header of the file that is there, and the model's body.
fn text_for(
    desk: &Desk<'_>,
    earlier: &Live<'_>,
    path: &RelPath,
    content: &str,
) -> Result<String, ProposalRefused> {
    let refuse = |why| Err(ProposalRefused::Text { path: path.clone(), why });
    if content.len() > LONGEST_FILE {
        return refuse("is longer than a memory may be");
    }
    let before = desk.topics.get(path).map(|file| file.text.as_str()).unwrap_or_default();
    let hides =
        |text: &str| text.lines().any(|line| holds_hidden(line.trim_matches(['\u{feff}', '\t', '\r'])));
    if content.contains('\0') || hides(&content.replace('\t', " ")) && !hides(&before.replace('\t', " ")) {
        return refuse("holds invisible characters");
    }
    let all_before: usize = scan(before).len();
    if scan(content).len() > all_before && scan(content).len() > secrets_of_removed(desk, content) {
        return refuse("holds a secret");
    }
    if !flag(content).is_empty() && flag(before).is_empty() && !is_said_already(desk, content) {
        return refuse("reads like an attack on its reader");
    }
    let (new, _) = Topic::parse_head_of_whole(content);
    let body = content.get(new.body.clone()).unwrap_or_default();
    let description = new.description.as_deref().unwrap_or_default();
    let Some(file) = desk.topics.get(path) else {
        let stem = path.as_path().file_stem().unwrap_or_default();
        let kind = new.memory_type.clone().filter(|kind| MemoryType::KNOWN.contains(kind));
        let topic = NewTopic {
            name: new.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(stem),
            description,
            memory_type: &kind.unwrap_or(MemoryType::Project),
            body,
            cues: &cues(content),
            validity: &Validity::of(content),
            modified: desk.scene.now,
            origin_session: None,
        };
        return Ok(topic.render());
    };
    let (old, _) = Topic::parse_head_of_whole(&file.text);
    let end = if file.text.contains("\r\n") { "\r\n" } else { "\n" };
    let body = body.replace("\r\n", "\n").replace('\n', end);
    let head = file.text.get(..old.body.start).unwrap_or_default();
    let text = format!("{head}{body}");
    match (description.is_empty(), old.has_frontmatter) {
        // A description is read before anything else, so it says what was said and nothing else.
        (false, true)
            if old.description.as_deref() != Some(description) && earlier.told(&normal(description)) =>
        {
            Ok(topic::set(&text, "description", description).unwrap_or(text))
        }
        _ => Ok(text),
    }
}

/// How many secrets the memories hold that a text could have taken over.
fn secrets_of_removed(desk: &Desk<'_>, content: &str) -> usize {
    scan(content)
        .into_iter()
        .filter_map(|found| content.get(found.range))
        .filter(|secret| desk.topics.values().any(|file| file.text.contains(secret)))
        .count()
}

/// Whether every line of a text that reads like an attack is in a memory already: then the model did not add it.
fn is_said_already(desk: &Desk<'_>, content: &str) -> bool {
    let doubtful = content.lines().map(str::trim).filter(|line| !line.is_empty() && !flag(line).is_empty());
    let mut doubtful = doubtful.peekable();
    doubtful.peek().is_some()
        && doubtful.all(|line| desk.topics.values().any(|file| file.text.contains(line)))
}

/// The first statement of a text that no file made before. To tidy is to put in order what was said, not to say more.
fn first_untold(reading: &Reading, path: &RelPath, earlier: &Live<'_>) -> Option<String> {
    const HEADING_WORDS: usize = 4;
    let is_list = |said: &Statement| said.normal.starts_with(STEPS);
    let is_label = |said: &Statement| {
        let whole = reading.body().replacen(&said.text, "", 1);
        let words = said.normal.split_whitespace().count();
        words <= HEADING_WORDS && !negates(&said.normal) && names_no_more_than(&said.normal, &whole)
    };
    let headings: HashSet<&str> = reading
        .said_with_kind()
        .filter(|(kind, said)| *kind == ChunkKind::Heading && is_label(said))
        .map(|(_, said)| said.normal.as_str())
        .collect();
    let mut all = reading.must_stand(path).filter(|said| !is_list(said));
    let untold = all.find(|said| !earlier.told(&said.normal) && !headings.contains(said.normal.as_str()))?;
    Some(untold.text.clone())
}

fn shortened(text: &str) -> String {
    text.chars().take(120).collect()
}
